/* See stats.h: ranks of sites and links by their counters.
 *
 * SPDX-License-Identifier: ISC
 */
#include "operator/operator.h"
#include "postroad/stats.h"
#include "support/or_abort.h"

#include <stdlib.h>

enum {
    PORTS_MAX = PR_COUNTER_STALLS - PR_COUNTER_WORDS_OUT,
    OVERRUN_PARTS = 10, /* one packet in so many discarded: more than a burst of acknowledgements now and then */
};

static bool is_level(unsigned index)
{
    return index == PR_COUNTER_FREE_BUFFERS || index == PR_COUNTER_FEWEST_FREE_BUFFERS;
}

bool stats_complete(const struct stats *stats, size_t site)
{
    return stats->rows[site].chunks == stats->requests.chunk_count;
}

/* Counters wrap, so the difference is right all the same. */
uint32_t stats_value(const struct stats *stats, size_t site, unsigned index)
{
    uint32_t now = stats->rows[site].counters[index];
    bool since = stats->before && stats->before[site].chunks == stats->requests.chunk_count && !is_level(index);
    return since ? now - stats->before[site].counters[index] : now;
}

unsigned stats_own(const struct stats *stats, size_t site)
{
    const struct gateway *gateway = stats->gateway;
    unsigned asked = 0;
    if (!stats->before)
        return 0;
    for (int other = 0; other < gateway->mesh.sites; other++)
        if ((size_t)other == site ? site != gateway->identity.site : site == gateway->identity.site)
            asked += stats->before[other].asked;
    return 2 * asked;
}

bool stats_short_of_buffers(const struct stats *stats, size_t site)
{
    return stats_complete(stats, site) &&
           (stats_value(stats, site, PR_COUNTER_FEWEST_FREE_BUFFERS) <= PR_OPERATOR_RECEIVE_RESERVE ||
            stats_value(stats, site, PR_COUNTER_FOREIGN_DISCARDED));
}

bool stats_overrun(const struct stats *stats, size_t site)
{
    return stats_complete(stats, site) && stats_value(stats, site, PR_COUNTER_RECEIVED_DISCARDED) >
                                              stats_value(stats, site, PR_COUNTER_RECEIVED_PACKETS) / OVERRUN_PARTS;
}

static uint64_t port_sum(const struct stats *stats, size_t site, unsigned first)
{
    uint64_t sum = 0;
    for (unsigned port = 0; port < stats->ports && port < PORTS_MAX; port++)
        sum += stats_value(stats, site, first + port);
    return sum;
}

/* The order from worst to best: lost words, then waiting, then repeated work. */
static uint64_t site_badness(const struct stats *stats, size_t site)
{
    return (port_sum(stats, site, PR_COUNTER_DROPS) << 32) + port_sum(stats, site, PR_COUNTER_STALLS) +
           stats_value(stats, site, PR_COUNTER_RECEIVE_WAITS) + stats_value(stats, site, PR_COUNTER_ABORTS) +
           stats_value(stats, site, PR_COUNTER_RESENT_AFTER_ABORT) + stats_value(stats, site, PR_COUNTER_TIME_OUTS) +
           ((uint64_t)stats_value(stats, site, PR_COUNTER_TARGETS_FAILED) << 32);
}

struct rank {
    uint64_t badness, tie;
    size_t index;
};

static int compare_ranks(const void *a, const void *b)
{
    const struct rank *one = a, *other = b;
    if (one->badness != other->badness)
        return one->badness < other->badness ? 1 : -1;
    if (one->tie != other->tie)
        return one->tie < other->tie ? 1 : -1;
    return one->index < other->index ? -1 : one->index > other->index;
}

uint16_t *stats_rank_sites(const struct stats *stats)
{
    struct rank *ranks = or_abort(calloc(stats->set.count, sizeof *ranks));
    uint16_t *sites = or_abort(calloc(stats->set.count, sizeof *sites));
    for (size_t i = 0; i < stats->set.count; i++) {
        size_t site = stats->set.sites[i];
        ranks[i] = (struct rank){site_badness(stats, site), stats_value(stats, site, PR_COUNTER_SENT_PACKETS), site};
    }
    qsort(ranks, stats->set.count, sizeof *ranks, compare_ranks);
    for (size_t i = 0; i < stats->set.count; i++)
        sites[i] = (uint16_t)ranks[i].index;
    free(ranks);
    return sites;
}

static int compare_links(const void *a, const void *b)
{
    const struct stats_link *one = a, *other = b;
    if (one->drops != other->drops)
        return one->drops < other->drops ? 1 : -1;
    if (one->stalls != other->stalls)
        return one->stalls < other->stalls ? 1 : -1;
    if (one->words != other->words)
        return one->words < other->words ? 1 : -1;
    return one->site != other->site ? one->site - other->site : one->port - other->port;
}

static void add_links(const struct stats *stats, size_t site, struct stats_link *links, size_t *count)
{
    for (unsigned port = 0; stats_complete(stats, site) && port < stats->ports && port < PORTS_MAX; port++)
        if (port == 0 || mesh_far_end(&stats->gateway->mesh, (int)site, (int)port - 1).site >= 0)
            links[(*count)++] = (struct stats_link){
                (int)site, (int)port, stats_value(stats, site, PR_COUNTER_WORDS_OUT + port),
                stats_value(stats, site, PR_COUNTER_STALLS + port), stats_value(stats, site, PR_COUNTER_DROPS + port)};
}

struct stats_link *stats_rank_links(const struct stats *stats, size_t *count)
{
    struct stats_link *links = or_abort(calloc(stats->set.count * stats->ports, sizeof *links));
    *count = 0;
    for (size_t i = 0; i < stats->set.count; i++)
        add_links(stats, stats->set.sites[i], links, count);
    qsort(links, *count, sizeof *links, compare_links);
    return links;
}
