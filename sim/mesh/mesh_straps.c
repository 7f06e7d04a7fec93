/* SPDX-License-Identifier: ISC */
#include "mesh/mesh_straps.h"

#include <string.h>

#include "mesh/mesh_own.h"

/* What a strap of a site takes its value from. */
struct strap_source {
    const struct mesh_config *mesh;
    unsigned site;
    uint32_t epoch;
};

/* One function for each row of PR_STRAP_SITE_LIST and PR_STRAP_OWN_LIST. */
static uint32_t strap_site_address(const struct strap_source *source)
{
    return (uint32_t)mesh_address(source->mesh, (int)source->site);
}

static uint32_t strap_site_number(const struct strap_source *source)
{
    return source->site;
}

static uint32_t strap_links_connected(const struct strap_source *source)
{
    return mesh_connected_links(source->mesh, source->site);
}

static uint32_t strap_own(const struct strap_source *source)
{
    return mesh_own_straps_of_site(source->mesh, source->site);
}

static uint32_t strap_epoch(const struct strap_source *source)
{
    return source->epoch;
}

static uint32_t mask_of(unsigned width)
{
    return width == 32 ? UINT32_MAX : (1u << width) - 1;
}

static void set(uint32_t *straps, unsigned low, unsigned width, uint32_t value)
{
    straps[low / 32] |= (value & mask_of(width)) << low % 32;
}

uint32_t mesh_strap(const uint32_t straps[PR_STRAP_WORDS], unsigned low, unsigned width)
{
    return straps[low / 32] >> low % 32 & mask_of(width);
}

void mesh_straps(const struct mesh_config *mesh, unsigned site, uint32_t epoch, uint32_t out[PR_STRAP_WORDS])
{
    struct strap_source source = {mesh, site, epoch};
    memset(out, 0, PR_STRAP_WORDS * sizeof *out);
#define SET_MESH(name, low, width, field) set(out, low, width, (uint32_t)mesh->field);
#define SET_SITE(name, low, width)        set(out, low, width, strap_##name(&source));
    PR_STRAP_MESH_LIST(SET_MESH)
    PR_STRAP_SITE_LIST(SET_SITE)
    PR_STRAP_OWN_LIST(SET_SITE)
}
