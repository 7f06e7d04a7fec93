/* The report of an analysis: text, JSON, pictures. `other` is an earlier run to compare with, or NULL.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_LATENCY_LATENCY_REPORT_H
#define POSTROAD_LATENCY_LATENCY_REPORT_H

#include "latency/comparison.h"

struct latency_report {
    const char *capture; /* the file's name */
    const struct analysis *analysis;
    const struct cJSON *other;
};

/* The lists of a report, for text and pictures alike. */
struct latency_list {
    const char *title, *key; /* of the text, and in JSON */
    const struct latency_row *rows;
    size_t count;
};

enum { LATENCY_LISTS = 3, LATENCY_TEXT = 160 };

void latency_lists(const struct analysis *analysis, struct latency_list lists[LATENCY_LISTS]);

/* "left.east -> right.north". */
void latency_row_name(const struct wires *wires, const struct latency_row *row, char text[LATENCY_TEXT]);

/* "27.45 us +0.04 -0.06"; an open end is "open". Returns text. */
const char *latency_figure_text(const struct figure *figure, char text[LATENCY_TEXT]);

/* "+0.12 us, inside" of a compared figure, "" if there is none. */
const char *latency_compared_text(const struct compared *compared, char text[LATENCY_TEXT]);

/* {"value_ns", "low_ns", "high_ns"}; an open end is null. */
void latency_add_figure(struct cJSON *object, const char *name, const struct figure *figure);

/* To stdout. width 0: as wide as it gets. */
void latency_print_text(const struct latency_report *report, int width);
void latency_print_json(const struct latency_report *report);

/* 0, or -1 with a reason: the file appears whole or not at all. */
int latency_write_svg(const struct latency_report *report, const char *path, char *error, size_t error_size);
int latency_write_page(const struct latency_report *report, const char *path, char *error, size_t error_size);

#endif
