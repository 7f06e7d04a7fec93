/* See analysis.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "latency/analysis.h"

#include "latency/strobes.h"
#include "latency/wire_pairs.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double ppm = 1e-6;
static const double suspicious = 1.9; /* tolerances from the median of the other clocks: two can only just be */

static void *allocate(size_t count, size_t size)
{
    void *memory = calloc(count + 1, size);
    if (!memory)
        abort();
    return memory;
}

static void note(struct analysis *analysis, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void note(struct analysis *analysis, const char *format, ...)
{
    va_list arguments;
    if (analysis->note_count == NOTES_MAX)
        return;
    va_start(arguments, format);
    vsnprintf(analysis->notes[analysis->note_count++], NOTE_TEXT, format, arguments);
    va_end(arguments);
}

static uint64_t good_frames(const struct line_counts *counts)
{
    uint64_t sum = 0;
    for (unsigned port = 0; port < LINE_PORTS; port++)
        sum += counts->ports[port];
    return sum;
}

/* ---- Clocks. */

static bool offset_of(const struct line_decoder *line, struct uncertain *offset)
{
    if (line->rate.blocks < 1)
        return false;
    double bit = line->rate.value / line->rate.blocks, error = line->rate.error / line->rate.blocks;
    *offset = (struct uncertain){(line->nominal / bit - 1) / ppm, error / bit / ppm};
    return true;
}

/* Two lines of a board have one clock. If they seem to have two, each is of another analyser. */
static void compare_lines(struct analysis *analysis, const char *board, const struct uncertain *a,
                          const struct uncertain *b)
{
    static const double sure = 3, wander = 5; /* errors; ppm: an oscillator between parts of the capture */
    if (fabs(a->value - b->value) <= sure * (a->error + b->error) + wander)
        return;
    analysis->contradictory = true;
    note(analysis, "the lines of %s show clocks of %+.1f and %+.1f ppm: their channels are not of one recording", board,
         a->value, b->value);
}

/* The best of what the lines of a board say of its clock. */
static void measure_clock(struct analysis *analysis, unsigned board)
{
    const struct wires *wires = analysis->wires;
    const char *name = wires->testbed->boards[board].name;
    struct clock_row row = {.board = board, .offset.error = INFINITY};
    uint64_t frames = 0;
    for (unsigned i = 0; i < wires->count; i++) {
        const struct wire *wire = &wires->wires[i];
        struct uncertain offset;
        if (wire->strobe != TESTBED_LINE || wire->board != board)
            continue;
        frames += good_frames(&wire->decoder.counts);
        if (!offset_of(&wire->decoder, &offset))
            continue;
        if (isfinite(row.offset.error))
            compare_lines(analysis, name, &row.offset, &offset);
        row.jitter = fmax(row.jitter, wire->decoder.rate.jitter / wires->rate);
        if (offset.error < row.offset.error)
            row.offset = offset;
    }
    row.locked = fabs(row.offset.value) <= row.offset.error;
    if (isfinite(row.offset.error))
        analysis->clocks[analysis->clock_count++] = row;
    else if (frames)
        analysis->unmeasured[analysis->unmeasured_count++] = board;
    if (row.jitter > analysis->resolution)
        note(analysis,
             "%s: its edges are up to %.3g ns off a steady clock, more than a sample: its times are less exact", name,
             row.jitter * 1e9);
}

static int compare_numbers(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static double median_of_others(const struct analysis *analysis, size_t which)
{
    double others[TESTBED_BOARDS + 1] = {0}; /* the first is the analyser's clock */
    size_t count = 1;
    for (size_t i = 0; i < analysis->clock_count; i++)
        if (i != which)
            others[count++] = analysis->clocks[i].offset.value;
    qsort(others, count, sizeof *others, compare_numbers);
    return (others[(count - 1) / 2] + others[count / 2]) / 2;
}

/* A board's offset from true time is the analyser's plus what was measured between them. All of them are within the
 * tolerance, so each board narrows the bounds of the analyser's. */
static void bound_analyser(struct analysis *analysis)
{
    double low = -analysis->tolerance, high = analysis->tolerance, least = low, most = high;
    for (size_t i = 0; i < analysis->clock_count; i++) {
        struct uncertain offset = analysis->clocks[i].offset;
        double from = -analysis->tolerance - offset.value - offset.error;
        double to = analysis->tolerance - offset.value + offset.error;
        low = fmax(low, from);
        high = fmin(high, to);
        least = fmin(least, from);
        most = fmax(most, to);
    }
    analysis->slowest = low < high ? low : least;
    analysis->fastest = low < high ? high : most;
    if (low >= high)
        note(analysis,
             "the clocks cannot all be within %g ppm: the analyser's frequency is only bounded by %+.0f to %+.0f ppm",
             analysis->tolerance, least, most);
}

static void look_at_clocks(struct analysis *analysis)
{
    const struct testbed *testbed = analysis->wires->testbed;
    analysis->clocks = allocate(testbed->board_count, sizeof *analysis->clocks);
    analysis->unmeasured = allocate(testbed->board_count, sizeof *analysis->unmeasured);
    for (unsigned board = 0; board < testbed->board_count; board++)
        measure_clock(analysis, board);
    for (size_t i = 0; i < analysis->clock_count; i++) {
        struct clock_row *clock = &analysis->clocks[i];
        clock->from_others = clock->offset.value - median_of_others(analysis, i);
        if (fabs(clock->from_others) > suspicious * analysis->tolerance + clock->offset.error)
            note(analysis, "%s: its clock is %+.0f ppm from the %s, and clocks are expected within %g ppm",
                 testbed->boards[clock->board].name, clock->from_others,
                 analysis->clock_count > 1 ? "median of the others" : "analyser's", analysis->tolerance);
    }
    bound_analyser(analysis);
}

/* ---- Figures. Samples become seconds: a sample takes 1 / (rate (1 + offset)) of true time. */

struct figure analysis_in_seconds(const struct analysis *analysis, struct figure figure)
{
    double rate = analysis->wires->rate, middle = rate * (1 + (analysis->slowest + analysis->fastest) / 2 * ppm);
    double short_sample = 1 / (rate * (1 + analysis->fastest * ppm)),
           long_sample = 1 / (rate * (1 + analysis->slowest * ppm));
    return (struct figure){
        .value = figure.value / middle,
        .low = figure.low * (figure.low >= 0 ? short_sample : long_sample),
        .high = figure.high * (figure.high >= 0 ? long_sample : short_sample),
        .resolution = figure.resolution / middle,
    };
}

static void fill_row(const struct analysis *analysis, struct latency_row *row, const struct wire_pair *pair)
{
    struct figures *figures = &row->figures;
    row->pair = pair;
    readings_figures(&pair->readings, figures);
    struct figure *all[] = {&figures->min, &figures->median, &figures->p99, &figures->max, &figures->mean};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        *all[i] = analysis_in_seconds(analysis, *all[i]);
    figures->bar_from /= analysis->wires->rate;
    figures->bar_width /= analysis->wires->rate;
    row->resolution_limited = 2 * figures->median.resolution > figures->median.high - figures->median.low;
}

static int compare_rows(const void *left, const void *right)
{
    const struct wire_pair *a = ((const struct latency_row *)left)->pair,
                           *b = ((const struct latency_row *)right)->pair;
    if (a->hops != b->hops)
        return a->hops < b->hops ? -1 : 1;
    return a->from != b->from ? (a->from < b->from ? -1 : 1) : (a->to > b->to) - (a->to < b->to);
}

static void fill_rows(struct analysis *analysis)
{
    const struct wires *wires = analysis->wires;
    analysis->hops = allocate(wires->pair_count, sizeof *analysis->hops);
    analysis->ways = allocate(wires->pair_count, sizeof *analysis->ways);
    analysis->strobes = allocate(wires->pair_count, sizeof *analysis->strobes);
    for (unsigned i = 0; i < wires->pair_count; i++) {
        const struct wire_pair *pair = &wires->pairs[i];
        if (pair->readings.count == 0 || pair->refused)
            continue;
        if (pair->hops == 0)
            fill_row(analysis, &analysis->strobes[analysis->strobe_count++], pair);
        else if (pair->end_to_end)
            fill_row(analysis, &analysis->ways[analysis->way_count++], pair);
        else
            fill_row(analysis, &analysis->hops[analysis->hop_count++], pair);
    }
    qsort(analysis->hops, analysis->hop_count, sizeof *analysis->hops, compare_rows);
    qsort(analysis->ways, analysis->way_count, sizeof *analysis->ways, compare_rows);
    qsort(analysis->strobes, analysis->strobe_count, sizeof *analysis->strobes, compare_rows);
}

/* ---- Latency against hops, by least squares. */

/* Readings of all ways with the same number of hops. */
struct hop_sums {
    double count, sum, squares, errors;
};

static void sum_ways(const struct wires *wires, struct hop_sums sums[HOPS_MAX])
{
    for (unsigned i = 0; i < wires->pair_count; i++) {
        const struct wire_pair *pair = &wires->pairs[i];
        for (size_t k = 0; pair->end_to_end && k < pair->readings.count; k++) {
            sums[pair->hops].count++;
            sums[pair->hops].sum += pair->readings.values[k];
            sums[pair->hops].errors += (double)pair->readings.errors[k];
        }
    }
    for (unsigned i = 0; i < wires->pair_count; i++) {
        const struct wire_pair *pair = &wires->pairs[i];
        struct hop_sums *group = &sums[pair->hops];
        for (size_t k = 0; pair->end_to_end && k < pair->readings.count; k++)
            group->squares += pow(pair->readings.values[k] - group->sum / group->count, 2);
    }
}

/* A sum of the groups' means with weights: what each may be off by chance adds in squares, what the resolution leaves
 * open adds up. A group of one has no spread of its own: it gets that of the widest group. */
static struct figure weighted(const struct hop_sums sums[HOPS_MAX], const double weights[HOPS_MAX], size_t count)
{
    double value = 0, variance = 0, error = 0, widest = 0;
    for (unsigned h = 0; h < HOPS_MAX; h++)
        if (sums[h].count > 1)
            widest = fmax(widest, sums[h].squares / (sums[h].count - 1));
    for (unsigned h = 0; h < HOPS_MAX; h++) {
        if (sums[h].count < 1)
            continue;
        double spread = sums[h].count > 1 ? sums[h].squares / (sums[h].count - 1) : widest;
        value += weights[h] * sums[h].sum / sums[h].count;
        variance += weights[h] * weights[h] * spread / sums[h].count;
        error += fabs(weights[h]) * sums[h].errors / sums[h].count;
    }
    double by_chance = count > 2 ? readings_student((double)count - 2) * sqrt(variance) : INFINITY;
    return (struct figure){
        .value = value, .low = value - error - by_chance, .high = value + error + by_chance, .resolution = 2 * error};
}

static void fit_within_packets(struct analysis *analysis)
{
    struct figures figures;
    if (!analysis->fit.valid)
        return;
    readings_figures(&analysis->wires->later_hops, &figures);
    analysis->fit.slope = analysis_in_seconds(analysis, figures.mean);
    readings_figures(&analysis->wires->first_hops, &figures);
    analysis->fit.intercept = analysis_in_seconds(analysis, figures.mean);
}

static void fit_hops(struct analysis *analysis)
{
    struct hop_sums sums[HOPS_MAX] = {{0}};
    double slope[HOPS_MAX], intercept[HOPS_MAX], all = 0, hops = 0, squares = 0;
    struct latency_fit *fit = &analysis->fit;
    unsigned groups = 0;
    sum_ways(analysis->wires, sums);
    for (unsigned h = 0; h < HOPS_MAX; h++)
        if (sums[h].count > 0) {
            fit->least = groups++ ? fit->least : h;
            fit->most = h;
            all += sums[h].count;
            hops += sums[h].count * h;
        }
    fit->count = (size_t)all;
    fit->valid = groups > 1 || analysis->wires->later_hops.count > 0;
    if (groups < 2) {
        fit_within_packets(analysis);
        return;
    }
    for (unsigned h = 0; h < HOPS_MAX; h++)
        squares += sums[h].count * (h - hops / all) * (h - hops / all);
    for (unsigned h = 0; h < HOPS_MAX; h++) {
        slope[h] = sums[h].count * (h - hops / all) / squares;
        intercept[h] = sums[h].count / all - slope[h] * hops / all;
    }
    fit->slope = analysis_in_seconds(analysis, weighted(sums, slope, fit->count));
    fit->intercept = analysis_in_seconds(analysis, weighted(sums, intercept, fit->count));
}

/* ---- What contradicts that all channels were recorded by one analyser, without a break. */

static void look_for_short_hops(struct analysis *analysis)
{
    const struct wires *wires = analysis->wires;
    const struct short_hops *hops = &wires->short_hops;
    if (hops->count == 0)
        return;
    analysis->contradictory |= hops->count > 1 + wires->matched / 100;
    note(analysis, "%llu packets left %s sooner behind %s than a frame takes, by %.3g us at least: %s",
         (unsigned long long)hops->count, wires->wires[hops->to].name, wires->wires[hops->from].name,
         hops->least / wires->rate * 1e6,
         analysis->contradictory ? "the channels are not of one recording" : "they are left out");
}

static void look_for_jumps(struct analysis *analysis)
{
    const struct wires *wires = analysis->wires;
    if (wires->jump_count)
        note(analysis,
             "frames left their places %llu times, the first time at %.6g s, as they do where samples are lost, or a "
             "board was reset: %llu readings over such a place are left out",
             (unsigned long long)wires->jump_count, wires->first_jump / wires->rate, (unsigned long long)wires->jumped);
}

/* Figures of the traffic assume readings that do not depend on each other. */
static void look_for_trend(struct analysis *analysis, const struct wire_pair *pair)
{
    enum { READINGS_LEAST = 20 };
    static const double least_bits = 2, sure = 5;
    const struct wires *wires = analysis->wires;
    const struct wire_trend *trend = &pair->trend;
    double n = trend->count, spread = trend->time_squares - trend->time * trend->time / n,
           shared = trend->products - trend->time * trend->latency / n,
           whole = trend->latency_squares - trend->latency * trend->latency / n, slope = shared / spread,
           chance = sqrt(fmax(whole - slope * shared, 0) / (n - 2) / spread), span = sqrt(12 * spread / n);
    if (n < READINGS_LEAST || !(spread > 0) || fabs(slope) < sure * chance ||
        fabs(slope) * span < least_bits * wires_bit(wires, wires->wires[pair->from].board))
        return;
    note(
        analysis,
        "the latency from %s to %s changes by %+.3g ppm of the time, %+.3g us in all: the load changed, the boards' clocks "
        "pass each other slowly, or the channels are not of one recording",
        wires->wires[pair->from].name, wires->wires[pair->to].name, slope / ppm, slope * span / wires->rate * 1e6);
}

static void look_for_contradictions(struct analysis *analysis)
{
    const struct wires *wires = analysis->wires;
    if (wires->exact_guessed)
        note(
            analysis,
            "how exact its times are cannot be told, since the file does not say its rate: they are taken to be exact to "
            "%.3g ns, the shortest time between two edges",
            analysis->resolution * 1e9);
    look_for_short_hops(analysis);
    look_for_jumps(analysis);
    for (unsigned i = 0; i < wires->pair_count; i++)
        if (wires->pairs[i].hops == 1 && !wires->pairs[i].end_to_end)
            look_for_trend(analysis, &wires->pairs[i]);
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
static bool comes_from(const struct analysis *analysis, const struct line_counts *counts, unsigned board, unsigned link)
{
    const struct testbed_board *place = &analysis->wires->testbed->boards[board];
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
static void look_for_swaps(struct analysis *analysis, unsigned index)
{
    const struct wires *wires = analysis->wires;
    const struct wire *wire = &wires->wires[index];
    const struct line_counts *counts = &wire->decoder.counts;
    if (good_frames(counts) == 0 || comes_from(analysis, counts, wire->board, wire->link))
        return;
    analysis->misplaced++;
    for (unsigned i = 0; i < wires->count; i++) {
        const struct wire *other = &wires->wires[i];
        if (other->strobe != TESTBED_LINE || !comes_from(analysis, counts, other->board, other->link))
            continue;
        note(analysis, "channel %s shows %s, expected %s: %s", wire->channel, other->name, wire->name,
             comes_from(analysis, &other->decoder.counts, wire->board, wire->link)
                 ? "the two channels are swapped"
                 : "the channel is clipped to the wrong pin");
        return;
    }
    note(analysis, "channel %s shows the link %s of site %u, expected %s", wire->channel,
         testbed_link_name(main_port(counts)), counts->site, wire->name);
}

static void look_at_mute_line(struct analysis *analysis, const struct wire *wire)
{
    const struct line_counts *counts = &wire->decoder.counts;
    double expected = wire->decoder.nominal, bit = line_counts_bit(counts), rate = analysis->wires->rate;
    if (counts->edges == 0)
        note(analysis, "channel %s (%s) never changes: is it clipped to the pin, and the board on?", wire->channel,
             wire->name);
    else if (bit > 0 && fabs(bit / expected - 1) > 0.02)
        note(analysis,
             "channel %s (%s): no frames. Its bits look %.1f samples long, expected %.1f: the capture looks like %.3g "
             "MS/s, or the link like %.3g Mbit/s",
             wire->channel, wire->name, bit, expected, rate * bit / expected / 1e6, rate / bit / 1e6);
    else
        note(analysis, "channel %s (%s): %llu edges, but no frame of a board link", wire->channel, wire->name,
             (unsigned long long)counts->edges);
}

/* A prediction is of the links that the testbed's types have: has the board others? */
static void look_at_links(struct analysis *analysis, const struct wire *wire)
{
    const struct testbed_board *board = &analysis->wires->testbed->boards[wire->board];
    enum line_links links = line_counts_links(&wire->decoder.counts),
                    expected = board->eager_links ? LINE_LINKS_EAGER : LINE_LINKS_SHARED;
    if (links != LINE_LINKS_UNKNOWN && links != expected)
        note(analysis,
             "channel %s (%s): its links are %s, those of type %s are %s: another bitstream, or another type?",
             wire->channel, wire->name, line_links_name(links), board->type, line_links_name(expected));
}

static void look_at_line(struct analysis *analysis, unsigned index)
{
    const struct wire *wire = &analysis->wires->wires[index];
    const struct line_counts *counts = &wire->decoder.counts;
    if (!wire->seen) {
        note(analysis, "the capture has no channel %s, which shows %s", wire->channel, wire->name);
        return;
    }
    analysis->lines++;
    if (good_frames(counts) * 4 <= counts->frames) { /* noise fits a check byte now and then */
        analysis->mute++;
        look_at_mute_line(analysis, wire);
        return;
    }
    look_for_swaps(analysis, index);
    look_at_links(analysis, wire);
    if (counts->damaged)
        note(analysis, "channel %s (%s): %llu of %llu frames are damaged", wire->channel, wire->name,
             (unsigned long long)counts->damaged, (unsigned long long)counts->frames);
    if (counts->unchecked)
        note(analysis, "channel %s (%s): %llu words of packets whose beginning is missing or damaged are left out",
             wire->channel, wire->name, (unsigned long long)counts->unchecked);
    if (counts->glitches)
        note(analysis, "channel %s (%s): %llu pulses are too short for a bit (glitches)", wire->channel, wire->name,
             (unsigned long long)counts->glitches);
}

/* `count` of the strobe's events are such that they are left out. */
static void note_events(struct analysis *analysis, const struct wire *wire, uint64_t count, const char *why)
{
    if (count)
        note(analysis, "channel %s (%s): %llu of %llu events %s, and are left out", wire->channel, wire->name,
             (unsigned long long)count, (unsigned long long)wire->event_total, why);
}

static void look_at_strobe(struct analysis *analysis, unsigned index)
{
    const struct wire *wire = &analysis->wires->wires[index];
    const char *obstacle = strobes_obstacle(analysis->wires, index);
    if (!wire->seen) {
        note(analysis, "the capture has no channel %s, which shows %s", wire->channel, wire->name);
    } else if (wire->event_total == 0) {
        note(analysis, "channel %s (%s) never changes: is the strobe chosen (postroad probe)?", wire->channel,
             wire->name);
    } else if (obstacle) {
        note(analysis, "channel %s (%s) is not matched: %s", wire->channel, wire->name, obstacle);
        return;
    }
    note_events(analysis, wire, wire->ambiguous, "may each be of several packets");
    note_events(analysis, wire, wire->strays, "are of no packet that was seen on a line");
    note_events(analysis, wire, wire->unpaired, "do not follow just one head");
    if (wire->missing)
        note(analysis, "channel %s (%s): %llu packets that came to this board are not seen there", wire->channel,
             wire->name, (unsigned long long)wire->missing);
    if (wire->disorder)
        note(analysis,
             "channel %s (%s): its heads and those at the next board do not take turns (%llu of %llu), so which belong "
             "together is not known: no figures of these",
             wire->channel, wire->name, (unsigned long long)wire->disorder, (unsigned long long)wire->event_total);
}

static void look_at_wires(struct analysis *analysis)
{
    const struct wires *wires = analysis->wires;
    for (unsigned i = 0; i < wires->count; i++)
        if (wires->wires[i].strobe == TESTBED_LINE)
            look_at_line(analysis, i);
        else
            look_at_strobe(analysis, i);
    if (wires->unmatched > wires->matched / 100 + 2)
        note(analysis, "%llu packets left a board and were not seen on a captured wire into it; %llu were",
             (unsigned long long)wires->unmatched, (unsigned long long)wires->matched);
    for (unsigned i = 0; i < wires->pair_count; i++)
        if (wires->pairs[i].readings.left_out) {
            note(analysis, "there are more than %d readings: the last ones are left out", READINGS_MAX);
            break;
        }
}

void analyse(struct analysis *analysis, const struct wires *wires, double tolerance)
{
    *analysis = (struct analysis){.wires = wires, .tolerance = tolerance};
    analysis->notes = allocate(NOTES_MAX, sizeof *analysis->notes);
    analysis->resolution = wires->exact / wires->rate;
    analysis->seconds = (double)wires->last / wires->rate;
    look_at_wires(analysis);
    look_at_clocks(analysis);
    look_for_contradictions(analysis);
    if (analysis->contradictory)
        return;
    fill_rows(analysis);
    fit_hops(analysis);
}

void analysis_free(struct analysis *analysis)
{
    free(analysis->hops);
    free(analysis->ways);
    free(analysis->strobes);
    free(analysis->clocks);
    free(analysis->unmeasured);
    free(analysis->notes);
    *analysis = (struct analysis){0};
}
