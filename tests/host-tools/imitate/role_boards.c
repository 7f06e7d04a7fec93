/* Boards, imitated: a simulated mesh of native nodes whose consoles are ptys. The firmware's own operator and console
 * answer over them, and the mesh runs by itself, as boards do.
 *
 * usage: boards FILE.mesh DIRECTORY
 *
 * DIRECTORY/tty-N is a symbolic link to the pty of site N. Each line of standard input is a command, and `done` is
 * printed after it:
 *
 *   unplug N     the pty of tty-N goes, with the link: the other end reads EIO
 *   plug N [M]   a new pty under the same name, which leads to site M (N)
 *   mute N       the pty is there, but no node answers
 *   noise N      instead of the node's bytes random ones come, as fast as they are taken
 *   golden N     in the same way the line of a golden image
 *   rate N BAUD  its line has this rate: bytes at another one are lost, in both directions
 *   holds N K    with K = 1 its USB chip keeps less than 62 bytes back for 16 ms, as FTDI's do
 *   dead N       its boot program takes no load packet, and no frame
 *   alive N      it takes them again
 *   crash N      its firmware has crashed: only behind its watchdogs its boot program takes an order to enter
 *   damages N K  of K frames of load records on the serial line it gets one with a wrong byte
 *   loses N K    of K load packets it loses one, and of K answers
 *   delays N MS  its boot program's answers leave so many milliseconds later
 *   spoils N K   of K data records it writes one with a wrong bit
 *   old N        its boot program takes no relay records
 *   takes N [K]  after K more data records every packet is lost; without K none is
 *   lock N FILE  its board is locked with this public key, and accepts versions from 3 on
 *   state N      prints whether firmware runs or waits to be loaded, images started, load packets and data records that
 *                came
 *   compare N FILE   prints whether its RAM begins with the bytes of the file
 *
 * The end of standard input ends it. environment: SEED (1) of the noise
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "boot_program.h"
#include "engine/rtl_engine.h"
#include "imitate.h"
#include "libpostroad/client.h"
#include "libpostroad/tty_rate.h"
#include "loader/image_signature.h"
#include "mesh/mesh.h"
#include "simulation/simulation.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    SITES_MAX = 64,
    CHUNK = 512,
    RUN_CLOCKS = 4000,
    CREEP_CLOCKS = 2000,
    CREEP_MS = 20,
    BUSY_ROUNDS = 25,
    LOCK_OLDEST = 3,
    USB_PACKET = 62 /* bytes, of an FTDI chip */
};

enum mode { WELL, MUTE, NOISE, GOLDEN };

/* What is under a name. */
static struct line {
    int master;    /* -1: unplugged */
    unsigned site; /* at its end */
    enum mode mode;
    bool open;     /* by somebody */
    unsigned rate; /* baud; 0: any */
    bool holds;
    double waiting; /* since when there are bytes for the host */
    uint8_t to_site[CHUNK], to_host[CHUNK];
    size_t to_site_used, to_host_used;
} lines[SITES_MAX];

static struct mesh_config mesh;
static struct simulation *simulation;
static struct boot_program programs[SITES_MAX];
static const char *directory;

static const char *name_of(unsigned number)
{
    char name[WORD_SIZE];
    snprintf(name, sizeof name, "tty-%u", number);
    return path_in(directory, name);
}

static void unplug(unsigned number)
{
    unlink(name_of(number));
    if (lines[number].master >= 0)
        close(lines[number].master);
    lines[number].master = -1;
}

static void plug(unsigned number, unsigned site)
{
    unplug(number);
    lines[number] = (struct line){.master = open_pty(O_NONBLOCK, NULL), .site = site};
    link_pty(lines[number].master, name_of(number));
}

static void show_golden(struct line *line)
{
    static const char text[] = "golden image: the bitstream is damaged (postroad flash)\n";
    line->to_host_used = sizeof text - 1;
    memcpy(line->to_host, text, sizeof text - 1);
}

static void noise(struct line *line)
{
    for (line->to_host_used = 0; line->to_host_used < CHUNK; line->to_host_used++)
        line->to_host[line->to_host_used] = (uint8_t)rand();
}

/* The bytes that are taken by what runs at the site. A started image's first bytes come behind its boot program's last.
 */
static size_t write_site(const struct line *line, struct boot_program *program)
{
    if (!boot_program_has_line(program))
        return simulation_console_write(simulation, line->site, line->to_site, line->to_site_used);
    return boot_program_write(program, line->to_site, line->to_site_used);
}

