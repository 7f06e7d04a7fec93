/* The virtual planes of `postman` cannot deadlock, and leave every minimal way open, on grids and tori of all sizes
 * from 2 to 16, square or not.
 *
 * A channel is a line from one machine to the next, with the transit buffer behind it. A packet that holds the buffer
 * of machine X of a node waits for machine X of the next node in x or, at a junction, by adaptive routing or by
 * adaptive sourcing, for machine Y of the next node in y; the same with X and Y exchanged. All of these are edges of
 * the channel dependency graph, whether a packet takes them or not. A graph without cycles lets no packets wait for
 * each other in a ring.
 *
 * The same checks have to fail for planes that were laid out wrongly. The strap `cut` of each site has the lines that
 * cross the cut here.
 *
 * SPDX-License-Identifier: ISC
 */
#include <string.h>

#include "check.h"
#include "mesh/torus_cut.h"

enum {
    SMALLEST = 2,
    LARGEST = 16,
    QUADRANTS = 4,
    LAYERS_MAX = 2,
    MACHINES = 2, /* X, Y */
    CHANNELS_MAX = LARGEST * LARGEST * QUADRANTS * LAYERS_MAX * MACHINES,
    NOWHERE = -1
};

enum mistake {
    NO_MISTAKE,
    CUT_LEFT_OUT,      /* lines that cross the cut stay in their layer */
    CUT_AT_THE_EDGES,  /* the layer changes wherever a line leads round, so once in each dimension */
    CUT_ONE_WAY,       /* planes with negative directions do not count the coordinates backwards */
    LAYER_1_LEADS_ON,  /* lines of layer 1 cross the cut, too */
    LAYER_1_LEADS_BACK /* and lead into layer 0 */
};

struct planes {
    unsigned size[2]; /* x, y */
    unsigned layers;  /* 1: a grid, 2: a torus */
    enum mistake mistake;
};

/* One node of one virtual plane. */
struct place {
    unsigned at[2]; /* x, y */
    unsigned quadrant, layer;
};

static bool is_torus(const struct planes *planes)
{
    return planes->layers == 2;
}

/* Planes 0 to 3 are (+X,+Y), (-X,+Y), (-X,-Y), (+X,-Y). */
static bool is_negative(unsigned quadrant, unsigned dimension)
{
    return dimension == 0 ? quadrant == 1 || quadrant == 2 : quadrant >= 2;
}

/* A coordinate as the plane counts it: its lines lead upwards. */
static unsigned counted(const struct planes *planes, const struct place *place, unsigned dimension)
{
    bool backwards = is_negative(place->quadrant, dimension) && planes->mistake != CUT_ONE_WAY;
    return backwards ? planes->size[dimension] - 1 - place->at[dimension] : place->at[dimension];
}

/* Whether the line from here in this dimension leads over s = 0. */
static bool crosses_cut(const struct planes *planes, const struct place *place, unsigned dimension)
{
    unsigned all = planes->size[0] * planes->size[1];
    unsigned s = (counted(planes, place, 0) * planes->size[1] + counted(planes, place, 1) * planes->size[0]) % all;
    return s + planes->size[1 - dimension] >= all;
}

static bool leads_round(const struct planes *planes, const struct place *place, unsigned dimension)
{
    return place->at[dimension] == (is_negative(place->quadrant, dimension) ? 0 : planes->size[dimension] - 1);
}

/* Takes a torus' line that crosses the cut to its layer. Returns false if it leads nowhere. */
static bool change_layer(const struct planes *planes, struct place *place)
{
    if (planes->mistake == CUT_LEFT_OUT || (place->layer == 1 && planes->mistake == LAYER_1_LEADS_ON))
        return true;
    if (place->layer == 1 && planes->mistake != LAYER_1_LEADS_BACK)
        return false;
    place->layer = 1 - place->layer;
    return true;
}

/* Goes along the line in this dimension. Returns false if it leads nowhere. */
static bool step(const struct planes *planes, struct place *place, unsigned dimension)
{
    bool round = leads_round(planes, place, dimension);
    bool cut = planes->mistake == CUT_AT_THE_EDGES ? round : crosses_cut(planes, place, dimension);
    if (is_torus(planes) ? cut && !change_layer(planes, place) : round)
        return false;
    unsigned size = planes->size[dimension];
    place->at[dimension] = (place->at[dimension] + (is_negative(place->quadrant, dimension) ? size - 1 : 1)) % size;
    return true;
}

static unsigned channel_of(const struct planes *planes, const struct place *place, unsigned machine)
{
    unsigned plane = place->layer * QUADRANTS + place->quadrant;
    return ((plane * planes->size[1] + place->at[1]) * planes->size[0] + place->at[0]) * MACHINES + machine;
}

