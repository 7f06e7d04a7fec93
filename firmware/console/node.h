/* A node: operator, console and services, as one struct. The ELF's main.c has one, a simulator one for
 * each native site.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_CONSOLE_NODE_H
#define POSTROAD_CONSOLE_NODE_H

#include "console/console.h"

struct pr_node {
    struct pr_operator op;
    struct pr_console console;
};

/* Arguments and errors as pr_operator_init: 0 or a negated OPERATOR_* error. */
int pr_node_init(struct pr_node *node, struct pr_network_interface *interface, const struct pr_site_identity *identity,
                 uint32_t *memory, const struct pr_operator_size *size);

/* True if anything was done: call again before going to sleep. */
bool pr_node_poll(struct pr_node *node);

/* As pr_operator_next_wake. */
bool pr_node_next_wake(struct pr_node *node, uint32_t *clock);

/* Host to node; returns the bytes taken (see pr_console_write). */
size_t pr_node_console_write(struct pr_node *node, const uint8_t *bytes, size_t length);

/* Node to host; returns the bytes given. */
size_t pr_node_console_read(struct pr_node *node, uint8_t *bytes, size_t length);

#endif
