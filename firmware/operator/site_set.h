/* Sets of sites: one bit per site number, in an array of 32-bit words that the caller owns.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_OPERATOR_SITE_SET_H
#define POSTROAD_OPERATOR_SITE_SET_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PR_OPERATOR_SET_WORDS(sites) (((sites) + 31) / 32) /* of a set */

static inline bool pr_site_set_has(const uint32_t *set, unsigned site)
{
    return set[site / 32] >> site % 32 & 1;
}

static inline void pr_site_set_add(uint32_t *set, unsigned site)
{
    set[site / 32] |= 1u << site % 32;
}

static inline void pr_site_set_remove(uint32_t *set, unsigned site)
{
    set[site / 32] &= ~(1u << site % 32);
}

/* The first member at or after `site`, or `end` if no member is below `end`. */
unsigned pr_site_set_next(const uint32_t *set, unsigned site, unsigned end);

#ifdef __cplusplus
}
#endif

#endif
