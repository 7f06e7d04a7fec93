/* See strobe_turns.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "latency/strobe_turns.h"

static const double least_rest_bits = 8; /* of a frame, behind the clock in which its word leaves the fabric */

/* Is `after` a strobe of heads at the board to which the heads of `before` go, with no line captured between? A packet
 * never goes back through the connector that it came from. */
static bool is_next(const struct wires *wires, const struct wire *before, const struct wire *after)
{
    return wire_is_strobe(before, STROBE_HEAD) && wire_is_strobe(after, STROBE_HEAD) &&
           before->far_board == (int)after->board && after->link != before->far_link &&
           !wires_have_line(wires, before->board, before->link);
}

static bool has_next(const struct wires *wires, const struct wire *before)
{
    for (unsigned i = 0; i < wires->count; i++)
        if (is_next(wires, before, &wires->wires[i]))
            return true;
    return false;
}

bool strobe_turns_between_boards(const struct wires *wires, const struct wire *wire)
{
    for (unsigned i = 0; i < wires->count; i++)
        if (is_next(wires, &wires->wires[i], wire))
            return true;
    return has_next(wires, wire);
}

/* The strobe of the other event at the same port, -1: there is none. */
static int other_event(const struct wires *wires, const struct wire *wire)
{
    enum testbed_strobe wanted = wire->strobe->event == STROBE_HEAD ? STROBE_TERMINATOR : STROBE_HEAD;
    for (unsigned i = 0; i < wires->count; i++) {
        const struct wire *other = &wires->wires[i];
        if (wire_is_strobe(other, wanted) && other->board == wire->board && other->link == wire->link)
            return (int)i;
    }
    return -1;
}

bool strobe_turns_at_port(const struct wires *wires, const struct wire *wire)
{
    return other_event(wires, wire) >= 0;
}

/* From the last event of another strobe to this one. */
static void add_reading(struct wires *wires, unsigned from, unsigned to, struct uncertain when)
{
    struct uncertain began = {wires->wires[from].strobe->turns.began, when.error};
    wire_pairs_add(&wires->pairs, (struct wire_pair){.from = from, .to = to}, began, when);
}

/* ---- Heads and terminators of a port. */

static void note_head(struct wires *wires, const struct wire *head, double when)
{
    int end = other_event(wires, head);
    head->strobe->turns.began = when;
    if (end >= 0)
        wires->wires[end].strobe->turns.heads++;
}

static void end_turn(struct wires *wires, unsigned index, struct uncertain when)
{
    struct strobe *end = wires->wires[index].strobe;
    int head = other_event(wires, &wires->wires[index]);
    if (head < 0)
        return;
    if (end->turns.heads == 1)
        add_reading(wires, (unsigned)head, index, when);
    else
        end->counts.unpaired += end->counts.events > 0; /* the first one may be of a packet that began before */
    end->turns.heads = 0;
}

/* ---- Heads of two boards. */

static void leave(const struct wires *wires, const struct wire *before)
{
    struct strobe *strobe = before->strobe;
    if (before->far_board < 0 || !has_next(wires, before))
        return;
    strobe->counts.disorder += strobe->turns.under_way > 0;
    strobe->turns.under_way++;
}

static void arrive(struct wires *wires, unsigned from, unsigned to, struct uncertain when)
{
    struct strobe *before = wires->wires[from].strobe;
    struct strobe_turns *turns = &before->turns;
    double least = least_rest_bits * wires_bit(wires, wires->wires[from].board);
    bool first = before->counts.events == 0 && turns->early++ == 0; /* left before the capture */
    if (turns->under_way == 1 && when.value - turns->began >= least)
        add_reading(wires, from, to, when);
    else if (turns->under_way <= 1) /* more were counted when they left */
        before->counts.disorder += !first;
    turns->under_way = 0;
}

void strobe_turns_event(struct wires *wires, unsigned index, struct uncertain when)
{
    const struct wire *wire = &wires->wires[index];
    if (wire->strobe->event == STROBE_TERMINATOR)
        end_turn(wires, index, when);
    if (wire->strobe->event != STROBE_HEAD)
        return;
    for (unsigned i = 0; i < wires->count; i++)
        if (is_next(wires, &wires->wires[i], wire))
            arrive(wires, i, index, when);
    leave(wires, wire);
    note_head(wires, wire, when.value);
}

void strobe_turns_end(struct wires *wires)
{
    for (unsigned i = 0; i < wires->pairs.count; i++) {
        struct wire_pair *pair = &wires->pairs.pairs[i];
        const struct wire *from = &wires->wires[pair->from];
        pair->refused = is_next(wires, from, &wires->wires[pair->to]) && from->strobe->counts.disorder;
    }
}
