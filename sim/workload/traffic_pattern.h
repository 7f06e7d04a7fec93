/* Patterns of traffic that send all packets of a site to one other, or to itself (Dally and Towles, Principles and
 * Practices of Interconnection Networks, 2004, section 3.2).
 *
 * Those of bits take the sites that have an operator in the order of their numbers, and so need a power of two of them.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_WORKLOAD_TRAFFIC_PATTERN_H
#define POSTROAD_WORKLOAD_TRAFFIC_PATTERN_H

#include "workload/traffic.h"

/* Is it one of them? */
bool traffic_pattern_is_fixed(enum traffic_pattern pattern);

/* Why this mesh lacks the pattern, and what is expected; NULL if it has it. */
const char *traffic_pattern_objection(const struct mesh_config *mesh, enum traffic_pattern pattern);

/* Fills partners[site] for each of the `count` sites that have an operator, in the order of their numbers: where it
 * sends; with TRAFFIC_ASYMMETRIC the index of one of its two targets in `sites`, in the lower half. */
void traffic_pattern_partners(const struct mesh_config *mesh, const struct traffic_options *options,
                              const uint32_t *sites, uint32_t count, uint32_t *partners);

#endif
