/* See traffic.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "postman/traffic.h"

#include <string.h>

#include "check.h"

enum { MOST_DATA = 16, NAME_FLITS = 3, LIMIT = 200000, MOST_NODES = POSTMAN_MOST_SIDE * POSTMAN_MOST_SIDE };

void traffic_options(struct postman_options *options, unsigned set)
{
    options->vct = set & 1;
    options->adaptive_routing = set & 2;
    options->adaptive_sourcing = set & 4;
    options->pass_first = set & 8;
}

/* What has been loaded. A packet's first data flits are its number here. */
struct sent {
    unsigned to, count;
    uint16_t data[MOST_DATA];
    bool missing;
};

struct traffic {
    struct postman_grid grid;
    unsigned loaded, missing;
    struct sent sent[MOST_NODES * POSTMAN_PLANES * 2];
};

static struct traffic traffic;

static void load(struct traffic *traffic, unsigned from, unsigned to, enum postman_dimension first, uint64_t *seed)
{
    unsigned flit_bits = traffic->grid.options.flit_bits;
    struct sent *sent = &traffic->sent[traffic->loaded];
    *sent = (struct sent){
        .to = to, .count = NAME_FLITS + check_below(seed, MOST_DATA - NAME_FLITS + 1), .missing = true};
    for (unsigned i = 0; i < sent->count; i++)
        sent->data[i] = (uint16_t)((i < NAME_FLITS ? traffic->loaded >> i * flit_bits : check_random(seed)) &
                                   ((1u << flit_bits) - 1));
    if (!postman_grid_load(&traffic->grid, from, to, first, sent->data, sent->count))
        return; /* its buffer has a packet already */
    traffic->loaded++;
    traffic->missing++;
}

static void arrived(struct traffic *traffic, const struct postman_arrival *arrival)
{
    unsigned number = 0;
    for (unsigned i = 0; i < NAME_FLITS; i++)
        number |= (unsigned)arrival->flits[i] << i * traffic->grid.options.flit_bits;
    check(arrival->count >= NAME_FLITS && number < traffic->loaded, "an arrival that was never loaded");
    if (number >= traffic->loaded)
        return;
    struct sent *sent = &traffic->sent[number];
    check(sent->missing && sent->to == arrival->node, "packet %u at %u, expected at %u", number, arrival->node,
          sent->to);
    check(sent->count == arrival->count && !memcmp(sent->data, arrival->flits, sent->count * sizeof *sent->data),
          "packet %u: other flits", number);
    sent->missing = false;
    traffic->missing--;
}

static void run(struct traffic *traffic)
{
    for (unsigned clock = 0; clock < LIMIT && !postman_grid_quiet(&traffic->grid); clock++) {
        postman_grid_clock(&traffic->grid);
        for (struct postman_arrival arrival; postman_grid_arrival(&traffic->grid, &arrival);)
            arrived(traffic, &arrival);
    }
    const struct postman_options *options = &traffic->grid.options;
    check(!traffic->missing, "%ux%u, %u packets: %u missing", options->size_x, options->size_y, traffic->loaded,
          traffic->missing);
    CHECK(!traffic->missing && postman_grid_quiet(&traffic->grid));
}

void traffic_run(const struct postman_options *options, unsigned tries, bool hot, uint64_t *seed)
{
    unsigned nodes = options->size_x * options->size_y, target = check_below(seed, nodes);
    CHECK(postman_grid_create(&traffic.grid, options));
    traffic.loaded = traffic.missing = 0;
    for (unsigned from = 0; from < nodes; from++)
        for (unsigned i = 0; i < tries; i++) {
            unsigned to = hot ? target : check_below(seed, nodes);
            if (to != from)
                load(&traffic, from, to, check_below(seed, 2), seed);
        }
    run(&traffic);
    postman_grid_free(&traffic.grid);
}
