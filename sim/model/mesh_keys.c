/* See mesh_keys.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "model/mesh_keys.h"

#include "console/remote_service.h"
#include "model/discipline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_THRESHOLD = MESH_MAX_THRESHOLD, MAX_STRAP = MESH_MAX_STRAP };

#define FIELD(name) offsetof(struct mesh_config, name)
#define NAMES(...)  ((const char *const[]){__VA_ARGS__, NULL})

#define ROUTING_ORDERS NAMES("adaptive", "strict", "list") /* in the order of enum mesh_order */

const struct mesh_key mesh_keys[KEY_COUNT] = {
    [KEY_FABRIC] = {"mesh", "fabric", KEY_IS_DISCIPLINE, .offset = FIELD(discipline),
                    .meaning = "the discipline of the routers ([hw/README.md](../hw/README.md)); it decides which keys "
                               "of `routing` and `thresholds` the mesh has"},
    [KEY_TOPOLOGY] = {"mesh", "topology", KEY_IS_CHOICE, .offset = FIELD(topology),
                      .names = NAMES("grid", "torus", "hypercube"), .meaning = ""},
    [KEY_SIZE] = {"mesh", "size", KEY_IS_SIZE, .least = 1, .most = PR_GEOMETRY_SIDE_MAX,
                  .meaning =
                      "grid and torus: sites east by sites north; at most 128x128 with 16-bit words, 4096 a side "
                      "with 32-bit words, 65535 sites"},
    [KEY_DIMENSIONS] = {"mesh", "dimensions", KEY_IS_NUMBER, .offset = FIELD(dimensions), .least = 1,
                        .most = PR_GEOMETRY_DIMENSIONS_MAX, .meaning = "hypercube, in the place of `size`"},
    [KEY_WORD_WIDTH] = {"mesh", "word_width", KEY_IS_NUMBER_OF_LIST, .offset = FIELD(word_width),
                        .names = NAMES("16", "32"), .preset = "16",
                        .meaning = "wider words move more bits a clock, for more wires"},
    [KEY_UNICAST] = {"routing", "unicast", KEY_IS_CHOICE, true, FIELD(unicast_order), .names = ROUTING_ORDERS,
                     .preset = "adaptive",
                     .meaning =
                         "strict dimension order is easier to reason about and has a faster clock "
                         "([hw/cutthrough/README.md](../hw/cutthrough/README.md)); it accepts less load where it "
                         "concentrates the traffic ([claims.md](../tests/bench/results/claims.md))"},
    [KEY_MULTICAST] = {"routing", "multicast", KEY_IS_CHOICE, true, FIELD(multicast_order), .names = ROUTING_ORDERS,
                       .preset = "strict",
                       .meaning =
                           "of an adaptive list a multicast takes the first output, free or not (M3); only a link "
                           "that is down makes it take the other"},
    [KEY_EAGER] = {"routing", "eager", KEY_IS_YES_OR_NO, true, FIELD(eager), .preset = "no",
                   .meaning = "`yes`: a unicast goes straight on before its address has been compared "
                              "([hw/cutthrough/eager.md](../hw/cutthrough/eager.md)); on a grid only. A new value "
                              "builds a new site"},
    [KEY_RELIABLE] = {"service", "reliable", KEY_IS_YES_OR_NO, .offset = FIELD(reliable), .preset = "yes",
                      .meaning = "`yes`: every packet arrives exactly once or is reported; `no`: the papers' raw "
                                 "service, in which pools can lock up"},
    [KEY_DIVERT] = {"thresholds", "divert", KEY_IS_NUMBER_OR_NEVER, true, FIELD(divert_threshold), 0, MAX_THRESHOLD,
                    "clocks", .preset = "8",
                    .meaning =
                        "tries before a blocked unicast may be buffered at the site where it is blocked (U3). It "
                        "is buffered after at most 2 periods and 4 clocks; a period is `divert` rounded up to a "
                        "multiple of 8. `never` is accepted only with strict dimension order, and on no torus "
                        "with a ring of more than 3 sites; packets to several sites then go as unicasts"},
    [KEY_ABORT] = {"thresholds", "abort", KEY_IS_NUMBER, true, FIELD(abort_threshold), 1, MAX_THRESHOLD, "clocks",
                   .computed = "clocks to diversion + diameter + 2",
                   .meaning =
                       "consecutive empty clocks before a split multicast is aborted (M6). Clocks to diversion + "
                       "diameter must stay below: 20 + 6 on a 4x4 with the default `divert`"},
    [KEY_ABORT_RANDOM] = {"thresholds", "abort_random", KEY_IS_MASK, true, FIELD(abort_random), 1, 32767, "clocks",
                          .preset = "255",
                          .meaning = "mask of the random part of that time-out; abort_random + 1 >= 2 * (max_packet + "
                                     "1)"},
    [KEY_RETRY_LIMIT] = {"thresholds", "retry_limit", KEY_IS_NUMBER, true, FIELD(retry_limit), 0, 255, .preset = "1",
                         .meaning = "aborted tries before the rest of a multicast goes as unicasts (O6)"},
    [KEY_RELEASE_SINGLE] = {"thresholds", "release_single", KEY_IS_YES_OR_NO, true, FIELD(release_single),
                            .preset = "yes", .meaning = "rule M9: a split with one branch may give up its local copy"},
    [KEY_RELIEF] = {"thresholds", "relief", KEY_IS_NUMBER, true, FIELD(relief_limit), 0, MAX_STRAP, "tries",
                    .preset = "64",
                    .meaning = "how long beyond `divert` a site short of buffers may hold back a head that could be "
                               "diverted; 0: relief has no effect"},
    [KEY_PATIENCE] = {"thresholds", "patience", KEY_IS_NUMBER, .offset = FIELD(receive_patience), .most = MAX_STRAP,
                      .unit = "clocks", .preset = "4096",
                      .meaning = "clocks without a receive buffer before the network_interface discards packets; 0 "
                                 "belongs to the raw service, which always has it: the network_interface waits for "
                                 "ever"},
    [KEY_DOWNSTREAM] = {"buffers", "downstream", KEY_IS_POWER_OF_TWO, .offset = FIELD(downstream_depth), .least = 4,
                        .most = 1024, .unit = "words", .preset = "32",
                        .meaning = "fifo_buffer from the operator to the fabric; a new value builds a new site"},
    [KEY_UPSTREAM] = {"buffers", "upstream", KEY_IS_POWER_OF_TWO, .offset = FIELD(upstream_depth), .least = 4,
                      .most = 1024, .unit = "words", .preset = "64",
                      .meaning = "fifo_buffer from the fabric to the operator; a new value builds a new site"},
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

const char *const mesh_list_sections[] = {"unicast", "multicast", NULL};
const char *const mesh_list_directions[] = {"north_east", "north_west", "south_east", "south_west", "north",
                                            "south",      "east",       "west",       "any",        NULL};
const char *const mesh_cube_orders[] = {"lowest", "highest", "lowest_first", "highest_first", NULL};

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
        *(int *)field = key->kind == KEY_IS_CHOICE ? which : atoi(key->names[which]);
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
    unsigned *number = field;
    switch (key->kind) {
    case KEY_IS_DISCIPLINE:
        return set_discipline(config, value);
    case KEY_IS_SIZE:
        return set_size(key, config, value);
    case KEY_IS_NUMBER_OR_NEVER:
        if (strcmp(value, "never") == 0) {
            *number = MESH_DIVERT_NEVER;
            return true;
        }
        return read_number(value, key, number);
    case KEY_IS_NUMBER:
        return read_number(value, key, number);
    case KEY_IS_POWER_OF_TWO:
        return read_number(value, key, number) && power_of_two(*number);
    case KEY_IS_MASK:
        return read_number(value, key, number) && power_of_two(*number + 1);
    case KEY_IS_YES_OR_NO:
        return set_yes_or_no(field, value);
    default:
        return set_choice(key, field, value);
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

/* "a, b or c" */
static void expected_names(const char *const *names, const char *quote, char *out, size_t size)
{
    size_t used = 0;
    for (int i = 0; names[i] && used < size; i++) {
        const char *between = i == 0 ? "" : names[i + 1] ? ", " : " or ";
        used += (size_t)snprintf(out + used, size - used, "%s%s%s%s", between, quote, names[i], quote);
    }
}

static void expected_number(const struct mesh_key *key, const char *what, char *out, size_t size)
{
    const char *unit = key->unit ? key->unit : "", *of = key->unit ? " of " : "";
    if (key->least)
        snprintf(out, size, "%s%s%s from %u to %u", what, of, unit, key->least, key->most);
    else
        snprintf(out, size, "%s%s%s up to %u", what, of, unit, key->most);
}

void mesh_key_expected(const struct mesh_key *key, const char *quote, char *out, size_t size)
{
    const char *unit = key->unit ? key->unit : "";
    char never[32];
    switch (key->kind) {
    case KEY_IS_DISCIPLINE:
        discipline_names(out, size);
        break;
    case KEY_IS_SIZE:
        snprintf(out, size, "WIDTHxHEIGHT in sites, as %s4x4%s", quote, quote);
        break;
    case KEY_IS_NUMBER:
        expected_number(key, "a number", out, size);
        break;
    case KEY_IS_NUMBER_OR_NEVER:
        snprintf(never, sizeof never, "%snever%s or a number", quote, quote);
        expected_number(key, never, out, size);
        break;
    case KEY_IS_POWER_OF_TWO:
        snprintf(out, size, "a power of two from %u to %u%s%s", key->least, key->most, *unit ? " " : "", unit);
        break;
    case KEY_IS_MASK:
        snprintf(out, size, "2^k - 1 %s up to %u", unit, key->most);
        break;
    case KEY_IS_YES_OR_NO:
        expected_names(NAMES("yes", "no"), quote, out, size);
        break;
    default:
        expected_names(key->names, quote, out, size);
    }
}
