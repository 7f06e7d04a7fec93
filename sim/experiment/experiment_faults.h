/* What faults do to an experiment: sites that are reset, and operators that stop for good. Private to sim/experiment.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_EXPERIMENT_EXPERIMENT_FAULTS_H
#define POSTROAD_EXPERIMENT_EXPERIMENT_FAULTS_H

#include "experiment/injector.h"

/* The experiment follows its faults from now on. Called before the injector starts. False without memory. */
bool experiment_faults_start(struct experiment *experiment);

/* Between two stretches: takes note of operators that have stopped for good. */
void experiment_faults_look(struct experiment *experiment);

/* True if some site is in reset or stopped, but not for good: the mesh may be quiet because of that. */
bool experiment_faults_pause(const struct experiment *experiment);

/* In a run that has stalled: pauses that overlap without end are a stop for good. False if there are none. */
bool experiment_faults_end_pauses(struct experiment *experiment);

#endif
