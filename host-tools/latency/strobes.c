/* See strobes.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "latency/strobes.h"

#include "latency/wire_pairs.h"
#include "protocol.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { EVENTS_MAX = 4096, ARRIVALS_MAX = 4096 };

/* In bit times of the line. */
static const double place_bits = PR_LINK_WORD_CLOCKS / (double)WIRES_CLOCKS_A_BIT, frame_bits = 33;
static const double least_rest_bits = 8;  /* of a frame, behind the clock in which its word leaves the fabric */
static const double patience_bits = 8192; /* four of the longest packets: what has not come to the operator by then is
                                             not waited for */

/* Half of a sample, and what jitter may add without being seen. */
static double event_error(const struct wires *wires)
{
    return (0.5 + LINE_CLOCK_HIDDEN_JITTER) * wires->exact;
}

static void add_reading(struct wires *wires, unsigned from, struct uncertain began, unsigned to, struct uncertain ended)
{
    wire_pairs_add(wires, (struct wire_pair){.from = from, .to = to}, began, ended);
}

static double time_of(const struct wires *wires, uint64_t sample)
{
    return (double)sample - 0.5 * wires->exact;
}

/* ---- What a strobe is held against. */

static bool is_line(const struct wire *wire)
{
    return wire->strobe == TESTBED_LINE && wire->seen;
}

/* The line that a board drives at a connector; NULL: it is not captured. */
static const struct wire *line_at(const struct wires *wires, unsigned board, unsigned link)
{
    for (unsigned i = 0; i < wires->count; i++)
        if (is_line(&wires->wires[i]) && wires->wires[i].board == board && wires->wires[i].link == link)
            return &wires->wires[i];
    return NULL;
}

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
            if (!line_at(wires, far->board, far->link))
                return false;
            lines++;
        }
    return lines > 0;
}

static bool has_one_site(const struct wires *wires, unsigned board)
{
    return wires->testbed->has_mesh && wires->testbed->boards[board].site_count == 1;
}

static bool is_strobe(const struct wire *wire, enum testbed_strobe strobe)
{
    return wire->strobe == strobe && wire->seen;
}

static bool is_ejection(const struct wires *wires, const struct wire *strobe)
{
    return is_strobe(strobe, STROBE_HEAD) && strobe->link == TESTBED_LOCAL && has_one_site(wires, strobe->board) &&
           hears_all(wires, strobe->board);
}

/* Is `after` a strobe of heads at the board to which the heads of `before` go, with no line captured between? A packet
 * never goes back through the connector that it came from. */
static bool is_next(const struct wires *wires, const struct wire *before, const struct wire *after)
{
    return is_strobe(before, STROBE_HEAD) && is_strobe(after, STROBE_HEAD) && before->next_board == (int)after->board &&
           after->link != before->next_link && !line_at(wires, before->board, before->link);
}

static bool has_next(const struct wires *wires, const struct wire *before)
{
    for (unsigned i = 0; i < wires->count; i++)
        if (is_next(wires, before, &wires->wires[i]))
            return true;
    return false;
}

/* The strobe of the other event at the same port, -1: there is none. */
static int other_event(const struct wires *wires, const struct wire *strobe, enum testbed_strobe wanted)
{
    for (unsigned i = 0; i < wires->count; i++) {
        const struct wire *other = &wires->wires[i];
        if (is_strobe(other, wanted) && other->board == strobe->board && other->link == strobe->link)
            return (int)i;
    }
    return -1;
}

static bool is_followed(const struct wires *wires, const struct wire *strobe)
{
    for (unsigned i = 0; i < wires->count; i++)
        if (is_next(wires, &wires->wires[i], strobe))
            return true;
    return has_next(wires, strobe);
}

const char *strobes_obstacle(const struct wires *wires, unsigned index)
{
    const struct wire *strobe = &wires->wires[index];
    if (strobe->strobe == STROBE_STALL)
        return "latencies follow from heads and terminators only";
    if (line_at(wires, strobe->board, strobe->link))
        return NULL;
    if (strobe->strobe == STROBE_TERMINATOR)
        return other_event(wires, strobe, STROBE_HEAD) >= 0 ? NULL
               : strobe->link == TESTBED_LOCAL              ? "expected local.head of this board beside it"
                                                            : "expected the line of this port beside it, or its heads";
    if (is_followed(wires, strobe) || is_ejection(wires, strobe) || other_event(wires, strobe, STROBE_TERMINATOR) >= 0)
        return NULL;
    if (strobe->link != TESTBED_LOCAL)
        return "expected the line of this port beside it, or heads at the next board";
    return has_one_site(wires, strobe->board)
               ? "expected all lines into this board beside it, or heads at the board before"
               : "expected a board with one site";
}

