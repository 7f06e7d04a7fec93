/* The slot model of conflict sense routing under random traffic, with coins and exits that the test draws.
 *
 *   - Accepted packets fly without reservations (csr_flights): no two are on one link, and each arrives after exactly d
 * slots, at its destination, at the exit that csr_exit says.
 *   - Packets of one pair of nodes arrive in the order in which they were accepted, and one at a time from an entry
 * buffer.
 *   - Between slots the reservations are those of the packets on their way, and no others: no ghost is left.
 *   - A node never accepts more than its exits allow.
 *   - The flit at an exit is that of the entry buffer which csr_model_origin names.
 *   - A packet that forks arrives at all its targets, or is not accepted.
 *   - The general model (section 2) without link buffers accepts the same packets, and has the same reservations.
 *
 * SPDX-License-Identifier: ISC
 */
#include <string.h>

#include "check.h"
#include "csr/csr_flights.h"
#include "csr/csr_general.h"
#include "csr/csr_model.h"
#include "csr/csr_plane.h"

enum { MOST_DIMENSIONS = 8, MOST_NODES = 1 << MOST_DIMENSIONS, MOST_ENTRIES = MOST_NODES * 2 * MOST_DIMENSIONS };

struct packet {
    bool waits, favoured;
    uint32_t tag, forks;
};

/* A packet on its way. */
struct journey {
    unsigned node, module;
    uint32_t tag, forks;
    unsigned arrived; /* branches */
};

struct bench {
    unsigned d;
    uint64_t seed;
    unsigned most_exits; /* of a node and slot */
    struct csr_model *model;
    struct csr_flights *flights;
    struct csr_general *general;
    struct packet packets[MOST_ENTRIES]; /* of the entry buffers */
    uint32_t paths[MOST_ENTRIES][MOST_DIMENSIONS];
    int flits[MOST_ENTRIES];
    unsigned entries[MOST_ENTRIES];                             /* of the flits */
    struct journey journeys[MOST_DIMENSIONS + 1][MOST_ENTRIES]; /* accepted in the last slots */
    unsigned counts[MOST_DIMENSIONS + 1];
    uint32_t coins[MOST_DIMENSIONS][MOST_NODES];
    uint64_t last[MOST_NODES][MOST_NODES]; /* when the last packet of a pair of nodes was accepted that has arrived */
    uint64_t accepted;
    bool forks; /* some packets fork; the general model is not beside, which has no forks */
    bool favours;
    bool alike; /* it is: it has no exits either */
};

static uint32_t coin(void *context, unsigned node, unsigned step)
{
    const struct bench *bench = context;
    return bench->coins[step][node];
}

static uint32_t exits(void *context, unsigned node, uint32_t arrived)
{
    const struct bench *bench = context;
    for (uint32_t rest = arrived; rest; rest &= rest - 1) {
        unsigned end = (unsigned)__builtin_ctz(rest), link, from = csr_model_origin(bench->model, node, end, &link);
        const struct packet *packet = &bench->packets[from * 2 * bench->d + link];
        CHECK(packet->waits);
        CHECK_EQUAL((from ^ node) & ~packet->forks, packet->tag & ~packet->forks);
        CHECK_EQUAL(end, csr_exit(bench->d, link / 2, from ^ node));
    }
    while ((unsigned)__builtin_popcount(arrived) > bench->most_exits)
        arrived &= arrived - 1;
    return arrived;
}

/* A flit that is favoured is first, then one from a forward link where the coin says so. */
static uint32_t rank(void *context, unsigned flit, unsigned step, unsigned link, unsigned before)
{
    const struct bench *bench = context;
    unsigned node = link / (2 * bench->d), e = link % (2 * bench->d);
    bool second = step > 0 && (before % 2) != (bench->coins[step][node] >> e & 1);
    return 2 * !bench->packets[bench->entries[flit]].favoured + second;
}

/* The links of a packet: node * 2 d + e. */
static void path_of(const struct bench *bench, unsigned node, unsigned module, uint32_t tag, uint32_t *path)
{
    for (unsigned step = 0; step < bench->d; step++) {
        unsigned k = (module + bench->d - step) % bench->d, o = tag >> k & 1;
        path[step] = node * 2 * bench->d + 2 * k + o;
        node ^= o << k;
    }
}

