/* See ecp5_netlist.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "bitstream/ecp5_netlist.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bitstream/ecp5_build.h"
#include "support/or_abort.h"

static void add_output(struct ecp5_build *build, const char *name, unsigned signal, unsigned enable)
{
    struct netlist_pin *pin = netlist_add_pin(build->netlist);
    snprintf(pin->name, sizeof pin->name, "%s", name);
    pin->output = true;
    pin->signal = signal;
    pin->enable = enable;
}

/* A pad that drives its pin while its PADDT is 0. */
static void build_pad(struct ecp5_build *build, const struct pin *pin)
{
    struct ecp5_chip *chip = build->chip;
    const struct trellis_pad *pad = trellis_pin(chip->trellis, pin->site);
    char name[24];
    if (!pad) {
        fail(chip->failure, "%s is at pin %s, which the package does not have", pin->name, pin->site);
        return;
    }
    snprintf(name, sizeof name, "PADDT%c_PIO", pad->letter);
    uint32_t off = trellis_wire(chip->trellis, pad->x, pad->y, name);
    if (ecp5_source(chip, off).kind == ECP5_UNDRIVEN)
        return;
    unsigned enable = ecp5_inverted(build, ecp5_signal(build, off, ECP5_REQUIRED), true);
    snprintf(name, sizeof name, "PADDO%c_PIO", pad->letter);
    add_output(build, pin->name, ecp5_signal_at(build, pad->x, pad->y, name, ECP5_REQUIRED), enable);
}

/* The pin that clocks the configuration flash is no pad: a cell of its own (USRMCLK) drives it. */
static void build_flash_clock(struct ecp5_build *build)
{
    enum { AND_NOT = 0x2222 };
    struct ecp5_chip *chip = build->chip;
    for (uint32_t i = 0; i < chip->config->tile_count; i++) {
        const struct ecp5_tile *tile = &chip->config->tiles[i];
        const char *mode = ecp5_shown(chip, tile->x, tile->y, "EFB3_PICB1", "CCLK.MODE");
        if (strcmp(tile->type, "EFB3_PICB1") != 0 || !mode || strcmp(mode, "USRMCLK") != 0)
            continue;
        /* Its wires are named from the tile EFB1_PICB1 of the same row. */
        for (int x = 0; x < chip->trellis->columns; x++) {
            if (!trellis_tile(chip->trellis, x, tile->y, "EFB1_PICB1"))
                continue;
            unsigned clock = ecp5_signal_at(build, x, tile->y, "W5_JPADDO_CCLK", ECP5_REQUIRED);
            unsigned off = ecp5_signal_at(build, x, tile->y, "W5_JPADDT_CCLK", NETLIST_ZERO);
            add_output(build, "flash_clock", ecp5_table(build, AND_NOT, clock, off, NETLIST_ZERO), NETLIST_ONE);
        }
    }
}

static void build_cell(struct ecp5_build *build, uint32_t wire)
{
    const char *name = trellis_wire_name(build->chip->trellis, wire), *kind = strrchr(name, '_');
    unsigned signal = key_map_get(&build->signal_of, wire);
    if (strcmp(kind, "_SLICE") == 0)
        ecp5_build_slice(build, wire, signal);
    else if (strcmp(kind, "_EBR") == 0)
        ecp5_build_block_ram(build, wire, signal);
    else
        ecp5_build_pll(build, wire, signal);
}

static bool build_all(struct ecp5_build *build)
{
    struct failure *failure = build->chip->failure;
    for (uint32_t i = 0; i < build->pins->count; i++)
        build->pins->pins[i].signal = 0;
    for (uint32_t i = 0; i < build->pins->count && !failure->failed; i++)
        build_pad(build, &build->pins->pins[i]);
    build_flash_clock(build);
    for (uint32_t i = 0; i < build->queue_count && !failure->failed; i++)
        build_cell(build, build->queue[i]);
    return !failure->failed && ecp5_check_used(build->chip);
}

struct netlist *ecp5_netlist(struct ecp5_config *config, struct trellis *trellis, struct pin_list *pins,
                             struct failure *failure)
{
    struct ecp5_chip chip;
    struct ecp5_build build = {.chip = &chip, .pins = pins, .netlist = or_abort(calloc(1, sizeof *build.netlist))};
    build.netlist->signals = NETLIST_ONE + 1;
    bool good = ecp5_chip_open(&chip, config, trellis, failure) && build_all(&build);
    ecp5_chip_close(&chip);
    key_map_free(&build.signal_of);
    key_map_free(&build.cells);
    free(build.queue);
    free(build.decoders);
    if (good)
        return build.netlist;
    netlist_free(build.netlist);
    return NULL;
}
