/* See machine.h. A clock of some rows of nodes has three parts. `observe`: what each machine wishes, from its flops and
 * its line. `arbitrate`: which wish each output grants. The rest: the flops of the next clock, and the bit that
 * each output loads.
 *
 * SPDX-License-Identifier: ISC
 */
#include "postman/machine.h"

#include <assert.h>

#include "postman/injection.h"

/* Of one machine. The wishes become what is granted. */
struct view {
    lanes line, boundary;        /* boundary: the line shows a validity bit behind a flit */
    lanes decide, match, flag;   /* decide: that flit is the leading one, and a second one follows */
    lanes pass, junction, adapt; /* wishes of the packet on the line */
    lanes late;                  /* to pass a flit behind the line: it was blocked when it came */
    lanes source_own, source_other;
    lanes injected;  /* the packet that wishes to be sent is that of the injection buffer */
    lanes ends_here; /* what begins on the line goes no further (no_dead_flits) */
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

/* Of a packet that waits to be sent: by its own output, or by the other one. */
struct wishes {
    lanes own, other;
};

static struct wishes wishes_of(const struct postman_options *options, const lanes free[2], lanes waiting, lanes across,
                               lanes two_addresses)
{
    lanes other = across;
    if (options->adaptive_sourcing)
        other |= two_addresses & ~free[0];
    return (struct wishes){waiting & ~across & free[0], waiting & other & free[1]};
}

/* Of the packet in a transit buffer and that in the injection buffer one that can be sent; if both can, in turn. */
static void observe_source(const struct machine *machine, const struct postman_options *options, const lanes free[2],
                           struct view *view)
{
    struct wishes buffered = wishes_of(options, free, machine->waits & machine->first_written & ~machine->sourcing,
                                       machine->across, machine->two_addresses & machine->second_written);
    view->source_own = buffered.own;
    view->source_other = buffered.other;
    if (!options->injection_buffers)
        return;
    struct wishes injected = wishes_of(options, free, machine->injected & ~machine->sourcing, machine->injected_across,
                                       machine->injected_two);
    view->injected = (injected.own | injected.other) & (machine->injected_next | ~(buffered.own | buffered.other));
    view->source_own = (buffered.own & ~view->injected) | (injected.own & view->injected);
    view->source_other = (buffered.other & ~view->injected) | (injected.other & view->injected);
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
        view->pass = view->line & ~machine->active & ~view->ends_here & free[0];
    else if (lanes_any(machine->leading & machine->slot[clock->slot_after]))
        view->pass = machine->leading & machine->slot[clock->slot_after] & differs(machine, clock, view->line, 0) &
                     free[0];
    if (options->late_pass && !options->vct)
        view->late = view->decide & ~view->match & ~machine->passing & free[0];
    observe_source(machine, options, free, view);
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
    over |= (machine->pass_slot[clock->slot] & ~bits) | machine->cut_here;
    if (lanes_any(machine->cut_here))
        for (unsigned slot = 0; slot < clock->bits; slot++)
            machine->pass_slot[slot] &= ~machine->cut_here;
    machine->pass_slot[clock->slot] = (machine->pass_slot[clock->slot] & ~over) | begun;
    machine->passing = (machine->passing & ~over) | begun;
    return bits & machine->passing;
}

/* Adapt: the bit for the other output. It ends a flit behind the line. */
static lanes adapt(struct machine *machine, const struct machine_clock *clock, const struct view *view)
{
    lanes boundary = machine->adapt_slot[clock->slot], second = machine->adapt_second, first = machine->adapt_first,
          rest = machine->adapt_rest;
    if (!lanes_any(second | first | rest | view->adapt))
        return (lanes){0};
    lanes flag_now = machine->adapt_slot[clock->slot_before];
    lanes kept = before(machine, clock, 2 * clock->bits), late = before(machine, clock, clock->bits);
    lanes ended = (first | rest) & boundary & ~late;
    machine->adapt_slot[clock->slot] = (boundary & ~ended) | view->adapt;
    machine->adapt_second = view->adapt | (second & ~boundary);
    machine->adapt_first = (second & boundary) | (first & ~boundary);
    machine->adapt_rest = ((first & boundary) | rest) & ~ended;
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

static struct transit *input_of(struct transits *transits)
{
    return transits_at(transits, transits->input);
}

/* Flits into the transit buffers. `blocked`: the leading flit is the first; `turned`: it has been stripped. */
static void buffer(struct chunk *chunk, unsigned number, struct machine_clock *clock, const struct view *view,
                   lanes blocked, lanes turned, lanes ended)
{
    struct machine *machine = &chunk->machines[number];
    struct transits(*transits)[POSTMAN_MOST_SIDE] = chunk->transits[number];
    lanes complete = machine->buffering & view->boundary;
    unsigned row, column;
    LANES_EACH(blocked | turned, row, column)
    {
        struct transit *taken = transits_take(&transits[row][column], clock->options->ample_buffers);
        transit_begin(taken, turned[row] >> column & 1, (blocked & view->flag)[row] >> column & 1);
        taken->target = chunk->targets.on_line[number][row][column];
        if (transits[row][column].waiting > clock->counts->deepest)
            clock->counts->deepest = transits[row][column].waiting;
    }
    LANES_EACH(complete | blocked, row, column)
    transit_write(input_of(&transits[row][column]), flit_of(machine, clock, row, column));
    LANES_EACH(machine->buffering & ended, row, column)
    transit_end(input_of(&transits[row][column]));
    chunk_show(chunk, number, clock->options, complete | blocked | turned);
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

/* Sources take the packets that they are granted outputs for. */
static void leave(struct chunk *chunk, unsigned number, const struct postman_options *options, const struct view *view,
                  lanes granted)
{
    struct machine *machine = &chunk->machines[number];
    lanes injected = granted & view->injected, buffered = granted & ~view->injected;
    unsigned row, column;
    LANES_EACH(granted, row, column)
    {
        uint32_t mask = UINT32_C(1) << column;
        struct transit *left = injected[row] & mask ? &chunk->injections[number][row][column]
                                                    : transits_leave(&chunk->transits[number][row][column]);
        bool other = view->source_other[row] & mask;
        transit_leave(left, other && !left->across);
        chunk->targets.sent[other ? !number : number][row][column] = left->target;
    }
    machine->injected &= ~injected;
    machine->injected_next = (machine->injected_next & ~injected) | buffered;
    machine->source_injected = (machine->source_injected & ~granted) | injected;
    machine->source_across = (machine->source_across & ~granted) | view->source_other;
    chunk_show(chunk, number, options, buffered);
}

/* The bit that the source sends. */
static lanes source(struct chunk *chunk, unsigned number, const struct machine_clock *clock, const struct view *view)
{
    struct machine *machine = &chunk->machines[number];
    lanes granted = view->source_own | view->source_other, next = machine->source_slot[clock->slot] | granted;
    lanes over = {0};
    unsigned row, column, flit;
    leave(chunk, number, clock->options, view, granted);
    LANES_EACH(next, row, column)
    {
        uint32_t mask = UINT32_C(1) << column;
        struct transits *transits = &chunk->transits[number][row][column];
        struct transit *sent = machine->source_injected[row] & mask ? &chunk->injections[number][row][column]
                                                                    : transits_at(transits, transits->output);
        if (transit_next(sent, 1u << (clock->options->flit_bits - 1), &flit))
            source_load(machine, clock, row, mask, flit);
        else
            over[row] |= mask;
    }
    lanes bits = (machine->sourcing & ~next & machine->source_bits[clock->slot]) | (next & ~over);
    machine->source_slot[clock->slot] = next & ~over;
    machine->sourcing = (machine->sourcing | granted) & ~over;
    return bits;
}

static void count(struct postman_counts *counts, const struct machine *machine, const struct view *view, lanes buffered)
{
    counts->dead += lanes_count((view->boundary | machine->cut_upstream) & machine->leading & ~view->line);
    counts->turn += lanes_count(view->junction);
    counts->adapt += lanes_count(view->adapt);
    counts->buffer += lanes_count(buffered);
    counts->source += lanes_count(view->source_own | view->source_other);
}

/* A node passes of a coordinate what leads up to the first bit that shows that it lies behind. With that bit the node
 * downstream knows that no other will come. */
static void shrink(struct machine *machine, const struct machine_clock *clock, const struct view *view, bool flip)
{
    lanes shown = {0}, here = {0}, upstream = {0}, ended = machine->cut_upstream;
    if (lanes_any(ended))
        for (unsigned slot = 0; slot < clock->bits; slot++)
            machine->slot[slot] &= ~ended;
    for (unsigned bit = 0; bit < clock->options->flit_bits - 1; bit++) {
        lanes now = machine->leading & machine->slot[(clock->slot + 1 + bit) % clock->bits];
        shown |= now;
        here |= now & machine->own[bit];
        upstream |= now & machine->upstream[bit];
    }
    lanes behind = flip ? view->line : ~view->line, begun = view->line & ~machine->active;
    here = shown & machine->same_here & (view->line ^ here);
    upstream = shown & machine->same_upstream & (view->line ^ upstream);
    machine->cut_here = here & behind & machine->passing & ~machine->late;
    machine->cut_upstream = upstream & behind;
    machine->same_here = (machine->same_here & ~here) | begun;
    machine->same_upstream = (machine->same_upstream & ~upstream) | begun;
}

static void show_busy(struct machine *machine, const struct postman_options *options)
{
    machine->busy = machine->full | machine_adapts(machine);
    if (!options->injection_buffers)
        machine->busy |= machine->requested;
    if (!options->arrivals_apart)
        machine->busy |= machine->arriving | machine->arrived;
    if (options->ample_buffers)
        machine->busy = (lanes){0};
}

/* The flops of one machine. bits[0] is for its own output, bits[1] for the other one. `writes`: flits of operators. */
static void proceed(struct chunk *chunk, unsigned number, struct machine_clock *clock, struct view *view, lanes writes,
                    lanes bits[2])
{
    struct machine *machine = &chunk->machines[number];
    lanes stays = view->decide & ~view->junction & ~view->adapt & ~view->late;
    lanes turned = stays & view->match & view->flag, arrives = stays & view->match & ~view->flag;
    lanes blocked = stays & ~view->match & ~machine->passing;
    lanes ended = (view->boundary & ~view->line) | machine->cut_upstream, started = view->line & ~machine->active;

    count(clock->counts, machine, view, blocked | turned);
    lanes other_bits = (machine->turning | view->junction) & view->line;
    other_bits |= adapt(machine, clock, view);
    lanes source_bits = source(chunk, number, clock, view);
    arrive(chunk, number, clock, machine->arriving & view->boundary, arrives);
    buffer(chunk, number, clock, view, blocked, turned, ended);
    injection_write(chunk, number, clock->options, writes, machine->buffering | blocked | turned);
    if (clock->options->no_dead_flits) {
        oracle_pass(&chunk->targets, number, number, view->pass | view->late);
        oracle_pass(&chunk->targets, number, !number, view->junction | view->adapt);
    }
    bits[0] = pass(machine, clock, view) | (source_bits & ~machine->source_across);
    bits[1] = other_bits | (source_bits & machine->source_across);

    clock->ended[number] = machine->arriving & ended;
    machine->arrived = clock->ended[number];
    machine->turning = (machine->turning | view->junction) & ~ended;
    machine->arriving = (machine->arriving | arrives) & ~ended;
    machine->buffering = (machine->buffering | blocked | turned) & ~ended;
    if (clock->options->shrinking)
        shrink(machine, clock, view, number == POSTMAN_X ? clock->options->flip_x : clock->options->flip_y);
    machine->leading = (machine->leading & ~view->boundary & ~ended) | started;
    machine->active = (machine->active | started) & ~ended;
    machine->slot[clock->slot] = (machine->slot[clock->slot] | started) & ~ended;
    machine->history[clock->now] = view->line;
    show_busy(machine, clock->options);
}

static void foresee(struct chunk *chunk, const struct machine_clock *clock, struct view views[2])
{
    for (unsigned number = 0; number < 2; number++) {
        const struct machine *machine = &chunk->machines[number];
        views[number].ends_here = oracle_begin(&chunk->targets, clock->targets_before, number,
                                               views[number].line & ~machine->active, machine->own,
                                               clock->options->flit_bits - 1);
    }
}

void chunk_clock(struct chunk *chunk, struct machine_clock *clock)
{
    struct machine *x = &chunk->machines[POSTMAN_X], *y = &chunk->machines[POSTMAN_Y];
    struct view views[2] = {{.line = chunk->line_in[POSTMAN_X]}, {.line = chunk->line_in[POSTMAN_Y]}};
    lanes free_x = ~(held(x, y) | chunk->blocked[POSTMAN_X]), free_y = ~(held(y, x) | chunk->blocked[POSTMAN_Y]);
    if (clock->options->no_dead_flits)
        foresee(chunk, clock, views);
    observe(x, clock, (lanes[]){free_x, free_y}, &views[POSTMAN_X]);
    observe(y, clock, (lanes[]){free_y, free_x}, &views[POSTMAN_Y]);
    prefer_late(&views[POSTMAN_X], &views[POSTMAN_Y]);
    prefer_late(&views[POSTMAN_Y], &views[POSTMAN_X]);
    arbitrate(x, clock, &views[POSTMAN_X], &views[POSTMAN_Y]);
    arbitrate(y, clock, &views[POSTMAN_Y], &views[POSTMAN_X]);
    lanes from_x[2], from_y[2], writes_x, writes_y;
    injection_reserve(x, clock->options, views[POSTMAN_X].line, y->writing, &writes_x);
    injection_reserve(y, clock->options, views[POSTMAN_Y].line, writes_x, &writes_y);
    proceed(chunk, POSTMAN_X, clock, &views[POSTMAN_X], writes_x, from_x);
    proceed(chunk, POSTMAN_Y, clock, &views[POSTMAN_Y], writes_y, from_y);
    x->line_out = from_x[0] | from_y[1];
    y->line_out = from_y[0] | from_x[1];
    lanes alive = {0};
    for (unsigned number = 0; number < 2; number++) {
        const struct machine *machine = &chunk->machines[number];
        alive |= machine->active | machine->passing | machine->waits | machine->injected | machine->requested |
                 machine->sourcing | machine_adapts(machine) | machine->busy | machine->line_out | views[number].line;
    }
    chunk->awake = lanes_any(alive) ? 2 * clock->bits : chunk->awake - 1;
}
