/* See flash_run_private.h, and the picture in flash_run.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "testbed/flash_run_private.h"

#include <string.h>

static void begin_phase(struct run_board *board, enum flash_phase phase)
{
    char text[40];
    board->phase = phase;
    if (board->run->interrupted) {
        flash_fail(board, EXIT_INTERRUPTED, "interrupted");
        return;
    }
    flash_tell(board, FLASH_STEP, flash_percent(board, 0), "%s", flash_step_text(board, text, sizeof text));
    if (phase == GREETS) {
        flash_begin_greeting(board);
        return;
    }
    if (phase == CLEARS || phase == LOADS) {
        board->cleared = true;
        board->result->holds = FLASH_HALF_WRITTEN;
    }
    flash_begin_step(board);
}

static void begin_clearing(struct run_board *board)
{
    board->region = board->clearing = board->disputes = 0;
    begin_phase(board, CLEARS);
}

void flash_begin_attempt(struct run_board *board)
{
    board->region = 0;
    if (flash_is_ram(board->board))
        begin_phase(board, LOADS);
    else if (board->cleared || board->run->options->force)
        begin_clearing(board);
    else
        begin_phase(board, READS_LABEL);
}

/* Whatever becomes of the greeting, what had to be written is there. */
static void greet(struct run_board *board)
{
    board->result->holds = FLASH_HOLDS_ALL;
    begin_phase(board, GREETS);
    board->run->moves.give_turns(board->run); /* its programmer is free for another board */
}

/* The label that the board has, whatever it should have. */
static void look_at_label(struct run_board *board)
{
    uint8_t bytes[FLASH_LABEL_BYTES];
    size_t count = flash_read_bytes(board, bytes);
    board->result->has_label = flash_label_decode(bytes, count, &board->result->label);
    board->result->skipped = true;
    flash_end_board(board, EXIT_OK);
}

static void label_read(struct run_board *board)
{
    bool differs;
    if (board->run->options->look) {
        look_at_label(board);
        return;
    }
    if (!flash_compare(board, flash_label_region(board)->bytes, &differs))
        return;
    board->result->skipped = !differs;
    board->region = 0;
    if (differs) {
        flash_tell(board, FLASH_NOTE, 0, "its label is missing, or is that of something else");
        begin_clearing(board);
    } else if (board->run->options->verify)
        begin_phase(board, VERIFIES);
    else
        greet(board);
}

static void verified(struct run_board *board)
{
    const struct board_region *region = flash_region(board);
    bool differs;
    if (!flash_compare(board, region->bytes, &differs))
        return;
    if (differs) {
        flash_tell(board, FLASH_NOTE, 0, "%s differs from its label; written again", region->name);
        board->result->skipped = false;
        begin_clearing(board);
    } else if (++board->region < board->board->image->count)
        begin_phase(board, VERIFIES);
    else
        greet(board);
}

/* --- The number of this run, in the label's place. --- */

enum { DISPUTES_MOST = 3 };

/* What was written may have come after another run has compared it: neither run may leave its label. */
static void dispute(struct run_board *board)
{
    flash_tell(board, FLASH_NOTE, 0, "another run has written it since: its label is cleared again");
    board->disputes++;
    board->clearing = 0;
    begin_phase(board, CLEARS);
}

static void fail_for_other(struct run_board *board)
{
    board->hopeless = true;
    flash_fail(board, EXIT_MISMATCH, "another run of postroad flash has written this board since");
}

/* Has another run been here since this one wrote its number, or its label? */
static bool is_of_other(const struct run_board *board)
{
    uint8_t bytes[FLASH_LABEL_BYTES];
    size_t count = flash_read_bytes(board, bytes);
    return flash_label_is_of_a_run(bytes, count) && memcmp(bytes, board->number, count) != 0;
}

static void begin_write(struct run_board *board)
{
    begin_phase(board, flash_needs_number(board->board, board->region) ? READS_NUMBER : WRITES);
}

