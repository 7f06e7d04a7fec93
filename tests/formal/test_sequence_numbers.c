/* Sequence numbers and epochs that wrap round, as the firmware computes with them, against numbers that never do: what
 * the model of the protocol (reliable.pml) leaves out. For every value where that can be had, else for those
 * round each edge and for random ones.
 *
 * Numbers are 64 bits here, and a target's memory is a set; a copy is late by less than LATE_MAX numbers of its source.
 *
 * SPDX-License-Identifier: ISC
 */
#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "operator/duplicate_filter.h"
#include "operator/send_window.h"

enum { LATE_MAX = (1 << 15) - PR_PEER_SPAN, STEPS = 3000000, HISTORY = 1 << 16 };

_Static_assert(PR_WINDOW_MAX <= PR_PEER_SPAN + 1, "a target remembers whatever its source may still send");
_Static_assert((PR_WINDOW_MAX & (PR_WINDOW_MAX - 1)) == 0, "slots are numbered by the low bits of a sequence number");

static struct pr_peer peer_at(uint64_t highest, uint32_t received)
{
    return (struct pr_peer){.highest = (uint32_t)highest, .received = received, .flags = PR_PEER_KNOWN};
}

/* What a packet is to a target with this highest number, if nothing wraps. */
static enum pr_peer_arrival expected(int64_t ahead, uint32_t received)
{
    if (ahead > 0)
        return PR_PEER_NEW;
    if (ahead < -PR_PEER_SPAN)
        return PR_PEER_STALE;
    return ahead < 0 && !(received >> (-ahead - 1) & 1) ? PR_PEER_NEW : PR_PEER_DUPLICATE;
}

static void check_classified(uint64_t highest, uint32_t received, int64_t ahead)
{
    struct pr_peer peer = peer_at(highest, received);

    CHECK(pr_peer_classify(&peer, (uint16_t)(highest + (uint64_t)ahead)) == expected(ahead, received));
}

/* Every low half of the highest number, near it and at the ends of what a late copy may be. */
static void classifies_everywhere(void)
{
    static const uint32_t received[] = {0, UINT32_MAX, 0x5a5a5a5a, 0x80000001};

    for (uint64_t highest = 0xffff0000; highest < 0x100020000; highest++) {
        for (unsigned k = 0; k < sizeof received / sizeof *received; k++) {
            for (int64_t ahead = -PR_PEER_SPAN - 3; ahead <= PR_PEER_SPAN + 3; ahead++)
                check_classified(highest, received[k], ahead);
            check_classified(highest, received[k], -LATE_MAX);
            check_classified(highest, received[k], LATE_MAX);
        }
    }
    for (uint64_t highest = 0; highest < 0x30000; highest += 0x1fff) {
        for (int64_t ahead = -LATE_MAX; ahead <= LATE_MAX; ahead++)
            check_classified(highest, 0x5a5a5a5a, ahead);
    }
}

/* What is remembered after each step of up to a whole memory, for bitmaps with one bit, one hole, and random ones. */
static void remembers(uint64_t highest, uint32_t received, int64_t ahead)
{
    struct pr_peer peer = peer_at(highest, received);
    enum pr_peer_arrival arrival = pr_peer_receive(&peer, (uint16_t)(highest + (uint64_t)ahead));
    int64_t forward = ahead > 0 ? ahead : 0;

    CHECK(arrival == expected(ahead, received));
    CHECK(peer.highest == (uint32_t)(highest + (uint64_t)forward));
    for (int64_t k = 0; k < PR_PEER_SPAN; k++) {
        int64_t place = forward - 1 - k; /* counted from the old highest */
        bool had = place == 0 || place == ahead ||
                   (place < 0 && place >= -PR_PEER_SPAN && (received >> (-place - 1) & 1));

        CHECK((peer.received >> k & 1) == had);
    }
}

