/* Parser of .mesh files, on inih. Every key has one row in the table below; what depends on several keys is
 * checked at the end. The first error is kept, with the line it stands in.
 *
 * inih is fed line by line through its stream interface, because its handler is not told the line number.
 *
 * SPDX-License-Identifier: ISC
 */
#define _POSIX_C_SOURCE 200809L /* strtok_r */

#include "model/mesh.h"

#include "console/remote_service.h"
#include "model/discipline.h"

#include <errno.h>
#include <ini.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_FILE = 65536,  /* a .mesh file is a page; anything longer is the wrong file */
    MAX_LINE = 160,    /* inih's own limit is 200 characters */
    MAX_SITES = 65535, /* site number 0xffff means "this one" on the console */
    MAX_THRESHOLD = 65534,
    MAX_STRAP = 65535,
    ABORT_MARGIN = 2, /* clocks of the default time-out beyond diversion and diameter */
    DIRECTIONS = 9,   /* four quadrants, four axes, "any" */
    LIST_TEXT = 40
};

enum list_mode { ROUTE_ADAPTIVE, ROUTE_STRICT, ROUTE_LIST };
enum { CODE_X_ONLY = 0, CODE_Y_ONLY = 1, CODE_X_FIRST = 2, CODE_Y_FIRST = 3 };

/* Order of the rows of `keys`. */
enum key_index {
    KEY_FABRIC,
    KEY_TOPOLOGY,
    KEY_SIZE,
    KEY_DIMENSIONS,
    KEY_WORD_WIDTH,
    KEY_UNICAST,
    KEY_MULTICAST,
    KEY_RELIABLE,
    KEY_DIVERT,
    KEY_ABORT,
    KEY_ABORT_RANDOM,
    KEY_RETRY_LIMIT,
    KEY_RELEASE_SINGLE,
    KEY_RELIEF,
    KEY_PATIENCE,
    KEY_DOWNSTREAM,
    KEY_UPSTREAM,
    KEY_MAX_PACKET,
    KEY_RAM_BYTES,
    KEY_CLOCK_HZ,
    KEY_CPU,
    KEY_COUNT
};

struct parser {
    const char *path, *text;
    size_t length, position;
    int line;                 /* number of the line inih was given last */
    int key_lines[KEY_COUNT]; /* where a key was set, 0 = not */
    int list_lines[2][DIRECTIONS];
    char list_text[2][DIRECTIONS][LIST_TEXT];
    int section_lines[2];    /* where [unicast] and [multicast] were opened */
    enum list_mode modes[2]; /* unicast, multicast */
    struct mesh_config *config;
    char *error;
    size_t error_size;
    bool failed;
};

struct key {
    const char *section, *name, *expected;                 /* expected: NULL, the names of the disciplines */
    bool (*set)(struct parser *parser, const char *value); /* false: the value is not what was expected */
    bool of_discipline; /* only meshes of the disciplines that list it in discipline.ini have it */
};

static void fail(struct parser *parser, int line, const char *format, ...)
{
    if (parser->failed)
        return;
    parser->failed = true;
    int used = snprintf(parser->error, parser->error_size, "%s:%d: ", parser->path, line);
    if (used < 0 || (size_t)used >= parser->error_size)
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(parser->error + used, parser->error_size - (size_t)used, format, arguments);
    va_end(arguments);
}

/* Decimal, no sign, no blanks. */
static bool read_number(const char *text, unsigned long lowest, unsigned long highest, unsigned *out)
{
    if (!*text || strlen(text) > 10 || strspn(text, "0123456789") != strlen(text))
        return false;
    unsigned long value = strtoul(text, NULL, 10);
    if (value < lowest || value > highest)
        return false;
    *out = (unsigned)value;
    return true;
}

/* Index of `value` in a list of names that ends with NULL, -1 if it is not there. */
static int choice(const char *value, const char *const *names)
{
    for (int i = 0; names[i]; i++)
        if (strcmp(value, names[i]) == 0)
            return i;
    return -1;
}

static bool power_of_two(unsigned value)
{
    return value && (value & (value - 1)) == 0;
}

static bool set_fabric(struct parser *parser, const char *value)
{
    struct mesh_config *config = parser->config;
    config->discipline = discipline_find(value);
    if (config->discipline)
        snprintf(config->fabric, sizeof config->fabric, "%s", value);
    return config->discipline != NULL;
}

