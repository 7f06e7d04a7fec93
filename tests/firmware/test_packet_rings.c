/* A node's rings of packets, against a network_interface that is a queue: packets come back once each and in order, a
 * full ring is refused, and indices wrap round at 8 bits, as the registers do.
 *
 * SPDX-License-Identifier: ISC
 */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define POSTROAD_DRIVERS_MMIO_H /* registers are these functions */
static void pr_mmio_write(uintptr_t address, uint32_t value);
static uint32_t pr_mmio_read(uintptr_t address);
static uint8_t pr_mmio_read_byte(uintptr_t address);
static inline void pr_mmio_barrier(void) {}

#include "check.h"
#include "drivers/packet_rings.h"

enum { STEPS = 600000, CLOCK = 1234 };

/* One direction: what firmware gave, what the hardware has finished, and what firmware took back; never wraps. */
struct direction {
    unsigned slots;
    uint64_t given, finished, taken;
    uint8_t producer; /* the register */
};

static struct pr_packet_rings rings;
static struct direction sending, receiving;
static uint64_t random_state;

static void pr_mmio_write(uintptr_t address, uint32_t value)
{
    struct direction *direction = address == PR_NI_BASE + PR_NI_SEND_PRODUCER ? &sending : &receiving;
    CHECK(direction == &sending || address == PR_NI_BASE + PR_NI_RECEIVE_PRODUCER);
    direction->producer = (uint8_t)value;
}

static uint32_t pr_mmio_read(uintptr_t address)
{
    CHECK_EQUAL(address, PR_CLINT_BASE + PR_CLINT_MTIME_LOW);
    return CLOCK;
}

static uint8_t pr_mmio_read_byte(uintptr_t address)
{
    CHECK(address == PR_NI_BASE + PR_NI_SEND_CONSUMER || address == PR_NI_BASE + PR_NI_RECEIVE_CONSUMER);
    return (uint8_t)(address == PR_NI_BASE + PR_NI_SEND_CONSUMER ? sending : receiving).finished;
}

/* The address stands for the packet: no ring looks into one. The entry in RAM is what the hardware would read. */
static struct pr_packet *packet_of(uint64_t number)
{
    return (struct pr_packet *)(uintptr_t)(number % 1000003 * 64);
}

static void give(struct direction *direction, const uint32_t *ring,
                 bool (*function)(struct pr_packet_rings *, struct pr_packet *))
{
    bool full = direction->given - direction->taken == direction->slots;
    CHECK_EQUAL(function(&rings, packet_of(direction->given)), !full);
    if (full)
        return;
    CHECK_EQUAL(ring[direction->given % direction->slots], pr_rings_address(packet_of(direction->given)));
    direction->given++;
    CHECK_EQUAL(direction->producer, (uint8_t)direction->given);
}

static void take(struct direction *direction, struct pr_packet *(*function)(struct pr_packet_rings *))
{
    struct pr_packet *packet = function(&rings);
    if (direction->taken == direction->finished) {
        CHECK(packet == NULL);
        return;
    }
    CHECK(packet == packet_of(direction->taken));
    direction->taken++;
}

static bool send(struct pr_packet_rings *to, struct pr_packet *packet)
{
    return pr_rings_send(to, packet);
}

static void step(void)
{
    struct direction *direction = check_below(&random_state, 2) ? &sending : &receiving;
    switch (check_below(&random_state, 3)) {
    case 0:
        if (direction == &sending)
            give(direction, rings.send_ring, send);
        else
            give(direction, rings.receive_ring, pr_rings_post);
        break;
    case 1:
        direction->finished += direction->finished < direction->given;
        break;
    default:
        take(direction, direction == &sending ? pr_rings_sent : pr_rings_received);
    }
    CHECK_EQUAL(rings.seen, (unsigned)(uint8_t)sending.taken << PR_NI_SEEN_SEND_SHIFT | (uint8_t)receiving.taken);
}

int main(void)
{
    random_state = check_seed();
    pr_rings_init(&rings);
    sending.slots = PR_RINGS_SEND_SLOTS;
    receiving.slots = PR_RINGS_RECEIVE_SLOTS;
    CHECK_EQUAL(pr_rings_clock(), CLOCK);
    for (unsigned k = 0; k < STEPS; k++)
        step();
    CHECK(sending.taken > UINT16_MAX && receiving.taken > UINT16_MAX);
    return 0;
}
