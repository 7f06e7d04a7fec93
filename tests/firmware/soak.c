/* See soak.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "soak.h"

#include "check.h"

enum {
    PATIENCE = 4000000, /* clocks within which a mesh comes to rest when all is settled */
    BOUND = 75000000    /* clocks from sending a packet until it is settled, when its source does not stop */
};

static const struct soak *row;
static uint64_t seed;
static struct lossy_mesh mesh;
static struct soak_sums sums;

static unsigned below(unsigned limit)
{
    return lossy_below(&mesh, limit);
}

static unsigned pick(uint64_t *random, unsigned a, unsigned b, unsigned c)
{
    unsigned values[] = {a, b, c};
    return values[check_below(random, 3)];
}

/* Small operators are in meshes of 16-bit words with every capability. */
static void choose_operators(uint64_t *random, struct lossy_settings *settings)
{
    uint32_t all = (1u << settings->size_x * settings->size_y) - 1;
    if (row->has_small) {
        settings->small = check_below(random, 3) ? (check_random(random) & all) | 1 : all;
        settings->small_kind = check_below(random, 3) ? &small_reliable : &small_receiver;
        return;
    }
    settings->word_width = check_below(random, 2) ? 16 : 32;
    settings->buffers = check_below(random, 4) ? pick(random, 3, 4, 12) : 40;
    settings->window = check_below(random, 4) ? pick(random, 1, 4, 16) : PR_WINDOW_MAX;
    settings->ordered = check_below(random, 4) == 0;
    settings->capabilities.diverts = check_below(random, 4) != 0;
    settings->capabilities.multicast = check_below(random, 4) != 0;
}

static struct lossy_settings any_settings(void)
{
    uint64_t random = seed ^ 0x5eed;
    unsigned columns = row->columns_min + check_below(&random, 4 - row->columns_min);
    struct lossy_settings settings = lossy_settings(seed, columns, 1 + check_below(&random, 3));
    choose_operators(&random, &settings);
    settings.lose = pick(&random, 0, 20, 200);
    settings.duplicate = pick(&random, 0, 50, 300);
    settings.divert = pick(&random, 0, 100, 400);
    settings.abort = pick(&random, 0, 100, 400);
    settings.defer = pick(&random, 0, 100, 400);
    settings.delay_min = pick(&random, 1, 10, 100);
    settings.delay_random = pick(&random, 0, 50, 1500);
    settings.stall_random = pick(&random, 0, 10, 200);
    settings.poll_random = pick(&random, 0, 20, 400);
    settings.patience = pick(&random, 50, 500, 4000);
    settings.answer = pick(&random, 0, 0, 200);
    settings.polls_unasked = check_below(&random, 4) == 0;
    settings.settled_within = settings.ordered ? (uint64_t)BOUND * settings.window : BOUND; /* one after the other */
    if (!row->has_small && check_below(&random, 5) == 0)
        settings.capabilities = (struct pr_capabilities){.source_routed = true};
    return settings;
}

static unsigned long of_small(unsigned index)
{
    unsigned long sum = 0;
    for (unsigned k = 0; k < mesh.site_count; k++)
        sum += mesh.sites[k].node.kind->image ? node_counter(&mesh.sites[k].node, index) : 0;
    return sum;
}

static void add_up(void)
{
    sums.accepted += mesh.accepted;
    sums.delivered += mesh.delivered;
    sums.failed += mesh.failed_time_out + mesh.failed_restarted;
    sums.lost += mesh.lost;
    sums.duplicated += mesh.duplicated;
    sums.diverted += mesh.diverted;
    sums.aborted += mesh.aborted;
    sums.deferred += mesh.deferred;
    sums.dropped += mesh.dropped;
    sums.paths += mesh.paths;
    sums.trees += mesh.trees;
    sums.relays += mesh.relays;
    sums.subtrees += mesh.subtrees;
    sums.routed += mesh.routed;
    sums.small_delivered += of_small(PR_COUNTER_DELIVERED);
    sums.small_refused += of_small(PR_COUNTER_REFUSED);
    sums.small_time_outs += of_small(PR_COUNTER_TIME_OUTS);
    sums.small_duplicates += of_small(PR_COUNTER_DUPLICATES);
    sums.small_held += of_small(PR_COUNTER_FORWARDED) + of_small(PR_COUNTER_RESENT_AFTER_ABORT);
    for (unsigned k = 0; k < mesh.site_count; k++)
        sums.small_accepted += mesh.sites[k].node.kind->image ? mesh.sites[k].next_sequence : 0;
}

