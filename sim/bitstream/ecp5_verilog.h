/* From an ECP5 bitstream to the Verilog of what it configures.
 *
 * The module has the ports that the pin list names; a PLL's outputs are inputs (see ecp5_pll.c); the clock of the
 * configuration flash, if the design drives it, is the output flash_clock. Block RAMs are instances of ecp5_block_ram.v
 * and ecp5_wide_ram.v, which take their contents from files.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_BITSTREAM_ECP5_VERILOG_H
#define POSTROAD_BITSTREAM_ECP5_VERILOG_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct ecp5_config;
struct failure;
struct pin_list;
struct trellis;

struct ecp5_counts {
    uint32_t luts, flops, block_rams;
};

/* False with a reason in `failure`; `out` may then hold a part. */
bool ecp5_verilog(struct ecp5_config *config, struct trellis *trellis, struct pin_list *pins, const char *module,
                  FILE *out, struct ecp5_counts *counts, struct failure *failure);

#endif
