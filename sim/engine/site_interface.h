/* A site whose operator is outside the RTL, native or under QEMU: one clock of the local streams between the fabric and
 * the model of the network_interface. Private to sim/engine.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_ENGINE_SITE_INTERFACE_H
#define POSTROAD_ENGINE_SITE_INTERFACE_H

#include "engine/engine.h"
#include "wire/packet.h"

/* After ni_model_init: the site has this interface, which reads the fabric's counters from it. */
static inline void site_interface_connect(struct site *site, struct ni_model *interface)
{
    interface->fabric_counter = engine_fabric_counter;
    interface->fabric_context = site;
    site->interface = interface;
}

/* One clock; site->poll is set when a packet has ended in either direction. True if the interface could take a word:
 * its tag, PR_TAG_NULL_TRANSMISSION for none, is in *tag. */
static inline bool site_interface_clock(const struct engine *engine, struct site *site, struct ni_model *interface,
                                        unsigned *tag)
{
    unsigned width = (unsigned)engine->mesh.word_width;
    uint64_t sent = ni_model_offer(interface), received = engine_load_slot(site->local_out);
    bool wait = ni_model_wait(interface);
    engine_store_slot(site->local_in, sent | (wait ? LINK_SLOT_WAIT : 0) | (interface->relief ? LINK_SLOT_RELIEF : 0));
    ni_model_clock(interface, received & LINK_SLOT_WAIT, received & LINK_SLOT_WORD);
    *tag = (unsigned)((received & LINK_SLOT_WORD) >> width);
    bool sent_last = pr_packet_tag_ends((unsigned)((sent & LINK_SLOT_WORD) >> width)) && !(received & LINK_SLOT_WAIT);
    bool received_last = pr_packet_tag_ends(*tag) && !wait;
    site->poll |= sent_last || received_last;
    return !wait;
}

static inline uint32_t site_interface_counter(struct site *site, unsigned index)
{
    return pr_network_interface_counter(&site->interface->interface, index);
}

#endif
