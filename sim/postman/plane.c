/* See postman_model.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include <stdlib.h>
#include <string.h>

#include "mesh/torus_cut.h"
#include "postman/injection.h"

enum { LAYERS = 2, CHUNKS = LAYERS * POSTMAN_MOST_SIDE / LANES_ROWS };

struct postman_plane {
    struct postman_options options;
    unsigned layer_chunks, chunks; /* of a layer, and of all */
    uint64_t now;
    lanes exists[CHUNKS];
    lanes cut[CHUNKS][2]; /* whose line crosses the cut (R17) */
    struct postman_counts counts;
    lanes ended[CHUNKS][2]; /* the arrivals that postman_plane_arrival has not shown */
    struct chunk chunk[];   /* those of layer 0 first */
};

/* A node's place in the chunks. */
struct place {
    unsigned chunk, row, column;
};

static unsigned sites_of(const struct postman_options *options)
{
    return options->size_x * options->size_y;
}

static struct place place_of(const struct postman_plane *plane, unsigned node)
{
    const struct postman_options *options = &plane->options;
    unsigned site = node % sites_of(options), layer = node / sites_of(options), y = site / options->size_x;
    return (struct place){
        .chunk = layer * plane->layer_chunks + y / LANES_ROWS, .row = y % LANES_ROWS, .column = site % options->size_x};
}

static void set_coordinates(struct machine *machine, struct place place, unsigned own, unsigned upstream)
{
    for (unsigned bit = 0; bit < MACHINE_COORDINATE_BITS; bit++) {
        machine->own[bit][place.row] |= (own >> bit & 1) << place.column;
        machine->upstream[bit][place.row] |= (upstream >> bit & 1) << place.column;
    }
}

/* In its own directions the plane is of the first quadrant. */
static void set_cut(struct postman_plane *plane, struct place place, unsigned x, unsigned y)
{
    struct torus_site site = {.size_x = plane->options.size_x, .size_y = plane->options.size_y, .x = x, .y = y};
    uint32_t lines = torus_cut(&site);
    for (unsigned machine = 0; machine < 2; machine++)
        plane->cut[place.chunk][machine][place.row] |= (lines >> machine & 1) << place.column;
}

static bool set_node(struct postman_plane *plane, unsigned node)
{
    const struct postman_options *options = &plane->options;
    struct place place = place_of(plane, node);
    struct chunk *chunk = &plane->chunk[place.chunk];
    unsigned x = node % options->size_x, y = node % sites_of(options) / options->size_x;
    plane->exists[place.chunk][place.row] |= UINT32_C(1) << place.column;
    if (options->torus)
        set_cut(plane, place, x, y);
    x = options->flip_x ? options->size_x - 1 - x : x;
    y = options->flip_y ? options->size_y - 1 - y : y;
    set_coordinates(&chunk->machines[POSTMAN_X], place, x, options->flip_x ? x + 1 : x - 1);
    set_coordinates(&chunk->machines[POSTMAN_Y], place, y, options->flip_y ? y + 1 : y - 1);
    bool good = true;
    for (unsigned machine = 0; machine < 2; machine++) {
        transit_reset(&chunk->injections[machine][place.row][place.column]);
        good &= transits_create(&chunk->transits[machine][place.row][place.column], options->buffers);
    }
    return good;
}

static bool side_fits(unsigned side, unsigned flit_bits, bool torus)
{
    return side >= 1u + torus && side <= POSTMAN_MOST_SIDE && side <= 1u << (flit_bits - 1);
}

static bool options_fit(const struct postman_options *options)
{
    return options->buffers <= POSTMAN_MOST_BUFFERS && !(options->ample_buffers && options->buffers) &&
           !(options->torus && (options->no_dead_flits || options->shrinking)) && !(options->shrinking && options->vct);
}

struct postman_plane *postman_plane_create(const struct postman_options *options)
{
    if (!options_fit(options) || options->flit_bits < POSTMAN_LEAST_FLIT_BITS ||
        options->flit_bits > POSTMAN_MOST_FLIT_BITS ||
        !side_fits(options->size_x, options->flit_bits, options->torus) ||
        !side_fits(options->size_y, options->flit_bits, options->torus))
        return NULL;
    unsigned layers = options->torus ? LAYERS : 1, layer_chunks = (options->size_y + LANES_ROWS - 1) / LANES_ROWS;
    size_t size = sizeof(struct postman_plane) + layers * layer_chunks * sizeof(struct chunk);
    struct postman_plane *plane = aligned_alloc(sizeof(lanes), size);
    if (!plane)
        return NULL;
    memset(plane, 0, size);
    plane->options = *options;
    if (!options->buffers)
        plane->options.buffers = options->ample_buffers ? 2 : 1;
    plane->layer_chunks = layer_chunks;
    plane->chunks = layers * layer_chunks;
    bool good = true;
    for (unsigned node = 0; node < layers * sites_of(options); node++)
        good &= set_node(plane, node);
    if (good)
        return plane;
    postman_plane_free(plane);
    return NULL;
}