static void offer(struct bench *bench, unsigned arrival)
{
    unsigned d = bench->d;
    csr_model_offer_none(bench->model);
    for (unsigned i = 0; i < 2 * d << d; i++) {
        struct packet *packet = &bench->packets[i];
        unsigned node = i / (2 * d), e = i % (2 * d);
        bench->flits[i] = -1;
        if (!packet->waits && check_below(&bench->seed, 100) < arrival) {
            uint32_t tag = (check_below(&bench->seed, 1u << d) & ~(1u << e / 2)) | (e % 2) << e / 2;
            bool forks = bench->forks && check_below(&bench->seed, 4) == 0;
            bool favoured = bench->favours && check_below(&bench->seed, 3) == 0;
            *packet = (struct packet){true, favoured, tag, forks ? check_below(&bench->seed, 1u << d) : 0};
            if (packet->forks >> e / 2 & 1) /* in both links of the module: it is in the buffer of the internal one */
                packet->tag &= ~(1u << e / 2), packet->forks &= e % 2 ? ~(1u << e / 2) : ~0u;
            packet->tag |= (packet->forks >> e / 2 & 1 ? 0 : e % 2) << e / 2;
        }
        if (packet->waits && check_below(&bench->seed, 4)) {
            csr_model_offer(bench->model, node, e / 2, packet->tag, packet->forks);
            if (bench->favours)
                csr_plane_set_bit(csr_model_favoured(bench->model, e), node, packet->favoured);
            path_of(bench, node, e / 2, packet->tag, bench->paths[i]);
            if (bench->alike) {
                bench->flits[i] = csr_general_offer(bench->general, bench->paths[i], d);
                bench->entries[bench->flits[i]] = i;
            }
        }
    }
}

static void settle(struct bench *bench, uint64_t now)
{
    unsigned d = bench->d, slot = (unsigned)(now % (d + 1));
    bench->counts[slot] = 0;
    for (unsigned i = 0; i < 2 * d << d; i++) {
        struct packet *packet = &bench->packets[i];
        unsigned node = i / (2 * d), e = i % (2 * d);
        bool accepted = csr_plane_bit(csr_model_accepted(bench->model, e), node);
        CHECK(!accepted || packet->waits);
        if (bench->alike)
            CHECK_EQUAL(bench->flits[i] < 0 ? 0 : csr_general_flight(bench->general, bench->flits[i]),
                        accepted ? d : 0);
        if (!accepted)
            continue;
        CHECK(csr_flights_enter(bench->flights, node, e / 2,
                                &(struct csr_packet){packet->tag, packet->forks, now << 16 | bench->counts[slot]}));
        bench->journeys[slot][bench->counts[slot]++] = (struct journey){node, e / 2, packet->tag, packet->forks, 0};
        packet->waits = false;
        bench->accepted++;
    }
}

static void arrive(struct bench *bench, uint64_t now)
{
    size_t count;
    const struct csr_arrival *arrivals = csr_flights_arrivals(bench->flights, &count);
    unsigned d = bench->d, at_node[MOST_NODES] = {0};
    for (size_t i = 0; i < count; i++) {
        uint64_t accepted = arrivals[i].identity >> 16;
        CHECK_EQUAL(accepted, now + 1 - d);
        struct journey *journey = &bench->journeys[accepted % (d + 1)][arrivals[i].identity & 0xffff];
        uint32_t tag = journey->node ^ arrivals[i].node;
        CHECK_EQUAL(tag & ~journey->forks, journey->tag & ~journey->forks);
        CHECK_EQUAL(arrivals[i].exit, csr_exit(d, journey->module, tag));
        CHECK(bench->last[journey->node][arrivals[i].node] <= accepted);
        bench->last[journey->node][arrivals[i].node] = accepted;
        CHECK(++at_node[arrivals[i].node] <= bench->most_exits);
        journey->arrived++;
    }
    unsigned slot = (unsigned)((now + 2) % (d + 1)); /* now + 1 - d */
    for (unsigned i = 0; now + 1 >= d && i < bench->counts[slot]; i++)
        CHECK_EQUAL(bench->journeys[slot][i].arrived, 1u << __builtin_popcount(bench->journeys[slot][i].forks));
}

