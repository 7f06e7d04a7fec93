/* See mesh_keys.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "mesh/mesh_keys.h"

#include "console/remote_service.h"
#include "mesh/discipline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIELD(name) offsetof(struct mesh_config, name)
#define NAMES(...)  ((const char *const[]){__VA_ARGS__, NULL})

const struct mesh_key mesh_keys[KEY_COUNT] = {
    [KEY_FABRIC] = {"mesh", "fabric", KEY_IS_DISCIPLINE, .offset = FIELD(discipline),
                    .meaning = "the discipline of the routers ([hw/README.md](../hw/README.md)); it decides which keys "
                               "the mesh has"},
    [KEY_TOPOLOGY] = {"mesh", "topology", KEY_IS_CHOICE, .offset = FIELD(topology),
                      .names = NAMES("grid", "torus", "hypercube", "graph"), .meaning = ""},
    [KEY_SIZE] = {"mesh", "size", KEY_IS_SIZE, .least = 1, .most = PR_SHAPE_SIDE_MAX,
                  .meaning =
                      "grid and torus: sites east by sites north; at most 128x128 with 16-bit words, 4096x4096 with "
                      "32-bit words. More than 65535 sites: `--engine functional` only"},
    [KEY_DIMENSIONS] = {"mesh", "dimensions", KEY_IS_NUMBER, .offset = FIELD(dimensions), .least = 1,
                        .most = PR_SHAPE_DIMENSIONS_MAX, .meaning = "hypercube, in the place of `size`"},
    [KEY_SITES] = {"mesh", "sites", KEY_IS_NUMBER, .offset = FIELD(size_x), .least = 1, .most = PR_GRAPH_SITES_MAX,
                   .meaning = "graph: sites, with the switches"},
    [KEY_LINKS] = {"mesh", "links", KEY_IS_NUMBER, .offset = FIELD(size_y), .least = 1, .most = PR_GRAPH_LINKS_MAX,
                   .meaning = "graph: ports of the site that has most; 16 where that is a switch, else at most 15"},
    [KEY_WORD_WIDTH] = {"mesh", "word_width", KEY_IS_NUMBER_OF_LIST, .offset = FIELD(word_width),
                        .names = NAMES("16", "32"), .preset = "16",
                        .meaning = "wider words move more bits a clock, for more wires"},
    [KEY_BOARD_LINKS] = {"links", "board", KEY_IS_CHOICE, .offset = FIELD(board_links),
                         .names = NAMES("no", "yes", "eager"), .preset = "no",
                         .meaning =
                             "`yes`: every link is a board link ([hw/board_link](../hw/board_link/README.md)), a "
                             "wire each way on which a word takes 144 clocks. The thresholds that are not given "
                             "are 128 times as long then, patience 16 times. Boards have the kind of links of their "
                             "type; without boards the shared engine is simulated. `eager`: all boards have [eager "
                             "links](../hw/board_link/eager.md), which are simulated, and a board without them is "
                             "refused. A new value builds a new site"},
    [KEY_PROBE] = {"links", "probe", KEY_IS_YES_OR_NO, .offset = FIELD(probe), .preset = "no",
                   .meaning =
                       "`yes`: boards have probe pins for a logic analyser ([boards](../boards/README.md)), which "
                       "`postroad probe` connects to strobes of the fabric's ports. It needs board links, and "
                       "cells; simulated sites have no pins"},
    [KEY_RELIABLE] = {"service", "reliable", KEY_IS_YES_OR_NO, .offset = FIELD(reliable), .preset = "yes",
                      .meaning = "`yes`: every packet arrives exactly once or is reported; `no`: the papers' raw "
                                 "service, in which pools can lock up"},
    [KEY_DIVERT] = {"thresholds", "divert", KEY_IS_POWER_OF_TWO, true, FIELD(divert_threshold), 1, MESH_MAX_THRESHOLD,
                    "clocks", .names = NAMES("never", "0"), .preset = "16",
                    .meaning =
                        "period after which a blocked packet may be buffered at the site where it is blocked (U3). It "
                        "is buffered after at most 2 periods and 4 clocks. `never` is accepted only with unicasts in "
                        "one order of the dimensions, and on no torus with a ring of more than 3 sites; packets to "
                        "several sites then go as unicasts"},
    [KEY_ABORT] = {"thresholds", "abort", KEY_IS_POWER_OF_TWO, true, FIELD(abort_threshold), MESH_ABORT_LEAST,
                   MESH_MAX_THRESHOLD, "clocks", .preset = "8",
                   .meaning =
                       "a split packet of which a branch stands in `wait` for so many clocks, or up to 1.5 times as "
                       "many, is aborted (M6). Short is better: what stands holds what others wait for"},
    [KEY_RETRY_LIMIT] = {"thresholds", "retry_limit", KEY_IS_NUMBER, true, FIELD(retry_limit), 0, 255, .preset = "1",
                         .meaning = "aborted tries before the rest of a multicast goes as unicasts (O6)"},
    [KEY_RELIEF] = {"thresholds", "relief", KEY_IS_POWER_OF_TWO, true, FIELD(relief_limit), 1, MESH_MAX_THRESHOLD,
                    "clocks", .names = NAMES("0"), .preset = "64",
                    .meaning = "in the place of `divert` at a site that is short of buffers, so that a head passes if "
                               "it can (R3); at least `divert`, and that if it is not given and `divert` is more. 0: "
                               "relief has no effect"},
    [KEY_PATIENCE] = {"thresholds", "patience", KEY_IS_NUMBER, .offset = FIELD(receive_patience),
                      .most = MESH_MAX_STRAP, .unit = "clocks", .preset = "4096",
                      .meaning = "clocks without a receive buffer before the network_interface discards packets; 0 "
                                 "belongs to the raw service, which always has it: the network_interface waits for "
                                 "ever"},
    [KEY_DOWNSTREAM] = {"buffers", "downstream", KEY_IS_POWER_OF_TWO, .offset = FIELD(downstream_depth), .least = 4,
                        .most = 1024, .unit = "words", .preset = "32",
                        .meaning = "fifo_buffer from the operator to the fabric; a new value builds a new site"},
    [KEY_UPSTREAM] = {"buffers", "upstream", KEY_IS_POWER_OF_TWO, .offset = FIELD(upstream_depth), .least = 4,
                      .most = 1024, .unit = "words", .preset = "64",
                      .meaning =
                          "fifo_buffer from the fabric to the operator; where links carry lines, each transit and "
                          "arrival buffer, and long enough for `max_packet` if it is not given. A new value builds a "
                          "new site"},
    [KEY_MAX_PACKET] = {"buffers", "max_packet", KEY_IS_NUMBER, .offset = FIELD(max_packet),
                        .least = PR_SERVICE_MAX_PACKET_LEAST, .most = 4096, .unit = "words", .preset = "127",
                        .meaning = "targets and data; one value for the whole mesh (O7). 13 words hold the answer to a "
                                   "ping; the firmware's buffers hold 128"},
    [KEY_RAM_BYTES] = {"site", "ram_bytes", KEY_IS_POWER_OF_TWO, .offset = FIELD(ram_bytes), .least = 4096,
                       .most = 1 << 24, .preset = "65536", .meaning = ""},
    [KEY_CLOCK_HZ] = {"site", "clock_hz", KEY_IS_NUMBER, .offset = FIELD(clock_hz), .least = 100000, .most = 2000000000,
                      .preset = "12000000", .meaning = "reported to firmware"},
    [KEY_CPU] = {"site", "cpu", KEY_IS_NAME, .offset = FIELD(cpu), .names = NAMES("vexriscv", "serv"),
                 .preset = "vexriscv", .meaning = ""},
};

const char *mesh_key_split(const char *dotted, char section[MESH_SECTION_SIZE])
{
    const char *dot = strchr(dotted, '.');
    snprintf(section, MESH_SECTION_SIZE, "%.*s", (int)(dot - dotted), dotted);
    return dot + 1;
}

int mesh_choice(const char *value, const char *const *names)
{
    for (int i = 0; names[i]; i++)
        if (strcmp(value, names[i]) == 0)
            return i;
    return -1;
}

/* Decimal, no sign, no blanks. */
static bool read_number(const char *text, const struct mesh_key *key, unsigned *out)
{
    if (!*text || strlen(text) > 10 || strspn(text, "0123456789") != strlen(text))
        return false;
    unsigned long value = strtoul(text, NULL, 10);
    if (value < key->least || value > key->most)
        return false;
    *out = (unsigned)value;
    return true;
}

