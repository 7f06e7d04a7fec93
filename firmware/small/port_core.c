/* See port_core.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "small/small.h"

/* Two small packets, one of this site's own, and those that receive: buffers.c. */
_Static_assert(2 * RELIABLE + SENDS + BUFFERS <= PR_RINGS_SEND_SLOTS, "the ring has room for all packets");

struct pr_packet_rings port_rings;

void port_post(struct pr_packet *packet)
{
    pr_rings_post(&port_rings, packet);
}

void port_send(struct pr_packet *packet)
{
    pr_rings_send(&port_rings, packet);
}

void port_start(unsigned receive_words)
{
    pr_rings_init(&port_rings);
    pr_mmio_write(PR_NI_BASE + PR_NI_SEND_RING, pr_rings_address(port_rings.send_ring));
    pr_mmio_write(PR_NI_BASE + PR_NI_SEND_RING_LOG2, PR_RINGS_SEND_LOG2);
    pr_mmio_write(PR_NI_BASE + PR_NI_RECEIVE_RING, pr_rings_address(port_rings.receive_ring));
    pr_mmio_write(PR_NI_BASE + PR_NI_RECEIVE_RING_LOG2, PR_RINGS_RECEIVE_LOG2);
    pr_mmio_write(PR_NI_BASE + PR_NI_RECEIVE_WORDS, receive_words);
    port_relieve(false);
}
