/* From an iCE40 bitstream to the netlist that it configures: logic cells with their carry chains, pads, block RAMs,
 * SPRAMs, PLLs and the oscillators.
 *
 * What is not here is refused by name: DSP blocks, latched inputs, hard SPI, I2C and LED cores.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_BITSTREAM_ICE40_NETLIST_H
#define POSTROAD_BITSTREAM_ICE40_NETLIST_H

#include <stddef.h>

struct ice40_asc;
struct ice40_chipdb;
struct netlist;

/* `pcf`: the file that places the pins of the top module (set_io NAME PIN). NULL with a reason. */
struct netlist *ice40_netlist(const struct ice40_asc *asc, const struct ice40_chipdb *chipdb, const char *pcf,
                              char *error, size_t error_size);

#endif
