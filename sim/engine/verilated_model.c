/* See verilated_model.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "engine/verilated_model.h"

#include <stdio.h>

#include "mesh/mesh_straps.h"

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
    mesh_straps(mesh, site->number, site->epoch, site->ports.straps);
}
