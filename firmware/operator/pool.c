/* Lists of buffers are linked by offsets into the pool, in words, so that the links fit a packet's 32 bits
 * natively too.
 */
#include "operator/pool.h"

#include "operator/operator_private.h"

#define NONE UINT32_MAX

enum {
    RECEIVE_POSTED_MAX = 8,
    FOREIGN_AGE_MAX = 1 << 17       /* clocks: a source sends 32768 packets of 5 words at least in more than that */
};

static struct packet *at(const struct operator *operator, uint32_t offset)
{
    return (struct packet *)(operator->memory + offset);
}

static uint32_t offset_of(const struct operator *operator, const struct packet *packet)
{
    return (uint32_t)((const uint32_t *)packet - operator->memory);
}

unsigned pool_unused(const struct operator *operator)
{
    return operator->free + operator->posted;
}

static void note_use(struct operator *operator)
{
    uint32_t *fewest = &operator->counters[COUNTER_FEWEST_FREE_BUFFERS - COUNTER_DELIVERED];

    operator->counters[COUNTER_FREE_BUFFERS - COUNTER_DELIVERED] = pool_unused(operator);
    if (pool_unused(operator) < *fewest)
        *fewest = pool_unused(operator);
}

void pool_init(struct operator *operator)
{
    uint32_t offset = 0;

    operator->free_list = operator->small_list = operator->queue_head = operator->queue_tail = NONE;
    for (unsigned k = 0; k < operator->buffers; k++) {
        pool_release(operator, at(operator, offset));
        offset += PACKET_BUFFER_WORDS(operator->packet_words);
    }
    for (unsigned k = 0; is_reliable(operator) && k < SMALL_BUFFERS; k++) {
        pool_release_small(operator, at(operator, offset));
        offset += PACKET_BUFFER_WORDS(SMALL_PACKET_WORDS);
    }
    operator->counters[COUNTER_FEWEST_FREE_BUFFERS - COUNTER_DELIVERED] = operator->buffers;
}

unsigned pool_room(const struct operator *operator, unsigned reserve)
{
    unsigned spare;

    if (pool_unused(operator) <= reserve)
        return 0;
    spare = pool_unused(operator) - reserve;
    return spare < operator->free ? spare : operator->free;
}

struct packet *pool_take(struct operator *operator, unsigned reserve)
{
    struct packet *packet;

    if (pool_room(operator, reserve) == 0)
        return NULL;
    packet = at(operator, operator->free_list);
    operator->free_list = packet->next;
    operator->free--;
    note_use(operator);
    return packet;
}

void pool_release(struct operator *operator, struct packet *packet)
{
    packet->role = ROLE_POOL;
    packet->next = operator->free_list;
    operator->free_list = offset_of(operator, packet);
    operator->free++;
    note_use(operator);
}

void pool_post(struct operator *operator)
{
    unsigned wanted = pool_unused(operator) / 2;

    if (operator->posted == RECEIVE_POSTED_MAX)
        return;
    if (wanted < OPERATOR_RECEIVE_RESERVE)
        wanted = OPERATOR_RECEIVE_RESERVE;
    if (wanted > RECEIVE_POSTED_MAX)
        wanted = RECEIVE_POSTED_MAX;
    while (operator->free > 0 && operator->posted < wanted) {
        struct packet *packet = at(operator, operator->free_list);
        uint32_t next = packet->next;

        if (!network_interface_post(operator->interface, packet))
            return;
        operator->free_list = next;
        operator->free--;
        operator->posted++;
    }
}

void pool_received(struct operator *operator)
{
    operator->posted--;
    note_use(operator);
}

void pool_queue(struct operator *operator, struct packet *packet)
{
    uint32_t offset = offset_of(operator, packet);

    packet->next = NONE;
    if (operator->queue_head == NONE)
        operator->queue_head = offset;
    else
        at(operator, operator->queue_tail)->next = offset;
    operator->queue_tail = offset;
}

bool pool_send_at_once(struct operator *operator, struct packet *packet)
{
    bool first = operator->queue_head == NONE && operator->due_count == 0 && operator->sending < operator->sending_max;

    if (!first || !network_interface_send(operator->interface, packet))
        return false;
    operator->sending++;
    return true;
}

void pool_release_small(struct operator *operator, struct packet *packet)
{
    packet->role = ROLE_SMALL;
    packet->next = operator->small_list;
    operator->small_list = offset_of(operator, packet);
    operator->small++;
}

void pool_queue_small(struct operator *operator, unsigned site, struct header *header, bool strict)
{
    struct packet *packet = at(operator, operator->small_list);

    operator->small_list = packet->next;
    operator->small--;
    packet->words[0] = node_identity_address(operator->identity, site) | (strict ? operator->strict_bit : 0);
    packet->info[0] = 0;
    packet->kind = 0;
    header_encode(header, packet->words + 1, operator->strict_bit);
    packet_set_counts(packet, 1, header->words);
    pool_queue(operator, packet);
}

bool pool_is_fresh(const struct packet *packet, uint32_t clock)
{
    return clock - packet->stamp_last <= FOREIGN_AGE_MAX;
}

bool pool_send(struct operator *operator)
{
    struct packet *packet;
    uint32_t next;

    if (operator->queue_head == NONE)
        return false;
    packet = at(operator, operator->queue_head);
    next = packet->next;
    if (is_reliable(operator) && packet->role == ROLE_POOL && !pool_is_fresh(packet, clock_of(operator))) {
        operator->queue_head = next;
        count(operator, COUNTER_FOREIGN_DISCARDED);
        pool_release(operator, packet);
        return true;
    }
    if (!network_interface_send(operator->interface, packet))
        return false;
    operator->queue_head = next;
    operator->sending++;
    return true;
}
