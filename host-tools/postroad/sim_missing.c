/* See sim_missing.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "postroad/sim_missing.h"

#include <stdio.h>

#include "cli/exit_code.h"

struct lister {
    struct sim_plan *plan;
    const struct sim_folder *folder;
    const struct sim_part *part;
    bool again, print;
    struct sim_missing found;
    int listed; /* the first runs of the plan */
};

static void print_state(const struct sim_run *run, enum sim_point_state state)
{
    char name[SIM_POINT_NAME];
    printf("%s: %s\n", sim_point_name(run, name), sim_point_states[state]);
}

/* True if the file of the run is there. Else the run is listed, if it is of this part: `number` tells. */
static bool take(struct lister *lister, const struct sim_run *run, int number)
{
    enum sim_point_state state = sim_point_look(lister->folder, run);
    bool there = state == POINT_GOOD || (state == POINT_FAILED && !lister->again), odd = state > POINT_DAMAGED;
    lister->found.there += there;
    lister->found.missing += !there;
    if (!there && lister->print)
        print_state(run, state);
    if (odd) {
        lister->found.odd = *run;
        lister->found.state = state;
    }
    if (!there && !odd && number % lister->part->of == lister->part->number - 1)
        lister->plan->runs[lister->listed++] = *run;
    return there;
}

static void add_result(struct lister *lister, const struct sim_run *run, struct sim_summary *summary)
{
    struct experiment_options options = sim_run_options(run);
    struct experiment_result result;
    struct sim_point point = sim_case_point(run->of, summary);
    sim_point_read(lister->folder, run, &result);
    point.options = &options;
    point.result = &result;
    sim_summary_add(summary, &point);
    experiment_result_free(&result);
}

/* The runs from `first` on, of one point. Only those in front of the first that is missing tell whether more are
 * needed; `ahead` are listed without that. Returns the first of the next point. */
static int take_point(struct lister *lister, int first, int ahead)
{
    const struct sim_plan *plan = lister->plan;
    struct sim_summary summary = sim_plan_summary(plan);
    bool until = summary.until > 0, ends = plan->cases->options.load_ends;
    bool behind = sim_point_behind(lister->folder, &plan->runs[first]);
    int missing = 0, next = first, point = plan->runs[first].point;
    for (; next < plan->run_count && plan->runs[next].point == point; next++) {
        const struct sim_run run = plan->runs[next];
        bool known = missing >= ahead && (int)summary.runs + missing >= SIM_UNTIL_LEAST;
        if (behind || (until && (known || sim_plan_enough(&summary))))
            continue;
        if (!take(lister, &run, until || ends ? point : next))
            missing++;
        else if (until && missing == 0)
            add_result(lister, &run, &summary);
    }
    lister->found.open += (until || ends) && missing > 0;
    return next;
}

static void take_points(struct lister *lister, int ahead)
{
    for (int next = 0; next < lister->plan->run_count;)
        next = take_point(lister, next, ahead);
}

/* Goes on with a search as far as there are files. */
static void take_search(struct lister *lister, int number)
{
    struct sim_search *search = &lister->plan->searches[number];
    struct experiment_result result;
    while (!search->over) {
        struct sim_run run = sim_plan_search_run(lister->plan, number);
        if (!take(lister, &run, number)) {
            lister->found.open++;
            return;
        }
        sim_point_read(lister->folder, &run, &result);
        sim_search_take(search, run.load, &result);
        experiment_result_free(&result);
    }
}

static struct sim_missing list(struct lister *lister, int ahead)
{
    sim_plan_list(lister->plan);
    int searches = lister->plan->searches ? lister->plan->run_count : 0;
    for (int i = 0; i < searches; i++)
        take_search(lister, i);
    if (searches == 0)
        take_points(lister, ahead);
    lister->plan->run_count = lister->listed;
    return lister->found;
}

struct sim_missing sim_missing_list(struct sim_plan *plan, const struct sim_folder *folder, const struct sim_part *part,
                                    int ahead, bool again)
{
    struct lister lister = {.plan = plan, .folder = folder, .part = part, .again = again};
    return list(&lister, ahead);
}

int sim_missing_print(struct sim_plan *plan, const struct sim_folder *folder)
{
    static const struct sim_part all = {1, 1};
    struct lister lister = {.plan = plan, .folder = folder, .part = &all, .again = true, .print = true};
    struct sim_missing found = list(&lister, 1);
    printf("%d of %d runs are there%s\n", found.there, found.there + found.missing,
           found.open ? ", as far as is known which are needed" : "");
    return found.state ? EXIT_MISMATCH : found.missing ? EXIT_PARTIAL : EXIT_OK;
}
