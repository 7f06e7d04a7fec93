/* The PLLs of an ECP5. All outputs of one have the same lock signal.
 *
 * Frequency: with the feedback from output F, output O is reference / CLKI_DIV * CLKFB_DIV * F_DIV / O_DIV. Phases are
 * not looked at: all outputs rise with the reference.
 *
 * SPDX-License-Identifier: ISC
 */
#include <stdio.h>
#include <string.h>

#include "bitstream/ecp5_build.h"

static const char *const outputs[] = {"CLKOP", "CLKOS", "CLKOS2", "CLKOS3"};

struct pll {
    struct ecp5_build *build;
    int x, y;
    struct ecp5_part parts[2];
};

static bool pll_fail(const struct pll *pll, const char *reason)
{
    return fail(pll->build->chip->failure, "%s: row %d, column %d: PLL %s", pll->build->chip->config->file.path, pll->y,
                pll->x, reason);
}

/* The two tiles of a PLL, around the place of its wires. */
static bool find_parts(struct pll *pll)
{
    static const struct {
        const char *first, *second;
        int first_x, first_y, second_x, second_y;
    } corners[] = {{"PLL0_UL", "PLL1_UL", -1, 0, -1, 1},
                   {"PLL0_LL", "BANKREF8", 0, 1, 1, 1},
                   {"PLL0_LR", "PLL1_LR", 0, 1, -1, 1},
                   {"PLL0_LR", "BANKREF4", 0, 1, -1, 1},
                   {"PLL0_UR", "PLL1_UR", 1, 0, 1, 1}};
    const struct trellis *trellis = pll->build->chip->trellis;
    for (size_t i = 0; i < sizeof corners / sizeof corners[0]; i++) {
        struct ecp5_part first = {pll->x + corners[i].first_x, pll->y + corners[i].first_y, NULL};
        struct ecp5_part second = {pll->x + corners[i].second_x, pll->y + corners[i].second_y, NULL};
        first.type = trellis_tile(trellis, first.x, first.y, corners[i].first);
        second.type = trellis_tile(trellis, second.x, second.y, corners[i].second);
        if (!first.type || !second.type)
            continue;
        pll->parts[0] = first;
        pll->parts[1] = second;
        return true;
    }
    return pll_fail(pll, "without its tiles");
}

static unsigned divider(const struct pll *pll, const char *name)
{
    char full[24];
    snprintf(full, sizeof full, "%s_DIV", name);
    return ecp5_word(pll->build->chip, pll->parts, 2, full, 0) + 1;
}

/* The divider of the output that the feedback comes from. */
static unsigned feedback(const struct pll *pll)
{
    struct ecp5_chip *chip = pll->build->chip;
    const char *path = ecp5_shown(chip, pll->parts[0].x, pll->parts[0].y, pll->parts[0].type, "FEEDBK_PATH");
    struct ecp5_source source = ecp5_source(chip, trellis_wire(chip->trellis, pll->x, pll->y, "CLKFB_PLL"));
    const char *name = source.kind == ECP5_CELL ? trellis_wire_name(chip->trellis, source.wire) : "";
    for (int i = 0; i < 4; i++) {
        char wire[24], inside[16];
        snprintf(wire, sizeof wire, "J%s_PLL", outputs[i]);
        snprintf(inside, sizeof inside, "INT_%s", outputs[i] + 3);
        bool internal = path && strcmp(path, inside) == 0;
        if (internal || strcmp(name, wire) == 0)
            return divider(pll, outputs[i]);
    }
    pll_fail(pll, "with a feedback that is not one of its outputs");
    return 1;
}

/* What else can be set and does not change the ratio, or is of no use here. */
static void use_others(const struct pll *pll)
{
    struct ecp5_config *config = pll->build->chip->config;
    for (int i = 0; i < 2; i++)
        for (uint32_t k = 0; k < config->setting_count; k++) {
            struct ecp5_setting *setting = &config->settings[k];
            const struct ecp5_tile *tile = &config->tiles[setting->tile];
            static const char *const refused[] = {"DPHASE_SOURCE", "STDBY_ENABLE", "PLLRST_ENA", "REFIN_RESET"};
            if (tile->x != pll->parts[i].x || tile->y != pll->parts[i].y || strcmp(tile->type, pll->parts[i].type) != 0)
                continue;
            setting->used = true;
            for (size_t r = 0; r < sizeof refused / sizeof refused[0]; r++)
                if (strcmp(setting->name, refused[r]) == 0 && strcmp(setting->value, "ENABLED") == 0)
                    fail(pll->build->chip->failure, "%s:%u: %s ENABLED is not modelled", config->file.path,
                         setting->line, setting->name);
        }
}

void ecp5_build_pll(struct ecp5_build *build, uint32_t wire, unsigned signal)
{
    enum { PLL_CELL = 8 };
    struct trellis *trellis = build->chip->trellis;
    const struct trellis_wire place = trellis->wires[wire];
    const char *name = trellis_wire_name(trellis, wire);
    struct pll pll = {.build = build, .x = place.x, .y = place.y};
    unsigned lock;
    if (!find_parts(&pll))
        return;
    use_others(&pll);
    ecp5_first_time(build, place.x, place.y, PLL_CELL, 1, &lock);
    if (strncmp(name, "JCLKO", 5) != 0) {
        ecp5_buffer(build, lock, signal);
        return;
    }
    char output[16];
    snprintf(output, sizeof output, "%.*s", (int)strcspn(name + 1, "_"), name + 1);
    unsigned reference = ecp5_signal(build, trellis_wire(trellis, pll.x, pll.y, "CLKI_PLL"), ECP5_REQUIRED);
    *netlist_add_clock(build->netlist) = (struct netlist_clock){
        .signal = signal,
        .reference = reference,
        .lock = lock,
        .multiply = (uint64_t)divider(&pll, "CLKFB") * feedback(&pll),
        .divide = (uint64_t)divider(&pll, "CLKI") * divider(&pll, output)};
}
