/* See flash_run_private.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "testbed/flash_run_private.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "testbed/remote.h"

bool flash_works(const struct run_board *board)
{
    return board->phase != WAITS && board->phase != GREETS && board->phase != ENDED;
}

static bool has_room(const struct flash_run *run, const struct run_board *board)
{
    unsigned all = 0, here = 0;
    for (unsigned k = 0; k < run->count; k++) {
        const struct run_board *other = &run->boards[k];
        all += flash_works(other);
        here += flash_works(other) && flash_is_on_usb(other) && strcmp(other->board->host, board->board->host) == 0 &&
                strcmp(other->board->device.hub, board->board->device.hub) == 0;
    }
    return all < run->options->jobs && (here < run->options->per_hub || !flash_is_on_usb(board));
}

/* --- The lock of a board on USB, which a programmer of an earlier run may still hold for a moment. --- */

static void await_lock(uv_timer_t *timer)
{
    struct run_board *board = timer->data;
    bool locked = flash_take_lock(board);
    if (!locked && flash_now(board) < board->deadline)
        return;
    uv_timer_stop(timer);
    if (locked)
        flash_begin_attempt(board);
    else
        flash_fail_for_lock(board);
}

/* At another host flock(1) has it, until its input ends. */
static void keeper_says(void *context, const char *line)
{
    struct run_board *board = context;
    bool locked = !board->kept && board->phase != ENDED && strcmp(line, REMOTE_LOCKED) == 0;
    board->kept |= locked;
    if (locked)
        flash_begin_attempt(board);
    else if (board->log)
        fprintf(board->log, "# lock: %s\n", line);
}

static void keeper_ended(void *context)
{
    struct run_board *board = context;
    const char *host = board->board->host;
    if (board->phase == ENDED)
        return;
    if (board->kept) {
        flash_tell(board, FLASH_NOTE, 0, "the connection to %s that keeps its lock is cut", host);
        return;
    }
    board->hopeless = true;
    if (board->keeper.status == 255)
        flash_fail(board, EXIT_TRANSPORT, "ssh does not reach %s, or was cut", host);
    else if (board->keeper.status == REMOTE_BUSY)
        flash_fail_for_lock(board);
    else
        flash_fail(board, EXIT_TRANSPORT, "its lock is not to be had at %s: flock(1) and %s are needed there", host,
                   board->device.node);
}

static void ignore_bytes(void *context, const char *bytes, size_t count)
{
    (void)context, (void)bytes, (void)count;
}

static void start_keeper(struct run_board *board)
{
    struct programmer_command command;
    int ends[2];
    remote_keep_lock(board->board->host, board->device.node, &command);
    if (pipe2(ends, O_CLOEXEC) != 0) {
        flash_fail(board, EXIT_TRANSPORT, "cannot start ssh: %s", strerror(errno));
        return;
    }
    struct flash_process_start start = {command.argv, ends[0], -1, -1, INFINITY};
    board->lock = ends[1];
    board->keeper.output = ignore_bytes;
    board->keeper.line = keeper_says;
    board->keeper.ended = keeper_ended;
    flash_process_start(&board->keeper, &board->run->loop, &start);
    close(ends[0]);
}

static void start_board(struct run_board *board)
{
    board->since = flash_now(board);
    board->result->started = true;
    board->result->attempts = 1;
    board->phase = flash_is_ram(board->board) ? LOADS : READS_LABEL;
    board->deadline = flash_now(board) + FLASH_ABSENCE;
    if (flash_is_ram(board->board) && board->run->options->look) {
        board->hopeless = true;
        flash_fail(board, EXIT_TRANSPORT, "its programmer writes RAM, which cannot be read");
    } else if (*board->board->host && flash_is_on_usb(board))
        start_keeper(board);
    else
        uv_timer_start(&board->timer, await_lock, 0, FLASH_PLACE_TICK);
}

void flash_give_turns(struct flash_run *run)
{
    bool all_ended = true;
    for (unsigned k = 0; k < run->count; k++) {
        struct run_board *board = &run->boards[k];
        if (board->phase == WAITS && (run->interrupted || run->stopped)) {
            snprintf(board->result->reason, sizeof board->result->reason, "not started: %s",
                     run->interrupted ? "interrupted" : "another board has failed");
            flash_end_board(board, run->interrupted ? EXIT_INTERRUPTED : EXIT_PARTIAL);
        } else if (board->phase == WAITS && has_room(run, board))
            start_board(board);
        all_ended &= board->phase == ENDED;
    }
    if (!all_ended || uv_is_closing((uv_handle_t *)&run->beat))
        return;
    uv_close((uv_handle_t *)&run->beat, NULL);
    for (int k = 0; k < FLASH_PROCESS_SIGNALS; k++)
        uv_close((uv_handle_t *)&run->signals[k], NULL);
}
