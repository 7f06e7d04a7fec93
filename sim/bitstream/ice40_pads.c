/* See ice40_pads.h.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "bitstream/ice40_pads.h"

#include "bitstream/ice40_asc.h"
#include "bitstream/ice40_build.h"
#include "bitstream/ice40_chipdb.h"
#include "bitstream/netlist.h"
#include "support/or_abort.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_SIZE = 512, TYPE_BITS = 6, HFOSC_GLOBAL = 4, LFOSC_GLOBAL = 5 };

static const uint64_t hfosc_hz = 48000000, lfosc_hz = 10000;

/* The type of a pad: bits 0 and 1 are the input's, 2 and 3 the output's, 4 and 5 the output enable's. */
enum { INPUT_REGISTERED = 0, INPUT_PLAIN = 1 };
enum { OUTPUT_BOTH_EDGES = 0, OUTPUT_REGISTERED = 1, OUTPUT_PLAIN = 2, OUTPUT_INVERTED = 3 };
enum { ENABLE_NEVER = 0, ENABLE_ALWAYS = 1, ENABLE_PLAIN = 2, ENABLE_REGISTERED = 3 };

struct ice40_pad {
    char name[NETLIST_NAME];
    struct ice40_place place;
    unsigned input_type, output_type, enable_type;
    unsigned in, registered, falling; /* signals: the pin, and the outputs of the input's flops */
    bool pull_up, falling_clock;
};

static bool has_bit(const struct ice40_build *build, int x, int y, const char *kind, int z)
{
    char name[32];
    snprintf(name, sizeof name, "%s_%d", kind, z);
    return ice40_chipdb_bit(build->chipdb, x, y, name);
}

static unsigned pad_type(const struct ice40_build *build, struct ice40_place place, int low)
{
    unsigned type = 0;
    for (int i = 0; i < 2; i++) {
        char kind[24];
        snprintf(kind, sizeof kind, "IOB_%d.PINTYPE", place.z);
        type |= (unsigned)has_bit(build, place.x, place.y, kind, low + i) << i;
    }
    return type;
}

static bool pulls_up(const struct ice40_build *build, struct ice40_place place)
{
    struct ice40_place control;
    return ice40_chipdb_pad_control(build->chipdb, place, &control) &&
           !has_bit(build, control.x, control.y, "IoCtrl.REN", control.z); /* the bit switches the resistor off */
}

static void add_pad(struct ice40_build *build, const char *name, struct ice40_place place)
{
    build->pads = or_abort(realloc(build->pads, (size_t)(build->pad_count + 1) * sizeof *build->pads));
    struct ice40_pad *pad = &build->pads[build->pad_count++];
    *pad = (struct ice40_pad){.place = place,
                              .input_type = pad_type(build, place, 0),
                              .output_type = pad_type(build, place, 2),
                              .enable_type = pad_type(build, place, 4),
                              .in = ice40_new_signal(build),
                              .pull_up = pulls_up(build, place),
                              .falling_clock = ice40_chipdb_bit(build->chipdb, place.x, place.y, "NegClk")};
    snprintf(pad->name, sizeof pad->name, "%s", name);
}

/* "set_io [-OPTION [VALUE]]... NAME PIN": the last two words that are no option. */
static bool parse_line(char *line, const char **name, const char **pin)
{
    static const char blanks[] = " \t\r\n";
    char *rest, *word = strtok_r(line, blanks, &rest);
    *name = *pin = NULL;
    if (!word || *word == '#' || strcmp(word, "set_io") != 0)
        return !word || *word == '#' || strcmp(word, "set_frequency") == 0;
    while ((word = strtok_r(NULL, blanks, &rest)) && *word != '#') {
        if (strcmp(word, "-pullup") == 0 || strcmp(word, "-pullup_resistor") == 0)
            strtok_r(NULL, blanks, &rest);
        else if (*word != '-') {
            *name = *pin;
            *pin = word;
        }
    }
    return *name && *pin;
}

