/* The slot model of conflict sense routing in small cases that were worked out by hand: conflicts, coins, ghosts, freed
 * rows, exits, forks.
 *
 * SPDX-License-Identifier: ISC
 */
#include "check.h"
#include "csr/csr_model.h"
#include "csr/csr_plane.h"

enum { D = 3 };

/* Coins and exits that a case chooses. */
struct choice {
    uint32_t coins;           /* of all nodes and steps */
    uint32_t refused[1 << D]; /* exits of a node without a free packet buffer */
    unsigned coin_calls, last_step;
    uint32_t arrived[1 << D];
};

static uint32_t coin(void *context, unsigned node, unsigned step)
{
    struct choice *choice = context;
    CHECK_EQUAL(node, choice->coin_calls % (1 << D));
    CHECK_EQUAL(step, choice->coin_calls / (1 << D) % D);
    choice->coin_calls++;
    return choice->coins;
}

static uint32_t exits(void *context, unsigned node, uint32_t arrived)
{
    struct choice *choice = context;
    choice->arrived[node] = arrived;
    return arrived & ~choice->refused[node];
}

static struct csr_model *cube(struct choice *choice, bool forks)
{
    struct csr_model *model = csr_model_create(
        &(struct csr_options){.dimensions = D, .forks = forks, .coin = coin, .exits = exits, .context = choice});
    CHECK(model);
    return model;
}

static unsigned accepted_of(const struct csr_model *model)
{
    unsigned count = 0;
    for (unsigned link = 0; link < 2 * D; link++)
        count += (unsigned)__builtin_popcountll(csr_model_accepted(model, link)[0]);
    return count;
}

static bool accepted(const struct csr_model *model, unsigned node, unsigned link)
{
    return csr_plane_bit(csr_model_accepted(model, link), node);
}

static bool reserved(const struct csr_model *model, unsigned node, unsigned link, unsigned interval)
{
    return csr_plane_bit(csr_model_reserved(model, link, interval), node);
}

static unsigned reserved_of(const struct csr_model *model)
{
    unsigned count = 0;
    for (unsigned link = 0; link < 2 * D; link++)
        for (unsigned interval = 0; interval < D - 1; interval++)
            count += (unsigned)__builtin_popcountll(csr_model_reserved(model, link, interval)[0]);
    return count;
}

/* From node 0, module 2, tag 101: links (0, forward 2), (4, internal 1), (4, forward 0), to node 5. */
static void test_lone_packet(void)
{
    struct choice choice = {0};
    struct csr_model *model = cube(&choice, false);
    csr_model_offer(model, 0, 2, 5, 0);
    csr_model_slot(model);
    CHECK_EQUAL(accepted_of(model), 1);
    CHECK(accepted(model, 0, 5));
    CHECK(reserved(model, 4, 2, 0)); /* the next slot */
    CHECK(reserved(model, 4, 1, 1));
    CHECK_EQUAL(reserved_of(model), 2);
    CHECK_EQUAL(choice.arrived[5], 1u << csr_exit(D, 2, 5));
    CHECK_EQUAL(csr_exit(D, 2, 5), 5);
    CHECK_EQUAL(choice.coin_calls, D << D);

    csr_model_offer_none(model);
    csr_model_slot(model);
    CHECK_EQUAL(accepted_of(model), 0);
    CHECK(reserved(model, 4, 1, 0));
    CHECK_EQUAL(reserved_of(model), 1);
    csr_model_slot(model);
    CHECK_EQUAL(reserved_of(model), 0);
    CHECK_EQUAL(csr_model_now(model), 3);
    csr_model_free(model);
}

/* Two flits of one slot want (4, internal 1) in step 1: from node 0 over the forward link, from node 4 over the
 * internal one. The coin of that link chooses. */
static void test_conflict(void)
{
    for (unsigned side = 0; side < 2; side++) {
        struct choice choice = {.coins = side ? 1u << 2 : ~(1u << 2)};
        struct csr_model *model = cube(&choice, false);
        csr_model_offer(model, 0, 2, 5, 0);
        csr_model_offer(model, 4, 2, 0, 0);
        csr_model_slot(model);
        CHECK_EQUAL(accepted(model, 0, 5), side);
        CHECK_EQUAL(accepted(model, 4, 4), !side);
        CHECK(reserved(model, 4, 2, 0));
        CHECK_EQUAL(reserved_of(model), 2); /* the blocked flit's first link was for this slot alone */
        csr_model_free(model);
    }
}

/* The same two flits: whatever the coin says, the one that is favoured wins, and the coin decides between two. */
static void test_favoured(void)
{
    for (unsigned which = 0; which < 8; which++) {
        bool internal = which & 1, forward = which & 2, coins = which & 4;
        struct choice choice = {.coins = coins ? ~0u : 0};
        struct csr_model *model = csr_model_create(
            &(struct csr_options){.dimensions = D, .favours = true, .coin = coin, .exits = exits, .context = &choice});
        CHECK(model);
        csr_model_offer(model, 0, 2, 5, 0);
        csr_model_offer(model, 4, 2, 0, 0);
        csr_plane_set_bit(csr_model_favoured(model, 5), 0, forward);
        csr_plane_set_bit(csr_model_favoured(model, 4), 4, internal);
        csr_model_slot(model);
        CHECK_EQUAL(accepted(model, 0, 5), internal == forward ? coins : forward);
        CHECK_EQUAL(accepted_of(model), 1);
        csr_model_free(model);
    }
}

