/* The operator's view of the network: two streams of packets, counters, a clock and the fabric's capabilities, whatever
 * the discipline.
 *
 * There are three back ends: registers and DMA on a node (platform/soc/ni_dma.h), records under QEMU
 * (platform/qemu/ni_records.h), and a model that moves one word a clock for native operators in a simulator
 * (sim/network_interface/ni_model.h). A back end embeds struct pr_network_interface as its first member and fills
 * `functions` and `capabilities` before the operator starts.
 *
 * Ownership: a packet belongs to the network_interface from a successful post or send until received or sent returns
 * it. Packets come back in the order in which they were given. No call blocks.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_OPERATOR_NETWORK_INTERFACE_H
#define POSTROAD_OPERATOR_NETWORK_INTERFACE_H

#include "drivers/packet_rings.h"
#include "wire/capabilities.h"
#include "wire/hints.h"
#include "wire/packet.h"
#include "wire/site_identity.h"

#ifdef __cplusplus
extern "C" {
#endif

struct pr_network_interface;

struct pr_network_interface_functions {
    bool (*post)(struct pr_network_interface *, struct pr_packet *);
    struct pr_packet *(*received)(struct pr_network_interface *);
    bool (*send)(struct pr_network_interface *, struct pr_packet *);
    struct pr_packet *(*sent)(struct pr_network_interface *);
    unsigned (*send_room)(struct pr_network_interface *);
    uint32_t (*counter)(struct pr_network_interface *, unsigned index);
    uint32_t (*clock)(struct pr_network_interface *);
    void (*relieve)(struct pr_network_interface *, bool on);
    uint32_t (*links)(struct pr_network_interface *); /* NULL: the same as at the start */
};

/* A node has rings in place of received, send, sent and clock. Packets pass there in a few instructions, and a call
 * through the table would take as many again. */
struct pr_network_interface {
    struct pr_packet_rings *rings; /* on a node, else NULL */
    const struct pr_network_interface_functions *functions;
    struct pr_capabilities capabilities; /* of the fabric; constant once the back end has started */
};

/* Gives an empty buffer to receive into. False: the ring is full, the caller keeps the buffer. */
static inline bool pr_network_interface_post(struct pr_network_interface *interface, struct pr_packet *packet)
{
    return interface->functions->post(interface, packet);
}

/* Takes the next complete packet (never one that ended with abort_packet), or NULL. */
static inline struct pr_packet *pr_network_interface_received(struct pr_network_interface *interface)
{
    struct pr_packet_rings *rings = interface->rings;
    return rings ? pr_rings_received(rings) : interface->functions->received(interface);
}

/* The same, and the clock: not before the clock in which the packet's terminator arrived. */
static inline struct pr_packet *pr_network_interface_received_at(struct pr_network_interface *interface,
                                                                 uint32_t *clock)
{
    struct pr_packet_rings *rings = interface->rings;
    struct pr_packet *packet;
    if (PR_UNLIKELY(!rings)) {
        packet = interface->functions->received(interface);
        *clock = interface->functions->clock(interface);
        return packet;
    }
    packet = pr_rings_received(rings);
    *clock = pr_rings_clock();
    return packet;
}

/* Queues a packet; it leaves with an end_of_packet (O5). False: the ring is full, the caller keeps the
 * packet. */
static inline bool pr_network_interface_send(struct pr_network_interface *interface, struct pr_packet *packet)
{
    struct pr_packet_rings *rings = interface->rings;
    return PR_LIKELY(rings) ? pr_rings_send(rings, packet) : interface->functions->send(interface, packet);
}

/* Takes back the next packet whose terminator has left, or NULL. */
static inline struct pr_packet *pr_network_interface_sent(struct pr_network_interface *interface)
{
    struct pr_packet_rings *rings = interface->rings;
    return rings ? pr_rings_sent(rings) : interface->functions->sent(interface);
}

/* Packets pr_network_interface_send would take now. */
static inline unsigned pr_network_interface_send_room(struct pr_network_interface *interface)
{
    return interface->functions->send_room(interface);
}

/* Counter COUNTER_* (protocol.h); 0 for an index that does not exist. */
static inline uint32_t pr_network_interface_counter(struct pr_network_interface *interface, unsigned index)
{
    return interface->functions->counter(interface, index);
}

/* Low 32 bits of the clocks since reset: the clock of the packets' stamps. */
static inline uint32_t pr_network_interface_clock(struct pr_network_interface *interface)
{
    return interface->rings ? pr_rings_clock() : interface->functions->clock(interface);
}

/* Back-pressure hint (relief, R1): asks the fabric to let packets for other sites wait rather than hand them
 * over, or no longer asks. Off after reset. Of use where capabilities.diverts. */
static inline void pr_network_interface_relieve(struct pr_network_interface *interface, bool on)
{
    interface->functions->relieve(interface, on);
}

/* The links of an identity as they are now: a board's cables come and go. */
static inline uint32_t pr_network_interface_links(struct pr_network_interface *interface,
                                                  const struct pr_site_identity *identity)
{
    return interface->functions->links ? interface->functions->links(interface) : identity->links;
}

#ifdef __cplusplus
}
#endif

#endif
