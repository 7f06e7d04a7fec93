/* See ni_dma.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "platform/soc/ni_dma.h"

#include <string.h>

#include "drivers/mmio.h"
#include "protocol.h"

enum { SEND_SLOTS = 1 << PR_SOC_SEND_RING_LOG2, RECEIVE_SLOTS = 1 << PR_SOC_RECEIVE_RING_LOG2 };

static struct pr_ni_dma *soc_of(struct pr_network_interface *interface)
{
    return (struct pr_ni_dma *)interface; /* its first member */
}

static uint32_t address_of(const void *pointer)
{
    return (uint32_t)(uintptr_t)pointer;
}

/* The number of ring slots between two indices. A full ring and an empty ring give different results, without a shift
 * to 16 bits. */
static unsigned used(unsigned producer, unsigned seen, unsigned slots)
{
    return (producer - seen) % (2 * slots);
}

static bool post(struct pr_network_interface *interface, struct pr_packet *packet)
{
    struct pr_ni_dma *soc = soc_of(interface);
    if (used(soc->receive_producer, soc->receive_seen, RECEIVE_SLOTS) == RECEIVE_SLOTS)
        return false;
    soc->receive_ring[soc->receive_producer++ % RECEIVE_SLOTS] = address_of(packet);
    pr_mmio_barrier();
    pr_mmio_write(PR_NI_BASE + PR_NI_RECEIVE_PRODUCER, soc->receive_producer);
    return true;
}

static struct pr_packet *received(struct pr_network_interface *interface)
{
    struct pr_ni_dma *soc = soc_of(interface);
    if (pr_mmio_read_half(PR_NI_BASE + PR_NI_RECEIVE_CONSUMER) == soc->receive_seen)
        return NULL;
    pr_mmio_barrier();
    return (struct pr_packet *)(uintptr_t)soc->receive_ring[soc->receive_seen++ % RECEIVE_SLOTS];
}

static unsigned send_room(struct pr_network_interface *interface)
{
    const struct pr_ni_dma *soc = soc_of(interface);
    return SEND_SLOTS - used(soc->send_producer, soc->send_seen, SEND_SLOTS);
}

static bool send(struct pr_network_interface *interface, struct pr_packet *packet)
{
    struct pr_ni_dma *soc = soc_of(interface);
    if (send_room(interface) == 0)
        return false;
    soc->send_ring[soc->send_producer++ % SEND_SLOTS] = address_of(packet);
    pr_mmio_barrier();
    pr_mmio_write(PR_NI_BASE + PR_NI_SEND_PRODUCER, soc->send_producer);
    return true;
}

static struct pr_packet *sent(struct pr_network_interface *interface)
{
    struct pr_ni_dma *soc = soc_of(interface);
    if (pr_mmio_read_half(PR_NI_BASE + PR_NI_SEND_CONSUMER) == soc->send_seen)
        return NULL;
    pr_mmio_barrier();
    return (struct pr_packet *)(uintptr_t)soc->send_ring[soc->send_seen++ % SEND_SLOTS];
}

static uint32_t counter(struct pr_network_interface *interface, unsigned index)
{
    (void)interface;
    return index < PR_COUNTER_DELIVERED ? pr_mmio_read(PR_NI_BASE + PR_NI_COUNTER(index)) : 0;
}

static uint32_t clock_now(struct pr_network_interface *interface)
{
    (void)interface;
    return pr_mmio_read(PR_NI_BASE + PR_NI_CLOCK_LOW);
}

static void relieve(struct pr_network_interface *interface, bool on)
{
    (void)interface;
    pr_mmio_write(PR_NI_BASE + PR_NI_CONTROL,
                  PR_NI_CONTROL_ENABLE_RECEIVE | PR_NI_CONTROL_ENABLE_SEND | (on ? PR_NI_CONTROL_RELIEF : 0));
}

static const struct pr_network_interface_functions soc_functions = {
    .post = post,
    .received = received,
    .send = send,
    .sent = sent,
    .send_room = send_room,
    .counter = counter,
    .clock = clock_now,
    .relieve = relieve,
};

void pr_ni_dma_init(struct pr_ni_dma *soc, uint16_t receive_words)
{
    memset(soc, 0, sizeof *soc);
    soc->interface.functions = &soc_functions;
    soc->interface.capabilities = pr_capabilities_decode(pr_mmio_read(PR_NI_BASE + PR_NI_CAPABILITIES));
    pr_mmio_write(PR_NI_BASE + PR_NI_SEND_RING, address_of(soc->send_ring));
    pr_mmio_write(PR_NI_BASE + PR_NI_SEND_RING_LOG2, PR_SOC_SEND_RING_LOG2);
    pr_mmio_write(PR_NI_BASE + PR_NI_RECEIVE_RING, address_of(soc->receive_ring));
    pr_mmio_write(PR_NI_BASE + PR_NI_RECEIVE_RING_LOG2, PR_SOC_RECEIVE_RING_LOG2);
    pr_mmio_write(PR_NI_BASE + PR_NI_RECEIVE_WORDS, receive_words);
    pr_mmio_write(PR_NI_BASE + PR_NI_CONTROL, PR_NI_CONTROL_ENABLE_RECEIVE | PR_NI_CONTROL_ENABLE_SEND);
}

void pr_ni_dma_sleep(const struct pr_ni_dma *soc)
{
    pr_mmio_write(PR_NI_BASE + PR_NI_SEEN, (uint32_t)soc->send_seen << PR_NI_SEEN_SEND_SHIFT | soc->receive_seen);
    (void)pr_mmio_read(PR_NI_BASE + PR_NI_WAIT);
}
