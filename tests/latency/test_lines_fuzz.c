/* The decoder and the analysis on garbage: made captures whose edges are moved, lost, doubled, swapped between lines or
 * replaced by noise, with the sanitizers. Whatever comes in, the figures are numbers in order, and nothing is read
 * twice.
 *
 * Environment: SEED, FUZZ_RUNS (default 300).
 *
 * SPDX-License-Identifier: ISC
 */
#include "check.h"
#include "made_testbed.h"

#include <math.h>
#include <string.h>

enum { LINES = 3, PACKETS = 12, NOISE_EDGES = 2000 };

static void make(struct line_capture *capture, uint64_t *state)
{
    double end = 0, ppm = 1e4 * (check_below(state, 3) == 0);
    line_capture_begin(capture, check_random(state));
    for (unsigned i = 0; i < LINES; i++)
        line_capture_add(capture, (struct true_clock){3e6, ppm, i * 1e-7}, i, 0);
    for (unsigned k = 0; k < PACKETS; k++) {
        struct made_packet packet = {.sequence = check_below(state, 4), .data_words = 3 + check_below(state, 3)};
        packet.aborted = check_below(state, 8) == 0;
        for (unsigned i = 0; i < LINES; i++)
            end = line_capture_send(capture, i, end + check_below(state, 100) * 1e-6, &packet);
    }
    struct analyser_model analyser = {24e6, check_below(state, 200), check_below(state, 2) * 20e-9};
    line_capture_sample(capture, &analyser, end + 1e-4);
}

static int compare(const void *left, const void *right)
{
    const struct made_edge *a = left, *b = right;
    return (a->sample > b->sample) - (a->sample < b->sample);
}

static void spoil(struct line_capture *capture, uint64_t *state)
{
    for (unsigned edits = check_below(state, 60); edits > 0 && capture->edge_count > 1; edits--) {
        struct made_edge *edge = &capture->edges[check_below(state, (unsigned)capture->edge_count)];
        switch (check_below(state, 6)) {
        case 0:
            edge->sample += check_below(state, 40);
            break;
        case 1:
            edge->line = check_below(state, LINES);
            break;
        case 2:
            edge->level = !edge->level;
            break;
        case 3:
            *edge = capture->edges[--capture->edge_count];
            break;
        case 4:
            edge->sample = capture->samples + (uint64_t)check_random(state) * check_random(state);
            break;
        default:
            edge->sample = check_below(state, (unsigned)capture->samples);
            break;
        }
    }
    qsort(capture->edges, capture->edge_count, sizeof *capture->edges, compare);
    if (capture->edge_count && capture->samples < capture->edges[capture->edge_count - 1].sample)
        capture->samples = capture->edges[capture->edge_count - 1].sample;
}

static void make_noise(struct line_capture *capture, uint64_t *state)
{
    uint64_t sample = 0;
    for (capture->edge_count = 0; capture->edge_count < NOISE_EDGES; capture->edge_count++) {
        sample += check_below(state, 1 + check_below(state, 64));
        capture->edges[capture->edge_count] = (struct made_edge){sample, check_below(state, LINES),
                                                                 check_below(state, 2)};
    }
    capture->samples = sample;
}

static bool sound(const struct figure *figure)
{
    return isfinite(figure->value) && figure->low <= figure->high && figure->resolution >= 0;
}

static void check_rows(const struct latency_row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct figures *figures = &rows[i].figures;
        size_t sum = 0;
        for (unsigned k = 0; k < figures->bar_count; k++)
            sum += figures->bars[k];
        check(sum == figures->count && figures->count > 0, "all readings are in the histogram");
        check(sound(&figures->min) && sound(&figures->median) && sound(&figures->p99) && sound(&figures->max) &&
                  sound(&figures->mean),
              "figures are numbers in order");
        check(figures->min.value <= figures->median.value && figures->median.value <= figures->p99.value &&
                  figures->p99.value <= figures->max.value && figures->min.value > 0,
              "quantiles are in order, and nothing arrives before it was sent");
    }
}

int main(void)
{
    const char *text = getenv("FUZZ_RUNS");
    long runs = text ? atol(text) : 300;
    uint64_t state = check_seed();
    size_t readings = 0;
    for (long run = 0; run < runs; run++) {
        struct made_testbed made;
        struct line_capture capture;
        struct wire_traffic traffic;
        struct analysis analysis;
        make_testbed(&made, LINES + 1, LINES);
        make(&capture, &state);
        if (check_below(&state, 10))
            spoil(&capture, &state);
        else
            make_noise(&capture, &state);
        replay(&capture, &made.testbed, 24e6, 100, &traffic, &analysis);
        check_rows(analysis.hops, analysis.hop_count);
        check_rows(analysis.ways, analysis.way_count);
        check(isfinite(analysis.slowest) && analysis.slowest <= analysis.fastest, "the analyser's clock has bounds");
        for (size_t i = 0; i < analysis.hop_count; i++)
            readings += analysis.hops[i].figures.count;
        analysis_free(&analysis);
        wire_traffic_free(&traffic);
        line_capture_free(&capture);
    }
    check(readings > 0, "some packets survive");
    printf("%ld runs, %zu readings\n", runs, readings);
    return verdict("lines_fuzz");
}
