/* See postman_model.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include <stdlib.h>

#include "postman/machine.h"

enum { CHUNKS = POSTMAN_MOST_SIDE / LANES_ROWS };

struct postman_plane {
    struct postman_options options;
    unsigned chunks;
    uint64_t now;
    struct chunk chunk[CHUNKS];
    lanes exists[CHUNKS];
    struct postman_counts counts;
    lanes ended[CHUNKS][2]; /* the arrivals that postman_plane_arrival has not shown */
};

/* A node's place in the chunks. */
struct place {
    unsigned chunk, row, column;
};

static struct place place_of(const struct postman_plane *plane, unsigned node)
{
    unsigned y = node / plane->options.size_x;
    return (struct place){.chunk = y / LANES_ROWS, .row = y % LANES_ROWS, .column = node % plane->options.size_x};
}

static void set_own(struct machine *machine, struct place place, unsigned coordinate)
{
    for (unsigned bit = 0; bit < MACHINE_COORDINATE_BITS; bit++)
        machine->own[bit][place.row] |= (coordinate >> bit & 1) << place.column;
}

static void set_node(struct postman_plane *plane, unsigned node)
{
    const struct postman_options *options = &plane->options;
    struct place place = place_of(plane, node);
    struct chunk *chunk = &plane->chunk[place.chunk];
    unsigned x = node % options->size_x, y = node / options->size_x;
    plane->exists[place.chunk][place.row] |= UINT32_C(1) << place.column;
    set_own(&chunk->machines[POSTMAN_X], place, options->flip_x ? options->size_x - 1 - x : x);
    set_own(&chunk->machines[POSTMAN_Y], place, options->flip_y ? options->size_y - 1 - y : y);
    for (unsigned machine = 0; machine < 2; machine++)
        transit_reset(&chunk->transit[machine][place.row][place.column]);
}

static bool side_fits(unsigned side, unsigned flit_bits)
{
    return side >= 1 && side <= POSTMAN_MOST_SIDE && side <= 1u << (flit_bits - 1);
}

struct postman_plane *postman_plane_create(const struct postman_options *options)
{
    if (options->flit_bits < POSTMAN_LEAST_FLIT_BITS || options->flit_bits > POSTMAN_MOST_FLIT_BITS ||
        !side_fits(options->size_x, options->flit_bits) || !side_fits(options->size_y, options->flit_bits))
        return NULL;
    struct postman_plane *plane = aligned_alloc(sizeof(lanes), sizeof *plane);
    if (!plane)
        return NULL;
    *plane = (struct postman_plane){.options = *options, .chunks = (options->size_y + LANES_ROWS - 1) / LANES_ROWS};
    for (unsigned node = 0; node < options->size_x * options->size_y; node++)
        set_node(plane, node);
    return plane;
}

void postman_plane_free(struct postman_plane *plane)
{
    free(plane);
}

bool postman_plane_load(struct postman_plane *plane, const struct postman_load *load)
{
    struct place place = place_of(plane, load->node);
    struct chunk *chunk = &plane->chunk[place.chunk];
    struct machine *machine = &chunk->machines[load->machine];
    struct transit *transit = &chunk->transit[load->machine][place.row][place.column];
    uint32_t mask = UINT32_C(1) << place.column;
    if (plane->now || machine->full[place.row] & mask)
        return false;
    transit_begin(transit);
    for (unsigned flit = 0; flit < load->count; flit++)
        transit_write(transit, load->flits[flit]);
    transit_end(transit);
    machine->full[place.row] |= mask;
    machine->busy[place.row] |= mask;
    machine->first_written[place.row] |= mask;
    machine->second_written[place.row] |= mask;
    if (load->across)
        machine->across[place.row] |= mask;
    else if (load->flits[0] >> (plane->options.flit_bits - 1) & 1)
        machine->two_addresses[place.row] |= mask;
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

/* What each node sees of its neighbours: a line that comes from nowhere is 0, one that leads nowhere is never busy
 *. */
static void connect(struct postman_plane *plane)
{
    static const lanes nothing;
    for (unsigned i = 0; i < plane->chunks; i++) {
        struct chunk *chunk = &plane->chunk[i];
        const struct machine *x = &chunk->machines[POSTMAN_X], *y = &chunk->machines[POSTMAN_Y];
        const struct machine *before = i ? &chunk[-1].machines[POSTMAN_Y] : NULL;
        const struct machine *behind = i + 1 < plane->chunks ? &chunk[1].machines[POSTMAN_Y] : NULL;
        chunk->line_in[POSTMAN_X] = x->line_out << 1 & plane->exists[i];
        chunk->line_in[POSTMAN_Y] = from_row_before(before ? before->line_out : nothing, y->line_out) &
                                    plane->exists[i];
        chunk->blocked[POSTMAN_X] = x->busy >> 1;
        chunk->blocked[POSTMAN_Y] = from_row_behind(y->busy, behind ? behind->busy : nothing);
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
        if (!chunk->awake && !lanes_any(chunk->line_in[POSTMAN_Y]))
            continue;
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
                arrival->node = (i * LANES_ROWS + row) * plane->options.size_x + column;
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