void strobes_begin(struct wires *wires)
{
    for (unsigned i = 0; i < wires->count; i++) {
        struct wire *strobe = &wires->wires[i];
        if (strobe->strobe != STROBE_HEAD && strobe->strobe != STROBE_TERMINATOR)
            continue;
        strobe->events = calloc(EVENTS_MAX, sizeof *strobe->events);
        strobe->arrivals = calloc(ARRIVALS_MAX, sizeof *strobe->arrivals);
        if (!strobe->events || !strobe->arrivals)
            abort();
    }
}

void strobes_free(struct wire *strobe)
{
    free(strobe->events);
    free(strobe->arrivals);
}

/* ---- Heads and terminators of a port take turns. */

static void note_head(struct wires *wires, struct wire *head, double when)
{
    int end = other_event(wires, head, STROBE_TERMINATOR);
    head->began = when;
    if (end >= 0)
        wires->wires[end].heads++;
}

static void end_turn(struct wires *wires, unsigned index, double when)
{
    struct wire *end = &wires->wires[index];
    int head = other_event(wires, end, STROBE_HEAD);
    if (head < 0)
        return;
    if (end->heads == 1)
        add_reading(wires, (unsigned)head, (struct uncertain){wires->wires[head].began, event_error(wires)}, index,
                    (struct uncertain){when, event_error(wires)});
    else
        end->unpaired += end->event_total > 0; /* the first one may be of a packet that began before the capture */
    end->heads = 0;
}

/* ---- Heads of two boards take turns. */

static void leave(const struct wires *wires, struct wire *before)
{
    if (before->next_board < 0 || !has_next(wires, before))
        return;
    before->disorder += before->under_way > 0;
    before->under_way++;
}

static void arrive(struct wires *wires, unsigned from, unsigned to, double when)
{
    struct wire *before = &wires->wires[from];
    double least = least_rest_bits * wires_bit(wires, before->board);
    bool first = before->event_total == 0 && before->early++ == 0; /* left before the capture */
    if (before->under_way == 1 && when - before->began >= least)
        add_reading(wires, from, (struct uncertain){before->began, event_error(wires)}, to,
                    (struct uncertain){when, event_error(wires)});
    else if (before->under_way <= 1) /* more were counted when they left */
        before->disorder += !first;
    before->under_way = 0;
}

static void take_turns(struct wires *wires, unsigned index, double when)
{
    for (unsigned i = 0; i < wires->count; i++)
        if (is_next(wires, &wires->wires[i], &wires->wires[index]))
            arrive(wires, i, index, when);
    leave(wires, &wires->wires[index]);
}

/* ---- Events that wait for the packets of lines. */

static void keep_event(struct wires *wires, struct wire *strobe, uint64_t sample)
{
    if (strobe->event_count == EVENTS_MAX) {
        strobe->doubtful_until = time_of(wires, strobe->events[0]) + patience_bits * wires_bit(wires, strobe->board);
        memmove(strobe->events, strobe->events + 1, (EVENTS_MAX - 1) * sizeof *strobe->events);
        strobe->event_count--;
        strobe->ambiguous++;
    }
    strobe->events[strobe->event_count++] = sample;
}

void strobes_event(struct wires *wires, unsigned index, uint64_t sample)
{
    struct wire *strobe = &wires->wires[index];
    double when = time_of(wires, sample);
    if (strobe->strobe == STROBE_HEAD) {
        take_turns(wires, index, when);
        note_head(wires, strobe, when);
    } else if (strobe->strobe == STROBE_TERMINATOR) {
        end_turn(wires, index, when);
    }
    strobe->event_total++;
    if (strobe->strobe != STROBE_STALL && (line_at(wires, strobe->board, strobe->link) || is_ejection(wires, strobe)))
        keep_event(wires, strobe, sample);
}

