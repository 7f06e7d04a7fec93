/* Small operators (firmware/small) beside full ones in one mesh: soak.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "check.h"
#include "soak.h"

int main(void)
{
    /* A small operator has one packet under way. */
    const struct soak row = {.runs = 200, .columns_min = 2, .has_small = true, .slow_gap = 20000};
    struct soak_sums sums = soak(&row, check_seed());
    CHECK_IN_100_RUNS(sums, small_accepted, 300);
    CHECK_IN_100_RUNS(sums, small_delivered, 1000);
    CHECK_IN_100_RUNS(sums, small_held, 700);
    CHECK_IN_100_RUNS(sums, small_duplicates, 300);
    CHECK_IN_100_RUNS(sums, small_time_outs, 100);
    CHECK_IN_100_RUNS(sums, small_refused, 40);
    CHECK_IN_100_RUNS(sums, deferred, 10);
    CHECK_IN_100_RUNS(sums, aborted, 10);
    return 0;
}
