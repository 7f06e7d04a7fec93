/* See pool.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "operator/pool.h"

#include "operator/operator_private.h"

enum {
    RECEIVE_POSTED_MAX = 8,
    FOREIGN_AGE_MAX = 1 << 17 /* clocks: a source takes longer to send 32768 packets of at least 5 words */
};

static struct pr_packet *at(const struct pr_operator *op, uint32_t offset)
{
    return (struct pr_packet *)(op->pool.memory + offset);
}

static uint32_t offset_of(const struct pr_operator *op, const struct pr_packet *packet)
{
    return (uint32_t)((const uint32_t *)packet - op->pool.memory);
}

unsigned pr_pool_unused(const struct pr_operator *op)
{
    return op->pool.free + op->pool.posted;
}

static void note_use(struct pr_operator *op)
{
    uint32_t *fewest = &op->counters[PR_COUNTER_FEWEST_FREE_BUFFERS - PR_COUNTER_DELIVERED];
    op->counters[PR_COUNTER_FREE_BUFFERS - PR_COUNTER_DELIVERED] = pr_pool_unused(op);
    if (pr_pool_unused(op) < *fewest)
        *fewest = pr_pool_unused(op);
}

void pr_pool_init(struct pr_operator *op)
{
    uint32_t offset = 0;
    op->pool.free_list = op->pool.small_list = op->pool.queue_head = op->pool.queue_tail = PR_POOL_NONE;
    for (unsigned k = 0; k < op->pool.buffers; k++) {
        pr_pool_release(op, at(op, offset));
        offset += PR_PACKET_BUFFER_WORDS(op->pool.packet_words + pr_ways_room(&op->ways));
    }
    for (unsigned k = 0; pr_is_reliable(op) && k < PR_SMALL_BUFFERS; k++) {
        pr_pool_release_small(op, at(op, offset));
        offset += PR_PACKET_BUFFER_WORDS(PR_SMALL_PACKET_WORDS + pr_ways_room(&op->ways));
    }
    op->counters[PR_COUNTER_FEWEST_FREE_BUFFERS - PR_COUNTER_DELIVERED] = op->pool.buffers;
}

unsigned pr_pool_room(const struct pr_operator *op, unsigned reserve)
{
    unsigned spare;
    if (pr_pool_unused(op) <= reserve)
        return 0;
    spare = pr_pool_unused(op) - reserve;
    return spare < op->pool.free ? spare : op->pool.free;
}

struct pr_packet *pr_pool_take(struct pr_operator *op, unsigned reserve)
{
    struct pr_packet *packet;
    if (pr_pool_room(op, reserve) == 0)
        return NULL;
    packet = at(op, op->pool.free_list);
    op->pool.free_list = packet->next;
    op->pool.free--;
    note_use(op);
    return packet;
}

void pr_pool_release(struct pr_operator *op, struct pr_packet *packet)
{
    packet->role = PR_ROLE_POOL;
    packet->next = op->pool.free_list;
    op->pool.free_list = offset_of(op, packet);
    op->pool.free++;
    note_use(op);
}

void pr_pool_post(struct pr_operator *op)
{
    unsigned wanted = pr_pool_unused(op) / 2;
    if (op->pool.posted == RECEIVE_POSTED_MAX)
        return;
    if (wanted < PR_OPERATOR_RECEIVE_RESERVE)
        wanted = PR_OPERATOR_RECEIVE_RESERVE;
    if (wanted > RECEIVE_POSTED_MAX)
        wanted = RECEIVE_POSTED_MAX;
    while (op->pool.free > 0 && op->pool.posted < wanted) {
        struct pr_packet *packet = at(op, op->pool.free_list);
        uint32_t next = packet->next;
        if (!pr_network_interface_post(op->interface, packet))
            return;
        op->pool.free_list = next;
        op->pool.free--;
        op->pool.posted++;
    }
}

void pr_pool_received(struct pr_operator *op)
{
    op->pool.posted--;
    note_use(op);
}

void pr_pool_queue(struct pr_operator *op, struct pr_packet *packet)
{
    uint32_t offset = offset_of(op, packet);
    packet->next = PR_POOL_NONE;
    if (op->pool.queue_head == PR_POOL_NONE)
        op->pool.queue_head = offset;
    else
        at(op, op->pool.queue_tail)->next = offset;
    op->pool.queue_tail = offset;
}

void pr_pool_release_small(struct pr_operator *op, struct pr_packet *packet)
{
    packet->role = PR_ROLE_SMALL;
    packet->next = op->pool.small_list;
    op->pool.small_list = offset_of(op, packet);
    op->pool.small++;
}

struct pr_packet *pr_pool_take_small(struct pr_operator *op)
{
    struct pr_packet *packet = at(op, op->pool.small_list);
    op->pool.small_list = packet->next;
    op->pool.small--;
    return packet;
}

struct pr_packet *pr_pool_queue_first(const struct pr_operator *op)
{
    return op->pool.queue_head == PR_POOL_NONE ? NULL : at(op, op->pool.queue_head);
}

bool pr_pool_is_fresh(const struct pr_packet *packet, uint32_t clock)
{
    return clock - packet->stamp_last <= FOREIGN_AGE_MAX;
}