static bool set_topology(struct parser *parser, const char *value)
{
    static const char *const names[] = {"grid", "torus", "hypercube", NULL};
    parser->config->topology = choice(value, names);
    return parser->config->topology >= 0;
}

static bool set_size(struct parser *parser, const char *value)
{
    char text[12];
    unsigned x, y;
    const char *times = strchr(value, 'x');
    if (!times || (size_t)(times - value) >= sizeof text)
        return false;
    memcpy(text, value, (size_t)(times - value));
    text[times - value] = 0;
    if (!read_number(text, 1, 4096, &x) || !read_number(times + 1, 1, 4096, &y))
        return false;
    parser->config->size_x = (int)x;
    parser->config->size_y = (int)y;
    return true;
}

static bool set_dimensions(struct parser *parser, const char *value)
{
    unsigned number;
    if (!read_number(value, 1, 14, &number))
        return false;
    parser->config->dimensions = (int)number;
    return true;
}

static bool set_word_width(struct parser *parser, const char *value)
{
    unsigned number;
    if (!read_number(value, 16, 32, &number) || (number != 16 && number != 32))
        return false;
    parser->config->word_width = (int)number;
    return true;
}

static bool set_mode(struct parser *parser, const char *value, int which)
{
    static const char *const names[] = {"adaptive", "strict", "list", NULL};
    int mode = choice(value, names);
    if (mode < 0)
        return false;
    parser->modes[which] = (enum list_mode)mode;
    return true;
}

static bool set_unicast(struct parser *parser, const char *value)
{
    return set_mode(parser, value, 0);
}

static bool set_multicast(struct parser *parser, const char *value)
{
    return set_mode(parser, value, 1);
}

static bool set_divert(struct parser *parser, const char *value)
{
    if (strcmp(value, "never") == 0) {
        parser->config->divert_threshold = MESH_DIVERT_NEVER;
        return true;
    }
    return read_number(value, 0, MAX_THRESHOLD, &parser->config->divert_threshold);
}

static bool set_abort(struct parser *parser, const char *value)
{
    return read_number(value, 1, MAX_THRESHOLD, &parser->config->abort_threshold);
}

static bool set_abort_random(struct parser *parser, const char *value)
{
    return read_number(value, 1, 32767, &parser->config->abort_random) &&
           power_of_two(parser->config->abort_random + 1);
}

static bool set_retry_limit(struct parser *parser, const char *value)
{
    return read_number(value, 0, 255, &parser->config->retry_limit);
}

static bool set_answer(bool *out, const char *value)
{
    static const char *const names[] = {"no", "yes", NULL};
    int answer = choice(value, names);
    *out = answer == 1;
    return answer >= 0;
}

static bool set_release_single(struct parser *parser, const char *value)
{
    return set_answer(&parser->config->release_single, value);
}

static bool set_reliable(struct parser *parser, const char *value)
{
    return set_answer(&parser->config->reliable, value);
}

static bool set_relief(struct parser *parser, const char *value)
{
    return read_number(value, 0, MAX_STRAP, &parser->config->relief_limit);
}

static bool set_patience(struct parser *parser, const char *value)
{
    return read_number(value, 0, MAX_STRAP, &parser->config->receive_patience);
}

static bool set_downstream(struct parser *parser, const char *value)
{
    return read_number(value, 4, 1024, &parser->config->downstream_depth) &&
           power_of_two(parser->config->downstream_depth);
}

static bool set_upstream(struct parser *parser, const char *value)
{
    return read_number(value, 4, 1024, &parser->config->upstream_depth) && power_of_two(parser->config->upstream_depth);
}

static bool set_max_packet(struct parser *parser, const char *value)
{
    return read_number(value, PR_SERVICE_MAX_PACKET_LEAST, 4096, &parser->config->max_packet);
}

static bool set_ram_bytes(struct parser *parser, const char *value)
{
    return read_number(value, 4096, 1 << 24, &parser->config->ram_bytes) && power_of_two(parser->config->ram_bytes);
}

static bool set_clock_hz(struct parser *parser, const char *value)
{
    return read_number(value, 100000, 2000000000, &parser->config->clock_hz);
}

