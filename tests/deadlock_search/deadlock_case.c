/* Draws cases: settings at the ends of their ranges more often than between, traffic that makes rings.
 *
 * SPDX-License-Identifier: ISC
 */
#include "deadlock_case.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "functional/functional_engine.h"
#include "mesh/discipline.h"
#include "operator/operator.h"
#include "protocol.h"
#include "support/random.h"

/* Sides from size_x and size_y to as much more as `spread`; of a hypercube, size_x dimensions and more. */
static const struct shape {
    const char *name, *topology;
    int size_x, size_y;
    unsigned spread;
} shapes[] = {
    {"grid 2x2", "grid", 2, 2, 0},         {"grid 2x3", "grid", 2, 3, 0},
    {"grid 3x3", "grid", 3, 3, 0},         {"grid 4x1", "grid", 4, 1, 0},
    {"torus 4x1", "torus", 4, 1, 0},       {"torus 5x1", "torus", 5, 1, 0},
    {"torus 2x2", "torus", 2, 2, 0},       {"torus 3x3", "torus", 3, 3, 0},
    {"torus 2x4", "torus", 2, 4, 0},       {"torus 4x4", "torus", 4, 4, 0},
    {"hypercube 3", "hypercube", 3, 0, 0}, {"grids 2..6", "grid", 2, 2, 4},
    {"tori 2..6", "torus", 2, 2, 4},       {"hypercubes 2..5", "hypercube", 2, 0, 3},
};

enum { MESHES = sizeof shapes / sizeof *shapes, MESHES_OF_RTL = 11 };

/* The numbers one would try: most often one of these, now and then the largest that is legal. */
struct range {
    unsigned usual[5], largest;
};

static const struct range divert_range = {{0, 1, 8, 32, 256}, 8192};
static const struct range margin_range = {{1, 1, 1, 2, 16}, 32768}; /* factor of abort, from the smallest on */
static const struct range relief_range = {{0, 1, 64, 64, 256}, 32768};
static const struct range patience_range = {{1, 16, 256, 4096, 4096}, 65535};
static const struct range retry_range = {{0, 1, 1, 2, 5}, 255};
static const struct range pool_range = {{3, 4, 6, 16, 64}, 512};
static const struct range stall_range = {{0, 0, 20, 50, 90}, 99};
static const struct range packet_range = {{13, 13, 24, 24, 60}, 127};

/* What a site is built with: each row is a verilated site of its own. */
static const struct hardware {
    unsigned net_input, downstream, upstream; /* words */
    bool adaptive;
} hardware[] = {
    {1, 4, 4, false},   {1, 4, 4, false},       {1, 4, 4, true},  {1, 32, 64, true},
    {16, 32, 64, true}, {1, 1024, 1024, false}, {4, 4, 4, false},
};

enum { RARE = 300, LISTS = 4, TRAFFIC_WORDS = 300 /* of a source, about */ };

struct draw {
    struct random random;
    struct deadlock_case *out;
    uint8_t ring[CASE_SITES]; /* sites round the edge, or along the ring, in the order of a walk */
    unsigned ring_count;
    uint8_t permutation[CASE_SITES];
    unsigned hot_site, shift;
};

static unsigned below(struct draw *draw, unsigned limit)
{
    return random_below(&draw->random, limit);
}

static unsigned from_range(struct draw *draw, const struct range *range)
{
    return below(draw, RARE) == 0 ? range->largest : range->usual[below(draw, 5)];
}

static void line(struct draw *draw, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void line(struct draw *draw, const char *format, ...)
{
    char *text = draw->out->text;
    size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + used, CASE_TEXT - used, format, arguments);
    va_end(arguments);
    strncat(text, "\n", CASE_TEXT - strlen(text) - 1);
}

static void preference_lists(struct draw *draw, const char *codes)
{
    static const char *const quadrants[LISTS][2] = {
        {"north", "east"}, {"north", "west"}, {"south", "east"}, {"south", "west"}};
    line(draw, "[unicast]");
    for (unsigned i = 0; i < LISTS; i++) {
        const char *y = quadrants[i][0], *x = quadrants[i][1];
        switch (codes[i]) {
        case 'x':
            line(draw, "%s_%s = %s", y, x, x);
            break;
        case 'y':
            line(draw, "%s_%s = %s", y, x, y);
            break;
        case 'X':
            line(draw, "%s_%s = %s %s", y, x, x, y);
            break;
        default:
            line(draw, "%s_%s = %s %s", y, x, y, x);
            break;
        }
    }
}

static void cube_list(struct draw *draw, char code)
{
    const char *name = code == 'x'   ? "lowest"
                       : code == 'y' ? "highest"
                       : code == 'X' ? "lowest_first"
                                     : "highest_first";
    line(draw, "[unicast]\nany = %s", name);
}

