/* See flash_command.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "testbed/flash_command.h"

#include <string.h>

#include "testbed/remote.h"

bool flash_is_ram(const struct flash_board *board)
{
    return strcmp(board->conf->memory, "ram") == 0;
}

bool flash_is_on_usb(const struct flash_board *board)
{
    return !*board->probe;
}

const struct programmer *flash_programmer(const struct run_board *board)
{
    return programmer_find(board->board->conf->programmer);
}

const struct board_region *flash_part(const struct board_image *image, const struct flash_state *state, unsigned index)
{
    /* Where a flash that is too small has the label's place, too. */
    static const struct board_region alias = {.name = "alias", .offset = FLASH_LABEL_ALIAS, .size = FLASH_LABEL_BYTES};
    switch (state->part) {
    case PART_LABEL:
        return &image->regions[image->count - 1];
    case PART_CLEARED:
        return &image->cleared[index];
    case PART_ALIAS:
        return &alias;
    default:
        return &image->regions[index];
    }
}

unsigned flash_index(const struct run_board *board)
{
    return board->state->part == PART_CLEARED ? board->clearing : board->region;
}

const struct board_region *flash_region(const struct run_board *board)
{
    return flash_part(board->board->image, board->state, flash_index(board));
}

void flash_file(const struct flash_board *board, const char *folder, enum programmer_action action,
                enum flash_part part, unsigned index, char *out)
{
    if (action == PROGRAMMER_READ)
        snprintf(out, FLASH_PATH, "%s/%s-read.bin", folder, board->name);
    else if (part == PART_CLEARED)
        snprintf(out, FLASH_PATH, "%s/%s-clear.bin", folder, board->name);
    else
        snprintf(out, FLASH_PATH, "%s/%s-%u.%s", folder, board->name, index, action == PROGRAMMER_LOAD ? "bit" : "bin");
}

bool flash_command(const struct flash_board *board, const struct usb_device *device, const struct flash_state *state,
                   unsigned index, const char *local, struct programmer_command *out, char *error, size_t error_size)
{
    bool remote = *board->host;
    const struct board_region *part = flash_part(board->image, state, index);
    struct programmer_command here;
    struct programmer_job job = {
        .action = state->action,
        .conf = board->conf,
        .file = !remote                            ? local
                : state->action == PROGRAMMER_LOAD ? REMOTE_BITFILE
                                                   : REMOTE_FILE,
        .offset = part->offset,
        .size = part->size,
        .bus = device->bus,
        .device = device->device,
        .path = device->path,
        .xvc = *board->probe ? &board->xvc : NULL,
    };
    if (!programmer_command(&job, remote ? &here : out, error, error_size))
        return false;
    if (remote)
        remote_command(board->host, *board->probe ? "" : device->node, &here, job.action, out);
    return true;
}
