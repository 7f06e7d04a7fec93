/* Runs, several at a time, each in a process of its own from its own seed, so that its result does not depend on what
 * runs beside it.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_POSTROAD_SIM_WORKERS_H
#define POSTROAD_POSTROAD_SIM_WORKERS_H

#include "postroad/sim_plan.h"

struct sim_workers;

/* Begins the first runs, so many at a time. `every_progress`: reports without an event are passed on as well. NULL
 * without memory. The runs must live as long as the workers. */
struct sim_workers *sim_workers_start(const struct sim_run *runs, int count, int jobs, bool every_progress);

/* Waits for the result of a run; the runs must be asked for in their order, from 0 on. `report` gets what that run
 * reports. The result is always filled in, and freed by the caller, as that of experiment_run. */
void sim_workers_result(struct sim_workers *workers, int run, experiment_report *report, void *context,
                        struct experiment_result *result);

/* The runs before this one, of those that have not been asked for, are not needed. */
void sim_workers_skip(struct sim_workers *workers, int to);

/* Ends the runs that have not been asked for. */
void sim_workers_end(struct sim_workers *workers);

#endif
