/* The boards that have been given a site so far, and the testbed file that follows from them.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TESTBED_ENROLMENT_H
#define POSTROAD_TESTBED_ENROLMENT_H

#include <stdio.h>

#include "mesh/mesh.h"
#include "testbed/board_confs.h"

struct enrolled_board {
    struct usb_device device;
    const char *type;
    unsigned site, side;
    bool serial_counts, path_counts; /* which of them go into the file: enrolment_settle */
};

struct enrolment {
    const struct mesh_config *mesh;
    unsigned count, bound; /* boards; sites that have one */
    struct enrolled_board boards[TESTBED_BOARDS];
};

/* The lowest site that a board of so many sites each way can begin at, -1: none is left. */
int enrolment_next_site(const struct enrolment *enrolment, unsigned side);

/* Can a board begin at this site? */
bool enrolment_is_free(const struct enrolment *enrolment, long site, unsigned side);

/* The site must be free. */
void enrolment_add(struct enrolment *enrolment, const struct usb_device *device, const char *type, unsigned site,
                   unsigned side);

/* Chooses what each board is found by: its port, unless another one was plugged in at the same port, and its serial if
 * no other device has it. 0, or -1 with the reason: a board is left without both. */
int enrolment_settle(struct enrolment *enrolment, const struct usb_list *list, char *error, size_t error_size);

/* Writes the testbed file, with this name of the .mesh file. */
void enrolment_write(const struct enrolment *enrolment, const char *mesh, FILE *out);

#endif
