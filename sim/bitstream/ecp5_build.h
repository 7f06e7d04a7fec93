/* A netlist of an ECP5 in the making: cells are added as their outputs are asked for, from the output pins back.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_BITSTREAM_ECP5_BUILD_H
#define POSTROAD_BITSTREAM_ECP5_BUILD_H

#include <stdbool.h>
#include <stdint.h>

#include "bitstream/ecp5_chip.h"
#include "bitstream/netlist.h"
#include "bitstream/pin_list.h"

enum { ECP5_REQUIRED = UINT32_MAX, ECP5_ADDRESS = 4, ECP5_ROWS = 16 };

/* Tables with inputs 0, 1 and 2. */
enum {
    ECP5_NOT = 0x5555,
    ECP5_OR = 0xeeee,
    ECP5_XOR = 0x6666,
    ECP5_SELECT = 0xcaca, /* input 2 ? input 1 : input 0 */
};

/* The write port of a RAM in tables: which signals are 1 when each row is written. */
struct ecp5_decoder {
    unsigned enable, address[ECP5_ADDRESS], rows[ECP5_ROWS];
};

struct ecp5_build {
    struct ecp5_chip *chip;
    struct pin_list *pins;
    struct netlist *netlist;
    struct key_map signal_of; /* of output wires of cells that have been asked for */
    uint32_t *queue;          /* those wires, in order */
    struct key_map cells;     /* cells with more than one output: their place to the first of their signals */
    struct ecp5_decoder *decoders;
    uint32_t queue_count, decoder_count;
};

/* The signal that drives this wire; `undriven` where nothing does; ECP5_REQUIRED: that is an error. */
unsigned ecp5_signal(struct ecp5_build *build, uint32_t wire, unsigned undriven);

/* The same for a wire that is named from a place: "A0_SLICE". */
unsigned ecp5_signal_at(struct ecp5_build *build, int x, int y, const char *name, unsigned undriven);

/* The first of `count` signals that are new. */
unsigned ecp5_new_signals(struct ecp5_build *build, unsigned count);

/* out = the table of these inputs. ecp5_table: with an output of its own, which is returned. */
void ecp5_table_to(struct ecp5_build *build, uint16_t table, const unsigned in[4], unsigned out);
unsigned ecp5_table(struct ecp5_build *build, uint16_t table, unsigned a, unsigned b, unsigned c);
void ecp5_buffer(struct ecp5_build *build, unsigned in, unsigned out);
unsigned ecp5_inverted(struct ecp5_build *build, unsigned signal, bool inverted);

/* The signals of a cell with more than one output; number: 0 to 3 slices, 4 to 7 block RAMs, 8 PLLs. True the first
 * time that it is asked about this cell: the signals are new. */
bool ecp5_first_time(struct ecp5_build *build, int x, int y, int number, unsigned count, unsigned *first);

/* Add the cell that drives this wire with `signal`. */
void ecp5_build_slice(struct ecp5_build *build, uint32_t wire, unsigned signal);
void ecp5_build_block_ram(struct ecp5_build *build, uint32_t wire, unsigned signal);
void ecp5_build_pll(struct ecp5_build *build, uint32_t wire, unsigned signal);

#endif