static bool set_cpu(struct parser *parser, const char *value)
{
    static const char *const names[] = {"vexriscv", "serv", NULL};
    int which = choice(value, names);
    if (which < 0)
        return false;
    strcpy(parser->config->cpu, names[which]);
    return true;
}

static const struct key keys[KEY_COUNT] = {
    [KEY_FABRIC] = {"mesh", "fabric", NULL, set_fabric},
    [KEY_TOPOLOGY] = {"mesh", "topology", "grid, torus or hypercube", set_topology},
    [KEY_SIZE] = {"mesh", "size", "WIDTHxHEIGHT in sites, as 4x4", set_size},
    [KEY_DIMENSIONS] = {"mesh", "dimensions", "a number from 1 to 14", set_dimensions},
    [KEY_WORD_WIDTH] = {"mesh", "word_width", "16 or 32", set_word_width},
    [KEY_UNICAST] = {"routing", "unicast", "adaptive, strict or list", set_unicast, true},
    [KEY_MULTICAST] = {"routing", "multicast", "adaptive, strict or list", set_multicast, true},
    [KEY_RELIABLE] = {"service", "reliable", "yes or no", set_reliable},
    [KEY_DIVERT] = {"thresholds", "divert", "never or a number of clocks up to 65534", set_divert, true},
    [KEY_ABORT] = {"thresholds", "abort", "a number of clocks from 1 to 65534", set_abort, true},
    [KEY_ABORT_RANDOM] = {"thresholds", "abort_random", "2^k - 1 clocks up to 32767", set_abort_random, true},
    [KEY_RETRY_LIMIT] = {"thresholds", "retry_limit", "a number from 0 to 255", set_retry_limit, true},
    [KEY_RELEASE_SINGLE] = {"thresholds", "release_single", "yes or no", set_release_single, true},
    [KEY_RELIEF] = {"thresholds", "relief", "a number of tries up to 65535", set_relief, true},
    [KEY_PATIENCE] = {"thresholds", "patience", "a number of clocks up to 65535", set_patience},
    [KEY_DOWNSTREAM] = {"buffers", "downstream", "a power of two from 4 to 1024 words", set_downstream},
    [KEY_UPSTREAM] = {"buffers", "upstream", "a power of two from 4 to 1024 words", set_upstream},
    [KEY_MAX_PACKET] = {"buffers", "max_packet", "a number from 13 to 4096 words", set_max_packet},
    [KEY_RAM_BYTES] = {"site", "ram_bytes", "a power of two from 4096 to 16777216", set_ram_bytes},
    [KEY_CLOCK_HZ] = {"site", "clock_hz", "a number from 100000 to 2000000000", set_clock_hz},
    [KEY_CPU] = {"site", "cpu", "vexriscv or serv", set_cpu},
};

static const char *const list_sections[] = {"unicast", "multicast", NULL};

/* The first four are the quadrants in the order of the straps. */
static const char *const directions[DIRECTIONS + 1] = {"north_east", "north_west", "south_east", "south_west", "north",
                                                       "south",      "east",       "west",       "any",        NULL};

static bool known_section(const char *name)
{
    if (choice(name, list_sections) >= 0)
        return true;
    for (int i = 0; i < KEY_COUNT; i++)
        if (strcmp(keys[i].section, name) == 0)
            return true;
    return false;
}

/* A line of one of the preference lists. Its value waits for the topology to be known. */
static int handle_list(struct parser *parser, int which, const char *name, const char *value)
{
    int direction = choice(name, directions);
    if (direction < 0)
        fail(parser, parser->line, "unknown logical direction %s in [%s], expected north_east, ..., west or any", name,
             list_sections[which]);
    else if (parser->list_lines[which][direction])
        fail(parser, parser->line, "%s is given twice, expected once: first in line %d", name,
             parser->list_lines[which][direction]);
    else if (strlen(value) >= LIST_TEXT)
        fail(parser, parser->line, "%s has too long a list, expected at most two ports", name);
    if (parser->failed)
        return 0;
    parser->list_lines[which][direction] = parser->line;
    strcpy(parser->list_text[which][direction], value);
    return 1;
}

static void fail_value(struct parser *parser, const struct key *key, const char *value)
{
    char names[200];
    discipline_names(names, sizeof names);
    fail(parser, parser->line, "%s is %s, expected %s", key->name, *value ? value : "empty",
         key->expected ? key->expected : names);
}

