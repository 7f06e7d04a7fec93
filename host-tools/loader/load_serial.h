/* Loads sites by the serial line of one of them, whatever runs there: that site enters its boot program, which takes
 * the records and sends them on to the others (load_relay.h).
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_LOADER_LOAD_SERIAL_H
#define POSTROAD_LOADER_LOAD_SERIAL_H

#include "loader/load_port.h"
#include "loader/mesh_loader.h"
#include "wire/site_identity.h"

struct load_serial {
    struct load_port *port;
    const struct pr_site_identity *identity; /* of any site of the mesh */
    const struct options *options;
    const struct firmware_image *image;
    uint32_t seed; /* random */

    /* Results: */
    bool relays; /* false: the boot program is too old, or silent: nothing has been done to the others */
    unsigned long words, sent, repeats;
};

/* `own`: the target whose line it is. The targets are as behind mesh_load. EXIT_OK, or the exit code to end with, after
 * printing why. */
int load_serial(struct load_serial *load, struct load_target *own, struct load_target *targets, size_t count);

#endif
