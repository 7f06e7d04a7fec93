/* What leaves this site, in which order, and what happens to a buffer when its packet has left.
 *
 *   1. an acknowledgement that is due joins the queue, and one for a subtree
 *   2. the queue, first in, first out: acknowledgements, control packets, packets of other sites, raw packets
 *   3. the send window: the oldest packet of this site that is to be tried
 *   4. the announcement of this site's restart to one more site
 *                  |
 *                  |   at most sending_max packets, because nothing overtakes what the interface has
 *                  v
 *          network_interface
 *                  |
 *                  |   pr_transmit_take_back, in the same order
 *                  v
 *   a packet of the window waits for acknowledgements; a small packet is released; of any other packet the next group
 *   is queued, or its buffer is released
 *
 * SPDX-License-Identifier: ISC
 */
#include "operator/operator_private.h"

static void take_back(struct pr_operator *op, struct pr_packet *packet)
{
    op->common.outgoing.count--;
    if (pr_ways_have_routes(&op->common.here.ways))
        pr_route_take_off(packet);
    if (packet->role >= PR_ROLE_WINDOW)
        pr_window_sent(&op->window, packet);
    else if (packet->role == PR_ROLE_SMALL)
        pr_pool_release_small(&op->common.pool, packet);
    else if (pr_group_next(&op->common.here, packet))
        pr_pool_queue(&op->common.pool, packet);
    else
        pr_pool_release(&op->common.pool, packet);
}

PR_NOT_INLINED bool pr_transmit_take_back(struct pr_operator *op)
{
    struct pr_packet *packet;
    bool any = false;
    while (op->common.outgoing.count > 0 && (packet = pr_network_interface_sent(op->common.here.interface))) {
        take_back(op, packet);
        any = true;
    }
    return any;
}

bool pr_transmit_at_once(struct pr_operator *op, struct pr_packet *packet)
{
    bool first = op->common.pool.queue_head == PR_POOL_NONE && op->acknowledgements.count == 0 &&
                 pr_outgoing_has_room(&op->common.outgoing);
    if (PR_UNLIKELY(!first) || PR_UNLIKELY(!pr_network_interface_send(op->common.here.interface, packet)))
        return false;
    op->common.outgoing.count++;
    return true;
}

/* Reliable service: a packet of another site that has waited here for too long is discarded in its turn. */
static bool is_too_old(const struct pr_operator *op, const struct pr_packet *packet)
{
    return op->common.here.reliable && packet->role == PR_ROLE_POOL &&
           !pr_pool_is_fresh(packet, pr_clock_of(&op->common.here));
}

/* Gives the network_interface the first packet of the queue. False: the queue is empty, or the interface full. */
static bool send_queued(struct pr_operator *op)
{
    struct pr_packet *packet = pr_pool_queue_first(&op->common.pool);
    uint32_t next;
    if (!packet)
        return false;
    next = packet->next; /* read first: a packet of the network_interface's is not to be touched */
    if (is_too_old(op, packet)) {
        op->common.pool.queue_head = next;
        pr_count(&op->common.events, PR_COUNTER_FOREIGN_DISCARDED);
        pr_pool_release(&op->common.pool, packet);
        return true;
    }
    if (!pr_give(&op->common.outgoing, &op->common.here, packet))
        return false;
    op->common.pool.queue_head = next;
    return true;
}

bool pr_transmit(struct pr_operator *op)
{
    bool any = false;
    if (op->common.outgoing
            .transmitting) /* called by an observer of a failure, from below: the loop there sends its packet as well */
        return false;
    op->common.outgoing.transmitting = true;
    while (pr_outgoing_has_room(&op->common.outgoing)) {
        if (op->acknowledgements.count > 0)
            pr_acknowledge_send(&op->acknowledgements);
        pr_relay_acknowledgements_send(&op->subtrees);
        if (!send_queued(op) && !pr_window_send(&op->window) && !pr_control_announce(&op->restart, &op->common))
            break;
        any = true;
    }
    op->common.outgoing.transmitting = false;
    return any;
}
