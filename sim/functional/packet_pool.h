/* Packets in flight: what an operator has sent, kept until the last copy has ended.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_FUNCTIONAL_PACKET_POOL_H
#define POSTROAD_FUNCTIONAL_PACKET_POOL_H

#include "wire/packet.h"

struct flight {
    struct flight *next;     /* in a fifo_buffer */
    uint64_t first, last;    /* clocks in which its first word and its terminator entered the sender's fifo_buffer */
    unsigned copies;         /* branches and arrivals that hold it */
    uint16_t end;            /* index of the terminator: words before it */
    unsigned home_rank;      /* with `home`: whose packet it is */
    uint64_t home;           /* of a copy made for a packet of another rank: that packet's address there; else 0 */
    struct pr_packet packet; /* the targets that were sent, then the data; its words follow */
};

struct packet_pool {
    struct flight *free;
    struct flight *landed; /* packets of other ranks that these have not been told about */
    void *slabs;           /* each begins with the address of the next */
    unsigned words, flying;
};

/* words: of the longest packet, without its terminator. */
void packet_pool_init(struct packet_pool *pool, unsigned words);
void packet_pool_free(struct packet_pool *pool);

/* A packet begins its flight, with one copy. */
struct flight *packet_pool_launch(struct packet_pool *pool, const struct pr_packet *packet);

/* A packet with the contents of another one begins its flight, with one copy. */
struct flight *packet_pool_copy(struct packet_pool *pool, const struct flight *flight);

/* A packet that another rank has sent crosses to this one: its descriptor and words, so many bytes. It has one copy. */
struct flight *packet_pool_adopt(struct packet_pool *pool, const void *packet, size_t size, unsigned home_rank,
                                 uint64_t home);

/* A packet of another rank whose last copy here has ended, once for each; NULL if there is none. What it points to is
 * valid until the next packet begins its flight. */
const struct flight *packet_pool_landed(struct packet_pool *pool);

/* A copy has ended. */
void packet_pool_land(struct packet_pool *pool, struct flight *flight);

/* In a packet's words: null_target in the place of a site word. No site word has all its bits set. */
#define FLIGHT_NULL_TARGET UINT32_MAX

/* True if word `index` of the packet is a site word. */
static inline bool flight_is_site_word(const struct flight *flight, unsigned index)
{
    return index < flight->packet.target_words && !pr_packet_is_info(&flight->packet, index);
}

/* True if it is one, and no null_target is in its place. */
static inline bool flight_has_target(const struct flight *flight, unsigned index)
{
    return flight_is_site_word(flight, index) && flight->packet.words[index] != FLIGHT_NULL_TARGET;
}

#endif
