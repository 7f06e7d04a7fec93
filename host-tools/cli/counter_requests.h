/* Counters of many sites, in ranges that answers have room for, through one gateway.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_CLI_COUNTER_REQUESTS_H
#define POSTROAD_CLI_COUNTER_REQUESTS_H

#include "cli/pipelined_requests.h"
#include "cli/site_set.h"

enum { COUNTER_CHUNKS_MAX = 128, COUNTERS_OF_A_SITE = PR_COUNTER_RELAYED + 1 };

struct counter_chunk {
    unsigned first, count;
};

/* The names of all counters, those of boards too; behind the last, count is 0. */
struct counter_name {
    unsigned first, count;
    const char *name;
};
extern const struct counter_name counter_names[];

/* Is it one of a site, and of one word? */
static inline bool counter_is_single(const struct counter_name *counter)
{
    return counter->count == 1 && counter->first < COUNTERS_OF_A_SITE;
}

struct counter_requests {
    const char *label;
    struct counter_chunk chunks[COUNTER_CHUNKS_MAX];
    size_t chunk_count;
    void *context;
    /* Called whenever a request is sent to a site; NULL: not. */
    void (*asks)(void *context, unsigned site);
    /* Called with the answer to one chunk. */
    void (*take)(void *context, const struct pr_message_counters *counters);
    /* Of the run. */
    const struct site_set *set;
    size_t first_chunk;
};

/* Adds a range of counters, cut into chunks: an answer has to fit a packet of the gateway's mesh. */
void counter_requests_add(struct counter_requests *requests, const struct gateway *gateway, unsigned first,
                          unsigned count);

/* Adds all counters of a site with so many ports, its own included: COUNTERS_OF_A_SITE at most. */
void counter_requests_add_all(struct counter_requests *requests, const struct gateway *gateway, unsigned ports);

/* Requests `count` chunks, from `first_chunk` on, of each site of the set. *run says what became of them; the result is
 * that of pipelined_requests_run. */
int counter_requests_run(struct counter_requests *requests, struct gateway *gateway, const struct site_set *set,
                         size_t first_chunk, size_t count, struct pipelined_requests *run);

#endif
