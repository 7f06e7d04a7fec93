/* See mesh_cables.h.
 *
 *   [cables]
 *   0.1 = 3.2        port 1 of site 0 and port 2 of site 3
 *   0.2 = 4.0 5      the same with a delay: a word takes 5 clocks
 *   [sites]
 *   switch = 6-9     sites without an operator
 *
 * SPDX-License-Identifier: ISC
 */
#include "mesh/mesh_cables.h"

#include "mesh/site_range.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char cables_section[] = "cables", sites_section[] = "sites";

bool mesh_cables_section(const char *section)
{
    return strcmp(section, cables_section) == 0 || strcmp(section, sites_section) == 0;
}

/* A number at *at, of at most four digits, with what stands behind it. */
static bool read_number(const char **at, char behind, unsigned *out)
{
    size_t digits = strspn(*at, "0123456789");
    if (digits < 1 || digits > 4 || (*at)[digits] != behind)
        return false;
    *out = (unsigned)strtoul(*at, NULL, 10);
    *at += digits + (behind != 0);
    return true;
}

static bool read_far_end(const char *value, struct pr_cable *cable)
{
    unsigned site, link, delay = 1;
    bool delayed = strchr(value, ' ') != NULL;
    if (!read_number(&value, '.', &site) || !read_number(&value, delayed ? ' ' : 0, &link))
        return false;
    value += strspn(value, " ");
    if (delayed && (!read_number(&value, 0, &delay) || delay < 1 || delay > MESH_DELAY_MAX))
        return false;
    cable->far_site = (uint16_t)site;
    cable->far_link = (uint8_t)(link < UINT8_MAX ? link : UINT8_MAX);
    cable->delay = (uint16_t)delay;
    return true;
}

static bool read_cable(const char *name, const char *value, struct pr_cable *cable)
{
    unsigned site, link;
    if (!read_number(&name, '.', &site) || !read_number(&name, 0, &link))
        return false;
    cable->site = (uint16_t)site;
    cable->link = (uint8_t)(link < UINT8_MAX ? link : UINT8_MAX);
    return read_far_end(value, cable);
}

static void take_cable(struct mesh_parser *parser, const char *name, const char *value)
{
    struct mesh_cable_line *next = &parser->cables[parser->cable_count];
    if (parser->cable_count == MESH_CABLES_MAX)
        mesh_parse_fail(parser, parser->line, "one cable more than %d, expected fewer", MESH_CABLES_MAX);
    else if (!read_cable(name, value, &next->cable))
        mesh_parse_fail(parser, parser->line,
                        "%s = %s, expected SITE.PORT = SITE.PORT DELAY, as 0.1 = 3.2 5; no delay is 1, the longest %d",
                        name, value, MESH_DELAY_MAX);
    else
        parser->cables[parser->cable_count++].line = parser->line;
}

void mesh_cables_take(struct mesh_parser *parser, const char *section, const char *name, const char *value)
{
    if (strcmp(section, cables_section) == 0)
        take_cable(parser, name, value);
    else if (strcmp(name, "switch") != 0)
        mesh_parse_fail(parser, parser->line, "unknown key %s in [%s], expected switch", name, section);
    else if (parser->switches_line)
        mesh_parse_fail(parser, parser->line, "%s is given twice, expected once: first in line %d", name,
                        parser->switches_line);
    else if (strlen(value) >= sizeof parser->switches)
        mesh_parse_fail(parser, parser->line, "%s has too long a list, expected less than %zu characters", name,
                        sizeof parser->switches);
    else {
        strcpy(parser->switches, value);
        parser->switches_line = parser->line;
    }
}

static void check_switches(struct mesh_parser *parser)
{
    static const char *const expected[] = {[SITE_RANGE_BAD_TEXT] = "sites like 3 or 4-6, with commas between them",
                                           [SITE_RANGE_UNKNOWN] = "sites of this mesh",
                                           [SITE_RANGE_TWICE] = "each site once"};
    struct mesh_config *config = parser->config;
    bool named[PR_GRAPH_SITES_MAX] = {false};
    struct site_range range;
    const char *at = parser->switches;
    enum site_range_result result;
    int count = 0;
    do
        result = site_range_parse(&at, (unsigned)config->sites, named, &range);
    while (result == SITE_RANGE_GOOD && *at == ',' && at++);
    if (result == SITE_RANGE_GOOD && *at)
        result = SITE_RANGE_BAD_TEXT;
    for (int site = 0; site < config->sites; site++) {
        config->switches[site / 64] |= (uint64_t)named[site] << site % 64;
        count += named[site];
    }
    if (result != SITE_RANGE_GOOD)
        mesh_parse_fail(parser, parser->switches_line, "switch = %s, expected %s", parser->switches, expected[result]);
    else if (count == config->sites)
        mesh_parse_fail(parser, parser->switches_line, "switch = %s: all sites, expected one with an operator",
                        parser->switches);
}

