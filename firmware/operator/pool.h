/* The operator's buffers and its queue of packets to be sent. Private to the operator. */
#ifndef OPERATOR_POOL_H
#define OPERATOR_POOL_H

#include "operator/operator.h"

/* Who a buffer belongs to: packet->role. */
enum {
    ROLE_POOL,                      /* free, receiving, or with another site's packet */
    ROLE_IN_HAND,                   /* with another site's packet that is being looked at: stays until that is done */
    ROLE_SMALL,                     /* an acknowledgement or control packet */
    ROLE_WINDOW                     /* a packet of this site's window: + its slot */
};

/* All buffers free, nothing queued. */
void pool_init(struct operator *operator);

/* Buffers that may be taken if so many are to be left for receiving. */
unsigned pool_room(const struct operator *operator, unsigned reserve);

/* Takes one of them, or NULL. */
struct packet *pool_take(struct operator *operator, unsigned reserve);

void pool_release(struct operator *operator, struct packet *packet);

/* Free buffers are posted for receiving: half of them, the reserve at least, RECEIVE_POSTED_MAX at most. */
void pool_post(struct operator *operator);

/* A posted buffer has come back with a packet. */
void pool_received(struct operator *operator);

/* Buffers free or posted for receiving. */
unsigned pool_unused(const struct operator *operator);

/* False for another site's packet that lay here too long: its numbers may mean others by now. Of the reliable service. */
bool pool_is_fresh(const struct packet *packet, uint32_t clock);

/* Puts a packet at the end of the send queue. */
void pool_queue(struct operator *operator, struct packet *packet);

/* Gives a packet to the network_interface if nothing has to leave before it. False: it is to be queued. */
bool pool_send_at_once(struct operator *operator, struct packet *packet);

/* Puts a header alone into the queue, in a small buffer, to one site. There must be a small buffer. */
void pool_queue_small(struct operator *operator, unsigned site, struct header *header, bool strict);
void pool_release_small(struct operator *operator, struct packet *packet);

/* Gives the network_interface the first of the queue. False: the queue is empty, or the interface full. */
bool pool_send(struct operator *operator);

#endif
