/* Parser of .mesh files, on inih. What a key may be is its row in mesh_keys.c; what depends on several keys is
 * checked here, at the end. The first error is kept, with the line it stands in.
 *
 * inih is fed line by line through its stream interface, because inih passes no line number to its handler.
 *
 * SPDX-License-Identifier: ISC
 */
#define _POSIX_C_SOURCE 200809L /* strtok_r */

#include "mesh/mesh_parser.h"

#include "mesh/discipline.h"
#include "mesh/mesh_cables.h"
#include "mesh/mesh_shape.h"
#include "support/input_file.h"

#include <errno.h>
#include <ini.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_FILE = 65536, /* a .mesh file is a page; anything longer is the wrong file */
    MAX_LINE = 160    /* inih's own limit is 200 characters */
};

enum { CODE_X_ONLY = 0, CODE_Y_ONLY = 1, CODE_X_FIRST = 2, CODE_Y_FIRST = 3 };

static bool known_section(const char *name)
{
    if (strcmp(name, mesh_list_section) == 0 || mesh_cables_section(name))
        return true;
    for (int i = 0; i < KEY_COUNT; i++)
        if (strcmp(mesh_keys[i].section, name) == 0)
            return true;
    return false;
}

/* A line of one of the preference lists. Its value waits for the topology to be known. */
static int handle_list(struct mesh_parser *parser, const char *name, const char *value)
{
    int direction = mesh_choice(name, mesh_list_directions);
    if (direction < 0)
        mesh_parse_fail(parser, parser->line,
                        "unknown logical direction %s in [%s], expected north_east, ..., west or any", name,
                        mesh_list_section);
    else if (parser->list_lines[direction])
        mesh_parse_fail(parser, parser->line, "%s is given twice, expected once: first in line %d", name,
                        parser->list_lines[direction]);
    else if (strlen(value) >= MESH_LIST_TEXT)
        mesh_parse_fail(parser, parser->line, "%s has too long a list, expected at most two ports", name);
    if (parser->failed)
        return 0;
    parser->list_lines[direction] = parser->line;
    strcpy(parser->list_text[direction], value);
    return 1;
}

static void fail_value(struct mesh_parser *parser, const struct mesh_key *key, const char *value)
{
    char expected[MESH_EXPECTED_TEXT];
    mesh_key_expected(key, "", expected, sizeof expected);
    mesh_parse_fail(parser, parser->line, "%s is %s, expected %s", key->name, *value ? value : "empty", expected);
}

static int handle(void *user, const char *section, const char *name, const char *value)
{
    struct mesh_parser *parser = user;
    if (parser->failed)
        return 0;
    if (strcmp(section, mesh_list_section) == 0)
        return handle_list(parser, name, value);
    if (mesh_cables_section(section)) {
        mesh_cables_take(parser, section, name, value);
        return !parser->failed;
    }
    for (int i = 0; i < KEY_COUNT; i++) {
        if (strcmp(mesh_keys[i].section, section) != 0 || strcmp(mesh_keys[i].name, name) != 0)
            continue;
        if (parser->key_lines[i])
            mesh_parse_fail(parser, parser->line, "%s is given twice, expected once: first in line %d", name,
                            parser->key_lines[i]);
        else if (!mesh_key_set(&mesh_keys[i], parser->config, value))
            fail_value(parser, &mesh_keys[i], value);
        parser->key_lines[i] = parser->line;
        return !parser->failed;
    }
    if (!*section)
        mesh_parse_fail(parser, parser->line, "%s stands before any section, expected [mesh] first", name);
    else
        mesh_parse_fail(parser, parser->line, "unknown key %s in [%s], expected a key that sim/mesh_keys.md lists",
                        name, section);
    return 0;
}

/* inih does not report an empty section: look at its heading here. */
static void check_heading(struct mesh_parser *parser, const char *line)
{
    char name[32];
    size_t length;
    if (line[0] != '[')
        return;
    length = strcspn(line + 1, "]");
    if (line[1 + length] != ']')
        return;
    snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1), line + 1);
    if (length >= sizeof name || !known_section(name))
        mesh_parse_fail(
            parser, parser->line,
            "unknown section [%s], expected mesh, cables, sites, routing, unicast, postman, links, service, thresholds, buffers "
            "or site",
            name);
    else if (strcmp(name, mesh_list_section) == 0 && !parser->list_section_line)
        parser->list_section_line = parser->line;
}

