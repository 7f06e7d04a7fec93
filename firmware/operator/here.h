/* What every part of the operator may know of its site, its mesh and the ways there: constant once the operator has
 * started, but for the table of routes.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_OPERATOR_HERE_H
#define POSTROAD_OPERATOR_HERE_H

#include "operator/network_interface.h"
#include "operator/ways.h"
#include "wire/site_identity.h"

#ifdef __cplusplus
extern "C" {
#endif

struct pr_here {
    struct pr_network_interface *interface;
    const struct pr_site_identity *identity;
    unsigned sites;
    bool reliable;            /* operators acknowledge and retransmit */
    bool may_multicast;       /* a packet to several sites leaves as one packet */
    uint8_t serves;           /* what this firmware does for other sites: PR_SERVES_* */
    bool forwards;            /* unicasts for other sites may arrive, which the operator sends on (U3) */
    uint32_t mark_bit;        /* in a site word: path, and deferred (M10, M11) */
    uint32_t header_kind_bit; /* in the first word of a header (wire/header.h); raw service: 0 */
    uint32_t wide_mask;       /* bits that a fabric word does not have */
    struct pr_site_addresses addresses;
    struct pr_ways ways;
};

static inline uint16_t pr_own_epoch(const struct pr_here *here)
{
    return (uint16_t)here->identity->epoch;
}

/* Low 32 bits of the clocks since reset. A function, because the inline one (network_interface.h) asks each time which
 * back end there is. */
uint32_t pr_clock_of(const struct pr_here *here);

/* True once the clock has come to `deadline`. */
static inline bool pr_has_come(uint32_t clock, uint32_t deadline)
{
    return (int32_t)(clock - deadline) >= 0;
}

#ifdef __cplusplus
}
#endif

#endif
