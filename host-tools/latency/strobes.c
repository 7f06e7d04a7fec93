/* See strobes.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "latency/strobes.h"

#include "latency/strobe_turns.h"
#include "protocol.h"

#include <math.h>
#include <string.h>

/* In bit times of the line. */
static const double place_bits = PR_LINK_WORD_CLOCKS / (double)WIRES_CLOCKS_A_BIT, frame_bits = 33;
static const double patience_bits = 8192; /* four of the longest packets: what has not come to the operator by then is
                                             not waited for */

static void add_reading(struct wires *wires, unsigned from, struct uncertain began, unsigned to, struct uncertain ended)
{
    wire_pairs_add(&wires->pairs, (struct wire_pair){.from = from, .to = to}, began, ended);
}

/* ---- What a strobe is held against. */

/* Are all lines into a board captured? */
static bool hears_all(const struct wires *wires, unsigned board)
{
    const struct testbed *testbed = wires->testbed;
    unsigned lines = 0;
    for (unsigned i = 0; i < testbed->cable_count; i++)
        for (int k = 0; k < 2; k++) {
            const struct testbed_end *near = &testbed->cables[i].ends[k], *far = &testbed->cables[i].ends[!k];
            if (near->board != board)
                continue;
            if (!wires_have_line(wires, far->board, far->link))
                return false;
            lines++;
        }
    return lines > 0;
}

static bool has_one_site(const struct wires *wires, unsigned board)
{
    return wires->testbed->has_mesh && wires->testbed->boards[board].site_count == 1;
}

/* Do all packets for the board's operator come by here? */
static bool is_ejection(const struct wires *wires, const struct wire *wire)
{
    return wire_is_strobe(wire, STROBE_HEAD) && wire->link == TESTBED_LOCAL && has_one_site(wires, wire->board) &&
           hears_all(wires, wire->board);
}

const char *strobes_obstacle(const struct wires *wires, const struct wire *wire)
{
    if (wire->strobe->event == STROBE_STALL)
        return "latencies follow from heads and terminators only";
    if (wires_have_line(wires, wire->board, wire->link) || strobe_turns_at_port(wires, wire))
        return NULL;
    if (wire->strobe->event == STROBE_TERMINATOR)
        return wire->link == TESTBED_LOCAL ? "expected local.head of this board beside it"
                                           : "expected the line of this port beside it, or its heads";
    if (strobe_turns_between_boards(wires, wire) || is_ejection(wires, wire))
        return NULL;
    if (wire->link != TESTBED_LOCAL)
        return "expected the line of this port beside it, or heads at the next board";
    return has_one_site(wires, wire->board)
               ? "expected all lines into this board beside it, or heads at the board before"
               : "expected a board with one site";
}

/* ---- Events that wait for the packets of lines. */

static double patience(const struct wires *wires, const struct wire *wire)
{
    return patience_bits * wires_bit(wires, wire->board);
}

static void keep_event(const struct wires *wires, const struct wire *wire, uint64_t sample)
{
    struct strobe *strobe = wire->strobe;
    if (strobe->event_count == STROBE_EVENTS) {
        strobe->doubtful_until = wires_time(wires, strobe->events[0]).value + patience(wires, wire);
        memmove(strobe->events, strobe->events + 1, (STROBE_EVENTS - 1) * sizeof *strobe->events);
        strobe->event_count--;
        strobe->counts.ambiguous++;
    }
    strobe->events[strobe->event_count++] = sample;
}

void strobes_event(struct wires *wires, unsigned index, uint64_t sample)
{
    const struct wire *wire = &wires->wires[index];
    strobe_turns_event(wires, index, wires_time(wires, sample));
    wire->strobe->counts.events++;
    if (wire->strobe->event != STROBE_STALL &&
        (wires_have_line(wires, wire->board, wire->link) || is_ejection(wires, wire)))
        keep_event(wires, wire, sample);
}

