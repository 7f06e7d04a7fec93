/* Lists of buffers are linked by offsets into the pool, in words, so that the links fit a packet's 32 bits
 * natively too.
 */
#include "operator/pool.h"

#define NONE UINT32_MAX

enum { RECEIVE_POSTED_MAX = 8 };

static struct packet *at(const struct operator *operator, uint32_t offset)
{
    return (struct packet *)(operator->pool + offset);
}

static uint32_t offset_of(const struct operator *operator, const struct packet *packet)
{
    return (uint32_t)((const uint32_t *)packet - operator->pool);
}

static unsigned unused(const struct operator *operator)
{
    return operator->free + operator->posted;
}

static void note_use(struct operator *operator)
{
    uint32_t *fewest = &operator->counters[COUNTER_FEWEST_FREE_BUFFERS - COUNTER_DELIVERED];

    operator->counters[COUNTER_FREE_BUFFERS - COUNTER_DELIVERED] = unused(operator);
    if (unused(operator) < *fewest)
        *fewest = unused(operator);
}

void pool_init(struct operator *operator)
{
    uint32_t offset = 0;

    operator->free_list = operator->queue_head = operator->queue_tail = NONE;
    for (unsigned k = 0; k < operator->buffers; k++) {
        pool_release(operator, at(operator, offset));
        offset += PACKET_BUFFER_WORDS(operator->packet_words);
    }
    operator->counters[COUNTER_FEWEST_FREE_BUFFERS - COUNTER_DELIVERED] = operator->buffers;
}

unsigned pool_room(const struct operator *operator, unsigned reserve)
{
    unsigned spare;

    if (unused(operator) <= reserve)
        return 0;
    spare = unused(operator) - reserve;
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
    packet->next = operator->free_list;
    operator->free_list = offset_of(operator, packet);
    operator->free++;
    note_use(operator);
}

void pool_post(struct operator *operator)
{
    unsigned wanted = unused(operator) / 2;

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
    pool_send(operator);
}

void pool_send(struct operator *operator)
{
    while (operator->queue_head != NONE) {
        struct packet *packet = at(operator, operator->queue_head);
        uint32_t next = packet->next;

        if (!network_interface_send(operator->interface, packet))
            return;
        operator->queue_head = next;
    }
}
