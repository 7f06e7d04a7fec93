/* The packets from one site to another in a capture, each with the lines that it was seen on, in order, and the lines
 * between these that it must have passed without being seen.
 *
 *        a.east           b.east           c.east
 *   [a]---------->[b]- - - - - - - ->[c]---------->[d]      b.east has no channel: the way goes on at c.east
 *
 * A packet is found again by its sequence number (one of a control packet by its data). Where its source sends it
 * again, or another copy passes a line once more, a new way begins.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_LATENCY_PACKET_WAYS_H
#define POSTROAD_LATENCY_PACKET_WAYS_H

#include "latency/wire_traffic.h"

enum { PASSAGES_MAX = 1 << 16 };

/* A packet on a line. */
struct passage {
    struct uncertain began; /* samples since the start of the capture */
    unsigned wire, words;   /* data words */
    bool aborted;
    size_t next; /* of the way, behind the last one 0 */
};

struct packet_way {
    uint64_t identity;
    bool control;               /* an acknowledgement or control packet: it has no sequence number */
    unsigned sequence, attempt; /* 1: the first way of this packet in the capture */
    uint64_t lines;             /* wires that it was seen on, a bit each */
    size_t first, last;         /* of the passages */
};

/* A line of a way. */
struct way_leg {
    unsigned board, link;          /* what this board drives at this connector */
    int reader;                    /* the board at its far end; -1: none */
    const struct wire *wire;       /* NULL: the capture has no channel for it */
    const struct passage *passage; /* NULL: the packet was not seen on it */
};

struct packet_ways {
    const struct testbed *testbed;
    const struct wires *wires; /* of the file that is or was read */
    unsigned source, from, to; /* number of the source; boards of source and target */
    uint32_t target;           /* its address */
    size_t passage_count, way_count, left_out;
    struct passage *passages;
    struct packet_way *ways; /* in order of their first passages, once packet_ways_end was called */
};

/* 0, or -1 with a reason: the testbed has no mesh, or no cable is between the two sites, which are within the mesh. */
int packet_ways_begin(struct packet_ways *ways, const struct testbed *testbed, unsigned source, unsigned target,
                      char *error, size_t error_size);
void packet_ways_free(struct packet_ways *ways);

/* What fills it, for capture_lines_read. */
struct wires_watch packet_ways_watch(struct packet_ways *ways);

/* To be called when all has been seen. */
void packet_ways_end(struct packet_ways *ways);

/* The lines of a way from source to target, in order. Where it was not seen, those of the way with the fewest lines,
 * without channels if there is such a way. way NULL: of a packet that was not seen at all. Returns their number; the
 * caller frees *legs. */
size_t packet_ways_legs(const struct packet_ways *ways, const struct packet_way *way, struct way_leg **legs);

#endif