/* Takes the events before `until` away. True: just one of them was at or behind `from`. */
static bool take_event(const struct wires *wires, struct strobe *strobe, double from, double until,
                       struct uncertain *event)
{
    unsigned taken = 0, inside = 0;
    for (; taken < strobe->event_count && wires_time(wires, strobe->events[taken]).value < until; taken++)
        if (wires_time(wires, strobe->events[taken]).value >= from) {
            *event = wires_time(wires, strobe->events[taken]);
            inside++;
        }
    strobe->event_count -= taken;
    memmove(strobe->events, strobe->events + taken, strobe->event_count * sizeof *strobe->events);
    strobe->counts.strays += taken - inside;
    strobe->counts.matched += inside == 1;
    strobe->counts.ambiguous += inside > 1 ? inside : 0;
    return inside == 1;
}

/* The terminator of the last packet on a line, which was before `until`. */
static void end_packet(struct wires *wires, unsigned line, unsigned index, double until)
{
    struct strobe *strobe = wires->wires[index].strobe;
    const struct strobe_packet *packet = &strobe->packet;
    struct uncertain event;
    double bit = wires_bit(wires, wires->wires[line].board);
    double from = packet->open ? packet->began.value + place_bits * bit : until;
    if (take_event(wires, strobe, from, until, &event) && !packet->aborted)
        add_reading(wires, line, packet->began, index, event);
}

static void begin_packet(struct wires *wires, unsigned line, unsigned index, struct uncertain began, bool aborted,
                         struct passage_before before)
{
    struct uncertain event;
    double until = began.value + place_bits * wires_bit(wires, wires->wires[line].board);
    if (!take_event(wires, wires->wires[index].strobe, began.value, until, &event) || aborted)
        return;
    add_reading(wires, line, began, index, event);
    if (before.wire >= 0)
        add_reading(wires, (unsigned)before.wire, before.began, index, event);
}

/* ---- From the last line to the operator. */

static bool is_for(const struct wires *wires, const struct line_packet *packet, unsigned board)
{
    const struct mesh_config *mesh = &wires->testbed->mesh;
    unsigned mask = (1u << 2 * mesh_coordinate_width(mesh)) - 1; /* without the mark of strict order */
    return packet->multicast ||
           (int)(packet->target & mask) == mesh_address(mesh, (int)wires->testbed->boards[board].sites[0]);
}

static void expect_arrival(const struct wires *wires, unsigned line, const struct wire *wire, struct uncertain began,
                           const struct line_packet *packet)
{
    struct strobe *strobe = wire->strobe;
    if (!is_for(wires, packet, wire->board))
        return;
    if (strobe->arrival_count == STROBE_ARRIVALS) {
        strobe->doubtful_until = began.value + patience(wires, wire);
        strobe->arrival_count = 0;
    }
    strobe->arrivals[strobe->arrival_count++] = (struct arrival){.began = began,
                                                                 .line = (uint8_t)line,
                                                                 .certain = !packet->multicast && !packet->aborted,
                                                                 .aborted = packet->aborted};
}

/* Packets that began before this time are no longer waited for. */
static void forget_arrivals(struct strobe *strobe, double oldest)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < strobe->arrival_count; i++) {
        if (strobe->arrivals[i].began.value >= oldest) {
            strobe->arrivals[kept++] = strobe->arrivals[i];
            continue;
        }
        strobe->counts.missing += strobe->arrivals[i].certain && !strobe->arrivals[i].doubtful;
        strobe->doubted = strobe->arrivals[i].doubtful ? 0 : strobe->doubted;
    }
    strobe->arrival_count = kept;
}

static void remove_arrivals(struct strobe *strobe, double before)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < strobe->arrival_count; i++)
        if (strobe->arrivals[i].began.value > before)
            strobe->arrivals[kept++] = strobe->arrivals[i];
    strobe->arrival_count = kept;
    strobe->doubted = 0;
}

/* Several packets are under way: which of them the event belongs to is not known, until as many events were seen. */
static void doubt_arrivals(struct strobe *strobe, double before, unsigned candidates)
{
    for (unsigned i = 0; i < strobe->arrival_count; i++)
        strobe->arrivals[i].doubtful |= strobe->arrivals[i].began.value <= before;
    strobe->counts.ambiguous++;
    if (++strobe->doubted >= candidates)
        remove_arrivals(strobe, before);
}

