/* What is true of every run that ended well, whatever the discipline, the simulator and the kinds of site.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TESTS_CONFORMANCE_INVARIANTS_H
#define POSTROAD_TESTS_CONFORMANCE_INVARIANTS_H

#include "experiment/experiment.h"

/* Scoreboard and counters agree; a discipline counts only what its row has. Failures are counted (check.h). */
void invariants_check(const struct mesh_config *mesh, const struct experiment_options *options,
                      const struct experiment_result *result);

#endif
