/* A virtual logic analyser at the lines and probe pins of simulated boards: the channels of the testbed's [analyser],
 * and where it has none, what each connector with a cable drives, in the order of the cables, as left.east, right.west.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_BITSTREAM_BOARD_CAPTURE_H
#define POSTROAD_BITSTREAM_BOARD_CAPTURE_H

#include <stddef.h>
#include <stdint.h>

struct board_capture;
struct board_simulation;
struct testbed;

/* Begins now. `text` as in capture/capture_options.h; without a rate there that of the testbed, else 24 MS/s. NULL with
 * a reason. A simulation has one capture at a time. */
struct board_capture *board_capture_begin(struct board_simulation *simulation, const struct testbed *testbed,
                                          const char *text, uint64_t seed, char *error, size_t error_size);

/* Completes the file, and frees the capture. 0, or -1 with a reason: there is no file then. */
int board_capture_end(struct board_capture *capture, char *error, size_t error_size);

#endif
