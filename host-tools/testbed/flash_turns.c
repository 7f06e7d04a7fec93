/* See flash_run_private.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "testbed/flash_run_private.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>

bool flash_works(const struct run_board *board)
{
    return board->phase != WAITS && board->phase != GREETS && board->phase != ENDED;
}

static bool on_usb(const struct run_board *board)
{
    return !*board->board->probe;
}

static bool has_room(const struct flash_run *run, const struct run_board *board)
{
    unsigned all = 0, here = 0;
    for (unsigned k = 0; k < run->count; k++) {
        const struct run_board *other = &run->boards[k];
        all += flash_works(other);
        here += flash_works(other) && on_usb(other) && strcmp(other->board->host, board->board->host) == 0 &&
                strcmp(other->board->device.hub, board->board->device.hub) == 0;
    }
    return all < run->options->jobs && (here < run->options->per_hub || !on_usb(board));
}

/* The lock of a USB port or a probe, which a programmer of an earlier run may still hold for a moment. */
static bool take_lock(struct run_board *board)
{
    char path[FLASH_PATH];
    if (on_usb(board))
        snprintf(path, sizeof path, "%s/usb-%s%s%s.lock", board->run->options->lock, board->board->host,
                 *board->board->host ? "-" : "", board->board->device.path);
    else
        snprintf(path, sizeof path, "%s/xvc-%s-%s.lock", board->run->options->lock, board->board->xvc.address,
                 board->board->xvc.port);
    board->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (board->lock < 0) {
        flash_fail(board, EXIT_TRANSPORT, "%s: %s", path, strerror(errno));
        return false;
    }
    return true;
}

static void await_lock(uv_timer_t *timer)
{
    struct run_board *board = timer->data;
    if (flock(board->lock, LOCK_EX | LOCK_NB) == 0) {
        uv_timer_stop(timer);
        flash_begin_attempt(board);
    } else if (flash_now(board) >= board->deadline) {
        uv_timer_stop(timer);
        board->result->attempts = UINT_MAX;
        flash_fail(board, EXIT_TRANSPORT, "another postroad flash, or a programmer that it started, is at work on it");
    }
}

static void start_board(struct run_board *board)
{
    board->since = flash_now(board);
    board->result->started = true;
    board->result->attempts = 1;
    board->phase = flash_is_ram(board->board) ? LOADS : READS_LABEL;
    board->deadline = flash_now(board) + FLASH_ABSENCE;
    if (flash_is_ram(board->board) && board->run->options->look) {
        board->result->attempts = UINT_MAX;
        flash_fail(board, EXIT_TRANSPORT, "its programmer writes RAM, which cannot be read");
    } else if (take_lock(board))
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
    for (int k = 0; all_ended && k < 2; k++)
        if (!uv_is_closing((uv_handle_t *)&run->signals[k]))
            uv_close((uv_handle_t *)&run->signals[k], NULL);
}
