/* Faults, with native sites, under the raw service, which forgives nothing: random traffic on meshes with damaged
 * words, dead links, sites that are reset and operators that stop. Whatever happens, nothing is delivered twice,
 * damaged or astray, only faults lose packets, and once the faults are over the mesh gets idle and carries packets
 * between all pairs of sites again. A filter that has nothing to do changes nothing. The same seed gives the same run,
 * asleep or not.
 *
 * Then sites of a 2x2 are reset in every clock of a packet's way, one after the other.
 *
 * SPDX-License-Identifier: ISC
 */
#include "engine_test.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "protocol.h"

enum { HANDLER = 5, MAX_PACKETS = 20000, MAX_SITES = 64, WORDS = 12, BUSY = 20000, LIMIT = 400000, MAX_FAULTS = 4 };

struct site_context {
    struct traffic *traffic;
    unsigned site;
};

struct traffic {
    struct simulation *simulation;
    struct mesh_config mesh;
    struct site_context sites[MAX_SITES];
    uint64_t targets[MAX_PACKETS], got[MAX_PACKETS]; /* sets of sites */
    unsigned packets, rate, multicast;               /* rate: one packet in so many clocks; multicast: percent */
    uint64_t random, end, digest;
    unsigned going_down, coming_up; /* calls of the hook */
    unsigned watched, settled;      /* a source, and its packets that have settled; */
    uint64_t failed;                /* at which sites they have failed */
};

static uint32_t word_of(unsigned packet, unsigned index)
{
    return index == 0 ? packet : (packet * 2654435761u >> 8 ^ index * 40503u) & 0xffff;
}

static void delivered(void *context, const struct pr_delivery *delivery)
{
    const struct site_context *at = context;
    struct traffic *traffic = at->traffic;
    unsigned packet = delivery->data_words ? delivery->data[0] : MAX_PACKETS;
    bool intact = packet < traffic->packets;
    for (unsigned i = 0; intact && i < delivery->data_words; i++)
        intact = delivery->data[i] == word_of(packet, i);
    check(intact, "site %u: a damaged packet is delivered", at->site);
    if (!intact)
        return;
    uint64_t bit = (uint64_t)1 << at->site;
    check(traffic->targets[packet] & bit, "packet %u is delivered to site %u, which is no target", packet, at->site);
    check(!(traffic->got[packet] & bit), "packet %u is delivered to site %u again", packet, at->site);
    traffic->got[packet] |= bit;
    traffic->digest = mix(traffic->digest, (uint64_t)delivery->stamp_last << 32 | packet << 8 | at->site);
}

static void observe(void *context, const struct pr_operator_event *event)
{
    const struct site_context *at = context;
    struct traffic *traffic = at->traffic;
    if (at->site != traffic->watched)
        return;
    traffic->settled += event->kind == PR_OPERATOR_EVENT_SETTLED;
    if (event->kind == PR_OPERATOR_EVENT_FAILED)
        traffic->failed |= (uint64_t)1 << event->site;
}

static void listen(struct traffic *traffic, unsigned site)
{
    traffic->sites[site] = (struct site_context){traffic, site};
    int result = pr_operator_register(simulation_operator(traffic->simulation, site), HANDLER, delivered,
                                      &traffic->sites[site]);
    check(result == 0, "site %u: no handler", site);
    result = pr_operator_observe(simulation_operator(traffic->simulation, site), observe, &traffic->sites[site]);
    check(result == 0, "site %u: no observer", site);
}

static void site_reset(void *context, struct simulation *simulation, unsigned site, bool running)
{
    struct traffic *traffic = context;
    *(running ? &traffic->coming_up : &traffic->going_down) += 1;
    check(simulation_operator(simulation, site), "site %u has no operator in the hook", site);
    if (running)
        listen(traffic, site);
}

