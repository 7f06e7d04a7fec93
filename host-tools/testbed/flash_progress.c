/* See flash_progress.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "testbed/flash_progress.h"

#include <stdarg.h>

#include "testbed/flash_command.h"

enum { GAP_MOST = 1000 /* milliseconds: four beats */ };

uint64_t flash_passed(const struct flash_run *run)
{
    uint64_t since = uv_now(&run->loop) - run->beat_at;
    return run->passed + (since < GAP_MOST ? since : GAP_MOST);
}

double flash_now(const struct run_board *board)
{
    return (double)flash_passed(board->run) / 1000;
}

void flash_tell(struct run_board *board, enum flash_event_kind kind, int percent, const char *format, ...)
{
    char text[FLASH_REASON + 100];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (board->log && kind != FLASH_PROGRESS)
        fprintf(board->log, "# %s\n", text);
    struct flash_event event = {kind, board->index, percent, text};
    board->run->options->event(board->run->options->context, &event);
}

enum flash_look flash_fault(struct run_board *board, enum exit_code code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(board->fault.text, sizeof board->fault.text, format, arguments);
    va_end(arguments);
    board->fault.code = code;
    return LOOK_FAILED;
}

/* Each region is written and read. */
int flash_percent(const struct run_board *board, int percent)
{
    const struct board_image *image = board->board->image;
    double all = 0, done = 0;
    for (unsigned k = 0; k < image->count; k++) {
        double bytes = 2 * (double)image->regions[k].size;
        all += bytes;
        if (board->phase == GREETS || k < board->region)
            done += bytes;
        else if (k == board->region && board->phase == CHECKS)
            done += bytes / 2;
    }
    if (board->phase == WRITES || board->phase == CHECKS || board->phase == LOADS)
        done += (double)image->regions[board->region].size * (percent > 0 ? percent : 0) / 100;
    if (board->phase == VERIFIES)
        done += (double)image->regions[board->region].size * (percent > 0 ? percent : 0) / 50;
    return (int)(100 * done / all);
}

const char *flash_step_text(const struct run_board *board, char *out, size_t size)
{
    const struct flash_state *state = board->state;
    snprintf(out, size, "%s%s", state->does, state->names_part ? flash_region(board)->name : "");
    return out;
}
