/* One run of `postroad sim`'s options on a mesh, in this process, and what is right of it.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_TESTS_CONFORMANCE_OUTCOME_H
#define POSTROAD_TESTS_CONFORMANCE_OUTCOME_H

#include <cjson/cJSON.h>

#include "experiment/experiment.h"
#include "mesh/mesh.h"

/* What became of a run; all that others are compared with. */
struct outcome {
    char name[120];
    bool valid;
    uint64_t packets, expected, deliveries, words;
    cJSON *keys; /* the object that `postroad sim --json` prints */
};

/* Runs `packets` packets (0: as many as the options say) and fills the outcome; the verdict that all runs share is in
 * `must`, which begins with the end that the run must have:
 *   (nothing)   complete: each packet once at each target, nothing given up
 *   accounted   complete, or partial: every target of an accepted packet has one fate
 *   partial     accounted, and something was not delivered
 *   wrong       the run must notice that something is lost or changed
 * Then come comparisons, all of which must hold: KEY=NUMBER, KEY>NUMBER, KEY<NUMBER, where KEY is one of those of
 * --json, or GROUP.KEY, and NUMBER may be FACTOR*RUN: the same key of an earlier run. as:RUN means that all keys are
 * those of that run. `find` knows earlier runs by name. Failures are printed and counted (check.h). */
typedef const struct outcome *outcome_find(const char *name);
void outcome_run(struct outcome *outcome, const struct mesh_config *mesh, const char *options, uint64_t packets,
                 const char *must, outcome_find *find);

/* The same packets went to the same targets on both; with `same`, in the same clocks. */
void outcome_compare(const struct outcome *outcome, const struct outcome *reference, bool same);

/* On a line, as `postroad sim --json` does. */
void outcome_print(const struct outcome *outcome);

void outcome_free(struct outcome *outcome);

#endif
