/* A site's operator at the fabric level: the firmware's sources built natively, with a network_interface that moves
 * one word a clock each way, as the RTL one does.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef SIM_RTL_NATIVE_SITE_H
#define SIM_RTL_NATIVE_SITE_H

#include "operator/node.h"
#include "common/mesh.h"
#include "platform/native/native_interface.h"

struct native_site {
    struct native_interface interface;
    struct node node;
    struct node_identity identity;
    uint32_t *memory;
    struct operator_size size;
    const uint64_t *now;
};

/* Connected links of a site, as a mask. */
uint32_t native_site_links(const struct mesh_config *mesh, unsigned site);

/* The node ID block as the straps of the RTL site would give it. */
void native_site_identify(struct node_identity *identity, const struct mesh_config *mesh, unsigned site, uint32_t epoch);

/* `now` is the engine's clock, read by the interface at any time. Epoch 0. 0, or -1 with a reason. */
int native_site_init(struct native_site *native, const struct mesh_config *mesh, unsigned site, unsigned pool,
                     unsigned window, const uint64_t *now, char *error, size_t error_size);
/* The same operator afresh, as after a reset: all its state is lost. */
void native_site_start(struct native_site *native, const struct mesh_config *mesh, unsigned site, uint32_t epoch);

void native_site_free(struct native_site *native);

#endif