/* inih's reader: the next line, without leading blanks (inih takes an indented line for more of a value). */
static char *read_line(char *out, int size, void *stream)
{
    struct mesh_parser *parser = stream;
    if (parser->failed || parser->position >= parser->length)
        return NULL;
    const char *start = parser->text + parser->position;
    size_t rest = parser->length - parser->position;
    const char *end = memchr(start, '\n', rest);
    size_t length = end ? (size_t)(end - start) : rest;
    parser->position += length + 1;
    parser->line++;
    while (length && (*start == ' ' || *start == '\t'))
        start++, length--;
    if (length > MAX_LINE || (int)length + 2 > size) {
        mesh_parse_fail(parser, parser->line, "line of %zu characters, expected at most %d", length, MAX_LINE);
        return NULL;
    }
    if (memchr(start, 0, length)) {
        mesh_parse_fail(parser, parser->line, "a zero byte, expected text");
        return NULL;
    }
    memcpy(out, start, length);
    out[length] = 0;
    check_heading(parser, out);
    return parser->failed ? NULL : out;
}

static bool understood(const struct mesh_parser *parser, enum mesh_key_index key)
{
    return !mesh_keys[key].of_discipline ||
           discipline_has_key(parser->config->discipline, mesh_keys[key].section, mesh_keys[key].name);
}

/* A key that the discipline of the mesh does not have would set nothing. */
static void check_understood(struct mesh_parser *parser)
{
    struct mesh_config *config = parser->config;
    for (int i = 0; i < KEY_COUNT; i++)
        if (parser->key_lines[i] && !understood(parser, (enum mesh_key_index)i))
            mesh_parse_fail(parser, parser->key_lines[i],
                            "%s in [%s] with fabric %s, expected a key that this fabric has", mesh_keys[i].name,
                            mesh_keys[i].section, config->fabric);
    if (!understood(parser, KEY_DIVERT))
        config->divert_threshold = MESH_DIVERT_NEVER;
    if (!understood(parser, KEY_RELIEF))
        config->relief_limit = 0;
}

/* Which of the two dimensions a logical direction moves in: bit 0 x, bit 1 y. */
static unsigned direction_dimensions(int direction)
{
    if (direction < 4)
        return 3;
    return direction < 6 ? 2 : 1;
}

/* One port of a list: 0 = x, 1 = y, -1 = refused (and reported). */
static int list_port(struct mesh_parser *parser, int direction, const char *port)
{
    static const char *const ports[] = {"north", "south", "east", "west", NULL};
    int line = parser->list_lines[direction];
    const char *name = mesh_list_directions[direction], *found = strstr(name, port);
    int index = mesh_choice(port, ports);
    if (index < 0) {
        mesh_parse_fail(parser, line, "%s lists %s, expected north, south, east or west", name, port);
        return -1;
    }
    if (!found) {
        mesh_parse_fail(parser, line, "%s lists %s, which does not lead there, expected minimal ports only", name,
                        port);
        return -1;
    }
    if ((index < 2 ? parser->config->size_y : parser->config->size_x) == 1) {
        mesh_parse_fail(parser, line, "%s lists %s, which leads over the edge, expected a port that size %dx%d has",
                        name, port, parser->config->size_x, parser->config->size_y);
        return -1;
    }
    return index < 2;
}

/* The two-bit code of one quadrant's or axis's list; reports what it refuses. */
static unsigned list_code(struct mesh_parser *parser, int direction)
{
    char text[MESH_LIST_TEXT], *save = NULL;
    int order[2], count = 0, line = parser->list_lines[direction];
    strcpy(text, parser->list_text[direction]);
    for (char *port = strtok_r(text, " ,\t", &save); port; port = strtok_r(NULL, " ,\t", &save)) {
        int dimension = list_port(parser, direction, port);
        if (dimension < 0)
            return 0;
        if (count == 2 || (count == 1 && order[0] == dimension)) {
            mesh_parse_fail(parser, line, "%s lists %s twice, expected each port once", mesh_list_directions[direction],
                            port);
            return 0;
        }
        order[count++] = dimension;
    }
    if (count == 0)
        mesh_parse_fail(parser, line, "%s lists no port, expected one or two", mesh_list_directions[direction]);
    if (count < 2)
        return count && order[0] ? CODE_Y_ONLY : CODE_X_ONLY;
    return order[0] ? CODE_Y_FIRST : CODE_X_FIRST;
}

