/* See packet_pool.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "functional/packet_pool.h"

#include <stdlib.h>
#include <string.h>

#include "support/or_abort.h"
#include "support/run_memory.h"

enum { SLAB = 64 };

void packet_pool_init(struct packet_pool *pool, unsigned words)
{
    *pool = (struct packet_pool){.words = words};
}

void packet_pool_free(struct packet_pool *pool)
{
    while (pool->slabs) {
        void *next = *(void **)pool->slabs;
        run_memory_free(pool->slabs);
        pool->slabs = next;
    }
}

static void add_slab(struct packet_pool *pool)
{
    size_t size = (sizeof(struct flight) + pool->words * sizeof(uint32_t) + 15) / 16 * 16;
    char *slab = or_abort(run_memory_allocate(1, 16 + SLAB * size));
    *(void **)slab = pool->slabs;
    pool->slabs = slab;
    for (unsigned i = 0; i < SLAB; i++) {
        struct flight *flight = (struct flight *)(slab + 16 + i * size);
        flight->next = pool->free;
        pool->free = flight;
    }
}

/* The targets that go, and the bits that name target_info among them, come first. */
static void copy_targets(struct pr_packet *to, const struct pr_packet *from)
{
    unsigned first = from->first_target, count = pr_packet_sent_targets(from);
    memset(to->info, 0, sizeof to->info);
    for (unsigned i = 0; i < count; i++) {
        to->words[i] = from->words[first + i];
        to->info[i / 32] |= (uint32_t)pr_packet_is_info(from, first + i) << i % 32;
    }
    pr_packet_set_counts(to, count, pr_packet_data_words(from));
}

/* A flight with one copy. */
static struct flight *take_flight(struct packet_pool *pool)
{
    if (!pool->free)
        add_slab(pool);
    struct flight *flight = pool->free;
    pool->free = flight->next;
    pool->flying++;
    flight->next = NULL;
    flight->copies = 1;
    flight->home = 0;
    return flight;
}

struct flight *packet_pool_launch(struct packet_pool *pool, const struct pr_packet *packet)
{
    struct flight *flight = take_flight(pool);
    struct pr_packet *copy = &flight->packet;
    copy->kind = packet->kind & PR_KIND_MULTICAST;
    copy_targets(copy, packet);
    memcpy(copy->words + copy->target_words, packet->words + packet->target_words,
           packet->data_words * sizeof(uint32_t));
    flight->end = (uint16_t)(copy->target_words + copy->data_words);
    return flight;
}

struct flight *packet_pool_copy(struct packet_pool *pool, const struct flight *flight)
{
    struct flight *copy = take_flight(pool);
    const struct pr_packet *packet = &flight->packet;
    memcpy(&copy->packet, packet, sizeof *packet + (packet->target_words + packet->data_words) * sizeof *packet->words);
    copy->end = flight->end;
    return copy;
}

struct flight *packet_pool_adopt(struct packet_pool *pool, const void *packet, size_t size, unsigned home_rank,
                                 uint64_t home)
{
    struct flight *flight = take_flight(pool);
    memcpy(&flight->packet, packet, size);
    flight->home = home;
    flight->home_rank = home_rank;
    flight->end = (uint16_t)(flight->packet.target_words + flight->packet.data_words);
    return flight;
}

static void put(struct flight **list, struct flight *flight)
{
    flight->next = *list;
    *list = flight;
}

const struct flight *packet_pool_landed(struct packet_pool *pool)
{
    struct flight *flight = pool->landed;
    if (!flight)
        return NULL;
    pool->landed = flight->next;
    put(&pool->free, flight);
    return flight;
}

void packet_pool_land(struct packet_pool *pool, struct flight *flight)
{
    if (--flight->copies)
        return;
    put(flight->home ? &pool->landed : &pool->free, flight);
    pool->flying--;
}
