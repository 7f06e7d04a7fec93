/* Groups on whole meshes of native sites, under the traffic and the scoreboard of `postroad sim`: every shape over
 * every fabric, without faults, under each kind of fault, and with members that join while packets flow; on raw meshes
 * without faults, at the load of all that members can send.
 * time limit: 7200 s
 *
 * SPDX-License-Identifier: ISC
 */
#include "check.h"
#include "engine/rtl_engine.h"
#include "experiment/experiment.h"
#include "functional/functional_engine.h"
#include "support/install_paths.h"

enum { GROUPS = 2, MEMBERS = 7, LENGTH = 8, WORDS = LENGTH + 5 };

static uint64_t seed;

static const struct place {
    const char *engine, *mesh;
    double load;
    unsigned long_packets; /* with LONG=1, of each shape and fault; 11200: of the nine shapes 100800 under each fault */
    bool always;           /* every shape and fault in each run; else only with LONG=1 */
    bool blocks; /* what waits for a site that has stopped holds its lines, and who is behind them is cut off */
} places[] = {{"functional", "grid-4x4", 0.02, 100000, true, false},
              {"functional", "january-4x4", 0.02, 100000, false, false},
              {"rtl", "postman-4x4", 0.002, 2000, false, true},
              {"rtl", "csr-hypercube-4", 0.01, 11200, false, false},
              {"rtl", "wormlan-torus-4x4", 0.02, 11200, false, false}};

static const struct kind {
    const char *fault;
    bool in_middle; /* of the run, once */
    bool kills;     /* a site that stays where it is, with lines that it holds */
} kinds[] = {{"corrupt:0.0002", false, false},
             {"link:any:~3000:200", false, false},
             {"reset:any", true, false},
             {"stop:any:~3000:1500", false, false},
             {"stop:any", true, true}};

static struct mesh_config load(const char *name)
{
    struct mesh_config mesh;
    char top[4096], path[4300], error[512] = "";
    CHECK_EQUAL(install_paths_top(top, sizeof top), 0);
    snprintf(path, sizeof path, "%s/hw/mesh/%s.mesh", top, name);
    check(mesh_config_load(path, &mesh, error, sizeof error) == 0, "%s", error);
    return mesh;
}

static void add_fault(struct experiment_options *options, const struct mesh_config *mesh, const struct kind *kind)
{
    double middle = (double)options->packets * WORDS / (2 * mesh->sites * options->traffic.load);
    char text[64], error[512] = "";
    snprintf(text, sizeof text, kind->in_middle ? "%s:%.0f" : "%s", kind->fault, middle);
    check(fault_parse(text, mesh, &options->faults[options->fault_count++], error, sizeof error) == 0, "%s", error);
}

/* Nothing is lost, twice, damaged, astray, or out of order; with a fault a member may have failed. */
static void run(const struct place *place, unsigned shape, const struct kind *kind, unsigned joins, bool raw)
{
    const char *fault = kind ? kind->fault : NULL;
    struct mesh_config mesh = load(place->mesh);
    struct experiment_options options = {.engine = place->engine,
                                         .packets = check_long() ? place->long_packets : 150,
                                         .warmup = EXPERIMENT_AUTOMATIC,
                                         .pool = 32,
                                         .window = 8,
                                         .traffic = {.load = place->load,
                                                     .length = LENGTH,
                                                     .groups = GROUPS,
                                                     .members = MEMBERS,
                                                     .shape = shape,
                                                     .group_share = 1,
                                                     .joins = joins,
                                                     .seed = check_random(&seed)}};
    struct experiment_result result;
    mesh.reliable = !raw;
    if (raw)
        options.traffic.load = 1;
    if (kind)
        add_fault(&options, &mesh, kind);
    experiment_run(&mesh, &options, NULL, NULL, &result);
    printf("%-16s seed %10lu %-15s %-20s packets %6lu deliveries %7lu failed %4lu repairs %4lu %s\n", place->mesh,
           (unsigned long)options.traffic.seed, pr_group_shape_name(shape),
           fault   ? fault
           : joins ? "joins"
           : raw   ? "raw"
                   : "",
           (unsigned long)result.totals.packets, (unsigned long)result.totals.deliveries,
           (unsigned long)result.totals.failed, (unsigned long)result.group_counters[PR_GROUPS_COUNTER_REPAIRS],
           result.diagnosis);
    check(result.end == END_COMPLETE || (fault && result.end == END_PARTIAL), "%s, %s, %s: %s", place->mesh,
          pr_group_shape_name(shape), fault ? fault : "no fault", experiment_end_name(result.end));
    if (!kind || !kind->kills || !place->blocks)
        CHECK_EQUAL(result.failed_present, 0);
    if (!fault && !joins)
        CHECK_EQUAL(result.totals.deliveries,
                    result.totals.packets * (pr_group_shape_orders(shape) ? MEMBERS : MEMBERS - 1));
    experiment_result_free(&result);
}

static void run_shape(const struct place *place, unsigned shape)
{
    run(place, shape, NULL, 0, false);
    run(place, shape, NULL, 3, false);
    for (unsigned k = 0; k < sizeof kinds / sizeof *kinds; k++)
        run(place, shape, &kinds[k], 0, false);
}

int main(void)
{
    seed = check_seed();
    simulation_register(&rtl_engine);
    simulation_register(&functional_engine);
    for (unsigned at = 0; at < sizeof places / sizeof *places; at++)
        for (unsigned shape = 0; shape < PR_GROUP_SHAPES; shape++) {
            if (places[at].always || check_long())
                run_shape(&places[at], shape);
            else if (shape == PR_GROUP_SHAPE_GT_ORDER)
                run(&places[at], shape, kinds, 0, false);
            /* gt turns too often among many members. */
            if (shape < PR_GROUP_SHAPE_GT && (places[at].always || check_long() || shape == PR_GROUP_SHAPE_TREE))
                run(&places[at], shape, NULL, 0, true);
        }
    return verdict("group_meshes");
}
