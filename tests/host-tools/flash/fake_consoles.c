/* Consoles of boards whose flash fake_programmer writes: a pty for each, whose node answers IDENTIFY if the flash holds
 * a bitstream, and an image that begins with a site record. Its site is that of the record.
 *
 * usage: fake_consoles FILE.mesh FOLDER BUS-DEVICE...
 *
 * FOLDER/BUS-DEVICE/tty is a symbolic link to the pty. FOLDER/BUS-DEVICE/console, if it is there, has a fault:
 * `silent`, `mesh` (the hash of another one), `site` (another number), `firmware` (another build id), `old` (does not
 * have that request), `mute` (silent from the second request on), `noise`, `strange` (answers as no node does),
 * `golden` (the golden image shows its line). It ends with its standard input.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "mesh/mesh.h"
#include "mesh/mesh_identity.h"
#include "protocol.h"
#include "wire/console_messages.h"
#include "wire/payload.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

enum { BOARDS_MAX = 32, PATH_SIZE = 512, RECORD_BYTES = 4 * (PR_LOAD_EXTRA + PR_SITE_RECORD_WORDS) };

static struct board {
    char folder[PATH_SIZE];
    int master, slave;
    struct pr_frames_reader reader;
} boards[BOARDS_MAX];

static struct mesh_config mesh;

static void fail(const char *what)
{
    perror(what);
    exit(1);
}

static void open_board(struct board *board, const char *folder, const char *name)
{
    char link[PATH_SIZE + 16];
    struct termios settings;
    snprintf(board->folder, sizeof board->folder, "%.400s/%.64s", folder, name);
    snprintf(link, sizeof link, "%.400s/tty", board->folder);
    board->master = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    if (board->master < 0 || grantpt(board->master) != 0 || unlockpt(board->master) != 0)
        fail("pty");
    /* Held open, so that the master never reads that nobody is there. */
    int slave = board->slave = open(ptsname(board->master), O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (slave < 0 || tcgetattr(slave, &settings) != 0)
        fail("pty");
    cfmakeraw(&settings);
    tcsetattr(slave, TCSANOW, &settings);
    unlink(link);
    if (symlink(ptsname(board->master), link) != 0)
        fail(link);
    pr_frames_reader_init(&board->reader);
}

/* A word of a record in the flash: low half first, high byte of a half first. The file has all bits inverted. */
static uint32_t word_at(const uint8_t *bytes, unsigned index)
{
    uint8_t b[4];
    for (int k = 0; k < 4; k++)
        b[k] = (uint8_t)~bytes[4 * index + k];
    return (uint32_t)(b[0] << 8 | b[1]) | (uint32_t)(b[2] << 8 | b[3]) << 16;
}

/* -1: no node runs on the board. Else its site, and the build id behind the first words of its image. */
static int site_of(const struct board *board, uint32_t build_id[PR_BUILD_ID_WORDS])
{
    enum { FIRST_RECORD = RECORD_BYTES / 4 + PR_LOAD_DATA, BUILD_ID = FIRST_RECORD + 5, WORDS = BUILD_ID + 2 };
    char path[PATH_SIZE + 16];
    uint8_t record[4 * WORDS] = {0};
    uint32_t first = 0; /* bytes of the bitstream */
    snprintf(path, sizeof path, "%s/flash", board->folder);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    bool read = file >= 0 && pread(file, &first, sizeof first, 0) == (ssize_t)sizeof first &&
                pread(file, record, sizeof record, PR_LOAD_FLASH) == (ssize_t)sizeof record;
    if (file >= 0)
        close(file);
    if (!read || first == 0 || word_at(record, PR_LOAD_COUNT) >> PR_LOAD_COUNT_KIND_SHIFT != PR_LOAD_KIND_SITE)
        return -1;
    for (unsigned k = 0; k < PR_BUILD_ID_WORDS; k++)
        build_id[k] = word_at(record, BUILD_ID + k);
    return (int)(word_at(record, PR_LOAD_DATA + PR_SITE_RECORD_SITE) & 0xffff);
}

static void read_fault(const struct board *board, char out[16])
{
    char path[PATH_SIZE + 16];
    snprintf(path, sizeof path, "%s/console", board->folder);
    FILE *file = fopen(path, "r");
    *out = 0;
    if (file && fscanf(file, "%15s", out) != 1)
        *out = 0;
    if (file)
        fclose(file);
}

