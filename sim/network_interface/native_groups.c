/* See native_groups.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "network_interface/native_groups.h"

struct pr_groups *native_groups_start(void *memory, struct pr_operator *op, const struct pr_console *console,
                                      unsigned max_packet)
{
    const struct pr_groups_size size = {NATIVE_GROUPS, NATIVE_GROUPS_SLOTS, NATIVE_GROUPS_HOLDS, max_packet};
    struct pr_groups *groups = memory;
    if (pr_groups_init(groups, op, (uint32_t *)(groups + 1), &size) != 0)
        return NULL;
    if (console)
        pr_groups_ask(groups, pr_console_takes, console);
    pr_groups_take_orders(groups);
    return groups;
}