/* Preference lists of a grid or a torus. */
static uint8_t quadrant_lists(struct mesh_parser *parser)
{
    unsigned lists = 0;
    bool flat = parser->config->size_x == 1 || parser->config->size_y == 1;
    for (int direction = 0; direction < LIST_DIRECTIONS && !parser->failed; direction++) {
        int line = parser->list_lines[direction];
        if (!line && direction < 4 && !flat)
            mesh_parse_fail(parser, parser->list_section_line ? parser->list_section_line : parser->line,
                            "no list for %s, expected %s in [%s]", mesh_list_directions[direction],
                            mesh_list_directions[direction], mesh_list_section);
        if (!line)
            continue;
        if (direction == 8) {
            mesh_parse_fail(parser, line,
                            "any belongs to a hypercube, expected north_east, north_west, south_east, south_west");
            continue;
        }
        unsigned code = list_code(parser, direction);
        if (direction_dimensions(direction) == 3)
            lists |= code << 2 * direction;
    }
    return (uint8_t)lists;
}

/* Preference list of a hypercube. */
static uint8_t cube_lists(struct mesh_parser *parser)
{
    for (int direction = 0; direction < 8; direction++)
        if (parser->list_lines[direction])
            mesh_parse_fail(parser, parser->list_lines[direction], "%s in a hypercube, expected any",
                            mesh_list_directions[direction]);
    int line = parser->list_lines[8];
    int code = mesh_choice(parser->list_text[8], mesh_cube_orders);
    if (code < 0)
        mesh_parse_fail(parser, line ? line : parser->line,
                        "no list for any in [%s], expected lowest, highest, lowest_first or highest_first",
                        mesh_list_section);
    return code < 0 ? 0 : (uint8_t)(code * 0x55);
}

static uint8_t routing_lists(struct mesh_parser *parser)
{
    int order = parser->config->unicast_order;
    if (order != MESH_ORDER_LIST) {
        if (parser->list_section_line)
            mesh_parse_fail(parser, parser->list_section_line,
                            "lists that nothing uses, expected %s = list in [routing]", mesh_list_section);
        return order == MESH_ORDER_STRICT ? 0x00 : 0xaa;
    }
    bool cube = parser->config->topology == PR_TOPOLOGY_HYPERCUBE;
    return cube ? cube_lists(parser) : quadrant_lists(parser);
}

/* Without diversion only an acyclic order is free of deadlock: one dimension order everywhere, and no ring in
 * which a packet may hold one link and want the next. */
static void check_never(struct mesh_parser *parser)
{
    const struct mesh_config *config = parser->config;
    int line = mesh_parse_blame(parser, KEY_DIVERT, KEY_UNICAST, KEY_TOPOLOGY);
    if (config->divert_threshold != MESH_DIVERT_NEVER)
        return;
    if (config->unicast_lists != 0x00 && config->unicast_lists != 0x55)
        mesh_parse_fail(parser, line, "divert = never with this unicast routing, expected strict dimension order");
    if (config->topology == PR_TOPOLOGY_TORUS && (config->size_x > 3 || config->size_y > 3))
        mesh_parse_fail(parser, line,
                        "divert = never on a torus with a ring of more than 3 sites, expected a number of clocks");
}

/* A word that went on in vain is recognised by its target, which lies behind: in a ring nothing lies behind. On a board
 * link it takes a frame of its own, which costs more than guesses save, and a link with eager frames takes it for a
 * packet. */
static void check_eager(struct mesh_parser *parser)
{
    const struct mesh_config *config = parser->config;
    if (config->eager && config->topology != PR_TOPOLOGY_GRID)
        mesh_parse_fail(parser, mesh_parse_blame(parser, KEY_EAGER, KEY_TOPOLOGY, KEY_TOPOLOGY),
                        "eager = yes on a %s, expected a grid", mesh_topology_name(config->topology));
    if (config->eager && config->board_links)
        mesh_parse_fail(parser, mesh_parse_blame(parser, KEY_EAGER, KEY_BOARD_LINKS, KEY_BOARD_LINKS),
                        "eager = yes with board = %s, expected links of a chip",
                        mesh_keys[KEY_BOARD_LINKS].names[config->board_links]);
}

/* The presets of thresholds count clocks of links on a chip. */
static unsigned scaled(enum mesh_key_index key, unsigned preset)
{
    unsigned clocks = preset * MESH_BOARD_LINK_SCALE;
    return clocks < mesh_keys[key].most ? clocks : mesh_keys[key].most;
}

static void scale_preset(struct mesh_parser *parser, enum mesh_key_index key, unsigned *threshold)
{
    if (!parser->key_lines[key])
        *threshold = scaled(key, *threshold);
}

