/* The Verilog of an ECP5 chip in the making: cells are printed as their outputs are asked for, from the output pins
 * back.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_BITSTREAM_ECP5_BUILD_H
#define POSTROAD_BITSTREAM_ECP5_BUILD_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "bitstream/ecp5_chip.h"
#include "bitstream/pin_list.h"

enum { ECP5_NET = 96 };

struct ecp5_build {
    struct ecp5_chip *chip;
    struct pin_list *pins;
    FILE *wires, *cells;   /* declarations, and what follows them */
    struct key_map wanted; /* output wires of cells that have been asked for */
    uint32_t *queue;       /* those, in order */
    uint32_t queue_count, luts, flops, block_rams;
    struct key_map printed; /* cells that have more than one output: their place */
    uint32_t *clocks;       /* outputs of PLLs, ports of the module; see ecp5_pll.c */
    uint32_t clock_count;
    bool flash_clock;
};

/* What drives this wire, as an expression: a net, a pin, or 1'b0 or 1'b1. `undriven` where nothing does; NULL: that is
 * an error. `text` has ECP5_NET bytes, and is returned. */
const char *ecp5_net(struct ecp5_build *build, uint32_t wire, const char *undriven, char *text);

/* The same for a wire that is named from a place: "A0_SLICE". */
const char *ecp5_net_at(struct ecp5_build *build, int x, int y, const char *name, const char *undriven, char *text);

/* The name of the net that a cell's output drives. */
const char *ecp5_output(const struct ecp5_build *build, uint32_t wire, char *text);

/* True the first time that it is asked about this cell. */
bool ecp5_first_time(struct ecp5_build *build, int x, int y, int number);

/* Print the cell that drives this wire. */
void ecp5_print_slice(struct ecp5_build *build, uint32_t wire);
void ecp5_print_block_ram(struct ecp5_build *build, uint32_t wire);
void ecp5_print_pll(struct ecp5_build *build, uint32_t wire);

/* The ports that PLLs have become, each with a comma before it, and their declarations. */
void ecp5_print_clock_names(struct ecp5_build *build, FILE *out);
void ecp5_print_clocks(struct ecp5_build *build, FILE *out);

#endif