static int handle(void *user, const char *section, const char *name, const char *value)
{
    struct parser *parser = user;
    if (parser->failed)
        return 0;
    int which = choice(section, list_sections);
    if (which >= 0)
        return handle_list(parser, which, name, value);
    for (int i = 0; i < KEY_COUNT; i++) {
        if (strcmp(keys[i].section, section) != 0 || strcmp(keys[i].name, name) != 0)
            continue;
        if (parser->key_lines[i])
            fail(parser, parser->line, "%s is given twice, expected once: first in line %d", name,
                 parser->key_lines[i]);
        else if (!keys[i].set(parser, value))
            fail_value(parser, &keys[i], value);
        parser->key_lines[i] = parser->line;
        return !parser->failed;
    }
    if (!*section)
        fail(parser, parser->line, "%s stands before any section, expected [mesh] first", name);
    else
        fail(parser, parser->line, "unknown key %s in [%s], expected a key that sim/README.md lists", name, section);
    return 0;
}

/* inih does not report an empty section: look at its heading here. */
static void check_heading(struct parser *parser, const char *line)
{
    char name[32];
    size_t length = strcspn(line + 1, "]");
    if (line[0] != '[' || line[1 + length] != ']')
        return;
    snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1), line + 1);
    int which = choice(name, list_sections);
    if (length >= sizeof name || !known_section(name))
        fail(parser, parser->line,
             "unknown section [%s], expected mesh, routing, unicast, multicast, service, thresholds, buffers or site",
             name);
    else if (which >= 0 && !parser->section_lines[which])
        parser->section_lines[which] = parser->line;
}

/* inih's reader: the next line, without leading blanks (inih takes an indented line for more of a value). */
static char *read_line(char *out, int size, void *stream)
{
    struct parser *parser = stream;
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
        fail(parser, parser->line, "line of %zu characters, expected at most %d", length, MAX_LINE);
        return NULL;
    }
    if (memchr(start, 0, length)) {
        fail(parser, parser->line, "a zero byte, expected text");
        return NULL;
    }
    memcpy(out, start, length);
    out[length] = 0;
    check_heading(parser, out);
    return parser->failed ? NULL : out;
}

/* The line to blame when several keys disagree: the last of those that were given. */
static int blame(const struct parser *parser, enum key_index a, enum key_index b, enum key_index c)
{
    int line = parser->key_lines[a];
    if (parser->key_lines[b] > line)
        line = parser->key_lines[b];
    if (parser->key_lines[c] > line)
        line = parser->key_lines[c];
    return line ? line : parser->line;
}

/* Does the size suit the word width? An address must fit a word (up to 14 dimensions fit any), a site number
 * 16 bits. */
static void check_size(struct parser *parser, enum key_index given)
{
    struct mesh_config *config = parser->config;
    int side = 1 << mesh_coordinate_width(config);
    int line = blame(parser, given, KEY_WORD_WIDTH, KEY_WORD_WIDTH);
    if (given == KEY_SIZE && (config->size_x > side || config->size_y > side))
        fail(parser, line, "size %dx%d, expected at most %dx%d with %d-bit words", config->size_x, config->size_y, side,
             side, config->word_width);
    if (config->sites > MAX_SITES)
        fail(parser, line, "%d sites, expected at most %d", config->sites, MAX_SITES);
}

static bool understood(const struct parser *parser, enum key_index key)
{
    return !keys[key].of_discipline ||
           discipline_has_key(parser->config->discipline, keys[key].section, keys[key].name);
}

/* A key that the discipline of the mesh does not have would set nothing. */
static void check_understood(struct parser *parser)
{
    struct mesh_config *config = parser->config;
    for (int i = 0; i < KEY_COUNT; i++)
        if (parser->key_lines[i] && !understood(parser, (enum key_index)i))
            fail(parser, parser->key_lines[i], "%s in [%s] with fabric %s, expected a key that this fabric has",
                 keys[i].name, keys[i].section, config->fabric);
    if (!understood(parser, KEY_DIVERT))
        config->divert_threshold = MESH_DIVERT_NEVER;
}

