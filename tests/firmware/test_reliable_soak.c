/* Meshes of full operators, with windows, words and capabilities of any kind: soak.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "check.h"
#include "soak.h"

int main(void)
{
    const struct soak row = {.runs = 1000, .columns_min = 1};
    struct soak_sums sums = soak(&row, check_seed());
    CHECK_IN_100_RUNS(sums, accepted, 1000);
    CHECK_IN_100_RUNS(sums, delivered, 1000);
    CHECK_IN_100_RUNS(sums, failed, 10);
    CHECK_IN_100_RUNS(sums, duplicated, 100);
    CHECK_IN_100_RUNS(sums, diverted, 100);
    CHECK_IN_100_RUNS(sums, aborted, 10);
    CHECK_IN_100_RUNS(sums, deferred, 10);
    CHECK_IN_100_RUNS(sums, paths, 100);
    CHECK_IN_100_RUNS(sums, trees, 10);
    CHECK_IN_100_RUNS(sums, relays, 3);
    CHECK_IN_100_RUNS(sums, subtrees, 3);
    CHECK_IN_100_RUNS(sums, routed, 1000);
    return 0;
}
