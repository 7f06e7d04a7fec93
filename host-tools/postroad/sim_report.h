/* Output of `postroad sim`: JSON, CSV, a table.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_POSTROAD_SIM_REPORT_H
#define POSTROAD_POSTROAD_SIM_REPORT_H

#include <stdio.h>

#include "postroad/sim_fields.h"

/* Prints one object on a line. 0, or -1 without memory. */
int sim_report_json(FILE *out, const struct sim_point *point);

/* Every point has the same heading. */
void sim_report_csv_heading(FILE *out, const struct sim_point *point);
void sim_report_csv(FILE *out, const struct sim_point *point);

/* The slices of time of a run that has them, as CSV, a line a slice. */
void sim_report_over_time(FILE *out, const struct sim_point *point);

/* Of several runs, a point a line. */
void sim_report_line_heading(FILE *out, const struct sim_point *point);
void sim_report_line(FILE *out, const struct sim_point *point);

/* Of one run, what there is to say. */
void sim_report_table(FILE *out, const struct sim_point *point);

#endif
