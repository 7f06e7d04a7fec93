/* A site's operator at the fabric level.
 *
 * SPDX-License-Identifier: ISC
 */
#include "engine/site_native.h"

#include <stdio.h>
#include <stdlib.h>

#include "protocol.h"

uint32_t site_native_links(const struct mesh_config *mesh, unsigned site)
{
    uint32_t mask = 0;
    for (int link = 0; link < mesh->links; link++)
        if (mesh_neighbour(mesh, (int)site, link) >= 0)
            mask |= 1u << link;
    return mask;
}

void site_native_identify(struct pr_site_identity *identity, const struct mesh_config *mesh, unsigned site,
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
        .links = site_native_links(mesh, site),
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

_Static_assert((int)PR_NODE_DIVERT_NEVER == (int)MESH_DIVERT_NEVER, "the operator and the .mesh file mean the same");

/* 0, or a negated OPERATOR_* error. */
static int start(struct site_native *native, const struct mesh_config *mesh, unsigned site, uint32_t epoch)
{
    site_native_identify(&native->identity, mesh, site, epoch);
    ni_model_init(&native->interface, (unsigned)mesh->word_width, native->now, (uint16_t)mesh->max_packet);
    native->arrivals = (struct native_arrivals){.within = false};
    native->interface.receive_patience = (uint16_t)mesh->receive_patience;
    return pr_node_init(&native->node, &native->interface.interface, &native->identity, native->memory, &native->size);
}

int site_native_init(struct site_native *native, const struct mesh_config *mesh, unsigned site, unsigned pool,
                     unsigned window, const uint64_t *now, char *error, size_t error_size)
{
    *native = (struct site_native){
        .size = {.buffers = pool, .packet_words = mesh->max_packet, .window = window, .sites = (unsigned)mesh->sites},
        .now = now};
    size_t words = PR_OPERATOR_MEMORY_WORDS((size_t)pool, mesh->max_packet, (size_t)mesh->sites);
    native->memory = calloc(words, sizeof *native->memory);
    if (!native->memory) {
        snprintf(error, error_size, "no memory for a pool of %u buffers", pool);
        return -1;
    }
    int result = start(native, mesh, site, 0);
    if (result == 0)
        return 0;
    snprintf(error, error_size,
             result == -PR_OPERATOR_NO_BUFFER ? "pool of %u buffers, expected at least 3"
                                              : "operator of site %u cannot start: error %d",
             result == -PR_OPERATOR_NO_BUFFER ? pool : site, -result);
    site_native_free(native);
    return -1;
}

void site_native_start(struct site_native *native, const struct mesh_config *mesh, unsigned site, uint32_t epoch)
{
    (void)start(native, mesh, site, epoch); /* it could the first time */
}

void site_native_note_word(struct site_native *native, unsigned tag)
{
    struct native_arrivals *arrivals = &native->arrivals;
    if (tag == PR_TAG_NULL_TRANSMISSION || tag == PR_TAG_NULL_TARGET)
        return;
    if (!arrivals->within)
        arrivals->first = *native->now;
    arrivals->within = !pr_packet_tag_ends(tag);
    if (arrivals->moved == native->interface.receive.moved)
        return;
    arrivals->kept[arrivals->moved % NATIVE_INTERFACE_RING] = (struct simulation_arrival){arrivals->first,
                                                                                          *native->now};
    arrivals->moved++;
}

struct simulation_arrival site_native_arrival(const struct site_native *native)
{
    return native->arrivals.kept[(native->interface.receive.consumed - 1) % NATIVE_INTERFACE_RING];
}

void site_native_free(struct site_native *native)
{
    free(native->memory);
    native->memory = NULL;
}
