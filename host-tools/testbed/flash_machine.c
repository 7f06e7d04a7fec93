/* See flash_machine.h, and the picture in flash_run.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "testbed/flash_machine.h"

#include <stdlib.h>
#include <string.h>

#include "support/or_abort.h"
#include "testbed/flash_command.h"
#include "testbed/flash_progress.h"
#include "testbed/remote.h"

enum { DISPUTES_MOST = 3 };

/* --- What was read. --- */

/* Where a file that was read differs from what it should be: -1 nowhere, -2 it is too short. */
static long difference(const char *path, const uint8_t *bytes, size_t size)
{
    FILE *file = fopen(path, "re");
    long found = -1;
    uint8_t *read = or_abort(malloc(size + 1));
    size_t count = file ? fread(read, 1, size, file) : 0;
    if (file)
        fclose(file);
    for (size_t k = 0; k < count && found < 0; k++)
        if (read[k] != bytes[k])
            found = (long)k;
    free(read);
    return found < 0 && count < size ? -2 : found;
}

/* Compares the file that was read with what the present part of the flash should be. False: the attempt has failed. */
static bool compare(struct run_board *board, const uint8_t *bytes, bool *differs)
{
    const struct board_region *region = flash_region(board);
    long at = difference(board->file, bytes, region->size);
    if (at == -2) {
        flash_fault(board, EXIT_TRANSPORT, "%s ended with success, but read less than %zu bytes",
                    flash_programmer(board)->name, region->size);
        return false;
    }
    *differs = at >= 0;
    board->differs_at = at < 0 ? -1 : (long)region->offset + at;
    return true;
}

/* The first bytes of the file that was read; returns how many. */
static size_t read_bytes(const struct run_board *board, uint8_t out[FLASH_LABEL_BYTES])
{
    FILE *file = fopen(board->file, "re");
    size_t count = file ? fread(out, 1, FLASH_LABEL_BYTES, file) : 0;
    if (file)
        fclose(file);
    return count;
}

/* Has another run been here since this one wrote its number, or its label? */
static bool is_of_other(const struct run_board *board)
{
    uint8_t bytes[FLASH_LABEL_BYTES];
    size_t count = read_bytes(board, bytes);
    return flash_label_is_of_a_run(bytes, count) && memcmp(bytes, board->number, count) != 0;
}

/* A region has other bytes than were written. */
static enum flash_phase fail_for_difference(struct run_board *board)
{
    flash_fault(board, EXIT_MISMATCH, "the flash differs from what was written, at %#lx", board->differs_at);
    return FAILS;
}

static enum flash_phase fail_for_other(struct run_board *board)
{
    board->hopeless = true;
    flash_fault(board, EXIT_MISMATCH, "another run of postroad flash has written this board since");
    return FAILS;
}

/* --- What follows a state. --- */

/* Is the number of the run looked for before this region of the image is written? The label is last. */
static bool needs_number(const struct flash_board *board, unsigned region)
{
    return board->image->has_label && (region + 1 == board->image->count || *board->probe);
}

static enum flash_phase start_clearing(struct run_board *board)
{
    board->region = board->clearing = board->disputes = 0;
    return CLEARS;
}

static enum flash_phase to_write(struct run_board *board)
{
    return needs_number(board->board, board->region) ? READS_NUMBER : WRITES;
}

static enum flash_phase to_region(struct run_board *board)
{
    board->differs_at = -1;
    return board->board->image->regions[board->region].stays ? LOOKS : to_write(board);
}

static enum flash_phase to_next_region(struct run_board *board)
{
    return ++board->region < board->board->image->count ? to_region(board) : GREETS;
}

static enum flash_phase to_next_clearing(struct run_board *board)
{
    return ++board->clearing < board->board->image->cleared_count ? CLEARS : to_region(board);
}

/* The label that the board has, whatever it should have. */
static enum flash_phase look_at_label(struct run_board *board)
{
    uint8_t bytes[FLASH_LABEL_BYTES];
    size_t count = read_bytes(board, bytes);
    board->result->has_label = flash_label_decode(bytes, count, &board->result->label);
    board->result->skipped = true;
    return ENDED;
}

