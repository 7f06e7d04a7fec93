/* See ecp5_chip.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "bitstream/ecp5_chip.h"
#include "support/or_abort.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHAIN_MAX = 2000 }; /* wires in a row; more is a ring */

static bool open_tiles(struct ecp5_chip *chip)
{
    const struct ecp5_config *config = chip->config;
    chip->next_tile = or_abort(malloc((config->tile_count + 1) * sizeof *chip->next_tile));
    for (uint32_t i = 0; i < config->tile_count; i++) {
        const struct ecp5_tile *tile = &config->tiles[i];
        const char *type = trellis_tile(chip->trellis, tile->x, tile->y, tile->type);
        if (!type || strcmp(type, tile->type) != 0)
            return fail(chip->failure, "%s: tile %s:%s is not on an %s", config->file.path, tile->name, tile->type,
                        chip->trellis->device);
        uint32_t *place = key_map_place(&chip->tile_at, (uint64_t)tile->x << 8 | (unsigned)tile->y);
        chip->next_tile[i] = *place;
        *place = i;
    }
    return true;
}

static bool arc_fail(struct ecp5_chip *chip, const struct ecp5_arc *arc, const char *reason)
{
    const struct ecp5_tile *tile = &chip->config->tiles[arc->tile];
    return fail(chip->failure, "%s:%u: tile %s:%s, arc %s %s: %s", chip->config->file.path, arc->line, tile->name,
                tile->type, arc->sink, arc->source, reason);
}

static bool setting_fail(struct ecp5_chip *chip, const struct ecp5_setting *setting, const char *reason)
{
    const struct ecp5_tile *tile = &chip->config->tiles[setting->tile];
    return fail(chip->failure, "%s:%u: tile %s:%s, %s %s: %s", chip->config->file.path, setting->line, tile->name,
                tile->type, setting->name, setting->value, reason);
}

static bool open_arcs(struct ecp5_chip *chip)
{
    struct ecp5_config *config = chip->config;
    for (uint32_t i = 0; i < config->arc_count; i++) {
        struct ecp5_arc *arc = &config->arcs[i];
        const struct ecp5_tile *tile = &config->tiles[arc->tile];
        uint32_t sink = trellis_wire(chip->trellis, tile->x, tile->y, arc->sink);
        if (sink == TRELLIS_NO_WIRE || trellis_wire(chip->trellis, tile->x, tile->y, arc->source) == TRELLIS_NO_WIRE)
            return arc_fail(chip, arc, "leads outside the chip");
        uint32_t *place = key_map_place(&chip->arc_of, sink);
        if (*place != NO_ENTRY) {
            const struct ecp5_arc *other = &config->arcs[*place];
            /* The switches of a PLL's clock lie in two tiles. */
            if (strcmp(other->source, arc->source) != 0)
                return arc_fail(chip, arc, "a second driver of the wire, expected one");
            arc->used = true;
            continue;
        }
        *place = i;
    }
    return true;
}

/* "CIB.JA0MUX 0" ties the wire JA0. The choice that ties a clock or reset wire is named 0, but ties it to 1 (nextpnr's
 * bitstream.cc inverts behind it). */
static bool open_constants(struct ecp5_chip *chip)
{
    struct ecp5_config *config = chip->config;
    for (uint32_t i = 0; i < config->setting_count; i++) {
        struct ecp5_setting *setting = &config->settings[i];
        const struct ecp5_tile *tile = &config->tiles[setting->tile];
        char wire[16];
        size_t length = strlen(setting->name);
        if (strncmp(setting->name, "CIB.J", 5) != 0 || length < 8 || length > 16 ||
            strcmp(setting->name + length - 3, "MUX") != 0)
            continue;
        snprintf(wire, sizeof wire, "%.*s", (int)(length - 7), setting->name + 4);
        bool one = strcmp(setting->value, "1") == 0, zero = strcmp(setting->value, "0") == 0;
        bool inverted = strncmp(wire, "JCLK", 4) == 0 || strncmp(wire, "JLSR", 4) == 0;
        if ((!one && !zero) || setting->word)
            return setting_fail(chip, setting, "expected 0 or 1");
        *key_map_place(&chip->constant_of, trellis_wire(chip->trellis, tile->x, tile->y, wire)) = one || inverted;
        setting->used = true;
    }
    return true;
}

bool ecp5_chip_open(struct ecp5_chip *chip, struct ecp5_config *config, struct trellis *trellis,
                    struct failure *failure)
{
    *chip = (struct ecp5_chip){.config = config, .trellis = trellis, .failure = failure};
    return open_tiles(chip) && open_arcs(chip) && open_constants(chip);
}

void ecp5_chip_close(struct ecp5_chip *chip)
{
    key_map_free(&chip->arc_of);
    key_map_free(&chip->constant_of);
    key_map_free(&chip->tile_at);
    free(chip->next_tile);
}

