/* The options of the fast model that are for experiments alone (postman_model.h): small cases whose clocks are
 * calculated here by hand, and random traffic with every set of them, loaded before clock 0 and later.
 *
 * SPDX-License-Identifier: ISC
 */
#include <string.h>

#include "check.h"
#include "postman/journeys.h"
#include "postman/option_letters.h"
#include "postman/traffic.h"

enum { SIDE = 4, LIMIT = 200, CASE_PACKETS = 3, STREAM = 6 };

/* A packet of plane (+X,+Y) of 4x4 nodes, flits of 4 bits, so that a flit takes 5 clocks. */
struct packet {
    unsigned column, row;
    enum postman_dimension machine;
    unsigned to_column, to_row, data;
    unsigned clock; /* of its request; 0: it is loaded before clock 0 */
};

/* The last packet is the one that is looked at. */
struct case_of {
    const char *what;
    struct packet packets[CASE_PACKETS];
    struct {
        const char *letters;
        unsigned clock; /* of its arrival */
    } expected[8];
};

/* A source that begins in clock s holds its output until s + 5 * flits, and it is free in the clock behind. The packet
 * arrives in clock s + lines + 5 * flits. A head is on the line a clock after its source began; the decision about it
 * falls 5 clocks later. What is to turn and cannot is in the buffer when its second flit is there: it may be sent 6
 * clocks behind the decision. */
static const struct case_of cases[] = {
    /* The source of 2,1 holds the output until 20. The packet from 2,0 is buffered behind it in clock 6. The third one
     * is to turn at 2,0 in clock 6, finds the output owned, and could be sent from clock 12 on. With one buffer 2,1 is
     * busy until the one that waits there is sent: that begins in 21, and busy is seen to fall in 22. */
    {"a buffer is occupied",
     {{2, 1, POSTMAN_Y, 2, 3, 3, 0}, {2, 0, POSTMAN_Y, 2, 3, 1, 0}, {1, 0, POSTMAN_X, 2, 1, 1, 0}},
     {{"-", 22 + 1 + 10}, {"2", 12 + 1 + 10}, {"3", 12 + 1 + 10}, {"m", 12 + 1 + 10}, {"a", 22 + 1 + 10}}},
    /* The first packet arrives at 2,1 with validity 0 in clock 11, and busy is shown until 12. */
    {"a packet arrives",
     {{2, 0, POSTMAN_Y, 2, 1, 1, 0}, {1, 0, POSTMAN_X, 2, 2, 1, 0}},
     {{"-", 13 + 2 + 10}, {"2", 13 + 2 + 10}, {"a", 12 + 2 + 10}, {"m", 12 + 2 + 10}}},
    /* The first packet's address flit runs on behind 2,1: it holds the output there in clocks 1 to 6. The second packet
     * is to turn there in clock 6. */
    {"a dead flit at its target",
     {{2, 0, POSTMAN_Y, 2, 1, 1, 0}, {1, 1, POSTMAN_X, 2, 3, 1, 0}},
     {{"-", 12 + 2 + 10}, {"k", 12 + 2 + 10}, {"o", 3 + 15}, {"v", 3 + 15 + 4}}},
    /* The same flit, 1, holds the output of 2,2 in clocks 2 to 7; its second bit, in clock 5, shows that it is behind:
     * it is cut in clock 6. The second packet is to turn there in clock 7. */
    {"a dead flit behind its target",
     {{2, 0, POSTMAN_Y, 2, 1, 1, 0}, {0, 2, POSTMAN_X, 2, 3, 1, 0}},
     {{"-", 13 + 1 + 10}, {"k", 3 + 15}, {"o", 3 + 15}}},
    /* The first packet passes 1,1 in clocks 1 to 21. A load waits until the machine is idle in clock 22, is granted in
     * 24, and written in two clocks more. A buffer of its own is written meanwhile. */
    {"a load beside a packet on the line",
     {{1, 0, POSTMAN_Y, 1, 3, 3, 0}, {1, 1, POSTMAN_Y, 1, 2, 1, 1}},
     {{"-", 26 + 1 + 10}, {"2", 26 + 1 + 10}, {"i", 22 + 1 + 10}, {"i2", 22 + 1 + 10}, {"m", 22 + 1 + 10}}},
};

static struct postman_load load_of(const struct packet *packet, unsigned number, const struct postman_grid *grid)
{
    uint16_t data[SIDE] = {(uint16_t)number};
    return postman_grid_packet(grid, packet->row * SIDE + packet->column, packet->to_row * SIDE + packet->to_column,
                               packet->machine, data, packet->data);
}

