/* The groups of a native operator (firmware/multicast), as simulators have them: memory, poll and timers beside those
 * of the operator.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_NETWORK_INTERFACE_NATIVE_GROUPS_H
#define POSTROAD_NETWORK_INTERFACE_NATIVE_GROUPS_H

#include "console/console.h"
#include "multicast/groups.h"

enum { NATIVE_GROUPS = 8, NATIVE_GROUPS_SLOTS = 16, NATIVE_GROUPS_HOLDS = 32 };

/* Bytes of memory at an address for pointers, for a mesh's longest packet. */
static inline size_t native_groups_bytes(unsigned max_packet)
{
    return sizeof(struct pr_groups) +
           sizeof(uint32_t) * (PR_GROUPS_MEMORY_WORDS(NATIVE_GROUPS, NATIVE_GROUPS_SLOTS, NATIVE_GROUPS_HOLDS,
                                                      (max_packet + 1) / 2 * 2));
}

/* The groups in that memory begin, as after a reset. console: of the node, or NULL. NULL: the mesh is not one for
 * groups. */
struct pr_groups *native_groups_start(void *memory, struct pr_operator *op, const struct pr_console *console,
                                      unsigned max_packet);

/* Behind a poll of the operator, which has done anything or not. `groups` may be NULL. */
static inline bool native_groups_poll(struct pr_groups *groups, bool polled)
{
    return (groups && pr_groups_poll(groups)) || polled;
}

/* Behind pr_operator_next_wake, with what that has said. */
static inline bool native_groups_next_wake(const struct pr_groups *groups, bool timed, uint32_t *wake)
{
    uint32_t own;
    if (!groups || !pr_groups_next_wake(groups, &own) || (timed && pr_has_come(own, *wake)))
        return timed;
    *wake = own;
    return true;
}

#endif
