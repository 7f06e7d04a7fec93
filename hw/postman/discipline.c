/* What the rows of discipline.ini cannot say: sizes that follow from addresses and flits, and the cut of a torus.
 *
 * SPDX-License-Identifier: ISC
 */
#include "mesh/discipline.h"
#include "mesh/mesh_parser.h"
#include "mesh/torus_cut.h"

/* Addresses are of 7 bits a dimension. */
static void check_size(struct mesh_parser *parser)
{
    enum { SIDE_MAX = 128 };
    const struct mesh_config *config = parser->config;
    if (config->size_x > SIDE_MAX || config->size_y > SIDE_MAX)
        mesh_parse_fail(parser, mesh_parse_later(parser, "mesh.fabric", "mesh.size"),
                        "size %dx%d with fabric %s, expected at most %dx%d", config->size_x, config->size_y,
                        config->fabric, SIDE_MAX, SIDE_MAX);
}

/* A packet has to fit the buffers whole, with two addresses, the number of its target_info words and two check bytes;
 * one flit of a buffer is of no use. */
static void check_buffers(struct mesh_parser *parser)
{
    enum { FLITS_AROUND = 6 };
    struct mesh_config *config = parser->config;
    unsigned word_flits = (unsigned)config->word_width / 8;
    unsigned flits = (config->max_packet - 1) * word_flits + FLITS_AROUND;
    while (!mesh_parse_line(parser, "buffers.upstream") && config->upstream_depth * word_flits < flits)
        config->upstream_depth *= 2;
    if (config->upstream_depth * word_flits < flits)
        mesh_parse_fail(parser, mesh_parse_later(parser, "buffers.upstream", "buffers.max_packet"),
                        "upstream %u with max_packet %u and fabric %s, expected at least %u words",
                        config->upstream_depth, config->max_packet, config->fabric,
                        (flits + word_flits - 1) / word_flits);
}

static void check(struct mesh_parser *parser)
{
    check_size(parser);
    check_buffers(parser);
}

static uint32_t cut(const struct mesh_config *mesh, unsigned site)
{
    unsigned columns = (unsigned)mesh->size_x;
    struct torus_site place = {columns, (unsigned)mesh->size_y, site % columns, site / columns};
    return mesh_has_torus_lines(mesh) ? torus_cut(&place) : 0;
}

const struct discipline_code postman_code = {.check = check, .site_strap = cut};
