/* See flash_run_private.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "testbed/flash_run_private.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RETRY_PAUSE = 500 /* milliseconds */ };

void flash_end_board(struct run_board *board, enum exit_code code)
{
    struct flash_result *result = board->result;
    board->phase = ENDED;
    result->code = code;
    result->ended = true;
    result->seconds = result->started ? flash_now(board) - board->since : 0;
    hello_end(&board->hello);
    flash_process_stop(&board->process); /* the way to a console at another host */
    if (!uv_is_closing((uv_handle_t *)&board->timer))
        uv_close((uv_handle_t *)&board->timer, NULL);
    if (board->lock >= 0)
        close(board->lock);
    board->lock = -1;
    flash_process_stop(&board->keeper);
    flash_tell(board, FLASH_ENDED, 100, "%s", code ? result->reason : result->skipped ? "was right" : "written");
    FILE *log = board->log;
    board->log = NULL;
    if (log && fclose(log) != 0)
        flash_tell(board, FLASH_NOTE, 100, "its log is not complete: %s", strerror(errno));
    if (code && !board->run->options->keep_going)
        board->run->stopped = true;
    board->run->moves.give_turns(board->run);
}

static void try_again(uv_timer_t *timer)
{
    struct run_board *board = timer->data;
    if (board->process.running) /* its end takes a moment */
        uv_timer_start(timer, try_again, FLASH_PLACE_TICK, 0);
    else
        board->run->moves.begin_attempt(board);
}

void flash_fail(struct run_board *board, enum exit_code code, const char *format, ...)
{
    struct flash_result *result = board->result;
    char text[FLASH_REASON - 60], step[40];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (board->run->interrupted)
        code = EXIT_INTERRUPTED;
    bool final = code == EXIT_INTERRUPTED || board->hopeless || result->attempts > board->run->options->retries;
    snprintf(result->reason, sizeof result->reason, "%s: %s%s", flash_step_text(board, step, sizeof step), text,
             final && result->holds == FLASH_HOLDS_ALL ? "; all is written" : "");
    if (final) {
        flash_end_board(board, code);
        return;
    }
    result->attempts++;
    flash_tell(board, FLASH_NOTE, 0, "%s; tried again", result->reason);
    hello_end(&board->hello);
    uv_timer_start(&board->timer, try_again, RETRY_PAUSE, 0);
}

/* Where a file that was read differs from what it should be: -1 nowhere, -2 it is too short. */
static long difference(const char *path, const uint8_t *bytes, size_t size)
{
    FILE *file = fopen(path, "re");
    long found = -1;
    uint8_t *read = malloc(size + 1);
    if (!read)
        abort();
    size_t count = file ? fread(read, 1, size, file) : 0;
    if (file)
        fclose(file);
    for (size_t k = 0; k < count && found < 0; k++)
        if (read[k] != bytes[k])
            found = (long)k;
    free(read);
    return found < 0 && count < size ? -2 : found;
}

bool flash_compare(struct run_board *board, const uint8_t *bytes, bool *differs)
{
    const struct board_region *region = flash_region(board);
    long at = difference(board->file, bytes, region->size);
    if (at == -2) {
        flash_fail(board, EXIT_TRANSPORT, "%s ended with success, but read less than %zu bytes",
                   flash_programmer(board)->name, region->size);
        return false;
    }
    *differs = at >= 0;
    board->differs_at = at < 0 ? -1 : (long)region->offset + at;
    return true;
}

void flash_differs(struct run_board *board)
{
    flash_fail(board, EXIT_MISMATCH, "the flash differs from what was written, at %#lx", board->differs_at);
}

size_t flash_read_bytes(const struct run_board *board, uint8_t out[FLASH_LABEL_BYTES])
{
    FILE *file = fopen(board->file, "re");
    size_t count = file ? fread(out, 1, FLASH_LABEL_BYTES, file) : 0;
    if (file)
        fclose(file);
    return count;
}