static void check_board_links(struct mesh_parser *parser)
{
    struct mesh_config *config = parser->config;
    const char *kind = mesh_keys[KEY_BOARD_LINKS].names[config->board_links];
    config->link_clocks = discipline_word_clocks(config->discipline, (unsigned)config->word_width);
    if (config->discipline->lines)
        config->link_clocks *= (unsigned)config->interleave;
    if (config->board_links)
        config->link_clocks = PR_LINK_WORD_CLOCKS;
    if (config->probe && !config->board_links)
        mesh_parse_fail(parser, parser->key_lines[KEY_PROBE],
                        "probe = yes, expected board = yes too: a chip's links have no pins");
    if (!config->board_links)
        return;
    if (config->discipline->lines)
        mesh_parse_fail(parser, mesh_parse_blame(parser, KEY_BOARD_LINKS, KEY_FABRIC, KEY_FABRIC),
                        "board = %s with fabric %s, expected a fabric whose links carry words", kind, config->fabric);
    if (config->word_width != 16)
        mesh_parse_fail(parser, mesh_parse_blame(parser, KEY_BOARD_LINKS, KEY_WORD_WIDTH, KEY_WORD_WIDTH),
                        "board = %s with word_width %d, expected 16: a frame has 16 bits of a word", kind,
                        config->word_width);
    if (config->links > MESH_BOARD_LINKS_MAX)
        mesh_parse_fail(parser, mesh_parse_blame(parser, KEY_BOARD_LINKS, KEY_DIMENSIONS, KEY_DIMENSIONS),
                        "board = %s with dimensions %d, expected at most %d: a board has so many links", kind,
                        config->links, MESH_BOARD_LINKS_MAX);
    if (config->board_links == MESH_LINKS_EAGER && config->links != MESH_BOARD_LINKS_MAX)
        mesh_parse_fail(parser, mesh_parse_blame(parser, KEY_BOARD_LINKS, KEY_DIMENSIONS, KEY_DIMENSIONS),
                        "board = %s on a hypercube of %d dimensions, expected %d: eager links are four", kind,
                        config->links, MESH_BOARD_LINKS_MAX);
    scale_preset(parser, KEY_DIVERT, &config->divert_threshold);
    scale_preset(parser, KEY_ABORT, &config->abort_threshold);
    scale_preset(parser, KEY_RELIEF, &config->relief_limit);
    scale_preset(parser, KEY_PATIENCE, &config->receive_patience);
    if (config->abort_threshold <= config->link_clocks)
        mesh_parse_fail(parser, mesh_parse_blame(parser, KEY_BOARD_LINKS, KEY_ABORT, KEY_ABORT),
                        "abort %u with board = %s, expected more than the %u clocks of a word", config->abort_threshold,
                        kind, config->link_clocks);
}

/* What has to wait at no site does not wait for a wire that turns, nor for the other planes' clocks; round a ring a bit
 * could come back in the clock in which it left. A wire that turns does so for one plane, and for a line that has one
 * end behind the other. */
static void check_wires(struct mesh_parser *parser)
{
    const struct mesh_config *config = parser->config;
    if (config->phases > 1 && config->topology == PR_TOPOLOGY_TORUS)
        mesh_parse_fail(parser, mesh_parse_blame(parser, KEY_PHASES, KEY_TOPOLOGY, KEY_TOPOLOGY),
                        "phases %d on a torus, expected a grid", config->phases);
    if (!config->shared_wire)
        return;
    if (config->topology == PR_TOPOLOGY_TORUS)
        mesh_parse_fail(parser, mesh_parse_blame(parser, KEY_SHARED_WIRE, KEY_TOPOLOGY, KEY_TOPOLOGY),
                        "shared_wire = yes on a torus, expected a grid");
    if (config->interleave > 1)
        mesh_parse_fail(parser, mesh_parse_blame(parser, KEY_SHARED_WIRE, KEY_INTERLEAVE, KEY_INTERLEAVE),
                        "shared_wire = yes with interleave %d, expected interleave 1", config->interleave);
    if (config->phases > 1)
        mesh_parse_fail(parser, mesh_parse_blame(parser, KEY_SHARED_WIRE, KEY_PHASES, KEY_PHASES),
                        "shared_wire = yes with phases %d, expected phases 1", config->phases);
}

