/* See mesh_own.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "mesh/mesh_own.h"

#include <stdio.h>
#include <string.h>

static const struct own_key *find(const struct mesh_config *mesh, const char *name)
{
    char section[MESH_SECTION_SIZE];
    const char *key = mesh_key_split(name, section);
    return discipline_own_key(mesh->discipline, section, key);
}

uint32_t mesh_own(const struct mesh_config *mesh, const char *name)
{
    const struct own_key *key = find(mesh, name);
    return key ? mesh->own[key - mesh->discipline->own] : 0;
}

void mesh_own_set(struct mesh_config *mesh, const char *name, uint32_t value)
{
    mesh->own[find(mesh, name) - mesh->discipline->own] = value;
}

/* What the hardware has for the value of a key. */
static uint32_t code_of(const struct own_key *own, uint32_t value)
{
    char text[16];
    if (own->key.kind == KEY_IS_POWER_OF_TWO)
        return (uint32_t)__builtin_ctz(value | 1u << 31);
    snprintf(text, sizeof text, "%u", (unsigned)value);
    if (own->key.kind == KEY_IS_NUMBER_OF_LIST)
        value = (uint32_t)mesh_choice(text, own->key.names);
    return own->codes ? own->codes[value] : value;
}

static uint32_t in_place(struct own_field field, const struct own_key *own, uint32_t value)
{
    return field.width ? code_of(own, value) << field.low : 0;
}

uint32_t mesh_own_build(const struct mesh_config *mesh)
{
    uint32_t bits = 0;
    for (unsigned i = 0; i < mesh->discipline->own_count; i++)
        bits |= in_place(mesh->discipline->own[i].build, &mesh->discipline->own[i], mesh->own[i]);
    return bits;
}

uint32_t mesh_own_build_preset(const struct discipline *discipline)
{
    struct mesh_config mesh = {.discipline = discipline};
    mesh_own_preset(&mesh);
    return mesh_own_build(&mesh);
}

uint32_t mesh_own_straps(const struct mesh_config *mesh)
{
    uint32_t bits = 0;
    for (unsigned i = 0; i < mesh->discipline->own_count; i++)
        bits |= in_place(mesh->discipline->own[i].strap, &mesh->discipline->own[i], mesh->own[i]);
    return bits;
}

uint32_t mesh_own_straps_of_site(const struct mesh_config *mesh, unsigned site)
{
    const struct discipline *discipline = mesh->discipline;
    uint32_t bits = mesh_own_straps(mesh);
    if (discipline->site_strap.width)
        bits |= discipline->code->site_strap(mesh, site) << discipline->site_strap.low;
    return bits;
}

void mesh_own_preset(struct mesh_config *mesh)
{
    memset(mesh->own, 0, sizeof mesh->own);
    for (unsigned i = 0; i < mesh->discipline->own_count; i++)
        if (mesh->discipline->own[i].key.preset)
            mesh_key_set(&mesh->discipline->own[i].key, mesh, mesh->discipline->own[i].key.preset);
}

uint32_t mesh_capabilities(const struct mesh_config *mesh)
{
    uint32_t capabilities = mesh->discipline->capabilities;
    for (unsigned i = 0; i < mesh->discipline->own_count; i++)
        if (mesh->own[i])
            capabilities ^= mesh->discipline->own[i].changes;
    return capabilities;
}

void mesh_own_settle(struct mesh_config *mesh)
{
    struct mesh_config preset = {.discipline = mesh->discipline};
    mesh_own_preset(&preset);
    mesh->turn_clocks = mesh->sites_a_clock = 1;
    bool clocked = mesh->discipline->clocked;
    for (unsigned i = 0; i < mesh->discipline->own_count; i++) {
        const struct own_key *own = &mesh->discipline->own[i];
        clocked = clocked || (own->clocked && mesh->own[i] != preset.own[i]);
        if (own->sets)
            *(unsigned *)((char *)mesh + own->sets) = mesh->own[i];
    }
    const struct discipline_code *code = mesh->discipline->code;
    mesh->rest_clocks = !clocked ? 1 : code && code->rest_clocks ? code->rest_clocks(mesh) : 0;
}
