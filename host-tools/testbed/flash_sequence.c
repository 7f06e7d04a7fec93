/* See flash_run_private.h, and the picture in flash_run.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "testbed/flash_run_private.h"

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
    if (phase == CLEARS || phase == LOADS)
        board->cleared = board->result->half_written = true;
    flash_begin_step(board);
}

static void begin_clearing(struct run_board *board)
{
    board->region = board->clearing = 0;
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

static void greet(struct run_board *board)
{
    begin_phase(board, GREETS);
    board->run->moves.give_turns(board->run); /* its programmer is free for another board */
}

/* The label that the board has, whatever it should have. */
static void look_at_label(struct run_board *board)
{
    uint8_t bytes[FLASH_LABEL_BYTES];
    FILE *file = fopen(board->file, "re");
    size_t count = file ? fread(bytes, 1, sizeof bytes, file) : 0;
    if (file)
        fclose(file);
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

static void begin_region(struct run_board *board)
{
    begin_phase(board, flash_first_phase(&board->board->image->regions[board->region]));
}

static void cleared(struct run_board *board)
{
    if (!flash_compare(board, board_image_zeros, NULL))
        return;
    if (++board->clearing < board->board->image->cleared_count)
        begin_phase(board, CLEARS);
    else
        begin_region(board);
}

static void next_region(struct run_board *board)
{
    if (++board->region < board->board->image->count) {
        begin_region(board);
        return;
    }
    board->result->half_written = false;
    greet(board);
}

/* A region that stays where it is there already. */
static void looked(struct run_board *board)
{
    bool differs;
    if (!flash_compare(board, flash_region(board)->bytes, &differs))
        return;
    if (differs)
        begin_phase(board, WRITES);
    else
        next_region(board);
}

static void checked(struct run_board *board)
{
    if (flash_compare(board, flash_region(board)->bytes, NULL))
        next_region(board);
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
    case LOOKS:
        looked(board);
        break;
    case WRITES:
        begin_phase(board, CHECKS);
        break;
    case CHECKS:
        checked(board);
        break;
    default:
        board->result->half_written = false;
        greet(board);
        break;
    }
}
