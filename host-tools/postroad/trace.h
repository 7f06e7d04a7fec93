/* postroad trace: the ways of packets, in a simulated mesh that is up or in a logic analyser's capture of boards.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_POSTROAD_TRACE_H
#define POSTROAD_POSTROAD_TRACE_H

#include "cli/options.h"

enum { TRACE_NO_GROUP = -1 };

struct trace_options {
    struct options common; /* its operands: numbers of the sites */
    long words, handler;   /* of the packet that is sent */
    long group;            /* that it is sent to; TRACE_NO_GROUP: to the target */
    const char *capture, *testbed;
};

/* Sends a packet and shows its way. Returns the exit code. */
int trace_mesh(const struct trace_options *options);

/* Shows the ways of the packets in the file `capture` of the boards in the file `testbed`. Returns the exit code. */
int trace_capture(const struct trace_options *options);

#endif
