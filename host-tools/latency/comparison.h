/* What an earlier run says of the same rows: the JSON that `postroad latency --json` printed of a capture of the
 * simulation.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_LATENCY_COMPARISON_H
#define POSTROAD_LATENCY_COMPARISON_H

#include "latency/analysis.h"

struct cJSON;

/* A figure of both runs. */
struct compared {
    bool there;
    double difference; /* seconds: this run less the other one */
    bool inside;       /* the intervals overlap: the difference may be uncertainty alone */
};

struct compared_row {
    struct compared median, mean;
};

/* NULL with "FILE: reason". The caller frees it with cJSON_Delete. */
struct cJSON *comparison_read(const char *path, char *error, size_t error_size);

/* A line that has another kind of links in the other run, as an index of wires; -1: there is none. Figures of such runs
 * say nothing about each other. */
int comparison_other_links(const struct cJSON *other, const struct wires *wires);

/* other NULL: nothing is compared. list: "hops", "ends" or "strobes". */
struct compared_row compare_row(const struct cJSON *other, const char *list, const struct wires *wires,
                                const struct latency_row *row);
struct compared compare_slope(const struct cJSON *other, const struct figure *slope);

#endif
