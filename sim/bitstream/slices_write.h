/* Writes a netlist as C, for bit slices (slices.h).
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_BITSTREAM_SLICES_WRITE_H
#define POSTROAD_BITSTREAM_SLICES_WRITE_H

#include <stddef.h>
#include <stdio.h>

struct netlist;

/* The file defines `const struct slices_class slices_class`. 0, or -1 with a reason: a ring of look-up tables, a clock
 * that leads nowhere, or more clocks than slices.h has room for. */
int slices_write(FILE *out, const struct netlist *netlist, char *error, size_t error_size);

#endif
