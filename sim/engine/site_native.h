/* A site's operator at the fabric level: the firmware's sources built natively, with a network_interface that moves
 * one word a clock each way, as the RTL one does.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef POSTROAD_ENGINE_SITE_NATIVE_H
#define POSTROAD_ENGINE_SITE_NATIVE_H

#include "console/node.h"
#include "model/mesh.h"
#include "network_interface/ni_model.h"
#include "simulation/simulation.h"

/* What has come in, as the engine sees it: the ni_model makes stamps of its own. */
struct native_arrivals {
    bool within; /* a packet has begun, in clock `first` */
    uint64_t first;
    uint32_t moved; /* packets that are in the receive ring or have been: what is thrown away is not */
    struct simulation_arrival kept[NATIVE_INTERFACE_RING]; /* as the receive ring */
};

struct site_native {
    struct ni_model interface;
    struct pr_node node;
    struct pr_site_identity identity;
    uint32_t *memory;
    struct pr_operator_size size;
    const uint64_t *now;
    struct native_arrivals arrivals;
};

/* Connected links of a site, as a mask. */
uint32_t site_native_links(const struct mesh_config *mesh, unsigned site);

/* The node ID block as the straps of the RTL site would give it. */
void site_native_identify(struct pr_site_identity *identity, const struct mesh_config *mesh, unsigned site,
                          uint32_t epoch);

/* `now` is the engine's clock, read by the interface at any time. Epoch 0. 0, or -1 with a reason. */
int site_native_init(struct site_native *native, const struct mesh_config *mesh, unsigned site, unsigned pool,
                     unsigned window, const uint64_t *now, char *error, size_t error_size);
/* The same operator afresh, as after a reset: all its state is lost. */
void site_native_start(struct site_native *native, const struct mesh_config *mesh, unsigned site, uint32_t epoch);

/* A word with this tag has moved into the interface in this clock. */
void site_native_note_word(struct site_native *native, unsigned tag);

/* The clocks of the packet that the operator took last. */
struct simulation_arrival site_native_arrival(const struct site_native *native);

void site_native_free(struct site_native *native);

#endif
