/* See mesh_identity.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "model/mesh_identity.h"

uint32_t mesh_connected_links(const struct mesh_config *mesh, unsigned site)
{
    uint32_t mask = 0;
    for (int link = 0; link < mesh->links; link++)
        if (mesh_neighbour(mesh, (int)site, link) >= 0)
            mask |= 1u << link;
    return mask;
}

void mesh_identify_site(struct pr_site_identity *identity, const struct mesh_config *mesh, unsigned site,
                        uint32_t epoch)
{
    *identity = (struct pr_site_identity){
        .map_version = 1,
        .site = site,
        .address = (uint32_t)mesh_address(mesh, (int)site),
        .topology = (uint32_t)mesh->topology,
        .signature = 0x54534f50,
        .size_x = (uint32_t)mesh->size_x,
        .size_y = (uint32_t)mesh->size_y,
        .word_width = (uint32_t)mesh->word_width,
        .links = mesh_connected_links(mesh, site),
        .clock_hz = mesh->clock_hz,
        .ram_bytes = mesh->ram_bytes,
        .mesh_hash = mesh->hash,
        .divert_threshold = mesh->divert_threshold,
        .abort_threshold = mesh->abort_threshold,
        .abort_random = mesh->abort_random,
        .max_packet = mesh->max_packet,
        .discipline = 0,
        .time_hz = mesh->clock_hz,
        .retry_limit = mesh->retry_limit,
        .epoch = epoch,
        .reliable = mesh->reliable,
    };
}