/* Takes the events before `until` away. True: just one of them was at or behind `from`. */
static bool take_event(const struct wires *wires, struct wire *strobe, double from, double until, double *when)
{
    unsigned taken = 0, inside = 0;
    for (; taken < strobe->event_count && time_of(wires, strobe->events[taken]) < until; taken++)
        if (time_of(wires, strobe->events[taken]) >= from) {
            *when = time_of(wires, strobe->events[taken]);
            inside++;
        }
    strobe->event_count -= taken;
    memmove(strobe->events, strobe->events + taken, strobe->event_count * sizeof *strobe->events);
    strobe->strays += taken - inside;
    strobe->matched += inside == 1;
    strobe->ambiguous += inside > 1 ? inside : 0;
    return inside == 1;
}

/* The terminator of the last packet on a line, which was before `until`. */
static void end_packet(struct wires *wires, unsigned line, unsigned index, double until)
{
    const struct wire *wire = &wires->wires[line];
    double bit = wires_bit(wires, wire->board), when;
    double from = wire->open ? wire->last.value + place_bits * bit : until;
    if (take_event(wires, &wires->wires[index], from, until, &when) && !wire->last_aborted)
        add_reading(wires, line, wire->last, index, (struct uncertain){when, event_error(wires)});
}

static void begin_packet(struct wires *wires, unsigned line, unsigned index, struct uncertain began,
                         const struct line_packet *packet, const struct sighting *before)
{
    double until = began.value + place_bits * wires_bit(wires, wires->wires[line].board), when;
    if (!take_event(wires, &wires->wires[index], began.value, until, &when) || packet->aborted)
        return;
    struct uncertain event = {when, event_error(wires)};
    add_reading(wires, line, began, index, event);
    if (before)
        add_reading(wires, before->wire, (struct uncertain){before->began, (double)before->error}, index, event);
}

/* ---- From the last line to the operator. */

static bool is_for(const struct wires *wires, const struct line_packet *packet, unsigned board)
{
    const struct mesh_config *mesh = &wires->testbed->mesh;
    unsigned mask = (1u << 2 * mesh_coordinate_width(mesh)) - 1; /* without the mark of strict order */
    return packet->multicast ||
           (int)(packet->target & mask) == mesh_address(mesh, (int)wires->testbed->boards[board].sites[0]);
}

static void expect_arrival(struct wires *wires, unsigned line, unsigned index, struct uncertain began,
                           const struct line_packet *packet)
{
    struct wire *strobe = &wires->wires[index];
    if (!is_for(wires, packet, strobe->board))
        return;
    if (strobe->arrival_count == ARRIVALS_MAX) {
        strobe->doubtful_until = began.value + patience_bits * wires_bit(wires, strobe->board);
        strobe->arrival_count = 0;
    }
    strobe->arrivals[strobe->arrival_count++] = (struct arrival){.began = began,
                                                                 .line = (uint8_t)line,
                                                                 .certain = !packet->multicast && !packet->aborted,
                                                                 .aborted = packet->aborted};
}

/* Packets that began before this time are no longer waited for. */
static void forget_arrivals(struct wire *strobe, double oldest)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < strobe->arrival_count; i++) {
        if (strobe->arrivals[i].began.value >= oldest) {
            strobe->arrivals[kept++] = strobe->arrivals[i];
            continue;
        }
        strobe->missing += strobe->arrivals[i].certain && !strobe->arrivals[i].doubtful;
        strobe->doubted = strobe->arrivals[i].doubtful ? 0 : strobe->doubted;
    }
    strobe->arrival_count = kept;
}

static void remove_arrivals(struct wire *strobe, double before)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < strobe->arrival_count; i++)
        if (strobe->arrivals[i].began.value > before)
            strobe->arrivals[kept++] = strobe->arrivals[i];
    strobe->arrival_count = kept;
    strobe->doubted = 0;
}

/* Several packets are under way: which of them the event belongs to is not known, until as many events were seen. */
static void doubt_arrivals(struct wire *strobe, double before, unsigned candidates)
{
    for (unsigned i = 0; i < strobe->arrival_count; i++)
        strobe->arrivals[i].doubtful |= strobe->arrivals[i].began.value <= before;
    strobe->ambiguous++;
    if (++strobe->doubted >= candidates)
        remove_arrivals(strobe, before);
}