/* "a grid, a torus or a hypercube": those of a mask. */
static void topology_names(uint32_t topologies, char *out, size_t size)
{
    const char *between = "";
    size_t used = 0;
    *out = 0;
    for (int topology = 0; topologies >> topology && used < size; topology++) {
        uint32_t more = topologies >> (topology + 1);
        if (!(topologies >> topology & 1))
            continue;
        used += (size_t)snprintf(out + used, size - used, "%sa %s", between, mesh_topology_name(topology));
        between = more & (more - 1) ? ", " : " or ";
    }
}

static void check_topology(struct mesh_parser *parser)
{
    const struct mesh_config *config = parser->config;
    char expected[MESH_EXPECTED_TEXT];
    topology_names(config->discipline->topologies, expected, sizeof expected);
    if (!(config->discipline->topologies >> config->topology & 1))
        mesh_parse_fail(parser, mesh_parse_blame(parser, KEY_FABRIC, KEY_TOPOLOGY, KEY_TOPOLOGY),
                        "fabric %s on a %s, expected %s", config->fabric, mesh_topology_name(config->topology),
                        expected);
}

/* Links that carry lines: addresses are of 7 bits a dimension, and a packet has to fit the buffers whole, with two
 * addresses, the number of its target_info words and two check bytes; one flit of a buffer is of no use. */
static void check_lines(struct mesh_parser *parser)
{
    enum { SIDE_MAX = 128, FLITS_AROUND = 6, GRID_PLANES = 4 };
    struct mesh_config *config = parser->config;
    unsigned word_flits = (unsigned)config->word_width / 8;
    unsigned flits = (config->max_packet - 1) * word_flits + FLITS_AROUND;
    if (!config->discipline->lines)
        return;
    if (!mesh_has_torus_lines(config) && config->interleave > GRID_PLANES)
        mesh_parse_fail(parser, mesh_parse_blame(parser, KEY_INTERLEAVE, KEY_TOPOLOGY, KEY_TOPOLOGY),
                        "interleave %d on a grid, expected at most %d", config->interleave, GRID_PLANES);
    if (config->late_pass && config->strategy == MESH_STRATEGY_CUT_THROUGH)
        mesh_parse_fail(parser, mesh_parse_blame(parser, KEY_LATE_PASS, KEY_STRATEGY, KEY_STRATEGY),
                        "late_pass = yes with strategy = vct, expected strategy = eager");
    check_wires(parser);
    if (config->size_x > SIDE_MAX || config->size_y > SIDE_MAX)
        mesh_parse_fail(parser, mesh_parse_blame(parser, KEY_FABRIC, KEY_SIZE, KEY_SIZE),
                        "size %dx%d with fabric %s, expected at most %dx%d", config->size_x, config->size_y,
                        config->fabric, SIDE_MAX, SIDE_MAX);
    while (!parser->key_lines[KEY_UPSTREAM] && config->upstream_depth * word_flits < flits)
        config->upstream_depth *= 2;
    if (config->upstream_depth * word_flits < flits)
        mesh_parse_fail(parser, mesh_parse_blame(parser, KEY_UPSTREAM, KEY_MAX_PACKET, KEY_MAX_PACKET),
                        "upstream %u with max_packet %u and fabric %s, expected at least %u words",
                        config->upstream_depth, config->max_packet, config->fabric,
                        (flits + word_flits - 1) / word_flits);
}

/* In relief a head waits longer before it diverts, never less long (R3). */
static void check_relief(struct mesh_parser *parser)
{
    struct mesh_config *config = parser->config;
    const char *preset = config->board_links ? ", the default with board links ([links] board)" : ", the default";
    bool never = config->divert_threshold == MESH_DIVERT_NEVER;
    if (never || config->relief_limit == 0 || config->relief_limit >= config->divert_threshold)
        return;
    if (parser->key_lines[KEY_RELIEF])
        mesh_parse_fail(parser, mesh_parse_blame(parser, KEY_RELIEF, KEY_DIVERT, KEY_DIVERT),
                        "relief %u is below divert %u%s, expected 0 or at least divert", config->relief_limit,
                        config->divert_threshold, parser->key_lines[KEY_DIVERT] ? "" : preset);
    config->relief_limit = config->divert_threshold;
}

/* A network_interface that waits for a buffer for ever belongs to the raw service, and to no other. */
static void check_patience(struct mesh_parser *parser)
{
    const struct mesh_config *config = parser->config;
    bool given = parser->key_lines[KEY_PATIENCE];
    int line = mesh_parse_blame(parser, KEY_PATIENCE, KEY_RELIABLE, KEY_RELIABLE);
    if (config->reliable && config->receive_patience == 0)
        mesh_parse_fail(parser, line, "patience 0 with reliable = yes, expected a number of clocks from 1 to %d",
                        MESH_MAX_STRAP);
    if (!config->reliable && given && config->receive_patience != 0)
        mesh_parse_fail(parser, line, "patience %u with reliable = no, expected 0: the raw service waits for ever",
                        config->receive_patience);
}

