/* See mesh_ports.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "analyser/mesh_ports.h"

#include "mesh/discipline.h"
#include "mesh/site_range.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "0-3+8"; "" names all sites. */
static int read_sites(const struct mesh_config *mesh, const char *text, bool *chosen, char *error, size_t error_size)
{
    struct site_range range;
    const char *at = text;
    for (int site = 0; site < mesh->sites; site++)
        chosen[site] = !*text;
    while (*at) {
        bool good = site_range_parse(&at, (unsigned)mesh->sites, chosen, &range) == SITE_RANGE_GOOD;
        if (!good || (*at && (*at != '+' || !at[1]))) {
            snprintf(error, error_size, "sites=%s: expected sites of this mesh, each once, as 0-3+8", text);
            return -1;
        }
        at += *at == '+';
    }
    return 0;
}

static const char *const kind_names[] = {
    [MESH_PORT_STROBES] = "strobes", [MESH_PORT_LINE] = "line", [MESH_PORT_WIRES] = "wires"};

static int add_port(const struct mesh_config *mesh, int site, int link, struct mesh_ports *out, char *error,
                    size_t error_size)
{
    int neighbour = mesh_neighbour(mesh, site, link);
    if (neighbour < 0)
        return 0;
    if ((out->count + 1) * out->channels_each > ANALYSER_CHANNELS) {
        snprintf(error, error_size, "more than %d channels, expected fewer sites: sites=0-3, a port has %u %s",
                 ANALYSER_CHANNELS, out->channels_each, kind_names[out->kind]);
        return -1;
    }
    out->list[out->count++] = (struct mesh_port){(unsigned)site, (unsigned)link, (unsigned)neighbour,
                                                 (unsigned)mesh_facing_link(mesh, link)};
    return 0;
}

static void choose_kind(const struct mesh_config *mesh, struct mesh_ports *out)
{
    bool wires = mesh->discipline->link_bits;
    *out = (struct mesh_ports){.kind = wires ? MESH_PORT_WIRES : MESH_PORT_STROBES,
                               .channels_each = wires ? mesh_link_width(mesh) : MESH_PORT_STROBE_COUNT};
    if (mesh->board_links)
        *out = (struct mesh_ports){.kind = MESH_PORT_LINE, .channels_each = 1};
}

void mesh_ports_name(const struct mesh_config *mesh, const struct mesh_ports *ports, unsigned channel, char *out,
                     size_t size)
{
    static const char *const strobes[] = {[MESH_PORT_HEAD] = ".head", [MESH_PORT_TERMINATOR] = ".terminator"};
    unsigned which = channel % ports->channels_each, half = ports->channels_each / 2;
    const struct mesh_port *port = &ports->list[channel / ports->channels_each];
    const char *link = mesh_link_name(mesh, (int)port->link);
    if (ports->kind == MESH_PORT_WIRES)
        snprintf(out, size, "%u.%s.%s%u", port->site, link, which < half ? "data" : "busy", which % half);
    else
        snprintf(out, size, "%u.%s%s", port->site, link, ports->kind == MESH_PORT_LINE ? "" : strobes[which]);
}

int mesh_ports_choose(const struct mesh_config *mesh, const char *text, struct mesh_ports *out, char *error,
                      size_t error_size)
{
    choose_kind(mesh, out);
    if (capture_options_parse(text, CAPTURE_OF_MESH, &out->options, error, error_size) != 0)
        return -1;
    bool *chosen = calloc((size_t)mesh->sites, sizeof *chosen);
    if (!chosen)
        abort();
    int result = read_sites(mesh, out->options.sites, chosen, error, error_size);
    for (int site = 0; result == 0 && site < mesh->sites; site++)
        for (int link = 0; result == 0 && chosen[site] && link < mesh->links; link++)
            result = add_port(mesh, site, link, out, error, error_size);
    free(chosen);
    if (result == 0 && !out->count) {
        snprintf(error, error_size, "no links, expected a mesh of several sites");
        result = -1;
    }
    return result;
}
