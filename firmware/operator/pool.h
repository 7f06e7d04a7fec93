/* Packet buffers of the operator, and the queue of packets to be sent. Private to the operator.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_OPERATOR_POOL_H
#define POSTROAD_OPERATOR_POOL_H

#include "operator/operator.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Owner of a buffer: packet->role. */
enum {
    PR_ROLE_POOL,    /* free, posted, or with another site's packet or a raw packet */
    PR_ROLE_IN_HAND, /* with another site's packet whose receipt is not finished: not to be released */
    PR_ROLE_SMALL,   /* an acknowledgement or control packet */
    PR_ROLE_WINDOW   /* + slot number: a packet of this site's send window */
};

/* Makes all buffers free and the queue empty. */
void pr_pool_init(struct pr_operator *op);

/* Buffers that may be taken if `reserve` are to stay for receiving. */
unsigned pr_pool_room(const struct pr_operator *op, unsigned reserve);

/* Takes one of them, or NULL. */
struct pr_packet *pr_pool_take(struct pr_operator *op, unsigned reserve);

void pr_pool_release(struct pr_operator *op, struct pr_packet *packet);

/* Posts free buffers for receiving: half of the unused ones, between the reserve and RECEIVE_POSTED_MAX. */
void pr_pool_post(struct pr_operator *op);

/* A posted buffer was returned with a packet. Noted late: the packet is sent on first. */
void pr_pool_received(struct pr_operator *op);

/* Buffers free or posted for receiving. */
unsigned pr_pool_unused(const struct pr_operator *op);

/* Reliable service: false if another site's packet was stored here so long that its 16-bit sequence number may have
 * wrapped and name another packet. */
bool pr_pool_is_fresh(const struct pr_packet *packet, uint32_t clock);

#define PR_POOL_NONE UINT32_MAX /* ends a list */

/* Puts a packet at the end of the send queue. */
void pr_pool_queue(struct pr_operator *op, struct pr_packet *packet);

/* The packet at the head of the send queue, or NULL. packet->next links the queue. */
struct pr_packet *pr_pool_queue_first(const struct pr_operator *op);

/* Small buffers. There must be one to take: op->pool.small > 0. */
struct pr_packet *pr_pool_take_small(struct pr_operator *op);
void pr_pool_release_small(struct pr_operator *op, struct pr_packet *packet);

#ifdef __cplusplus
}
#endif

#endif
