/* See site_set.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "operator/site_set.h"

unsigned pr_site_set_next(const uint32_t *set, unsigned site, unsigned end)
{
    while (site < end && !pr_site_set_has(set, site))
        site += site % 32 == 0 && set[site / 32] == 0 ? 32 : 1; /* a word without members is skipped whole */
    return site < end ? site : end;
}
