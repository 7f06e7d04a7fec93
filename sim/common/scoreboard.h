/* Scoreboard: knows every packet that was generated, checks every delivery's content, and that each packet
 * arrives exactly once at each of its targets.
 *
 * A packet's life: generated (waiting in its source's queue, without limit), accepted by the sender's
 * operator, which gives it a sequence number, injected (its first word has moved), delivered to each target.
 * The data words of a packet follow from the seed and the packet's number alone, so that nothing but that has
 * to be kept. A delivery is known by its source and sequence number (O8). Everything costs the same at any
 * number of packets.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_SCOREBOARD_H
#define POSTROAD_SCOREBOARD_H

#include <stdbool.h>
#include <stdint.h>

#include "common/statistics.h"
#include "common/traffic.h"

enum { SCOREBOARD_NONE = -1 };

enum scoreboard_verdict {
    SCOREBOARD_GOOD,
    SCOREBOARD_DUPLICATED, /* this target has had this packet */
    SCOREBOARD_CORRUPTED,  /* the right packet, but length or words are wrong */
    SCOREBOARD_STRAY,      /* not for this site */
    SCOREBOARD_UNKNOWN     /* no packet with this source and sequence number has been accepted (yet) */
};

/* What counts for the measurement: packets generated in [from, to). */
struct scoreboard_window {
    uint64_t from, to;
};

struct scoreboard_totals {
    uint64_t packets;         /* generated */
    uint64_t accepted;        /* by an operator */
    uint64_t completed;       /* delivered to every target */
    uint64_t expected;        /* deliveries: targets of all packets */
    uint64_t deliveries;      /* the first to each target, corrupted ones included */
    uint64_t duplicated, corrupted, stray;
    uint64_t generated_words; /* within the window */
    uint64_t accepted_words;  /* of packets completed within the window, whenever they were generated */
};

struct scoreboard; /* opaque */

/* NULL without memory. `most_targets`: the largest number of targets of any packet. */
struct scoreboard *scoreboard_create(const struct mesh_config *mesh, uint64_t seed, unsigned most_targets);
void scoreboard_free(struct scoreboard *scoreboard);

/* Everything at first. The end may become known only while the run goes on. */
void scoreboard_set_window(struct scoreboard *scoreboard, struct scoreboard_window window);

/* A packet appears at the end of its source's queue. 0, or -1 without memory. */
int scoreboard_generate(struct scoreboard *scoreboard, const struct traffic_packet *packet);

/* The packet at the head of a source's queue, SCOREBOARD_NONE if it is empty. */
int32_t scoreboard_waiting(const struct scoreboard *scoreboard, uint32_t source);

/* Its targets (valid until the next scoreboard_generate), and its data words into `words`. */
const uint16_t *scoreboard_targets(const struct scoreboard *scoreboard, int32_t packet, unsigned *count);
unsigned scoreboard_data(const struct scoreboard *scoreboard, int32_t packet, uint32_t *words);

/* The operator took the packet at the head of its source's queue; it was injected. A packet that still waits
 * for a delivery 65536 packets later is given up: it counts as lost, and its sequence number belongs to the
 * new one. 0, or -1 without memory. */
int scoreboard_accept(struct scoreboard *scoreboard, int32_t packet, uint16_t sequence);
void scoreboard_inject(struct scoreboard *scoreboard, int32_t packet, uint64_t clock);

struct scoreboard_delivery {
    uint32_t site;
    uint16_t source, sequence;
    const uint32_t *data;
    unsigned data_words;
    uint64_t clock_arrived;   /* the terminator reached the target's network_interface */
    uint64_t clock_delivered; /* the evaluator was called */
};

enum scoreboard_verdict scoreboard_deliver(struct scoreboard *scoreboard,
                                           const struct scoreboard_delivery *delivery);

/* A delivery that stayed unknown: no such packet was ever sent. Counts as stray. */
void scoreboard_refuse(struct scoreboard *scoreboard, const struct scoreboard_delivery *delivery);

/* Packets of this source that were accepted and are not complete. */
uint32_t scoreboard_on_their_way(const struct scoreboard *scoreboard, uint32_t source);

const struct scoreboard_totals *scoreboard_totals(const struct scoreboard *scoreboard);

/* Of good deliveries within the window: generation to delivery, and injection to arrival. */
const struct statistics *scoreboard_latency(const struct scoreboard *scoreboard);
const struct statistics *scoreboard_network_latency(const struct scoreboard *scoreboard);

/* The first thing that went wrong, in words; empty if nothing did. And a packet that is still on its way. */
const char *scoreboard_complaint(const struct scoreboard *scoreboard);
void scoreboard_describe_outstanding(const struct scoreboard *scoreboard, char *text, int size);

#endif
