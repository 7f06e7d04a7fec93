/* Meshes of full operators, with windows, words and capabilities of any kind: soak.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "check.h"
#include "soak.h"

int main(void)
{
    const struct soak row = {.runs = 1000, .seconds = 8, .columns_min = 1};
    struct soak_sums sums = soak(&row, check_seed());
    CHECK(sums.accepted > 1000 && sums.delivered > 1000 && sums.failed > 10 && sums.duplicated > 100);
    CHECK(sums.diverted > 100 && sums.aborted > 10 && sums.deferred > 10 && sums.paths > 100 && sums.trees > 10);
    return 0;
}
