/* See node.h. */
#include "console/node.h"

int node_init(struct node *node, struct network_interface *interface, const struct node_identity *identity,
              uint32_t *memory, const struct operator_size *size)
{
    int error = operator_init(&node->operator, interface, identity, memory, size);

    if (error != 0)
        return error;
    return console_init(&node->console, &node->operator);
}

bool node_poll(struct node *node)
{
    operator_refuse(&node->operator, !console_is_ready(&node->console));
    return !(node->console.holding && console_holds(&node->console)) && operator_poll(&node->operator);
}

bool node_next_wake(struct node *node, uint32_t *clock)
{
    if (!node->console.holding)
        return operator_next_wake(&node->operator, clock);
    *clock = node->console.hold_end;
    return true;
}

size_t node_console_write(struct node *node, const uint8_t *bytes, size_t length)
{
    return console_write(&node->console, bytes, length);
}

size_t node_console_read(struct node *node, uint8_t *bytes, size_t length)
{
    return console_read(&node->console, bytes, length);
}
