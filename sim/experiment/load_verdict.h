/* Loads within the measurement, and what they say of the run: was the mesh saturated, was the run steady? The same for
 * all engines. sim/README.md ("Saturated, steady") has the rules. Private to sim/experiment.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_EXPERIMENT_LOAD_VERDICT_H
#define POSTROAD_EXPERIMENT_LOAD_VERDICT_H

#include "experiment/experiment_state.h"

/* Fills in the loads of the result, whose clocks and totals are there. */
void load_verdict(struct experiment *experiment);

#endif