static void send_one(struct traffic *traffic, unsigned from, uint64_t to, unsigned words)
{
    struct pr_target targets[MAX_SITES];
    uint32_t data[WORDS];
    unsigned count = 0, packet = traffic->packets;
    struct pr_operator *op = simulation_operator(traffic->simulation, from);
    if (!simulation_running(traffic->simulation, from) || packet == MAX_PACKETS)
        return;
    for (unsigned site = 0; site < (unsigned)traffic->mesh.sites; site++)
        if (to >> site & 1)
            targets[count++] = (struct pr_target){.site = (uint16_t)site};
    for (unsigned i = 0; i < words; i++)
        data[i] = word_of(packet, i);
    if (pr_operator_send(op, targets, count, HANDLER, data, words, NULL) != 0)
        return;
    traffic->targets[packet] = to;
    traffic->got[packet] = 0;
    traffic->packets++;
}

static void tick(void *context, struct simulation *simulation, uint64_t clock)
{
    struct traffic *traffic = context;
    unsigned sites = (unsigned)traffic->mesh.sites;
    if (clock >= traffic->end)
        return;
    simulation_request_tick(simulation, clock + 1);
    if (pick(&traffic->random, traffic->rate) != 0)
        return;
    unsigned from = pick(&traffic->random, sites), count = pick(&traffic->random, 100) < traffic->multicast ? 4 : 1;
    uint64_t to = 0;
    while (count-- > 0)
        to |= (uint64_t)1 << pick(&traffic->random, sites);
    send_one(traffic, from, to, 1 + pick(&traffic->random, WORDS));
}

struct run {
    const char *mesh;
    const char *faults[MAX_FAULTS];
    unsigned rate, multicast;
    bool reliable, sleepless;
    unsigned step, stall;
};

static struct traffic *begin(const struct run *run, uint64_t seed)
{
    struct traffic *traffic = calloc(1, sizeof *traffic);
    struct fault faults[MAX_FAULTS];
    unsigned count = 0;
    char error[256];
    traffic->rate = run->rate;
    traffic->multicast = run->multicast;
    traffic->random = seed;
    traffic->end = BUSY;
    load_mesh(run->mesh, &traffic->mesh);
    mesh_set_reliable(&traffic->mesh, run->reliable);
    for (; count < MAX_FAULTS && run->faults[count]; count++)
        check(fault_parse(run->faults[count], &traffic->mesh, &faults[count], error, sizeof error) == 0, "%s", error);
    traffic->simulation = start(&(struct simulation_options){.mesh = &traffic->mesh,

                                                             .pool = 512,
                                                             .seed = seed,
                                                             .faults = faults,
                                                             .fault_count = count,
                                                             .stall = run->stall,
                                                             .sleepless = run->sleepless});
    for (unsigned site = 0; site < (unsigned)traffic->mesh.sites; site++)
        listen(traffic, site);
    simulation_set_reset_hook(traffic->simulation, site_reset, traffic);
    simulation_set_tick(traffic->simulation, tick, traffic);
    simulation_request_tick(traffic->simulation, 0);
    return traffic;
}

static void end(struct traffic *traffic)
{
    simulation_destroy(traffic->simulation);
    free(traffic);
}

/* Deliveries that are missing. */
static unsigned missing(const struct traffic *traffic)
{
    unsigned count = 0;
    for (unsigned i = 0; i < traffic->packets; i++)
        count += (unsigned)__builtin_popcountll(traffic->targets[i] & ~traffic->got[i]);
    return count;
}

/* Everything that can be seen of a run. */
static uint64_t run_to_end(struct traffic *traffic, const struct run *run)
{
    while (simulation_clock(traffic->simulation) < BUSY)
        simulation_run(traffic->simulation, run->step ? run->step : 100);
    check(run->sleepless || run_until_idle(traffic->simulation, LIMIT), "%s: not idle %d clocks after the traffic",
          run->faults[0], LIMIT);
    simulation_run(traffic->simulation, BUSY + LIMIT - simulation_clock(traffic->simulation));
    uint64_t digest = mix(traffic->digest, simulation_link_words(traffic->simulation));
    for (unsigned site = 0; site < (unsigned)traffic->mesh.sites; site++)
        for (unsigned index = 0; index < 64; index++)
            digest = mix(digest, simulation_counter(traffic->simulation, site, index));
    return digest;
}

