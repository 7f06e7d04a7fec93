/* The file format of netrace: packets of a simulated 64-core processor, with the packets that wait for them (Hestness
 * and Keckler, "Netrace: dependency-tracking traces for efficient network-on-chip experimentation", TR-10-11,
 * University of Texas at Austin, 2011). Numbers are little-endian.
 *
 *   header     magic, version 1.0, name of the benchmark, nodes, cycles, packets, length of the notes, regions
 *   notes
 *   regions    where each begins, behind this table; its cycles and packets
 *   packets    cycle, id, address, type, source, destination, kinds of the two nodes, ids of the packets that wait
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_WORKLOAD_NETRACE_H
#define POSTROAD_WORKLOAD_NETRACE_H

#include "workload/trace_builder.h"

enum {
    NETRACE_MAGIC = 0x484a5455,
    NETRACE_FIRST_BYTE = NETRACE_MAGIC & 0xff,
    NETRACE_VERSION = 0x3f800000, /* 1.0 as an IEEE 754 number */
    NETRACE_NOTES_MOST = 8191,
    NETRACE_REGIONS_MOST = 100,

    NETRACE_HEADER = 72, /* bytes; and where a field begins */
    NETRACE_HEADER_VERSION = 4,
    NETRACE_HEADER_NODES = 38,
    NETRACE_HEADER_NOTES = 56,
    NETRACE_HEADER_REGIONS = 60,

    NETRACE_REGION = 24,

    NETRACE_PACKET = 21,
    NETRACE_PACKET_ID = 8,
    NETRACE_PACKET_TYPE = 16,
    NETRACE_PACKET_SOURCE = 17,
    NETRACE_PACKET_DESTINATION = 18,
    NETRACE_PACKET_DEPENDENTS = 20
};

/* Reads the packets that are wanted. False with a reason in reading->reason. */
bool netrace_read(struct trace_reading *reading);

#endif
