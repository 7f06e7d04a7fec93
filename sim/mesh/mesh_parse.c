/* Parser of .mesh files, on inih. What a key may be is its row, in mesh_keys.c or of the discipline; what depends on
 * several keys is checked here, at the end, and by the discipline's rows and code. The first error is kept, with the
 * line it stands in.
 *
 * inih is fed line by line through its stream interface, because inih passes no line number to its handler.
 *
 * SPDX-License-Identifier: ISC
 */
#include "mesh/mesh_parser.h"

#include "mesh/discipline.h"
#include "mesh/mesh_cables.h"
#include "mesh/mesh_own.h"
#include "mesh/mesh_settings.h"
#include "mesh/mesh_shape.h"
#include "support/input_file.h"

#include <ini.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_FILE = 65536, /* a .mesh file is a page; anything longer is the wrong file */
    MAX_LINE = 160    /* inih's own limit is 200 characters */
};

/* The key of this name that the mesh may have, and where its line is kept; NULL if there is none. */
static const struct mesh_key *find_key(const struct mesh_parser *parser, const char *section, const char *name,
                                       const int **line)
{
    const struct discipline *discipline = parser->config->discipline;
    const struct own_key *own = discipline_own_key(discipline, section, name);
    if (own) {
        *line = &parser->own_lines[own - discipline->own];
        return &own->key;
    }
    for (int i = 0; i < KEY_COUNT; i++)
        if (strcmp(mesh_keys[i].section, section) == 0 && strcmp(mesh_keys[i].name, name) == 0) {
            *line = &parser->key_lines[i];
            return &mesh_keys[i];
        }
    return NULL;
}

int mesh_parse_line(const struct mesh_parser *parser, const char *name)
{
    const int *line;
    char section[MESH_SECTION_SIZE];
    const char *key = mesh_key_split(name, section);
    return find_key(parser, section, key, &line) ? *line : 0;
}

int mesh_parse_later(const struct mesh_parser *parser, const char *name, const char *other)
{
    int line = mesh_parse_line(parser, name), other_line = mesh_parse_line(parser, other);
    line = line > other_line ? line : other_line;
    return line ? line : parser->line;
}

static bool common_section(const char *name)
{
    if (mesh_cables_section(name))
        return true;
    for (int i = 0; i < KEY_COUNT; i++)
        if (strcmp(mesh_keys[i].section, name) == 0)
            return true;
    return false;
}

static bool section_of(const struct discipline *discipline, const char *name)
{
    for (unsigned i = 0; i < discipline->own_count; i++)
        if (strcmp(discipline->own[i].key.section, name) == 0)
            return true;
    return false;
}

static bool section_of_any(const char *name)
{
    for (unsigned i = 0; i < discipline_count; i++)
        if (section_of(&disciplines[i], name))
            return true;
    return false;
}

/* The names of sections, one behind the other: those that every mesh may have, and those of its discipline. */
static void section_names(const struct discipline *discipline, char *out, size_t size)
{
    size_t used = (size_t)snprintf(out, size, "%s, cables, sites", mesh_keys[0].section);
    for (unsigned i = 1; i < KEY_COUNT + discipline->own_count && used < size; i++) {
        bool own = i >= KEY_COUNT;
        const struct mesh_key *key = own ? &discipline->own[i - KEY_COUNT].key : &mesh_keys[i];
        const struct mesh_key *before = i > KEY_COUNT ? &discipline->own[i - KEY_COUNT - 1].key : &mesh_keys[i - 1];
        if (strcmp(key->section, before->section) != 0 && !(own && common_section(key->section)))
            used += (size_t)snprintf(out + used, size - used, ", %s", key->section);
    }
}

static void fail_value(struct mesh_parser *parser, const struct mesh_key *key, const char *value)
{
    char expected[MESH_EXPECTED_TEXT];
    mesh_key_expected(key, "", expected, sizeof expected);
    mesh_parse_fail(parser, parser->line, "%s is %s, expected %s", key->name, *value ? value : "empty", expected);
}

/* A key that the mesh cannot have. One of another discipline waits for the line with a name that no discipline has. */
static void fail_key(struct mesh_parser *parser, const char *section, const char *name)
{
    bool of_other = false;
    for (unsigned i = 0; i < discipline_count; i++)
        of_other = of_other || discipline_own_key(&disciplines[i], section, name);
    if (!*section)
        mesh_parse_fail(parser, parser->line, "%s stands before any section, expected [mesh] first", name);
    else if (!of_other)
        mesh_parse_fail(parser, parser->line, "unknown key %s in [%s], expected one of mesh_keys.md (make doc)", name,
                        section);
    else if (!parser->fabric_is_bad)
        mesh_parse_fail(parser, parser->line, "%s in [%s] with fabric %s, expected a key that this fabric has", name,
                        section, parser->config->fabric);
}