static void check_shape(struct parser *parser)
{
    struct mesh_config *config = parser->config;
    const int *lines = parser->key_lines;
    bool cube = config->topology == MESH_HYPERCUBE;
    enum key_index wanted = cube ? KEY_DIMENSIONS : KEY_SIZE, other = cube ? KEY_SIZE : KEY_DIMENSIONS;
    if (!lines[KEY_TOPOLOGY])
        fail(parser, parser->line, "no topology, expected topology in [mesh]: %s", keys[KEY_TOPOLOGY].expected);
    else if (lines[other])
        fail(parser, lines[other], "%s of a %s, expected %s", keys[other].name, mesh_topology_name(config->topology),
             keys[wanted].name);
    else if (!lines[wanted])
        fail(parser, lines[KEY_TOPOLOGY], "no %s, expected %s in [mesh]: %s", keys[wanted].name, keys[wanted].name,
             keys[wanted].expected);
    if (parser->failed)
        return;
    if (cube) {
        config->size_x = config->dimensions;
        config->size_y = 1;
    } else {
        config->dimensions = 2;
    }
    config->sites = cube ? 1 << config->dimensions : config->size_x * config->size_y;
    config->links = cube ? config->dimensions : 4;
    check_size(parser, wanted);
}

/* Which of the two dimensions a logical direction moves in: bit 0 x, bit 1 y. */
static unsigned direction_dimensions(int direction)
{
    if (direction < 4)
        return 3;
    return direction < 6 ? 2 : 1;
}

/* One port of a list: 0 = x, 1 = y, -1 = refused (and reported). */
static int list_port(struct parser *parser, int which, int direction, const char *port)
{
    static const char *const ports[] = {"north", "south", "east", "west", NULL};
    int line = parser->list_lines[which][direction];
    const char *name = directions[direction], *found = strstr(name, port);
    int index = choice(port, ports);
    if (index < 0) {
        fail(parser, line, "%s lists %s, expected north, south, east or west", name, port);
        return -1;
    }
    if (!found) {
        fail(parser, line, "%s lists %s, which does not lead there, expected minimal ports only", name, port);
        return -1;
    }
    if ((index < 2 ? parser->config->size_y : parser->config->size_x) == 1) {
        fail(parser, line, "%s lists %s, which leads over the edge, expected a port that size %dx%d has", name, port,
             parser->config->size_x, parser->config->size_y);
        return -1;
    }
    return index < 2;
}

/* The two-bit code of one quadrant's or axis's list; reports what it refuses. */
static unsigned list_code(struct parser *parser, int which, int direction)
{
    char text[LIST_TEXT], *save = NULL;
    int order[2], count = 0, line = parser->list_lines[which][direction];
    strcpy(text, parser->list_text[which][direction]);
    for (char *port = strtok_r(text, " ,\t", &save); port; port = strtok_r(NULL, " ,\t", &save)) {
        int dimension = list_port(parser, which, direction, port);
        if (dimension < 0)
            return 0;
        if (count == 2 || (count == 1 && order[0] == dimension)) {
            fail(parser, line, "%s lists %s twice, expected each port once", directions[direction], port);
            return 0;
        }
        order[count++] = dimension;
    }
    if (count == 0)
        fail(parser, line, "%s lists no port, expected one or two", directions[direction]);
    if (count < 2)
        return count && order[0] ? CODE_Y_ONLY : CODE_X_ONLY;
    return order[0] ? CODE_Y_FIRST : CODE_X_FIRST;
}

/* Preference lists of a grid or a torus. */
static uint8_t quadrant_lists(struct parser *parser, int which)
{
    unsigned lists = 0;
    bool flat = parser->config->size_x == 1 || parser->config->size_y == 1;
    for (int direction = 0; direction < DIRECTIONS && !parser->failed; direction++) {
        int line = parser->list_lines[which][direction];
        if (!line && direction < 4 && !flat)
            fail(parser, parser->section_lines[which] ? parser->section_lines[which] : parser->line,
                 "no list for %s, expected %s in [%s]", directions[direction], directions[direction],
                 list_sections[which]);
        if (!line)
            continue;
        if (direction == 8) {
            fail(parser, line, "any belongs to a hypercube, expected north_east, north_west, south_east, south_west");
            continue;
        }
        unsigned code = list_code(parser, which, direction);
        if (direction_dimensions(direction) == 3)
            lists |= code << 2 * direction;
    }
    return (uint8_t)lists;
}

