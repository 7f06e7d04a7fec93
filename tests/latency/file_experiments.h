/* Random experiments on capture files: packets pass three lines, an analyser samples these, something distorts what it
 * has recorded, and a file of one of several kinds is written and read. The true latencies are known.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TESTS_LATENCY_FILE_EXPERIMENTS_H
#define POSTROAD_TESTS_LATENCY_FILE_EXPERIMENTS_H

#include <stdbool.h>
#include <stdint.h>

enum { FILE_FIGURES = 5 }; /* min, median, p99, max, mean */

/* What came out of the experiments of a row. */
struct file_tally {
    unsigned experiments;
    unsigned refused;               /* no figures, and a reason */
    unsigned noted;                 /* figures, with the note that the row expects */
    unsigned figures[FILE_FIGURES]; /* printed for a hop or a way */
    unsigned inside[FILE_FIGURES];  /* of them: contain the truth; or say with a note that they may not */
    double packets;                 /* of those sent, that the figures are of: a sum of shares */
    double width;                   /* of max on the first hop, nanoseconds: a sum over the first experiments */
};

enum { FILE_EXPERIMENTS_FIRST = 4 }; /* experiments whose widths are summed */

unsigned file_rows(void);
const char *file_row_name(unsigned row);

/* Is the row of a distortion with which no figures are to be had? */
bool file_row_refused(unsigned row);

void file_experiment(unsigned row, uint64_t seed, struct file_tally *tally);

#endif
