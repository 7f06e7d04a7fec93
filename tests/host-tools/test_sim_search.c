/* The bisection of `postroad sim --load saturation` against meshes whose saturation is known: at any load, at none, at
 * every one, at another one for each seed, and by runs that tell nothing.
 *
 * SPDX-License-Identifier: ISC
 */
#include "check.h"
#include "postroad/sim_search.h"

#include <math.h>

static uint64_t state;

static double draw(void)
{
    return (check_random(&state) + 0.5) / 4294967296.0;
}

/* Searches a mesh that saturates at `truth`. Returns the number of runs. */
static int search(struct sim_search *search, double truth)
{
    int runs = 0;
    for (sim_search_begin(search); !search->over && runs < 100; runs++) {
        double load = sim_search_load(search);
        struct experiment_result result = {.end = runs % 3 ? END_COMPLETE : END_PARTIAL, .saturated = load >= truth};
        check(load > search->held && load < search->gone, "load %g between %g and %g", load, search->held,
              search->gone);
        sim_search_take(search, load, &result);
    }
    return runs;
}

static void check_one(void)
{
    for (unsigned long i = 0; i < check_rounds(1000); i++) {
        double truth = 0.98 * pow(10, -4 * draw());
        struct sim_search found;
        int runs = search(&found, truth);
        check(found.over && !found.failed && found.held < truth && truth <= found.gone, "%g: %g to %g", truth,
              found.held, found.gone);
        check(found.gone - found.held <= 0.02 * found.gone && runs <= 20, "%g: %g to %g by %d runs", truth, found.held,
              found.gone, runs);
    }
}

static void check_none(void)
{
    struct sim_search found;
    struct sim_saturation saturation;
    search(&found, 2);
    sim_search_conclude(&found, 1, &saturation);
    check(!saturation.complete && saturation.least == 1 && saturation.greatest > 0.97, "never saturated: %g, %g",
          saturation.least, saturation.greatest);
    search(&found, 0);
    sim_search_conclude(&found, 1, &saturation);
    check(saturation.greatest == 0 && saturation.least < 1e-5, "always saturated: %g, %g", saturation.least,
          saturation.greatest);
}

/* Each kind of end that shows saturation, and those that tell nothing. */
static void check_ends(void)
{
    static const struct {
        struct experiment_result result;
        bool saturated, failed;
    } rows[] = {{{.end = END_COMPLETE}, false, false},
                {{.end = END_COMPLETE, .saturated = true}, true, false},
                {{.end = END_COMPLETE, .halves.verdict = STEADINESS_UNSTEADY}, true, false},
                {{.end = END_LOCKED_UP}, true, false},
                {{.end = END_HUNG}, false, true},
                {{.end = END_WRONG}, false, true},
                {{.end = END_INTERRUPTED}, false, true}};
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct sim_search found;
        struct sim_saturation saturation;
        sim_search_begin(&found);
        sim_search_take(&found, 0.5, &rows[i].result);
        check(found.failed == rows[i].failed && found.over == rows[i].failed, "row %u: over", i);
        check(rows[i].failed || (found.gone == 0.5) == rows[i].saturated, "row %u: %g to %g", i, found.held,
              found.gone);
        sim_search_conclude(&found, 1, &saturation);
        check(!saturation.complete, "row %u: a search that is not over has found something", i);
    }
}

/* The mean of several, and the loads that any of them has seen. The interval contains what the searches spread around.
 */
static void check_several(void)
{
    enum { SEEDS = 5 };
    unsigned long rounds = check_rounds(500), inside = 0;
    for (unsigned long i = 0; i < rounds; i++) {
        struct sim_search found[SEEDS];
        struct sim_saturation saturation;
        double least = 1, greatest = 0;
        for (int k = 0; k < SEEDS; k++) {
            search(&found[k], 0.2 + 0.02 * (draw() + draw() - 1));
            least = fmin(least, found[k].gone);
            greatest = fmax(greatest, found[k].held);
        }
        sim_search_conclude(found, SEEDS, &saturation);
        check(saturation.complete && saturation.least == least && saturation.greatest == greatest,
              "least %g, greatest %g", saturation.least, saturation.greatest);
        inside += fabs(saturation.load.mean - 0.2) <= sim_saturation_half(&saturation);
    }
    check(inside >= rounds * 9 / 10, "%lu of %lu intervals contain the truth", inside, rounds);
}

int main(void)
{
    state = check_seed();
    RUN(check_one);
    RUN(check_none);
    RUN(check_ends);
    RUN(check_several);
    return verdict("saturation search");
}