static void free_transits(struct chunk *chunk)
{
    for (unsigned machine = 0; machine < 2; machine++)
        for (unsigned row = 0; row < LANES_ROWS; row++)
            for (unsigned column = 0; column < POSTMAN_MOST_SIDE; column++)
                transits_free(&chunk->transits[machine][row][column]);
}

void postman_plane_free(struct postman_plane *plane)
{
    for (unsigned i = 0; plane && i < plane->chunks; i++)
        free_transits(&plane->chunk[i]);
    free(plane);
}

bool postman_plane_load(struct postman_plane *plane, const struct postman_load *load)
{
    struct place place = place_of(plane, load->node);
    struct chunk *chunk = &plane->chunk[place.chunk];
    struct machine *machine = &chunk->machines[load->machine];
    uint32_t mask = UINT32_C(1) << place.column;
    if (plane->now || load->node >= sites_of(&plane->options) ||
        (machine->full[place.row] | machine->injected[place.row]) & mask)
        return false;
    injection_store(chunk, load->machine, &plane->options, place.row, place.column, load);
    machine->busy[place.row] |= machine->full[place.row];
    chunk->awake = 1;
    return true;
}

bool postman_plane_request(struct postman_plane *plane, const struct postman_load *load)
{
    struct place place = place_of(plane, load->node);
    struct chunk *chunk = &plane->chunk[place.chunk];
    struct machine *machine = &chunk->machines[load->machine];
    uint32_t mask = UINT32_C(1) << place.column;
    if (load->node >= sites_of(&plane->options) || machine->requested[place.row] & mask)
        return false;
    chunk->loads[load->machine][place.row][place.column] = *load;
    chunk->written[load->machine][place.row][place.column] = 0;
    machine->requested[place.row] |= mask;
    chunk->awake = 1;
    return true;
}

/* Lines lead to higher rows, `busy` to lower ones. */
static lanes from_row_before(lanes before, lanes here)
{
    return __builtin_shuffle(before, here, (lanes){3, 4, 5, 6});
}

static lanes from_row_behind(lanes here, lanes behind)
{
    return __builtin_shuffle(here, behind, (lanes){1, 2, 3, 4});
}

/* The wires that leave these rows: a line of layer 0 that crosses the cut leads to layer 1, one of layer 1 nowhere. */
static lanes wires(const struct postman_plane *plane, unsigned i, enum postman_dimension dimension)
{
    lanes cut = plane->cut[i][dimension], own = plane->chunk[i].machines[dimension].line_out & ~cut;
    if (i < plane->layer_chunks)
        return own;
    return own | (plane->chunk[i - plane->layer_chunks].machines[dimension].line_out & cut);
}

static lanes wires_to_next_column(const struct postman_plane *plane, unsigned i)
{
    lanes all = wires(plane, i, POSTMAN_X), next = all << 1;
    if (plane->options.torus)
        next |= all >> (plane->options.size_x - 1);
    return next & plane->exists[i];
}

static lanes wires_to_next_row(const struct postman_plane *plane, unsigned i)
{
    unsigned row = i % plane->layer_chunks, last_row = plane->options.size_y - 1;
    lanes before = {0};
    if (row > 0)
        before = wires(plane, i - 1, POSTMAN_Y);
    else if (plane->options.torus)
        before[LANES_ROWS - 1] = wires(plane, i + last_row / LANES_ROWS, POSTMAN_Y)[last_row % LANES_ROWS];
    return from_row_before(before, wires(plane, i, POSTMAN_Y)) & plane->exists[i];
}

static lanes busy_of_next_column(const struct postman_plane *plane, unsigned i)
{
    lanes busy = plane->chunk[i].machines[POSTMAN_X].busy, next = busy >> 1;
    if (plane->options.torus)
        next |= (busy & 1) << (plane->options.size_x - 1);
    return next;
}

