/* The packets of a trace: when each is sent, from where, to which sites, and which packets wait for it. Read from a
 * file by trace_file.h, sent by trace_player.h.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_WORKLOAD_PACKET_TRACE_H
#define POSTROAD_WORKLOAD_PACKET_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct trace_packet {
    uint64_t clock; /* not before it */
    uint32_t source;
    uint32_t first_target, first_dependent; /* in the arrays of the trace */
    uint32_t dependents;                    /* packets that wait for this one: all of them come later in the trace */
    uint32_t awaited;                       /* packets for which this one waits */
    uint16_t target_count, data_words;
};

/* `after` waits until `before` has arrived at all its targets. */
struct trace_dependency {
    uint32_t before, after;
};

struct packet_trace {
    char *path;
    struct trace_packet *packets;
    uint32_t *targets;
    uint32_t *dependents;
    struct trace_dependency *dependencies; /* until packet_trace_link */
    size_t count, target_count, dependency_count;
    unsigned most_targets;
    uint64_t words; /* of all packets on a link, as traffic.h counts them */
    size_t room, target_room, dependency_room;
};

/* Puts the dependents of each packet side by side, once the trace is complete. False: no memory. */
bool packet_trace_link(struct packet_trace *trace);

void packet_trace_free(struct packet_trace *trace);

#endif
