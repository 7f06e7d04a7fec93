/* See pool.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "operator/pool.h"

enum {
    RECEIVE_POSTED_MAX = 8,
    FOREIGN_AGE_MAX = 1 << 17 /* clocks: a source takes longer to send 32768 packets of at least 5 words */
};

static struct pr_packet *at(const struct pr_buffer_pool *pool, uint32_t offset)
{
    return (struct pr_packet *)(pool->memory + offset);
}

static uint32_t offset_of(const struct pr_buffer_pool *pool, const struct pr_packet *packet)
{
    return (uint32_t)((const uint32_t *)packet - pool->memory);
}

unsigned pr_pool_unused(const struct pr_buffer_pool *pool)
{
    return pool->free + pool->posted;
}

static void note_use(struct pr_buffer_pool *pool)
{
    if (pr_pool_unused(pool) < pool->fewest)
        pool->fewest = pr_pool_unused(pool);
}

void pr_pool_init(struct pr_buffer_pool *pool, unsigned small, unsigned route_words)
{
    uint32_t offset = 0;
    pool->free_list = pool->small_list = pool->queue_head = pool->queue_tail = PR_POOL_NONE;
    for (unsigned k = 0; k < pool->buffers; k++) {
        pr_pool_release(pool, at(pool, offset));
        offset += PR_PACKET_BUFFER_WORDS(pool->packet_words + route_words);
    }
    for (unsigned k = 0; k < small; k++) {
        pr_pool_release_small(pool, at(pool, offset));
        offset += PR_PACKET_BUFFER_WORDS(PR_SMALL_PACKET_WORDS + route_words);
    }
    pool->fewest = pool->buffers;
}

unsigned pr_pool_room(const struct pr_buffer_pool *pool, unsigned reserve)
{
    unsigned spare;
    if (pr_pool_unused(pool) <= reserve)
        return 0;
    spare = pr_pool_unused(pool) - reserve;
    return spare < pool->free ? spare : pool->free;
}

struct pr_packet *pr_pool_take(struct pr_buffer_pool *pool, unsigned reserve)
{
    struct pr_packet *packet;
    if (pr_pool_room(pool, reserve) == 0)
        return NULL;
    packet = at(pool, pool->free_list);
    pool->free_list = packet->next;
    pool->free--;
    note_use(pool);
    return packet;
}

void pr_pool_release(struct pr_buffer_pool *pool, struct pr_packet *packet)
{
    packet->role = PR_ROLE_POOL;
    packet->next = pool->free_list;
    pool->free_list = offset_of(pool, packet);
    pool->free++;
    note_use(pool);
}

void pr_pool_post(struct pr_buffer_pool *pool, struct pr_network_interface *interface)
{
    unsigned wanted = pr_pool_unused(pool) / 2;
    if (pool->posted == RECEIVE_POSTED_MAX)
        return;
    if (wanted < PR_OPERATOR_RECEIVE_RESERVE)
        wanted = PR_OPERATOR_RECEIVE_RESERVE;
    if (wanted > RECEIVE_POSTED_MAX)
        wanted = RECEIVE_POSTED_MAX;
    while (pool->free > 0 && pool->posted < wanted) {
        struct pr_packet *packet = at(pool, pool->free_list);
        uint32_t next = packet->next;
        if (!pr_network_interface_post(interface, packet))
            return;
        pool->free_list = next;
        pool->free--;
        pool->posted++;
    }
}

void pr_pool_received(struct pr_buffer_pool *pool)
{
    pool->posted--;
    note_use(pool);
}

void pr_pool_queue(struct pr_buffer_pool *pool, struct pr_packet *packet)
{
    uint32_t offset = offset_of(pool, packet);
    packet->next = PR_POOL_NONE;
    if (pool->queue_head == PR_POOL_NONE)
        pool->queue_head = offset;
    else
        at(pool, pool->queue_tail)->next = offset;
    pool->queue_tail = offset;
}

void pr_pool_release_small(struct pr_buffer_pool *pool, struct pr_packet *packet)
{
    packet->role = PR_ROLE_SMALL;
    packet->next = pool->small_list;
    pool->small_list = offset_of(pool, packet);
    pool->small++;
}

struct pr_packet *pr_pool_take_small(struct pr_buffer_pool *pool)
{
    struct pr_packet *packet = at(pool, pool->small_list);
    pool->small_list = packet->next;
    pool->small--;
    return packet;
}

struct pr_packet *pr_pool_queue_first(const struct pr_buffer_pool *pool)
{
    return pool->queue_head == PR_POOL_NONE ? NULL : at(pool, pool->queue_head);
}

bool pr_pool_is_fresh(const struct pr_packet *packet, uint32_t clock)
{
    return clock - packet->stamp_last <= FOREIGN_AGE_MAX;
}