static size_t read_site(struct line *line, struct boot_program *program)
{
    uint8_t *to = line->to_host + line->to_host_used;
    size_t room = CHUNK - line->to_host_used, count = boot_program_read(program, to, room);
    if (boot_program_has_line(program))
        return count;
    return count + simulation_console_read(simulation, line->site, to + count, room - count);
}

/* The chip's timer begins with the first byte, and anew with each packet that the host gets. */
static bool holds_back(const struct line *line)
{
    static const double latency = 0.016;
    return line->holds && line->to_host_used < USB_PACKET && pr_client_now() - line->waiting < latency;
}

/* What neither end takes now waits, and what a site has to say meanwhile waits in its console. */
static bool move_bytes(struct line *line)
{
    bool moved = false;
    ssize_t count = read(line->master, line->to_site + line->to_site_used, CHUNK - line->to_site_used);
    line->open = count >= 0 || errno == EAGAIN;
    if (count > 0)
        line->to_site_used += (size_t)count;
    bool heard = !line->rate || pr_tty_rate(line->master) == (int)line->rate;
    if (!heard)
        line->to_site_used = 0;
    struct boot_program *program = &programs[line->site];
    size_t taken = line->mode == WELL ? write_site(line, program) : line->to_site_used;
    memmove(line->to_site, line->to_site + taken, line->to_site_used -= taken);
    if (line->mode == NOISE && !line->to_host_used)
        noise(line);
    if (line->mode == GOLDEN && !line->to_host_used)
        show_golden(line);
    size_t waited = line->to_host_used;
    if (line->mode == WELL)
        line->to_host_used += read_site(line, program);
    if (!waited)
        line->waiting = pr_client_now();
    moved = taken > 0 || program->has_record;
    if (!heard)
        line->to_host_used = 0;
    if (line->to_host_used && !holds_back(line) &&
        (count = write(line->master, line->to_host, line->to_host_used)) > 0) {
        memmove(line->to_host, line->to_host + count, line->to_host_used -= (size_t)count);
        line->waiting = pr_client_now();
        moved = true;
    }
    return moved;
}

/* ---- commands ---- */

/* Those that set a number of a boot program: to the one that is given, or always to the same. */
static const struct setting {
    const char *verb;
    size_t field;
    int always; /* -1: to the one that is given */
} settings[] = {
    {"dead", offsetof(struct boot_program, dead), 1},      {"alive", offsetof(struct boot_program, dead), 0},
    {"crash", offsetof(struct boot_program, crashed), 1},  {"damages", offsetof(struct boot_program, damages), -1},
    {"loses", offsetof(struct boot_program, loses), -1},   {"delays", offsetof(struct boot_program, delay), -1},
    {"spoils", offsetof(struct boot_program, spoils), -1}, {"old", offsetof(struct boot_program, old), 1},
};

static void compare(const struct boot_program *program, const char *path)
{
    static uint8_t bytes[4 * BOOT_RAM_WORDS];
    FILE *file = fopen(path, "rb");
    if (!file)
        fail(path);
    size_t length = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    puts(length && memcmp(bytes, program->ram, length) == 0 ? "same" : "other");
}

static void lock(struct boot_program *program, const char *path)
{
    char error[PATH_SIZE];
    uint8_t key[SIGNATURE_KEY_BYTES];
    if (signature_public_key(path, key, error, sizeof error) != 0)
        fail(error);
    program->locked = true;
    memcpy(program->lock, key, sizeof key);
    program->lock[PR_LOCK_OLDEST - PR_LOCK_KEY] = LOCK_OLDEST;
}

static bool set_number(struct boot_program *program, const char *verb, unsigned value)
{
    for (size_t k = 0; k < sizeof settings / sizeof *settings; k++)
        if (strcmp(settings[k].verb, verb) == 0) {
            unsigned set = settings[k].always < 0 ? value : (unsigned)settings[k].always;
            memcpy((char *)program + settings[k].field, &set, sizeof set);
            return true;
        }
    return false;
}

