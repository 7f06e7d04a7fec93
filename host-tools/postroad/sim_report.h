/* Output of `postroad sim`: JSON, CSV, a table.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_POSTROAD_SIM_REPORT_H
#define POSTROAD_POSTROAD_SIM_REPORT_H

#include <stdio.h>

#include "cli/options.h"
#include "experiment/experiment.h"

/* One point: its options and its result. */
struct sim_point {
    const struct mesh_config *mesh;
    const struct experiment_options *options;
    const struct experiment_result *result;
    const char *nodes; /* what runs the firmware, as users write it */
};

/* The keys of the object, for the reference: sim_report_rows.def. */
extern const struct json_key sim_report_keys[];

/* Prints one object on a line. 0, or -1 without memory. */
int sim_report_json(FILE *out, const struct sim_point *point);

/* Where `link_use` has the most words. */
int sim_report_busiest_link(const struct sim_point *point);

/* Every point has the same heading. */
void sim_report_csv_heading(FILE *out, const struct sim_point *point);
void sim_report_csv(FILE *out, const struct sim_point *point);
void sim_report_table(FILE *out, const struct sim_point *point);

#endif
