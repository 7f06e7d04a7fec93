/* A process of `postroad flash`, in libuv's event loop: its output line by line, a limit for silence, and its end.
 *
 *            spawn                 it ends, its pipes end
 *   idle ------------> running ----------------------------> idle, ended() is called
 *                         | no sign of life for `silence`, or flash_process_stop
 *                         v
 *                      stopping: SIGTERM to its process group, SIGKILL two seconds later
 *
 * The process has a session of its own, so that Ctrl-C at the terminal reaches it only through flash_process_stop. It
 * inherits `lock` as its descriptor 3: a lock (flock) on it is held until the last process of the group has ended, even
 * when this program has been killed.
 *
 * While this program is stopped, silence does not count, and what came meanwhile is read first.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TESTBED_FLASH_PROCESS_H
#define POSTROAD_TESTBED_FLASH_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

enum { FLASH_PROCESS_LINE = 512, FLASH_PROCESS_SIGNALS = 3 };

struct flash_process_line {
    char text[FLASH_PROCESS_LINE];
    size_t used;
};

struct flash_process {
    void *context;
    void (*output)(void *context, const char *bytes, size_t count); /* as it comes, of both streams */
    void (*line)(void *context, const char *line);                  /* ends at a newline or a carriage return */
    void (*ended)(void *context);

    int64_t status;   /* exit code */
    int signal;       /* that ended it, or 0 */
    bool silent;      /* it was ended for its silence */
    bool interrupted; /* it was ended by flash_process_stop */

    uv_loop_t *loop;
    uv_process_t process;
    uv_pipe_t pipes[2];
    uv_timer_t timer;
    struct flash_process_line lines[2];
    uint64_t tick;  /* milliseconds, a tenth of the limit for silence; 0: there is none */
    unsigned quiet; /* ticks without a sign of life */
    unsigned open;  /* handles */
    bool running, exited, stopping;
};

/* What a process gets: `input` and `output` are descriptors or -1 (nothing; a pipe to this program). */
struct flash_process_start {
    char **argv;
    int input, output, lock;
    double silence; /* seconds; INFINITY: no limit */
};

/* 0, or a negative error of libuv. ended() is called in either case, later. */
int flash_process_start(struct flash_process *process, uv_loop_t *loop, const struct flash_process_start *start);

/* A sign of life: the limit for silence begins anew. */
void flash_process_alive(struct flash_process *process);

/* Ends the process, if it runs. */
void flash_process_stop(struct flash_process *process);

/* From here on SIGINT, SIGTERM and SIGHUP call `interrupt`, with `context` as the data of the handle. The caller closes
 * the FLASH_PROCESS_SIGNALS handles. */
void flash_process_signals(uv_loop_t *loop, uv_signal_t *signals, uv_signal_cb interrupt, void *context);

#endif
