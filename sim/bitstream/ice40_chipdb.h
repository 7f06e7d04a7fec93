/* The description of an iCE40 chip (IceStorm's chipdb, Debian's fpga-icestorm-chipdb): which configuration bit does
 * what. It is read together with a bitstream, whose bits tell at once which wire drives which.
 *
 * A net is a piece of wire with all its names; the configuration joins nets. `ice40_chipdb_driver` follows the chain of
 * joined nets to its start.
 *
 * Source of the format: Project IceStorm, icebox_chipdb(1).
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_BITSTREAM_ICE40_CHIPDB_H
#define POSTROAD_BITSTREAM_ICE40_CHIPDB_H

#include <stdbool.h>
#include <stddef.h>

struct ice40_asc;
struct ice40_chipdb;

enum { ICE40_NO_NET = -1, ICE40_GLOBALS = 8, ICE40_FIELD_NAME = 24 };

/* A pad, or the configuration bit or wire of a cell. */
struct ice40_place {
    int x, y, z;
};

/* A port or setting of a cell that is not a logic cell: "WREN" of an "SPRAM" is the wire `name` of tile x, y. */
struct ice40_field {
    char key[ICE40_FIELD_NAME], name[ICE40_FIELD_NAME];
    int x, y;
};

struct ice40_extra_cell {
    char type[12]; /* "PLL", "SPRAM", "HFOSC" ... */
    int x, y, z, count;
    struct ice40_field *fields;
};

/* Reads PATH and joins the nets as the bitstream says. NULL with a reason: the file is no such description, or two
 * wires drive one net. `package` is as in the description: "ct256", "sg48". */
struct ice40_chipdb *ice40_chipdb_read(const char *path, const char *package, const struct ice40_asc *asc, char *error,
                                       size_t error_size);
void ice40_chipdb_free(struct ice40_chipdb *chipdb);

int ice40_chipdb_nets(const struct ice40_chipdb *chipdb);

/* The net with this name in a tile; ICE40_NO_NET: there is none. */
int ice40_chipdb_net(const struct ice40_chipdb *chipdb, int x, int y, const char *name);

/* The net at the start of the chain that ends at `net`; `net` itself if nothing is joined to it. */
int ice40_chipdb_driver(const struct ice40_chipdb *chipdb, int net);

/* True if the configuration bits NAME of the tile ("NegClk", "IOB_0.PINTYPE_3") are all 1. */
bool ice40_chipdb_bit(const struct ice40_chipdb *chipdb, int x, int y, const char *name);

/* A pin of the package. */
bool ice40_chipdb_pin(const struct ice40_chipdb *chipdb, const char *pin, struct ice40_place *pad);

/* The place of the input enable and pull-up bits of a pad. */
bool ice40_chipdb_pad_control(const struct ice40_chipdb *chipdb, struct ice40_place pad, struct ice40_place *control);

/* Global net `number`: the pad that can drive it directly, and whether the bitstream makes it do so; else the wire
 * "fabout" of tile fabric_x, fabric_y drives it. A row that is missing has x = -1. */
struct ice40_global {
    struct ice40_place pad;
    bool from_pad;
    int fabric_x, fabric_y;
};
const struct ice40_global *ice40_chipdb_global(const struct ice40_chipdb *chipdb, int number);

/* The cell number `index` of this type; NULL: there are fewer. */
const struct ice40_extra_cell *ice40_chipdb_cell(const struct ice40_chipdb *chipdb, const char *type, int index);
const struct ice40_field *ice40_cell_field(const struct ice40_extra_cell *cell, const char *key);

#endif
