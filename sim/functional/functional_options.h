/* What the model can do and the RTL cannot: the paper's own buffers, time-outs and preferences, and rules that are
 * switched off. These are options of the simulator and no keys of a .mesh file, because a .mesh describes what can be
 * built: boards, bitstreams and the other simulators would have to refuse each of them.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_FUNCTIONAL_FUNCTIONAL_OPTIONS_H
#define POSTROAD_FUNCTIONAL_FUNCTIONAL_OPTIONS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

enum { PLACES_OF_WORDS = 0 };
#define PLACES_UNBOUNDED UINT_MAX

struct functional_options {
    unsigned places;       /* of a fifo_buffer: a packet and its terminator take one each; or one of the above */
    bool transit_time_out; /* drawn from the transit time of the packet (section 5.2), and not from the threshold */
    bool any_output;       /* a unicast's head tries all net_outputs, those that lead to its target first (4.5) */
    bool splits_if_free;   /* a multicast passes whole where local is busy (4.5.2), and not by M10 */
    bool passes, defers;   /* M10, M11 */
};

/* text: "key=value,..."; NULL: as the RTL. False with a reason in `error`. */
bool functional_options_parse(struct functional_options *options, const char *text, char *error, size_t error_size);

/* One of them is about the router of cutthrough, and not about the fifo_buffers, which all fabrics have. */
bool functional_options_are_of_router(const struct functional_options *options);

#endif
