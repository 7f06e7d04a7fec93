/* A node: operator, console and services, as one struct. The ELF's main.c has one, a simulator one for
 * each native site.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_CONSOLE_NODE_H
#define POSTROAD_CONSOLE_NODE_H

#include "console/console.h"

#ifdef __cplusplus
extern "C" {
#endif

struct pr_node {
    struct pr_operator op;
    struct pr_console console;
};

/* Arguments and errors as pr_operator_init: 0 or a negated OPERATOR_* error. */
int pr_node_init(struct pr_node *node, struct pr_network_interface *interface, const struct pr_site_identity *identity,
                 uint32_t *memory, const struct pr_operator_size *size);

/* True if anything was done: call again before going to sleep. Here, not in node.c: this folder is compiled for size,
 * and the operator's loop is not. */
static inline bool pr_node_poll(struct pr_node *node)
{
    pr_operator_refuse(&node->op, !pr_console_is_ready(&node->console));
    if (PR_UNLIKELY(node->console.holding) && pr_console_holds(&node->console))
        return false;
    return pr_operator_poll(&node->op);
}

/* As pr_operator_next_wake. */
static inline bool pr_node_next_wake(struct pr_node *node, uint32_t *clock)
{
    if (!node->console.holding)
        return pr_operator_next_wake(&node->op, clock);
    *clock = node->console.hold_end;
    return true;
}

/* Host to node; returns the bytes taken (see pr_console_write). */
size_t pr_node_console_write(struct pr_node *node, const uint8_t *bytes, size_t length);

/* Node to host; returns the bytes given. */
size_t pr_node_console_read(struct pr_node *node, uint8_t *bytes, size_t length);

#ifdef __cplusplus
}
#endif

#endif
