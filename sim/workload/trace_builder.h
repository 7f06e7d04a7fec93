/* Builds a packet_trace, one packet after the other. For the readers of trace files.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_WORKLOAD_TRACE_BUILDER_H
#define POSTROAD_WORKLOAD_TRACE_BUILDER_H

#include "mesh/mesh.h"
#include "workload/packet_trace.h"
#include "workload/trace_bytes.h"

enum { TRACE_REASON = 200 };

struct trace_file_options {
    const char *path;
    uint64_t most;    /* packets that are read */
    unsigned region;  /* of a netrace file, from 0: where to begin */
    bool independent; /* no packet waits for another */
};

/* What the reader of a format gets. */
struct trace_reading {
    const struct mesh_config *mesh;
    const struct trace_file_options *options;
    struct trace_bytes bytes;
    struct packet_trace *trace;
    char reason[TRACE_REASON]; /* set by functions that return false */
};

/* Adds a packet; its targets follow one by one, and then its length. False: the mesh cannot carry it. */
bool trace_begin_packet(struct trace_reading *reading, uint64_t clock, uint64_t source);
bool trace_add_target(struct trace_reading *reading, uint64_t site);
bool trace_end_packet(struct trace_reading *reading, uint64_t data_words);

/* The packet number `after` waits for the packet number `before`, which must be a smaller number. */
bool trace_add_dependency(struct trace_reading *reading, uint64_t before, uint32_t after);

#endif