static uint32_t settings_hash(const struct mesh_config *config)
{
    static const char *const links[] = {
        [MESH_LINKS_ON_CHIP] = "", [MESH_LINKS_SHARED] = " board links", [MESH_LINKS_EAGER] = " eager board links"};
    char text[512], lines[48] = "";
    if (config->discipline->lines)
        snprintf(lines, sizeof lines, " %d %d %d %d %u", config->strategy, config->adaptive_routing,
                 config->adaptive_sourcing, config->interleave, mesh_variant(config));
    snprintf(text, sizeof text, "%s %s %d %d %d %d %d %02x %d %u %u %u %u %u %u %u %u %u %s %d %u %u%s%s%s",
             config->fabric, mesh_topology_name(config->topology), config->size_x, config->size_y, config->dimensions,
             config->word_width, mesh_adapts(config), config->unicast_lists, config->eager, config->divert_threshold,
             config->abort_threshold, config->retry_limit, config->input_depth, config->downstream_depth,
             config->upstream_depth, config->max_packet, config->ram_bytes, config->clock_hz, config->cpu,
             config->reliable, config->relief_limit, config->receive_patience, links[config->board_links],
             config->probe ? " probe" : "", lines);
    uint32_t hash = 2166136261u;
    for (const char *c = text; *c; c++)
        hash = (hash ^ (unsigned char)*c) * 16777619u;
    return mesh_cables_hash(config, hash);
}

void mesh_set_reliable(struct mesh_config *config, bool reliable)
{
    const struct mesh_key *patience = &mesh_keys[KEY_PATIENCE];
    if (config->reliable != reliable || !reliable)
        mesh_key_set(patience, config, reliable ? patience->preset : "0");
    if (config->reliable != reliable && config->board_links)
        config->receive_patience = scaled(KEY_PATIENCE, config->receive_patience);
    config->reliable = reliable;
    config->hash = settings_hash(config);
}

int mesh_config_parse(const char *path, const char *text, size_t length, struct mesh_config *out, char *error,
                      size_t error_size)
{
    struct mesh_parser parser = {
        .path = path, .text = text, .length = length, .config = out, .error = error, .error_size = error_size};
    mesh_keys_preset(out);
    if (error_size)
        error[0] = 0;
    if (strlen(path) >= sizeof out->path)
        mesh_parse_fail(&parser, 0, "path too long, expected less than %zu characters", sizeof out->path);
    else
        strcpy(out->path, path);
    int result = ini_parse_stream(read_line, &parser, handle, &parser);
    if (result)
        mesh_parse_fail(&parser, result > 0 ? result : parser.line,
                        "no key = value, expected [section], key = value or ; comment");
    if (!parser.failed)
        mesh_check_shape(&parser);
    if (!parser.failed) {
        out->unicast_lists = routing_lists(&parser);
    }
    if (!parser.failed) {
        check_understood(&parser);
        check_topology(&parser);
        check_board_links(&parser);
        check_eager(&parser);
        check_lines(&parser);
        check_patience(&parser);
    }
    if (!parser.failed && understood(&parser, KEY_ABORT)) {
        check_never(&parser);
        check_relief(&parser);
    }
    if (!out->reliable)
        out->receive_patience = 0;
    if (parser.failed)
        return -1;
    out->hash = settings_hash(out);
    return 0;
}

int mesh_config_load(const char *path, struct mesh_config *out, char *error, size_t error_size)
{
    static const char expected[] = "expected a .mesh file";
    FILE *file = input_file_open(path);
    char *text = file ? malloc(MAX_FILE + 1) : NULL;
    int result = -1;
    if (!text) {
        snprintf(error, error_size, "%s: %s, %s", path, strerror(errno), expected);
    } else {
        size_t length = fread(text, 1, MAX_FILE + 1, file);
        if (ferror(file))
            snprintf(error, error_size, "%s: %s, %s", path, strerror(errno), expected);
        else if (length > MAX_FILE)
            snprintf(error, error_size, "%s: more than %d bytes, %s", path, MAX_FILE, expected);
        else
            result = mesh_config_parse(path, text, length, out, error, error_size);
    }
    free(text);
    if (file)
        fclose(file);
    return result;
}
