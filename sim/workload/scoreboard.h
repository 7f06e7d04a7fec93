/* Scoreboard: records every packet that was generated, checks the content of every delivery, and checks that each
 * packet arrives exactly once at each of its targets or is accounted for.
 *
 * A packet's life has these steps. It is generated and waits in its source's queue, which has no limit. The sender's
 * operator accepts it and gives it a sequence number. It is injected when its first word moves. It is delivered to each
 * target.
 *
 * The data words of a packet, and the target_info words of each of its targets, follow from the seed and the packet's
 * number alone, so no content has to be stored. A delivery is identified by its source, the source's epoch, and the
 * sequence number (O8). The cost of an operation does not depend on the number of packets.
 *
 * A target of an accepted packet has one of these fates. Delivered, once. Reported as failed by the source: the source
 * has no proof of delivery, so the packet may still be delivered. Written off, because the source was reset or stopped
 * for good while it kept the packet: it may still be delivered, once. A target without a fate at the end is lost. With
 * the reliable service a packet is finished when every target has its fate and its source has reported the packet as
 * settled (or was reset). With the raw service it is finished when every target has its fate.
 *
 * A source is a site, or, numbered behind the sites, a member of a group (firmware/multicast): a site numbers the
 * packets for each group apart, and has a queue for each. Who reports what became of a packet of a group keeps it: its
 * source, or of an ordered group the leader, once it has put it in order. If both lose sight of each other, both
 * report.
 *
 * The packets of a run may be divided among several scoreboards, by their sources. Totals and histograms are then sums
 * of theirs, but for the longest silence, which is the longest of theirs.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_WORKLOAD_SCOREBOARD_H
#define POSTROAD_WORKLOAD_SCOREBOARD_H

#include <stdbool.h>
#include <stdint.h>

#include "workload/statistics.h"
#include "workload/steadiness.h"
#include "workload/time_slices.h"
#include "workload/traffic.h"
#include "workload/warm_up.h"

enum {
    SCOREBOARD_NONE = -1,
    SCOREBOARD_EPOCHS = 32, /* by which packets are distinguished: the last so many */
    SCOREBOARD_COMPLAINT_SIZE = 200
};

enum scoreboard_verdict {
    SCOREBOARD_GOOD,
    SCOREBOARD_DUPLICATED, /* this target has had this packet */
    SCOREBOARD_CORRUPTED,  /* the right packet, but length, words, target_info or stamps are wrong */
    SCOREBOARD_STRAY,      /* not for this site */
    SCOREBOARD_UNKNOWN     /* no packet with this source, epoch and sequence number has been accepted (yet) */
};

/* The measurement window: packets generated in [from, to). */
struct scoreboard_window {
    uint64_t from, to;
};

struct scoreboard_totals {
    uint64_t packets;               /* generated */
    uint64_t accepted;              /* by an operator */
    uint64_t completed;             /* delivered to every target */
    uint64_t finished;              /* nothing more is expected of it */
    uint64_t abandoned;             /* in the queue of a source that has stopped for good */
    uint64_t expected;              /* deliveries: targets of all packets */
    uint64_t accepted_targets;      /* of the packets accepted */
    uint64_t deliveries;            /* the first to each target, corrupted ones included */
    uint64_t failed;                /* targets reported as failed */
    uint64_t failed_delivered;      /* of those: delivered all the same, before or after the report */
    uint64_t written_off;           /* targets whose fate went down with the source */
    uint64_t written_off_delivered; /* of those: delivered afterwards */
    uint64_t duplicated, corrupted, stray;
    uint64_t disordered;      /* behind a later packet of the same source, with scoreboard_check_order; of an ordered
                                 group: in another place than elsewhere, or not in the order of places */
    uint64_t generated_words; /* within the window */
    uint64_t accepted_words;  /* of packets completed within the window, whenever they were generated */
    uint64_t completed_words; /* of all packets */
    uint64_t class_generated_words[TRAFFIC_CLASSES], class_accepted_words[TRAFFIC_CLASSES];
    uint64_t longest_silence; /* most clocks in which a source had packets and none of them settled */
};

struct scoreboard; /* opaque */

/* NULL without memory. `most_targets`: the largest number of targets of any packet. */
struct scoreboard *scoreboard_create(const struct mesh_config *mesh, uint64_t seed, unsigned most_targets);
void scoreboard_free(struct scoreboard *scoreboard);

/* Measures so many classes of packets apart (struct traffic_packet). 0, or -1 without memory. */
int scoreboard_add_classes(struct scoreboard *scoreboard, unsigned count);

