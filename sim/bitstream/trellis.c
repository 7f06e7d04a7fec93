/* See trellis.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "bitstream/trellis.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bitstream/text_file.h"
#include "bitstream/trellis_bits.h"
#include "bitstream/trellis_grid.h"
#include "support/or_abort.h"

static uint64_t wire_key(uint32_t name, int x, int y)
{
    return (uint64_t)name << 16 | (unsigned)x << 8 | (unsigned)y;
}

static uint32_t wire_at(struct trellis *trellis, uint32_t name, int x, int y)
{
    if (x < 0 || y < 0 || x >= trellis->columns || y >= trellis->rows)
        return TRELLIS_NO_WIRE;
    uint32_t *place = key_map_place(&trellis->wire_numbers, wire_key(name, x, y));
    if (*place == NO_ENTRY) {
        *place = trellis->wire_count;
        struct trellis_wire *wire = list_add(&trellis->wires, &trellis->wire_count, sizeof *wire);
        *wire = (struct trellis_wire){name, (int16_t)x, (int16_t)y};
    }
    return *place;
}

uint32_t trellis_wire(struct trellis *trellis, int x, int y, const char *name)
{
    int step_x, step_y;
    bool shared;
    name = trellis_split_name(trellis, name, &step_x, &step_y, &shared);
    if (!name)
        return TRELLIS_NO_WIRE;
    if (shared)
        x = y = 0;
    return wire_at(trellis, name_number(&trellis->names, name), x + step_x, y + step_y);
}

const char *trellis_wire_name(const struct trellis *trellis, uint32_t wire)
{
    return trellis->names.names[trellis->wires[wire].name];
}

const char *trellis_tile(const struct trellis *trellis, int x, int y, const char *type)
{
    if (x < 0 || y < 0 || x >= trellis->columns || y >= trellis->rows)
        return NULL;
    for (int i = 0; i < TRELLIS_TILES_AT && trellis->tiles[x][y][i]; i++) {
        const char *found = trellis->types.names[trellis->tiles[x][y][i] - 1];
        if (strncmp(found, type, strlen(type)) == 0)
            return found;
    }
    return NULL;
}

static bool has_type(const struct trellis *trellis, int x, int y, uint32_t type)
{
    if (x < 0 || y < 0 || x >= trellis->columns || y >= trellis->rows)
        return false;
    for (int i = 0; i < TRELLIS_TILES_AT; i++)
        if (trellis->tiles[x][y][i] == type + 1)
            return true;
    return false;
}

/* The place of a name of the clock network, seen from x, y. */
static uint32_t clock_wire(struct trellis *trellis, uint32_t name, int x, int y)
{
    return trellis_wire(trellis, x, y, trellis->names.names[name]);
}

static bool is_shared(const struct trellis *trellis, uint32_t name)
{
    int x, y;
    bool shared;
    return trellis_split_name(trellis, trellis->names.names[name], &x, &y, &shared) && shared;
}

/* A wire that the whole chip shares may be driven from a tile anywhere: those joins are put down one by one. */
static void join_shared(struct trellis *trellis)
{
    for (uint32_t i = 0; i < trellis->join_count; i++) {
        struct trellis_join join = trellis->joins[i];
        if (!is_shared(trellis, join.sink))
            continue;
        for (int x = 0; x < trellis->columns; x++)
            for (int y = 0; y < trellis->rows; y++)
                if (has_type(trellis, x, y, join.type)) {
                    uint32_t sink = clock_wire(trellis, join.sink, x, y);
                    *key_map_place(&trellis->global_joins, sink) = clock_wire(trellis, join.source, x + join.source_x,
                                                                              y + join.source_y);
                }
    }
}

static uint32_t *index_list(uint32_t count)
{
    uint32_t *index = or_abort(malloc((count + 1) * sizeof *index));
    memset(index, 0xff, (count + 1) * sizeof *index);
    return index;
}

static void index_all(struct trellis *trellis)
{
    trellis->joins_named = trellis->names.count;
    trellis->settings_named = trellis->settings.count;
    trellis->join_of_name = index_list(trellis->joins_named);
    trellis->choice_of_setting = index_list(trellis->settings_named);
    for (uint32_t i = trellis->join_count; i-- > 0;) {
        struct trellis_join *join = &trellis->joins[i];
        join->next = trellis->join_of_name[join->sink];
        trellis->join_of_name[join->sink] = i;
    }
    for (uint32_t i = trellis->choice_count; i-- > 0;) {
        struct trellis_choice *choice = &trellis->choices[i];
        choice->next = trellis->choice_of_setting[choice->name];
        trellis->choice_of_setting[choice->name] = i;
    }
}