static bool power_of_two(unsigned value)
{
    return value && (value & (value - 1)) == 0;
}

/* A power of two, or one of the other values that the key may have. */
static bool set_power_of_two(const struct mesh_key *key, unsigned *field, const char *value)
{
    int other = key->names ? mesh_choice(value, key->names) : -1;
    if (other < 0)
        return read_number(value, key, field) && power_of_two(*field);
    *field = strcmp(value, "never") == 0 ? MESH_DIVERT_NEVER : (unsigned)atoi(value);
    return true;
}

static bool set_discipline(struct mesh_config *config, const char *value)
{
    config->discipline = discipline_find(value);
    if (config->discipline)
        snprintf(config->fabric, sizeof config->fabric, "%s", value);
    return config->discipline != NULL;
}

static bool set_size(const struct mesh_key *key, struct mesh_config *config, const char *value)
{
    char text[12];
    unsigned x, y;
    const char *times = strchr(value, 'x');
    if (!times || (size_t)(times - value) >= sizeof text)
        return false;
    memcpy(text, value, (size_t)(times - value));
    text[times - value] = 0;
    if (!read_number(text, key, &x) || !read_number(times + 1, key, &y))
        return false;
    config->size_x = (int)x;
    config->size_y = (int)y;
    return true;
}

/* A value that is one of a few words. */
static bool set_choice(const struct mesh_key *key, void *field, const char *value)
{
    int which = mesh_choice(value, key->names);
    if (which < 0)
        return false;
    if (key->kind == KEY_IS_NAME)
        strcpy(field, key->names[which]);
    else
        *(int *)field = key->kind == KEY_IS_NUMBER_OF_LIST ? atoi(key->names[which]) : which;
    return true;
}

