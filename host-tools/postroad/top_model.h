/* What `postroad top` knows of a mesh: counters that were read round by round become rates, totals since a base line,
 * and ranks. Pure: nothing here asks a site or draws.
 *
 * A round reads the counters of the sites that answer. What the verb's own packets have added is left out:
 *
 *     counter of round k+1 - counter of round k - own share of round k (its requests; pings follow the reading)
 *
 * The share is reckoned, since counters do not tell whose a packet was. A request and its answer are a packet each,
 * over the way that top_ways.h names, and each end acknowledges the packet of the other: by as many packets of
 * their own as the site has sent acknowledgements, the rest with data. It is exact where no packet is diverted, but for
 * acknowledgements among those of others. Of the clocks in which words waited at an output, others have as large a
 * part as they have of its words.
 *
 * Where a link carries more than the words of a packet, or packets go other ways, the words of a round in which nobody
 * else sends tell the own share of that round and of later ones.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_POSTROAD_TOP_MODEL_H
#define POSTROAD_POSTROAD_TOP_MODEL_H

#include "cli/counter_requests.h"
#include "mesh/mesh.h"
#include "postroad/top_ways.h"
#include "protocol.h"

enum {
    TOP_COUNTERS = COUNTERS_OF_A_SITE,
    TOP_PORTS = PR_COUNTER_STALLS - PR_COUNTER_WORDS_OUT, /* at most, of a site; 0 is its own */
};

struct top_reading {
    bool answered;
    double time; /* seconds */
    uint32_t counters[TOP_COUNTERS];
};

/* Requests of this verb to a site that were answered, and the words of them and of the answers on a link. */
struct top_own {
    unsigned packets;
    unsigned long words, answer_words;
};

struct top_trips {
    unsigned count;
    uint32_t last, least; /* clocks */
    double sum;
};

struct top_site {
    bool asked;              /* it has an operator, and the user has chosen it */
    bool answers;            /* in the last round */
    bool known;              /* it has answered once */
    bool restarted;          /* within the last interval */
    unsigned restarts;       /* since the base line */
    double seconds;          /* between its last two readings; 0: there are no two */
    struct top_reading last; /* as it was read */
    double added[TOP_COUNTERS],
        total[TOP_COUNTERS]; /* by others than this verb: between those two, since the base line */
    struct top_trips trips;  /* since the base line */
    struct top_own pending;  /* own packets since the last round began */
    double own[TOP_COUNTERS], own_read[TOP_COUNTERS]; /* by this verb, all in all; and until the last reading */
    double words_each[TOP_PORTS];                     /* for each own packet, as quiet rounds had them */
};

struct top_model {
    const struct mesh_config *mesh;
    const struct top_ways *ways;
    bool reliable;
    unsigned gateway, ports; /* the site that asks; ports of a site */
    unsigned rounds;
    unsigned quiet_rounds;           /* that words_each is the mean of; 0: the share is reckoned */
    double base;                     /* seconds: the time of the base line */
    double now;                      /* of the last round */
    double own_packets, own_seconds; /* of this verb between the last two rounds */
    struct top_site *sites;
};

enum top_sort {
    TOP_BY_TROUBLE, /* silent ones, then lost packets, then waiting, then repeated work */
    TOP_BY_SENT,
    TOP_BY_DELIVERED,
    TOP_BY_WORDS,
    TOP_BY_LATENCY,
    TOP_BY_SITE,
    TOP_SORTS
};

/* An output of a site, and its rates. */
struct top_link {
    int site, port;
    double words, stalls, drops; /* a second */
};

enum top_health { TOP_WELL, TOP_WAITED, TOP_SHORT, TOP_OVERRUN, TOP_GAVE_UP, TOP_RESTARTED, TOP_SILENT };

/* Words of a packet on a link, beside its data: target, header, terminator. And of an acknowledgement that data
 * carries. */
enum { TOP_PACKET_WORDS = 1 + PR_HEADER_WORDS + 1, TOP_CARRIED_WORDS = 2 };

void top_model_begin(struct top_model *model, const struct mesh_config *mesh, const struct top_ways *ways,
                     unsigned gateway, bool reliable);
void top_model_end(struct top_model *model);

/* Takes a round: a reading for each site of the mesh, and what was asked of each in the round and behind it. */
void top_model_round(struct top_model *model, const struct top_reading *readings, double now);
void top_model_own(struct top_model *model, unsigned site, unsigned words, unsigned answer_words);
void top_model_ping(struct top_model *model, unsigned site, uint32_t clocks);

/* Totals and trips begin anew. */
void top_model_rebase(struct top_model *model, double now);

/* Packets or words a second between the last two readings; 0: there are no two. */
double top_rate(const struct top_site *site, unsigned counter);

/* Of a site, derived from its counters. */
double top_sent(const struct top_site *site); /* a second, no acknowledgements, none of other sites */
double top_words(const struct top_model *model, const struct top_site *site);    /* a second over its links */
double top_discards(const struct top_model *model, const struct top_site *site); /* packets, and drops of its links */
double top_resent(const struct top_site *site);                                  /* since the base line */
enum top_health top_health(const struct top_site *site);
const char *top_health_text(enum top_health health);

/* The asked sites in this order, and the number of them. */
size_t top_sort_sites(const struct top_model *model, enum top_sort sort, uint16_t *out);
const char *top_sort_text(enum top_sort sort);

/* The connected outputs of the sites that answer, the worst first: by drops, stalls and words. `out` has room for
 * sites * ports. */
size_t top_sort_links(const struct top_model *model, struct top_link *out);

/* The rate of the busiest link, without the sites' own ports. */
double top_busiest(const struct top_model *model);

#endif