/* False: it is no command. `rest`: what follows the number, or empty. */
static bool do_command(const char *verb, unsigned number, const char *rest)
{
    struct boot_program *program = &programs[number];
    unsigned value = (unsigned)strtoul(rest, NULL, 10);
    if (strcmp(verb, "unplug") == 0)
        unplug(number);
    else if (strcmp(verb, "plug") == 0 && value < (unsigned)mesh.sites)
        plug(number, *rest ? value : number);
    else if (strcmp(verb, "rate") == 0)
        lines[number].rate = value;
    else if (strcmp(verb, "holds") == 0)
        lines[number].holds = value;
    else if (strcmp(verb, "takes") == 0)
        program->takes = *rest ? value : ULONG_MAX;
    else if (strcmp(verb, "lock") == 0)
        lock(program, rest);
    else if (strcmp(verb, "state") == 0)
        printf("%s started %lu packets %lu data %lu\n", program->loads ? "loads" : "runs", program->started,
               program->came, program->data);
    else if (strcmp(verb, "compare") == 0)
        compare(program, rest);
    else if (strcmp(verb, "mute") == 0 || strcmp(verb, "noise") == 0 || strcmp(verb, "golden") == 0)
        lines[number].mode = *verb == 'm' ? MUTE : *verb == 'n' ? NOISE : GOLDEN;
    else
        return set_number(program, verb, value);
    return true;
}

static void obey(const char *command)
{
    char verb[WORD_SIZE], rest[PATH_SIZE] = "";
    unsigned number;
    if (sscanf(command, "%63s %u %1023s", verb, &number, rest) < 2 || number >= (unsigned)mesh.sites ||
        !do_command(verb, number, rest)) {
        fprintf(stderr, "boards: %s: no command\n", command);
        exit(1);
    }
    puts("done");
}

/* False at the end. */
static bool take_commands(void)
{
    static char text[CHUNK];
    static size_t used;
    ssize_t count = read(STDIN_FILENO, text + used, sizeof text - 1 - used);
    if (count == 0)
        return false;
    if (count > 0)
        used += (size_t)count;
    text[used] = 0;
    for (char *end; (end = strchr(text, '\n')); used = strlen(text)) {
        *end = 0;
        obey(text);
        memmove(text, end + 1, strlen(end + 1) + 1);
    }
    return true;
}

/* Board links are never quiet, and 4000 clocks of four sites take 4 ms. So the mesh runs as fast as it can as long
 * as bytes go to or fro, and a while behind the last ones; then its time creeps until something comes. */
static void run(unsigned quiet_rounds)
{
    bool creeps = quiet_rounds > BUSY_ROUNDS;
    struct pollfd polls[SITES_MAX + 1] = {{.fd = STDIN_FILENO, .events = POLLIN}};
    for (int i = 0; i < mesh.sites; i++)
        polls[i + 1] = (struct pollfd){.fd = lines[i].open ? lines[i].master : -1, .events = POLLIN};
    simulation_run(simulation, creeps ? CREEP_CLOCKS : RUN_CLOCKS);
    poll(polls, (nfds_t)mesh.sites + 1, creeps ? CREEP_MS : quiet_rounds > 0);
}

static void serve(void)
{
    for (unsigned quiet_rounds = 0; take_commands(); quiet_rounds++) {
        for (int i = 0; i < mesh.sites; i++)
            if (lines[i].master >= 0 && move_bytes(&lines[i]))
                quiet_rounds = 0;
        for (int i = 0; i < mesh.sites; i++)
            boot_program_poll(&programs[i]);
        run(quiet_rounds);
    }
}

int boards_role(int argc, char **argv)
{
    char error[1024];
    struct simulation_options options = {.mesh = &mesh, .kind = SITE_NATIVE, .seed = 1};
    if (argc != 3)
        usage("boards FILE.mesh DIRECTORY");
    simulation_register(&rtl_engine);
    srand(getenv("SEED") ? (unsigned)atoi(getenv("SEED")) : 1);
    setvbuf(stdout, NULL, _IOLBF, 0);
    directory = argv[2];
    if (mesh_config_load(argv[1], &mesh, error, sizeof error) != 0 || mesh.sites > SITES_MAX ||
        !(simulation = simulation_create(&options, error, sizeof error))) {
        fprintf(stderr, "boards: %s\n", error);
        return 1;
    }
    for (unsigned i = 0; i < (unsigned)mesh.sites; i++) {
        lines[i].master = -1;
        plug(i, i);
        boot_program_start(&programs[i], simulation_operator(simulation, i));
    }
    fcntl(STDIN_FILENO, F_SETFL, O_NONBLOCK);
    puts("ready");
    serve();
    for (unsigned i = 0; i < (unsigned)mesh.sites; i++)
        unplug(i);
    simulation_destroy(simulation);
    return 0;
}