static void remembers_everything(uint64_t *random)
{
    for (unsigned k = 0; k < 4000; k++) {
        uint32_t received = k < 32 ? 1u << k : k < 64 ? ~(1u << (k - 32)) : 0;

        *random = *random * 6364136223846793005u + 1442695040888963407u;
        if (k >= 64)
            received = (uint32_t)(*random >> 32);
        for (int64_t ahead = -PR_PEER_SPAN - 2; ahead <= PR_PEER_SPAN + 2; ahead++)
            remembers(0x1fffe + (*random >> 40 & 7), received, ahead);
    }
}

/* A base: everything before it counts as received, nothing from it on. */
static void starts_at_base(void)
{
    for (uint64_t base = 0xfffeff00; base < 0x100010100; base++) {
        struct pr_peer peer = {.flags = PR_PEER_FRESH};

        pr_peer_start(&peer, (uint32_t)base);
        CHECK(peer.flags & PR_PEER_KNOWN && !(peer.flags & PR_PEER_FRESH));
        for (int64_t ahead = -PR_PEER_SPAN - 1; ahead < 0; ahead++)
            CHECK(pr_peer_classify(&peer, (uint16_t)(base + (uint64_t)ahead)) != PR_PEER_NEW);
        for (int64_t ahead = 0; ahead < PR_WINDOW_MAX; ahead++)
            CHECK(pr_peer_classify(&peer, (uint16_t)(base + (uint64_t)ahead)) == PR_PEER_NEW);
        CHECK(pr_peer_classify(&peer, (uint16_t)(base - LATE_MAX)) == PR_PEER_STALE);
    }
}

/* A source that never goes further than its window, and copies of anything it ever sent that are late by up to LATE_MAX
 * numbers: each number is new exactly once, and what may still be sent is never taken for something else. */
static void walks(uint64_t *random)
{
    static bool had[HISTORY];
    struct pr_peer peer;
    uint64_t edge = HISTORY, next = HISTORY;

    pr_peer_start(&peer, (uint32_t)next);
    for (unsigned step = 0; step < STEPS; step++) {
        uint64_t draw = *random = *random * 6364136223846793005u + 1442695040888963407u, sequence;
        enum pr_peer_arrival arrival;

        draw >>= 32;
        if (next < edge + PR_WINDOW_MAX && draw % 3 == 0)
            had[next++ % HISTORY] = false;
        while (edge < next && (had[edge % HISTORY] || draw % 97 == 0)) /* settled, or given up */
            edge++;
        sequence = draw % 5 == 0 ? next - 1 - (draw >> 4) % LATE_MAX : edge + (draw >> 4) % PR_WINDOW_MAX;
        if (sequence < HISTORY || sequence >= next)
            continue;
        arrival = pr_peer_receive(&peer, (uint16_t)sequence);
        CHECK(arrival != PR_PEER_NEW || !had[sequence % HISTORY]);
        CHECK(sequence < edge || arrival == (had[sequence % HISTORY] ? PR_PEER_DUPLICATE : PR_PEER_NEW));
        if (arrival == PR_PEER_NEW)
            had[sequence % HISTORY] = true;
    }
    CHECK(next > 3 * HISTORY);
}

/* Of two epochs that are less than 32768 restarts apart it is known which is newer. */
static void epochs(void)
{
    for (unsigned than = 0; than <= UINT16_MAX; than += 257) {
        for (int ahead = -INT16_MAX; ahead <= INT16_MAX; ahead++)
            CHECK(pr_epoch_is_newer((uint16_t)(than + (unsigned)ahead), (uint16_t)than) == (ahead > 0));
    }
}

int main(void)
{
    const char *seed = getenv("SEED");
    uint64_t random = seed != NULL ? strtoull(seed, NULL, 0) : 1;

    printf("SEED=%llu\n", (unsigned long long)random);
    classifies_everywhere();
    remembers_everything(&random);
    starts_at_base();
    walks(&random);
    epochs();
    return 0;
}
