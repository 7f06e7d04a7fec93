/* See verilated_model.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "engine/verilated_model.h"

#include <stdio.h>

#include "model/mesh_identity.h"

static void strap(uint32_t *port, uint32_t value)
{
    if (port)
        *port = value;
}

static void set_straps(const struct site_ports *ports, const struct mesh_config *mesh, unsigned site)
{
    strap(ports->site_address, (uint32_t)mesh_address(mesh, (int)site));
    strap(ports->topology, (uint32_t)mesh->topology);
    strap(ports->size_x, (uint32_t)mesh->size_x);
    strap(ports->size_y, (uint32_t)mesh->size_y);
    strap(ports->unicast_lists, mesh->unicast_lists);
    strap(ports->multicast_lists, mesh->multicast_lists);
    strap(ports->divert_threshold, mesh->divert_threshold);
    strap(ports->abort_threshold, mesh->abort_threshold);
    strap(ports->abort_random, mesh->abort_random);
    strap(ports->release_single, mesh->release_single);
    strap(ports->site_number, site);
    strap(ports->links_connected, mesh_connected_links(mesh, site));
    strap(ports->clock_hz, mesh->clock_hz);
    strap(ports->mesh_hash, mesh->hash);
    strap(ports->max_packet, mesh->max_packet);
    strap(ports->retry_limit, mesh->retry_limit);
    strap(ports->relief_limit, mesh->relief_limit);
    strap(ports->receive_patience, mesh->receive_patience);
    strap(ports->reliable, mesh->reliable);
    strap(ports->epoch, 0);
}

void *verilated_model_new(const struct site_model_table *table, void *context, unsigned number, char *error,
                          size_t error_size)
{
    char name[32];
    snprintf(name, sizeof name, "site_%u", number);
    void *model = table->create(context, name);
    if (!model)
        snprintf(error, error_size, "no memory for site %u", number);
    return model;
}

/* A whole site has no local streams; there is nothing on them. */
static unsigned char *local_slot(void *port)
{
    return port ? port : engine_no_slot;
}

void verilated_model_connect(const struct mesh_config *mesh, struct site *site, void *model)
{
    site->model = model;
    site->table->ports(model, &site->ports);
    site->link_in = site->ports.link_in;
    site->link_out = site->ports.link_out;
    site->local_in = local_slot(site->ports.local_in);
    site->local_out = local_slot(site->ports.local_out);
    set_straps(&site->ports, mesh, site->number);
    strap(site->ports.epoch, site->epoch);
}
