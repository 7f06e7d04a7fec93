/* A netlist of an iCE40 in the making: which net is which signal.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_BITSTREAM_ICE40_BUILD_H
#define POSTROAD_BITSTREAM_ICE40_BUILD_H

#include <stdbool.h>
#include <stddef.h>

struct ice40_asc;
struct ice40_chipdb;
struct ice40_pad;
struct netlist;

/* A netlist in the making. */
struct ice40_build {
    const struct ice40_asc *asc;
    const struct ice40_chipdb *chipdb;
    const char *pcf;
    struct netlist *netlist;
    unsigned *signal_of; /* of each net that a cell drives; 0: none does */
    int *global_source;  /* of each net that is global: the net from which the fabric drives it; 0: otherwise */
    struct ice40_pad *pads;
    int pad_count;
    char *error;
    size_t error_size;
    bool failed;
};

/* Keeps the first reason. Returns false. */
bool ice40_fail(struct ice40_build *build, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A net by its name in a tile, ICE40_NO_NET if there is none. */
int ice40_net(const struct ice40_build *build, int x, int y, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* A cell drives this net: its signal. Without a net it is a signal of its own. ice40_drive_as: the signal is given. */
unsigned ice40_new_signal(struct ice40_build *build);
unsigned ice40_drive(struct ice40_build *build, int net);
void ice40_drive_as(struct ice40_build *build, int net, unsigned signal);

/* The signal at the start of the chain that leads to `net`; `unconnected` if nothing is joined to it. */
unsigned ice40_signal(struct ice40_build *build, int net, unsigned unconnected);

/* out = in. */
void ice40_buffer(struct ice40_build *build, unsigned in, unsigned out);

#endif
