/* A node: operator, console and services, as one struct. The ELF's main.c has one, a simulator one for
 * each native site.
 */
#ifndef OPERATOR_NODE_H
#define OPERATOR_NODE_H

#include "console/console.h"

struct node {
    struct operator operator;
    struct console console;
};

/* Arguments and errors as operator_init: 0 or a negated OPERATOR_* error. */
int node_init(struct node *node, struct network_interface *interface, const struct node_identity *identity,
              uint32_t *memory, const struct operator_size *size);

/* True if anything was done: call again before going to sleep. */
bool node_poll(struct node *node);

/* As operator_next_wake. */
bool node_next_wake(struct node *node, uint32_t *clock);

/* Host to node; returns the bytes taken (see console_write). */
size_t node_console_write(struct node *node, const uint8_t *bytes, size_t length);

/* Node to host; returns the bytes given. */
size_t node_console_read(struct node *node, uint8_t *bytes, size_t length);

#endif