static struct place place_of(const struct planes *planes, unsigned channel)
{
    unsigned node = channel / MACHINES, plane = node / (planes->size[0] * planes->size[1]);
    return (struct place){
        {node % planes->size[0], node / planes->size[0] % planes->size[1]}, plane % QUADRANTS, plane / QUADRANTS};
}

/* The machine behind the line of this dimension, or NOWHERE. */
static int next_channel(const struct planes *planes, unsigned channel, unsigned dimension)
{
    struct place place = place_of(planes, channel);
    return step(planes, &place, dimension) ? (int)channel_of(planes, &place, dimension) : NOWHERE;
}

/* Takes channels out that nothing leads to, until none is left, or those of cycles and behind them. */
static bool is_acyclic(const struct planes *planes)
{
    static unsigned waiting[CHANNELS_MAX], free_channels[CHANNELS_MAX];
    unsigned count = planes->size[0] * planes->size[1] * QUADRANTS * planes->layers * MACHINES, found = 0;
    memset(waiting, 0, sizeof waiting);
    for (unsigned edge = 0; edge < count * MACHINES; edge++) {
        int next = next_channel(planes, edge / MACHINES, edge % MACHINES);
        if (next != NOWHERE)
            waiting[next]++;
    }
    for (unsigned channel = 0; channel < count; channel++)
        if (waiting[channel] == 0)
            free_channels[found++] = channel;
    for (unsigned done = 0; done < found; done++)
        for (unsigned dimension = 0; dimension < 2; dimension++) {
            int next = next_channel(planes, free_channels[done], dimension);
            if (next != NOWHERE && --waiting[next] == 0)
                free_channels[found++] = (unsigned)next;
        }
    return found == count;
}

/* How many lines a packet of this quadrant takes in a dimension. */
static unsigned distance(const struct planes *planes, const struct place *from, const unsigned to[2],
                         unsigned dimension)
{
    unsigned size = planes->size[dimension], ahead = (to[dimension] + size - from->at[dimension]) % size;
    return is_negative(from->quadrant, dimension) ? (size - ahead) % size : ahead;
}

/* Whether packets between these nodes are loaded into this quadrant: on a torus it takes them at most half round, on a
 * grid over no edge. A packet that does not move in a dimension may take either direction. */
static bool is_minimal(const struct planes *planes, const struct place *from, const unsigned to[2])
{
    for (unsigned dimension = 0; dimension < 2; dimension++) {
        unsigned lines = distance(planes, from, to, dimension);
        bool over_edge = is_negative(from->quadrant, dimension) ? to[dimension] > from->at[dimension]
                                                                : to[dimension] < from->at[dimension];
        if (is_torus(planes) ? 2 * lines > planes->size[dimension] : over_edge)
            return false;
    }
    return true;
}

/* Whether all ways from here lead to the target. Each node of the rectangle between them is looked at once for each
 * layer in which a way arrives there. */
static bool all_ways_arrive(const struct planes *planes, const struct place *from, const unsigned to[2])
{
    bool arrives[LARGEST + 1][LARGEST + 1][LAYERS_MAX] = {{{false}}}; /* by lines in y, lines in x, layer */
    unsigned lines[2] = {distance(planes, from, to, 0), distance(planes, from, to, 1)};
    unsigned size_x = planes->size[0], size_y = planes->size[1];
    arrives[0][0][from->layer] = true;
    for (unsigned node = 0; node < (lines[0] + 1) * (lines[1] + 1) * planes->layers; node++) {
        unsigned layer = node % planes->layers, x = node / planes->layers % (lines[0] + 1);
        unsigned y = node / planes->layers / (lines[0] + 1);
        if (!arrives[y][x][layer])
            continue;
        struct place here = {{(is_negative(from->quadrant, 0) ? from->at[0] + size_x - x : from->at[0] + x) % size_x,
                              (is_negative(from->quadrant, 1) ? from->at[1] + size_y - y : from->at[1] + y) % size_y},
                             from->quadrant,
                             layer};
        struct place in_x = here, in_y = here;
        if ((x < lines[0] && !step(planes, &in_x, 0)) || (y < lines[1] && !step(planes, &in_y, 1)))
            return false;
        arrives[y][x + 1][in_x.layer] |= x < lines[0];
        arrives[y + 1][x][in_y.layer] |= y < lines[1];
    }
    return true;
}

/* How many quadrants have all minimal ways of a pair open; 0 also if one that a packet may be loaded into has not. */
static unsigned open_quadrants(const struct planes *planes, const unsigned source[2], const unsigned to[2])
{
    unsigned open = 0;
    for (unsigned quadrant = 0; quadrant < QUADRANTS; quadrant++) {
        struct place from = {{source[0], source[1]}, quadrant, 0};
        if (!is_minimal(planes, &from, to))
            continue;
        if (!all_ways_arrive(planes, &from, to))
            return 0;
        open++;
    }
    return open;
}

