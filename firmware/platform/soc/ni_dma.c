/* See soc_interface.h. */
#include "platform/soc/ni_dma.h"

#include <string.h>

#include "drivers/mmio.h"
#include "protocol.h"

enum { SEND_SLOTS = 1 << SOC_SEND_RING_LOG2, RECEIVE_SLOTS = 1 << SOC_RECEIVE_RING_LOG2 };

static struct soc_interface *soc_of(struct network_interface *interface)
{
    return (struct soc_interface *)interface;    /* its first member */
}

static uint32_t address_of(const void *pointer)
{
    return (uint32_t)(uintptr_t)pointer;
}

/* Slots of a ring between two indices. As many as a ring has are told from none, without a shift to 16 bits. */
static unsigned used(unsigned producer, unsigned seen, unsigned slots)
{
    return (producer - seen) % (2 * slots);
}

static bool post(struct network_interface *interface, struct packet *packet)
{
    struct soc_interface *soc = soc_of(interface);

    if (used(soc->receive_producer, soc->receive_seen, RECEIVE_SLOTS) == RECEIVE_SLOTS)
        return false;
    soc->receive_ring[soc->receive_producer++ % RECEIVE_SLOTS] = address_of(packet);
    mmio_barrier();
    mmio_write(NI_BASE + NI_RECEIVE_PRODUCER, soc->receive_producer);
    return true;
}

static struct packet *received(struct network_interface *interface)
{
    struct soc_interface *soc = soc_of(interface);

    if (mmio_read_half(NI_BASE + NI_RECEIVE_CONSUMER) == soc->receive_seen)
        return NULL;
    mmio_barrier();
    return (struct packet *)(uintptr_t)soc->receive_ring[soc->receive_seen++ % RECEIVE_SLOTS];
}

static unsigned send_room(struct network_interface *interface)
{
    const struct soc_interface *soc = soc_of(interface);

    return SEND_SLOTS - used(soc->send_producer, soc->send_seen, SEND_SLOTS);
}

static bool send(struct network_interface *interface, struct packet *packet)
{
    struct soc_interface *soc = soc_of(interface);

    if (send_room(interface) == 0)
        return false;
    soc->send_ring[soc->send_producer++ % SEND_SLOTS] = address_of(packet);
    mmio_barrier();
    mmio_write(NI_BASE + NI_SEND_PRODUCER, soc->send_producer);
    return true;
}

static struct packet *sent(struct network_interface *interface)
{
    struct soc_interface *soc = soc_of(interface);

    if (mmio_read_half(NI_BASE + NI_SEND_CONSUMER) == soc->send_seen)
        return NULL;
    mmio_barrier();
    return (struct packet *)(uintptr_t)soc->send_ring[soc->send_seen++ % SEND_SLOTS];
}

static uint32_t counter(struct network_interface *interface, unsigned index)
{
    (void)interface;
    return index < COUNTER_DELIVERED ? mmio_read(NI_BASE + NI_COUNTER(index)) : 0;
}

static uint32_t clock_now(struct network_interface *interface)
{
    (void)interface;
    return mmio_read(NI_BASE + NI_CLOCK_LOW);
}

static void relieve(struct network_interface *interface, bool on)
{
    (void)interface;
    mmio_write(NI_BASE + NI_CONTROL, NI_CONTROL_ENABLE_RECEIVE | NI_CONTROL_ENABLE_SEND | (on ? NI_CONTROL_RELIEF : 0));
}

static const struct network_interface_functions soc_functions = {
    .post = post,
    .received = received,
    .send = send,
    .sent = sent,
    .send_room = send_room,
    .counter = counter,
    .clock = clock_now,
    .relieve = relieve,
};

void soc_interface_init(struct soc_interface *soc, uint16_t receive_words)
{
    memset(soc, 0, sizeof *soc);
    soc->interface.functions = &soc_functions;
    soc->interface.multicast = mmio_read(NI_BASE + NI_CAPABILITIES) & NI_CAPABILITIES_MULTICAST;
    mmio_write(NI_BASE + NI_SEND_RING, address_of(soc->send_ring));
    mmio_write(NI_BASE + NI_SEND_RING_LOG2, SOC_SEND_RING_LOG2);
    mmio_write(NI_BASE + NI_RECEIVE_RING, address_of(soc->receive_ring));
    mmio_write(NI_BASE + NI_RECEIVE_RING_LOG2, SOC_RECEIVE_RING_LOG2);
    mmio_write(NI_BASE + NI_RECEIVE_WORDS, receive_words);
    mmio_write(NI_BASE + NI_CONTROL, NI_CONTROL_ENABLE_RECEIVE | NI_CONTROL_ENABLE_SEND);
}

void soc_interface_sleep(const struct soc_interface *soc)
{
    mmio_write(NI_BASE + NI_SEEN, (uint32_t)soc->send_seen << NI_SEEN_SEND_SHIFT | soc->receive_seen);
    (void)mmio_read(NI_BASE + NI_WAIT);
}
