/* The runs of a command: for each combination of swept values a case, for each load of a case a point, and for each
 * point its repeats.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_POSTROAD_SIM_PLAN_H
#define POSTROAD_POSTROAD_SIM_PLAN_H

#include "postroad/sim_fields.h"
#include "postroad/sim_options.h"
#include "postroad/sim_search.h"

enum { SIM_MAX_CASES = 1000 };

/* Options and mesh of one combination. */
struct sim_case {
    struct sim_options options;
    struct mesh_config mesh;
    struct sim_swept swept[SIM_SWEEPS];
    unsigned swept_count;
    const struct sim_folder *folder; /* of all cases, or NULL (sim_folder.h) */
};

struct sim_run {
    const struct sim_case *of;
    double load;
    uint64_t seed;
    int point;  /* or search */
    int number; /* of the point, which stays with more repeats */
};

struct sim_plan {
    struct sim_case *cases; /* the last sweep varies fastest */
    int case_count;
    struct sim_run *runs; /* case by case, point by point */
    int run_count, point_count;
    struct sim_search *searches; /* --load saturation: for each case one with each seed; or NULL */
    char *texts[SIM_SWEEPS];     /* of the sweeps, cut into values */
    size_t settings_given;       /* by --set; those behind them in the cases are the plan's */
};

/* Makes the cases, with the options of each; their meshes are still to be loaded. 0, or -1 with a reason. */
int sim_plan_cases(struct sim_plan *plan, const struct verb *verb, const struct sim_options *options, char *error,
                   size_t error_size);

/* Lists all runs, or begins all searches. 0, or -1 without memory. */
int sim_plan_runs(struct sim_plan *plan);

/* The same once more. */
void sim_plan_list(struct sim_plan *plan);

/* A point without runs. With --until: are there enough of them? More runs of a mesh that is saturated would not say
 * more.
 */
struct sim_summary sim_plan_summary(const struct sim_plan *plan);
bool sim_plan_enough(const struct sim_summary *summary);

/* Lists the next run of each search that is not over. Returns how many there are. */
int sim_plan_search(struct sim_plan *plan);

/* The next run of a search. */
struct sim_run sim_plan_search_run(const struct sim_plan *plan, int search);

void sim_plan_free(struct sim_plan *plan);

/* The options of a run. */
struct experiment_options sim_run_options(const struct sim_run *run);

/* What a case asks, without a result. */
struct sim_point sim_case_point(const struct sim_case *of, const struct sim_summary *summary);

#endif
