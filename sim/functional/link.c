/* See link.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "functional/link.h"

#include <stdlib.h>

#include "functional/channel.h"
#include "functional/neighbour.h"

/* The port of a neighbour that leads back. */
static unsigned facing_port(const struct functional *functional, unsigned port)
{
    unsigned opposite = direction_opposite(&functional->map, port);
    return opposite ? opposite : port;
}

void link_send(struct functional *functional, struct functional_site *site, unsigned port, const struct mark *mark)
{
    struct functional_site *neighbour = site->neighbours[port];
    if (site->faults && site->faults->out[port])
        channel_send(functional, site->faults->out[port], mark);
    else if (neighbour)
        neighbour_show(functional, neighbour, facing_port(functional, port), mark);
}

void link_tell(struct functional *functional, struct functional_site *site, unsigned port, struct status status)
{
    neighbour_tell(functional, site->neighbours[port], facing_port(functional, port), status);
}

void link_queue(struct functional_site *site, unsigned port, const struct mark *mark)
{
    struct input *input = &site->inputs[port];
    site->in_use |= 1u << port;
    if (input->count == MARKS_WAITING)
        abort(); /* flow control has failed */
    input->marks[input->count++] = *mark;
    if (mark->kind != MARK_HEAD)
        return;
    input->last = mark->flight;
    input->last_first = mark->index;
    input->told_limit = NO_LIMIT;
}

void link_receive(const struct functional *functional, struct functional_site *site)
{
    unsigned slot = functional->now & 1;
    for (; site->told[slot]; site->told[slot] &= site->told[slot] - 1) {
        unsigned port = (unsigned)__builtin_ctz(site->told[slot]);
        output_take_status(&site->outputs[port], &site->outputs[port].statuses[slot]);
    }
    for (; site->arriving[slot]; site->arriving[slot] &= site->arriving[slot] - 1) {
        unsigned port = (unsigned)__builtin_ctz(site->arriving[slot]);
        link_queue(site, port, &site->inputs[port].arriving[slot]);
    }
}