static uint64_t digest_of(struct run run, uint64_t seed)
{
    struct traffic *traffic = begin(&run, seed);
    uint64_t digest = run_to_end(traffic, &run);
    end(traffic);
    return digest;
}

/* Filters in all links, and no fault before the run is over. */
static void transparent(uint64_t seed)
{
    struct run run = {.mesh = "grid-4x4", .rate = 6, .multicast = 20, .stall = 30};
    for (int reliable = 0; reliable < 2; reliable++) {
        run.reliable = reliable;
        run.faults[0] = NULL;
        uint64_t digest = digest_of(run, seed);
        run.faults[0] = "link:any:1000000000";
        check(digest_of(run, seed) == digest, "a filter without a fault changes the run");
        run.faults[0] = "corrupt:1e-15";
        check(digest_of(run, seed) == digest, "a filter that damages nothing changes the run");
        run.faults[0] = "reset:5:1000000000";
        check(digest_of(run, seed) == digest, "filters around one site change the run");
    }
}

static void same_again(uint64_t seed)
{
    struct run run = {.mesh = "torus-4x4",
                      .rate = 8,
                      .multicast = 20,
                      .stall = 20,
                      .step = 1000,
                      .faults = {"corrupt:0.001", "link:any:~2000:300", "reset:any:~3000", "stop:any:~2000:500"}};
    for (int reliable = 0; reliable < 2; reliable++) {
        run.reliable = reliable;
        run.sleepless = false;
        run.step = 1000;
        uint64_t digest = digest_of(run, seed);
        run.step = 1;
        check(digest_of(run, seed) == digest, "the same seed gives another run");
        run.sleepless = true;
        check(digest_of(run, seed) == digest, "a run in which no site sleeps is another run");
        run.sleepless = false;
        check(digest_of(run, seed + 1) != digest, "another seed gives the same run");
    }
}

/* All pairs, one after the other: every packet must arrive, for there are no faults any more. */
static void all_pairs(struct traffic *traffic, const char *what)
{
    unsigned before = traffic->packets, sites = (unsigned)traffic->mesh.sites;
    for (unsigned from = 0; from < sites; from++)
        for (unsigned to = 0; to < sites; to++) {
            for (unsigned tries = 0, taken = traffic->packets; traffic->packets == taken && tries < 100; tries++) {
                send_one(traffic, from, (uint64_t)1 << to, 3);
                simulation_run(traffic->simulation, 40);
            }
        }
    check(run_until_idle(traffic->simulation, LIMIT), "%s: not idle after the faults", what);
    check(traffic->packets - before == sites * sites, "%s: %u packets taken, expected %u", what,
          traffic->packets - before, sites * sites);
    for (unsigned i = before; i < traffic->packets; i++)
        check(traffic->got[i] == traffic->targets[i], "%s: packet %u is lost after the faults", what, i);
}

static void one_kind(const struct run *run, uint64_t seed)
{
    struct traffic *traffic = begin(run, seed);
    struct fault_counts counts;
    bool again = strchr(run->faults[0], '~'), damage = strstr(run->faults[0], "corrupt");
    run_to_end(traffic, run);
    simulation_fault_counts(traffic->simulation, &counts);
    unsigned lost = missing(traffic);
    printf("%s %s: %u packets, %u lost, %" PRIu64 " words damaged, %" PRIu64 " links down, %" PRIu64 " resets, %" PRIu64
           " stops\n",
           run->mesh, run->faults[0], traffic->packets, lost, counts.corrupted_words, counts.links_down, counts.resets,
           counts.stops);
    check(counts.corrupted_words + counts.links_down + counts.resets + counts.stops > 0, "%s: no fault",
          run->faults[0]);
    check(traffic->packets > 500, "%s: too little traffic", run->faults[0]);
    check(counts.stops == 0 || lost == 0, "%s: %u deliveries lost", run->faults[0], lost);
    check(!damage || lost <= 4 * counts.corrupted_words, "%s: more is lost than was damaged", run->faults[0]);
    unsigned in_reset = 0;
    for (unsigned site = 0; site < (unsigned)traffic->mesh.sites; site++)
        in_reset += !simulation_operator(traffic->simulation, site);
    check(traffic->going_down == counts.resets && traffic->coming_up + in_reset == traffic->going_down,
          "%s: %" PRIu64 " resets, the hook saw %u begin and %u end", run->faults[0], counts.resets,
          traffic->going_down, traffic->coming_up);
    if (!again && !damage && strcmp(run->faults[0], "stop:5:300") != 0 &&
        strcmp(run->faults[0], "link:5.east:900") != 0)
        all_pairs(traffic, run->faults[0]);
    end(traffic);
}

