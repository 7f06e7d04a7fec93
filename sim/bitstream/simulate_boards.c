/* simulate_boards: boards with bitstreams, whose consoles are ptys, as boards on USB are ttys. README.md has the
 * commands.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "bitstream/board_capture.h"
#include "bitstream/board_simulation.h"
#include "bitstream/line.h"
#include "board/testbed.h"
#include "support/or_abort.h"

enum {
    EXIT_USAGE = 1,
    EXIT_TRANSPORT = 2,
    ERROR_SIZE = 1024,
    PATH_SIZE = 4096,
    CHUNK = 512,
    LINE_SIZE = 2048,
    WORD_SIZE = 256
};

static const char usage[] =
    "usage: simulate_boards TESTBED FOLDER [SEED [CAPTURE]]\n"
    "  TESTBED  the file that names boards, bitstreams and cables\n"
    "  FOLDER   gets a link tty-BOARD to the console of each board; a file flash-BOARD there is the\n"
    "           flash of a board without the key `flash`\n"
    "  CAPTURE  FILE.sr or FILE.vcd[,rate=24m][,ppm=37][,jitter=100p]: what lines show from the\n"
    "           start on, as a logic analyser sees it\n"
    "It prints `ready` when the boards have had time to boot. Each line of its standard input is a\n"
    "command, and it prints `done` behind it; at the end of the input it ends.\n"
    "exit status: 0 ok, 1 usage or testbed, 2 a console or the capture cannot be made\n";

static const uint64_t slice = 50 * (uint64_t)FS_MICROSECOND;

struct console {
    int master, slave;        /* of the pty; -1: the board is unplugged */
    uint8_t unwritten[CHUNK]; /* what the pty has not taken yet */
    size_t unwritten_count;
};

struct bench {
    struct testbed testbed;
    struct board_simulation *simulation;
    struct board_capture *capture; /* NULL: none */
    uint64_t seed;
    const char *folder;
    struct console *consoles;
    char command[LINE_SIZE];
    size_t command_used;
    bool ended;
};

/* ---- ptys ---- */

static void console_path(const struct bench *bench, const char *board, char out[PATH_SIZE])
{
    snprintf(out, PATH_SIZE, "%s/tty-%s", bench->folder, board);
}

/* Without an echo from the start: a node would take it for requests. The slave stays open, so that the pty lives on
 * when a client closes it. */