static bool set_yes_or_no(bool *field, const char *value)
{
    int answer = mesh_choice(value, NAMES("no", "yes"));
    *field = answer == 1;
    return answer >= 0;
}

bool mesh_key_set(const struct mesh_key *key, struct mesh_config *config, const char *value)
{
    void *field = (char *)config + key->offset;
    switch (key->kind) {
    case KEY_IS_DISCIPLINE:
        return set_discipline(config, value);
    case KEY_IS_SIZE:
        return set_size(key, config, value);
    case KEY_IS_NUMBER:
        return read_number(value, key, field);
    case KEY_IS_POWER_OF_TWO:
        return set_power_of_two(key, field, value);
    case KEY_IS_YES_OR_NO:
        return key->own ? set_choice(key, field, value) : set_yes_or_no(field, value);
    default:
        return set_choice(key, field, value);
    }
}

void mesh_key_value(const struct mesh_key *key, const struct mesh_config *config, char *out, size_t size)
{
    const void *field = (const char *)config + key->offset;
    switch (key->kind) {
    case KEY_IS_DISCIPLINE:
        snprintf(out, size, "%s", config->fabric);
        break;
    case KEY_IS_SIZE:
        snprintf(out, size, "%dx%d", config->size_x, config->size_y);
        break;
    case KEY_IS_NAME:
        snprintf(out, size, "%s", (const char *)field);
        break;
    case KEY_IS_CHOICE:
        snprintf(out, size, "%s", key->names[*(const int *)field]);
        break;
    case KEY_IS_YES_OR_NO:
        snprintf(out, size, "%s", (key->own ? *(const uint32_t *)field != 0 : *(const bool *)field) ? "yes" : "no");
        break;
    default:
        if (key->kind == KEY_IS_POWER_OF_TWO && *(const unsigned *)field == MESH_DIVERT_NEVER)
            snprintf(out, size, "never");
        else
            snprintf(out, size, "%u", *(const unsigned *)field);
    }
}

void mesh_keys_preset(struct mesh_config *config)
{
    *config = (struct mesh_config){0};
    set_discipline(config, discipline_default()->name);
    for (int i = 0; i < KEY_COUNT; i++)
        if (mesh_keys[i].preset)
            mesh_key_set(&mesh_keys[i], config, mesh_keys[i].preset);
}

/* "a, b or c"; with `more`, "a, b, c" for something to follow. */
static size_t expected_names(const char *const *names, bool more, const char *quote, char *out, size_t size)
{
    size_t used = 0;
    for (int i = 0; names[i] && used < size; i++) {
        const char *between = i == 0 ? "" : names[i + 1] || more ? ", " : " or ";
        used += (size_t)snprintf(out + used, size - used, "%s%s%s%s", between, quote, names[i], quote);
    }
    return used;
}

static void expected_power_of_two(const struct mesh_key *key, const char *quote, char *out, size_t size)
{
    size_t used = key->names ? expected_names(key->names, true, quote, out, size) : 0;
    snprintf(out + used, size - used, "%sa power of two from %u to %u%s%s", used ? " or " : "", key->least, key->most,
             key->unit ? " " : "", key->unit ? key->unit : "");
}

static void expected_number(const struct mesh_key *key, char *out, size_t size)
{
    const char *unit = key->unit ? key->unit : "", *of = key->unit ? " of " : "";
    if (key->least)
        snprintf(out, size, "a number%s%s from %u to %u", of, unit, key->least, key->most);
    else
        snprintf(out, size, "a number%s%s up to %u", of, unit, key->most);
}

void mesh_key_expected(const struct mesh_key *key, const char *quote, char *out, size_t size)
{
    switch (key->kind) {
    case KEY_IS_DISCIPLINE:
        discipline_names(out, size);
        break;
    case KEY_IS_SIZE:
        snprintf(out, size, "WIDTHxHEIGHT in sites, as %s4x4%s", quote, quote);
        break;
    case KEY_IS_NUMBER:
        expected_number(key, out, size);
        break;
    case KEY_IS_POWER_OF_TWO:
        expected_power_of_two(key, quote, out, size);
        break;
    case KEY_IS_YES_OR_NO:
        expected_names(NAMES("yes", "no"), false, quote, out, size);
        break;
    default:
        expected_names(key->names, false, quote, out, size);
    }
}
