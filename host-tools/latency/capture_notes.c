/* See capture_notes.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "latency/capture_notes.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

static const double ppm = 1e-6;

void capture_note(struct capture_notes *notes, const char *format, ...)
{
    va_list arguments;
    if (notes->count == NOTES_MAX)
        return;
    va_start(arguments, format);
    vsnprintf(notes->texts[notes->count++], NOTE_TEXT, format, arguments);
    va_end(arguments);
}

/* ---- What is wrong with the capture. */

static unsigned main_port(const struct line_counts *counts)
{
    unsigned best = 0;
    for (unsigned port = 1; port < LINE_PORTS; port++)
        if (counts->ports[port] > counts->ports[best])
            best = port;
    return best;
}

/* Do the frames of a line say that they come from this board's connector? */
static bool comes_from(const struct capture_notes *notes, const struct line_counts *counts, unsigned board,
                       unsigned link)
{
    const struct testbed_board *place = &notes->traffic->wires.testbed->boards[board];
    if (main_port(counts) != link % LINE_PORTS)
        return false;
    if (counts->site_votes == 0 || place->site_count == 0)
        return true;
    for (unsigned i = 0; i < place->site_count; i++)
        if (place->sites[i] == counts->site)
            return true;
    return false;
}

/* Frames carry the number of their site and of their link. */
static void look_for_swaps(struct capture_notes *notes, const struct wire *wire)
{
    const struct wires *wires = &notes->traffic->wires;
    const struct line_counts *counts = &wire->line->counts;
    if (line_counts_good(counts) == 0 || comes_from(notes, counts, wire->board, wire->link))
        return;
    notes->misplaced++;
    for (unsigned i = 0; i < wires->count; i++) {
        const struct wire *other = &wires->wires[i];
        if (!other->line || !comes_from(notes, counts, other->board, other->link))
            continue;
        capture_note(notes, "channel %s shows %s, expected %s: %s", wire->channel, other->name, wire->name,
                     comes_from(notes, &other->line->counts, wire->board, wire->link)
                         ? "the two channels are swapped"
                         : "the channel is clipped to the wrong pin");
        return;
    }
    capture_note(notes, "channel %s shows the link %s of site %u, expected %s", wire->channel,
                 testbed_link_name(main_port(counts)), counts->site, wire->name);
}

static void look_at_mute_line(struct capture_notes *notes, const struct wire *wire)
{
    const struct line_counts *counts = &wire->line->counts;
    double expected = wire->line->nominal, bit = line_counts_bit(counts), rate = notes->traffic->wires.rate;
    if (counts->edges == 0)
        capture_note(notes, "channel %s (%s) never changes: is it clipped to the pin, and the board on?", wire->channel,
                     wire->name);
    else if (bit > 0 && fabs(bit / expected - 1) > 0.02)
        capture_note(
            notes,
            "channel %s (%s): no frames. Its bits look %.1f samples long, expected %.1f: the capture looks like %.3g "
            "MS/s, or the link like %.3g Mbit/s",
            wire->channel, wire->name, bit, expected, rate * bit / expected / 1e6, rate / bit / 1e6);
    else
        capture_note(notes, "channel %s (%s): %llu edges, but no frame of a board link", wire->channel, wire->name,
                     (unsigned long long)counts->edges);
}

/* A prediction is of the links that the testbed's types have: has the board others? */
static void look_at_links(struct capture_notes *notes, const struct wire *wire)
{
    const struct testbed_board *board = &notes->traffic->wires.testbed->boards[wire->board];
    enum line_links links = line_counts_links(&wire->line->counts),
                    expected = board->eager_links ? LINE_LINKS_EAGER : LINE_LINKS_SHARED;
    if (links != LINE_LINKS_UNKNOWN && links != expected)
        capture_note(notes,
                     "channel %s (%s): its links are %s, those of type %s are %s: another bitstream, or another type?",
                     wire->channel, wire->name, line_links_name(links), board->type, line_links_name(expected));
}

static void look_at_line(struct capture_notes *notes, const struct wire *wire)
{
    const struct line_counts *counts = &wire->line->counts;
    if (!wire->seen) {
        capture_note(notes, "the capture has no channel %s, which shows %s", wire->channel, wire->name);
        return;
    }
    notes->lines++;
    if (line_counts_good(counts) * 4 <= counts->frames) { /* noise fits a check byte now and then */
        notes->mute++;
        look_at_mute_line(notes, wire);
        return;
    }
    look_for_swaps(notes, wire);
    look_at_links(notes, wire);
    if (counts->damaged)
        capture_note(notes, "channel %s (%s): %llu of %llu frames are damaged", wire->channel, wire->name,
                     (unsigned long long)counts->damaged, (unsigned long long)counts->frames);
    if (counts->unchecked)
        capture_note(notes, "channel %s (%s): %llu words of packets whose beginning is missing or damaged are left out",
                     wire->channel, wire->name, (unsigned long long)counts->unchecked);
    if (counts->glitches)
        capture_note(notes, "channel %s (%s): %llu pulses are too short for a bit (glitches)", wire->channel,
                     wire->name, (unsigned long long)counts->glitches);
}

/* `count` of the strobe's events are such that they are left out. */
static void note_events(struct capture_notes *notes, const struct wire *wire, uint64_t count, const char *why)
{
    if (count)
        capture_note(notes, "channel %s (%s): %llu of %llu events %s, and are left out", wire->channel, wire->name,
                     (unsigned long long)count, (unsigned long long)wire->strobe->counts.events, why);
}