static enum flash_phase label_read(struct run_board *board)
{
    bool differs;
    if (board->run->options->look)
        return look_at_label(board);
    if (!compare(board, flash_region(board)->bytes, &differs))
        return FAILS;
    board->result->skipped = !differs;
    board->region = 0;
    if (!differs)
        return board->run->options->verify ? VERIFIES : GREETS;
    flash_tell(board, FLASH_NOTE, 0, "its label is missing, or is that of something else");
    return start_clearing(board);
}

static enum flash_phase verified(struct run_board *board)
{
    const struct board_region *region = flash_region(board);
    bool differs;
    if (!compare(board, region->bytes, &differs))
        return FAILS;
    if (!differs)
        return ++board->region < board->board->image->count ? VERIFIES : GREETS;
    flash_tell(board, FLASH_NOTE, 0, "%s differs from its label; written again", region->name);
    board->result->skipped = false;
    return start_clearing(board);
}

/* What was written may have come after another run has compared it: neither run may leave its label. */
static enum flash_phase dispute(struct run_board *board)
{
    flash_tell(board, FLASH_NOTE, 0, "another run has written it since: its label is cleared again");
    board->disputes++;
    board->clearing = 0;
    return CLEARS;
}

static enum flash_phase number_written(struct run_board *board, bool differs)
{
    bool other = differs && is_of_other(board);
    if (other && board->disputes > 0 && board->disputes < DISPUTES_MOST)
        return dispute(board);
    if (board->disputes > 0 && (other || !differs))
        return fail_for_other(board);
    if (!other)
        return differs ? fail_for_difference(board) : READS_ALIAS;
    board->hopeless = true;
    flash_fault(board, EXIT_MISMATCH,
                "the flash differs from what was written, at %#lx: another run is at work on it, or it is protected",
                board->differs_at);
    return FAILS;
}

static enum flash_phase clear_checked(struct run_board *board)
{
    bool differs;
    if (!compare(board, board->number, &differs))
        return FAILS;
    if (board->clearing == 0)
        return number_written(board, differs);
    return differs ? fail_for_difference(board) : to_next_clearing(board);
}

/* Addresses wrap in a flash that is smaller than they are. */
static enum flash_phase alias_read(struct run_board *board)
{
    bool differs;
    if (!compare(board, board->number, &differs))
        return FAILS;
    if (differs)
        return to_next_clearing(board);
    flash_fault(board, EXIT_TRANSPORT,
                "its flash is too small, expected 4 MB or more: what is written to %#x is at %#x, too", FLASH_LABEL_AT,
                FLASH_LABEL_ALIAS);
    return FAILS;
}

/* A region that stays where it is there already. */
static enum flash_phase looked(struct run_board *board)
{
    bool differs;
    if (!compare(board, flash_region(board)->bytes, &differs))
        return FAILS;
    board->differs_at = -1; /* that is no fault */
    return differs ? to_write(board) : to_next_region(board);
}

/* The number is sought before a region is written, and where a region differs from what was written. */
static enum flash_phase number_read(struct run_board *board)
{
    long differs_at = board->differs_at;
    bool lost;
    if (!compare(board, board->number, &lost))
        return FAILS;
    if (lost && (differs_at < 0 || is_of_other(board)))
        return dispute(board);
    if (differs_at < 0)
        return WRITES;
    flash_machine_put(board, CHECKS);
    board->differs_at = differs_at;
    return fail_for_difference(board);
}

static enum flash_phase checked(struct run_board *board)
{
    bool differs, is_label = board->region + 1 == board->board->image->count;
    if (!compare(board, flash_region(board)->bytes, &differs))
        return FAILS;
    if (!differs)
        return to_next_region(board);
    if (!is_label)
        return READS_NUMBER;
    /* Another run has begun behind this one, and goes on by itself. */
    return is_of_other(board) ? fail_for_other(board) : fail_for_difference(board);
}