static int handle(void *user, const char *section, const char *name, const char *value)
{
    struct mesh_parser *parser = user;
    const int *kept;
    if (parser->failed)
        return 0;
    if (mesh_cables_section(section)) {
        mesh_cables_take(parser, section, name, value);
        return !parser->failed;
    }
    const struct mesh_key *key = find_key(parser, section, name, &kept);
    if (!key) {
        fail_key(parser, section, name);
        return !parser->failed;
    }
    int *line = (int *)kept;
    if (*line)
        mesh_parse_fail(parser, parser->line, "%s is given twice, expected once: first in line %d", name, *line);
    else if (!mesh_key_set(key, parser->config, value))
        fail_value(parser, key, value);
    *line = parser->line;
    return !parser->failed;
}

/* Of the first reading: the discipline decides which keys there are, wherever its line stands. */
static int handle_fabric(void *user, const char *section, const char *name, const char *value)
{
    struct mesh_parser *parser = user;
    const struct mesh_key *fabric = &mesh_keys[KEY_FABRIC];
    if (strcmp(section, fabric->section) == 0 && strcmp(name, fabric->name) == 0 && !parser->fabric_known) {
        const struct discipline *usual = parser->config->discipline;
        parser->fabric_known = true;
        parser->fabric_is_bad = !mesh_key_set(fabric, parser->config, value);
        if (parser->fabric_is_bad)
            parser->config->discipline = usual;
    }
    return 1;
}

/* inih does not report an empty section: look at its heading here. */
static void check_heading(struct mesh_parser *parser, const char *line)
{
    char name[32], expected[MESH_EXPECTED_TEXT];
    size_t length;
    if (line[0] != '[')
        return;
    length = strcspn(line + 1, "]");
    if (line[1 + length] != ']')
        return;
    snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1), line + 1);
    section_names(parser->config->discipline, expected, sizeof expected);
    if (length >= sizeof name || !(common_section(name) || section_of_any(name)))
        mesh_parse_fail(parser, parser->line, "unknown section [%s], expected one of %s", name, expected);
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
    if (!parser->first_reading)
        check_heading(parser, out);
    return parser->failed ? NULL : out;
}

