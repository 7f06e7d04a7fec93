/* The deadlock of the August paper's Figure 4, on purpose: two neighbours each multicast to both of them. Each packet
 * has its own site's local net_output and waits for the other's, so neither can go on, until a fifo_buffer times out,
 * the router aborts, and the operator sends the rest again.
 *
 * For several skews between the two, equal start clocks included, many rounds each: both packets are delivered at both
 * sites exactly once; wherever the two meet half-way there is an abort in every round; the clocks to recovery are
 * printed. The time-outs of the two may be equal: what ends it is that neither is tried more often than O6 allows.
 *
 * SPDX-License-Identifier: ISC
 */
#include "engine_test.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "protocol.h"

/* CALM: clocks without an abort after which an operator takes its links for calm, and sends a tree (O9). */
enum { ROUNDS = 50, HANDLER = 4, WORDS = 8, MAX_SKEW = 14, LIMIT = 20000, CALM = 131072 };

static struct mesh_config mesh;
static struct simulation *simulation;
static unsigned deliveries[2][2]; /* [source][site] of this round */
static uint32_t last_clock;       /* stamp of the round's last delivery */
static uint32_t round_data;

static void handler(void *context, const struct pr_delivery *delivery)
{
    unsigned site = *(const unsigned *)context;
    bool good = delivery->source < 2 && delivery->data_words == WORDS;
    for (unsigned i = 0; good && i < WORDS; i++)
        good = delivery->data[i] == ((round_data + 100u * delivery->source + i) & 0xffff);
    check(good, "site %u: a delivery with wrong source, length or data", site);
    if (good)
        deliveries[delivery->source][site]++;
    last_clock = delivery->stamp_last;
}

/* Multicast of site `from` to itself, then to the other. */
static void multicast(unsigned from)
{
    const struct pr_target targets[2] = {{.site = (uint16_t)from}, {.site = (uint16_t)(1 - from)}};
    uint32_t data[WORDS];
    for (unsigned i = 0; i < WORDS; i++)
        data[i] = (round_data + 100 * from + i) & 0xffff;
    int result = pr_operator_send(simulation_operator(simulation, from), targets, 2, HANDLER, data, WORDS, NULL);
    check(result == 0, "site %u: operator_send says %d", from, result);
}

static unsigned aborts(void)
{
    return simulation_counter(simulation, 0, PR_COUNTER_ABORTS) + simulation_counter(simulation, 1, PR_COUNTER_ABORTS);
}

static unsigned resent(void)
{
    return pr_operator_counter(simulation_operator(simulation, 0), PR_COUNTER_RESENT_AFTER_ABORT) +
           pr_operator_counter(simulation_operator(simulation, 1), PR_COUNTER_RESENT_AFTER_ABORT);
}

/* An operator looks at its links when it sends. So each sends alone, sees what the last round was, and has time. */
static void forget_last_round(void)
{
    for (unsigned from = 0; from < 2; from++) {
        multicast(from);
        check(run_until_idle(simulation, LIMIT), "site %u alone: not idle after %d clocks", from, LIMIT);
    }
    simulation_run(simulation, CALM);
}

/* One round: `first` sends, `skew` clocks later the other does. Returns the clocks from the first to the last delivery.
 */
static unsigned run_round(unsigned first, unsigned skew)
{
    round_data += 7;
    forget_last_round();
    memset(deliveries, 0, sizeof deliveries);
    uint32_t begin = (uint32_t)simulation_clock(simulation);
    multicast(first);
    simulation_run(simulation, skew);
    multicast(1 - first);
    check(run_until_idle(simulation, LIMIT), "skew %u: not idle after %d clocks", skew, LIMIT);
    for (unsigned source = 0; source < 2; source++)
        for (unsigned site = 0; site < 2; site++)
            check(deliveries[source][site] == 1, "skew %u: packet of site %u delivered %u times at site %u", skew,
                  source, deliveries[source][site], site);
    return last_clock - begin;
}

struct summary {
    unsigned least, most, aborted_rounds, most_aborts;
    uint64_t sum;
};

static struct summary run_skew(unsigned first, unsigned skew)
{
    struct summary summary = {.least = UINT32_MAX};
    unsigned aborts_before = aborts(), resent_before = resent();
    for (unsigned i = 0; i < ROUNDS; i++) {
        unsigned before = aborts(), clocks = run_round(first, skew);
        unsigned aborted = aborts() - before;
        summary.aborted_rounds += aborted != 0;
        summary.most_aborts = aborted > summary.most_aborts ? aborted : summary.most_aborts;
        summary.sum += clocks;
        summary.least = clocks < summary.least ? clocks : summary.least;
        summary.most = clocks > summary.most ? clocks : summary.most;
    }
    printf("site %u first, other %u clocks later: %u of %d rounds aborted, %u aborts, %u resent, all delivered after "
           "%u to %u clocks, mean %" PRIu64 "\n",
           first, skew, summary.aborted_rounds, ROUNDS, aborts() - aborts_before, resent() - resent_before,
           summary.least, summary.most, summary.sum / ROUNDS);
    return summary;
}

int main(void)
{
    static unsigned numbers[2] = {0, 1};
    load_mesh("deadlock-figure-4", &mesh);
    mesh_set_reliable(&mesh, false); /* as in the paper */
    simulation = start(&(struct simulation_options){.mesh = &mesh, .pool = 16});
    for (unsigned i = 0; i < 2; i++)
        pr_operator_register(simulation_operator(simulation, i), HANDLER, handler, &numbers[i]);
    check(run_until_idle(simulation, LIMIT), "not idle after reset");
    for (unsigned skew = 0; skew <= MAX_SKEW; skew++)
        for (unsigned first = 0; first < 2; first++) {
            struct summary summary = run_skew(first, skew);
            if (skew <= 1)
                check(summary.aborted_rounds == ROUNDS, "%u clocks apart: only %u of %d rounds met half-way", skew,
                      summary.aborted_rounds, ROUNDS);
            unsigned tries = mesh.retry_limit > 1 ? mesh.retry_limit : 1;
            check(summary.most_aborts <= 2 * tries, "%u clocks apart: %u aborts in a round", skew, summary.most_aborts);
            if (skew == MAX_SKEW)
                check(summary.aborted_rounds == 0, "%u clocks apart and still %u aborted", skew,
                      summary.aborted_rounds);
        }
    simulation_destroy(simulation);
    return verdict("test_figure4");
}
