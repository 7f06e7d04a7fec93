/* Pictures of `postroad sim`, drawn by gnuplot as SVG, and as PDF.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_POSTROAD_SIM_PLOT_H
#define POSTROAD_POSTROAD_SIM_PLOT_H

#include <stddef.h>

#include "postroad/sim_plan.h"

/* A mean, and half the width of its interval; 0: it has none. */
struct plot_figure {
    double mean, half;
};

/* One point of the curve of latency against load. */
struct plot_sample {
    int number; /* of its case in the plan */
    double load, accepted;
    bool measured, diverges;
    struct plot_figure median, mean, p99; /* clocks, where measured */
    struct load_bounds bounds;            /* none: not of a simulation */
};

struct plot_curve {
    const char *title;
    const struct plot_sample *samples;
    int count;
    bool intervals;
};

/* As sim_options_pictures, of `postroad compare`. */
extern const char *const sim_plot_curves_endings[];

/* Returns 0 if gnuplot can be run, else -1 with a reason. */
int sim_plot_check(char *error, size_t error_size);

/* How the files of a picture begin, and whether there are a PDF and the script for gnuplot beside the SVG. */
struct plot_files {
    const char *prefix;
    bool all;
};

/* Each function writes one picture, PREFIX with an ending, whole or not at all; it writes none if nothing was
 * delivered. 0, or -1 with a reason. sim_plot_latency sorts the samples by case and load. */
int sim_plot_latency(struct plot_files files, const struct sim_plan *plan, struct plot_sample *samples, int count,
                     char *error, size_t error_size);

/* Several curves of one figure (`mean` of the samples) against load, under a title of two lines. PREFIX-compare.svg. */
int sim_plot_curves(struct plot_files files, const char *const title[2], const char *figure,
                    const struct plot_curve *curves, int count, char *error, size_t error_size);
int sim_plot_histogram(struct plot_files files, const struct sim_point *point, char *error, size_t error_size);
int sim_plot_time(struct plot_files files, const struct sim_point *point, char *error, size_t error_size);
int sim_plot_links(struct plot_files files, const struct sim_point *point, char *error, size_t error_size);

#endif