static lanes busy_of_next_row(const struct postman_plane *plane, unsigned i)
{
    const struct chunk *chunk = &plane->chunk[i];
    unsigned row = i % plane->layer_chunks, last_row = plane->options.size_y - 1;
    bool last = row == last_row / LANES_ROWS;
    lanes behind = {0};
    if (!last)
        behind = chunk[1].machines[POSTMAN_Y].busy;
    lanes next = from_row_behind(chunk->machines[POSTMAN_Y].busy, behind);
    if (last && plane->options.torus)
        next[last_row % LANES_ROWS] = chunk[-(int)row].machines[POSTMAN_Y].busy[0];
    return next;
}

/* A line that leads over the cut sees `busy` of layer 1; one that leads nowhere is never busy. */
static lanes blocked(const struct postman_plane *plane, unsigned i, enum postman_dimension dimension)
{
    lanes (*next)(const struct postman_plane *, unsigned) = dimension == POSTMAN_X ? busy_of_next_column
                                                                                   : busy_of_next_row;
    lanes cut = plane->cut[i][dimension], busy = next(plane, i) & ~cut;
    if (i + plane->layer_chunks < plane->chunks)
        busy |= next(plane, i + plane->layer_chunks) & cut;
    return busy;
}

/* What each node sees of its neighbours: a line that comes from nowhere is 0. */
static void connect(struct postman_plane *plane)
{
    for (unsigned i = 0; i < plane->chunks; i++) {
        struct chunk *chunk = &plane->chunk[i];
        chunk->line_in[POSTMAN_X] = wires_to_next_column(plane, i);
        chunk->line_in[POSTMAN_Y] = wires_to_next_row(plane, i);
        chunk->blocked[POSTMAN_X] = blocked(plane, i, POSTMAN_X);
        chunk->blocked[POSTMAN_Y] = blocked(plane, i, POSTMAN_Y);
    }
}

void postman_plane_clock(struct postman_plane *plane)
{
    unsigned bits = plane->options.flit_bits + 1;
    struct machine_clock clock = {.options = &plane->options, .bits = bits, .counts = &plane->counts};
    clock.slot = (unsigned)(plane->now % bits);
    clock.slot_after = (clock.slot + 1) % bits;
    clock.slot_before = (clock.slot + bits - 1) % bits;
    clock.now = (unsigned)(plane->now % (2 * bits));
    connect(plane);
    for (unsigned i = 0; i < plane->chunks; i++) {
        struct chunk *chunk = &plane->chunk[i];
        if (!chunk->awake && !lanes_any(chunk->line_in[POSTMAN_X] | chunk->line_in[POSTMAN_Y]))
            continue;
        clock.targets_before = i ? &chunk[-1].targets : NULL;
        chunk_clock(chunk, &clock);
        for (unsigned machine = 0; machine < 2; machine++)
            plane->ended[i][machine] = clock.ended[machine];
    }
    plane->now++;
}

uint64_t postman_plane_now(const struct postman_plane *plane)
{
    return plane->now;
}

bool postman_plane_quiet(const struct postman_plane *plane)
{
    for (unsigned i = 0; i < plane->chunks; i++)
        if (plane->chunk[i].awake)
            return false;
    return true;
}

bool postman_plane_arrival(struct postman_plane *plane, struct postman_arrival *arrival)
{
    for (unsigned i = 0; i < plane->chunks; i++)
        for (unsigned machine = 0; machine < 2; machine++)
            for (unsigned row = 0; row < LANES_ROWS; row++) {
                uint32_t *ended = (uint32_t *)&plane->ended[i][machine] + row;
                if (!*ended)
                    continue;
                unsigned column = (unsigned)__builtin_ctz(*ended);
                *ended &= *ended - 1;
                *arrival = plane->chunk[i].arrivals[machine][row][column];
                arrival->node = (i % plane->layer_chunks * LANES_ROWS + row) * plane->options.size_x + column;
                arrival->machine = machine;
                arrival->clock = plane->now - 1;
                return true;
            }
    return false;
}

unsigned postman_plane_lines(const struct postman_plane *plane, unsigned node)
{
    struct place place = place_of(plane, node);
    const struct machine *machines = plane->chunk[place.chunk].machines;
    unsigned lines = 0;
    for (unsigned machine = 0; machine < 2; machine++) {
        lines |= (machines[machine].line_out[place.row] >> place.column & 1) << machine;
        lines |= (machines[machine].busy[place.row] >> place.column & 1) << (2 + machine);
    }
    return lines;
}

const struct postman_counts *postman_plane_counts(const struct postman_plane *plane)
{
    return &plane->counts;
}
