/* Captures of lines between boards whose true times are known: board clocks, the analyser's clock, sampling and
 * threshold jitter are modelled here, and frames are encoded from hw/board_link/README.md, apart from the code under
 * test.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TESTS_LATENCY_LINE_CAPTURE_H
#define POSTROAD_TESTS_LATENCY_LINE_CAPTURE_H

#include "support/random.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LINE_CAPTURE_LINES = 16, LINE_CAPTURE_DATA = 8 };

struct true_clock {
    double bit_rate, ppm,
        phase; /* nominal bits a second; bit k begins at phase + k / (bit_rate (1 + ppm 1e-6)) seconds */
};

struct analyser_model {
    double rate, ppm, jitter; /* samples a second; seconds, standard deviation */
};

struct made_edge {
    uint64_t sample;
    unsigned line;
    bool level;
};

struct made_line {
    struct true_clock clock;
    unsigned site, port;
    uint64_t next; /* the first bit that is free */
    double shift;  /* bits by which the frame is late: links that say that they are eager begin one at any clock */
    bool pin;      /* of a strobe: changes its level at events, and has no frames */
    uint16_t crc;
    size_t change_count, change_room;
    double *changes; /* true times; the line is 0 before the first */
};

struct line_capture {
    struct random random;
    unsigned line_count;
    struct made_line lines[LINE_CAPTURE_LINES];
    size_t edge_count;
    struct made_edge *edges;
    uint64_t samples;
};

struct made_packet {
    unsigned target, source, sequence, data_words; /* data_words: 3 at least */
    bool aborted;
    bool multicast;
    bool dead; /* nothing but a head that went straight on by mistake (hw/board_link/eager.md) */
};

void line_capture_begin(struct line_capture *capture, uint64_t seed);
void line_capture_free(struct line_capture *capture);

/* Adds a line; returns its number. */
unsigned line_capture_add(struct line_capture *capture, struct true_clock clock, unsigned site, unsigned port);

/* Sends a packet that begins at the line's first bit not before this time, behind the packet before. Returns when its
 * start bit begins. Status frames fill the time up to then. */
double line_capture_send(struct line_capture *capture, unsigned line, double earliest,
                         const struct made_packet *packet);

/* Adds a probe pin; returns its number among the lines. Then an event of it; times never go back. */
unsigned line_capture_add_pin(struct line_capture *capture);
void line_capture_event(struct line_capture *capture, unsigned pin, double when);

/* Status frames up to this time, then sampling: the edges, in order of sample, then of line. */
void line_capture_sample(struct line_capture *capture, const struct analyser_model *analyser, double end);

#endif
