/* Lists of buffers are linked by offsets into the pool, in words, so that the links fit a packet's 32 bits
 * natively too.
 *
 * SPDX-License-Identifier: ISC
 */
#include "operator/pool.h"

#include "operator/operator_private.h"

#define NONE UINT32_MAX

enum {
    RECEIVE_POSTED_MAX = 8,
    FOREIGN_AGE_MAX = 1 << 17 /* clocks: a source sends 32768 packets of 5 words at least in more than that */
};

static struct pr_packet *at(const struct pr_operator *op, uint32_t offset)
{
    return (struct pr_packet *)(op->memory + offset);
}

static uint32_t offset_of(const struct pr_operator *op, const struct pr_packet *packet)
{
    return (uint32_t)((const uint32_t *)packet - op->memory);
}

unsigned pr_pool_unused(const struct pr_operator *op)
{
    return op->free + op->posted;
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
    op->free_list = op->small_list = op->queue_head = op->queue_tail = NONE;
    for (unsigned k = 0; k < op->buffers; k++) {
        pr_pool_release(op, at(op, offset));
        offset += PR_PACKET_BUFFER_WORDS(op->packet_words);
    }
    for (unsigned k = 0; pr_is_reliable(op) && k < PR_SMALL_BUFFERS; k++) {
        pr_pool_release_small(op, at(op, offset));
        offset += PR_PACKET_BUFFER_WORDS(PR_SMALL_PACKET_WORDS);
    }
    op->counters[PR_COUNTER_FEWEST_FREE_BUFFERS - PR_COUNTER_DELIVERED] = op->buffers;
}

unsigned pr_pool_room(const struct pr_operator *op, unsigned reserve)
{
    unsigned spare;
    if (pr_pool_unused(op) <= reserve)
        return 0;
    spare = pr_pool_unused(op) - reserve;
    return spare < op->free ? spare : op->free;
}

struct pr_packet *pr_pool_take(struct pr_operator *op, unsigned reserve)
{
    struct pr_packet *packet;
    if (pr_pool_room(op, reserve) == 0)
        return NULL;
    packet = at(op, op->free_list);
    op->free_list = packet->next;
    op->free--;
    note_use(op);
    return packet;
}

void pr_pool_release(struct pr_operator *op, struct pr_packet *packet)
{
    packet->role = PR_ROLE_POOL;
    packet->next = op->free_list;
    op->free_list = offset_of(op, packet);
    op->free++;
    note_use(op);
}

void pr_pool_post(struct pr_operator *op)
{
    unsigned wanted = pr_pool_unused(op) / 2;
    if (op->posted == RECEIVE_POSTED_MAX)
        return;
    if (wanted < PR_OPERATOR_RECEIVE_RESERVE)
        wanted = PR_OPERATOR_RECEIVE_RESERVE;
    if (wanted > RECEIVE_POSTED_MAX)
        wanted = RECEIVE_POSTED_MAX;
    while (op->free > 0 && op->posted < wanted) {
        struct pr_packet *packet = at(op, op->free_list);
        uint32_t next = packet->next;
        if (!pr_network_interface_post(op->interface, packet))
            return;
        op->free_list = next;
        op->free--;
        op->posted++;
    }
}

void pr_pool_received(struct pr_operator *op)
{
    op->posted--;
    note_use(op);
}

void pr_pool_queue(struct pr_operator *op, struct pr_packet *packet)
{
    uint32_t offset = offset_of(op, packet);
    packet->next = NONE;
    if (op->queue_head == NONE)
        op->queue_head = offset;
    else
        at(op, op->queue_tail)->next = offset;
    op->queue_tail = offset;
}

bool pr_pool_send_at_once(struct pr_operator *op, struct pr_packet *packet)
{
    bool first = op->queue_head == NONE && op->due_count == 0 && op->sending < op->sending_max;
    if (!first || !pr_network_interface_send(op->interface, packet))
        return false;
    op->sending++;
    return true;
}

void pr_pool_release_small(struct pr_operator *op, struct pr_packet *packet)
{
    packet->role = PR_ROLE_SMALL;
    packet->next = op->small_list;
    op->small_list = offset_of(op, packet);
    op->small++;
}

void pr_pool_queue_small(struct pr_operator *op, unsigned site, struct pr_header *header, bool strict)
{
    struct pr_packet *packet = at(op, op->small_list);
    op->small_list = packet->next;
    op->small--;
    packet->words[0] = pr_site_identity_address(op->identity, site) | (strict ? op->strict_bit : 0);
    packet->info[0] = 0;
    packet->kind = 0;
    pr_header_encode(header, packet->words + 1, op->header_kind_bit);
    pr_packet_set_counts(packet, 1, header->words);
    pr_pool_queue(op, packet);
}

bool pr_pool_is_fresh(const struct pr_packet *packet, uint32_t clock)
{
    return clock - packet->stamp_last <= FOREIGN_AGE_MAX;
}

bool pr_pool_send(struct pr_operator *op)
{
    struct pr_packet *packet;
    uint32_t next;
    if (op->queue_head == NONE)
        return false;
    packet = at(op, op->queue_head);
    next = packet->next;
    if (pr_is_reliable(op) && packet->role == PR_ROLE_POOL && !pr_pool_is_fresh(packet, pr_clock_of(op))) {
        op->queue_head = next;
        pr_count(op, PR_COUNTER_FOREIGN_DISCARDED);
        pr_pool_release(op, packet);
        return true;
    }
    if (!pr_network_interface_send(op->interface, packet))
        return false;
    op->queue_head = next;
    op->sending++;
    return true;
}
