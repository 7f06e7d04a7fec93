/* What the rows of discipline.ini cannot say: of how many dimensions a node is made, where multicasts fit, how long a
 * slot is, and what a link shows.
 *
 * SPDX-License-Identifier: ISC
 */
#include "mesh/discipline.h"
#include "mesh/mesh_own.h"
#include "mesh/mesh_parser.h"
#include "protocol.h"

/* A node has two modules at least, and the header of a segment holds two numbers of a site beside two bits. */
static void check_dimensions(struct mesh_parser *parser, const struct mesh_config *config)
{
    enum { LEAST = 2, MOST = 7 };
    if (config->dimensions < LEAST || config->dimensions > MOST)
        mesh_parse_fail(parser, mesh_parse_later(parser, "mesh.fabric", "mesh.dimensions"),
                        "dimensions %d with fabric %s, expected %d to %d", config->dimensions, config->fabric, LEAST,
                        MOST);
}

/* The header of a multicast has a bit more for each dimension, and a slot has to be long enough for its third phase. */
static void check_multicast(struct mesh_parser *parser, const struct mesh_config *config)
{
    int bits = 3 * config->dimensions + 2, words = 2 * config->dimensions + 3;
    if (!mesh_own(config, "csr.multicast"))
        return;
    if (bits > (int)config->word_width)
        mesh_parse_fail(parser, mesh_parse_later(parser, "csr.multicast", "mesh.dimensions"),
                        "multicast = yes with %d dimensions and words of %d bits, expected words of %d bits or more",
                        config->dimensions, (int)config->word_width, bits);
    if (words > (int)mesh_own(config, "csr.slot_words"))
        mesh_parse_fail(parser, mesh_parse_later(parser, "csr.multicast", "csr.slot_words"),
                        "multicast = yes with %d dimensions, expected slot_words of %d or more", config->dimensions,
                        words);
}

/* The last symbol of an express has to reach its target in the slot, once nothing can cut it any more. */
static void check_express(struct mesh_parser *parser, const struct mesh_config *config)
{
    int words = 2 * config->dimensions + 4;
    if (mesh_own(config, "csr.express") && words > (int)mesh_own(config, "csr.slot_words"))
        mesh_parse_fail(parser, mesh_parse_later(parser, "csr.express", "csr.slot_words"),
                        "express = yes with %d dimensions, expected slot_words of %d or more", config->dimensions,
                        words);
}

static void check(struct mesh_parser *parser)
{
    check_dimensions(parser, parser->config);
    check_multicast(parser, parser->config);
    check_express(parser, parser->config);
}

/* The keys, in the order of their rows. */
enum { SLOT_WORDS, SCHEDULE, MULTICAST, EXPRESS };

static unsigned slot_clocks(const struct mesh_config *mesh)
{
    enum { SPECULATIVE };
    unsigned d = (unsigned)mesh->dimensions;
    return mesh->own[SLOT_WORDS] + (mesh->own[SCHEDULE] == SPECULATIVE ? d : 2 * d + 2);
}

/* Where a packet goes whose header leaves a site over the link of a dimension: a 1 above the tags of the dimensions
 * that it has not crossed, the next one lowest. */
static uint32_t target_of(unsigned site, unsigned link, uint32_t route, unsigned d)
{
    uint32_t target = site ^ 1u << link;
    for (unsigned l = link; route > 1; route >>= 1) {
        l = (l + d - 1) % d;
        target ^= (route & 1) << l;
    }
    return target;
}

/* The first segment of a packet, which has its header (README.md, "A slot" and "Segments"). */
static uint64_t read_line(const struct mesh_config *mesh, unsigned site, unsigned link, uint64_t clock, uint64_t shown,
                          struct line_reader *reader)
{
    enum { HEADER, COUNTS, WORDS, LATER };
    unsigned d = (unsigned)mesh->dimensions, width = (unsigned)mesh->word_width;
    unsigned place = (unsigned)((clock + mesh->own[SLOT_WORDS] - 1) % slot_clocks(mesh)); /* in a segment */
    uint32_t word = (uint32_t)(shown & ((UINT64_C(1) << width) - 1));
    if (place == 0)
        *reader = (struct line_reader){.state = HEADER};
    if (place >= mesh->own[SLOT_WORDS])
        return 0; /* flits */
    /* Expresses are not shown: where a header would be they are marked, or have no route. */
    if (mesh->own[EXPRESS] && reader->state == HEADER && (place > 0 || shown >> width & 1 || !(word & ((1u << d) - 1))))
        return 0;
    switch (reader->state) {
    case HEADER:
        if (word == 0)
            return 0;
        reader->state = word >> 2 * d & 1 ? COUNTS : LATER;
        if (reader->state == LATER)
            return 0;
        return (uint64_t)PR_TAG_UNICAST_SITE << width | target_of(site, link, word & ((1u << d) - 1), d);
    case COUNTS:
        reader->state = WORDS;
        reader->left = word & 0x3f;
        reader->infos = word >> 8 & 0x3f;
        return 0;
    default:
        if (reader->state == LATER || reader->left == 0)
            return 0;
        unsigned tag = reader->left == 1 ? PR_TAG_END_OF_PACKET : reader->infos > 0 ? PR_TAG_TARGET_INFO : PR_TAG_DATA;
        reader->left--;
        reader->infos -= reader->infos > 0;
        return (uint64_t)tag << width | word;
    }
}

const struct discipline_code csr_code = {.check = check, .rest_clocks = slot_clocks, .read_line = read_line};
