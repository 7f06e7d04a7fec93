/* What takes load packets into the mesh, and brings the answers of boot programs:
 *
 *   load_gateway   the firmware of a site with a console
 *   load_relay     the boot program of a site with a serial line, which may be one of the targets
 *
 * The functions return EXIT_OK, or the exit code to end with, after printing why.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_LOADER_LOAD_CARRIER_H
#define POSTROAD_LOADER_LOAD_CARRIER_H

#include "loader/load_records.h"

struct load_carrier {
    unsigned group; /* sites that one record may go to; */
    unsigned room;  /* and words of RAM that a data record may have, for as many sites; 0: there is no room */

    /* Sends the record to `count` sites. It may return before that has been accepted. */
    int (*send)(struct load_carrier *carrier, const uint16_t *sites, unsigned count, const struct load_record *record,
                uint32_t tag);

    /* Waits until all has been accepted. */
    int (*finish)(struct load_carrier *carrier);

    /* Waits for answers, no longer than so many seconds, and calls `answered` for each. */
    int (*poll)(struct load_carrier *carrier, double seconds);

    /* Set by load_exchange. */
    void (*answered)(void *context, unsigned site, char answer, uint32_t tag);
    void *context;
};

#endif
