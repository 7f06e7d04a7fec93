/* The traffic evaluator of a native site (firmware/traffic), as simulators have it: memory, poll and timer beside those
 * of the operator.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_NETWORK_INTERFACE_NATIVE_TRAFFIC_H
#define POSTROAD_NETWORK_INTERFACE_NATIVE_TRAFFIC_H

#include "traffic/traffic.h"

/* Bytes of memory at an address for pointers, for a mesh of so many sites. */
static inline size_t native_traffic_bytes(unsigned sites)
{
    return sizeof(struct pr_traffic_evaluator) + sites * sizeof(uint32_t);
}

/* The evaluator in that memory begins, as after a reset, behind a console. NULL: no handler is left for it. */
static inline struct pr_traffic_evaluator *native_traffic_start(void *memory, struct pr_operator *op, unsigned sites)
{
    struct pr_traffic_evaluator *traffic = memory;
    return pr_traffic_init(traffic, op, (uint32_t *)(traffic + 1), sites) == 0 ? traffic : NULL;
}

/* Behind a poll of the operator, which has done anything or not. `traffic` may be NULL. */
static inline bool native_traffic_poll(struct pr_traffic_evaluator *traffic, bool polled)
{
    return (traffic && pr_traffic_poll(traffic)) || polled;
}

/* Behind pr_operator_next_wake, with what that has said. */
static inline bool native_traffic_next_wake(const struct pr_traffic_evaluator *traffic, bool timed, uint32_t *wake)
{
    uint32_t own;
    if (!traffic || !pr_traffic_next_wake(traffic, &own) || (timed && pr_has_come(own, *wake)))
        return timed;
    *wake = own;
    return true;
}

#endif