static void begin_region(struct run_board *board)
{
    board->differs_at = -1;
    if (board->board->image->regions[board->region].stays)
        begin_phase(board, LOOKS);
    else
        begin_write(board);
}

/* The number is sought before a region is written, and where a region differs from what was written. */
static void number_read(struct run_board *board)
{
    long differs_at = board->differs_at;
    bool lost;
    if (!flash_compare(board, board->number, &lost))
        return;
    if (lost && (differs_at < 0 || is_of_other(board)))
        dispute(board);
    else if (differs_at < 0)
        begin_phase(board, WRITES);
    else {
        board->phase = CHECKS;
        board->differs_at = differs_at;
        flash_differs(board);
    }
}

static void number_written(struct run_board *board)
{
    bool differs;
    if (!flash_compare(board, board->number, &differs))
        return;
    bool other = differs && is_of_other(board);
    if (other && board->disputes > 0 && board->disputes < DISPUTES_MOST)
        dispute(board);
    else if (board->disputes > 0 && (other || !differs))
        fail_for_other(board);
    else if (other) {
        board->hopeless = true;
        flash_fail(board, EXIT_MISMATCH,
                   "the flash differs from what was written, at %#lx: another run is at work on it, or it is protected",
                   board->differs_at);
    } else if (differs)
        flash_differs(board);
    else
        begin_phase(board, READS_ALIAS);
}

static void next_clearing(struct run_board *board)
{
    if (++board->clearing < board->board->image->cleared_count)
        begin_phase(board, CLEARS);
    else
        begin_region(board);
}

/* Addresses wrap in a flash that is smaller than they are. */
static void alias_read(struct run_board *board)
{
    bool differs;
    if (!flash_compare(board, board->number, &differs))
        return;
    if (differs)
        next_clearing(board);
    else
        flash_fail(board, EXIT_TRANSPORT,
                   "its flash is too small, expected 4 MB or more: what is written to %#x is at %#x, too",
                   FLASH_LABEL_AT, FLASH_LABEL_ALIAS);
}

static void cleared(struct run_board *board)
{
    bool differs;
    if (board->clearing == 0)
        number_written(board);
    else if (flash_compare(board, board->number, &differs)) {
        if (differs)
            flash_differs(board);
        else
            next_clearing(board);
    }
}

/* --- The regions. --- */

static void next_region(struct run_board *board)
{
    if (++board->region < board->board->image->count) {
        begin_region(board);
        return;
    }
    greet(board);
}

/* A region that stays where it is there already. */
static void looked(struct run_board *board)
{
    bool differs;
    if (!flash_compare(board, flash_region(board)->bytes, &differs))
        return;
    board->differs_at = -1; /* that is no fault */
    if (differs)
        begin_write(board);
    else
        next_region(board);
}

static void checked(struct run_board *board)
{
    bool differs, is_label = flash_region(board) == flash_label_region(board);
    if (!flash_compare(board, flash_region(board)->bytes, &differs))
        return;
    if (!differs)
        next_region(board);
    else if (!is_label)
        begin_phase(board, READS_NUMBER);
    else if (is_of_other(board))
        fail_for_other(board); /* it has begun behind this run, and goes on by itself */
    else
        flash_differs(board);
}

void flash_step_done(struct run_board *board)
{
    switch (board->phase) {
    case READS_LABEL:
        label_read(board);
        break;
    case VERIFIES:
        verified(board);
        break;
    case CLEARS:
        begin_phase(board, CHECKS_CLEAR);
        break;
    case CHECKS_CLEAR:
        cleared(board);
        break;
    case READS_ALIAS:
        alias_read(board);
        break;
    case LOOKS:
        looked(board);
        break;
    case READS_NUMBER:
        number_read(board);
        break;
    case WRITES:
        begin_phase(board, CHECKS);
        break;
    case CHECKS:
        checked(board);
        break;
    default:
        greet(board);
        break;
    }
}
