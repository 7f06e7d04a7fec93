/* A row of boards a, b, c ... whose links `east` lead to the next one, and captures of them through the analysis.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TESTS_LATENCY_MADE_TESTBED_H
#define POSTROAD_TESTS_LATENCY_MADE_TESTBED_H

#include "latency/analysis.h"
#include "line_capture.h"

enum { MADE_BOARDS = 8 };

struct made_testbed {
    struct testbed testbed; /* channels D0, D1, ...: a.east, b.east, ... */
    struct testbed_board boards[MADE_BOARDS];
    struct testbed_cable cables[MADE_BOARDS];
};

/* Sites are numbered as boards; links of 12 MHz, which is 3 Mbit/s. channels: fewer than boards. */
void make_testbed(struct made_testbed *made, unsigned boards, unsigned channels);

/* Line i of the capture is channel i. The caller frees `traffic` and `analysis`. */
void replay(const struct line_capture *capture, const struct testbed *testbed, double rate, double tolerance,
            struct wire_traffic *traffic, struct analysis *analysis);

/* Has the analysis a note with this text? expect_note: it counts as a failure if not (check.h). */
bool says(const struct analysis *analysis, const char *text);
void expect_note(const struct analysis *analysis, const char *text);

#endif
