/* What the rows of discipline.ini cannot say: that slack buffers have room for what is under way in cables, what a site
 * is told of its place, and what a link shows.
 *
 * SPDX-License-Identifier: ISC
 */
#include "mesh/discipline.h"
#include "mesh/mesh_own.h"
#include "mesh/mesh_parser.h"
#include "mesh/mesh_routes.h"
#include "protocol.h"

/* Rule W4: the words that may still come once a buffer has filled up to K_s, and its last place. */
static unsigned room(unsigned delay)
{
    return 2 * delay + 6;
}

static unsigned longest_delay(const struct mesh_config *mesh, unsigned site)
{
    unsigned longest = 1;
    for (int link = 0; link < mesh->links; link++) {
        unsigned delay = mesh_delay(mesh, (int)site, link);
        longest = delay > longest ? delay : longest;
    }
    return longest;
}

/* K_g and K_s are different, and above an empty buffer. */
static void check_slack(struct mesh_parser *parser, const struct mesh_config *config)
{
    enum { K_S_LEAST = 2 };
    unsigned longest = 1, least = 1;
    for (int site = 0; site < config->sites; site++) {
        unsigned delay = longest_delay(config, (unsigned)site);
        longest = delay > longest ? delay : longest;
    }
    while (least < room(longest) + K_S_LEAST)
        least *= 2;
    if (mesh_own(config, "wormlan.slack") < least)
        mesh_parse_fail(parser, mesh_parse_later(parser, "mesh.fabric", "wormlan.slack"),
                        "slack %u with a cable of %u clocks, expected slack of at least %u words",
                        (unsigned)mesh_own(config, "wormlan.slack"), longest, least);
}

/* A port of a route has four bits, and 0 is the operator's. */
static void check_links(struct mesh_parser *parser, const struct mesh_config *config)
{
    enum { MOST = 15 };
    if (config->links > MOST)
        mesh_parse_fail(parser, mesh_parse_later(parser, "mesh.fabric", "mesh.links"),
                        "links %d with fabric %s, expected at most %d", config->links, config->fabric, MOST);
}

/* The values of wormlan.multicast. */
enum { TREE = 1, FLUSH, INTERRUPT };

/* Reassembly has 252 places, and the address of a target and the end of its worm take two. */
static void check_reassembly(struct mesh_parser *parser, const struct mesh_config *config)
{
    enum { MOST = 250 };
    if (mesh_own(config, "wormlan.multicast") == INTERRUPT && config->max_packet > MOST)
        mesh_parse_fail(parser, mesh_parse_later(parser, "buffers.max_packet", "wormlan.multicast"),
                        "multicast = interrupt with max_packet %d, expected max_packet of at most %d",
                        (int)config->max_packet, MOST);
}

static void check(struct mesh_parser *parser)
{
    check_reassembly(parser, parser->config);
    check_links(parser, parser->config);
    check_slack(parser, parser->config);
}

static uint32_t place(const struct mesh_config *mesh, unsigned site)
{
    enum { OPERATOR = 1 << 12, TREE_LINKS_SHIFT = 13 };
    return longest_delay(mesh, site) | (mesh_is_switch(mesh, (int)site) ? 0 : OPERATOR) |
           mesh_tree_links(mesh, site) << TREE_LINKS_SHIFT;
}

/* What multicasts wait for is flushed (W12), or they leave what waits for them (W14). */
static bool frees_unicasts(const struct mesh_config *mesh)
{
    return mesh_own(mesh, "wormlan.multicast") >= FLUSH;
}

static bool starts_at_root(const struct mesh_config *mesh)
{
    return mesh_own(mesh, "wormlan.multicast") == INTERRUPT;
}

/* A worm begins on a link with what is left of its route, which is no word of the packet. */
static uint64_t read_line(const struct mesh_config *mesh, unsigned site, unsigned link, uint64_t clock, uint64_t shown,
                          struct line_reader *reader)
{
    enum { ROUTE, WORDS, LATER }; /* LATER: a fragment, but not the first one */
    unsigned width = (unsigned)mesh->word_width;
    unsigned kind = (unsigned)(shown >> width) & 3, tag;
    uint64_t word = shown & ((UINT64_C(1) << width) - 1);
    bool reset = kind == PR_WORM_CONTROL && word == PR_WORM_CONTROL_RESET;
    bool part = kind == PR_WORM_CONTROL && word == PR_WORM_CONTROL_FRAGMENT;
    (void)site, (void)link, (void)clock;
    if (reader->state == ROUTE && kind == PR_WORM_INFO && word & 1u << PR_TREE_AGAIN_BIT)
        reader->state = LATER;
    if (reader->state == LATER) {
        reader->state = kind == PR_WORM_END || reset || part ? ROUTE : LATER;
        return 0;
    }
    if (reader->state == ROUTE ? kind != PR_WORM_DATA : kind == PR_WORM_CONTROL && !reset && !part)
        return 0;
    tag = kind == PR_WORM_INFO ? PR_TAG_TARGET_INFO : PR_TAG_DATA;
    if (reader->state == ROUTE && kind == PR_WORM_DATA)
        tag = PR_TAG_UNICAST_SITE;
    if (kind == PR_WORM_END || part)
        tag = PR_TAG_END_OF_PACKET;
    if (reset)
        tag = PR_TAG_ABORT_PACKET;
    reader->state = kind == PR_WORM_DATA || kind == PR_WORM_INFO ? WORDS : ROUTE;
    return (uint64_t)tag << width | word;
}

const struct discipline_code wormlan_code = {.check = check,
                                             .read_line = read_line,
                                             .frees_unicasts = frees_unicasts,
                                             .starts_at_root = starts_at_root,
                                             .site_strap = place};