static void read_pins(struct ice40_build *build)
{
    char line[LINE_SIZE];
    FILE *file = fopen(build->pcf, "re");
    if (!file) {
        ice40_fail(build, "%s: %s", build->pcf, strerror(errno));
        return;
    }
    for (int number = 1; fgets(line, sizeof line, file); number++) {
        const char *name, *pin;
        struct ice40_place place;
        if (!parse_line(line, &name, &pin))
            ice40_fail(build, "%s:%d: expected set_io NAME PIN", build->pcf, number);
        else if (name && !ice40_chipdb_pin(build->chipdb, pin, &place))
            ice40_fail(build, "%s:%d: %s: expected a pin of the package", build->pcf, number, pin);
        else if (name)
            add_pad(build, name, place);
    }
    fclose(file);
}

static int pad_net(const struct ice40_build *build, struct ice40_place place, const char *name)
{
    return ice40_net(build, place.x, place.y, "io_%d/%s", place.z, name);
}

static void drive_pad(struct ice40_build *build, struct ice40_pad *pad)
{
    int in0 = pad_net(build, pad->place, "D_IN_0"), in1 = pad_net(build, pad->place, "D_IN_1");
    pad->falling = ice40_new_signal(build);
    ice40_drive_as(build, in1, pad->falling);
    pad->registered = ice40_new_signal(build);
    ice40_drive_as(build, in0, pad->input_type == INPUT_PLAIN ? pad->in : pad->registered);
}

