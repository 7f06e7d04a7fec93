/* See machine.h. A clock of some rows of nodes has three parts. `observe`: what each machine wishes, from its flops and
 * its line. `arbitrate`: which wish each output grants. The rest: the flops of the next clock, and the bit that
 * each output loads.
 *
 * SPDX-License-Identifier: ISC
 */
#include "postman/machine.h"

#include <assert.h>

/* Of one machine. The wishes become what is granted. */
struct view {
    lanes line, boundary;        /* boundary: the line shows a validity bit behind a flit */
    lanes decide, match, flag;   /* decide: that flit is the leading one, and a second one follows */
    lanes pass, junction, adapt; /* wishes of the packet on the line */
    lanes late;                  /* to pass a flit behind the line: it was blocked when it came */
    lanes source_own, source_other;
};

static lanes before(const struct machine *machine, const struct machine_clock *clock, unsigned clocks)
{
    unsigned length = 2 * clock->bits;
    return machine->history[clock->now >= clocks ? clock->now - clocks : clock->now + length - clocks];
}

/* Where the coordinate whose last bit was on the line so many clocks ago, 0 for now, is not that of the node. */
static lanes differs(const struct machine *machine, const struct machine_clock *clock, lanes line, unsigned ago)
{
    lanes result = {0};
    for (unsigned bit = 0; bit < clock->options->flit_bits - 1; bit++)
        result |= (ago + bit ? before(machine, clock, ago + bit) : line) ^ machine->own[bit];
    return result;
}

static void observe(const struct machine *machine, const struct machine_clock *clock, const lanes free[2],
                    struct view *view)
{
    const struct postman_options *options = clock->options;
    view->boundary = machine->slot[clock->slot];
    view->decide = view->boundary & machine->leading & view->line;
    if (lanes_any(view->decide)) {
        view->match = ~differs(machine, clock, view->line, 1);
        view->flag = before(machine, clock, clock->bits - 1);
    }
    view->junction = view->decide & view->match & view->flag & free[1];
    if (options->adaptive_routing)
        view->adapt = view->decide & ~view->match & view->flag & ~machine->passing & free[1];
    if (!options->vct)
        view->pass = view->line & ~machine->active & free[0];
    else if (lanes_any(machine->leading & machine->slot[clock->slot_after]))
        view->pass = machine->leading & machine->slot[clock->slot_after] & differs(machine, clock, view->line, 0) &
                     free[0];
    if (options->late_pass && !options->vct)
        view->late = view->decide & ~view->match & ~machine->passing & free[0];
    lanes waiting = machine->full & machine->first_written & ~machine->sourcing;
    lanes other = machine->across;
    if (options->adaptive_sourcing)
        other |= machine->two_addresses & machine->second_written & ~free[0];
    view->source_own = waiting & ~machine->across & free[0];
    view->source_other = waiting & other & free[1];
}

static lanes held(const struct machine *own, const struct machine *other)
{
    return own->passing | (own->sourcing & ~own->source_across) | other->turning | other->adapt_second |
           other->adapt_first | other->adapt_rest | (other->sourcing & other->source_across);
}

/* A head that has waited for its output yields to sources alone, and adapts where it has to. */
static void prefer_late(struct view *own, const struct view *other)
{
    own->late &= ~(own->source_own | other->source_other);
    own->adapt &= ~own->late;
}

/* One output: `own` is the machine of its dimension. */
static void arbitrate(struct machine *machine, const struct machine_clock *clock, struct view *own, struct view *other)
{
    if (clock->options->pass_first) {
        other->junction &= ~own->pass;
        other->adapt &= ~own->pass;
        lanes taken = own->pass | other->junction | other->adapt;
        own->source_own &= ~taken;
        other->source_other &= ~taken;
    }
    lanes both = own->source_own & other->source_other;
    own->source_own &= ~(both & machine->other_next);
    other->source_other &= ~(both & ~machine->other_next);
    machine->other_next = (machine->other_next & ~other->source_other) | own->source_own;
    lanes first = own->source_own | other->source_other | own->late;
    other->junction &= ~first;
    other->adapt &= ~first;
    own->pass &= ~(first | other->junction | other->adapt);
}