/* A link that a packet of an earlier slot has reserved blocks the same link in the same slot, and no other. */
static void test_reservation(void)
{
    struct choice choice = {0};
    struct csr_model *model = cube(&choice, false);
    csr_model_offer(model, 0, 2, 5, 0); /* (4, internal 1) in slot 1, (4, forward 0) in slot 2 */
    csr_model_slot(model);
    csr_model_offer_none(model);
    csr_model_offer(model, 4, 1, 0, 0); /* (4, internal 1) in slot 1: reserved */
    csr_model_offer(model, 4, 1, 2, 0); /* (4, forward 1) in slot 1, (6, internal 0) in slot 2: free */
    csr_model_offer(model, 4, 2, 0, 0); /* (4, internal 1) in slot 2: free */
    csr_model_slot(model);
    CHECK(!accepted(model, 4, 2));
    CHECK(accepted(model, 4, 3));
    CHECK(accepted(model, 4, 4));
    CHECK_EQUAL(accepted_of(model), 2);
    csr_model_free(model);
}

/* In one slot, all coins for flits from forward links: the flit of node 4 wins (0, internal 1) from that of node 0, and
 * then loses (0, internal 0) to that of node 2. So the flit of node 0, whose other links are free, is blocked by a
 * ghost. Nothing of the ghost is left in the next slot: the packet of node 0 gets what it lost. */
static void offer_ghost(struct csr_model *model)
{
    csr_model_offer(model, 4, 2, 4, 0); /* (4, forward 2), (0, internal 1), (0, internal 0) */
    csr_model_offer(model, 0, 2, 1, 0); /* (0, internal 2), (0, internal 1), (0, forward 0) */
    csr_model_offer(model, 2, 2, 2, 0); /* (2, internal 2), (2, forward 1), (0, internal 0) */
}

static void test_ghost(void)
{
    struct choice choice = {.coins = ~0u};
    struct csr_model *model = cube(&choice, false);
    offer_ghost(model);
    csr_model_slot(model);
    CHECK(accepted(model, 2, 4));
    CHECK_EQUAL(accepted_of(model), 1);
    CHECK(reserved(model, 2, 3, 0));
    CHECK(reserved(model, 0, 0, 1));
    CHECK_EQUAL(reserved_of(model), 2);

    csr_model_offer_none(model);
    csr_model_offer(model, 0, 2, 1, 0);
    choice.coin_calls = 0;
    csr_model_slot(model);
    CHECK(accepted(model, 0, 4));
    csr_model_free(model);
}

/* The same flits, but node 0 has no packet buffer: both that arrive there are NACKed, as if their exits were blocked.
 */
static void test_exits(void)
{
    struct choice choice = {.coins = ~0u, .refused = {[0] = ~0u}};
    struct csr_model *model = cube(&choice, false);
    offer_ghost(model);
    csr_model_slot(model);
    CHECK_EQUAL(accepted_of(model), 0);
    CHECK_EQUAL(reserved_of(model), 0);
    CHECK_EQUAL(choice.arrived[0], 1u << 4);
    csr_model_free(model);

    /* One of two exits: 4 from (0, internal 0), 5 from (1, forward 0). */
    choice = (struct choice){.coins = ~0u, .refused = {[0] = 1u << 4}};
    model = cube(&choice, false);
    csr_model_offer(model, 0, 2, 0, 0);
    csr_model_offer(model, 1, 2, 1, 0);
    csr_model_slot(model);
    CHECK_EQUAL(choice.arrived[0], 3u << 4);
    CHECK(accepted(model, 1, 4));
    CHECK_EQUAL(accepted_of(model), 1);
    csr_model_free(model);
}

/* A fork in the dimensions 1 and 0 reaches nodes 0 to 3, over 1 + 2 + 4 links. If one of these has no packet buffer,
 * none of them gets the packet. */
static void test_fork(void)
{
    for (unsigned refused = 0; refused < 2; refused++) {
        struct choice choice = {.refused = {[3] = refused ? 1u << 5 : 0}};
        struct csr_model *model = cube(&choice, true);
        csr_model_offer(model, 0, 2, 0, 3);
        csr_model_slot(model);
        CHECK_EQUAL(accepted_of(model), !refused);
        CHECK_EQUAL(reserved_of(model), refused ? 0 : 6);
        for (unsigned node = 0; node < 1 << D; node++)
            CHECK_EQUAL(choice.arrived[node], node < 4 ? 1u << (4 + node % 2) : 0);
        csr_model_free(model);
    }
}

/* A broadcast forks in its entry buffer, too: there the packet of the other entry buffer is in its way. */
static void test_broadcast(void)
{
    for (unsigned side = 0; side < 3; side++) {
        struct choice choice = {.coins = side == 1 ? 1u << 5 : 0};
        struct csr_model *model = cube(&choice, true);
        csr_model_offer(model, 0, 2, 0, 7);
        if (side)
            csr_model_offer(model, 0, 2, 4, 0);
        csr_model_slot(model);
        CHECK_EQUAL(accepted(model, 0, 4), side != 1);
        CHECK_EQUAL(accepted(model, 0, 5), side == 1);
        CHECK_EQUAL(reserved_of(model), side == 1 ? 2 : 12);
        csr_model_free(model);
    }
}

int main(void)
{
    RUN(test_lone_packet);
    RUN(test_conflict);
    RUN(test_favoured);
    RUN(test_reservation);
    RUN(test_ghost);
    RUN(test_exits);
    RUN(test_fork);
    RUN(test_broadcast);
    return verdict("csr cases");
}