static void check_end(struct mesh_parser *parser, int line, int site, int link)
{
    const struct mesh_config *config = parser->config;
    int ports = config->links;
    if (site >= config->sites) {
        mesh_parse_fail(parser, line, "a cable at site %d, expected 0 to %d", site, config->sites - 1);
        return;
    }
    if (!mesh_is_switch(config, site) && ports == PR_GRAPH_LINKS_MAX)
        ports--;
    if (link >= ports)
        mesh_parse_fail(parser, line, "a cable at port %d of site %d, expected 0 to %d", link, site, ports - 1);
}

static struct pr_cable turned(const struct pr_cable *cable)
{
    return (struct pr_cable){.site = cable->far_site,
                             .far_site = cable->site,
                             .link = cable->far_link,
                             .far_link = cable->link,
                             .delay = cable->delay};
}

static bool meet(const struct pr_cable *a, const struct pr_cable *b)
{
    struct pr_cable other = turned(b);
    return (a->site == b->site && a->link == b->link) || (a->site == other.site && a->link == other.link);
}

/* No port may have two cables. */
static void check_ports(struct mesh_parser *parser, unsigned index)
{
    const struct pr_cable *near = &parser->cables[index].cable;
    struct pr_cable far = turned(near);
    for (unsigned before = 0; before < index; before++) {
        const struct mesh_cable_line *other = &parser->cables[before];
        bool here = meet(near, &other->cable), there = meet(&far, &other->cable);
        if (here || there)
            mesh_parse_fail(parser, parser->cables[index].line,
                            "port %d of site %d has two cables, expected one: first in line %d",
                            here ? near->link : far.link, here ? near->site : far.site, other->line);
    }
}

static void check_cable(struct mesh_parser *parser, unsigned index)
{
    const struct mesh_cable_line *one = &parser->cables[index];
    check_end(parser, one->line, one->cable.site, one->cable.link);
    check_end(parser, one->line, one->cable.far_site, one->cable.far_link);
    if (one->cable.site == one->cable.far_site)
        mesh_parse_fail(parser, one->line, "a cable from site %d to itself, expected two sites", one->cable.site);
    check_ports(parser, index);
}

static int compare(const void *left, const void *right)
{
    const struct pr_cable *a = left, *b = right;
    return a->site != b->site ? a->site - b->site : a->link - b->link;
}

static void lay_cables(struct mesh_parser *parser)
{
    struct mesh_config *config = parser->config;
    for (unsigned i = 0; i < parser->cable_count; i++) {
        config->cable_ends[config->cable_end_count++] = parser->cables[i].cable;
        config->cable_ends[config->cable_end_count++] = turned(&parser->cables[i].cable);
    }
    qsort(config->cable_ends, config->cable_end_count, sizeof *config->cable_ends, compare);
}

/* Cables have to join all sites. */
static void check_joined(struct mesh_parser *parser)
{
    const struct mesh_config *config = parser->config;
    bool reached[PR_GRAPH_SITES_MAX] = {true}, more = true;
    while (more) {
        more = false;
        for (unsigned i = 0; i < config->cable_end_count; i++) {
            const struct pr_cable *end = &config->cable_ends[i];
            more |= reached[end->site] && !reached[end->far_site];
            reached[end->far_site] |= reached[end->site];
        }
    }
    for (int site = 0; site < config->sites; site++)
        if (!reached[site])
            mesh_parse_fail(parser, parser->line, "no way from site 0 to site %d, expected cables that join all sites",
                            site);
}

static void check_graph(struct mesh_parser *parser)
{
    const struct mesh_config *config = parser->config;
    if (parser->switches_line)
        check_switches(parser);
    for (unsigned i = 0; i < parser->cable_count && !parser->failed; i++)
        check_cable(parser, i);
    if (config->board_links)
        mesh_parse_fail(parser, mesh_parse_blame(parser, KEY_BOARD_LINKS, KEY_TOPOLOGY, KEY_TOPOLOGY),
                        "board = %s on a graph, expected links of a chip",
                        mesh_keys[KEY_BOARD_LINKS].names[config->board_links]);
    if (parser->failed)
        return;
    lay_cables(parser);
    check_joined(parser);
}

void mesh_check_cables(struct mesh_parser *parser)
{
    const struct mesh_config *config = parser->config;
    int line = parser->cable_count ? parser->cables[0].line : parser->switches_line;
    if (config->topology == PR_TOPOLOGY_GRAPH)
        check_graph(parser);
    else if (line)
        mesh_parse_fail(parser, line, "cables or switches of a %s, expected topology = graph",
                        mesh_topology_name(config->topology));
}

/* FNV-1a, as of the other settings. */
static uint32_t add(uint32_t hash, uint32_t number)
{
    for (int byte = 0; byte < 4; byte++)
        hash = (hash ^ (number >> 8 * byte & 0xff)) * 16777619u;
    return hash;
}

uint32_t mesh_cables_hash(const struct mesh_config *config, uint32_t hash)
{
    for (unsigned i = 0; i < config->cable_end_count; i++) {
        const struct pr_cable *end = &config->cable_ends[i];
        hash = add(add(hash, end->site), end->link);
        hash = add(add(add(hash, end->far_site), end->far_link), end->delay);
    }
    for (int site = 0; site < config->sites; site++)
        if (mesh_is_switch(config, site))
            hash = add(hash, (uint32_t)site);
    return hash;
}
