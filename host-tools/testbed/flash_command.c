/* See flash_run_private.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "testbed/flash_run_private.h"

#include <string.h>

#include "testbed/remote.h"

enum programmer_action flash_action(enum flash_phase phase)
{
    if (phase == LOADS)
        return PROGRAMMER_LOAD;
    return phase == WRITES || phase == CLEARS ? PROGRAMMER_WRITE : PROGRAMMER_READ;
}

const struct board_region flash_alias = {.name = "alias", .offset = FLASH_LABEL_ALIAS, .size = FLASH_LABEL_BYTES};

/* The label is last. */
bool flash_needs_number(const struct flash_board *board, unsigned region)
{
    return board->image->has_label && (region + 1 == board->image->count || *board->probe);
}

bool flash_is_ram(const struct flash_board *board)
{
    return strcmp(board->conf->memory, "ram") == 0;
}

void flash_file(const struct flash_board *board, const char *folder, enum flash_phase phase, unsigned region, char *out)
{
    if (flash_action(phase) == PROGRAMMER_READ)
        snprintf(out, FLASH_PATH, "%s/%s-read.bin", folder, board->name);
    else if (phase == CLEARS)
        snprintf(out, FLASH_PATH, "%s/%s-clear.bin", folder, board->name);
    else
        snprintf(out, FLASH_PATH, "%s/%s-%u.%s", folder, board->name, region, phase == LOADS ? "bit" : "bin");
}

bool flash_command(const struct flash_board *board, const struct usb_device *device, enum flash_phase phase,
                   const struct board_region *region, const char *local, struct programmer_command *out, char *error,
                   size_t error_size)
{
    bool remote = *board->host;
    struct programmer_command here;
    struct programmer_job job = {
        .action = flash_action(phase),
        .conf = board->conf,
        .file = !remote          ? local
                : phase == LOADS ? REMOTE_BITFILE
                                 : REMOTE_FILE,
        .offset = region->offset,
        .size = region->size,
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

bool flash_plan(const struct flash_board *board, const char *folder, void (*line)(void *context, const char *text),
                void *context, char *error, size_t error_size)
{
    const struct board_image *image = board->image;
    bool ram = flash_is_ram(board);
    struct step {
        enum flash_phase phase;
        unsigned index; /* of the region's file */
        const struct board_region *region;
    } steps[2 + 2 * BOARD_IMAGE_CLEARED + 4 * BOARD_IMAGE_REGIONS];
    unsigned count = 0;
    if (!ram)
        steps[count++] = (struct step){READS_LABEL, 0, &image->cleared[0]};
    for (unsigned k = 0; k < image->cleared_count; k++) {
        for (enum flash_phase phase = CLEARS; phase <= CHECKS_CLEAR; phase++)
            steps[count++] = (struct step){phase, 0, &image->cleared[k]};
        if (k == 0)
            steps[count++] = (struct step){READS_ALIAS, 0, &flash_alias};
    }
    for (unsigned k = 0; k < image->count; k++) {
        if (image->regions[k].stays)
            steps[count++] = (struct step){LOOKS, k, &image->regions[k]};
        if (flash_needs_number(board, k))
            steps[count++] = (struct step){READS_NUMBER, k, &image->cleared[0]};
        for (enum flash_phase phase = ram ? LOADS : WRITES; phase <= (ram ? LOADS : CHECKS); phase++)
            steps[count++] = (struct step){phase, k, &image->regions[k]};
    }
    for (unsigned k = 0; k < count; k++) {
        struct programmer_command command;
        char text[2 * PROGRAMMER_TEXT], file[FLASH_PATH];
        flash_file(board, folder, steps[k].phase, steps[k].index, file);
        if (!flash_command(board, &board->device, steps[k].phase, steps[k].region, file, &command, error, error_size))
            return false;
        remote_quote_line(&command, text, sizeof text);
        line(context, text);
    }
    return true;
}
