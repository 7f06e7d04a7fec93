/* The points of a sweep, several at a time, each in a process of its own. Every point is a run of its own from its own
 * seed, so its result does not depend on what runs beside it.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_POSTROAD_SIM_WORKERS_H
#define POSTROAD_POSTROAD_SIM_WORKERS_H

#include "postroad/sim_options.h"

struct sim_workers;

/* Begins the first points, so many at a time. `every_progress`: reports without an event are passed on as well. NULL
 * without memory. Mesh and options must live as long as the workers. */
struct sim_workers *sim_workers_start(const struct mesh_config *mesh, const struct sim_options *options, int jobs,
                                      bool every_progress);

/* Waits for the result of a point; the points must be asked for in their order, from 0 on. `report` gets what that run
 * reports. The result is always filled in, and freed by the caller, as that of experiment_run. */
void sim_workers_result(struct sim_workers *workers, int point, experiment_report *report, void *context,
                        struct experiment_result *result);

/* Ends the points that have not been asked for. */
void sim_workers_end(struct sim_workers *workers);

#endif