static unsigned run_case(const struct case_of *run, const struct postman_options *options)
{
    struct postman_grid grid = {.options = *options};
    struct postman_plane *plane = postman_plane_create(options);
    CHECK(plane);
    unsigned last = 0, found = 0;
    for (unsigned clock = 0; clock < LIMIT; clock++) {
        for (unsigned i = 0; i < CASE_PACKETS && run->packets[i].data; i++) {
            struct postman_load load = load_of(&run->packets[i], i, &grid);
            last = i;
            if (run->packets[i].clock == clock)
                CHECK(clock ? postman_plane_request(plane, &load) : postman_plane_load(plane, &load));
        }
        postman_plane_clock(plane);
        for (struct postman_arrival arrival; postman_plane_arrival(plane, &arrival);)
            if (arrival.flits[0] == last)
                found = (unsigned)arrival.clock;
    }
    CHECK(postman_plane_quiet(plane));
    postman_plane_free(plane);
    return found;
}

static void calculated(void)
{
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
        for (unsigned j = 0; cases[i].expected[j].letters; j++) {
            struct postman_options options = {.size_x = SIDE, .size_y = SIDE, .flit_bits = 4};
            CHECK(option_letters(cases[i].expected[j].letters, &options));
            unsigned clock = run_case(&cases[i], &options);
            check(clock == cases[i].expected[j].clock, "%s, options %s: clock %u, expected %u", cases[i].what,
                  cases[i].expected[j].letters, clock, cases[i].expected[j].clock);
        }
}

static void refused(void)
{
    static const char *const letters[] = {"m2", "to", "tk", "vk"};
    for (unsigned i = 0; i < sizeof letters / sizeof *letters; i++) {
        struct postman_options options = {.size_x = SIDE, .size_y = SIDE, .flit_bits = 4};
        CHECK(option_letters(letters[i], &options));
        check(!postman_plane_create(&options), "options %s: a plane was made", letters[i]);
    }
    struct postman_options options = {.size_x = SIDE, .size_y = SIDE, .flit_bits = 4};
    check(!option_letters("rx", &options) && !option_letters("1", &options), "a letter that is none was taken");
}

static void draw_options(struct postman_options *options, uint64_t *seed)
{
    *options = (struct postman_options){.size_x = 2 + check_below(seed, 8),
                                        .size_y = 2 + check_below(seed, 8),
                                        .flit_bits = 5 + check_below(seed, 5),
                                        .torus = check_below(seed, 4) == 0};
    traffic_options(options, check_below(seed, TRAFFIC_OPTION_SETS));
    options->arrivals_apart = check_below(seed, 2);
    options->late_pass = check_below(seed, 2) && !options->vct;
    options->injection_buffers = check_below(seed, 2);
    options->ample_buffers = check_below(seed, 3) == 0;
    options->buffers = options->ample_buffers ? 0 : check_below(seed, 4);
    options->no_dead_flits = check_below(seed, 3) == 0 && !options->torus;
    options->shrinking = check_below(seed, 3) == 0 && !options->torus && !options->vct;
}

/* Operators load packet after packet. */
static void stream(const struct postman_options *options, uint64_t *seed)
{
    static struct postman_journey journeys[POSTMAN_MOST_SIDE * POSTMAN_MOST_SIDE * STREAM];
    static unsigned arrivals[POSTMAN_MOST_SIDE * POSTMAN_MOST_SIDE * STREAM];
    unsigned nodes = options->size_x * options->size_y, count = 0;
    for (unsigned i = 0; i < nodes * STREAM; i++) {
        unsigned from = i % nodes, to = check_below(seed, nodes);
        if (to != from)
            journeys[count++] = (struct postman_journey){from, to, 1 + check_below(seed, SIDE), check_below(seed, 2),
                                                         1 + i / nodes * check_below(seed, 20)};
    }
    struct postman_counts counts;
    check(postman_journeys_run(options, journeys, count, arrivals, &counts),
          "%ux%u, a stream: not each has arrived once", options->size_x, options->size_y);
    unsigned most = options->buffers ? options->buffers : 1;
    check(options->ample_buffers || counts.deepest <= most, "%u packets wait in %u buffers", counts.deepest, most);
    check(!options->no_dead_flits || !counts.dead, "%u dead flits", (unsigned)counts.dead);
}

static void drawn(void)
{
    uint64_t seed = check_seed();
    for (unsigned long round = check_rounds(400); round > 0; round--) {
        struct postman_options options;
        draw_options(&options, &seed);
        traffic_run(&options, 1 + check_below(&seed, 12), round % 4 == 0, &seed);
        if (round % 4 == 1)
            stream(&options, &seed);
    }
}

int main(void)
{
    RUN(calculated);
    RUN(refused);
    RUN(drawn);
    return verdict("test_postman_options");
}
