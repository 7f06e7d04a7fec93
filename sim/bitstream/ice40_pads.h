/* Part of ice40_netlist: pads, global nets, PLLs and oscillators.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_BITSTREAM_ICE40_PADS_H
#define POSTROAD_BITSTREAM_ICE40_PADS_H

struct ice40_build;

/* ice40_drive_pads: reads the pin list; inputs, PLLs, oscillators and global nets drive theirs. ice40_build_pads: the
 * registers and outputs of pads. */
void ice40_drive_pads(struct ice40_build *build);
void ice40_build_pads(struct ice40_build *build);
void ice40_pads_free(struct ice40_build *build);

#endif
