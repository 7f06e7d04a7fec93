/* From the netlist that nextpnr writes for a Gowin FPGA after place and route (--write, JSON) to plain Verilog.
 *
 * This is the netlist, not the bitstream: gowin_unpack drops the contents of block RAMs and half of the carry chain.
 * Block RAMs are instances of gowin_block_ram.v and gowin_wide_ram.v, which have the same ports and modes; their
 * contents come from files, numbered in the order of the netlist.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_BITSTREAM_GOWIN_VERILOG_H
#define POSTROAD_BITSTREAM_GOWIN_VERILOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct failure;

/* `text` is the JSON, `path` names it in reasons. `rams`: a folder for NUMBER.hex, one a block RAM; NULL: none are
 * written. False with a reason; `out` may then hold a part. A cell or a setting that is not known is such a reason. */
bool gowin_verilog(const char *path, const char *text, const char *module, const char *rams, FILE *out,
                   struct failure *failure);

#endif
