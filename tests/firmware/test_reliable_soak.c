/* The reliable service on whole meshes, over a network that does anything to whole packets (lossy_mesh.h): many short
 * runs, each from a seed of its own, with other sizes, chances and faults. A run that fails says its seed; SEED=n
 * begins with that one.
 *
 * SPDX-License-Identifier: ISC
 */
#include "check.h"
#include "lossy_mesh.h"

enum {
    PATIENCE = 4000000, /* clocks within which a mesh comes to rest when all is settled */
    BOUND = 25000000,   /* clocks from sending a packet until it is settled, when its source does not stop */
    SECONDS = 8         /* or as the environment variable SOAK_SECONDS says */
};

static uint64_t seed;
static struct lossy_mesh mesh;
static unsigned long accepted, delivered, failed, restarts, duplicated, diverted, aborted, deferred, paths, trees, lost,
    dropped;

static unsigned below(unsigned limit)
{
    return lossy_below(&mesh, limit);
}

static unsigned pick(uint64_t *random, unsigned a, unsigned b, unsigned c)
{
    unsigned values[] = {a, b, c};
    return values[check_below(random, 3)];
}

static struct lossy_settings any_settings(uint64_t of_seed)
{
    uint64_t random = of_seed ^ 0x5eed;
    struct lossy_settings settings = lossy_settings(of_seed, 1 + check_below(&random, 3), 1 + check_below(&random, 3));
    settings.word_width = check_below(&random, 2) ? 16 : 32;
    settings.buffers = check_below(&random, 4) ? pick(&random, 3, 4, 12) : 40;
    settings.window = check_below(&random, 4) ? pick(&random, 1, 4, 16) : PR_WINDOW_MAX;
    settings.ordered = check_below(&random, 4) == 0;
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
    settings.capabilities.diverts = check_below(&random, 4) != 0;
    settings.capabilities.multicast = check_below(&random, 4) != 0;
    return settings;
}

static void add_up(void)
{
    accepted += mesh.accepted;
    delivered += mesh.delivered;
    failed += mesh.failed_time_out + mesh.failed_restarted;
    duplicated += mesh.duplicated;
    diverted += mesh.diverted;
    aborted += mesh.aborted;
    deferred += mesh.deferred;
    paths += mesh.paths;
    trees += mesh.trees;
    lost += mesh.lost;
    dropped += mesh.dropped;
}

static void send_some(unsigned packets, unsigned gap)
{
    for (unsigned k = 0; k < packets; k++) {
        unsigned source = below(mesh.site_count);
        if (mesh.sites[source].state != LOSSY_DEAD)
            lossy_send_any(&mesh, source, below(3) ? 1 : mesh.site_count);
        lossy_run(&mesh, below(gap));
    }
}

static void start(void)
{
    struct lossy_settings settings = any_settings(seed);
    lossy_start(&mesh, &settings);
}

static void end(void)
{
    mesh.settings.answer = 0;
    lossy_run_to_rest(&mesh, mesh.settings.settled_within + PATIENCE);
    add_up();
    lossy_end(&mesh);
}

/* Nothing worse than what a network does: everything arrives unless very much is lost. */
static void run_with_losses(void)
{
    start();
    send_some(60, 1 + below(400));
    end();
    if (mesh.settings.lose == 0 && mesh.settings.delay_random < 100 && mesh.settings.buffers > 4)
        CHECK_EQUAL(mesh.failed_time_out, 0);
    CHECK_EQUAL(mesh.failed_restarted, 0);
}

static void run_with_restarts(void)
{
    start();
    for (unsigned k = 1 + below(6); k > 0; k--) {
        send_some(20, 1 + below(400));
        lossy_restart(&mesh, below(mesh.site_count));
        restarts++;
    }
    send_some(20, 1 + below(400));
    end();
}

static void run_with_stops(void)
{
    start();
    for (unsigned k = 1 + below(4); k > 0; k--) {
        lossy_stop(&mesh, below(mesh.site_count), 1u << below(20));
        send_some(20, 1 + below(400));
    }
    if (below(2)) {
        lossy_kill(&mesh, below(mesh.site_count));
        send_some(20, 1 + below(400));
    }
    if (below(2))
        lossy_restart(&mesh, below(mesh.site_count));
    send_some(20, 1 + below(400));
    end();
}

/* Evaluators that take nothing for a while, or for good: everybody else goes on. */
static void run_with_refusals(void)
{
    unsigned refusing;
    start();
    for (unsigned k = 1 + below(4); k > 0; k--) {
        refusing = below(mesh.site_count);
        lossy_refuse(&mesh, refusing, true);
        send_some(20, 1 + below(400));
        lossy_run(&mesh, 1u << below(22));
        if (k > 1 || mesh.settings.ordered || below(8))
            lossy_refuse(&mesh, refusing, false);
        send_some(10, 1 + below(400));
    }
    end();
}

/* One run in four each. */
static void runs(void)
{
    static void (*const kinds[])(void) = {run_with_losses, run_with_restarts, run_with_stops, run_with_refusals};
    const char *text = getenv("SOAK_SECONDS");
    double began = 0, seconds = text != NULL ? atof(text) : SECONDS;
    unsigned long count = 0;
    for (; count < 100 || check_time_left(&began, seconds); count++, seed++) {
        fprintf(stderr, "\r%llu ", (unsigned long long)seed);
        kinds[seed % 4]();
    }
    fprintf(stderr, "\n");
    printf("%lu runs: %lu packets, %lu deliveries, %lu targets failed, %lu restarts\n"
           "    %lu lost, %lu duplicated, %lu diverted, %lu aborted, %lu deferred, %lu dropped\n"
           "    %lu paths, %lu trees\n",
           count, accepted, delivered, failed, restarts, lost, duplicated, diverted, aborted, deferred, dropped, paths,
           trees);
}

int main(void)
{
    seed = check_seed();
    RUN(runs);
    CHECK(accepted > 1000 && delivered > 1000 && failed > 10 && duplicated > 100 && diverted > 100 && aborted > 10);
    CHECK(deferred > 10 && paths > 100 && trees > 10); /* in the 100 runs that a slow machine has time for */
    return 0;
}