static void settle_event(struct wires *wires, unsigned index, struct uncertain event)
{
    const struct wire *wire = &wires->wires[index];
    struct strobe *strobe = wire->strobe;
    double before = event.value - frame_bits * wires_bit(wires, wire->board);
    const struct arrival *only = NULL;
    unsigned candidates = 0;
    bool doubtful = event.value < strobe->doubtful_until;
    forget_arrivals(strobe, event.value - patience(wires, wire));
    for (unsigned i = 0; i < strobe->arrival_count; i++) {
        const struct arrival *arrival = &strobe->arrivals[i];
        if (arrival->began.value > before)
            continue;
        only = arrival;
        candidates++;
        doubtful |= arrival->doubtful || arrival->began.value < strobe->doubtful_until;
    }
    if (candidates == 0 && !doubtful) {
        strobe->counts.strays++;
        return;
    }
    if (candidates != 1 || doubtful) {
        doubt_arrivals(strobe, before, candidates);
        return;
    }
    strobe->counts.matched++;
    if (!only->aborted)
        add_reading(wires, only->line, only->began, index, event);
    remove_arrivals(strobe, before);
}

static bool leads_into(const struct wire *wire, unsigned board)
{
    return wire_is_line(wire) && wire->far_board == (int)board;
}

/* Up to when all packets into a board are known: one that is still on a line was not handed over yet. */
static double horizon(const struct wires *wires, unsigned board, uint64_t sample)
{
    double known = (double)sample;
    for (unsigned i = 0; i < wires->count; i++) {
        const struct line_decoder *line = wires->wires[i].line;
        if (leads_into(&wires->wires[i], board) && line->incoming.open)
            known = fmin(known, (double)line->incoming.packet.origin + line->incoming.packet.began.value);
    }
    return known;
}

static uint64_t damage(const struct wires *wires, unsigned board)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < wires->count; i++)
        if (leads_into(&wires->wires[i], board))
            sum += wires->wires[i].line->counts.damaged + wires->wires[i].line->counts.unchecked;
    return sum;
}

static void settle(struct wires *wires, unsigned index, uint64_t sample)
{
    const struct wire *wire = &wires->wires[index];
    struct strobe *strobe = wire->strobe;
    double known = horizon(wires, wire->board, sample);
    uint64_t harm = damage(wires, wire->board);
    unsigned done = 0;
    if (harm != strobe->damage) /* a packet may have gone by that was not seen */
        strobe->doubtful_until = (double)sample + patience(wires, wire);
    strobe->damage = harm;
    while (done < strobe->event_count && wires_time(wires, strobe->events[done]).value < known)
        settle_event(wires, index, wires_time(wires, strobe->events[done++]));
    strobe->event_count -= done;
    memmove(strobe->events, strobe->events + done, strobe->event_count * sizeof *strobe->events);
    forget_arrivals(strobe, known - patience(wires, wire));
}

/* ---- Packets and blocks. */

void strobes_packet(struct wires *wires, const struct line_packet *packet, unsigned index, struct passage_before before)
{
    const struct wire *line = &wires->wires[index];
    struct uncertain began = {(double)packet->origin + packet->began.value, packet->began.error};
    for (unsigned i = 0; i < wires->count; i++) {
        const struct wire *wire = &wires->wires[i];
        bool here = wire->board == line->board && wire->link == line->link;
        if (here && wire_is_strobe(wire, STROBE_TERMINATOR)) {
            end_packet(wires, index, i, began.value);
            wire->strobe->packet = (struct strobe_packet){began, true, packet->aborted};
        } else if (here && wire_is_strobe(wire, STROBE_HEAD))
            begin_packet(wires, index, i, began, packet->aborted, before);
        else if (line->far_board == (int)wire->board && is_ejection(wires, wire))
            expect_arrival(wires, index, wire, began, packet);
    }
}

void strobes_close(struct wires *wires, uint64_t sample)
{
    for (unsigned i = 0; i < wires->count; i++)
        if (is_ejection(wires, &wires->wires[i]))
            settle(wires, i, sample);
}

void strobes_end(struct wires *wires)
{
    for (unsigned i = 0; i < wires->count; i++)
        for (unsigned k = 0; wire_is_line(&wires->wires[i]) && k < wires->count; k++) {
            const struct wire *line = &wires->wires[i], *wire = &wires->wires[k];
            if (wire_is_strobe(wire, STROBE_TERMINATOR) && wire->board == line->board && wire->link == line->link)
                end_packet(wires, i, k, INFINITY);
        }
    strobe_turns_end(wires);
}
