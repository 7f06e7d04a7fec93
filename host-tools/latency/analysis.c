/* See analysis.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "latency/analysis.h"
#include "support/or_abort.h"

#include <math.h>
#include <stdlib.h>

static const double ppm = 1e-6;
static const double suspicious = 1.9; /* tolerances from the median of the other clocks: two can only just be */

static void *allocate(size_t count, size_t size)
{
    return or_abort(calloc(count + 1, size));
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
    analysis->notes.contradictory = true;
    capture_note(&analysis->notes,
                 "the lines of %s show clocks of %+.1f and %+.1f ppm: their channels are not of one recording", board,
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
        if (!wire->line || wire->board != board)
            continue;
        frames += line_counts_good(&wire->line->counts);
        if (!offset_of(wire->line, &offset))
            continue;
        if (isfinite(row.offset.error))
            compare_lines(analysis, name, &row.offset, &offset);
        row.jitter = fmax(row.jitter, wire->line->rate.jitter / wires->rate);
        if (offset.error < row.offset.error)
            row.offset = offset;
    }
    row.locked = fabs(row.offset.value) <= row.offset.error;
    if (isfinite(row.offset.error))
        analysis->clocks[analysis->clock_count++] = row;
    else if (frames)
        analysis->unmeasured[analysis->unmeasured_count++] = board;
    if (row.jitter > analysis->resolution)
        capture_note(&analysis->notes,
                     "%s: its edges are up to %.3g ns off a steady clock, more than a sample: its times are less exact",
                     name, row.jitter * 1e9);
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
        capture_note(
            &analysis->notes,
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
            capture_note(&analysis->notes,
                         "%s: its clock is %+.0f ppm from the %s, and clocks are expected within %g ppm",
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
    const struct wire_pairs *pairs = &analysis->wires->pairs;
    analysis->hops = allocate(pairs->count, sizeof *analysis->hops);
    analysis->ways = allocate(pairs->count, sizeof *analysis->ways);
    analysis->strobes = allocate(pairs->count, sizeof *analysis->strobes);
    for (unsigned i = 0; i < pairs->count; i++) {
        const struct wire_pair *pair = &pairs->pairs[i];
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

static void sum_ways(const struct wire_pairs *pairs, struct hop_sums sums[HOPS_MAX])
{
    for (unsigned i = 0; i < pairs->count; i++) {
        const struct wire_pair *pair = &pairs->pairs[i];
        for (size_t k = 0; pair->end_to_end && k < pair->readings.count; k++) {
            sums[pair->hops].count++;
            sums[pair->hops].sum += pair->readings.values[k];
            sums[pair->hops].errors += (double)pair->readings.errors[k];
        }
    }
    for (unsigned i = 0; i < pairs->count; i++) {
        const struct wire_pair *pair = &pairs->pairs[i];
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
    readings_figures(&analysis->traffic->hops.later_hops, &figures);
    analysis->fit.slope = analysis_in_seconds(analysis, figures.mean);
    readings_figures(&analysis->traffic->hops.first_hops, &figures);
    analysis->fit.intercept = analysis_in_seconds(analysis, figures.mean);
}

static void fit_hops(struct analysis *analysis)
{
    struct hop_sums sums[HOPS_MAX] = {{0}};
    double slope[HOPS_MAX], intercept[HOPS_MAX], all = 0, hops = 0, squares = 0;
    struct latency_fit *fit = &analysis->fit;
    unsigned groups = 0;
    sum_ways(&analysis->wires->pairs, sums);
    for (unsigned h = 0; h < HOPS_MAX; h++)
        if (sums[h].count > 0) {
            fit->least = groups++ ? fit->least : h;
            fit->most = h;
            all += sums[h].count;
            hops += sums[h].count * h;
        }
    fit->count = (size_t)all;
    fit->valid = groups > 1 || analysis->traffic->hops.later_hops.count > 0;
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

void analyse(struct analysis *analysis, const struct wire_traffic *traffic, double tolerance)
{
    const struct wires *wires = &traffic->wires;
    *analysis = (struct analysis){.traffic = traffic, .wires = wires, .tolerance = tolerance, .notes.traffic = traffic};
    analysis->resolution = wires->exact / wires->rate;
    analysis->seconds = (double)traffic->last / wires->rate;
    capture_notes_of_wires(&analysis->notes);
    look_at_clocks(analysis);
    capture_notes_of_contradictions(&analysis->notes);
    if (analysis->notes.contradictory)
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
    *analysis = (struct analysis){0};
}