/* Enables the order check: each target must receive the packets of a source in the order in which they were generated.
 * 0, or -1 without memory; the check takes 8 bytes for each pair of sites. */
int scoreboard_check_order(struct scoreboard *scoreboard);

/* Sources of groups: the sites of the members of all groups, `members` each, one group behind the other. `ordered`:
 * each delivery has a place in the order of its group. 0, or -1 without memory. */
int scoreboard_add_groups(struct scoreboard *scoreboard, const uint16_t *sites, unsigned count, unsigned members,
                          bool ordered);

/* With the members of groups; the site of one. */
uint32_t scoreboard_sources(const struct scoreboard *scoreboard);
uint32_t scoreboard_site(const struct scoreboard *scoreboard, uint32_t source);

/* Sets the measurement window. At first it contains all packets. Its end may become known only during the run. */
void scoreboard_set_window(struct scoreboard *scoreboard, struct scoreboard_window window);

/* Called once for each packet: when it has arrived at every target, or when nothing more is expected of it, which may
 * be within scoreboard_generate. `number`: packets in the order in which they were generated, from 0. It may not call
 * the scoreboard. */
typedef void scoreboard_over(void *context, uint64_t number);
void scoreboard_on_over(struct scoreboard *scoreboard, scoreboard_over *over, void *context);

/* Adds a packet at the end of its source's queue. 0, or -1 without memory. */
int scoreboard_generate(struct scoreboard *scoreboard, const struct traffic_packet *packet);

/* A packet was generated that another scoreboard records: it takes a number all the same. */
void scoreboard_pass(struct scoreboard *scoreboard);

/* The packet at the head of a source's queue, SCOREBOARD_NONE if it is empty or was abandoned. */
int32_t scoreboard_waiting(const struct scoreboard *scoreboard, uint32_t source);

/* The source of a packet; the sequence number of one that has been accepted, and that packet if it is not complete. */
uint32_t scoreboard_source(const struct scoreboard *scoreboard, int32_t packet);
uint16_t scoreboard_sequence(const struct scoreboard *scoreboard, int32_t packet);
int32_t scoreboard_find(const struct scoreboard *scoreboard, uint32_t source, uint16_t sequence);

/* Its targets (valid until the next scoreboard_generate), and its data words into `words`. */
const uint32_t *scoreboard_targets(const struct scoreboard *scoreboard, int32_t packet, unsigned *count);
unsigned scoreboard_data(const struct scoreboard *scoreboard, int32_t packet, uint32_t *words);

/* The target_info words of the packet's target number `place`, at most TRAFFIC_MAX_INFO. They differ from target to
 * target. */
unsigned scoreboard_info(const struct scoreboard *scoreboard, int32_t packet, unsigned place, uint32_t *words);

/* The packet is not sent to this target, which is no member of the group now; it has no fate yet, or it stays a target.
 */
void scoreboard_spare(struct scoreboard *scoreboard, int32_t packet, uint32_t site);

/* The operator has accepted the packet at the head of its source's queue; or the packet was injected. A packet that is
 * not finished 65536 packets later is given up: it counts as lost, and its sequence number passes to the new packet. 0,
 * or -1 without memory. */
int scoreboard_accept(struct scoreboard *scoreboard, int32_t packet, uint64_t clock, uint16_t sequence);
void scoreboard_inject(struct scoreboard *scoreboard, int32_t packet, uint64_t clock);

struct scoreboard_delivery {
    uint32_t site, source;
    uint16_t sequence;
    uint8_t epoch; /* of the source, modulo SCOREBOARD_EPOCHS */
    const uint32_t *data, *info;
    unsigned data_words, info_words;
    uint32_t receiver;        /* packet of a group: the member at `site`, as a source; */
    uint16_t place;           /* if that group is ordered, in its order */
    bool stamps_wrong;        /* they are not the clocks in which the packet's first word and its terminator arrived */
    uint64_t clock_arrived;   /* the terminator reached the target's network_interface */
    uint64_t clock_delivered; /* the evaluator was called */
};

enum scoreboard_verdict scoreboard_deliver(struct scoreboard *scoreboard, const struct scoreboard_delivery *delivery);

/* To be called for a delivery that stayed unknown because no such packet was ever sent. It counts as stray. */
void scoreboard_refuse(struct scoreboard *scoreboard, const struct scoreboard_delivery *delivery);

