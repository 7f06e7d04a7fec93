/* The parts of gowin_verilog: cells of logic in gowin_logic.c, block RAMs in gowin_ram.c.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_BITSTREAM_GOWIN_BUILD_H
#define POSTROAD_BITSTREAM_GOWIN_BUILD_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "bitstream/failure.h"
#include "bitstream/name_map.h"

enum { GOWIN_NET = 24 };

struct gowin_build {
    const char *path, *rams;
    FILE *cells;
    struct failure *failure;
    struct key_map flop_of; /* net to the power-on value of the flop that drives it */
    unsigned ram_count;
};

struct gowin_cell {
    struct gowin_build *build;
    const char *name, *type;
    const cJSON *connections, *parameters;
};

/* The net at bit `bit` of a port, "n12", or a constant; `missing` where nothing is connected. */
const char *gowin_bit(const struct gowin_cell *cell, const char *port, int bit, const char *missing,
                      char text[GOWIN_NET]);

/* The same for a port of one bit whose name ends with a number: "DI" and 3 for DI3. */
const char *gowin_numbered(const struct gowin_cell *cell, const char *port, int number, const char *missing,
                           char text[GOWIN_NET]);

bool gowin_connected(const struct gowin_cell *cell, const char *port);

/* A parameter as it stands there; `missing` where there is none. gowin_number: of the low 32 bits of one that is
 * binary. */
const char *gowin_parameter(const struct gowin_cell *cell, const char *name, const char *missing);
unsigned gowin_number(const struct gowin_cell *cell, const char *name, unsigned missing);

bool gowin_fail(const struct gowin_cell *cell, const char *reason, const char *value);

/* True if the cell was of this kind and has been printed, or has failed. */
bool gowin_print_logic(const struct gowin_cell *cell);
bool gowin_print_ram(const struct gowin_cell *cell);

#endif