static bool same(struct ice40_place a, struct ice40_place b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

static struct ice40_pad *find_pad(struct ice40_build *build, struct ice40_place place)
{
    for (int i = 0; i < build->pad_count; i++)
        if (same(build->pads[i].place, place))
            return &build->pads[i];
    return NULL;
}

/* ---- PLLs ---- */

static bool pll_bit(const struct ice40_build *build, const struct ice40_extra_cell *pll, const char *key)
{
    const struct ice40_field *field = ice40_cell_field(pll, key);
    char name[40];
    if (!field)
        return false;
    snprintf(name, sizeof name, "PLL.%s", field->name);
    return ice40_chipdb_bit(build->chipdb, field->x, field->y, name);
}

static unsigned pll_bits(const struct ice40_build *build, const struct ice40_extra_cell *pll, const char *key,
                         int count)
{
    unsigned value = 0;
    for (int i = 0; i < count; i++) {
        char name[ICE40_FIELD_NAME];
        snprintf(name, sizeof name, "%s_%d", key, i);
        value |= (unsigned)pll_bit(build, pll, name) << i;
    }
    return value;
}

static struct ice40_place field_place(const struct ice40_extra_cell *cell, const char *key)
{
    const struct ice40_field *field = ice40_cell_field(cell, key);
    return field ? (struct ice40_place){field->x, field->y, atoi(field->name)} : (struct ice40_place){-1, -1, -1};
}

/* One output of a PLL, which takes the place of a pad's input. */
static void drive_pll_output(struct ice40_build *build, const struct ice40_extra_cell *pll, char output,
                             unsigned reference, unsigned lock)
{
    enum { GENERATED = 0, GENERATED_HALF = 1, SIMPLE_FEEDBACK = 1 };
    char place_key[] = "PLLOUT_?", select_key[] = "PLLOUT_SELECT_?";
    place_key[strlen(place_key) - 1] = output;
    select_key[strlen(select_key) - 1] = output;
    unsigned select = pll_bits(build, pll, select_key, 2);
    uint64_t divide = (pll_bits(build, pll, "DIVR", 4) + 1) << pll_bits(build, pll, "DIVQ", 3);
    if (pll_bits(build, pll, "FEEDBACK_PATH", 3) != SIMPLE_FEEDBACK || select > GENERATED_HALF)
        ice40_fail(build, "the PLL at %d %d shifts phases or has no SIMPLE feedback, expected GENCLK or GENCLK_HALF",
                   pll->x, pll->y);
    struct ice40_place place = field_place(pll, place_key);
    unsigned signal = ice40_new_signal(build);
    ice40_drive_as(build, pad_net(build, place, "D_IN_0"), signal);
    for (int i = 0; i < ICE40_GLOBALS; i++) {
        const struct ice40_global *global = ice40_chipdb_global(build->chipdb, i);
        char name[ICE40_FIELD_NAME];
        snprintf(name, sizeof name, "glb_netwk_%d", i);
        if (global->from_pad && same(global->pad, place))
            ice40_drive_as(build, ice40_net(build, place.x, place.y, "%s", name), signal);
    }
    *netlist_add_clock(build->netlist) = (struct netlist_clock){.signal = signal,
                                                                .reference = reference,
                                                                .lock = lock,
                                                                .multiply = pll_bits(build, pll, "DIVF", 7) + 1,
                                                                .divide = divide * (select == GENERATED_HALF ? 2 : 1)};
}

/* PLLTYPE: bit 0: the reference comes from the fabric, else from a pad; 2 and 3 have one output, 4, 6 and 7 two. */
static void drive_pll(struct ice40_build *build, const struct ice40_extra_cell *pll)
{
    unsigned type = pll_bits(build, pll, "PLLTYPE", 3), reference = NETLIST_ZERO;
    const struct ice40_field *lock = ice40_cell_field(pll, "LOCK"), *clock = ice40_cell_field(pll, "REFERENCECLK");
    struct ice40_pad *pad = find_pad(build, field_place(pll, "PLLOUT_A"));
    if (type == 0)
        return;
    if (type & 1)
        reference = ice40_signal(build, ice40_net(build, clock->x, clock->y, "%s", clock->name), NETLIST_ZERO);
    else if (pad)
        reference = pad->in;
    if (reference == NETLIST_ZERO)
        ice40_fail(build, "the PLL at %d %d has no reference clock", pll->x, pll->y);
    unsigned lock_signal = ice40_new_signal(build);
    ice40_drive_as(build, ice40_net(build, lock->x, lock->y, "%s", lock->name), lock_signal);
    drive_pll_output(build, pll, 'A', reference, lock_signal);
    if (type > 3)
        drive_pll_output(build, pll, 'B', reference, lock_signal);
}

/* ---- global nets and oscillators ---- */

static unsigned oscillator(struct ice40_build *build, uint64_t hz, uint64_t divide)
{
    unsigned signal = ice40_new_signal(build);
    *netlist_add_clock(build->netlist) = (struct netlist_clock){.signal = signal, .multiply = hz, .divide = divide};
    return signal;
}

/* CLKHF_DIV: 48 MHz by 1, 2, 4 or 8. */
static uint64_t hfosc_divider(const struct ice40_build *build, const struct ice40_extra_cell *cell)
{
    unsigned shift = 0;
    for (int i = 0; i < 2; i++) {
        char key[16], name[40];
        snprintf(key, sizeof key, "CLKHF_DIV_%d", i);
        const struct ice40_field *field = ice40_cell_field(cell, key);
        snprintf(name, sizeof name, "IpConfig.%s", field ? field->name : "");
        if (field && ice40_chipdb_bit(build->chipdb, field->x, field->y, name))
            shift |= 1u << i;
    }
    return 1u << shift;
}

static void drive_global(struct ice40_build *build, int number)
{
    const struct ice40_global *global = ice40_chipdb_global(build->chipdb, number);
    const struct ice40_extra_cell *hfosc = ice40_chipdb_cell(build->chipdb, "HFOSC", 0);
    char name[ICE40_FIELD_NAME];
    snprintf(name, sizeof name, "glb_netwk_%d", number);
    if (global->fabric_x < 0)
        return;
    int net = ice40_net(build, global->fabric_x, global->fabric_y, "%s", name);
    struct ice40_pad *pad = find_pad(build, global->pad);
    if (!global->from_pad)
        build->global_source[net] = ice40_net(build, global->fabric_x, global->fabric_y, "fabout");
    else if (build->signal_of[net])
        return; /* a PLL */
    else if (hfosc && number == HFOSC_GLOBAL)
        ice40_drive_as(build, net, oscillator(build, hfosc_hz, hfosc_divider(build, hfosc)));
    else if (hfosc && number == LFOSC_GLOBAL)
        ice40_drive_as(build, net, oscillator(build, lfosc_hz, 1));
    else if (pad)
        ice40_drive_as(build, net, pad->in);
    else
        ice40_fail(build, "global net %d comes from a pad without a set_io line in %s", number, build->pcf);
}

void ice40_drive_pads(struct ice40_build *build)
{
    const struct ice40_extra_cell *pll;
    read_pins(build);
    for (int i = 0; i < build->pad_count; i++)
        drive_pad(build, &build->pads[i]);
    for (int i = 0; (pll = ice40_chipdb_cell(build->chipdb, "PLL", i)); i++)
        drive_pll(build, pll);
    for (int i = 0; i < ICE40_GLOBALS; i++)
        drive_global(build, i);
}

/* ---- registers and outputs of pads ---- */

static unsigned pad_signal(struct ice40_build *build, const struct ice40_pad *pad, const char *name,
                           unsigned unconnected)
{
    return ice40_signal(build, pad_net(build, pad->place, name), unconnected);
}

static unsigned pad_flop(struct ice40_build *build, const struct ice40_pad *pad, const char *clock, bool other_edge,
                         unsigned d, unsigned out)
{
    int x = pad->place.x, y = pad->place.y;
    unsigned clock_signal = ice40_signal(build, ice40_net(build, x, y, "io_global/%s", clock), NETLIST_ZERO);
    unsigned enable = ice40_signal(build, ice40_net(build, x, y, "io_global/cen"), NETLIST_ONE);
    unsigned domain = netlist_domain(build->netlist, clock_signal, pad->falling_clock != other_edge);
    *netlist_add_flop(build->netlist) = (struct netlist_flop){
        .domain = domain, .d = d, .enable = enable, .reset = NETLIST_ZERO, .out = out};
    return out;
}

static void build_input(struct ice40_build *build, const struct ice40_pad *pad)
{
    struct netlist_pin *pin = netlist_add_pin(build->netlist);
    snprintf(pin->name, sizeof pin->name, "%s", pad->name);
    pin->signal = pad->in;
    pin->pull_up = pad->pull_up;
    if (pad->input_type == INPUT_REGISTERED)
        pad_flop(build, pad, "inclk", false, pad->in, pad->registered);
    pad_flop(build, pad, "inclk", true, pad->in, pad->falling);
}

static void build_output(struct ice40_build *build, const struct ice40_pad *pad)
{
    unsigned value = pad_signal(build, pad, "D_OUT_0", NETLIST_ZERO);
    unsigned enable = pad->enable_type == ENABLE_ALWAYS ? NETLIST_ONE : pad_signal(build, pad, "OUT_ENB", NETLIST_ONE);
    if (pad->output_type == OUTPUT_BOTH_EDGES)
        ice40_fail(build, "%s: a pad that drives on both edges of its clock has no model", pad->name);
    if (pad->output_type == OUTPUT_REGISTERED)
        value = pad_flop(build, pad, "outclk", false, value, ice40_new_signal(build));
    if (pad->output_type == OUTPUT_INVERTED)
        ice40_fail(build, "%s: a pad with an inverted output register has no model", pad->name);
    if (pad->enable_type == ENABLE_REGISTERED)
        enable = pad_flop(build, pad, "outclk", false, enable, ice40_new_signal(build));
    struct netlist_pin *pin = netlist_add_pin(build->netlist);
    snprintf(pin->name, sizeof pin->name, "%s", pad->name);
    pin->output = true;
    pin->signal = value;
    pin->enable = enable;
    pin->pull_up = pad->pull_up;
}

void ice40_build_pads(struct ice40_build *build)
{
    for (int i = 0; i < build->pad_count; i++) {
        const struct ice40_pad *pad = &build->pads[i];
        if (pad->input_type > INPUT_PLAIN)
            ice40_fail(build, "%s: a pad with a latched input has no model", pad->name);
        if (pad->enable_type != ENABLE_ALWAYS)
            build_input(build, pad);
        if (pad->enable_type != ENABLE_NEVER)
            build_output(build, pad);
    }
}

void ice40_pads_free(struct ice40_build *build)
{
    free(build->pads);
}
