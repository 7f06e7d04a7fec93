/* See ni_dma.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "platform/soc/ni_dma.h"

#include <string.h>

#include "drivers/board.h"
#include "drivers/mmio.h"
#include "protocol.h"

static bool post(struct pr_network_interface *interface, struct pr_packet *packet)
{
    return pr_rings_post(interface->rings, packet);
}

static unsigned send_room(struct pr_network_interface *interface)
{
    return interface->rings->send_room;
}

static uint32_t counter(struct pr_network_interface *interface, unsigned index)
{
    (void)interface;
    if (index >= PR_COUNTER_LINKS)
        return pr_board_link_row(index - PR_COUNTER_LINKS);
    return index < PR_COUNTER_DELIVERED ? pr_mmio_read(PR_NI_BASE + PR_NI_COUNTER(index)) : 0;
}

static void relieve(struct pr_network_interface *interface, bool on)
{
    (void)interface;
    pr_mmio_write(PR_NI_BASE + PR_NI_CONTROL,
                  PR_NI_CONTROL_ENABLE_RECEIVE | PR_NI_CONTROL_ENABLE_SEND | (on ? PR_NI_CONTROL_RELIEF : 0));
}

static uint32_t links(struct pr_network_interface *interface)
{
    (void)interface;
    return pr_mmio_read(PR_ID_BASE + PR_ID_LINKS);
}

/* What is not here goes by way of the rings: see pr_network_interface. */
static const struct pr_network_interface_functions soc_functions = {
    .post = post,
    .send_room = send_room,
    .counter = counter,
    .relieve = relieve,
    .links = links,
};

void pr_ni_dma_init(struct pr_ni_dma *soc, uint16_t receive_words)
{
    struct pr_packet_rings *rings = &soc->rings;
    memset(soc, 0, sizeof *soc);
    soc->interface.functions = &soc_functions;
    soc->interface.rings = rings;
    soc->interface.capabilities = pr_capabilities_decode(pr_mmio_read(PR_NI_BASE + PR_NI_CAPABILITIES));
    pr_rings_init(rings);
    pr_mmio_write(PR_NI_BASE + PR_NI_SEND_RING, pr_rings_address(rings->send_ring));
    pr_mmio_write(PR_NI_BASE + PR_NI_SEND_RING_LOG2, PR_RINGS_SEND_LOG2);
    pr_mmio_write(PR_NI_BASE + PR_NI_RECEIVE_RING, pr_rings_address(rings->receive_ring));
    pr_mmio_write(PR_NI_BASE + PR_NI_RECEIVE_RING_LOG2, PR_RINGS_RECEIVE_LOG2);
    pr_mmio_write(PR_NI_BASE + PR_NI_RECEIVE_WORDS, receive_words);
    pr_mmio_write(PR_NI_BASE + PR_NI_CONTROL, PR_NI_CONTROL_ENABLE_RECEIVE | PR_NI_CONTROL_ENABLE_SEND);
}

void pr_ni_dma_sleep(const struct pr_ni_dma *soc)
{
    pr_mmio_write(PR_NI_BASE + PR_NI_SEEN, soc->rings.seen);
    (void)pr_mmio_read(PR_NI_BASE + PR_NI_WAIT);
}