/* In a slice that adds, the outputs F come from the adder, whatever the switches before them show: their bits are
 * shared with the adder's own settings. NULL: the arc counts. */
static const char *adder_output(struct ecp5_chip *chip, const struct trellis_wire *wire, const char *sink,
                                const struct ecp5_arc *arc)
{
    static const char *const outputs[] = {"F0_SLICE", "F1_SLICE", "F2_SLICE", "F3_SLICE",
                                          "F4_SLICE", "F5_SLICE", "F6_SLICE", "F7_SLICE"};
    char mode[16];
    if (strlen(sink) != 2 || sink[0] != 'F' || sink[1] < '0' || sink[1] > '7' || arc->source[0] != 'F' ||
        (arc->source[1] != '5' && arc->source[1] != 'X'))
        return NULL;
    snprintf(mode, sizeof mode, "SLICE%c.MODE", "ABCD"[(sink[1] - '0') / 2]);
    const char *shown = ecp5_shown(chip, wire->x, wire->y, "PLC2", mode);
    return shown && strcmp(shown, "CCU2") == 0 ? outputs[sink[1] - '0'] : NULL;
}

static uint32_t follow_arc(struct ecp5_chip *chip, uint32_t wire, uint32_t number)
{
    struct ecp5_arc *arc = &chip->config->arcs[number];
    const struct ecp5_tile *tile = &chip->config->tiles[arc->tile];
    const struct trellis_wire place = chip->trellis->wires[wire];
    const char *output = adder_output(chip, &place, trellis_wire_name(chip->trellis, wire), arc);
    arc->used = true;
    if (key_map_get(&chip->constant_of, wire) != NO_ENTRY)
        arc_fail(chip, arc, "the wire is tied to a constant, too");
    return output ? trellis_wire(chip->trellis, place.x, place.y, output)
                  : trellis_wire(chip->trellis, tile->x, tile->y, arc->source);
}

/* A clock gate (DCC) that is not switched on passes its clock. */
static uint32_t follow_clock_gate(struct ecp5_chip *chip, uint32_t wire)
{
    char input[64];
    snprintf(input, sizeof input, "G_CLKI_%.50s", trellis_wire_name(chip->trellis, wire) + strlen("G_CLKO_"));
    return trellis_wire(chip->trellis, 0, 0, input);
}

static bool ends_with(const char *name, const char *end)
{
    size_t length = strlen(name);
    return length > strlen(end) && strcmp(name + length - strlen(end), end) == 0;
}

static bool of_cell(const char *name)
{
    return ends_with(name, "_SLICE") || ends_with(name, "_EBR") || ends_with(name, "_PIO") || ends_with(name, "_PLL");
}

struct ecp5_source ecp5_source(struct ecp5_chip *chip, uint32_t wire)
{
    for (int i = 0; i < CHAIN_MAX && wire != TRELLIS_NO_WIRE && !chip->failure->failed; i++) {
        const char *name = trellis_wire_name(chip->trellis, wire);
        uint32_t arc = key_map_get(&chip->arc_of, wire), constant = key_map_get(&chip->constant_of, wire), next;
        if (arc != NO_ENTRY)
            next = follow_arc(chip, wire, arc);
        else if (constant != NO_ENTRY)
            return (struct ecp5_source){constant ? ECP5_ONE : ECP5_ZERO, wire};
        else if (strncmp(name, "G_CLKO_", 7) == 0)
            next = follow_clock_gate(chip, wire);
        else
            next = trellis_joined(chip->trellis, wire, chip->failure);
        if (next == TRELLIS_NO_WIRE && of_cell(name))
            return (struct ecp5_source){ECP5_CELL, wire};
        wire = next;
    }
    if (wire != TRELLIS_NO_WIRE)
        fail(chip->failure, "%s: wire %s of row %d, column %d drives itself", chip->config->file.path,
             trellis_wire_name(chip->trellis, wire), chip->trellis->wires[wire].y, chip->trellis->wires[wire].x);
    return (struct ecp5_source){ECP5_UNDRIVEN, TRELLIS_NO_WIRE};
}

const char *ecp5_shown(struct ecp5_chip *chip, int x, int y, const char *type, const char *name)
{
    struct ecp5_config *config = chip->config;
    uint32_t i = key_map_get(&chip->tile_at, (uint64_t)(unsigned)x << 8 | (unsigned)y);
    for (; i != NO_ENTRY; i = chip->next_tile[i]) {
        const struct ecp5_tile *tile = &config->tiles[i];
        if (strncmp(tile->type, type, strlen(type)) != 0)
            continue;
        for (uint32_t k = 0; k < tile->settings; k++) {
            struct ecp5_setting *setting = &config->settings[tile->first_setting + k];
            if (strcmp(setting->name, name) == 0) {
                setting->used = true;
                return setting->value;
            }
        }
    }
    return NULL;
}

