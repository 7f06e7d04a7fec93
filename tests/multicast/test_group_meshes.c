/* Groups on whole meshes of native sites: every shape over every fabric, without faults, under each kind of fault, and
 * with members that join while packets flow.
 *
 * SPDX-License-Identifier: ISC
 */
#include "check.h"
#include "group_load.h"

static uint64_t seed;

static struct group_load_result run_one(const char *engine, const char *mesh, unsigned shape, unsigned packets,
                                        const char *fault, unsigned joins)
{
    const struct group_load_options options = {.engine = engine,
                                               .mesh = mesh,
                                               .way = shape,
                                               .groups = 2,
                                               .members = 7,
                                               .data_words = 8,
                                               .load = 0.01,
                                               .clocks = (uint64_t)(packets / (2 * 7 * 0.01 / 8)),
                                               .packets = packets,
                                               .seed = check_random(&seed),
                                               .faults = {fault},
                                               .joins = joins};
    struct group_load_result result;
    group_load_run(&options, &result);
    printf("%-22s %-15s %-26s packets %6lu deliveries %7lu failed %4lu lost members %lu repairs %4lu latency %6.0f\n",
           mesh, group_load_way_name(shape),
           fault   ? fault
           : joins ? "joins"
                   : "",
           result.packets, result.deliveries, result.failed, result.lost_members, result.repairs, result.latency);
    CHECK(result.complete);
    return result;
}

static const char *const faults[] = {"corrupt:0.0002", "link:any:~3000:200", "reset:any:2500", "stop:any:~3000:1500",
                                     "stop:any:3000"};

static const struct place {
    const char *engine, *mesh;
    bool always; /* every shape and fault in each run; else only with LONG=1 */
} places[] = {{"functional", "grid-4x4", true},
              {"functional", "january-4x4", false},
              {"rtl", "postman-4x4", false},
              {"rtl", "csr-hypercube-4", false}};

static void run_shape(const struct place *place, unsigned shape, unsigned packets)
{
    struct group_load_result result = run_one(place->engine, place->mesh, shape, packets, NULL, 0);
    CHECK_EQUAL(result.deliveries, result.packets * (pr_group_shape_orders(shape) ? 7 : 6));
    run_one(place->engine, place->mesh, shape, packets, NULL, 3);
    for (unsigned k = 0; k < sizeof faults / sizeof *faults; k++)
        run_one(place->engine, place->mesh, shape, packets, faults[k], 0);
}

/* 10^5 packets where LONG asks for them, of each fabric, shape and fault. */
int main(void)
{
    unsigned packets;
    seed = check_seed();
    packets = check_long() ? 100000 : 150;
    for (unsigned at = 0; at < sizeof places / sizeof *places; at++)
        for (unsigned shape = 0; shape < PR_GROUP_SHAPES; shape++) {
            if (places[at].always || check_long())
                run_shape(&places[at], shape, packets);
            else if (shape == PR_GROUP_SHAPE_GT_ORDER)
                run_one(places[at].engine, places[at].mesh, shape, packets, "corrupt:0.0002", 0);
        }
    return 0;
}
