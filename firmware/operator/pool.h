/* The operator's buffers and its queue of packets to be sent. Private to the operator.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_OPERATOR_POOL_H
#define POSTROAD_OPERATOR_POOL_H

#include "operator/operator.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Who a buffer belongs to: packet->role. */
enum {
    PR_ROLE_POOL,    /* free, receiving, or with another site's packet */
    PR_ROLE_IN_HAND, /* with another site's packet that is being looked at: stays until that is done */
    PR_ROLE_SMALL,   /* an acknowledgement or control packet */
    PR_ROLE_WINDOW   /* a packet of this site's window: + its slot */
};

/* All buffers free, nothing queued. */
void pr_pool_init(struct pr_operator *op);

/* Buffers that may be taken if so many are to be left for receiving. */
unsigned pr_pool_room(const struct pr_operator *op, unsigned reserve);

/* Takes one of them, or NULL. */
struct pr_packet *pr_pool_take(struct pr_operator *op, unsigned reserve);

void pr_pool_release(struct pr_operator *op, struct pr_packet *packet);

/* Free buffers are posted for receiving: half of them, the reserve at least, RECEIVE_POSTED_MAX at most. */
void pr_pool_post(struct pr_operator *op);

/* A posted buffer has come back with a packet. */
void pr_pool_received(struct pr_operator *op);

/* Buffers free or posted for receiving. */
unsigned pr_pool_unused(const struct pr_operator *op);

/* False for another site's packet that lay here too long: its numbers may mean others by now. Of the reliable service.
 */
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
