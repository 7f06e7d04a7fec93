/* What a run folder still lacks: of each point the runs that have no file, with --until and --load saturation those
 * that are known to be needed by now.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_POSTROAD_SIM_MISSING_H
#define POSTROAD_POSTROAD_SIM_MISSING_H

#include "postroad/sim_folder.h"

struct sim_missing {
    int there, missing;         /* runs */
    int open;                   /* points and searches of which more may be needed then */
    enum sim_point_state state; /* what the file of `odd` is, if it is of something else; else POINT_GOOD */
    struct sim_run odd;
};

/* Lists in the plan the runs of a part that are missing or damaged, and, if `again`, those that could not be started.
 * Of a point with --until `ahead` or more: further ones may be needed, but that is not known yet. */
struct sim_missing sim_missing_list(struct sim_plan *plan, const struct sim_folder *folder, const struct sim_part *part,
                                    int ahead, bool again);

/* Prints a line for each file that is missing or wrong. Returns the exit code. */
int sim_missing_print(struct sim_plan *plan, const struct sim_folder *folder);

#endif