/* Four letters for the quadrants' lists: x, y one dimension first; X, Y the same, but any other too. */
static void draw_codes(struct draw *draw, const char *letters, char *codes)
{
    for (unsigned i = 0; i < LISTS; i++)
        codes[i] = letters[below(draw, (unsigned)strlen(letters))];
    if (below(draw, 2))
        memset(codes, codes[0], LISTS);
}

/* Returns true if unicasts keep to one dimension order, without which nothing may be forbidden to divert. */
static bool draw_routing(struct draw *draw, const struct shape *shape, const struct hardware *row)
{
    bool cube = *shape->topology == 'h', flat = !cube && shape->size_y == 1;
    char codes[LISTS];
    draw_codes(draw, below(draw, 3) ? "XY" : "xyXY", codes);
    line(draw, "[routing]");
    if (!row->adaptive) {
        line(draw, "unicast = strict");
        return true;
    }
    if (flat) {
        line(draw, "unicast = adaptive");
        return false;
    }
    line(draw, "unicast = list");
    if (cube) {
        cube_list(draw, codes[0]);
        return codes[0] == 'x' || codes[0] == 'y';
    }
    preference_lists(draw, codes);
    return memcmp(codes, "xxxx", LISTS) == 0 || memcmp(codes, "yyyy", LISTS) == 0;
}

/* Those of a shape with a spread are drawn. */
static struct shape draw_sides(struct draw *draw, const struct shape *shape)
{
    struct shape sides = *shape;
    if (shape->spread)
        sides.size_x += (int)below(draw, shape->spread + 1);
    if (shape->spread && shape->size_y)
        sides.size_y += (int)below(draw, shape->spread + 1);
    return sides;
}

/* The functional simulator has net_inputs of one word. */
static struct hardware draw_hardware(struct draw *draw, const struct simulation_engine *engine)
{
    struct hardware row = hardware[below(draw, sizeof hardware / sizeof *hardware)];
    if (engine == &functional_engine)
        row.net_input = 1;
    return row;
}

static void draw_thresholds(struct draw *draw, const struct shape *shape, bool strict, bool reliable)
{
    bool wide_torus = *shape->topology == 't' && (shape->size_x > 3 || shape->size_y > 3);
    bool never = strict && !wide_torus && below(draw, 4) == 0;
    unsigned divert = never ? 0 : from_range(draw, &divert_range), relief = from_range(draw, &relief_range);
    line(draw, "[thresholds]");
    if (never)
        line(draw, "divert = never");
    else
        line(draw, "divert = %u", divert);
    line(draw, "relief = %u\nretry_limit = %u", relief && relief < divert ? divert : relief,
         from_range(draw, &retry_range));
    if (reliable)
        line(draw, "patience = %u", from_range(draw, &patience_range));
}

/* Keys that the discipline lacks are left out. */
static void draw_mesh(struct draw *draw, const struct shape *shape, const struct discipline *fabric, bool reliable)
{
    const struct hardware row = draw_hardware(draw, draw->out->engine);
    unsigned max_packet = from_range(draw, &packet_range);
    line(draw, "[mesh]\nfabric = %s\ntopology = %s", fabric->name, shape->topology);
    if (shape->size_y)
        line(draw, "size = %dx%d", shape->size_x, shape->size_y);
    else
        line(draw, "dimensions = %d", shape->size_x);
    bool strict = !discipline_has_key(fabric, "routing", "unicast") || draw_routing(draw, shape, &row);
    line(draw, "[service]\nreliable = %s", reliable ? "yes" : "no");
    draw_thresholds(draw, shape, strict, reliable);
    line(draw, "[buffers]\nmax_packet = %u\ndownstream = %u\nupstream = %u", max_packet, row.downstream, row.upstream);
    if (discipline_has_key(fabric, "buffers", "net_input"))
        line(draw, "net_input = %u", row.net_input);
}

static bool parse(struct draw *draw, char *error, size_t error_size)
{
    const char *text = draw->out->text;
    return mesh_config_parse("case", text, strlen(text), &draw->out->mesh, error, error_size) == 0;
}

/* Adds the time-out: half the default, which is the smallest, or more. Tells whether the .mesh is legal. */
static bool draw_abort(struct draw *draw, char *error, size_t error_size)
{
    if (!parse(draw, error, error_size))
        return false;
    unsigned abort = MESH_ABORT_LEAST, factor = from_range(draw, &margin_range);
    line(draw, "[thresholds]\nabort = %u", abort < MESH_MAX_THRESHOLD / factor ? abort * factor : MESH_MAX_THRESHOLD);
    return parse(draw, error, error_size);
}

/* A walk that comes back to where it began: round the edge of a grid, a Gray code on a hypercube, as numbered along a
 * ring. */
