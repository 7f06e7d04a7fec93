/* See flash_run_private.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "testbed/flash_run_private.h"

#include <stdarg.h>

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

const struct programmer *flash_programmer(const struct run_board *board)
{
    return programmer_find(board->board->conf->programmer);
}

const struct board_region *flash_label_region(const struct run_board *board)
{
    const struct board_image *image = board->board->image;
    return &image->regions[image->count - 1];
}

const struct board_region *flash_region(const struct run_board *board)
{
    const struct board_image *image = board->board->image;
    if (board->phase == CLEARS || board->phase == CHECKS_CLEAR)
        return &image->cleared[board->clearing];
    if (board->phase == READS_ALIAS)
        return &flash_alias;
    return board->phase == READS_LABEL || board->phase == READS_NUMBER ? flash_label_region(board)
                                                                       : &image->regions[board->region];
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
    const char *region = flash_region(board)->name;
    switch (board->phase) {
    case READS_LABEL:
        snprintf(out, size, "reads the label");
        break;
    case CLEARS:
        snprintf(out, size, "clears the %s", region);
        break;
    case CHECKS_CLEAR:
        snprintf(out, size, "reads the cleared %s", region);
        break;
    case READS_ALIAS:
        snprintf(out, size, "measures the flash");
        break;
    case READS_NUMBER:
        snprintf(out, size, "looks for its number");
        break;
    case WRITES:
        snprintf(out, size, "writes %s", region);
        break;
    case LOOKS:
    case CHECKS:
    case VERIFIES:
        snprintf(out, size, "reads %s", region);
        break;
    case LOADS:
        snprintf(out, size, "loads %s", region);
        break;
    default:
        snprintf(out, size, "waits for the node");
        break;
    }
    return out;
}