/* Reads the file as far as it can be read, for the name of its discipline. */
static void find_discipline(struct mesh_parser *parser)
{
    char ignored[MESH_EXPECTED_TEXT];
    struct mesh_parser first = *parser;
    first.error = ignored;
    first.error_size = sizeof ignored;
    first.first_reading = true;
    ini_parse_stream(read_line, &first, handle_fabric, &first);
    parser->fabric_is_bad = first.fabric_is_bad;
    mesh_own_preset(parser->config);
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

/* Without diversion only an acyclic order is free of deadlock: no ring in which a packet may hold one link and want the
 * next. Whether one order of dimensions holds everywhere is the discipline's to say. */
static void check_never(struct mesh_parser *parser)
{
    const struct mesh_config *config = parser->config;
    if (config->divert_threshold == MESH_DIVERT_NEVER && config->topology == PR_TOPOLOGY_TORUS &&
        (config->size_x > 3 || config->size_y > 3))
        mesh_parse_fail(parser, mesh_parse_blame(parser, KEY_DIVERT, KEY_TOPOLOGY, KEY_TOPOLOGY),
                        "divert = never on a torus with a ring of more than 3 sites, expected a number of clocks");
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
    config->link_clocks *= config->turn_clocks;
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

static bool is_one_of(const struct mesh_key *key, const struct mesh_config *config, const char *const *values,
                      char *value, size_t size)
{
    mesh_key_value(key, config, value, size);
    return mesh_choice(value, values) >= 0;
}

/* Does a mesh have both of what a row of its discipline refuses? `text` says so. */
static bool is_refused(const struct mesh_config *config, const struct own_refusal *row, char *text, size_t size)
{
    const struct mesh_parser parser = {.config = (struct mesh_config *)config};
    const struct mesh_key *key = &config->discipline->own[row->key].key;
    const int *line;
    const struct mesh_key *other = find_key(&parser, row->other_section, row->other_name, &line);
    char value[32], other_value[32];
    if (!is_one_of(key, config, row->values, value, sizeof value) ||
        !is_one_of(other, config, row->other_values, other_value, sizeof other_value))
        return false;
    snprintf(text, size, "%s = %s with %s = %s, expected %s", key->name, value, other->name, other_value,
             row->expected);
    return true;
}

/* The rows of the discipline that refuse a value of a key with one of another. */
static void check_refusals(struct mesh_parser *parser)
{
    const struct discipline *discipline = parser->config->discipline;
    char text[200];
    for (unsigned i = 0; i < discipline->refusal_count; i++) {
        const struct own_refusal *row = &discipline->refusals[i];
        const int *line = &parser->own_lines[row->key], *other_line;
        find_key(parser, row->other_section, row->other_name, &other_line);
        if (is_refused(parser->config, row, text, sizeof text))
            mesh_parse_fail(parser, *line > *other_line ? *line : *other_line, "%s", text);
    }
}

static void check_own(struct mesh_parser *parser)
{
    const struct discipline_code *code = parser->config->discipline->code;
    check_refusals(parser);
    if (code && code->check)
        code->check(parser);
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
    char text[768];
    int used = snprintf(text, sizeof text, "%s %s %d %d %d %d %u %u %u %u %u %u %u %u %s %d %u %u%s%s", config->fabric,
                        mesh_topology_name(config->topology), config->size_x, config->size_y, config->dimensions,
                        config->word_width, config->divert_threshold, config->abort_threshold, config->retry_limit,
                        config->downstream_depth, config->upstream_depth, config->max_packet, config->ram_bytes,
                        config->clock_hz, config->cpu, config->reliable, config->relief_limit, config->receive_patience,
                        links[config->board_links], config->probe ? " probe" : "");
    for (unsigned i = 0; i < config->discipline->own_count; i++)
        used += snprintf(text + used, sizeof text - (size_t)used, " %u", (unsigned)config->own[i]);
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

int mesh_choose_service(struct mesh_config *config, bool reliable, char *error, size_t error_size)
{
    char text[200];
    mesh_set_reliable(config, reliable);
    for (unsigned i = 0; i < config->discipline->refusal_count; i++)
        if (is_refused(config, &config->discipline->refusals[i], text, sizeof text)) {
            snprintf(error, error_size, "--reliable %d: %s", reliable, text);
            return -1;
        }
    return 0;
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
    find_discipline(&parser);
    int result = ini_parse_stream(read_line, &parser, handle, &parser);
    if (result)
        mesh_parse_fail(&parser, result > 0 ? result : parser.line,
                        "no key = value, expected [section], key = value or ; comment");
    if (!parser.failed)
        mesh_check_shape(&parser);
    if (!parser.failed) {
        mesh_own_settle(out);
        check_understood(&parser);
        check_topology(&parser);
        check_board_links(&parser);
        check_own(&parser);
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

/* The file's text, zero-terminated, which the caller frees; NULL, with the reason. */
static char *read_text(const char *path, char *error, size_t error_size)
{
    char reason[INPUT_FILE_REASON];
    size_t length;
    char *text = input_file_read(path, MAX_FILE, &length, reason);
    bool zero = text && memchr(text, 0, length);
    if (text && !zero)
        return text;
    snprintf(error, error_size, "%s: %s, expected a .mesh file", path, zero ? "a byte of 0" : reason);
    free(text);
    return NULL;
}

static int count_lines(const char *text)
{
    int lines = 0;
    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

/* A reason "PATH:LINE: ..." in one of the lines of settings names the setting instead. */
static void blame_setting(const char *path, const char *text, const struct mesh_settings *settings, char *error,
                          size_t error_size)
{
    const char *place = error + strlen(path);
    int first = count_lines(text) - MESH_SETTINGS_LINES * (int)settings->count, line = 0, used = 0;
    if (strncmp(error, path, strlen(path)) != 0 || sscanf(place, ":%d: %n", &line, &used) != 1 || line <= first)
        return;
    char reason[512];
    snprintf(reason, sizeof reason, "%s", place + used);
    snprintf(error, error_size, "--set %s: %s", settings->items[(line - first - 1) / MESH_SETTINGS_LINES], reason);
}

int mesh_config_load_set(const char *path, const struct mesh_settings *settings, struct mesh_config *out, char **text,
                         char *error, size_t error_size)
{
    char *file = read_text(path, error, error_size);
    char *applied = file && settings->count ? mesh_settings_apply(file, settings, error, error_size) : file;
    if (applied != file)
        free(file);
    if (!applied)
        return -1;
    int result = mesh_config_parse(path, applied, strlen(applied), out, error, error_size);
    if (result != 0)
        blame_setting(path, applied, settings, error, error_size);
    if (text && result == 0)
        *text = applied;
    else
        free(applied);
    return result;
}

int mesh_config_load(const char *path, struct mesh_config *out, char *error, size_t error_size)
{
    return mesh_config_load_set(path, &(struct mesh_settings){.count = 0}, out, NULL, error, error_size);
}
