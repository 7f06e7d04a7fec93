/* Which pin of the package has which name: LOCATE COMP "name" SITE "G2" of an .lpf file (nextpnr for ECP5), and the
 * ports of a Verilog module that follow from the names and from which way each pin is used.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_BITSTREAM_PIN_LIST_H
#define POSTROAD_BITSTREAM_PIN_LIST_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "bitstream/failure.h"

enum { PIN_NAME = 64, PIN_SITE = 8, PIN_BITS = 64 };

struct pin {
    char name[PIN_NAME]; /* without its index */
    char site[PIN_SITE];
    int index; /* in a vector; -1: it is none */
    bool input, output;
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

/* "name" or "name[3]". The text is good until the next call. */
const char *pin_text(const struct pin *pin);

/* Prints the ports of all pins that are used, each vector once, and zero for the bits of output vectors that are not
 * driven. Fails if a pin, or the pins of a vector, are used both ways. */
bool pin_list_print_names(const struct pin_list *list, FILE *out);
bool pin_list_print_ports(const struct pin_list *list, FILE *out, struct failure *failure);

#endif
