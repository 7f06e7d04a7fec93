/* Destinations of packets on a hypercube.
 *
 *   uniform        any node, the sender included
 *   complement     the node whose bits are all others
 *   reversal       the node whose bits are those of the sender in the reverse order
 *   transpose      the node whose bits are those of the sender, rotated by d / 2: the halves change places if d is even
 *   hot-spot       node 0 with a given probability, else any node
 *   lockout        nodes 0 and N - 1 send to each other, all others to any node (Figure 7, where d = 2)
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_CSR_CSR_PATTERN_H
#define POSTROAD_CSR_CSR_PATTERN_H

#include <stdbool.h>
#include <stdint.h>

#include "support/random.h"

enum csr_pattern { CSR_UNIFORM, CSR_COMPLEMENT, CSR_REVERSAL, CSR_TRANSPOSE, CSR_HOT_SPOT, CSR_LOCKOUT, CSR_PATTERNS };

extern const char *const csr_pattern_names[CSR_PATTERNS];

struct csr_destinations {
    enum csr_pattern pattern;
    double hot_share; /* of CSR_HOT_SPOT */
};

/* The routing tag (source XOR destination) of a packet of this node. */
uint32_t csr_pattern_tag(const struct csr_destinations *destinations, unsigned dimensions, unsigned node,
                         struct random *random);

#endif
