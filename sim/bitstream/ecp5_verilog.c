/* See ecp5_verilog.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include "bitstream/ecp5_verilog.h"

#include <stdlib.h>
#include <string.h>

#include "bitstream/ecp5_build.h"

/* A pad that drives its pin: it has an enable, which must be 0, the level at which it drives. */
static void print_pad(struct ecp5_build *build, struct pin *pin)
{
    struct ecp5_chip *chip = build->chip;
    const struct trellis_pad *pad = trellis_pin(chip->trellis, pin->site);
    char name[24], text[ECP5_NET];
    if (!pad) {
        fail(chip->failure, "%s is at pin %s, which the package does not have", pin_text(pin), pin->site);
        return;
    }
    snprintf(name, sizeof name, "PADDT%c_PIO", pad->letter);
    struct ecp5_source enable = ecp5_source(chip, trellis_wire(chip->trellis, pad->x, pad->y, name));
    if (enable.kind == ECP5_UNDRIVEN)
        return;
    if (enable.kind != ECP5_ZERO)
        fail(chip->failure, "%s: pin %s (%s) can be switched off, which is not modelled", chip->config->file.path,
             pin->site, pin_text(pin));
    snprintf(name, sizeof name, "PADDO%c_PIO", pad->letter);
    ecp5_net_at(build, pad->x, pad->y, name, NULL, text);
    pin->output = true;
    fprintf(build->cells, "    assign %s = %s;\n", pin_text(pin), text);
}

/* The pin that clocks the configuration flash is no pad: a cell of its own (USRMCLK) drives it. */
static void print_flash_clock(struct ecp5_build *build)
{
    struct ecp5_chip *chip = build->chip;
    for (uint32_t i = 0; i < chip->config->tile_count; i++) {
        const struct ecp5_tile *tile = &chip->config->tiles[i];
        const char *mode = ecp5_shown(chip, tile->x, tile->y, "EFB3_PICB1", "CCLK.MODE");
        if (strcmp(tile->type, "EFB3_PICB1") != 0 || !mode || strcmp(mode, "USRMCLK") != 0)
            continue;
        /* Its wires are named from the tile EFB1_PICB1 of the same row. */
        for (int x = 0; x < chip->trellis->columns; x++) {
            char clock[ECP5_NET], off[ECP5_NET];
            if (!trellis_tile(chip->trellis, x, tile->y, "EFB1_PICB1"))
                continue;
            ecp5_net_at(build, x, tile->y, "W5_JPADDO_CCLK", NULL, clock);
            ecp5_net_at(build, x, tile->y, "W5_JPADDT_CCLK", "1'b0", off);
            fprintf(build->cells, "    assign flash_clock = %s && !%s;\n", clock, off);
            build->flash_clock = true;
        }
    }
}

static void print_cell(struct ecp5_build *build, uint32_t wire)
{
    const char *name = trellis_wire_name(build->chip->trellis, wire), *kind = strrchr(name, '_');
    if (strcmp(kind, "_SLICE") == 0)
        ecp5_print_slice(build, wire);
    else if (strcmp(kind, "_EBR") == 0)
        ecp5_print_block_ram(build, wire);
    else
        ecp5_print_pll(build, wire);
}

static bool print_cells(struct ecp5_build *build)
{
    struct failure *failure = build->chip->failure;
    for (uint32_t i = 0; i < build->pins->count && !failure->failed; i++)
        print_pad(build, &build->pins->pins[i]);
    print_flash_clock(build);
    for (uint32_t i = 0; i < build->queue_count && !failure->failed; i++)
        print_cell(build, build->queue[i]);
    return !failure->failed && ecp5_check_used(build->chip);
}

static bool print_module(struct ecp5_build *build, const char *module, FILE *out, char *const texts[2])
{
    fprintf(out, "module %s (", module);
    bool any = pin_list_print_names(build->pins, out);
    if (build->flash_clock)
        fprintf(out, "%sflash_clock", any ? ", " : "");
    ecp5_print_clock_names(build, out);
    fprintf(out, ");\n");
    if (build->flash_clock)
        fprintf(out, "    output wire flash_clock;\n");
    ecp5_print_clocks(build, out);
    if (!pin_list_print_ports(build->pins, out, build->chip->failure))
        return false;
    fputs(texts[0], out);
    fputs(texts[1], out);
    fprintf(out, "endmodule\n");
    return !build->chip->failure->failed;
}

bool ecp5_verilog(struct ecp5_config *config, struct trellis *trellis, struct pin_list *pins, const char *module,
                  FILE *out, struct ecp5_counts *counts, struct failure *failure)
{
    struct ecp5_chip chip;
    struct ecp5_build build = {.chip = &chip, .pins = pins};
    char *texts[2] = {NULL, NULL};
    size_t lengths[2];
    build.wires = open_memstream(&texts[0], &lengths[0]);
    build.cells = open_memstream(&texts[1], &lengths[1]);
    if (!build.wires || !build.cells)
        abort();
    bool good = ecp5_chip_open(&chip, config, trellis, failure) && print_cells(&build);
    fclose(build.wires);
    fclose(build.cells);
    good = good && print_module(&build, module, out, texts);
    *counts = (struct ecp5_counts){build.luts, build.flops, build.block_rams};
    ecp5_chip_close(&chip);
    key_map_free(&build.wanted);
    key_map_free(&build.printed);
    free(build.queue);
    free(build.clocks);
    free(texts[0]);
    free(texts[1]);
    return good;
}