static const struct flash_state states[] = {
    [WAITS] = {.does = "waits for the node"},
    [READS_LABEL] = {"reads the label", false, PROGRAMMER_READ, PART_LABEL, .next = label_read},
    [VERIFIES] = {"reads ", true, PROGRAMMER_READ, PART_REGION, .next = verified},
    [CLEARS] = {"clears the ", true, PROGRAMMER_WRITE, PART_CLEARED, .then = CHECKS_CLEAR},
    [CHECKS_CLEAR] = {"reads the cleared ", true, PROGRAMMER_READ, PART_CLEARED, .next = clear_checked},
    [READS_ALIAS] = {"measures the flash", false, PROGRAMMER_READ, PART_ALIAS, .next = alias_read},
    [LOOKS] = {"reads ", true, PROGRAMMER_READ, PART_REGION, .next = looked},
    [READS_NUMBER] = {"looks for its number", false, PROGRAMMER_READ, PART_LABEL, .next = number_read},
    [WRITES] = {"writes ", true, PROGRAMMER_WRITE, PART_REGION, .then = CHECKS},
    [CHECKS] = {"reads ", true, PROGRAMMER_READ, PART_REGION, .next = checked},
    [LOADS] = {"loads ", true, PROGRAMMER_LOAD, PART_REGION, .then = GREETS},
    [GREETS] = {.does = "waits for the node"},
    [ENDED] = {.does = "waits for the node"},
};

void flash_machine_put(struct run_board *board, enum flash_phase phase)
{
    board->phase = phase;
    board->state = &states[phase];
}

enum flash_phase flash_machine_first(struct run_board *board)
{
    board->region = 0;
    if (flash_is_ram(board->board))
        return LOADS;
    return board->cleared || board->run->options->force ? start_clearing(board) : READS_LABEL;
}

enum flash_phase flash_machine_next(struct run_board *board)
{
    return board->state->next ? board->state->next(board) : board->state->then;
}

/* --- The same without a board. --- */

struct plan_step {
    enum flash_phase phase;
    unsigned index; /* of the part */
};

static unsigned plan_steps(const struct flash_board *board,
                           struct plan_step steps[2 + 2 * BOARD_IMAGE_CLEARED + 4 * BOARD_IMAGE_REGIONS])
{
    const struct board_image *image = board->image;
    bool ram = flash_is_ram(board);
    unsigned count = 0;
    if (!ram)
        steps[count++] = (struct plan_step){READS_LABEL, 0};
    for (unsigned k = 0; k < image->cleared_count; k++) {
        steps[count++] = (struct plan_step){CLEARS, k};
        steps[count++] = (struct plan_step){CHECKS_CLEAR, k};
        if (k == 0)
            steps[count++] = (struct plan_step){READS_ALIAS, 0};
    }
    for (unsigned k = 0; k < image->count; k++) {
        if (image->regions[k].stays)
            steps[count++] = (struct plan_step){LOOKS, k};
        if (needs_number(board, k))
            steps[count++] = (struct plan_step){READS_NUMBER, k};
        steps[count++] = (struct plan_step){ram ? LOADS : WRITES, k};
        if (!ram)
            steps[count++] = (struct plan_step){CHECKS, k};
    }
    return count;
}

bool flash_plan(const struct flash_board *board, const char *folder, void (*line)(void *context, const char *text),
                void *context, char *error, size_t error_size)
{
    struct plan_step steps[2 + 2 * BOARD_IMAGE_CLEARED + 4 * BOARD_IMAGE_REGIONS];
    unsigned count = plan_steps(board, steps);
    for (unsigned k = 0; k < count; k++) {
        const struct flash_state *state = &states[steps[k].phase];
        struct programmer_command command;
        char text[2 * PROGRAMMER_TEXT], file[FLASH_PATH];
        flash_file(board, folder, state->action, state->part, steps[k].index, file);
        if (!flash_command(board, &board->device, state, steps[k].index, file, &command, error, error_size))
            return false;
        remote_quote_line(&command, text, sizeof text);
        line(context, text);
    }
    return true;
}
