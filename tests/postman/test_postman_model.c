/* The fast model of `postman` against arithmetic and a scoreboard: a lone packet takes distance + length clocks for
 * every pair; random traffic of mixed lengths arrives exactly once with the right flits, with every set of options.
 *
 * SPDX-License-Identifier: ISC
 */
#include <string.h>

#include "check.h"
#include "postman/postman_model.h"

enum { FLIT_BITS = 8, FLAG = 1 << (FLIT_BITS - 1), MOST_DATA = 16, LIMIT = 60000, MOST_NODES = 32 * 32 };

/* A packet from node to node of a plane without flips, by this machine first. */
static struct postman_load packet(unsigned size_x, unsigned from, unsigned to, bool y_first, const uint16_t *data,
                                  unsigned count)
{
    unsigned to_x = to % size_x, to_y = to / size_x;
    bool two = from % size_x != to_x && from / size_x != to_y;
    if (!two)
        y_first = from % size_x == to_x;
    struct postman_load load = {.node = from, .machine = y_first ? POSTMAN_Y : POSTMAN_X};
    load.flits[load.count++] = (uint16_t)((y_first ? to_y : to_x) | (two ? FLAG : 0));
    if (two)
        load.flits[load.count++] = (uint16_t)(y_first ? to_x : to_y);
    memcpy(load.flits + load.count, data, count * sizeof *data);
    load.count += count;
    return load;
}

static bool within_plane(unsigned size_x, unsigned from, unsigned to)
{
    return from != to && to % size_x >= from % size_x && to / size_x >= from / size_x;
}

static void lone_packet(const struct postman_options *options, unsigned from, unsigned to, bool y_first, unsigned count)
{
    static const uint16_t data[MOST_DATA] = {0xa5, 0xff, 0, 0x80, 0x7f, 1};
    struct postman_plane *plane = postman_plane_create(options);
    CHECK(plane);
    struct postman_load load = packet(options->size_x, from, to, y_first, data, count);
    CHECK(postman_plane_load(plane, &load));
    struct postman_arrival arrival = {.count = 0};
    while (!postman_plane_arrival(plane, &arrival) && postman_plane_now(plane) < LIMIT)
        postman_plane_clock(plane);
    unsigned dx = to % options->size_x - from % options->size_x, dy = to / options->size_x - from / options->size_x;
    unsigned expected = dx + dy + (FLIT_BITS + 1) * load.count;
    if (options->vct) /* a flit more a node that is passed: neither the first, nor the corner, nor the last */
        expected += FLIT_BITS * ((dx ? dx - 1 : 0) + (dy ? dy - 1 : 0));
    check(arrival.node == to && arrival.clock == expected, "%u to %u: at %u after %u clocks, expected %u", from, to,
          arrival.node, (unsigned)arrival.clock, expected);
    check(arrival.count == count && !memcmp(arrival.flits, data, count * sizeof *data), "%u to %u: other flits", from,
          to);
    postman_plane_free(plane);
}

static void all_pairs(unsigned side, bool vct)
{
    struct postman_options options = {
        side, side, FLIT_BITS, .vct = vct, .adaptive_routing = true, .adaptive_sourcing = true};
    for (unsigned from = 0; from < side * side; from++)
        for (unsigned to = 0; to < side * side; to++)
            if (within_plane(side, from, to))
                for (unsigned count = 1; count <= MOST_DATA; count += 15)
                    lone_packet(&options, from, to, (from ^ to) & 1, count);
}

/* What is on its way to each node: a bit a packet, by its first data flits: the node and the machine that it comes
 * from. */
struct expectation {
    struct postman_load load;
    unsigned to;
    bool expected;
};

static unsigned load_random(struct postman_plane *plane, const struct postman_options *options, uint64_t *seed,
                            struct expectation *sent, unsigned hot)
{
    unsigned nodes = options->size_x * options->size_y, count = 0;
    for (unsigned from = 0; from < nodes; from++) {
        unsigned to = hot ? hot : check_below(seed, nodes), words = 2 + check_below(seed, MOST_DATA - 1);
        if (!within_plane(options->size_x, from, to))
            continue;
        uint16_t data[MOST_DATA] = {from & 0xff, (uint16_t)(from >> 8)};
        for (unsigned i = 2; i < words; i++)
            data[i] = (uint16_t)check_below(seed, 1 << FLIT_BITS);
        sent[from] = (struct expectation){packet(options->size_x, from, to, check_below(seed, 2), data, words), to,
                                          true};
        CHECK(postman_plane_load(plane, &sent[from].load));
        count++;
    }
    return count;
}

static void arrived(const struct postman_arrival *arrival, struct expectation *sent, unsigned nodes)
{
    unsigned from = arrival->flits[0] | arrival->flits[1] << 8;
    check(arrival->count >= 2 && from < nodes, "an arrival of no source");
    if (from >= nodes)
        return;
    const struct postman_load *load = &sent[from].load;
    check(sent[from].expected && sent[from].to == arrival->node, "from %u: at %u, not expected there", from,
          arrival->node);
    check(arrival->count < load->count && !memcmp(arrival->flits, load->flits + load->count - arrival->count,
                                                  arrival->count * sizeof *arrival->flits),
          "from %u: other flits", from);
    sent[from].expected = false;
}

static struct expectation sent[MOST_NODES];

static void random_traffic(unsigned size_x, unsigned size_y, unsigned set, bool hot_spot, uint64_t *seed)
{
    struct postman_options options = {size_x,
                                      size_y,
                                      FLIT_BITS,
                                      .vct = set & 1,
                                      .adaptive_routing = set & 2,
                                      .adaptive_sourcing = set & 4,
                                      .pass_first = set & 8};
    struct postman_plane *plane = postman_plane_create(&options);
    CHECK(plane);
    memset(sent, 0, sizeof sent);
    unsigned nodes = size_x * size_y, missing = load_random(plane, &options, seed, sent, hot_spot ? nodes - 1 : 0);
    while (!postman_plane_quiet(plane) && postman_plane_now(plane) < LIMIT) {
        postman_plane_clock(plane);
        for (struct postman_arrival arrival; postman_plane_arrival(plane, &arrival); missing--)
            arrived(&arrival, sent, nodes);
    }
    check(!missing && postman_plane_quiet(plane), "%ux%u, options %u: %u packets missing", size_x, size_y, set,
          missing);
    postman_plane_free(plane);
}

int main(void)
{
    uint64_t seed = check_seed();
    for (unsigned vct = 0; vct < 2; vct++) {
        all_pairs(2, vct);
        all_pairs(7, vct);
        lone_packet(&(struct postman_options){32, 32, FLIT_BITS, .vct = vct}, 0, MOST_NODES - 1, false, 1);
    }
    for (unsigned set = 0; set < 16; set++)
        for (unsigned round = 0; round < 10; round++) {
            random_traffic(2 + check_below(&seed, 31), 2 + check_below(&seed, 31), set, false, &seed);
            random_traffic(2 + check_below(&seed, 7), 2 + check_below(&seed, 7), set, true, &seed);
            random_traffic(32, 32, set, false, &seed);
        }
    return verdict("test_postman_model");
}