static void draw_ring(struct draw *draw)
{
    const struct mesh_config *mesh = &draw->out->mesh;
    int x = mesh->size_x, y = mesh->size_y;
    unsigned count = 0;
    if (mesh->topology == PR_TOPOLOGY_HYPERCUBE) {
        for (unsigned i = 0; i < (unsigned)mesh->sites; i++)
            draw->ring[count++] = (uint8_t)(i ^ i >> 1);
    } else if (y == 1) {
        for (int i = 0; i < x; i++)
            draw->ring[count++] = (uint8_t)i;
    } else {
        for (int i = 0; i < x - 1; i++)
            draw->ring[count++] = (uint8_t)i;
        for (int i = 0; i < y - 1; i++)
            draw->ring[count++] = (uint8_t)(i * x + x - 1);
        for (int i = x - 1; i > 0; i--)
            draw->ring[count++] = (uint8_t)((y - 1) * x + i);
        for (int i = y - 1; i > 0; i--)
            draw->ring[count++] = (uint8_t)(i * x);
    }
    draw->ring_count = count;
    for (unsigned i = 0; below(draw, 2) && i < count / 2; i++) {
        uint8_t site = draw->ring[i];
        draw->ring[i] = draw->ring[count - 1 - i];
        draw->ring[count - 1 - i] = site;
    }
}

static void draw_permutation(struct draw *draw)
{
    unsigned sites = (unsigned)draw->out->mesh.sites;
    for (unsigned i = 0; i < sites; i++) {
        unsigned place = below(draw, i + 1);
        draw->permutation[i] = draw->permutation[place];
        draw->permutation[place] = (uint8_t)i;
    }
}

/* The site so many steps along the ring; any site for one that is not on it. */
static unsigned along(struct draw *draw, unsigned site, unsigned steps)
{
    for (unsigned i = 0; i < draw->ring_count; i++)
        if (draw->ring[i] == site)
            return draw->ring[(i + steps) % draw->ring_count];
    return below(draw, (unsigned)draw->out->mesh.sites);
}

static unsigned any_site(struct draw *draw)
{
    return below(draw, (unsigned)draw->out->mesh.sites);
}

static unsigned neighbour(struct draw *draw, unsigned site)
{
    const struct mesh_config *mesh = &draw->out->mesh;
    int far = mesh_far_end(mesh, (int)site, (int)below(draw, (unsigned)mesh->links)).site;
    return far < 0 ? site : (unsigned)far;
}

enum unicast_pattern { TO_ONE, PERMUTATION, RING, OPPOSITE, UNIFORM, NEIGHBOUR, UNICAST_PATTERNS };
static const char *const unicast_names[] = {"all to one", "permutation", "ring", "opposite", "uniform", "neighbour"};

static unsigned unicast_target(struct draw *draw, enum unicast_pattern pattern, unsigned source)
{
    switch (pattern) {
    case TO_ONE:
        return draw->hot_site;
    case PERMUTATION:
        return draw->permutation[source];
    case RING:
        return along(draw, source, draw->shift);
    case OPPOSITE:
        return (unsigned)draw->out->mesh.sites - 1 - source;
    case NEIGHBOUR:
        return neighbour(draw, source);
    default:
        return any_site(draw);
    }
}

enum multicast_pattern { RING_AHEAD, RING_BACK, EVERYBODY, NEIGHBOURS, SUBSET, WITH_SELF, MULTICAST_PATTERNS };
static const char *const multicast_names[] = {
    "the next two of a ring", "two ahead in a ring and back", "all sites", "neighbours", "some sites",
    "self and another"};

static void add_target(struct case_packet *packet, unsigned site, unsigned most)
{
    for (unsigned i = 0; i < packet->target_count; i++)
        if (packet->targets[i] == site)
            return;
    if (packet->target_count < most)
        packet->targets[packet->target_count++] = (uint8_t)site;
}

static void multicast_targets(struct draw *draw, enum multicast_pattern pattern, struct case_packet *packet,
                              unsigned most)
{
    unsigned source = packet->source, sites = (unsigned)draw->out->mesh.sites, start = below(draw, sites);
    bool backwards = pattern == RING_BACK;
    switch (pattern) {
    case RING_AHEAD:
    case RING_BACK:
        for (unsigned i = 0; i < 2; i++)
            add_target(packet, along(draw, source, backwards == (i == 0) ? 2 : 1), most);
        break;
    case EVERYBODY:
        for (unsigned i = 0; i < sites; i++)
            add_target(packet, (start + i) % sites, most);
        break;
    case NEIGHBOURS:
        for (unsigned i = 0; i < 4; i++)
            add_target(packet, neighbour(draw, source), most);
        break;
    case WITH_SELF:
        add_target(packet, below(draw, 2) ? source : any_site(draw), most);
        add_target(packet, source, most);
        add_target(packet, neighbour(draw, source), most);
        break;
    default:
        for (unsigned i = 2 + below(draw, 4); i > 0; i--)
            add_target(packet, any_site(draw), most);
        break;
    }
}