/* Preference list of a hypercube. */
static uint8_t cube_lists(struct parser *parser, int which)
{
    static const char *const orders[] = {"lowest", "highest", "lowest_first", "highest_first", NULL};
    for (int direction = 0; direction < 8; direction++)
        if (parser->list_lines[which][direction])
            fail(parser, parser->list_lines[which][direction], "%s in a hypercube, expected any",
                 directions[direction]);
    int line = parser->list_lines[which][8];
    int code = choice(parser->list_text[which][8], orders);
    if (code < 0)
        fail(parser, line ? line : parser->line,
             "no list for any in [%s], expected lowest, highest, lowest_first or highest_first", list_sections[which]);
    return code < 0 ? 0 : (uint8_t)(code * 0x55);
}

static uint8_t routing_lists(struct parser *parser, int which)
{
    if (parser->modes[which] != ROUTE_LIST) {
        if (parser->section_lines[which])
            fail(parser, parser->section_lines[which], "lists that nothing uses, expected %s = list in [routing]",
                 list_sections[which]);
        return parser->modes[which] == ROUTE_STRICT ? 0x00 : 0xaa;
    }
    bool cube = parser->config->topology == MESH_HYPERCUBE;
    return cube ? cube_lists(parser, which) : quadrant_lists(parser, which);
}

/* Without diversion only an acyclic order is free of deadlock: one dimension order everywhere, and no ring in
 * which a packet may hold one link and want the next. */
static void check_never(struct parser *parser)
{
    const struct mesh_config *config = parser->config;
    int line = blame(parser, KEY_DIVERT, KEY_UNICAST, KEY_TOPOLOGY);
    if (config->divert_threshold != MESH_DIVERT_NEVER)
        return;
    if (config->unicast_lists != 0x00 && config->unicast_lists != 0x55)
        fail(parser, line, "divert = never with this unicast routing, expected strict dimension order");
    if (config->topology == MESH_TORUS && (config->size_x > 3 || config->size_y > 3))
        fail(parser, line, "divert = never on a torus with a ring of more than 3 sites, expected a number of clocks");
}

/* What section 3 of the design forbids. */
static void check_thresholds(struct parser *parser)
{
    const struct mesh_config *config = parser->config;
    unsigned diameter = (unsigned)mesh_diameter(config), diversion = mesh_diversion_clocks(config);
    check_never(parser);
    if (config->divert_threshold != MESH_DIVERT_NEVER && diversion + diameter >= config->abort_threshold)
        fail(
            parser, blame(parser, KEY_DIVERT, KEY_ABORT, KEY_SIZE),
            "divert %u + diameter %u is not below abort %u, expected up to %u clocks to a diversion + diameter < abort",
            config->divert_threshold, diameter, config->abort_threshold, diversion);
    if (config->abort_random + 1 < 2 * (config->max_packet + 1))
        fail(parser, blame(parser, KEY_ABORT_RANDOM, KEY_MAX_PACKET, KEY_MAX_PACKET),
             "abort_random %u with packets of %u words, expected abort_random + 1 >= 2 * (max_packet + 1)",
             config->abort_random, config->max_packet);
    if (config->abort_threshold + config->abort_random > MAX_THRESHOLD)
        fail(parser, blame(parser, KEY_ABORT, KEY_ABORT_RANDOM, KEY_ABORT_RANDOM),
             "abort %u + abort_random %u, expected a sum up to %d", config->abort_threshold, config->abort_random,
             MAX_THRESHOLD);
}

/* Unless it is given, the time-out leaves a margin above the longest way of a packet that diverts. */
static void default_abort(struct parser *parser)
{
    struct mesh_config *config = parser->config;
    if (!parser->key_lines[KEY_ABORT])
        config->abort_threshold = mesh_diversion_clocks(config) + (unsigned)mesh_diameter(config) + ABORT_MARGIN;
}

/* Tries stop counting at MAX_STRAP: a head held back to there would wait for ever (R3). */
static void check_relief(struct parser *parser)
{
    const struct mesh_config *config = parser->config;
    unsigned divert = config->divert_threshold == MESH_DIVERT_NEVER ? 0 : config->divert_threshold;
    if (divert + config->relief_limit >= MAX_STRAP)
        fail(parser, blame(parser, KEY_RELIEF, KEY_DIVERT, KEY_DIVERT),
             "divert %u + relief %u, expected a sum below %d", divert, config->relief_limit, MAX_STRAP);
}