/* Marks the links of a packet that it crosses in its steps `step` and later, in the interval of each. */
static void mark(const struct bench *bench, const struct journey *journey, unsigned node, unsigned step, unsigned first,
                 bool ahead[MOST_DIMENSIONS][MOST_ENTRIES])
{
    if (step == bench->d)
        return;
    unsigned k = (journey->module + bench->d - step) % bench->d;
    for (unsigned o = 0; o < 2; o++)
        if ((journey->forks >> k & 1) || (journey->tag >> k & 1) == o) {
            if (step >= first)
                ahead[step - first][node * 2 * bench->d + 2 * k + o] = true;
            mark(bench, journey, node ^ o << k, step + 1, first, ahead);
        }
}

/* Behind slot `now`: what the packets on their way have still to cross. */
static void compare_reservations(const struct bench *bench, uint64_t now)
{
    unsigned d = bench->d;
    static bool ahead[MOST_DIMENSIONS][MOST_ENTRIES];
    memset(ahead, 0, sizeof ahead);
    for (unsigned ago = 0; ago + 1 < d && ago <= now; ago++) {
        unsigned slot = (unsigned)((now - ago) % (d + 1));
        for (unsigned i = 0; i < bench->counts[slot]; i++)
            mark(bench, &bench->journeys[slot][i], bench->journeys[slot][i].node, 0, ago + 1, ahead);
    }
    for (unsigned interval = 0; interval + 1 < d; interval++)
        for (unsigned i = 0; i < 2 * d << d; i++) {
            CHECK_EQUAL(csr_plane_bit(csr_model_reserved(bench->model, i % (2 * d), interval), i / (2 * d)),
                        ahead[interval][i]);
            if (bench->alike)
                CHECK_EQUAL(csr_general_reserved(bench->general, i, interval), ahead[interval][i]);
        }
}

/* What a run draws from. */
struct kind {
    unsigned arrival; /* percent */
    unsigned exits;   /* 0: all */
    bool forks, favours;
};

/* How many packets were accepted. */
static uint64_t run(unsigned d, const struct kind *kind, unsigned slots, uint64_t *seed)
{
    static struct bench bench;
    memset(&bench, 0, sizeof bench);
    bench.d = d;
    bench.seed = check_random(seed);
    bench.most_exits = kind->exits ? kind->exits : 2 * d;
    bench.forks = kind->forks;
    bench.favours = kind->favours;
    bench.alike = !kind->forks && !kind->exits;
    bench.model = csr_model_create(&(struct csr_options){.dimensions = d,
                                                         .coin = coin,
                                                         .exits = exits,
                                                         .context = &bench,
                                                         .forks = kind->forks,
                                                         .favours = kind->favours});
    bench.flights = csr_flights_create(d);
    bench.general = csr_general_create(
        &(struct csr_general_options){.links = 2 * d << d, .rank = rank, .context = &bench});
    CHECK(bench.model && bench.flights && bench.general);
    for (uint64_t now = 0; now < slots; now++) {
        for (unsigned i = 0; i < d << d; i++)
            bench.coins[i >> d][i % (1u << d)] = check_random(&bench.seed);
        offer(&bench, kind->arrival);
        csr_model_slot(bench.model);
        csr_general_slot(bench.general);
        settle(&bench, now);
        CHECK(csr_flights_slot(bench.flights));
        arrive(&bench, now);
        compare_reservations(&bench, now);
    }
    csr_model_free(bench.model);
    csr_flights_free(bench.flights);
    csr_general_free(bench.general);
    return bench.accepted;
}

int main(void)
{
    static const struct kind kinds[] = {
        {.arrival = 2},
        {.arrival = 30},
        {.arrival = 100},
        {.arrival = 10, .favours = true},
        {.arrival = 30, .exits = 1},
        {.arrival = 100, .exits = 2, .favours = true},
        {.arrival = 3, .forks = true},
        {.arrival = 30, .forks = true, .favours = true},
        {.arrival = 30, .exits = 3, .forks = true},
    };
    uint64_t seed = check_seed(), accepted = 0;
    for (unsigned d = CSR_LEAST_DIMENSIONS; d <= MOST_DIMENSIONS; d++)
        for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++)
            accepted += run(d, &kinds[i], (unsigned)check_rounds(d <= 5 ? 200 : 30), &seed);
    CHECK(accepted > 0);
    return verdict("csr random traffic");
}
