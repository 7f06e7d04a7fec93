/* The operator's buffers and its queue of packets to be sent. Private to the operator. */
#ifndef OPERATOR_POOL_H
#define OPERATOR_POOL_H

#include "operator/operator.h"

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

/* Puts a packet at the end of the send queue, and gives the network_interface what it takes. */
void pool_queue(struct operator *operator, struct packet *packet);
void pool_send(struct operator *operator);

#endif
