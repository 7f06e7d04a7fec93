/* Traffic: the source, targets, length and clock of each packet. Synthetic traffic is deterministic: the same options
 * give the same packets, whatever the mesh does with them. Packets of a trace may wait for the arrival of others.
 *
 * A packet's size is counted in words on a link: its targets and their target_info, the operator's header of
 * TRAFFIC_HEADER_WORDS, its data and its terminator. The load is words per site and clock; a multicast counts once, and
 * what is sent to a group (firmware/multicast) as a packet to one site: how many words move depends on the shape.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_WORKLOAD_TRAFFIC_H
#define POSTROAD_WORKLOAD_TRAFFIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mesh/mesh.h"
#include "multicast/shapes.h"
#include "support/random.h"
#include "workload/packet_trace.h"
#include "workload/traffic_matrix.h"

enum {
    TRAFFIC_HEADER_WORDS = 3,
    TRAFFIC_MAX_TARGETS = 256,
    TRAFFIC_MAX_INFO = 8,
    TRAFFIC_MAX_GROUPS = 256,
    TRAFFIC_CLASSES = 8,
    TRAFFIC_CLASS_NAME = 16,
    TRAFFIC_GROUPS_OF_SITE = 8,         /* as a native operator has room for */
    TRAFFIC_NO_SHAPE = PR_GROUP_SHAPES, /* the operator's packets: to all other members, as a multicast */
    TRAFFIC_SHAPES
};

enum traffic_pattern {
    TRAFFIC_UNIFORM,        /* any site, the sender included */
    TRAFFIC_TRANSPOSE,      /* (x, y) to (y, x); hypercube: the halves of the address change places */
    TRAFFIC_BIT_COMPLEMENT, /* (x, y) to (size_x - 1 - x, size_y - 1 - y); hypercube: every bit flipped */
    TRAFFIC_TORNADO,        /* nearly half way round in each dimension; not for a hypercube */
    TRAFFIC_NEIGHBOUR,      /* one of the sites a link away */
    TRAFFIC_BIT_REVERSE,    /* the bits of the site's number in reverse order */
    TRAFFIC_SHUFFLE,        /* the bits of its number turned left by one */
    TRAFFIC_PERMUTATION,    /* a permutation of the sites that is drawn from the seed */
    TRAFFIC_ASYMMETRIC,     /* modulo half of the sites, in either half */
    TRAFFIC_HOT_SPOT,       /* hot_share of all packets to hot_site, the others uniform */
    TRAFFIC_MATRIX,         /* as `matrix` has it; the load is the mean of all sites */
    TRAFFIC_TRACE           /* the packets of `trace`; all that follows is of no meaning */
};

enum traffic_process {
    TRAFFIC_BERNOULLI, /* a packet begins in each clock with the same probability */
    TRAFFIC_BURSTY     /* bursts of packets end to end at one word a clock, silence between bursts */
};

/* Packets that are measured apart. What a class has stands in the place of the same of the options. */
struct traffic_class {
    char name[TRAFFIC_CLASS_NAME];
    double share; /* of all packets; those of all classes are 1 together */
    enum traffic_pattern pattern;
    unsigned length;
    bool geometric;
    double multicast;
};

struct traffic_options {
    enum traffic_pattern pattern;
    const struct packet_trace *trace;    /* the caller's; of this mesh */
    const struct traffic_matrix *matrix; /* the same */
    enum traffic_process process;
    double load;              /* words per site and clock, more than 0, at most 1; 0: only with a broadcast */
    double burst;             /* bursty: mean packets in a burst, at least 1 */
    unsigned length;          /* data words behind the header; with geometric: their mean, at least 1 */
    bool geometric;           /* data words are 1, 2, ... with falling probability, cut off at what fits a packet */
    double multicast;         /* share of packets that are multicast, 0 to 1 */
    unsigned targets;         /* of a multicast: the first by the pattern, the others any others, all different */
    unsigned targets_least;   /* not 0: as many as that to `targets`, each number as likely as the others */
    unsigned info;            /* target_info words behind each target */
    uint64_t broadcast_every; /* not 0: broadcast_site sends to all others every so many clocks, and nothing else */
    unsigned broadcast_site;
    unsigned hot_site;
    double hot_share;
    unsigned groups;    /* not 0: of `members` sites each, which are drawn so that each site is in as many as others */
    unsigned members;   /* 2 to PR_GROUP_MEMBERS_MAX */
    unsigned shape;     /* of the groups: PR_GROUP_SHAPE_*, or TRAFFIC_NO_SHAPE */
    double group_share; /* of the packets of a member that go to one of its groups; who is in none sends the others */
    unsigned joins;     /* so many sites join the first group during the run; the others form it */
    struct traffic_class classes[TRAFFIC_CLASSES];
    unsigned class_count; /* 0: all packets are as the options say; else there are no groups, broadcasts or traces */
    uint64_t seed;
};

struct traffic_packet {
    uint64_t clock; /* in which it is generated */
    uint32_t source;
    uint16_t data_words; /* behind the header */
    uint16_t info_words; /* behind each target */
    uint16_t target_count;
    uint16_t class_number;   /* 0 without classes */
    const uint32_t *targets; /* valid until the next traffic_next */
    uint32_t member;         /* not 0: sent to a group by this member, less 1, of traffic_members */
};

struct traffic; /* opaque */

/* NULL with a reason in `error`: an argument is out of range, or this topology lacks the pattern. `mesh` and `options`
 * are copied. Release with traffic_free. */
struct traffic *traffic_create(const struct mesh_config *mesh, const struct traffic_options *options, char *error,
                               size_t error_size);
void traffic_free(struct traffic *traffic);

/* traffic_clock: the clock of the next packet; clocks never decrease. UINT64_MAX: none can be sent, before a packet
 * arrives. traffic_next: takes that packet and draws the one after it. traffic_arrived: the packet that was taken as
 * number `taken`, from 0, has arrived at all its targets, or is not expected any more. */
uint64_t traffic_clock(const struct traffic *traffic);
void traffic_next(struct traffic *traffic, struct traffic_packet *packet);
void traffic_arrived(struct traffic *traffic, uint64_t taken, uint64_t clock);

/* The number of words of a packet on a link, and the mean by which the load is divided. */
unsigned traffic_packet_words(const struct traffic_packet *packet);
double traffic_mean_words(const struct traffic *traffic);

/* The largest number of targets of any packet. */
unsigned traffic_most_targets(const struct traffic *traffic);

/* What a source sends of one class, on average and at a load of 1, of traffic without groups, broadcasts and traces. */
struct traffic_flow {
    double packets;          /* a clock */
    double words, one_words; /* of a packet, and of one for one site */
    double others;           /* targets of a packet but the first, which are any others */
};

/* Classes, or 1; and what one of them sends from a site that has an operator. shares[site]: of the first targets. */
unsigned traffic_kinds(const struct traffic *traffic);
struct traffic_flow traffic_flow(const struct traffic *traffic, unsigned kind, uint32_t site, double *shares);

/* The sites of all members of groups: those of the first group in the order of their numbers, then those of the second,
 * and so on. *count: how many; 0 where no packets are sent to groups, but by the operator. */
const uint16_t *traffic_members(const struct traffic *traffic, unsigned *count);

/* Names in the command line's spelling; -1 if there is no such name. */
int traffic_pattern_by_name(const char *name);
const char *traffic_pattern_name(enum traffic_pattern pattern);
const char *traffic_process_name(enum traffic_process process);
int traffic_shape_by_name(const char *name);
const char *traffic_shape_name(unsigned shape);

#endif
