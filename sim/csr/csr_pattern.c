/* See csr_pattern.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "csr/csr_pattern.h"

const char *const csr_pattern_names[CSR_PATTERNS] = {"uniform",   "complement", "reversal",
                                                     "transpose", "hot-spot",   "lockout"};

/* The number of the node with its bits in reverse order. */
static uint32_t reversed(unsigned dimensions, unsigned node)
{
    uint32_t result = 0;
    for (unsigned k = 0; k < dimensions; k++)
        result |= (node >> k & 1) << (dimensions - 1 - k);
    return result;
}

static uint32_t rotated(unsigned dimensions, unsigned node)
{
    unsigned half = dimensions / 2;
    return (node >> half | node << (dimensions - half)) & ((1u << dimensions) - 1);
}

uint32_t csr_pattern_tag(const struct csr_destinations *destinations, unsigned dimensions, unsigned node,
                         struct random *random)
{
    uint32_t last = (1u << dimensions) - 1, any = random_below(random, last + 1);
    switch (destinations->pattern) {
    case CSR_COMPLEMENT:
        return last;
    case CSR_REVERSAL:
        return node ^ reversed(dimensions, node);
    case CSR_TRANSPOSE:
        return node ^ rotated(dimensions, node);
    case CSR_HOT_SPOT:
        return random_unit(random) < destinations->hot_share ? node : any;
    case CSR_LOCKOUT:
        return node == 0 || node == last ? last : any;
    default:
        return any;
    }
}
