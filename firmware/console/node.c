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

size_t pr_node_console_write(struct pr_node *node, const uint8_t *bytes, size_t length)
{
    return pr_console_write(&node->console, bytes, length);
}

size_t pr_node_console_read(struct pr_node *node, uint8_t *bytes, size_t length)
{
    return pr_console_read(&node->console, bytes, length);
}