static void every_kind(uint64_t seed)
{
    static const struct run runs[] = {
        {.mesh = "grid-4x4", .rate = 6, .multicast = 20, .stall = 20, .faults = {"corrupt:0.001"}},
        {.mesh = "torus-4x4", .rate = 6, .multicast = 20, .stall = 20, .faults = {"corrupt:0.2"}},
        {.mesh = "grid-4x4", .rate = 4, .multicast = 0, .faults = {"corrupt:5.north:0.5"}},
        {.mesh = "grid-4x4", .rate = 6, .multicast = 20, .stall = 20, .faults = {"link:5.east:900"}},
        {.mesh = "grid-4x4", .rate = 6, .multicast = 20, .stall = 20, .faults = {"link:5.east:900:3000"}},
        {.mesh = "grid-4x4", .rate = 6, .multicast = 20, .stall = 20, .faults = {"link:any:~100:30"}},
        {.mesh = "hypercube-4", .rate = 6, .multicast = 20, .stall = 20, .faults = {"link:any.2:~100:1"}},
        {.mesh = "grid-4x4", .rate = 6, .multicast = 20, .stall = 20, .faults = {"reset:5:900"}},
        {.mesh = "torus-4x4", .rate = 6, .multicast = 20, .stall = 20, .faults = {"reset:any:~300:1"}},
        {.mesh = "hypercube-4", .rate = 6, .multicast = 20, .stall = 20, .faults = {"reset:any:~300:200"}},
        {.mesh = "grid-4x4", .rate = 20, .multicast = 20, .faults = {"stop:5:300:4000"}},
        {.mesh = "grid-4x4", .rate = 25, .multicast = 20, .faults = {"stop:any:~1000:900"}},
    };
    for (unsigned i = 0; i < sizeof runs / sizeof *runs; i++)
        for (unsigned k = 0; k < 3; k++)
            one_kind(&runs[i], seed * 1009 + 3 * i + k);
}

/* The reliable service under the same: everything that no reset has touched arrives. */
static void reliable_too(uint64_t seed)
{
    static const struct run runs[] = {
        {.mesh = "grid-4x4", .rate = 30, .multicast = 20, .stall = 20, .reliable = true, .faults = {"corrupt:0.001"}},
        {.mesh = "grid-4x4",
         .rate = 30,
         .multicast = 20,
         .stall = 20,
         .reliable = true,
         .faults = {"link:any:~400:100"}},
        {.mesh = "grid-4x4", .rate = 60, .multicast = 20, .reliable = true, .faults = {"stop:any:~3000:900"}},
    };
    for (unsigned i = 0; i < sizeof runs / sizeof *runs; i++) {
        struct traffic *traffic = begin(&runs[i], seed + i);
        run_to_end(traffic, &runs[i]);
        while (simulation_next_wake(traffic->simulation) != UINT64_MAX &&
               simulation_clock(traffic->simulation) < 4000000)
            simulation_run(traffic->simulation, 1000);
        check(missing(traffic) == 0, "%s: %u deliveries lost of %u packets", runs[i].faults[0], missing(traffic),
              traffic->packets);
        end(traffic);
    }
}

/* A packet on its way through a 2x2, and a site that is reset so many clocks after it was sent. */
struct sweep {
    bool reliable;
    unsigned from;
    uint64_t to;     /* a set of sites */
    unsigned clocks; /* of the reset */
};

