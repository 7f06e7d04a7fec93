/* Consoles of boards whose flash a programmer writes: a pty for each, whose node answers IDENTIFY if the flash holds a
 * bitstream, and an image that begins with a site record. Its site is that of the record.
 *
 * usage: consoles FILE.mesh FOLDER BUS-DEVICE...
 *
 * FOLDER/BUS-DEVICE/tty is a symbolic link to the pty. FOLDER/BUS-DEVICE/console, if it is there, has a fault:
 * `silent`, `mesh` (the hash of another one), `site` (another number), `firmware` (another build id), `old` (does not
 * have that request), `mute` (silent from the second request on), `noise`, `strange` (answers as no node does),
 * `golden` (the golden image shows its line), `rate BAUD` (bytes at another one are lost). It ends with its standard
 * input.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "mesh/mesh.h"
#include "mesh/mesh_identity.h"
#include "node.h"

#include "libpostroad/tty_rate.h"

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { BOARDS_MAX = 32, RECORD_BYTES = 4 * (PR_LOAD_EXTRA + PR_SITE_RECORD_WORDS), STRANGE_STATUS = 9 };

static struct board {
    char folder[PATH_SIZE];
    int master, slave;
    struct pr_frames_reader reader;
} boards[BOARDS_MAX];

static struct mesh_config mesh;

static void open_board(struct board *board, const char *folder, const char *name)
{
    snprintf(board->folder, sizeof board->folder, "%.800s/%.64s", folder, name);
    board->master = open_pty(O_NONBLOCK, &board->slave);
    link_pty(board->master, path_in(board->folder, "tty"));
    pr_frames_reader_init(&board->reader);
}

/* A word of a record in the flash: low half first, high byte of a half first. */
static uint32_t word_at(const uint8_t *bytes, unsigned index)
{
    const uint8_t *b = bytes + 4 * index;
    return (uint32_t)(b[0] << 8 | b[1]) | (uint32_t)(b[2] << 8 | b[3]) << 16;
}

/* False: no node runs on the board. Else its site, and the build id behind the first words of its image. */
static bool read_identity(const struct board *board, struct pr_site_identity *out)
{
    enum { FIRST_RECORD = RECORD_BYTES / 4 + PR_LOAD_DATA, BUILD_ID = FIRST_RECORD + 5, WORDS = BUILD_ID + 2 };
    uint8_t record[4 * WORDS];
    uint32_t first = 0; /* bytes of the bitstream */
    int file = open(path_in(board->folder, "flash"), O_RDONLY | O_CLOEXEC);
    bool read = file >= 0 && pread(file, &first, sizeof first, 0) == (ssize_t)sizeof first &&
                pread(file, record, sizeof record, PR_LOAD_FLASH) == (ssize_t)sizeof record;
    if (file >= 0)
        close(file);
    invert(record, sizeof record);
    if (!read || first == 0 || word_at(record, PR_LOAD_COUNT) >> PR_LOAD_COUNT_KIND_SHIFT != PR_LOAD_KIND_SITE)
        return false;
    uint32_t site = word_at(record, PR_LOAD_DATA + PR_SITE_RECORD_SITE) & 0xffff;
    if (site >= (uint32_t)mesh.sites)
        return false;
    mesh_identify_site(out, &mesh, site, 0);
    for (unsigned k = 0; k < PR_BUILD_ID_WORDS; k++)
        out->build_id[k] = word_at(record, BUILD_ID + k);
    return true;
}

/* The node of a board with this fault; false: nothing answers the request. */
static bool find_node(const struct board *board, const struct words *fault, unsigned request, struct node *out)
{
    bool first = request == PR_CONSOLE_IDENTIFY;
    if (!read_identity(board, &out->identity) || (!first && request != PR_CONSOLE_IDENTIFY_PART) ||
        is_word(fault, 0, "silent") || is_word(fault, 0, "golden") || is_word(fault, 0, "noise") ||
        (!first && is_word(fault, 0, "mute")))
        return false;
    out->alone = true;
    if (is_word(fault, 0, "site"))
        mesh_identify_site(&out->identity, &mesh, out->identity.site ^ 1, 0);
    out->identity.mesh_hash ^= is_word(fault, 0, "mesh");
    for (unsigned k = 0; k < PR_BUILD_ID_WORDS; k++)
        out->identity.build_id[k] ^= is_word(fault, 0, "firmware");
    if (is_word(fault, 0, "strange")) {
        out->refused = PR_CONSOLE_IDENTIFY;
        out->refusal = STRANGE_STATUS;
    } else if (is_word(fault, 0, "old")) {
        out->refused = PR_CONSOLE_IDENTIFY_PART;
        out->refusal = PR_CONSOLE_BAD_REQUEST;
    }
    return true;
}

static void answer(const struct board *board, const struct pr_frame *request)
{
    static const char golden[] = "golden image: the bitstream is damaged (postroad flash)\n";
    static struct node node;
    struct words fault = read_words(board->folder, "console");
    if (is_word(&fault, 0, "golden"))
        give(board->master, golden, sizeof golden - 1);
    memset(&node, 0, sizeof node);
    if (find_node(board, &fault, request->type, &node))
        node_answer(&node, board->master, request);
}

static bool has_other_rate(const struct board *board, const struct words *fault)
{
    return is_word(fault, 0, "rate") && pr_tty_rate(board->master) != atoi(fault->word[1]);
}

static void serve(struct board *board)
{
    uint8_t bytes[256];
    struct pr_frame frame;
    ssize_t count = read(board->master, bytes, sizeof bytes);
    struct words fault = read_words(board->folder, "console");
    if (has_other_rate(board, &fault))
        count = 0;
    ioctl(board->slave, TIOCNXCL); /* a client's TIOCEXCL would outlive it, as the line is held open here */
    for (ssize_t k = 0; k < count; k++)
        if (pr_frames_push(&board->reader, bytes[k], &frame) == PR_FRAMES_READY)
            answer(board, &frame);
    for (size_t k = 0; k < sizeof bytes; k++)
        bytes[k] = (uint8_t)rand();
    if (is_word(&fault, 0, "noise"))
        give(board->master, bytes, sizeof bytes);
}

int consoles_role(int argc, char **argv)
{
    char error[1024];
    struct pollfd polls[BOARDS_MAX + 1] = {{.fd = STDIN_FILENO, .events = POLLIN}};
    int count = argc - 3;
    if (argc < 4 || count > BOARDS_MAX || mesh_config_load(argv[1], &mesh, error, sizeof error) != 0)
        usage("consoles FILE.mesh FOLDER BUS-DEVICE...");
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
