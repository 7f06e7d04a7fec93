/* The general model of conflict sense routing on random networks of links, with random paths: what each accepted packet
 * has been told is kept as a timetable, apart from the model.
 *
 *   - No two packets are on one link in one slot, nor more than K in its buffers.
 *   - Reservations of the model are those of the timetable: what was blocked has left nothing.
 *
 * SPDX-License-Identifier: ISC
 */
#include <string.h>

#include "check.h"
#include "csr/csr_general.h"

enum { LINKS = 12, MOST_LENGTH = 6, MOST_FLITS = 40, AHEAD = 256 };

struct bench {
    uint64_t seed;
    unsigned buffers, patience;
    struct csr_general *general;
    bool used[AHEAD][LINKS]; /* [slot % AHEAD] */
    unsigned buffered[AHEAD][LINKS];
    uint32_t paths[MOST_FLITS][MOST_LENGTH];
    unsigned lengths[MOST_FLITS], count;
    uint64_t accepted, waited;
};

static void offer(struct bench *bench, unsigned flits)
{
    bench->count = flits;
    for (unsigned i = 0; i < flits; i++) {
        bench->lengths[i] = 1 + check_below(&bench->seed, MOST_LENGTH);
        for (unsigned step = 0; step < bench->lengths[i]; step++)
            bench->paths[i][step] = check_below(&bench->seed, LINKS);
        CHECK_EQUAL(csr_general_offer(bench->general, bench->paths[i], bench->lengths[i]), i);
    }
}

/* Writes an accepted packet into the timetable. Intervals count from 1, the slot `now`. */
static void enter(struct bench *bench, uint64_t now, unsigned i)
{
    unsigned ready = 1;
    for (unsigned step = 0; step < bench->lengths[i]; step++) {
        unsigned interval = csr_general_interval(bench->general, (int)i, step), link = bench->paths[i][step];
        CHECK(interval >= ready && interval < AHEAD);
        CHECK(!bench->patience || interval - ready <= bench->patience);
        bool *used = &bench->used[(now + interval - 1) % AHEAD][link];
        CHECK(!*used);
        *used = true;
        for (unsigned t = ready; t < interval; t++)
            CHECK(++bench->buffered[(now + t - 1) % AHEAD][link] <= bench->buffers);
        bench->waited += interval - ready;
        ready = interval + 1;
    }
    CHECK_EQUAL(csr_general_flight(bench->general, (int)i), ready - 1);
    bench->accepted++;
}

static void compare(const struct bench *bench, uint64_t now)
{
    for (unsigned interval = 0; interval + 1 < AHEAD; interval++)
        for (unsigned link = 0; link < LINKS; link++) {
            unsigned slot = (unsigned)((now + 1 + interval) % AHEAD);
            CHECK_EQUAL(csr_general_reserved(bench->general, link, interval), bench->used[slot][link]);
            CHECK_EQUAL(csr_general_buffered(bench->general, link, interval), bench->buffered[slot][link]);
        }
}

static void run(unsigned buffers, unsigned patience, unsigned flits, uint64_t *seed)
{
    static struct bench bench;
    memset(&bench, 0, sizeof bench);
    bench.seed = check_random(seed);
    bench.buffers = buffers;
    bench.patience = patience;
    bench.general = csr_general_create(&(struct csr_general_options){
        .links = LINKS, .buffers = buffers, .patience = patience, .seed = check_random(&bench.seed)});
    CHECK(bench.general);
    uint64_t slots = check_rounds(200);
    for (uint64_t now = 0; now < slots; now++) {
        offer(&bench, check_below(&bench.seed, flits + 1));
        csr_general_slot(bench.general);
        for (unsigned i = 0; i < bench.count; i++)
            if (csr_general_flight(bench.general, (int)i))
                enter(&bench, now, i);
        memset(bench.used[now % AHEAD], 0, sizeof bench.used[0]);
        memset(bench.buffered[now % AHEAD], 0, sizeof bench.buffered[0]);
        compare(&bench, now);
    }
    check(buffers > 0 || bench.waited == 0, "packets wait without buffers");
    check(slots < 20 || bench.accepted > slots / 4, "%llu packets in %llu slots", (unsigned long long)bench.accepted,
          (unsigned long long)slots);
    csr_general_free(bench.general);
}

int main(void)
{
    uint64_t seed = check_seed();
    for (unsigned buffers = 0; buffers <= 4; buffers++)
        for (unsigned patience = 0; patience <= 3; patience += 3) {
            run(buffers, patience, 3, &seed);
            run(buffers, patience, MOST_FLITS, &seed);
        }
    return verdict("csr buffers");
}