static bool open_console(struct bench *bench, unsigned board)
{
    char path[PATH_SIZE];
    struct termios settings;
    int console = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
    if (console < 0 || grantpt(console) != 0 || unlockpt(console) != 0)
        return false;
    const char *slave = ptsname(console);
    int file = open(slave, O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (file < 0 || tcgetattr(file, &settings) != 0)
        return false;
    cfmakeraw(&settings);
    tcsetattr(file, TCSANOW, &settings);
    console_path(bench, bench->testbed.boards[board].name, path);
    unlink(path);
    if (symlink(slave, path) != 0)
        return false;
    bench->consoles[board] = (struct console){.master = console, .slave = file};
    return true;
}

/* The other end of the pty reads EIO, as that of a tty whose device is gone. */
static void close_console(struct bench *bench, unsigned board)
{
    char path[PATH_SIZE];
    struct console *console = &bench->consoles[board];
    console_path(bench, bench->testbed.boards[board].name, path);
    unlink(path);
    if (console->master >= 0) {
        close(console->slave);
        close(console->master);
    }
    *console = (struct console){.master = -1, .slave = -1};
}

/* ---- commands ---- */

/* The number of the cable at an end, -1: there is none. */
static int cable_at(const struct bench *bench, struct testbed_end end)
{
    for (unsigned i = 0; i < bench->testbed.cable_count; i++)
        for (int k = 0; k < 2; k++)
            if (bench->testbed.cables[i].ends[k].board == end.board &&
                bench->testbed.cables[i].ends[k].link == end.link)
                return (int)i;
    return -1;
}

static bool do_join(struct bench *bench, const char *one, const char *other)
{
    struct testbed_end a, b;
    if (!testbed_end(&bench->testbed, one, &a) || !testbed_end(&bench->testbed, other, &b))
        return false;
    board_simulation_join(bench->simulation, a, b);
    return true;
}

static bool do_cable(struct bench *bench, const char *verb, const char *at, const char *value)
{
    struct testbed_end end;
    int cable;
    if (!testbed_end(&bench->testbed, at, &end))
        return false;
    if (strcmp(verb, "loop") == 0) {
        board_simulation_loop(bench->simulation, end);
        return true;
    }
    if ((cable = cable_at(bench, end)) < 0)
        return false;
    if (strcmp(verb, "unplug") == 0)
        board_simulation_unplug(bench->simulation, (unsigned)cable);
    else if (strcmp(verb, "plug") == 0)
        board_simulation_plug(bench->simulation, (unsigned)cable);
    else if (strcmp(verb, "cross") == 0)
        board_simulation_cross(bench->simulation, (unsigned)cable);
    else if (strcmp(verb, "errors") == 0)
        board_simulation_errors(bench->simulation, (unsigned)cable, atof(value));
    else
        return false;
    return true;
}

/* The board's USB cable, which is its supply and its console. */
static bool do_usb(struct bench *bench, unsigned board, bool plugged)
{
    close_console(bench, board);
    board_simulation_power(bench->simulation, board, plugged);
    return !plugged || open_console(bench, board);
}

static bool do_board(struct bench *bench, const char *verb, const char *name)
{
    for (unsigned i = 0; i < bench->testbed.board_count; i++) {
        if (strcmp(bench->testbed.boards[i].name, name) != 0)
            continue;
        if (strcmp(verb, "reset") == 0 || strcmp(verb, "on") == 0)
            board_simulation_power(bench->simulation, i, true);
        else if (strcmp(verb, "off") == 0)
            board_simulation_power(bench->simulation, i, false);
        else if (strcmp(verb, "plug") == 0 || strcmp(verb, "unplug") == 0)
            return do_usb(bench, i, *verb == 'p');
        else if (strcmp(verb, "press") == 0 || strcmp(verb, "release") == 0)
            return board_simulation_press(bench->simulation, i, *verb == 'p');
        else
            return false;
        return true;
    }
    return false;
}

/* Prints the level of an output pin. */
static bool do_pin(const struct bench *bench, const char *board, const char *pin)
{
    for (unsigned i = 0; i < bench->testbed.board_count; i++)
        if (strcmp(bench->testbed.boards[i].name, board) == 0) {
            int level = board_simulation_pin(bench->simulation, i, pin);
            if (level >= 0)
                printf("%d\ndone\n", level);
            return level >= 0;
        }
    return false;
}

static bool begin_capture(struct bench *bench, const char *text, char *error)
{
    bench->capture = board_capture_begin(bench->simulation, &bench->testbed, text, bench->seed, error, ERROR_SIZE);
    return bench->capture != NULL;
}

static bool end_capture(struct bench *bench, char *error)
{
    int result = bench->capture ? board_capture_end(bench->capture, error, ERROR_SIZE) : 0;
    bench->capture = NULL;
    return result == 0;
}

/* `capture FILE` begins one, after the end of one that was under way; `capture` ends it. */
static void do_capture(struct bench *bench, const char *text)
{
    char error[ERROR_SIZE];
    text += strspn(text, " ");
    if (end_capture(bench, error) && (!*text || begin_capture(bench, text, error)))
        puts("done");
    else
        printf("error: capture: %s\n", error);
}

static void do_command(struct bench *bench, char *line)
{
    static const char capture[] = "capture";
    char verb[WORD_SIZE], at[WORD_SIZE], value[WORD_SIZE] = "0";
    int words = sscanf(line, "%255s %255s %255s", verb, at, value);
    if (words >= 1 && strcmp(verb, "time") == 0)
        printf("%.6f s\ndone\n", (double)board_simulation_now(bench->simulation) / FEMTOSECONDS);
    else if (words == 2 && strcmp(verb, "run") == 0 && atof(at) > 0) {
        board_simulation_run(bench->simulation,
                             board_simulation_now(bench->simulation) + (uint64_t)(atof(at) * 1e3) * FS_MICROSECOND);
        puts("done");
    } else if (words >= 1 && strcmp(verb, capture) == 0) {
        do_capture(bench, strstr(line, capture) + strlen(capture));
    } else if (words == 3 && strcmp(verb, "pin") == 0 && do_pin(bench, at, value))
        ;
    else if (words == 3 && strcmp(verb, "join") == 0 && do_join(bench, at, value))
        puts("done");
    else if (words >= 2 && (do_cable(bench, verb, at, value) || do_board(bench, verb, at)))
        puts("done");
    else
        printf("error: %s: expected unplug, plug, cross, loop or errors BOARD.LINK, join BOARD.LINK BOARD.LINK, "
               "reset, on, off, press or release BOARD, pin BOARD NAME, run MILLISECONDS, "
               "capture FILE, capture, or time\n",
               line);
    fflush(stdout);
}

/* Reads what is there, and does each whole line. */
static void read_commands(struct bench *bench)
{
    ssize_t count = read(STDIN_FILENO, bench->command + bench->command_used,
                         sizeof bench->command - 1 - bench->command_used);
    char *end;
    if (count == 0)
        bench->ended = true;
    if (count <= 0)
        return;
    bench->command_used += (size_t)count;
    bench->command[bench->command_used] = 0;
    while ((end = strchr(bench->command, '\n'))) {
        *end = 0;
        do_command(bench, bench->command);
        bench->command_used -= (size_t)(end + 1 - bench->command);
        memmove(bench->command, end + 1, bench->command_used + 1);
    }
    if (bench->command_used == sizeof bench->command - 1)
        bench->command_used = 0;
}

/* ---- consoles ---- */

static void serve_console(struct bench *bench, unsigned board)
{
    uint8_t bytes[CHUNK];
    struct console *console = &bench->consoles[board];
    size_t *left = &console->unwritten_count;
    ssize_t count;
    if (console->master < 0)
        return;
    while ((count = read(console->master, bytes, sizeof bytes)) > 0)
        board_simulation_write(bench->simulation, board, bytes, (size_t)count);
    *left += board_simulation_read(bench->simulation, board, console->unwritten + *left, CHUNK - *left);
    count = *left ? write(console->master, console->unwritten, *left) : 0;
    if (count > 0) {
        *left -= (size_t)count;
        memmove(console->unwritten, console->unwritten + count, *left);
    }
}

/* ---- the program ---- */

static volatile sig_atomic_t ended_by_signal;

static void end_by_signal(int number)
{
    (void)number;
    ended_by_signal = 1;
}

static int open_all(struct bench *bench)
{
    for (unsigned i = 0; i < bench->testbed.board_count; i++)
        bench->consoles[i] = (struct console){.master = -1, .slave = -1};
    for (unsigned i = 0; i < bench->testbed.board_count; i++)
        if (!open_console(bench, i)) {
            fprintf(stderr, "simulate_boards: console of %s in %s: %s\n", bench->testbed.boards[i].name, bench->folder,
                    strerror(errno));
            return EXIT_TRANSPORT;
        }
    return 0;
}

static void find_contents(struct bench *bench)
{
    char path[TESTBED_PATH];
    for (unsigned i = 0; i < bench->testbed.board_count; i++) {
        struct testbed_board *board = &bench->testbed.boards[i];
        if (!*board->flash && snprintf(path, sizeof path, "%s/flash-%s", bench->folder, board->name) < TESTBED_PATH &&
            access(path, R_OK) == 0)
            strcpy(board->flash, path);
    }
}

static void close_all(struct bench *bench)
{
    for (unsigned i = 0; i < bench->testbed.board_count; i++)
        close_console(bench, i);
}

static void serve(struct bench *bench)
{
    uint64_t boot = (uint64_t)(bench->testbed.boot_ms * 1e3) * FS_MICROSECOND;
    bool booted = false;
    while (!bench->ended && !ended_by_signal) {
        struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
        board_simulation_run(bench->simulation, board_simulation_now(bench->simulation) + slice);
        if (!booted && board_simulation_now(bench->simulation) >= boot) {
            booted = true;
            puts("ready");
            fflush(stdout);
        }
        for (unsigned i = 0; i < bench->testbed.board_count; i++)
            serve_console(bench, i);
        if (poll(&input, 1, 0) > 0)
            read_commands(bench);
    }
}

int main(int argc, char **argv)
{
    char error[ERROR_SIZE];
    struct bench bench = {.folder = argc > 2 ? argv[2] : NULL};
    if (argc < 3 || argc > 5) {
        fputs(usage, stderr);
        return EXIT_USAGE;
    }
    if (testbed_load(argv[1], &bench.testbed, error, sizeof error) != 0) {
        fprintf(stderr, "simulate_boards: %s\n", error);
        return EXIT_USAGE;
    }
    signal(SIGTERM, end_by_signal);
    signal(SIGPIPE, SIG_IGN); /* who has started it may be content with `ready` */
    unsigned boards = bench.testbed.board_count;
    find_contents(&bench);
    bench.seed = argc > 3 ? strtoull(argv[3], NULL, 10) : 1;
    bench.simulation = board_simulation_create(&bench.testbed, bench.seed, error, sizeof error);
    if (!bench.simulation) {
        fprintf(stderr, "simulate_boards: %s\n", error);
        return EXIT_USAGE;
    }
    bench.consoles = or_abort(calloc(boards, sizeof *bench.consoles));
    int status = open_all(&bench);
    if (status == 0 && argc > 4 && !begin_capture(&bench, argv[4], error)) {
        fprintf(stderr, "simulate_boards: capture: %s\n", error);
        status = EXIT_USAGE;
    }
    for (unsigned i = 0; i < boards; i++)
        board_simulation_power(bench.simulation, i, true);
    if (status == 0)
        serve(&bench);
    if (!end_capture(&bench, error)) {
        fprintf(stderr, "simulate_boards: capture: %s\n", error);
        status = EXIT_TRANSPORT;
    }
    close_all(&bench);
    board_simulation_destroy(bench.simulation);
    testbed_free(&bench.testbed);
    free(bench.consoles);
    return status;
}