/* Reliable service: the source reports that a target of a packet of its present epoch has failed, or that a packet is
 * settled. With `prompt` every target must have its fate by then; without it, deliveries may still become known. */
void scoreboard_fail(struct scoreboard *scoreboard, uint32_t source, uint16_t sequence, uint32_t site);
void scoreboard_settle(struct scoreboard *scoreboard, uint32_t source, uint16_t sequence, uint64_t clock, bool prompt);

/* From now on the first member of its group, the leader, keeps the packet in place of its source: it is written off if
 * that one is gone. */
void scoreboard_hand_over(struct scoreboard *scoreboard, int32_t packet);

/* A site was reset: the packets that it kept are written off, and its next packets belong to this epoch. It is no
 * member of any group any more. 0, or -1 without memory. */
int scoreboard_restart(struct scoreboard *scoreboard, uint32_t site, uint64_t clock, unsigned epoch);

/* A site has stopped for good: the packets that it kept are written off, and the packets in its queue are abandoned. */
void scoreboard_stop(struct scoreboard *scoreboard, uint32_t site, uint64_t clock);

/* This source sends no more: the packets in its queue are abandoned. */
void scoreboard_abandon(struct scoreboard *scoreboard, uint32_t source, uint64_t clock);

/* Packets of this source that were accepted and have not settled. */
uint32_t scoreboard_on_their_way(const struct scoreboard *scoreboard, uint32_t source);

const struct scoreboard_totals *scoreboard_totals(const struct scoreboard *scoreboard);

/* Targets of accepted packets without any fate. */
uint64_t scoreboard_lost(const struct scoreboard *scoreboard);

/* Of these targets: those of packets that their source has not reported as settled, or has reported before all
 * deliveries of that time are known. */
uint64_t scoreboard_in_flight(const struct scoreboard *scoreboard);

/* To be called when the run has ended in this clock: silences that last until then end with the run. */
void scoreboard_conclude(struct scoreboard *scoreboard, uint64_t clock);

/* Of good deliveries within the window: generation to delivery (of packets to one site and to several also apart), and
 * injection to arrival. Of all packets: acceptance to settled. Of multicasts generated within the window: generation to
 * the last delivery. Of packets to groups: the same two, and they are no multicasts. They may be moved out when the run
 * has ended. */
struct statistics *scoreboard_latency(struct scoreboard *scoreboard);
struct statistics *scoreboard_unicast_latency(struct scoreboard *scoreboard);
struct statistics *scoreboard_multicast_latency(struct scoreboard *scoreboard);
struct statistics *scoreboard_network_latency(struct scoreboard *scoreboard);
struct statistics *scoreboard_settling(struct scoreboard *scoreboard);
struct statistics *scoreboard_completion(struct scoreboard *scoreboard);
struct statistics *scoreboard_group_latency(struct scoreboard *scoreboard);
struct statistics *scoreboard_group_completion(struct scoreboard *scoreboard);

/* Those of scoreboard_latency that are of a class. */
struct statistics *scoreboard_class_latency(struct scoreboard *scoreboard, unsigned class_number);

/* The latencies of scoreboard_latency by the clock of generation, which counts from the begin of the window. */
struct steadiness *scoreboard_steadiness(struct scoreboard *scoreboard);

/* The same of completions, of multicasts and packets to groups. */
struct steadiness *scoreboard_completion_steadiness(struct scoreboard *scoreboard);

/* From now on, the latencies of scoreboard_latency go into this series too. */
void scoreboard_set_series(struct scoreboard *scoreboard, struct warm_up_series *series);

/* From now on, all good deliveries and completions go into these slices too. */
void scoreboard_set_slices(struct scoreboard *scoreboard, struct time_slices *slices);

/* Words of a source within the window: of packets generated, and of packets that are over, whenever they were
 * generated. */
struct scoreboard_acceptance {
    uint32_t offered, accepted;
};
struct scoreboard_acceptance scoreboard_acceptance(const struct scoreboard *scoreboard, uint32_t source);

/* The first error, in words; empty if there was none. And its place among those of several scoreboards: less for an
 * earlier clock, and in one clock for a lower site; UINT64_MAX without an error. */
const char *scoreboard_complaint(const struct scoreboard *scoreboard);
uint64_t scoreboard_complaint_place(const struct scoreboard *scoreboard);

/* Describes the oldest packet that is still in transit. Returns its number; UINT64_MAX, and an empty text, if there is
 * none. */
uint64_t scoreboard_describe_outstanding(const struct scoreboard *scoreboard, char *text, int size);

#endif