static bool take_device(struct trellis *trellis, const char *device, struct failure *failure)
{
    static const char *const sizes[][2] = {{"-12F", "25K_"}, {"-25F", "25K_"}, {"-45F", "45K_"}, {"-85F", "85K_"}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        if (strlen(device) < sizeof trellis->device && strncmp(device, "LFE5U", 5) == 0 &&
            strstr(device, sizes[i][0]) && !strchr(device, '/')) {
            strcpy(trellis->device, device);
            trellis->prefix = sizes[i][1];
            return true;
        }
    return fail(failure, "device %.24s, expected one like LFE5U-25F or LFE5U-85F", device);
}

bool trellis_read(struct trellis *trellis, const char *folder, const char *device, const char *package,
                  struct failure *failure)
{
    *trellis = (struct trellis){.folder = folder};
    if (!take_device(trellis, device, failure) || !trellis_read_grid(trellis, failure) ||
        !trellis_read_clocks(trellis, failure) || !trellis_read_pads(trellis, package, failure))
        return false;
    for (uint32_t type = 0; type < trellis->types.count; type++)
        if (!trellis_read_bits(trellis, type, failure))
            return false;
    index_all(trellis);
    join_shared(trellis);
    return true;
}

void trellis_free(struct trellis *trellis)
{
    for (uint32_t i = 0; i < trellis->choice_count; i++)
        free(trellis->choices[i].bits);
    for (uint32_t i = 0; i < trellis->text_count; i++)
        text_file_free(&trellis->texts[i]);
    void *lists[] = {
        trellis->tiles, trellis->joins, trellis->choices, trellis->join_of_name, trellis->choice_of_setting,
        trellis->wires, trellis->taps,  trellis->spines,  trellis->quadrants,    trellis->pads,
        trellis->texts};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
        free(lists[i]);
    key_map_free(&trellis->global_joins);
    key_map_free(&trellis->wire_numbers);
    name_map_free(&trellis->names);
    name_map_free(&trellis->types);
    name_map_free(&trellis->settings);
    *trellis = (struct trellis){0};
}

static const char *quadrant_at(const struct trellis *trellis, int x, int y)
{
    for (uint32_t i = 0; i < trellis->quadrant_count; i++) {
        const struct trellis_quadrant *quadrant = &trellis->quadrants[i];
        if (x >= quadrant->x0 && x <= quadrant->x1 && y >= quadrant->y0 && y <= quadrant->y1)
            return quadrant->name;
    }
    return "";
}

/* A horizontal clock wire of a tile comes from the tap of its columns. */
static uint32_t from_tap(struct trellis *trellis, const struct trellis_wire *wire, const char *name)
{
    for (uint32_t i = 0; i < trellis->tap_count; i++) {
        const struct trellis_tap *tap = &trellis->taps[i];
        char source[64];
        bool left = wire->x >= tap->left_first && wire->x <= tap->left_last;
        if (!left && (wire->x < tap->right_first || wire->x > tap->right_last))
            continue;
        snprintf(source, sizeof source, "%c%.60s", left ? 'L' : 'R', name + 1);
        return trellis_wire(trellis, tap->tap, wire->y, source);
    }
    return TRELLIS_NO_WIRE;
}

/* A tap's vertical clock wire comes from the spine of its quadrant. */
static uint32_t from_spine(struct trellis *trellis, const struct trellis_wire *wire)
{
    const char *quadrant = quadrant_at(trellis, wire->x, wire->y);
    for (uint32_t i = 0; i < trellis->spine_count; i++) {
        const struct trellis_spine *spine = &trellis->spines[i];
        if (spine->tap == wire->x && strcmp(spine->quadrant, quadrant) == 0 &&
            (spine->x != wire->x || spine->y != wire->y))
            return wire_at(trellis, wire->name, spine->x, spine->y);
    }
    return TRELLIS_NO_WIRE;
}

/* A spine's input G_HPRX<nn>00 comes from output G_<quadrant>PCLK<n> of the multiplexer in the middle. */
static uint32_t from_middle(struct trellis *trellis, const struct trellis_wire *wire, const char *name)
{
    char source[64];
    snprintf(source, sizeof source, "G_%sPCLK%d", quadrant_at(trellis, wire->x, wire->y), atoi(name + 6) / 100);
    return trellis_wire(trellis, 0, 0, source);
}

static uint32_t joined_clock(struct trellis *trellis, uint32_t number)
{
    const struct trellis_wire wire = trellis->wires[number];
    const char *name = trellis->names.names[wire.name];
    if (strncmp(name, "G_HPBX", 6) == 0)
        return from_tap(trellis, &wire, name);
    if (strncmp(name, "G_VPTX", 6) == 0)
        return from_spine(trellis, &wire);
    if (strncmp(name, "G_HPRX", 6) == 0)
        return from_middle(trellis, &wire, name);
    return key_map_get(&trellis->global_joins, number);
}

uint32_t trellis_joined(struct trellis *trellis, uint32_t number, struct failure *failure)
{
    uint32_t found = joined_clock(trellis, number);
    const struct trellis_wire wire = trellis->wires[number];
    if (found != TRELLIS_NO_WIRE || wire.name >= trellis->joins_named)
        return found;
    for (uint32_t i = trellis->join_of_name[wire.name]; i != NO_ENTRY; i = trellis->joins[i].next) {
        struct trellis_join join = trellis->joins[i];
        int x = wire.x - join.sink_x, y = wire.y - join.sink_y;
        if (!has_type(trellis, x, y, join.type))
            continue;
        uint32_t source = is_shared(trellis, join.source)
                              ? clock_wire(trellis, join.source, x, y)
                              : wire_at(trellis, join.source, x + join.source_x, y + join.source_y);
        if (found != TRELLIS_NO_WIRE && source != TRELLIS_NO_WIRE && source != found) {
            fail(failure, "wire %s of row %d, column %d has two drivers, %s and %s", trellis_wire_name(trellis, number),
                 wire.y, wire.x, trellis_wire_name(trellis, found), trellis_wire_name(trellis, source));
            return TRELLIS_NO_WIRE;
        }
        if (source != TRELLIS_NO_WIRE)
            found = source;
    }
    return found;
}

static bool has_bit(const struct trellis_choice *choice, const char *bit)
{
    for (int i = 0; i < choice->bit_count; i++)
        if (strcmp(choice->bits[i], bit) == 0)
            return true;
    return false;
}

/* The choice of this name in a tile, or the default one where there is no name; NULL: none. */
static const struct trellis_choice *find_choice(const struct trellis *trellis, uint32_t setting, uint32_t type,
                                                const char *value)
{
    for (uint32_t i = trellis->choice_of_setting[setting]; i != NO_ENTRY; i = trellis->choices[i].next) {
        const struct trellis_choice *choice = &trellis->choices[i];
        if (choice->type == type && (value ? strcmp(choice->value, value) == 0 : choice->by_default))
            return choice;
    }
    return NULL;
}

/* True for a choice that needs some bit off. */
static bool needs_off(const struct trellis_choice *choice)
{
    for (int i = 0; i < choice->bit_count; i++)
        if (choice->bits[i][0] == '!')
            return true;
    return false;
}

/* The number of bits of this choice in a tile, if all of them are as they were found there; -1: they are not. The
 * unpacker shows _NONE_ where another setting has switched on a bit that this choice needs off: it is one that needs
 * some bit off. */
static int suits(const struct trellis *trellis, uint32_t setting, const char *value, const struct trellis_shown *shown)
{
    uint32_t type = name_find(&trellis->types, shown->type);
    const struct trellis_choice *found = find_choice(trellis, setting, type, shown->shown);
    const struct trellis_choice *choice = find_choice(trellis, setting, type, value);
    if (!choice)
        return 0; /* no bit of the setting is in this tile */
    if (shown->shown && strcmp(shown->shown, "_NONE_") == 0)
        return needs_off(choice) ? 0 : -1;
    for (int i = 0; i < choice->bit_count; i++)
        if (!found || !has_bit(found, choice->bits[i]))
            return -1;
    return choice->bit_count;
}

const char *trellis_agreed(const struct trellis *trellis, const char *name, const struct trellis_shown *shown,
                           int count)
{
    uint32_t setting = name_find(&trellis->settings, name);
    if (setting == NO_ENTRY || setting >= trellis->settings_named)
        return NULL;
    const char *best = NULL;
    int best_bits = -1;
    bool tie = false;
    for (uint32_t i = trellis->choice_of_setting[setting]; i != NO_ENTRY; i = trellis->choices[i].next) {
        const char *value = trellis->choices[i].value;
        int bits = 0;
        for (int k = 0; k < count && bits >= 0; k++) {
            int here = suits(trellis, setting, value, &shown[k]);
            bits = here < 0 ? -1 : bits + here;
        }
        if (bits >= 0 && bits == best_bits && strcmp(best, value) != 0)
            tie = true;
        if (bits > best_bits) {
            best = value;
            best_bits = bits;
            tie = false;
        }
    }
    return tie ? NULL : best;
}

const char *trellis_default_word(const struct trellis *trellis, const char *type, const char *name)
{
    uint32_t setting = name_find(&trellis->settings, name), number = name_find(&trellis->types, type);
    if (setting == NO_ENTRY || setting >= trellis->settings_named)
        return NULL;
    const struct trellis_choice *choice = find_choice(trellis, setting, number, NULL);
    return choice ? choice->value : NULL;
}

const struct trellis_pad *trellis_pin(const struct trellis *trellis, const char *pin)
{
    for (uint32_t i = 0; i < trellis->pad_count; i++)
        if (strcmp(trellis->pads[i].pin, pin) == 0)
            return &trellis->pads[i];
    return NULL;
}

const struct trellis_pad *trellis_pad_at(const struct trellis *trellis, int x, int y, char letter)
{
    for (uint32_t i = 0; i < trellis->pad_count; i++) {
        const struct trellis_pad *pad = &trellis->pads[i];
        if (pad->x == x && pad->y == y && pad->letter == letter)
            return pad;
    }
    return NULL;
}
