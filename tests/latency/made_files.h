/* Captures as files of other programs: each written by the rules of that program, apart from the readers under test and
 * from the project's own writers.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TESTS_LATENCY_MADE_FILES_H
#define POSTROAD_TESTS_LATENCY_MADE_FILES_H

#include "line_capture.h"

enum made_form {
    FORM_SR,             /* sigrok's session */
    FORM_SIGROK,         /* sigrok-cli -O csv */
    FORM_SIGROK_5,       /* with time, libsigrok 0.5: whole periods are added up */
    FORM_SIGROK_5_DEDUP, /* without rows that are as the one before */
    FORM_SIGROK_6,       /* with time, libsigrok 0.6: sample / rate, cut off */
    FORM_VCD_RATE,       /* with sigrok's comment */
    FORM_VCD,
    FORM_SALEAE, /* Logic 2: nine decimals */
    FORM_DSVIEW,
    FORM_LITESCOPE
};

/* Levels of the lines: each edge is a change, in order of sample. */
struct made_file {
    enum made_form form;
    const struct made_edge *edges;
    size_t edge_count;
    unsigned lines;                 /* named D0, D1, ... */
    bool first[LINE_CAPTURE_LINES]; /* levels before the first edge */
    uint64_t samples;
    double rate;  /* as the file says: a whole number of Hz */
    double unit;  /* VCD: seconds */
    double start; /* seconds: the time of sample 0, where the form has times that begin anywhere */
};

void write_file(const char *path, const struct made_file *made);

#endif