/* When packet number k of a source is due: all at once, in bursts that all sources begin in the same clock, or at
 * random. */
static uint64_t draw_due(struct draw *draw, unsigned rhythm, unsigned number, unsigned length)
{
    switch (rhythm) {
    case 0:
        return 0;
    case 1:
        return (uint64_t)number / 3 * (20 + 4 * length);
    default:
        return below(draw, 50 + 3 * length * (number + 1));
    }
}

static void sort_by_clock(struct case_packet *packets, unsigned count)
{
    for (unsigned i = 1; i < count; i++)
        for (unsigned j = i; j > 0 && packets[j - 1].due > packets[j].due; j--) {
            struct case_packet packet = packets[j];
            packets[j] = packets[j - 1];
            packets[j - 1] = packet;
        }
}

struct traffic_style {
    enum unicast_pattern unicast;
    enum multicast_pattern multicast;
    unsigned share; /* percent of multicasts */
    unsigned rhythm;
    unsigned length;             /* 0: no data, 1: as much as fits, 2: anything between */
    unsigned most_targets, room; /* of a packet */
};

static void draw_packet(struct draw *draw, const struct traffic_style *style, unsigned source, unsigned number)
{
    struct deadlock_case *out = draw->out;
    struct case_packet *packet = &out->packets[out->packet_count++];
    *packet = (struct case_packet){.source = (uint8_t)source};
    if (below(draw, 100) < style->share)
        multicast_targets(draw, style->multicast, packet, style->most_targets);
    else
        add_target(packet, unicast_target(draw, style->unicast, source), 1);
    unsigned room = style->room - packet->target_count;
    packet->data_words = (uint16_t)(style->length == 0 ? 0 : style->length == 1 ? room : below(draw, room + 1));
    packet->due = draw_due(draw, style->rhythm, number, style->room);
}

static void draw_traffic(struct draw *draw)
{
    static const unsigned shares[] = {0, 10, 50, 100};
    struct deadlock_case *out = draw->out;
    unsigned sites = (unsigned)out->mesh.sites, room = out->mesh.max_packet - PR_HEADER_WORDS;
    struct traffic_style style = {.unicast = below(draw, UNICAST_PATTERNS),
                                  .multicast = below(draw, MULTICAST_PATTERNS),
                                  .share = shares[below(draw, 4)],
                                  .rhythm = below(draw, 3),
                                  .length = below(draw, 3),
                                  .most_targets = room < CASE_SITES ? room : CASE_SITES,
                                  .room = room};
    unsigned words = style.length ? out->mesh.max_packet : 8, most = TRAFFIC_WORDS / words;
    unsigned limit = CASE_PACKETS / sites, count = 1 + below(draw, most < limit ? most : limit);
    out->unicasts = style.share == 100 ? NULL : unicast_names[style.unicast];
    out->multicasts = style.share ? multicast_names[style.multicast] : NULL;
    draw->hot_site = any_site(draw);
    draw->shift = 1 + below(draw, 3);
    for (unsigned source = 0; source < sites; source++) {
        struct case_packet *first = &out->packets[out->packet_count];
        for (unsigned i = 0; i < count; i++)
            draw_packet(draw, &style, source, i);
        sort_by_clock(first, count);
    }
}

unsigned deadlock_meshes(void)
{
    return MESHES;
}

const char *deadlock_mesh_name(unsigned mesh)
{
    return shapes[mesh].name;
}

struct deadlock_mesh_range deadlock_mesh_range(const struct simulation_engine *engine)
{
    if (engine == &functional_engine)
        return (struct deadlock_mesh_range){MESHES_OF_RTL, MESHES};
    return (struct deadlock_mesh_range){0, MESHES_OF_RTL};
}

bool deadlock_draw(struct deadlock_case *out, const struct simulation_engine *engine, const struct discipline *fabric,
                   uint64_t seed, uint64_t run, unsigned mesh, bool reliable, char *error, size_t error_size)
{
    struct draw draw = {.out = out};
    memset(out, 0, sizeof *out);
    random_seed(&draw.random, seed, run);
    out->engine = engine;
    out->seed = random_bits(&draw.random);
    struct shape shape = draw_sides(&draw, &shapes[mesh]);
    draw_mesh(&draw, &shape, fabric, reliable);
    out->pool = from_range(&draw, &pool_range);
    out->window = 1 + below(&draw, below(&draw, 2) ? 2 : PR_WINDOW_MAX);
    out->stall = from_range(&draw, &stall_range);
    if (!draw_abort(&draw, error, error_size))
        return false;
    draw_ring(&draw);
    draw_permutation(&draw);
    draw_traffic(&draw);
    return true;
}
