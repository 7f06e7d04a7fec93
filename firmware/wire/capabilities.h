/* What the fabric below a network_interface can do: the word that NI_CAPABILITIES (registers.ini) and the identity
 * record (records.ini) carry, as flags and back. The operator decides by these flags and never by the name of a
 * discipline. The longest packet is a property of the mesh: site_identity.h, max_packet.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_WIRE_CAPABILITIES_H
#define POSTROAD_WIRE_CAPABILITIES_H

#include <stdbool.h>
#include <stdint.h>

#include "protocol.h"

#ifdef __cplusplus
extern "C" {
#endif

struct pr_capabilities {
    bool multicast; /* The fabric copies a packet to several targets. If not, the operator sends unicasts. */
    bool subcubes;  /* The fabric copies a packet whose targets are a subcube and have no target_info. */
    bool diverts;   /* The fabric may hand over unicasts for other sites (U3), which the operator sends on. If not, such
                       a packet is discarded, and the operator never asks for relief (R1). */
    bool keeps_order; /* Packets from one site to another arrive in the order in which they were sent. A packet that is
                         retransmitted after a loss is still out of order. */
    bool source_routed; /* The operator puts the route of each packet in front of its target (operator/ways.h). */
};

static inline struct pr_capabilities pr_capabilities_decode(uint32_t word)
{
    return (struct pr_capabilities){
        .multicast = (word & PR_NI_CAPABILITIES_MULTICAST) != 0,
        .subcubes = (word & PR_NI_CAPABILITIES_SUBCUBES) != 0,
        .diverts = (word & PR_NI_CAPABILITIES_DIVERTS) != 0,
        .keeps_order = (word & PR_NI_CAPABILITIES_KEEPS_ORDER) != 0,
        .source_routed = (word & PR_NI_CAPABILITIES_SOURCE_ROUTED) != 0,
    };
}

static inline uint32_t pr_capabilities_encode(struct pr_capabilities capabilities)
{
    return (capabilities.multicast ? PR_NI_CAPABILITIES_MULTICAST : 0) |
           (capabilities.subcubes ? PR_NI_CAPABILITIES_SUBCUBES : 0) |
           (capabilities.diverts ? PR_NI_CAPABILITIES_DIVERTS : 0) |
           (capabilities.keeps_order ? PR_NI_CAPABILITIES_KEEPS_ORDER : 0) |
           (capabilities.source_routed ? PR_NI_CAPABILITIES_SOURCE_ROUTED : 0);
}

#ifdef __cplusplus
}
#endif

#endif