/* The flit that the line has shown whole just before this clock. */
static unsigned flit_of(const struct machine *machine, const struct machine_clock *clock, unsigned row, unsigned column)
{
    unsigned flit = 0;
    for (unsigned bit = 0; bit < clock->options->flit_bits; bit++)
        flit |= (before(machine, clock, bit + 1)[row] >> column & 1) << bit;
    return flit;
}

/* An eager pass follows the line, one of virtual cut-through the line of a flit ago. The bit for the machine's own
 * output. */
static lanes pass(struct machine *machine, const struct machine_clock *clock, const struct view *view)
{
    machine->late = (machine->late & machine->passing) | view->late;
    lanes begun = view->pass | view->late, over = view->decide & view->match;
    lanes bits = (view->line & ~machine->late) | (before(machine, clock, clock->bits) & machine->late);
    if (clock->options->vct) {
        bits = before(machine, clock, clock->bits - 1);
        over = (lanes){0};
    }
    over |= machine->pass_slot[clock->slot] & ~bits;
    machine->pass_slot[clock->slot] = (machine->pass_slot[clock->slot] & ~over) | begun;
    machine->passing = (machine->passing & ~over) | begun;
    return bits & machine->passing;
}

/* Adapt: the bit for the other output. `ended`: where it is over. */
static lanes adapt(struct machine *machine, const struct machine_clock *clock, const struct view *view, lanes *ended)
{
    lanes boundary = view->boundary, second = machine->adapt_second, first = machine->adapt_first,
          rest = machine->adapt_rest;
    if (!lanes_any(second | first | rest | view->adapt))
        return (lanes){0};
    lanes flag_now = machine->slot[clock->slot_before];
    lanes kept = before(machine, clock, 2 * clock->bits), late = before(machine, clock, clock->bits);
    *ended = (first | rest) & boundary & ~late;
    machine->adapt_second = view->adapt | (second & ~boundary);
    machine->adapt_first = (second & boundary) | (first & ~boundary);
    machine->adapt_rest = ((first & boundary) | rest) & ~*ended;
    return (view->adapt & view->line) | (second & ~boundary & (view->line | flag_now)) | (second & boundary) |
           (first & ~boundary & kept & ~flag_now) | (((first & boundary) | rest) & late);
}

/* Flits into the arrival buffer. */
static void arrive(struct chunk *chunk, unsigned number, struct machine_clock *clock, lanes complete, lanes begun)
{
    struct machine *machine = &chunk->machines[number];
    unsigned row, column;
    LANES_EACH(complete, row, column)
    {
        struct postman_arrival *arrival = &chunk->arrivals[number][row][column];
        assert(arrival->count < POSTMAN_MOST_FLITS);
        arrival->flits[arrival->count++] = (uint16_t)flit_of(machine, clock, row, column);
    }
    LANES_EACH(begun, row, column)
    chunk->arrivals[number][row][column].count = 0;
}

/* Flits into the transit buffer. `blocked`: the leading flit is the first; `turned`: it has been stripped. */
static void buffer(struct chunk *chunk, unsigned number, struct machine_clock *clock, lanes complete, lanes blocked,
                   lanes turned, lanes ended)
{
    struct machine *machine = &chunk->machines[number];
    unsigned row, column;
    LANES_EACH(blocked | turned, row, column)
    transit_begin(&chunk->transit[number][row][column]);
    LANES_EACH(complete | blocked, row, column)
    transit_write(&chunk->transit[number][row][column], flit_of(machine, clock, row, column));
    LANES_EACH(ended, row, column)
    transit_end(&chunk->transit[number][row][column]);
}

/* The flit goes to the ring of bits from which the source sends. */
static void source_load(struct machine *machine, const struct machine_clock *clock, unsigned row, uint32_t mask,
                        unsigned flit)
{
    unsigned place = clock->slot_after;
    for (unsigned bit = clock->options->flit_bits; bit-- > 0;) {
        uint32_t *bits = (uint32_t *)&machine->source_bits[place] + row;
        *bits = flit >> bit & 1 ? *bits | mask : *bits & ~mask;
        place = place + 1 == clock->bits ? 0 : place + 1;
    }
}