static void look_at_strobe(struct capture_notes *notes, const struct wire *wire)
{
    const struct strobe_counts *counts = &wire->strobe->counts;
    const char *obstacle = strobes_obstacle(&notes->traffic->wires, wire);
    if (!wire->seen) {
        capture_note(notes, "the capture has no channel %s, which shows %s", wire->channel, wire->name);
    } else if (counts->events == 0) {
        capture_note(notes, "channel %s (%s) never changes: is the strobe chosen (postroad probe)?", wire->channel,
                     wire->name);
    } else if (obstacle) {
        capture_note(notes, "channel %s (%s) is not matched: %s", wire->channel, wire->name, obstacle);
        return;
    }
    note_events(notes, wire, counts->ambiguous, "may each be of several packets");
    note_events(notes, wire, counts->strays, "are of no packet that was seen on a line");
    note_events(notes, wire, counts->unpaired, "do not follow just one head");
    if (counts->missing)
        capture_note(notes, "channel %s (%s): %llu packets that came to this board are not seen there", wire->channel,
                     wire->name, (unsigned long long)counts->missing);
    if (counts->disorder)
        capture_note(
            notes,
            "channel %s (%s): its heads and those at the next board do not take turns (%llu of %llu), so which belong "
            "together is not known: no figures of these",
            wire->channel, wire->name, (unsigned long long)counts->disorder, (unsigned long long)counts->events);
}

void capture_notes_of_wires(struct capture_notes *notes)
{
    const struct wires *wires = &notes->traffic->wires;
    const struct hops *hops = &notes->traffic->hops;
    for (unsigned i = 0; i < wires->count; i++)
        if (wires->wires[i].line)
            look_at_line(notes, &wires->wires[i]);
        else
            look_at_strobe(notes, &wires->wires[i]);
    if (hops->unmatched > hops->matched / 100 + 2)
        capture_note(notes, "%llu packets left a board and were not seen on a captured wire into it; %llu were",
                     (unsigned long long)hops->unmatched, (unsigned long long)hops->matched);
    for (unsigned i = 0; i < wires->pairs.count; i++)
        if (wires->pairs.pairs[i].readings.left_out) {
            capture_note(notes, "there are more than %d readings: the last ones are left out", READINGS_MAX);
            break;
        }
}

/* ---- What contradicts that all channels were recorded by one analyser, without a break. */

static void look_for_short_hops(struct capture_notes *notes)
{
    const struct wires *wires = &notes->traffic->wires;
    const struct short_hops *hops = &notes->traffic->hops.short_hops;
    if (hops->count == 0)
        return;
    notes->contradictory |= hops->count > 1 + notes->traffic->hops.matched / 100;
    capture_note(notes, "%llu packets left %s sooner behind %s than a frame takes, by %.3g us at least: %s",
                 (unsigned long long)hops->count, wires->wires[hops->to].name, wires->wires[hops->from].name,
                 hops->least / wires->rate * 1e6,
                 notes->contradictory ? "the channels are not of one recording" : "they are left out");
}

static void look_for_jumps(struct capture_notes *notes)
{
    const struct wires *wires = &notes->traffic->wires;
    const struct wire_jumps *jumps = &wires->pairs.jumps;
    if (jumps->count)
        capture_note(
            notes,
            "frames left their places %llu times, the first time at %.6g s, as they do where samples are lost, or a "
            "board was reset: %llu readings over such a place are left out",
            (unsigned long long)jumps->count, jumps->first / wires->rate, (unsigned long long)jumps->left_out);
}

/* Figures of the traffic assume readings that do not depend on each other. */
static void look_for_trend(struct capture_notes *notes, const struct wire_pair *pair)
{
    enum { READINGS_LEAST = 20 };
    static const double least_bits = 2, sure = 5;
    const struct wires *wires = &notes->traffic->wires;
    const struct wire_trend *trend = &pair->trend;
    double n = trend->count, spread = trend->time_squares - trend->time * trend->time / n,
           shared = trend->products - trend->time * trend->latency / n,
           whole = trend->latency_squares - trend->latency * trend->latency / n, slope = shared / spread,
           chance = sqrt(fmax(whole - slope * shared, 0) / (n - 2) / spread), span = sqrt(12 * spread / n);
    if (n < READINGS_LEAST || !(spread > 0) || fabs(slope) < sure * chance ||
        fabs(slope) * span < least_bits * wires_bit(wires, wires->wires[pair->from].board))
        return;
    capture_note(
        notes,
        "the latency from %s to %s changes by %+.3g ppm of the time, %+.3g us in all: the load changed, the boards' clocks "
        "pass each other slowly, or the channels are not of one recording",
        wires->wires[pair->from].name, wires->wires[pair->to].name, slope / ppm, slope * span / wires->rate * 1e6);
}

void capture_notes_of_contradictions(struct capture_notes *notes)
{
    const struct wires *wires = &notes->traffic->wires;
    if (wires->exact_guessed)
        capture_note(
            notes,
            "how exact its times are cannot be told, since the file does not say its rate: they are taken to be exact to "
            "%.3g ns, the shortest time between two edges",
            wires->exact / wires->rate * 1e9);
    look_for_short_hops(notes);
    look_for_jumps(notes);
    for (unsigned i = 0; i < wires->pairs.count; i++)
        if (wires->pairs.pairs[i].hops == 1 && !wires->pairs.pairs[i].end_to_end)
            look_for_trend(notes, &wires->pairs.pairs[i]);
}