static void identify(struct pr_payload_writer *writer, int site, const char *fault)
{
    uint32_t words[PR_SITE_IDENTITY_WORDS];
    struct pr_site_identity identity;
    if (strcmp(fault, "site") == 0)
        site ^= 1;
    mesh_identify_site(&identity, &mesh, (unsigned)site, 0);
    if (strcmp(fault, "mesh") == 0)
        identity.mesh_hash ^= 1;
    memcpy(words, &identity, sizeof words);
    pr_payload_append(writer, 1, strcmp(fault, "strange") == 0 ? 9 : PR_CONSOLE_OK);
    pr_payload_append(writer, 2, (uint32_t)site);
    for (unsigned k = 0; k < PR_SITE_IDENTITY_WORDS && strcmp(fault, "strange") != 0; k++)
        pr_payload_append(writer, 4, words[k]);
}

static void name_firmware(struct pr_payload_writer *writer, int site, const char *fault, const uint32_t *build_id)
{
    if (strcmp(fault, "old") == 0) {
        pr_payload_append(writer, 1, PR_CONSOLE_BAD_REQUEST);
        return;
    }
    pr_payload_put(writer, PR_MESSAGE_RANGE_ANSWER_STATUS, PR_CONSOLE_OK);
    pr_payload_put(writer, PR_MESSAGE_RANGE_ANSWER_SITE, (uint32_t)site);
    pr_payload_put(writer, PR_MESSAGE_RANGE_ANSWER_FIRST, PR_SITE_IDENTITY_WORDS);
    pr_payload_put(writer, PR_MESSAGE_RANGE_ANSWER_COUNT, PR_BUILD_ID_WORDS);
    for (unsigned k = 0; k < PR_BUILD_ID_WORDS; k++)
        pr_payload_append(writer, 4, build_id[k] ^ (strcmp(fault, "firmware") == 0));
}

static void answer(const struct board *board, const struct pr_frame *request)
{
    static const char golden[] = "golden image: the bitstream is damaged (postroad flash)\n";
    struct pr_frame out;
    uint8_t wire[PR_FRAMES_WIRE_MAX];
    uint32_t build_id[PR_BUILD_ID_WORDS] = {0};
    char fault[16];
    int site = site_of(board, build_id);
    bool first = request->type == PR_CONSOLE_IDENTIFY;
    read_fault(board, fault);
    if (strcmp(fault, "golden") == 0 && write(board->master, golden, sizeof golden - 1) < 0)
        return;
    if ((!first && request->type != PR_CONSOLE_IDENTIFY_PART) || site < 0 || site >= mesh.sites ||
        strcmp(fault, "silent") == 0 || strcmp(fault, "golden") == 0 || strcmp(fault, "noise") == 0 ||
        (!first && strcmp(fault, "mute") == 0))
        return;
    struct pr_payload_writer writer = pr_frames_begin(&out, request->type | PR_CONSOLE_ANSWER, request->id);
    if (first)
        identify(&writer, site, fault);
    else
        name_firmware(&writer, site, fault, build_id);
    pr_frames_end(&out, &writer);
    size_t length = pr_frames_encode(&out, wire, sizeof wire);
    if (write(board->master, wire, length) < 0)
        return; /* the other end does not read */
}

static void serve(struct board *board)
{
    uint8_t bytes[256];
    struct pr_frame frame;
    char fault[16];
    ssize_t count = read(board->master, bytes, sizeof bytes);
    ioctl(board->slave, TIOCNXCL); /* a client's TIOCEXCL would outlive it, as the line is held open here */
    for (ssize_t k = 0; k < count; k++)
        if (pr_frames_push(&board->reader, bytes[k], &frame) == PR_FRAMES_READY)
            answer(board, &frame);
    read_fault(board, fault);
    for (size_t k = 0; k < sizeof bytes; k++)
        bytes[k] = (uint8_t)rand();
    if (strcmp(fault, "noise") == 0 && write(board->master, bytes, sizeof bytes) < 0)
        return;
}

int main(int argc, char **argv)
{
    char error[1024];
    struct pollfd polls[BOARDS_MAX + 1] = {{.fd = STDIN_FILENO, .events = POLLIN}};
    int count = argc - 3;
    if (argc < 4 || count > BOARDS_MAX || mesh_config_load(argv[1], &mesh, error, sizeof error) != 0) {
        fprintf(stderr, "usage: fake_consoles FILE.mesh FOLDER BUS-DEVICE...\n");
        return 1;
    }
    for (int k = 0; k < count; k++) {
        open_board(&boards[k], argv[2], argv[k + 3]);
        polls[k + 1] = (struct pollfd){.fd = boards[k].master, .events = POLLIN};
    }
    puts("ready");
    fflush(stdout);
    for (;;) {
        poll(polls, (nfds_t)count + 1, -1);
        if (polls[0].revents)
            return 0;
        for (int k = 0; k < count; k++)
            if (polls[k + 1].revents)
                serve(&boards[k]);
    }
}
