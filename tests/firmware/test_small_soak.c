/* Small operators (firmware/small) beside full ones in one mesh, with the reliable service, over a network that does
 * anything to whole packets (lossy_mesh.h): many short runs, each from a seed of its own. A run that fails says its
 * seed; SEED=n begins with that one.
 *
 * SPDX-License-Identifier: ISC
 */
#include <string.h>

#include "check.h"
#include "lossy_mesh.h"

enum {
    PATIENCE = 4000000,
    BOUND = 25000000, /* clocks from sending a packet until it is settled */
    SECONDS = 5       /* or as the environment variable SOAK_SECONDS says */
};

static uint64_t seed;
static struct lossy_mesh mesh;
static struct {
    unsigned long accepted, delivered, failed, restarts, duplicated, diverted, aborted, deferred, small_accepted,
        small_delivered, refused, time_outs, duplicates, held, announced;
} sums;

static unsigned below(unsigned limit)
{
    return lossy_below(&mesh, limit);
}

static unsigned pick(uint64_t *random, unsigned a, unsigned b, unsigned c)
{
    unsigned values[] = {a, b, c};
    return values[check_below(random, 3)];
}

/* Most sites, one or all are small. */
static struct lossy_settings any_settings(void)
{
    uint64_t random = seed ^ 0x5eed;
    struct lossy_settings settings = lossy_settings(seed, 2 + check_below(&random, 2), 1 + check_below(&random, 3));
    uint32_t all = (1u << settings.size_x * settings.size_y) - 1;
    settings.small = check_below(&random, 3) ? check_random(&random) & all : all;
    settings.small |= 1;
    settings.small_image = check_below(&random, 3) ? "reliable" : "receiver";
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
    settings.settled_within = BOUND;
    return settings;
}

static uint32_t small_counter(unsigned index)
{
    uint32_t sum = 0;
    for (unsigned k = 0; k < mesh.site_count; k++)
        sum += mesh.sites[k].is_small ? mesh.sites[k].small.functions->counter(index) : 0;
    return sum;
}

static void add_up(void)
{
    sums.accepted += mesh.accepted;
    sums.delivered += mesh.delivered;
    sums.failed += mesh.failed_time_out + mesh.failed_restarted;
    sums.duplicated += mesh.duplicated;
    sums.diverted += mesh.diverted;
    sums.aborted += mesh.aborted;
    sums.deferred += mesh.deferred;
    sums.small_delivered += small_counter(PR_COUNTER_DELIVERED);
    sums.refused += small_counter(PR_COUNTER_REFUSED);
    sums.time_outs += small_counter(PR_COUNTER_TIME_OUTS);
    sums.duplicates += small_counter(PR_COUNTER_DUPLICATES);
    sums.held += small_counter(PR_COUNTER_FORWARDED) + small_counter(PR_COUNTER_RESENT_AFTER_ABORT);
    for (unsigned k = 0; k < mesh.site_count; k++)
        sums.small_accepted += mesh.sites[k].is_small ? mesh.sites[k].next_sequence : 0;
}

static void send_some(unsigned packets)
{
    unsigned gap = below(4) ? 1 + below(400) : 20000; /* a small operator has one packet underway */
    for (unsigned k = 0; k < packets; k++) {
        unsigned source = below(mesh.site_count);
        if (mesh.sites[source].state != LOSSY_DEAD)
            lossy_send_any(&mesh, source, mesh.sites[source].is_small || below(2) ? 1 : mesh.site_count);
        lossy_run(&mesh, below(gap));
    }
}

static void run_with_losses(void)
{
    send_some(60);
    mesh.settings.answer = 0;
    lossy_run_to_rest(&mesh, BOUND + PATIENCE);
    if (mesh.settings.lose == 0 && mesh.settings.delay_random < 100)
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
}

static void run_with_refusals(void)
{
    for (unsigned k = 1 + below(4); k > 0; k--) {
        unsigned refusing = below(mesh.site_count);
        lossy_refuse(&mesh, refusing, true);
        send_some(20);
        lossy_run(&mesh, 1u << below(22));
        if (k > 1 || below(8))
            lossy_refuse(&mesh, refusing, false);
        send_some(10);
    }
}

/* One run in four each. */
static void runs(void)
{
    static void (*const kinds[])(void) = {run_with_losses, run_with_restarts, run_with_stops, run_with_refusals};
    const char *text = getenv("SOAK_SECONDS");
    double began = 0, seconds = text != NULL ? atof(text) : SECONDS;
    unsigned long count = 0;
    for (; count < 100 || check_time_left(&began, seconds); count++, seed++) {
        struct lossy_settings settings = any_settings();
        fprintf(stderr, "\r%llu ", (unsigned long long)seed);
        lossy_start(&mesh, &settings);
        kinds[seed % 4]();
        mesh.settings.answer = 0;
        lossy_run_to_rest(&mesh, BOUND + PATIENCE);
        add_up();
        lossy_end(&mesh);
    }
    fprintf(stderr, "\n");
    printf("%lu runs: %lu packets, %lu of small operators; %lu deliveries, %lu at small operators; %lu targets failed, "
           "%lu restarts\n"
           "    %lu duplicated, %lu diverted, %lu aborted, %lu deferred\n"
           "    small operators: %lu sent on, %lu duplicates refused, %lu time-outs, %lu deliveries refused\n",
           count, sums.accepted, sums.small_accepted, sums.delivered, sums.small_delivered, sums.failed, sums.restarts,
           sums.duplicated, sums.diverted, sums.aborted, sums.deferred, sums.held, sums.duplicates, sums.time_outs,
           sums.refused);
}

int main(void)
{
    seed = check_seed();
    RUN(runs);
    CHECK(sums.small_accepted > 300 && sums.small_delivered > 1000 && sums.held > 300 && sums.duplicates > 300);
    CHECK(sums.time_outs > 100 && sums.refused > 100 && sums.deferred > 10 && sums.aborted > 10);
    return 0;
}