/* The bit that the source sends. */
static lanes source(struct chunk *chunk, unsigned number, const struct machine_clock *clock, const struct view *view)
{
    struct machine *machine = &chunk->machines[number];
    struct transit(*transit)[POSTMAN_MOST_SIDE] = chunk->transit[number];
    lanes granted = view->source_own | view->source_other, next = machine->source_slot[clock->slot] | granted;
    lanes exchanged = view->source_other & ~machine->across, over = {0};
    unsigned row, column, flit;
    LANES_EACH(granted, row, column)
    transit_leave(&transit[row][column], exchanged[row] >> column & 1);
    LANES_EACH(next, row, column)
    {
        uint32_t mask = UINT32_C(1) << column;
        if (transit_next(&transit[row][column], 1u << (clock->options->flit_bits - 1), &flit))
            source_load(machine, clock, row, mask, flit);
        else
            over[row] |= mask;
    }
    lanes bits = (machine->sourcing & ~next & machine->source_bits[clock->slot]) | (next & ~over);
    machine->source_slot[clock->slot] = next & ~over;
    machine->sourcing = (machine->sourcing | granted) & ~over;
    machine->source_across = (machine->source_across & ~granted) | view->source_other;
    return bits;
}

/* The flags of the packet that waits in the transit buffer. */
static void wait(struct machine *machine, const struct view *view, lanes blocked, lanes turned)
{
    lanes granted = view->source_own | view->source_other, taken = blocked | turned;
    assert(!lanes_any(taken & machine->full));
    lanes written = machine->full & machine->buffering & view->boundary;
    machine->second_written |= written & machine->first_written;
    machine->first_written |= written;
    machine->second_written &= ~taken;
    machine->first_written = (machine->first_written & ~taken) | blocked;
    machine->across = (machine->across & ~taken) | turned;
    machine->two_addresses = (machine->two_addresses & ~taken) | (blocked & view->flag);
    machine->full = (machine->full & ~granted) | taken;
}

void chunk_store(struct chunk *chunk, const struct postman_options *options, unsigned row, unsigned column,
                 const struct postman_load *load)
{
    struct machine *machine = &chunk->machines[load->machine];
    struct transit *transit = &chunk->transit[load->machine][row][column];
    uint32_t mask = UINT32_C(1) << column, across = load->across ? mask : 0;
    uint32_t flag = load->flits[0] >> (options->flit_bits - 1) & 1 ? mask : 0;
    transit_begin(transit);
    for (unsigned flit = 0; flit < load->count; flit++)
        transit_write(transit, load->flits[flit]);
    transit_end(transit);
    machine->full[row] |= mask;
    machine->first_written[row] |= mask;
    machine->second_written[row] |= mask;
    machine->across[row] = (machine->across[row] & ~mask) | across;
    machine->two_addresses[row] = (machine->two_addresses[row] & ~mask) | (flag & ~across);
}

/* A load (R12), as far as it is known from the flops of this clock. `writes`: the operator writes a flit. It writes to
 * one machine of a node at a time. */
static void reserve(struct machine *machine, lanes line, lanes other_writing, lanes *writes)
{
    lanes settled = machine->settled;
    machine->writing |= machine->granted & ~other_writing;
    *writes = machine->writing;
    machine->settled = machine->requested & ~machine->granted & machine->busy & ~machine->full & ~machine->sourcing &
                       ~machine->active & ~line;
    machine->granted = machine->requested & (machine->granted | settled);
}

/* The flits that operators write in this clock. With the last one the packet is in the buffer. */
static void write_loads(struct chunk *chunk, unsigned number, const struct postman_options *options, lanes writes)
{
    struct machine *machine = &chunk->machines[number];
    unsigned row, column;
    LANES_EACH(writes, row, column)
    {
        const struct postman_load *load = &chunk->loads[number][row][column];
        if (++chunk->written[number][row][column] < load->count)
            continue;
        uint32_t mask = UINT32_C(1) << column;
        chunk_store(chunk, options, row, column, load);
        machine->requested[row] &= ~mask;
        machine->granted[row] &= ~mask;
        machine->writing[row] &= ~mask;
    }
}

static void count(struct postman_counts *counts, const struct machine *machine, const struct view *view, lanes buffered)
{
    counts->dead += lanes_count(view->boundary & machine->leading & ~view->line);
    counts->turn += lanes_count(view->junction);
    counts->adapt += lanes_count(view->adapt);
    counts->buffer += lanes_count(buffered);
    counts->source += lanes_count(view->source_own | view->source_other);
}

