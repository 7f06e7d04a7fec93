/* The description of an ECP5 chip (Project Trellis' database, as the pinned nextpnr package ships it): which tile lies
 * where, which wires of a tile are always joined, what a setting's choices share, and where the pads of a package are.
 *
 * Wires. A tile names its own wires and those of its neighbours: "F3", or "N1E2_F3" for F3 one row up and two columns
 * to the right. A wire of the chip is its own name and a place. Wires of the clock network begin with G_, L_ or R_;
 * those that the whole chip shares are at row 0, column 0.
 *
 * Source of the format: Project Trellis, documentation of the bit databases, tile grid and global network.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_BITSTREAM_TRELLIS_H
#define POSTROAD_BITSTREAM_TRELLIS_H

#include <stdbool.h>
#include <stdint.h>

#include "bitstream/failure.h"
#include "bitstream/name_map.h"

enum { TRELLIS_SIDE = 256, TRELLIS_TILES_AT = 8, TRELLIS_NO_WIRE = UINT32_MAX };

struct trellis_wire {
    uint32_t name;
    int16_t x, y;
};

/* In every tile of `type` the wire `source` drives `sink`; both are relative to the tile. */
struct trellis_join {
    uint32_t type, sink, source;
    int sink_x, sink_y, source_x, source_y;
    uint32_t next; /* with the same name of the sink; NO_ENTRY: none */
};

/* A choice of a setting and the bits of the tile that it sets ("F5B0 !F8B0", each once). */
struct trellis_choice {
    uint32_t type, name;
    const char *value;
    char **bits;
    int bit_count;
    bool by_default;
    uint32_t next; /* of the same setting */
};

/* The columns that a vertical clock wire (TAP) at column `tap` serves. */
struct trellis_tap {
    int tap, left_first, left_last, right_first, right_last;
};

struct trellis_spine {
    char quadrant[3];
    int tap, x, y;
};

struct trellis_quadrant {
    char name[3];
    int x0, y0, x1, y1;
};

struct trellis_pad {
    char pin[8];
    int x, y;
    char letter; /* of the pads at this place: A to D */
};

struct trellis {
    const char *folder;
    char device[24];
    const char *prefix; /* of names that are only for chips of this size: "25K_" */
    int columns, rows;
    struct name_map names, types, settings;
    uint32_t (*tiles)[TRELLIS_SIDE][TRELLIS_TILES_AT]; /* [x][y][]: number of the type + 1 */
    struct trellis_join *joins;
    struct trellis_choice *choices;
    uint32_t *join_of_name, *choice_of_setting; /* the first of each list */
    struct key_map global_joins;                /* of the clock network: sink to source */
    struct trellis_wire *wires;
    struct key_map wire_numbers;
    struct trellis_tap *taps;
    struct trellis_spine *spines;
    struct trellis_quadrant *quadrants;
    struct trellis_pad *pads;
    uint32_t join_count, choice_count, wire_count, tap_count, spine_count, quadrant_count, pad_count;
    uint32_t joins_named, settings_named;
    struct text_file *texts; /* the choices point into them */
    uint32_t text_count;
};

/* Reads the parts of FOLDER that are about this device and package ("CABGA381"); false with a reason in `failure`. Free
 * it in either case. `folder` is kept. */
bool trellis_read(struct trellis *trellis, const char *folder, const char *device, const char *package,
                  struct failure *failure);
void trellis_free(struct trellis *trellis);

/* The wire with this name, seen from a tile at x, y. TRELLIS_NO_WIRE: it is of a chip of another size, or outside. */
uint32_t trellis_wire(struct trellis *trellis, int x, int y, const char *name);
const char *trellis_wire_name(const struct trellis *trellis, uint32_t wire);

/* The wire that always drives this one, or, where no switch is on, does; TRELLIS_NO_WIRE: none. Fails if there are two.
 */
uint32_t trellis_joined(struct trellis *trellis, uint32_t wire, struct failure *failure);

/* The type of a tile at x, y that begins with this; NULL: none. */
const char *trellis_tile(const struct trellis *trellis, int x, int y, const char *type);

/* What the several tiles that hold one setting agree on. The unpacker looks at one tile at a time, and where the bits
 * of a tile suit several choices it writes one of them; `shown` is what it has written for a tile, NULL: nothing, which
 * is the default. Of the choices that suit every tile the one with the most bits is right. NULL: none suits, or two do.
 */
struct trellis_shown {
    const char *type, *shown;
};
const char *trellis_agreed(const struct trellis *trellis, const char *setting, const struct trellis_shown *shown,
                           int count);

/* What a word is in tiles of this type where the bitstream shows none; NULL: such tiles have no such word. Bits that
 * lie in another tile are 1. */
const char *trellis_default_word(const struct trellis *trellis, const char *type, const char *name);

/* The pad of a pin of the package ("G2"), and the pin of a pad; NULL: there is none. */
const struct trellis_pad *trellis_pin(const struct trellis *trellis, const char *pin);
const struct trellis_pad *trellis_pad_at(const struct trellis *trellis, int x, int y, char letter);

#endif
