/* The general model of conflict sense routing (section 2): link buffers in cases that were worked out by hand, and the
 * routes of its graphs.
 *
 * SPDX-License-Identifier: ISC
 */
#include "check.h"
#include "csr/csr_general.h"

enum { LINKS = 13, MOST_LENGTH = 3 };

/* All ranks are equal: flits of a link are treated in the order in which they were offered. */
static uint32_t equal_rank(void *context, unsigned flit, unsigned step, unsigned link, unsigned before)
{
    (void)context, (void)flit, (void)step, (void)link, (void)before;
    return 0;
}

static struct csr_general *network(unsigned buffers)
{
    struct csr_general *general = csr_general_create(
        &(struct csr_general_options){.links = LINKS, .buffers = buffers, .rank = equal_rank});
    CHECK(general);
    return general;
}

struct offer {
    uint32_t path[MOST_LENGTH];
    unsigned length, flight; /* flight: expected, 0 for a NACK */
};

static void run_slot(struct csr_general *general, const struct offer *offers, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        CHECK_EQUAL(csr_general_offer(general, offers[i].path, offers[i].length), i);
    csr_general_slot(general);
    for (unsigned i = 0; i < count; i++)
        CHECK_EQUAL(csr_general_flight(general, (int)i), offers[i].flight);
}

/* Without buffers the second flit of a link is blocked, with one it waits a slot, and the third one finds no buffer. */
static void test_one_link(void)
{
    static const struct offer none[] = {{{0, 1}, 2, 2}, {{0, 1}, 2, 0}, {{0}, 1, 0}};
    static const struct offer one[] = {{{0, 1}, 2, 2}, {{0, 1}, 2, 3}, {{0}, 1, 0}};
    static const struct offer two[] = {{{0, 1}, 2, 2}, {{0, 1}, 2, 3}, {{0}, 1, 3}};
    static const struct offer next[] = {{{0}, 1, 2}};
    struct csr_general *general = network(0);
    run_slot(general, none, 3);
    CHECK(csr_general_reserved(general, 1, 0));
    CHECK(!csr_general_reserved(general, 0, 0));
    csr_general_free(general);

    general = network(2);
    run_slot(general, two, 3);
    CHECK_EQUAL(csr_general_buffered(general, 0, 0), 1); /* of the third flit, in interval 2 */
    csr_general_free(general);

    general = network(1);
    run_slot(general, one, 3);
    CHECK(csr_general_reserved(general, 0, 0));
    CHECK_EQUAL(csr_general_buffered(general, 0, 0), 0);
    CHECK(csr_general_reserved(general, 1, 0) && csr_general_reserved(general, 1, 1));
    run_slot(general, next, 1); /* interval 1 of link 0 belongs to the second packet of the slot before */
    csr_general_free(general);
}

/* Two buffers, but no packet waits for more than one interval. */
static void test_patience(void)
{
    static const struct offer offers[] = {{{0}, 1, 1}, {{0}, 1, 2}, {{0}, 1, 0}};
    struct csr_general *general = csr_general_create(
        &(struct csr_general_options){.links = LINKS, .buffers = 2, .patience = 1, .rank = equal_rank});
    CHECK(general);
    run_slot(general, offers, 3);
    csr_general_free(general);
}

/* One buffer a link. The last flit waits at link 0 behind the one before it, from interval 2 to 3, and comes to link 1
 * in interval 4, where the link is reserved by the second flit, and the buffer by the fourth. So it is blocked, and
 * what it has reserved of link 0, buffer and interval, is free again. */
static void test_release(void)
{
    static const struct offer offers[] = {
        {{3, 4, 1}, 3, 3},   /* link 1 in 3 */
        {{5, 6, 1}, 3, 4},   /* waits in 3, link 1 in 4 */
        {{12, 11}, 2, 2},    /* link 11 in 2 */
        {{10, 11, 1}, 3, 5}, /* waits in 2, link 11 in 3; waits in 4, link 1 in 5 */
        {{9, 0}, 2, 2},      /* link 0 in 2 */
        {{8, 0, 1}, 3, 0},   /* waits in 2, link 0 in 3 */
    };
    struct csr_general *general = network(1);
    run_slot(general, offers, sizeof offers / sizeof *offers);
    CHECK_EQUAL(csr_general_buffered(general, 11, 0), 1);
    CHECK(csr_general_reserved(general, 11, 0) && csr_general_reserved(general, 11, 1));
    CHECK(csr_general_reserved(general, 0, 0));
    CHECK(!csr_general_reserved(general, 0, 1));
    CHECK_EQUAL(csr_general_buffered(general, 0, 0), 0);
    for (unsigned interval = 0; interval < 6; interval++)
        CHECK_EQUAL(csr_general_reserved(general, 1, interval), interval >= 1 && interval <= 3);
    csr_general_free(general);
}

/* More intervals ahead than the model has at first, 19 more in each slot. What was reserved before stays where it was:
 * link 4 by a packet of slot 0, for interval 3. */
static void test_far_ahead(void)
{
    enum { FLITS = 20 };
    static const uint32_t path[] = {0}, other[] = {2, 3, 4};
    struct csr_general *general = network(255);
    for (unsigned slot = 0; slot < 8; slot++) {
        for (int i = 0; i < FLITS; i++)
            CHECK_EQUAL(csr_general_offer(general, path, 1), i);
        if (slot == 0)
            CHECK_EQUAL(csr_general_offer(general, other, 3), FLITS);
        csr_general_slot(general);
        for (int i = 0; i < FLITS; i++)
            CHECK_EQUAL(csr_general_flight(general, i), (unsigned)i + 1 + slot * (FLITS - 1));
        for (unsigned interval = 0; interval < 8 * FLITS; interval++)
            CHECK_EQUAL(csr_general_reserved(general, 4, interval), slot + interval == 1);
    }
    csr_general_free(general);
}

int main(void)
{
    RUN(test_one_link);
    RUN(test_patience);
    RUN(test_release);
    RUN(test_far_ahead);
    return verdict("csr general");
}
