/* A capture as it is read: edges of its wires become packets and events, and these hops and readings. Edges come in
 * order of time, and are looked at block by block.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_LATENCY_WIRE_TRAFFIC_H
#define POSTROAD_LATENCY_WIRE_TRAFFIC_H

#include "latency/hops.h"

/* Is shown each packet of each line, aborted ones too: block by block, in a block in order of time. A packet comes
 * after itself on lines that it has passed before. */
struct wires_watch {
    void (*begin)(void *context, const struct wires *wires); /* before the first; again if the file is read twice */
    void (*see)(void *context, const struct line_packet *packet, unsigned wire);
    void *context;
};

/* Packets of a block, with the wire of each. */
struct packet_batch {
    struct line_packet *packets;
    uint8_t *wires;
    size_t count, room;
};

struct wire_traffic {
    struct wires wires;
    struct hops hops;
    const struct wires_watch *watch; /* or NULL */
    uint64_t block_end;              /* sample */
    uint64_t last;                   /* sample up to which all is known */
    struct packet_batch batch;
    unsigned collecting; /* the wire whose packets are being collected */
};

/* As wires_begin. */
int wire_traffic_begin(struct wire_traffic *traffic, const struct testbed *testbed, double rate, char *error,
                       size_t error_size);
void wire_traffic_free(struct wire_traffic *traffic);

/* Samples never go back. */
void wire_traffic_edge(struct wire_traffic *traffic, unsigned wire, uint64_t sample, bool level);
void wire_traffic_end(struct wire_traffic *traffic, uint64_t sample);

#endif
