/* Packet buffers of the operator, and the queue of packets to be sent. Private to the operator, except for the sizes.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_OPERATOR_POOL_H
#define POSTROAD_OPERATOR_POOL_H

#include "operator/network_interface.h"
#include "wire/header.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { PR_OPERATOR_RECEIVE_RESERVE = 2 }; /* buffers that stay for receiving: no send takes them */

/* Acknowledgements and control packets leave from small buffers of their own. */
enum { PR_SMALL_BUFFERS = 4, PR_SMALL_PACKET_WORDS = 1 + PR_HEADER_SOURCE + 1 + PR_CONTROL_WORDS };

/* Lists of buffers are offsets into `memory`, in words, so that a link fits a packet's 32 bits natively too. */
struct pr_buffer_pool {
    uint32_t *memory;               /* buffers, then small buffers */
    unsigned buffers, packet_words; /* how many buffers, and the words of a packet that one takes, without its route */
    uint32_t free_list, small_list;
    uint32_t queue_head, queue_tail; /* packets to be sent, but for the send window's */
    unsigned free, posted, small;    /* buffers on the free list, given to receive into, small ones free */
    unsigned fewest;                 /* unused ones, ever */
};

/* Owner of a buffer: packet->role. */
enum {
    PR_ROLE_POOL,    /* free, posted, or with another site's packet or a raw packet */
    PR_ROLE_IN_HAND, /* with another site's packet whose receipt is not finished: not to be released */
    PR_ROLE_SMALL,   /* an acknowledgement or control packet */
    PR_ROLE_WINDOW   /* + slot number: a packet of this site's send window */
};

/* Makes all buffers, and so many small ones, free and the queue empty. memory, buffers and packet_words are set.
 * route_words: what each buffer has in addition. */
void pr_pool_init(struct pr_buffer_pool *pool, unsigned small, unsigned route_words);

/* Buffers that may be taken if `reserve` are to stay for receiving. */
unsigned pr_pool_room(const struct pr_buffer_pool *pool, unsigned reserve);

/* Takes one of them, or NULL. */
struct pr_packet *pr_pool_take(struct pr_buffer_pool *pool, unsigned reserve);

void pr_pool_release(struct pr_buffer_pool *pool, struct pr_packet *packet);

/* Posts free buffers for receiving: half of the unused ones, between the reserve and RECEIVE_POSTED_MAX. */
void pr_pool_post(struct pr_buffer_pool *pool, struct pr_network_interface *interface);

/* A posted buffer was returned with a packet. Noted late: the packet is sent on first. */
void pr_pool_received(struct pr_buffer_pool *pool);

/* Buffers free or posted for receiving. */
unsigned pr_pool_unused(const struct pr_buffer_pool *pool);

/* Reliable service: false if another site's packet was stored here so long that its 16-bit sequence number may have
 * wrapped and name another packet. */
bool pr_pool_is_fresh(const struct pr_packet *packet, uint32_t clock);

#define PR_POOL_NONE UINT32_MAX /* ends a list */

/* Puts a packet at the end of the send queue. */
void pr_pool_queue(struct pr_buffer_pool *pool, struct pr_packet *packet);

/* The packet at the head of the send queue, or NULL. packet->next links the queue. */
struct pr_packet *pr_pool_queue_first(const struct pr_buffer_pool *pool);

/* Small buffers. There must be one to take: pool->small > 0. */
struct pr_packet *pr_pool_take_small(struct pr_buffer_pool *pool);
void pr_pool_release_small(struct pr_buffer_pool *pool, struct pr_packet *packet);

#ifdef __cplusplus
}
#endif

#endif
