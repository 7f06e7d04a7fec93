/* See enrolment.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "testbed/enrolment.h"

#include <string.h>

/* Does the board have the site? */
static bool has_site(const struct enrolled_board *board, const struct mesh_config *mesh, long site)
{
    long x = site % mesh->size_x - (long)board->site % mesh->size_x;
    long y = site / mesh->size_x - (long)board->site / mesh->size_x;
    return x >= 0 && y >= 0 && x < (long)board->side && y < (long)board->side;
}

static bool is_taken(const struct enrolment *enrolment, long site)
{
    for (unsigned i = 0; i < enrolment->count; i++)
        if (has_site(&enrolment->boards[i], enrolment->mesh, site))
            return true;
    return false;
}

bool enrolment_is_free(const struct enrolment *enrolment, long site, unsigned side)
{
    const struct mesh_config *mesh = enrolment->mesh;
    bool whole = side == 1 || (site % mesh->size_x % 2 == 0 && site / mesh->size_x % 2 == 0 &&
                               site % mesh->size_x + 1 < mesh->size_x && site / mesh->size_x + 1 < mesh->size_y);
    if (site < 0 || site >= mesh->sites || !whole)
        return false;
    for (unsigned k = 0; k < side * side; k++)
        if (is_taken(enrolment, site + k % side + k / side * mesh->size_x))
            return false;
    return true;
}

int enrolment_next_site(const struct enrolment *enrolment, unsigned side)
{
    for (int site = 0; site < enrolment->mesh->sites; site++)
        if (enrolment_is_free(enrolment, site, side))
            return site;
    return -1;
}

void enrolment_add(struct enrolment *enrolment, const struct usb_device *device, const char *type, unsigned site,
                   unsigned side)
{
    enrolment->boards[enrolment->count++] = (struct enrolled_board){
        .device = *device, .type = type, .site = site, .side = side};
    enrolment->bound += side * side;
}

/* Blanks at its ends and semicolons behind a blank would not come back from the file; '?' stands for what is not
 * printable. */
static bool can_be_written(const char *serial)
{
    size_t length = strlen(serial);
    return length && serial[0] != ' ' && serial[length - 1] != ' ' && !strpbrk(serial, ";?");
}

int enrolment_settle(struct enrolment *enrolment, const struct usb_list *list, char *error, size_t error_size)
{
    for (unsigned i = 0; i < enrolment->count; i++) {
        struct enrolled_board *board = &enrolment->boards[i];
        unsigned same_path = 0, same_serial = 0;
        for (unsigned k = 0; k < enrolment->count; k++) {
            same_path += strcmp(enrolment->boards[k].device.path, board->device.path) == 0;
            same_serial += strcmp(enrolment->boards[k].device.serial, board->device.serial) == 0;
        }
        board->path_counts = same_path == 1;
        board->serial_counts = can_be_written(board->device.serial) && same_serial == 1 &&
                               usb_list_with_serial(list, board->device.serial) <= 1;
        if (!board->path_counts && !board->serial_counts) {
            snprintf(error, error_size,
                     "two boards were plugged in at port %s, and that of site %u has no serial of its own: expected a "
                     "port for each",
                     board->device.path, board->site);
            return -1;
        }
    }
    return 0;
}

void enrolment_write(const struct enrolment *enrolment, const char *mesh, FILE *out)
{
    fprintf(out,
            "; Written by postroad enroll. Boards are cabled straight with their neighbours.\n[testbed]\nmesh = %s\n",
            mesh);
    for (unsigned i = 0; i < enrolment->count; i++) {
        const struct enrolled_board *board = &enrolment->boards[i];
        fprintf(out, "\n[board n%u]\ntype = %s\nsite = %u\n", board->site, board->type, board->site);
        if (board->serial_counts)
            fprintf(out, "serial = %s\n", board->device.serial);
        if (board->path_counts)
            fprintf(out, "path = %s\n", board->device.path);
    }
}
