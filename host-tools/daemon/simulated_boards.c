/* See simulated_boards.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "daemon/simulated_boards.h"

#include "cli/exit_code.h"
#include "libpostroad/endpoint.h"
#include "support/install_paths.h"
#include "support/or_abort.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATH_ROOM = PATH_MAX + 64 };

static const char ready[] = "ready\n";

/* In the child. The fifo is open for reading and writing, so that it never ends. */
static void run_boards(const char *program, const char *testbed, const char *directory, const char *commands, long seed,
                       const char *capture, int output)
{
    char number[32];
    sigset_t none;
    snprintf(number, sizeof number, "%ld", seed);
    unlink(commands);
    int input = mkfifo(commands, 0600) == 0 ? open(commands, O_RDWR) : -1;
    if (input < 0 || dup2(input, STDIN_FILENO) < 0 || dup2(output, STDOUT_FILENO) < 0 ||
        dup2(output, STDERR_FILENO) < 0) {
        dprintf(output, "%s: %s, expected a folder that can be written\n", commands, strerror(errno));
        _exit(126);
    }
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    execl(program, program, testbed, directory, number, capture, (char *)NULL); /* a capture of NULL ends the list */
    dprintf(output, "%s: %s, expected the program that `make` builds\n", program, strerror(errno));
    _exit(127);
}

/* Reads until the boards are ready or the program ends. What it has printed before is the reason. */
static bool await_ready(int output, char *error, size_t error_size)
{
    size_t used = 0;
    ssize_t count;
    *error = 0;
    while (used + 1 < error_size && (count = read(output, error + used, error_size - 1 - used)) > 0) {
        used += (size_t)count;
        error[used] = 0;
        if (strstr(error, ready))
            return true;
    }
    error[strcspn(error, "\n")] = 0;
    if (!used)
        snprintf(error, error_size, "simulate_boards ended without a reason");
    return false;
}

/* The ptys, which the program has made before it was ready. */
static void find_lines(struct simulated_boards *boards, const char *directory)
{
    char pattern[PATH_ROOM];
    glob_t found;
    snprintf(pattern, sizeof pattern, "%s/tty-*", directory);
    if (glob(pattern, 0, NULL, &found) != 0)
        return;
    boards->lines = or_abort(calloc(found.gl_pathc, sizeof *boards->lines));
    for (size_t i = 0; i < found.gl_pathc; i++) {
        struct pr_endpoint *line = &boards->lines[boards->count];
        char text[PATH_ROOM], error[256];
        snprintf(text, sizeof text, "tty:%s", found.gl_pathv[i]);
        boards->count += pr_endpoint_parse(text, line, error, sizeof error) == 0;
    }
    globfree(&found);
}

int simulated_boards_start(const char *testbed, const char *directory, long seed, const char *capture,
                           struct simulated_boards *out, char *error, size_t error_size)
{
    char built[PATH_MAX], program[PATH_ROOM];
    int ends[2];
    *out = (struct simulated_boards){.process = 0};
    snprintf(out->commands, sizeof out->commands, "%s/boards", directory);
    if (install_paths_built(built, sizeof built) != 0 || pipe2(ends, O_CLOEXEC) != 0) {
        snprintf(error, error_size, "simulate_boards: expected the project's tree and a free descriptor");
        return -1;
    }
    snprintf(program, sizeof program, "%s/simulate_boards", built);
    out->process = fork();
    if (out->process == 0)
        run_boards(program, testbed, directory, out->commands, seed, capture, ends[1]);
    close(ends[1]);
    bool good = out->process > 0 && await_ready(ends[0], error, error_size);
    close(ends[0]);
    if (good)
        find_lines(out, directory);
    else
        simulated_boards_end(out);
    return good ? 0 : -1;
}

void simulated_boards_end(struct simulated_boards *boards)
{
    if (boards->process > 0) {
        kill(boards->process, SIGTERM);
        int status = 0;
        waitpid(boards->process, &status, 0);
        if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_TRANSPORT)
            fputs("boards: the capture could not be written; is the disk full?\n", stderr);
        unlink(boards->commands);
    }
    free(boards->lines);
    *boards = (struct simulated_boards){.process = 0};
}