/* A network_interface that waits for a buffer for ever belongs to the raw service, and to no other. */
static void check_patience(struct parser *parser)
{
    const struct mesh_config *config = parser->config;
    bool given = parser->key_lines[KEY_PATIENCE];
    int line = blame(parser, KEY_PATIENCE, KEY_RELIABLE, KEY_RELIABLE);
    if (config->reliable && config->receive_patience == 0)
        fail(parser, line, "patience 0 with reliable = yes, expected a number of clocks from 1 to %d", MAX_STRAP);
    if (!config->reliable && given && config->receive_patience != 0)
        fail(parser, line, "patience %u with reliable = no, expected 0: the raw service waits for ever",
             config->receive_patience);
}

static uint32_t settings_hash(const struct mesh_config *config)
{
    char text[512];
    snprintf(text, sizeof text, "%s %s %d %d %d %d %02x %02x %u %u %u %d %u %u %u %u %u %u %s %d %u %u", config->fabric,
             mesh_topology_name(config->topology), config->size_x, config->size_y, config->dimensions,
             config->word_width, config->unicast_lists, config->multicast_lists, config->divert_threshold,
             config->abort_threshold, config->abort_random, config->release_single, config->retry_limit,
             config->downstream_depth, config->upstream_depth, config->max_packet, config->ram_bytes, config->clock_hz,
             config->cpu, config->reliable, config->relief_limit, config->receive_patience);
    uint32_t hash = 2166136261u;
    for (const char *c = text; *c; c++)
        hash = (hash ^ (unsigned char)*c) * 16777619u;
    return hash;
}

void mesh_set_reliable(struct mesh_config *config, bool reliable)
{
    if (config->reliable != reliable || !reliable)
        config->receive_patience = reliable ? MESH_DEFAULT_PATIENCE : 0;
    config->reliable = reliable;
    config->hash = settings_hash(config);
}

static void set_defaults(struct mesh_config *config)
{
    *config = (struct mesh_config){
        .word_width = 16,
        .divert_threshold = 8,
        .abort_random = 255,
        .release_single = true,
        .retry_limit = 1,
        .reliable = true,
        .relief_limit = 64,
        .receive_patience = MESH_DEFAULT_PATIENCE,
        .downstream_depth = 32,
        .upstream_depth = 64,
        .max_packet = 127,
        .ram_bytes = 65536,
        .clock_hz = 12000000,
        .cpu = "vexriscv",
        .discipline = discipline_default(),
    };
    snprintf(config->fabric, sizeof config->fabric, "%s", config->discipline->name);
}

int mesh_config_parse(const char *path, const char *text, size_t length, struct mesh_config *out, char *error,
                      size_t error_size)
{
    struct parser parser = {.path = path,
                            .text = text,
                            .length = length,
                            .config = out,
                            .error = error,
                            .error_size = error_size,
                            .modes = {ROUTE_ADAPTIVE, ROUTE_STRICT}};
    set_defaults(out);
    if (error_size)
        error[0] = 0;
    if (strlen(path) >= sizeof out->path)
        fail(&parser, 0, "path too long, expected less than %zu characters", sizeof out->path);
    else
        strcpy(out->path, path);
    int result = ini_parse_stream(read_line, &parser, handle, &parser);
    if (result)
        fail(&parser, result > 0 ? result : parser.line,
             "no key = value, expected [section], key = value or ; comment");
    if (!parser.failed)
        check_shape(&parser);
    if (!parser.failed) {
        out->unicast_lists = routing_lists(&parser, 0);
        out->multicast_lists = routing_lists(&parser, 1);
    }
    if (!parser.failed) {
        check_understood(&parser);
        default_abort(&parser);
        check_patience(&parser);
    }
    if (!parser.failed && understood(&parser, KEY_ABORT)) {
        check_thresholds(&parser);
        check_relief(&parser);
    }
    if (!out->reliable)
        out->receive_patience = 0;
    out->hash = settings_hash(out);
    return parser.failed ? -1 : 0;
}

int mesh_config_load(const char *path, struct mesh_config *out, char *error, size_t error_size)
{
    static const char expected[] = "expected a .mesh file";
    FILE *file = fopen(path, "rb");
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
