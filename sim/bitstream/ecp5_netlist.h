/* From an ECP5 bitstream to the netlist that it configures.
 *
 * Pins have the names of the pin list; the clock of the configuration flash, if the design drives it, is the output
 * flash_clock. Block RAMs have the numbers of their contents in the bitstream (ecp5_config.block_rams).
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_BITSTREAM_ECP5_NETLIST_H
#define POSTROAD_BITSTREAM_ECP5_NETLIST_H

struct ecp5_config;
struct failure;
struct netlist;
struct pin_list;
struct trellis;

/* The caller frees the netlist. NULL with a reason in `failure`. */
struct netlist *ecp5_netlist(struct ecp5_config *config, struct trellis *trellis, struct pin_list *pins,
                             struct failure *failure);

#endif
