/* Writes a capture of made lines a.east, b.east, c.east (line_capture.h), sampled by the virtual analyser, and prints
 * the true mean latencies in nanoseconds: from a to b, from b to c, from a to c.
 *
 * usage: make_capture FILE RATE PPM JITTER_PS BIT_RATE PACKETS CHANNELS
 *   FILE      .sr or .vcd
 *   CHANNELS  names, of as many lines: D0,D1,D2
 *
 * SPDX-License-Identifier: ISC
 */
#include "analyser/virtual_analyser.h"
#include "check.h"
#include "latency/line_capture.h"

#include <string.h>

enum { LINES = 3, SEED = 11 };

static const double femto = 1e-15, gap = 150e-6, hop_bits = 50;

struct truth {
    double first, second, both;
};

static struct truth make_lines(struct line_capture *capture, double bit_rate, unsigned packets, double *end)
{
    static const double ppm[LINES] = {12, -25, 40};
    struct truth sum = {0, 0, 0};
    line_capture_begin(capture, SEED);
    for (unsigned i = 0; i < LINES; i++)
        line_capture_add(capture, (struct true_clock){bit_rate, ppm[i], (i + 1) * 1.1e-7}, i, 0);
    for (unsigned k = 0; k < packets; k++) {
        struct made_packet packet = {.target = 3, .source = 0, .sequence = k, .data_words = 4};
        double start = *end + gap * (1 + random_unit(&capture->random)), sent[LINES];
        for (unsigned i = 0; i < LINES; i++)
            sent[i] = line_capture_send(
                capture, i, i ? sent[i - 1] + (hop_bits + 20 * random_unit(&capture->random)) / bit_rate : start,
                &packet);
        sum.first += sent[1] - sent[0];
        sum.second += sent[2] - sent[1];
        sum.both += sent[2] - sent[0];
        *end = sent[2];
    }
    return (struct truth){sum.first / packets, sum.second / packets, sum.both / packets};
}

/* The line with the earliest change that is left; LINES: none. */
static unsigned next_line(const struct line_capture *capture, const size_t done[LINES], unsigned lines)
{
    unsigned best = LINES;
    for (unsigned i = 0; i < lines; i++)
        if (done[i] < capture->lines[i].change_count &&
            (best == LINES || capture->lines[i].changes[done[i]] < capture->lines[best].changes[done[best]]))
            best = i;
    return best;
}

static void write_capture(const char *path, const struct analyser_settings *settings,
                          const struct line_capture *capture, double end)
{
    char error[300] = "";
    size_t done[LINES] = {0};
    struct virtual_analyser *analyser = analyser_create(path, settings, error, sizeof error);
    if (!analyser) {
        fprintf(stderr, "make_capture: %s\n", error);
        exit(1);
    }
    for (unsigned i; (i = next_line(capture, done, settings->channels)) < LINES; done[i]++)
        analyser_change(analyser, (uint64_t)(capture->lines[i].changes[done[i]] / femto), i, done[i] % 2 == 0);
    CHECK(analyser_close(analyser, (uint64_t)((end + 1e-3) / femto), error, sizeof error) == 0);
}

int main(int argc, char **argv)
{
    static struct line_capture capture;
    const char *names[LINES];
    double end = 0;
    unsigned channels = 0;
    CHECK(argc == 8);
    for (char *name = strtok(argv[7], ","); name && channels < LINES; name = strtok(NULL, ","))
        names[channels++] = name;
    struct truth truth = make_lines(&capture, atof(argv[5]), (unsigned)atoi(argv[6]), &end);
    struct analyser_model model = {atof(argv[2]), 0, 0};
    line_capture_sample(&capture, &model, end + 5e-4); /* the status frames at the end */
    struct analyser_settings settings = {.rate_hz = model.rate,
                                         .ppm = atof(argv[3]),
                                         .jitter_ps = atof(argv[4]),
                                         .seed = SEED,
                                         .channels = channels,
                                         .names = names};
    write_capture(argv[1], &settings, &capture, end);
    printf("%.2f %.2f %.2f\n", truth.first * 1e9, truth.second * 1e9, truth.both * 1e9);
    line_capture_free(&capture);
    return 0;
}
