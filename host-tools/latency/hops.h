/* From line to line. A packet that leaves a board on one line and was seen before on a line into that board has made a
 * hop; the first and the last line on its way are its ends.
 *
 *        left.east            right.north
 *   [left]---------->[right]------------->[up]       hop: left.east -> right.north, from start bit to start bit
 *
 * Memory is bounded: packets are remembered for a second or HOPS_MEMORY packets, whichever is less, so a latency that
 * is longer is not found.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_LATENCY_HOPS_H
#define POSTROAD_LATENCY_HOPS_H

#include "latency/strobes.h"

enum { HOPS_MEMORY = 1 << 16, HOPS_MAX = 64 };

/* A packet that was seen on a line. */
struct sighting {
    uint64_t identity;
    double began; /* samples since the start of the capture */
    float error, first_error, second_error;
    double first_began, second_began; /* where its way begins, and behind its first hop */
    uint64_t claimed;                 /* lines onto which it was followed, a bit each */
    uint64_t number;                  /* since the start */
    unsigned older;                   /* the sighting before in the same bucket, plus 1; 0: none */
    uint8_t wire, first_wire, hops;
    bool moved_on;
    bool jumped; /* the capture's time has a jump on its way */
};

/* Hops that no board makes: shorter than a frame. */
struct short_hops {
    uint64_t count;
    unsigned from, to; /* the wires of the shortest */
    double least;      /* samples */
};

struct hops {
    struct wires *wires;
    struct sighting *sightings;  /* a ring */
    uint64_t sighting_count;     /* since the start */
    uint64_t forgotten;          /* of them: ends that were drawn */
    unsigned *buckets;           /* the latest sighting of each, plus 1 */
    uint64_t unmatched, matched; /* packets on lines behind a captured line */
    struct short_hops short_hops;

    /* Of each packet that made several hops: the mean of those behind the first one, and by how much the first was
     * longer. */
    struct readings later_hops, first_hops;
};

void hops_begin(struct hops *hops, struct wires *wires);
void hops_free(struct hops *hops);

/* A packet that was not aborted, of each line in order of time. Returns where it was on its way to the board that
 * drives the line. */
struct passage_before hops_packet(struct hops *hops, const struct line_packet *packet, unsigned line);

/* Of packets that were seen before this sample the ways are at their ends. */
void hops_forget(struct hops *hops, double oldest);

#endif