/* The flops of one machine. bits[0] is for its own output, bits[1] for the other one. `writes`: flits of operators. */
static void proceed(struct chunk *chunk, unsigned number, struct machine_clock *clock, struct view *view, lanes writes,
                    lanes bits[2])
{
    struct machine *machine = &chunk->machines[number];
    lanes stays = view->decide & ~view->junction & ~view->adapt & ~view->late;
    lanes turned = stays & view->match & view->flag, arrives = stays & view->match & ~view->flag;
    lanes blocked = stays & ~view->match & ~machine->passing;
    lanes ended = view->boundary & ~view->line, adapted = {0};
    lanes adapting = machine->adapt_second | machine->adapt_first | machine->adapt_rest;

    count(clock->counts, machine, view, blocked | turned);
    lanes other_bits = (machine->turning | view->junction) & view->line;
    other_bits |= adapt(machine, clock, view, &adapted);
    ended = (ended & ~adapting) | adapted;
    lanes source_bits = source(chunk, number, clock, view);
    arrive(chunk, number, clock, machine->arriving & view->boundary, arrives);
    buffer(chunk, number, clock, machine->buffering & view->boundary, blocked, turned, machine->buffering & ended);
    wait(machine, view, blocked, turned);
    write_loads(chunk, number, clock->options, writes);
    bits[0] = pass(machine, clock, view) | (source_bits & ~machine->source_across);
    bits[1] = other_bits | (source_bits & machine->source_across);

    clock->ended[number] = machine->arriving & ended;
    machine->arrived = clock->ended[number];
    machine->turning = (machine->turning | view->junction) & ~ended;
    machine->arriving = (machine->arriving | arrives) & ~ended;
    machine->buffering = (machine->buffering | blocked | turned) & ~ended;
    lanes started = view->line & ~machine->active;
    machine->leading = (machine->leading & ~view->boundary) | started;
    machine->active = (machine->active | started) & ~ended;
    machine->slot[clock->slot] = (machine->slot[clock->slot] | started) & ~ended;
    machine->history[clock->now] = view->line;
    lanes adapts = machine->adapt_second | machine->adapt_first | machine->adapt_rest;
    machine->busy = machine->full | machine->requested | adapts;
    if (!clock->options->arrivals_apart)
        machine->busy |= machine->arriving | machine->arrived;
}

void chunk_clock(struct chunk *chunk, struct machine_clock *clock)
{
    struct machine *x = &chunk->machines[POSTMAN_X], *y = &chunk->machines[POSTMAN_Y];
    struct view views[2] = {{.line = chunk->line_in[POSTMAN_X]}, {.line = chunk->line_in[POSTMAN_Y]}};
    lanes free_x = ~(held(x, y) | chunk->blocked[POSTMAN_X]), free_y = ~(held(y, x) | chunk->blocked[POSTMAN_Y]);
    observe(x, clock, (lanes[]){free_x, free_y}, &views[POSTMAN_X]);
    observe(y, clock, (lanes[]){free_y, free_x}, &views[POSTMAN_Y]);
    prefer_late(&views[POSTMAN_X], &views[POSTMAN_Y]);
    prefer_late(&views[POSTMAN_Y], &views[POSTMAN_X]);
    arbitrate(x, clock, &views[POSTMAN_X], &views[POSTMAN_Y]);
    arbitrate(y, clock, &views[POSTMAN_Y], &views[POSTMAN_X]);
    lanes from_x[2], from_y[2], writes_x, writes_y;
    reserve(x, views[POSTMAN_X].line, y->writing, &writes_x);
    reserve(y, views[POSTMAN_Y].line, writes_x, &writes_y);
    proceed(chunk, POSTMAN_X, clock, &views[POSTMAN_X], writes_x, from_x);
    proceed(chunk, POSTMAN_Y, clock, &views[POSTMAN_Y], writes_y, from_y);
    x->line_out = from_x[0] | from_y[1];
    y->line_out = from_y[0] | from_x[1];
    lanes alive = {0};
    for (unsigned number = 0; number < 2; number++) {
        const struct machine *machine = &chunk->machines[number];
        alive |= machine->active | machine->passing | machine->full | machine->sourcing | machine->busy |
                 machine->line_out | views[number].line;
    }
    chunk->awake = lanes_any(alive) ? 2 * clock->bits : chunk->awake - 1;
}