static bool covers_all_pairs(const struct planes *planes)
{
    unsigned nodes = planes->size[0] * planes->size[1];
    for (unsigned pair = 0; pair < nodes * nodes; pair++) {
        unsigned from = pair / nodes, to = pair % nodes;
        if (open_quadrants(planes, (unsigned[]){from % planes->size[0], from / planes->size[0]},
                           (unsigned[]){to % planes->size[0], to / planes->size[0]}) == 0)
            return false;
    }
    return true;
}

/* Each direction of a link carries one line of every layer of two quadrants. */
static void count_lines_of_links(void)
{
    for (unsigned dimension = 0; dimension < 2; dimension++) {
        unsigned negative = 0;
        for (unsigned quadrant = 0; quadrant < QUADRANTS; quadrant++)
            negative += is_negative(quadrant, dimension);
        CHECK_EQUAL(negative, 2);
    }
}

static void check_size(unsigned size_x, unsigned size_y, unsigned layers)
{
    struct planes planes = {{size_x, size_y}, layers, NO_MISTAKE};
    const char *kind = is_torus(&planes) ? "torus" : "grid";
    check(is_acyclic(&planes), "%s of %ux%u: the channel graph has a cycle", kind, size_x, size_y);
    check(covers_all_pairs(&planes), "%s of %ux%u: a minimal way is closed", kind, size_x, size_y);
}

static void all_sizes(void)
{
    for (unsigned size_x = SMALLEST; size_x <= LARGEST; size_x++)
        for (unsigned size_y = SMALLEST; size_y <= LARGEST; size_y++)
            for (unsigned layers = 1; layers <= LAYERS_MAX; layers++)
                check_size(size_x, size_y, layers);
}

static void check_cut(const struct planes *torus, unsigned node)
{
    unsigned size_x = torus->size[0];
    struct torus_site site = {size_x, torus->size[1], node % size_x, node / size_x};
    uint32_t cut = torus_cut(&site);
    for (unsigned line = 0; line < QUADRANTS * 2; line++) {
        struct place place = {{site.x, site.y}, line / 2, 0};
        check((cut >> line & 1) == crosses_cut(torus, &place, line % 2), "torus of %ux%u: line %u of node %u", size_x,
              torus->size[1], line, node);
    }
}

static void straps(void)
{
    for (unsigned size_x = SMALLEST; size_x <= LARGEST; size_x++)
        for (unsigned size_y = SMALLEST; size_y <= LARGEST; size_y++) {
            struct planes torus = {{size_x, size_y}, 2, NO_MISTAKE};
            for (unsigned node = 0; node < size_x * size_y; node++)
                check_cut(&torus, node);
        }
}

/* A packet loaded into a plane that leads away from its target, or more than half round, does not arrive. */
static void wrong_planes(void)
{
    struct planes grid = {{5, 4}, 1, NO_MISTAKE}, torus = {{9, 8}, 2, NO_MISTAKE};
    CHECK(all_ways_arrive(&grid, &(struct place){{1, 1}, 0, 0}, (unsigned[]){3, 3}));
    for (unsigned quadrant = 1; quadrant < QUADRANTS; quadrant++) {
        struct place from = {{1, 1}, quadrant, 0};
        CHECK(!is_minimal(&grid, &from, (unsigned[]){3, 3}));
        CHECK(!all_ways_arrive(&grid, &from, (unsigned[]){3, 3}));
    }
    CHECK(all_ways_arrive(&torus, &(struct place){{4, 4}, 0, 0}, (unsigned[]){8, 0}));
    CHECK(!all_ways_arrive(&torus, &(struct place){{4, 4}, 0, 1}, (unsigned[]){8, 0})); /* layer 1 */
    CHECK(!all_ways_arrive(&torus, &(struct place){{4, 4}, 0, 0}, (unsigned[]){3, 3})); /* nearly twice round */
}

static void mistakes(void)
{
    static const struct {
        enum mistake mistake;
        bool acyclic, covers;
    } expected[] = {
        {NO_MISTAKE, true, true},    {CUT_LEFT_OUT, false, true},     {CUT_AT_THE_EDGES, true, false},
        {CUT_ONE_WAY, false, false}, {LAYER_1_LEADS_ON, false, true}, {LAYER_1_LEADS_BACK, false, true},
    };
    for (unsigned k = 0; k < sizeof expected / sizeof *expected; k++) {
        struct planes torus = {{6, 5}, 2, expected[k].mistake};
        check(is_acyclic(&torus) == expected[k].acyclic, "mistake %u: cycles", k);
        check(covers_all_pairs(&torus) == expected[k].covers, "mistake %u: ways", k);
    }
}

int main(void)
{
    RUN(count_lines_of_links);
    RUN(all_sizes);
    RUN(straps);
    RUN(wrong_planes);
    RUN(mistakes);
    return verdict("channel_graph");
}