enum { PHASES = 48, SLOT = 400000 };

/* One packet, one reset. Under the reliable service what was not delivered is reported, unless its source was reset. */
static void one_phase(struct traffic *traffic, const struct sweep *sweep, unsigned victim, unsigned phase)
{
    unsigned packet = traffic->packets;
    uint64_t slot_end = simulation_clock(traffic->simulation) + SLOT;
    traffic->watched = sweep->from;
    traffic->settled = 0;
    traffic->failed = 0;
    send_one(traffic, sweep->from, sweep->to, WORDS);
    simulation_run(traffic->simulation, slot_end - SLOT / 2 - simulation_clock(traffic->simulation));
    check(simulation_idle(traffic->simulation), "site %u reset in clock %u: the mesh hangs", victim, phase);
    uint64_t missing_sites = traffic->targets[packet] & ~traffic->got[packet];
    if (sweep->reliable && victim != sweep->from)
        check(traffic->settled == 1 && (missing_sites & ~traffic->failed) == 0,
              "site %u reset in clock %u: settled %u times, not delivered %" PRIx64 ", reported %" PRIx64, victim,
              phase, traffic->settled, missing_sites, traffic->failed);
    all_pairs(traffic, "sweep");
    check(simulation_clock(traffic->simulation) < slot_end, "the slot is too short");
    simulation_run(traffic->simulation, slot_end - simulation_clock(traffic->simulation));
}

/* A simulation for each site that is reset: its faults are known beforehand. */
static void sweep_site(const struct sweep *sweep, unsigned victim)
{
    static const char mesh[] = "[mesh]\ntopology=grid\nsize=2x2\n[routing]\nunicast=strict\n";
    struct traffic *traffic = calloc(1, sizeof *traffic);
    struct fault faults[PHASES];
    char error[256];
    check(mesh_config_parse("2x2", mesh, sizeof mesh - 1, &traffic->mesh, error, sizeof error) == 0, "%s", error);
    mesh_set_reliable(&traffic->mesh, sweep->reliable);
    for (unsigned phase = 0; phase < PHASES; phase++)
        faults[phase] = (struct fault){.kind = FAULT_RESET,
                                       .site = (int)victim,
                                       .at = (uint64_t)phase * SLOT + 100 + phase,
                                       .clocks = sweep->clocks};
    traffic->simulation = start(
        &(struct simulation_options){.mesh = &traffic->mesh, .faults = faults, .fault_count = PHASES});
    for (unsigned site = 0; site < 4; site++)
        listen(traffic, site);
    simulation_set_reset_hook(traffic->simulation, site_reset, traffic);
    for (unsigned phase = 0; phase < PHASES; phase++) {
        simulation_run(traffic->simulation, 100);
        one_phase(traffic, sweep, victim, phase);
        simulation_run(traffic->simulation, (uint64_t)(phase + 1) * SLOT - simulation_clock(traffic->simulation));
    }
    end(traffic);
}

static void sweeps(void)
{
    static const struct sweep sweeps[] = {
        {.from = 0, .to = 1 << 3, .clocks = 1},
        {.from = 0, .to = 1 << 3, .clocks = 16},
        {.from = 0, .to = 1 << 1 | 1 << 2 | 1 << 3, .clocks = 1},
        {.from = 0, .to = 1 << 1 | 1 << 2 | 1 << 3, .clocks = 7},
    };
    for (int reliable = 0; reliable < 2; reliable++)
        for (unsigned i = 0; i < sizeof sweeps / sizeof *sweeps; i++)
            for (unsigned victim = 0; victim < 4; victim++) {
                struct sweep sweep = sweeps[i];
                sweep.reliable = reliable;
                sweep_site(&sweep, victim);
            }
}

int main(void)
{
    uint64_t seed = check_seed();
    transparent(seed);
    same_again(seed);
    every_kind(seed);
    reliable_too(seed);
    sweeps();
    return verdict("test_faults");
}