/* A small operator sends to one target at a time. In the bursts of one site packets wait for each other, and leave by
 * relays. */
static void send_some(unsigned packets)
{
    unsigned gap = row->slow_gap == 0 || below(4) ? 1 + below(400) : row->slow_gap;
    unsigned source = 0, burst = 0;
    for (unsigned k = 0; k < packets; k++) {
        bool one;
        if (burst-- == 0) {
            source = below(mesh.site_count);
            burst = below(2) ? 0 : below(6);
        }
        one = !mesh.sites[source].node.kind->groups || below(row->has_small ? 2 : 3);
        if (mesh.sites[source].state != LOSSY_DEAD)
            lossy_send_any(&mesh, source, one ? 1 : mesh.site_count);
        if (burst == 0)
            lossy_run(&mesh, below(gap));
    }
}

static void end(void)
{
    mesh.settings.answer = 0;
    lossy_run_to_rest(&mesh, mesh.settings.settled_within + PATIENCE);
}

/* Nothing worse than what a network does: everything arrives unless very much is lost. */
static void run_with_losses(void)
{
    send_some(60);
    end();
    if (mesh.settings.lose == 0 && mesh.settings.delay_random < 100 && mesh.settings.buffers > 4)
        CHECK_EQUAL(mesh.failed_time_out, 0);
    CHECK_EQUAL(mesh.failed_restarted, 0);
}

static void run_with_restarts(void)
{
    for (unsigned k = 1 + below(6); k > 0; k--) {
        send_some(20);
        lossy_restart(&mesh, below(mesh.site_count));
        sums.restarts++;
    }
    send_some(20);
    end();
}

static void run_with_stops(void)
{
    for (unsigned k = 1 + below(4); k > 0; k--) {
        lossy_stop(&mesh, below(mesh.site_count), 1u << below(20));
        send_some(20);
    }
    if (below(2)) {
        lossy_kill(&mesh, below(mesh.site_count));
        send_some(20);
    }
    if (below(2))
        lossy_restart(&mesh, below(mesh.site_count));
    send_some(20);
    end();
}

/* Evaluators that take nothing for a while, or for good: everybody else goes on. */
static void run_with_refusals(void)
{
    for (unsigned k = 1 + below(4); k > 0; k--) {
        unsigned refusing = below(mesh.site_count);
        lossy_refuse(&mesh, refusing, true);
        send_some(20);
        lossy_run(&mesh, 1u << below(22));
        if (k > 1 || mesh.settings.ordered || below(8))
            lossy_refuse(&mesh, refusing, false);
        send_some(10);
    }
    end();
}

/* environment: SOAK_SECONDS: besides, so long */
static bool goes_on(double *began)
{
    const char *text = getenv("SOAK_SECONDS");
    return sums.runs < check_rounds(row->runs) || (text && check_time_left(began, atof(text)));
}

/* One run in four of each kind. */
struct soak_sums soak(const struct soak *of_row, uint64_t first_seed)
{
    static void (*const kinds[])(void) = {run_with_losses, run_with_restarts, run_with_stops, run_with_refusals};
    double began = 0;
    row = of_row;
    seed = first_seed;
    for (; goes_on(&began); sums.runs++, seed++) {
        struct lossy_settings settings = any_settings();
        fprintf(stderr, "\r%llu ", (unsigned long long)seed);
        lossy_start(&mesh, &settings);
        kinds[seed % 4]();
        add_up();
        lossy_end(&mesh);
    }
    fprintf(stderr, "\n");
    printf(
        "%lu runs: %lu packets, %lu deliveries, %lu targets failed, %lu restarts\n"
        "    %lu lost, %lu duplicated, %lu diverted, %lu aborted, %lu deferred, %lu dropped; %lu paths, %lu trees, %lu relays, "
        "%lu subtrees, %lu source-routed\n",
        sums.runs, sums.accepted, sums.delivered, sums.failed, sums.restarts, sums.lost, sums.duplicated, sums.diverted,
        sums.aborted, sums.deferred, sums.dropped, sums.paths, sums.trees, sums.relays, sums.subtrees, sums.routed);
    if (row->has_small)
        printf("    small operators: %lu packets, %lu deliveries, %lu sent on, %lu duplicates refused, %lu time-outs, "
               "%lu deliveries refused\n",
               sums.small_accepted, sums.small_delivered, sums.small_held, sums.small_duplicates, sums.small_time_outs,
               sums.small_refused);
    return sums;
}
