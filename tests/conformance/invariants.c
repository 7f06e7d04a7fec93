/* See invariants.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "invariants.h"

#include <inttypes.h>
#include <string.h>

#include "check.h"
#include "mesh/discipline.h"
#include "mesh/mesh_own.h"

enum { LINK_COUNTERS = 16 };

static void equal(const char *what, uint64_t found, uint64_t expected)
{
    check(found == expected, "%s %" PRIu64 ", expected %" PRIu64, what, found, expected);
}

/* Every target of every accepted packet has one fate. */
static void check_fates(const struct experiment_options *options, const struct experiment_result *result)
{
    const struct scoreboard_totals *totals = &result->totals;
    equal("packets generated", totals->packets, options->packets);
    equal("packets neither accepted nor abandoned", totals->packets - totals->accepted - totals->abandoned, 0);
    equal("packets finished", totals->finished, totals->accepted);
    equal("lost", result->lost, 0);
    equal("in flight", result->in_flight, 0);
    equal("duplicated", totals->duplicated, 0);
    equal("corrupted", totals->corrupted, 0);
    equal("stray", totals->stray, 0);
    equal("disordered", totals->disordered, 0);
    equal("fates",
          totals->deliveries + totals->failed - totals->failed_delivered + totals->written_off -
              totals->written_off_delivered,
          totals->accepted_targets);
    if (result->end != END_COMPLETE)
        return;
    equal("packets accepted", totals->accepted, totals->packets);
    equal("packets completed", totals->completed, totals->packets);
    equal("deliveries", totals->deliveries, totals->expected);
    equal("failed or written off", totals->failed + totals->written_off, 0);
}

static bool counts(const struct discipline *discipline, unsigned index)
{
    for (const struct discipline_counter *counter = discipline->counters; counter->name; counter++)
        if (counter->index == index)
            return true;
    return false;
}

/* A discipline has no events but those of its row. */
static void check_events(const struct mesh_config *mesh, const uint64_t *counters)
{
    static const struct {
        unsigned index;
        const char *name;
    } events[] = {{PR_COUNTER_DIVERSIONS, "diversions"},
                  {PR_COUNTER_ABORTS, "aborts"},
                  {PR_COUNTER_DEFERRALS, "deferrals"},
                  {PR_COUNTER_DEAD_FLITS, "dead flits"},
                  {PR_COUNTER_RESENT_AFTER_ABORT, "resent after abort"}};
    for (unsigned i = 0; i < sizeof events / sizeof *events; i++)
        if (!counts(mesh->discipline, events[i].index))
            equal(events[i].name, counters[events[i].index], 0);
    if (!(mesh->discipline->capabilities & PR_NI_CAPABILITIES_MULTICAST)) {
        equal("splits", counters[PR_COUNTER_SPLITS], 0);
        equal("unicast fallbacks", counters[PR_COUNTER_UNICAST_FALLBACKS], 0);
    }
}

/* Words of links are counted three times: by the simulator, link by link, and by the sites. The simulator of tests has
 * no links. */
static void check_links(const struct mesh_config *mesh, const struct experiment_options *options,
                        const struct experiment_result *result)
{
    uint64_t used = 0, counted = 0;
    if (options->engine && strcmp(options->engine, "ideal") == 0)
        return;
    for (int i = 0; i < mesh->sites * mesh->links; i++)
        used += result->link_use[i];
    for (unsigned port = 1; port < LINK_COUNTERS; port++)
        counted += result->counters[PR_COUNTER_WORDS_OUT + port];
    equal("words of all links", used, result->link_words);
    equal("words that sites have sent on links", counted, result->link_words);
}

static bool has_key(const struct mesh_config *mesh, const char *name, uint32_t value)
{
    for (unsigned i = 0; i < mesh->discipline->own_count; i++)
        if (mesh->own[i] == value && strcmp(mesh->discipline->own[i].key.name, name) == 0)
            return true;
    return false;
}

/* Packets that leave at once, before anything is reserved for them, may be cut. They come again, whole. */
static bool may_be_cut(const struct mesh_config *mesh)
{
    return has_key(mesh, "express", 1);
}

/* Unicasts that wait for a multicast which stands are dropped (W12). They come again. */
static bool may_be_flushed(const struct mesh_config *mesh)
{
    return has_key(mesh, "multicast", 2);
}

/* Without faults nothing is malformed, dropped or given up, and what enters the network leaves it. */
static void check_faultless(const struct mesh_config *mesh, const struct experiment_result *result)
{
    const uint64_t *counters = result->counters;
    bool several = result->totals.expected > result->totals.packets;
    equal("oversize", counters[PR_COUNTER_RECEIVED_OVERSIZE], 0);
    equal("malformed", counters[PR_COUNTER_DISCARDED], 0);
    equal("targets failed", counters[PR_COUNTER_TARGETS_FAILED], 0);
    equal("peers restarted", counters[PR_COUNTER_PEERS_RESTARTED], 0);
    equal("bad records", counters[PR_COUNTER_BAD_RECORDS], 0);
    for (unsigned port = 0; port < LINK_COUNTERS && !may_be_flushed(mesh); port++)
        equal("drops", counters[PR_COUNTER_DROPS + port], 0);
    if (several && mesh_capabilities(mesh) & (PR_NI_CAPABILITIES_MULTICAST | PR_NI_CAPABILITIES_SUBCUBES))
        return;
    if (!may_be_cut(mesh))
        equal("received packets that were aborted", counters[PR_COUNTER_RECEIVED_ABORTED], 0);
    equal("packets that left network_interfaces",
          counters[PR_COUNTER_RECEIVED_PACKETS] + counters[PR_COUNTER_RECEIVED_DISCARDED],
          counters[PR_COUNTER_SENT_PACKETS]);
}

void invariants_check(const struct mesh_config *mesh, const struct experiment_options *options,
                      const struct experiment_result *result)
{
    const uint64_t *counters = result->counters;
    const struct statistics *all = &result->latency;
    check_fates(options, result);
    check_events(mesh, counters);
    check_links(mesh, options, result);
    equal("latencies of both kinds of packets", result->unicast_latency.count + result->multicast_latency.count,
          all->count);
    if (!options->firmware) /* the small operator counts requests for its counters, too */
        equal("deliveries that operators count", counters[PR_COUNTER_DELIVERED], result->totals.deliveries);
    check(result->faults.resets ||
              counters[PR_COUNTER_DUPLICATES] <= (uint64_t)mesh->sites * counters[PR_COUNTER_TIME_OUTS],
          "more duplicates than packets that were sent again");
    if (options->fault_count == 0)
        check_faultless(mesh, result);
}