static void settle_event(struct wires *wires, unsigned index, double when)
{
    struct wire *strobe = &wires->wires[index];
    double bit = wires_bit(wires, strobe->board), before = when - frame_bits * bit;
    struct arrival *only = NULL;
    unsigned candidates = 0;
    bool doubtful = when < strobe->doubtful_until;
    forget_arrivals(strobe, when - patience_bits * bit);
    for (unsigned i = 0; i < strobe->arrival_count; i++) {
        struct arrival *arrival = &strobe->arrivals[i];
        if (arrival->began.value > before)
            continue;
        only = arrival;
        candidates++;
        doubtful |= arrival->doubtful || arrival->began.value < strobe->doubtful_until;
    }
    if (candidates == 0 && !doubtful) {
        strobe->strays++;
        return;
    }
    if (candidates != 1 || doubtful) {
        doubt_arrivals(strobe, before, candidates);
        return;
    }
    strobe->matched++;
    if (!only->aborted)
        add_reading(wires, only->line, only->began, index, (struct uncertain){when, event_error(wires)});
    remove_arrivals(strobe, before);
}

/* Up to when all packets into a board are known: one that is still on a line was not handed over yet. */
static double horizon(const struct wires *wires, unsigned board, uint64_t sample)
{
    double known = (double)sample;
    for (unsigned i = 0; i < wires->count; i++) {
        const struct line_incoming *incoming = &wires->wires[i].decoder.incoming;
        if (is_line(&wires->wires[i]) && wires->wires[i].reader == (int)board && incoming->open)
            known = fmin(known, (double)incoming->packet.origin + incoming->packet.began.value);
    }
    return known;
}

static uint64_t damage(const struct wires *wires, unsigned board)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < wires->count; i++)
        if (is_line(&wires->wires[i]) && wires->wires[i].reader == (int)board)
            sum += wires->wires[i].decoder.counts.damaged + wires->wires[i].decoder.counts.unchecked;
    return sum;
}

static void settle(struct wires *wires, unsigned index, uint64_t sample)
{
    struct wire *strobe = &wires->wires[index];
    double known = horizon(wires, strobe->board, sample);
    uint64_t harm = damage(wires, strobe->board);
    unsigned done = 0;
    if (harm != strobe->damage) /* a packet may have gone by that was not seen */
        strobe->doubtful_until = (double)sample + patience_bits * wires_bit(wires, strobe->board);
    strobe->damage = harm;
    while (done < strobe->event_count && time_of(wires, strobe->events[done]) < known)
        settle_event(wires, index, time_of(wires, strobe->events[done++]));
    strobe->event_count -= done;
    memmove(strobe->events, strobe->events + done, strobe->event_count * sizeof *strobe->events);
    forget_arrivals(strobe, known - patience_bits * wires_bit(wires, strobe->board));
}

/* ---- Packets and blocks. */

void strobes_packet(struct wires *wires, const struct line_packet *packet, unsigned index,
                    const struct sighting *before)
{
    struct wire *line = &wires->wires[index];
    struct uncertain began = {(double)packet->origin + packet->began.value, packet->began.error};
    for (unsigned i = 0; i < wires->count; i++) {
        const struct wire *strobe = &wires->wires[i];
        bool here = strobe->board == line->board && strobe->link == line->link;
        if (here && is_strobe(strobe, STROBE_TERMINATOR))
            end_packet(wires, index, i, began.value);
        else if (here && is_strobe(strobe, STROBE_HEAD))
            begin_packet(wires, index, i, began, packet, before);
        else if (line->reader == (int)strobe->board && is_ejection(wires, strobe))
            expect_arrival(wires, index, i, began, packet);
    }
    line->last = began;
    line->last_aborted = packet->aborted;
    line->open = true;
}

void strobes_close(struct wires *wires, uint64_t sample)
{
    for (unsigned i = 0; i < wires->count; i++)
        if (is_ejection(wires, &wires->wires[i]))
            settle(wires, i, sample);
}

static void refuse_disorder(struct wires *wires)
{
    for (unsigned i = 0; i < wires->pair_count; i++) {
        struct wire_pair *pair = &wires->pairs[i];
        const struct wire *from = &wires->wires[pair->from];
        pair->refused = from->disorder && is_next(wires, from, &wires->wires[pair->to]);
    }
}

void strobes_end(struct wires *wires)
{
    for (unsigned i = 0; i < wires->count; i++)
        for (unsigned k = 0; is_line(&wires->wires[i]) && k < wires->count; k++) {
            const struct wire *line = &wires->wires[i], *strobe = &wires->wires[k];
            if (is_strobe(strobe, STROBE_TERMINATOR) && strobe->board == line->board && strobe->link == line->link)
                end_packet(wires, i, k, INFINITY);
        }
    refuse_disorder(wires);
}
