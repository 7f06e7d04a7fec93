/* See node.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "console/node.h"

int pr_node_init(struct pr_node *node, struct pr_network_interface *interface, const struct pr_site_identity *identity,
                 uint32_t *memory, const struct pr_operator_size *size)
{
    int error = pr_operator_init(&node->op, interface, identity, memory, size);
    if (error != 0)
        return error;
    return pr_console_init(&node->console, &node->op);
}

bool pr_node_poll(struct pr_node *node)
{
    pr_operator_refuse(&node->op, !pr_console_is_ready(&node->console));
    return !(node->console.holding && pr_console_holds(&node->console)) && pr_operator_poll(&node->op);
}

bool pr_node_next_wake(struct pr_node *node, uint32_t *clock)
{
    if (!node->console.holding)
        return pr_operator_next_wake(&node->op, clock);
    *clock = node->console.hold_end;
    return true;
}

size_t pr_node_console_write(struct pr_node *node, const uint8_t *bytes, size_t length)
{
    return pr_console_write(&node->console, bytes, length);
}

size_t pr_node_console_read(struct pr_node *node, uint8_t *bytes, size_t length)
{
    return pr_console_read(&node->console, bytes, length);
}
