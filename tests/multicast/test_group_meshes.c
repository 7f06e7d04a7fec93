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

enum { GROUPS = 2, MEMBERS = 7 };

static uint64_t seed;

static const struct place {
    const char *engine, *mesh;
    double load;
    unsigned long_packets; /* of a run with LONG=1 */
    bool always;           /* every shape and fault in each run; else only with LONG=1 */
    bool blocks; /* what waits for a site that has stopped holds its lines, and who is behind them is cut off */
} places[] = {{"functional", "grid-4x4", 0.02, 100000, true, false},
              {"functional", "january-4x4", 0.02, 100000, false, false},
              {"rtl", "postman-4x4", 0.002, 1000, false, true},
              {"rtl", "csr-hypercube-4", 0.01, 10000, false, false},
              {"rtl", "wormlan-torus-4x4", 0.02, 10000, false, false}};

static const char stops[] = "stop:any:3000";
static const char *const faults[] = {"corrupt:0.0002", "link:any:~3000:200", "reset:any:2500", "stop:any:~3000:1500",
                                     stops};

static struct mesh_config load(const char *name)
{
    struct mesh_config mesh;
    char top[4096], path[4300], error[512] = "";
    CHECK_EQUAL(install_paths_top(top, sizeof top), 0);
    snprintf(path, sizeof path, "%s/hw/mesh/%s.mesh", top, name);
    check(mesh_config_load(path, &mesh, error, sizeof error) == 0, "%s", error);
    return mesh;
}

/* Nothing is lost, twice, damaged, astray, or out of order; with a fault a member may have failed. */
static void run(const struct place *place, unsigned shape, const char *fault, unsigned joins, bool raw)
{
    struct mesh_config mesh = load(place->mesh);
    struct experiment_options options = {.engine = place->engine,
                                         .packets = check_long() ? place->long_packets : 150,
                                         .warmup = EXPERIMENT_AUTOMATIC,
                                         .pool = 32,
                                         .window = 8,
                                         .traffic = {.load = place->load,
                                                     .length = 8,
                                                     .groups = GROUPS,
                                                     .members = MEMBERS,
                                                     .shape = shape,
                                                     .group_share = 1,
                                                     .joins = joins,
                                                     .seed = check_random(&seed)}};
    struct experiment_result result;
    char error[512] = "";
    mesh.reliable = !raw;
    if (raw)
        options.traffic.load = 1;
    if (fault)
        check(fault_parse(fault, &mesh, &options.faults[options.fault_count++], error, sizeof error) == 0, "%s", error);
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
    if (fault != stops || !place->blocks)
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
    for (unsigned k = 0; k < sizeof faults / sizeof *faults; k++)
        run(place, shape, faults[k], 0, false);
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
                run(&places[at], shape, "corrupt:0.0002", 0, false);
            /* gt turns too often among many members. */
            if (shape < PR_GROUP_SHAPE_GT && (places[at].always || check_long() || shape == PR_GROUP_SHAPE_TREE))
                run(&places[at], shape, NULL, 0, true);
        }
    return verdict("group_meshes");
}