const char *ecp5_agreed(struct ecp5_chip *chip, const struct ecp5_part *parts, int count, const char *name)
{
    struct trellis_shown shown[4];
    for (int i = 0; i < count && i < 4; i++)
        shown[i] = (struct trellis_shown){parts[i].type, ecp5_shown(chip, parts[i].x, parts[i].y, parts[i].type, name)};
    const char *value = trellis_agreed(chip->trellis, name, shown, count);
    if (!value)
        fail(chip->failure, "%s: row %d, column %d: the tiles that hold %s do not agree on a value",
             chip->config->file.path, parts[0].y, parts[0].x, name);
    return value;
}

uint32_t ecp5_word(struct ecp5_chip *chip, const struct ecp5_part *parts, int count, const char *name, uint32_t missing)
{
    uint32_t value = UINT32_MAX;
    for (int i = 0; i < count; i++) {
        const char *bits = ecp5_shown(chip, parts[i].x, parts[i].y, parts[i].type, name);
        if (!bits)
            bits = trellis_default_word(chip->trellis, parts[i].type, name);
        if (bits && strlen(bits) <= 32)
            value &= (uint32_t)strtoul(bits, NULL, 2);
    }
    return value == UINT32_MAX ? missing : value;
}

/* Settings that change nothing in a simulation where no cell asked for them: those of cells whose outputs lead nowhere,
 * the electrical ones of pads and banks, and how the chip is configured. */
static bool means_nothing(const struct ecp5_setting *setting)
{
    static const char *const prefixes[] = {"SLICE", "CLK0.CLKMUX", "CLK1.CLKMUX", "LSR0.",
                                           "LSR1.", "EBR",         "BANK.",       "SYSCONFIG."};
    static const char *const pad[] = {".BASE_TYPE", ".DRIVE", ".PULLMODE",     ".HYSTERESIS",
                                      ".SLEWRATE",  ".CLAMP", ".DIFFRESISTOR", ".TERMINATION"};
    static const char *const values[][2] = {{".OPENDRAIN", "OFF"},
                                            {".DATAMUX_ODDR", "PADDO"},
                                            {".DATAMUX_OREG", "PADDO"},
                                            {".DATAMUX_MDDR", "PADDO"},
                                            {".TRIMUX_TSREG", "PADDT"}};
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++)
        if (strncmp(setting->name, prefixes[i], strlen(prefixes[i])) == 0)
            return true;
    if (strncmp(setting->name, "PIO", 3) != 0 || strlen(setting->name) < 5)
        return false;
    for (size_t i = 0; i < sizeof pad / sizeof pad[0]; i++)
        if (strncmp(setting->name + 4, pad[i], strlen(pad[i])) == 0)
            return true;
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        if (strcmp(setting->name + 4, values[i][0]) == 0)
            return strcmp(setting->value, values[i][1]) == 0;
    return false;
}

/* Switches that are on although nothing listens: of the clock network (what the tools or the default leave on), and
 * those at the outputs of a slice, whose bits are also settings of its adder. */
static bool leads_nowhere(const struct ecp5_arc *arc)
{
    bool slice = strlen(arc->sink) == 2 && arc->sink[0] == 'F' && strstr(arc->source, "_SLICE");
    return slice || strncmp(arc->sink, "G_", 2) == 0 || strstr(arc->sink, "ECLK");
}

/* An input of a slice: A0 to D7, M0 to M7, CE0, CLK0, LSR0 and the like, MUXCLK0, MUXLSR0. */
static bool slice_input(const char *name)
{
    size_t letters = strspn(name, "ABCDELMKRSUX");
    return letters && name[letters] >= '0' && name[letters] <= '7' && !name[letters + 1];
}

/* Synthesis leaves a few look-up tables behind whose outputs lead nowhere. What leads to them is known. */
static void use_dead_logic(struct ecp5_chip *chip)
{
    struct ecp5_config *config = chip->config;
    for (uint32_t i = 0; i < config->arc_count; i++) {
        const struct ecp5_tile *tile = &config->tiles[config->arcs[i].tile];
        if (strcmp(tile->type, "PLC2") == 0 && slice_input(config->arcs[i].sink))
            ecp5_source(chip, trellis_wire(chip->trellis, tile->x, tile->y, config->arcs[i].sink));
    }
}

bool ecp5_check_used(struct ecp5_chip *chip)
{
    struct ecp5_config *config = chip->config;
    use_dead_logic(chip);
    if (chip->failure->failed)
        return false;
    for (uint32_t i = 0; i < config->arc_count; i++)
        if (!config->arcs[i].used && !leads_nowhere(&config->arcs[i]))
            return arc_fail(chip, &config->arcs[i], "leads to no pin that the pin list names");
    for (uint32_t i = 0; i < config->setting_count; i++)
        if (!config->settings[i].used && !means_nothing(&config->settings[i]))
            return setting_fail(chip, &config->settings[i], "not known to this simulator");
    return true;
}
