/* The requests of `postroad top`: rounds that read the counters of all sites, and some pings behind each. Nothing here
 * waits: requests leave when there is room, and answers come from pr_client_poll.
 *
 *     round: counters of each site, a range after the other -> pings, one at a time -> rest
 *
 * At most PIPELINED_REQUESTS_WINDOW requests are under way at a time; a late one does not count, for up to
 * TOP_OUTSTANDING in all. A round begins an interval after the last one began, and no sooner than that one has been
 * over for as long as it took: half of the time or more there is no request.
 *
 * A site that does not answer a request in a quarter of the time-out is silent. One of the silent ones is asked again
 * in each round, and no round waits for it: each request to it takes up a place in the gateway's window for a while.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_POSTROAD_TOP_SAMPLE_H
#define POSTROAD_POSTROAD_TOP_SAMPLE_H

#include "cli/counter_requests.h"
#include "postroad/top_model.h"

enum { TOP_PINGS = 4 /* a round, to the sites in turn */, TOP_OUTSTANDING = 8 };

struct top_sampler;

/* A request that is under way. */
struct top_request {
    struct top_sampler *sampler; /* NULL: a free place */
    unsigned site;
    bool ping;
    size_t chunk;
    double sent;
    unsigned long answers, round; /* that had come by then; in which it was sent */
};

struct top_sampler {
    struct gateway *gateway;
    struct top_model *model;
    const struct site_set *set;
    double interval; /* seconds from round to round */
    unsigned pings;  /* a round */
    struct counter_requests ranges;
    struct top_reading *readings; /* of this round, by site */
    size_t *chunks;               /* by site: ranges that it has answered in this round */
    bool *silent, *waited_for;    /* by site: it does not answer; a request to it is under way */
    struct top_request requests[TOP_OUTSTANDING];
    size_t next, next_silent, next_ping; /* in the set */
    bool reading, pinging;               /* a part of a round */
    bool silent_asked;                   /* in this round */
    unsigned pings_left;
    unsigned long answers, round; /* of all; the number of rounds that have begun */
    double began, next_round;     /* pr_client_now; no round begins sooner */
    double refused;               /* the node was full: nothing is sent for a moment after */
};

void top_sampler_begin(struct top_sampler *sampler, struct gateway *gateway, struct top_model *model,
                       const struct site_set *set, double interval, unsigned pings);
void top_sampler_end(struct top_sampler *sampler);

/* Sends what has room. A round begins when it is time, unless `paused`. A PR_CLIENT_ status. */
int top_sampler_step(struct top_sampler *sampler, bool paused);

/* Is no round under way? */
bool top_sampler_rests(const struct top_sampler *sampler);

#endif
