/* Which pin of the package has which name: LOCATE COMP "name" SITE "G2" of an .lpf file (nextpnr for ECP5).
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_BITSTREAM_PIN_LIST_H
#define POSTROAD_BITSTREAM_PIN_LIST_H

#include <stdbool.h>
#include <stdint.h>

#include "bitstream/failure.h"

enum { PIN_NAME = 64, PIN_SITE = 8 };

struct pin {
    char name[PIN_NAME]; /* "name" or "name[3]" */
    char site[PIN_SITE];
    unsigned signal; /* for whoever builds a netlist */
};

struct pin_list {
    struct pin *pins;
    uint32_t count;
};

/* Reads an .lpf file; false with "FILE:LINE: reason, expected ..." in `failure`. Free the list in either case. */
bool pin_list_read(struct pin_list *list, const char *path, struct failure *failure);
void pin_list_free(struct pin_list *list);

/* The pin at this site of the package; NULL: none. */
struct pin *pin_list_at(const struct pin_list *list, const char *site);

#endif
