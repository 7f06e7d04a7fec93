/* The network_interface of a node: two rings of packets in RAM, and registers that count along them. Inline, because
 * the way of a packet through the operator has few other instructions.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_DRIVERS_PACKET_RINGS_H
#define POSTROAD_DRIVERS_PACKET_RINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "drivers/mmio.h"
#include "wire/packet.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An image that never has more packets underway may define a shorter ring. */
#ifndef PR_RINGS_SEND_LOG2
#define PR_RINGS_SEND_LOG2 5
#endif

enum {
    PR_RINGS_RECEIVE_LOG2 = 3,
    PR_RINGS_SEND_SLOTS = 1 << PR_RINGS_SEND_LOG2,
    PR_RINGS_RECEIVE_SLOTS = 1 << PR_RINGS_RECEIVE_LOG2
};

/* Indices are free-running, as in the registers. Those that are compared with a register have its 8 bits. */
struct pr_packet_rings {
    uint32_t send_next, receive_producer; /* send_next: the producer once another packet is given */
    uint32_t send_room;                   /* slots that hold no packet */
    uint32_t *send_slot, *receive_slot;   /* the next ones: firmware writes the one, and reads the other */
    union {
        struct {
            uint8_t receive_seen, send_seen; /* packets taken back */
        };
        uint16_t seen; /* the same, as in register NI_SEEN */
    };
    uint32_t send_ring[PR_RINGS_SEND_SLOTS];
    uint32_t receive_ring[PR_RINGS_RECEIVE_SLOTS];
};

static_assert(PR_NI_SEEN_SEND_SHIFT == 8, "the bytes of NI_SEEN");
static_assert(2 * PR_RINGS_SEND_SLOTS <= 256, "a full ring and an empty one differ in the 8 bits of a register");

static inline uint32_t pr_rings_address(const void *pointer)
{
    return (uint32_t)(uintptr_t)pointer;
}

/* Both rings are empty. */
static inline void pr_rings_init(struct pr_packet_rings *rings)
{
    rings->receive_producer = rings->seen = 0;
    rings->send_next = 1;
    rings->send_room = PR_RINGS_SEND_SLOTS;
    rings->send_slot = rings->send_ring;
    rings->receive_slot = rings->receive_ring;
}

/* The slot behind another one. */
static inline uint32_t *pr_rings_behind(uint32_t *slot, uint32_t *ring, unsigned slots)
{
    return slot + 1 == ring + slots ? ring : slot + 1;
}

/* Gives an empty buffer to receive into. False: the ring is full. */
static inline bool pr_rings_post(struct pr_packet_rings *rings, struct pr_packet *packet)
{
    uint32_t producer = rings->receive_producer;
    if ((producer - rings->receive_seen) % (2 * PR_RINGS_RECEIVE_SLOTS) == PR_RINGS_RECEIVE_SLOTS)
        return false;
    rings->receive_ring[producer % PR_RINGS_RECEIVE_SLOTS] = pr_rings_address(packet);
    rings->receive_producer = producer + 1;
    pr_mmio_barrier();
    pr_mmio_write(PR_NI_BASE + PR_NI_RECEIVE_PRODUCER, producer + 1);
    return true;
}

/* The next packet received, or NULL. */
static inline struct pr_packet *pr_rings_received(struct pr_packet_rings *rings)
{
    uint8_t seen = rings->receive_seen;
    uint32_t *slot = rings->receive_slot;
    struct pr_packet *packet;
    if (pr_mmio_read_byte(PR_NI_BASE + PR_NI_RECEIVE_CONSUMER) == seen)
        return NULL;
    pr_mmio_barrier();
    packet = (struct pr_packet *)(uintptr_t)*slot;
    rings->receive_seen = (uint8_t)(seen + 1);
    rings->receive_slot = pr_rings_behind(slot, rings->receive_ring, PR_RINGS_RECEIVE_SLOTS);
    return packet;
}

/* Queues a packet. False: the ring is full. */
static inline bool pr_rings_send(struct pr_packet_rings *rings, const struct pr_packet *packet)
{
    uint32_t next = rings->send_next, *slot = rings->send_slot;
    if (rings->send_room == 0)
        return false;
    *slot = pr_rings_address(packet);
    pr_mmio_barrier();
    pr_mmio_write(PR_NI_BASE + PR_NI_SEND_PRODUCER, next);
    pr_mmio_barrier(); /* the packet first, then the book-keeping */
    rings->send_next = next + 1;
    rings->send_slot = pr_rings_behind(slot, rings->send_ring, PR_RINGS_SEND_SLOTS);
    rings->send_room--;
    return true;
}

/* The next packet that has left, or NULL. */
static inline struct pr_packet *pr_rings_sent(struct pr_packet_rings *rings)
{
    uint8_t seen = rings->send_seen;
    if (pr_mmio_read_byte(PR_NI_BASE + PR_NI_SEND_CONSUMER) == seen)
        return NULL;
    pr_mmio_barrier();
    rings->send_seen = (uint8_t)(seen + 1);
    rings->send_room++;
    return (struct pr_packet *)(uintptr_t)rings->send_ring[seen % PR_RINGS_SEND_SLOTS];
}

/* Low half of the clock that stamps the packets. */
static inline uint32_t pr_rings_clock(void)
{
    return pr_mmio_read(PR_CLINT_BASE + PR_CLINT_MTIME_LOW);
}

#ifdef __cplusplus
}
#endif

#endif
