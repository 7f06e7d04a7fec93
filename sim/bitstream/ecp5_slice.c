/* A slice of an ECP5: two look-up tables with four inputs (K0, K1), which can also be two bits of an adder with its
 * carry (CCU2) or a RAM of 16 words of two bits (DPRAM); a multiplexer over both (OFX0) and one over other multiplexers
 * (OFX1); and two flops. A tile has slices A to D; the inputs and outputs of slice B are A2, A3, F2 and so on. In RAM
 * mode slice C passes write address and data to slices A and B (RAMW).
 *
 * Source: Lattice TN1260 and FPGA-TN-02032, and the simulation models of Yosys and nextpnr, read, not copied.
 *
 * SPDX-License-Identifier: ISC
 */
#include <stdlib.h>
#include <string.h>

#include "bitstream/ecp5_build.h"

enum { EXPRESSION = 2048 };

struct slice {
    struct ecp5_build *build;
    int x, y, z;    /* z: 0 to 3 for slices A to D */
    char name[24];  /* "SLICEA" */
    char label[32]; /* of its own nets */
};

/* A setting of the slice, or of its tile where the name has a point. */
static const char *setting(const struct slice *slice, const char *name, const char *by_default)
{
    char full[64];
    snprintf(full, sizeof full, "%s.%s", slice->name, name);
    const char *shown = ecp5_shown(slice->build->chip, slice->x, slice->y, "PLC2", full);
    return shown ? shown : by_default;
}

static const char *tile_setting(const struct slice *slice, const char *group, char number, const char *name,
                                const char *by_default)
{
    char full[64];
    snprintf(full, sizeof full, "%s%c.%s", group, number, name);
    const char *shown = ecp5_shown(slice->build->chip, slice->x, slice->y, "PLC2", full);
    return shown ? shown : by_default;
}

static bool is(const char *value, const char *expected)
{
    return strcmp(value, expected) == 0;
}

static bool slice_fail(const struct slice *slice, const char *reason)
{
    return fail(slice->build->chip->failure, "%s: row %d, column %d, %s: %s", slice->build->chip->config->file.path,
                slice->y, slice->x, slice->name, reason);
}

static const char *net(const struct slice *slice, const char *name, const char *undriven, char *text)
{
    return ecp5_net_at(slice->build, slice->x, slice->y, name, undriven, text);
}

/* An input that can be set to 1: 'A' of table K0, or 'M' of flop 0. */
static const char *input(const struct slice *slice, char letter, int k, char *text)
{
    char name[24];
    snprintf(name, sizeof name, "%c%dMUX", letter, k);
    if (is(setting(slice, name, ""), "1"))
        return strcpy(text, "1'b1");
    snprintf(name, sizeof name, "%c%d_SLICE", letter, 2 * slice->z + k);
    return net(slice, name, NULL, text);
}

static unsigned table(const struct slice *slice, int k)
{
    char name[24];
    snprintf(name, sizeof name, "K%d.INIT", k);
    return (unsigned)strtoul(setting(slice, name, "1111111111111111"), NULL, 2) & 0xffff;
}

/* Appends the value of a table of 2^inputs bits as a tree of multiplexers. */
static void append_table(char *text, unsigned bits, int inputs, char nets[4][ECP5_NET])
{
    unsigned all = inputs == 4 ? 0xffff : (1u << (1 << inputs)) - 1,
             half = inputs ? (1u << (1 << (inputs - 1))) - 1 : 0;
    size_t length = strlen(text);
    bits &= all;
    if (bits == 0 || bits == all) {
        strcat(text, bits ? "1'b1" : "1'b0");
        return;
    }
    unsigned low = bits & half, high = bits >> (1 << (inputs - 1)) & half;
    if (low == high) {
        append_table(text, low, inputs - 1, nets);
    } else if ((low == 0 && high == half) || (low == half && high == 0)) {
        snprintf(text + length, ECP5_NET + 4, "%s%s", low ? "!" : "", nets[inputs - 1]);
    } else {
        snprintf(text + length, ECP5_NET + 8, "(%s ? ", nets[inputs - 1]);
        append_table(text, high, inputs - 1, nets);
        strcat(text, " : ");
        append_table(text, low, inputs - 1, nets);
        strcat(text, ")");
    }
}

/* True if the value of the table depends on this input. */
static bool depends(unsigned bits, int in)
{
    for (int i = 0; i < 16; i++)
        if (!(i >> in & 1) && (bits >> i & 1) != (bits >> (i | 1 << in) & 1))
            return true;
    return false;
}

/* The value of table k. `inputs`: 4, or 2 for the carry's part of it, the lower two. */
static void table_value(const struct slice *slice, int k, int inputs, char text[EXPRESSION])
{
    char nets[4][ECP5_NET];
    unsigned bits = table(slice, k), seen = inputs == 4 ? bits : (bits & 15) * 0x1111;
    for (int i = 0; i < inputs; i++) {
        strcpy(nets[i], "1'b0");
        if (depends(seen, i))
            input(slice, "ABCD"[i], k, nets[i]);
    }
    *text = 0;
    append_table(text, bits, inputs, nets);
}

static void declare(const struct slice *slice, const char *output)
{
    fprintf(slice->build->wires, "    wire %s;\n", output);
}

/* The net of one of the slice's own wires. */
static const char *own(const struct slice *slice, const char *suffix, char *text)
{
    snprintf(text, ECP5_NET, "%s_%s", slice->label, suffix);
    return text;
}

/* The two bits of an adder: sum = table ^ carry in, and a carry that the table passes on or the lower part makes. A bit
 * with INJECT1 takes no part in the sum, and makes no carry. */
static void print_adder(const struct slice *slice)
{
    FILE *out = slice->build->cells;
    char carry[ECP5_NET], name[24];
    if (!ecp5_first_time(slice->build, slice->x, slice->y, slice->z))
        return;
    snprintf(name, sizeof name, slice->z ? "FCI%c_SLICE" : "FCI_SLICE", "ABCD"[slice->z]);
    net(slice, name, "1'b0", carry);
    for (int k = 0; k < 2; k++) {
        char value[EXPRESSION], lower[EXPRESSION];
        snprintf(name, sizeof name, "CCU2.INJECT1_%d", k);
        bool inject = is(setting(slice, name, "YES"), "YES");
        table_value(slice, k, 4, value);
        table_value(slice, k, 2, lower);
        fprintf(slice->build->wires, "    wire %s_table%d, %s_sum%d, %s_carry%d;\n", slice->label, k, slice->label, k,
                slice->label, k);
        fprintf(out, "    assign %s_table%d = %s;\n", slice->label, k, value);
        fprintf(out, "    assign %s_sum%d = %s_table%d ^ %s;\n", slice->label, k, slice->label, k,
                inject ? "1'b0" : carry);
        fprintf(out, "    assign %s_carry%d = %s_table%d ? %s : %s;\n", slice->label, k, slice->label, k, carry,
                inject ? "1'b0" : lower);
        snprintf(carry, sizeof carry, "%s_carry%d", slice->label, k);
    }
    slice->build->luts += 2;
}

/* What a RAM holds at power-on. Its contents stand where the table's value for inputs A to D = 1, 2, 4, 8 would; the
 * address's bit 0 is input D, and bit 3 is A. */
static unsigned ram_contents(const struct slice *slice, int k)
{
    unsigned bits = table(slice, k), contents = 0;
    for (unsigned address = 0; address < 16; address++) {
        unsigned in = (address & 6) | address >> 3 | (address & 1) << 3;
        contents |= (bits >> in & 1) << address;
    }
    return contents;
}

/* The RAM's write port: clock and enable are those of the tile's second control set. */
static void print_ram(const struct slice *slice)
{
    FILE *out = slice->build->cells;
    char clock[ECP5_NET], enable[ECP5_NET], address[4][ECP5_NET], data[2][ECP5_NET], name[24];
    if (!ecp5_first_time(slice->build, slice->x, slice->y, slice->z))
        return;
    if (slice->z > 1) {
        slice_fail(slice, "a RAM, expected one in slice A or B only");
        return;
    }
    snprintf(name, sizeof name, "WCK%d_SLICE", slice->z);
    net(slice, name, NULL, clock);
    snprintf(name, sizeof name, "WRE%d_SLICE", slice->z);
    const char *write = tile_setting(slice, "SLICE", 'A', "WREMUX", "WRE");
    strcpy(enable, is(write, "1") ? "1'b1" : "1'b0");
    if (!is(write, "1") && !is(write, "0"))
        net(slice, name, NULL, enable);
    for (int i = 0; i < 4; i++) {
        snprintf(name, sizeof name, "WAD%d%c_SLICE", i, "AB"[slice->z]);
        net(slice, name, NULL, address[i]);
    }
    fprintf(slice->build->wires, "    reg [15:0] %s_ram0 = 16'd%u, %s_ram1 = 16'd%u;\n", slice->label,
            ram_contents(slice, 0), slice->label, ram_contents(slice, 1));
    fprintf(out, "    always @(%s %s) if (%s%s) begin\n",
            is(tile_setting(slice, "CLK", '1', "CLKMUX", "CLK"), "INV") ? "negedge" : "posedge", clock,
            is(write, "INV") ? "!" : "", enable);
    for (int k = 0; k < 2; k++) {
        snprintf(name, sizeof name, "WD%d%c_SLICE", k, "AB"[slice->z]);
        net(slice, name, "1'b0", data[k]);
        fprintf(out, "        %s_ram%d[{%s, %s, %s, %s}] <= %s;\n", slice->label, k, address[3], address[2], address[1],
                address[0], data[k]);
    }
    fprintf(out, "    end\n");
}

/* The write address and data that slice C passes on: which input each comes from. */
static void print_ram_write(const struct slice *slice, const char *wire, const char *output)
{
    static const struct {
        const char *wire;
        char letter, k;
    } passed[] = {{"WDO0C_SLICE", 'C', 1},  {"WDO1C_SLICE", 'A', 1},  {"WDO2C_SLICE", 'D', 1},
                  {"WDO3C_SLICE", 'B', 1},  {"WADO0C_SLICE", 'D', 0}, {"WADO1C_SLICE", 'B', 0},
                  {"WADO2C_SLICE", 'C', 0}, {"WADO3C_SLICE", 'A', 0}};
    for (size_t i = 0; i < sizeof passed / sizeof passed[0]; i++) {
        char text[ECP5_NET];
        if (!is(passed[i].wire, wire))
            continue;
        /* Data that nothing reads need not be there. */
        char name[24];
        snprintf(name, sizeof name, "%c%d_SLICE", passed[i].letter, 2 * slice->z + passed[i].k);
        snprintf(text, sizeof text, "1'b1");
        char multiplexer[24];
        snprintf(multiplexer, sizeof multiplexer, "%c%dMUX", passed[i].letter, passed[i].k);
        if (!is(setting(slice, multiplexer, ""), "1"))
            net(slice, name, wire[1] == 'D' ? "1'b0" : NULL, text);
        declare(slice, output);
        fprintf(slice->build->cells, "    assign %s = %s;\n", output, text);
        return;
    }
    slice_fail(slice, "passes on no such wire");
}

static void print_table(const struct slice *slice, int k, const char *output)
{
    const char *mode = setting(slice, "MODE", "LOGIC");
    char value[EXPRESSION], in[4][ECP5_NET];
    declare(slice, output);
    if (is(mode, "LOGIC")) {
        table_value(slice, k, 4, value);
        slice->build->luts++;
    } else if (is(mode, "CCU2")) {
        print_adder(slice);
        snprintf(value, sizeof value, "%s_sum%d", slice->label, k);
    } else if (is(mode, "DPRAM")) {
        print_ram(slice);
        for (int i = 0; i < 4; i++)
            input(slice, "DBCA"[i], k, in[i]); /* read address, bit 0 first */
        snprintf(value, sizeof value, "%s_ram%d[{%s, %s, %s, %s}]", slice->label, k, in[3], in[2], in[1], in[0]);
    } else {
        slice_fail(slice, "its mode has no such output");
        return;
    }
    fprintf(slice->build->cells, "    assign %s = %s;\n", output, value);
}

static void print_multiplexer(const struct slice *slice, int k, const char *output)
{
    char select[ECP5_NET], zero[ECP5_NET], one[ECP5_NET], name[24];
    input(slice, 'M', k, select);
    for (int i = 0; i < 2; i++) {
        if (k == 0)
            snprintf(name, sizeof name, "F%d_SLICE", 2 * slice->z + i);
        else
            snprintf(name, sizeof name, "FX%c%c_SLICE", "AB"[i], "ABCD"[slice->z]);
        net(slice, name, NULL, i ? one : zero);
    }
    declare(slice, output);
    /* OFX0 = M0 ? F1 : F0; OFX1 = M1 ? FXB : FXA */
    fprintf(slice->build->cells, "    assign %s = %s ? %s : %s;\n", output, select, one, zero);
}

/* The control set (0 or 1) of the tile that this slice's clock or reset comes from. */
static char control_set(const struct slice *slice, const char *wire)
{
    char name[24];
    snprintf(name, sizeof name, "MUX%s%d", wire, slice->z);
    uint32_t arc = key_map_get(&slice->build->chip->arc_of,
                               trellis_wire(slice->build->chip->trellis, slice->x, slice->y, name));
    const char *source = arc == NO_ENTRY ? "" : slice->build->chip->config->arcs[arc].source;
    size_t length = strlen(source);
    return length ? source[length - 1] : '0';
}

struct flop {
    char clock[ECP5_NET], reset[ECP5_NET], enable[ECP5_NET], data[ECP5_NET];
    bool falling, reset_low, enable_low, asynchronous, set;
};

static void flop_enable(const struct slice *slice, struct flop *flop)
{
    char name[24];
    const char *mux = setting(slice, "CEMUX", "CE");
    snprintf(name, sizeof name, "CE%d_SLICE", slice->z);
    if (is(mux, "1") || is(mux, "0"))
        snprintf(flop->enable, sizeof flop->enable, "1'b%s", mux);
    else
        net(slice, name, NULL, flop->enable);
    flop->enable_low = is(mux, "INV");
}

static void flop_controls(const struct slice *slice, struct flop *flop)
{
    char name[24];
    snprintf(name, sizeof name, "CLK%d_SLICE", slice->z);
    net(slice, name, NULL, flop->clock);
    flop->falling = is(tile_setting(slice, "CLK", control_set(slice, "CLK"), "CLKMUX", "CLK"), "INV");
    snprintf(name, sizeof name, "LSR%d_SLICE", slice->z);
    net(slice, name, "1'b0", flop->reset);
    char set = control_set(slice, "LSR");
    bool has_reset = !is(flop->reset, "1'b0");
    flop->reset_low = has_reset && is(tile_setting(slice, "LSR", set, "LSRMUX", "LSR"), "INV");
    flop->asynchronous = has_reset && is(tile_setting(slice, "LSR", set, "SRMODE", "LSR_OVER_CE"), "ASYNC");
    if (!is(setting(slice, "GSR", "ENABLED"), "DISABLED"))
        slice_fail(slice, "a flop on the global reset (GSR), which is not modelled");
}

static void print_flop(const struct slice *slice, int k, const char *output)
{
    struct flop flop = {.set = false};
    char name[24];
    FILE *out = slice->build->cells;
    flop_controls(slice, &flop);
    flop_enable(slice, &flop);
    snprintf(name, sizeof name, "REG%d.REGSET", k);
    flop.set = is(setting(slice, name, "SET"), "SET");
    snprintf(name, sizeof name, "REG%d.LSRMODE", k);
    if (!is(setting(slice, name, "LSR"), "LSR"))
        slice_fail(slice, "a flop whose reset loads a value (PRLD), which is not modelled");
    snprintf(name, sizeof name, "REG%d.SD", k);
    if (is(setting(slice, name, "1"), "1")) {
        snprintf(name, sizeof name, "DI%d_SLICE", 2 * slice->z + k);
        net(slice, name, NULL, flop.data);
    } else {
        input(slice, 'M', k, flop.data);
    }
    fprintf(slice->build->wires, "    reg %s = 1'b%d;\n", output, flop.set);
    fprintf(out, "    always @(%s %s", flop.falling ? "negedge" : "posedge", flop.clock);
    if (flop.asynchronous)
        fprintf(out, " or %s %s", flop.reset_low ? "negedge" : "posedge", flop.reset);
    fprintf(out, ") ");
    if (!is(flop.reset, "1'b0"))
        fprintf(out, "if (%s%s) %s <= 1'b%d; else ", flop.reset_low ? "!" : "", flop.reset, output, flop.set);
    if (!is(flop.enable, "1'b1"))
        fprintf(out, "if (%s%s) ", flop.enable_low ? "!" : "", flop.enable);
    fprintf(out, "%s <= %s;\n", output, flop.data);
    slice->build->flops++;
}

static void print_carry(const struct slice *slice, const char *output)
{
    declare(slice, output);
    if (is(setting(slice, "MODE", "LOGIC"), "CCU2")) {
        char carry[ECP5_NET];
        print_adder(slice);
        fprintf(slice->build->cells, "    assign %s = %s;\n", output, own(slice, "carry1", carry));
    } else {
        /* A carry chain that begins in the next slice does not look at this. */
        fprintf(slice->build->cells, "    assign %s = 1'b0;\n", output);
    }
}

static int slice_of_digit(char digit)
{
    return digit >= '0' && digit <= '7' ? (digit - '0') / 2 : -1;
}

/* Which slice drives a wire of this name, by its digit or letter; -1: none. */
static int slice_number(const char *wire)
{
    if (*wire == 'F' && (wire[1] == '5' || wire[1] == 'X') && wire[2] >= 'A' && wire[2] <= 'D')
        return wire[2] - 'A';
    if (strncmp(wire, "FCO", 3) == 0)
        return wire[3] >= 'A' && wire[3] <= 'D' ? wire[3] - 'A' : 3;
    if (*wire == 'W')
        return 2;
    return *wire == 'F' || *wire == 'Q' ? slice_of_digit(wire[1]) : -1;
}

void ecp5_print_slice(struct ecp5_build *build, uint32_t number)
{
    const struct trellis_wire place = build->chip->trellis->wires[number];
    const char *wire = trellis_wire_name(build->chip->trellis, number);
    struct slice slice = {.build = build, .x = place.x, .y = place.y, .z = slice_number(wire)};
    char output[ECP5_NET];
    ecp5_output(build, number, output);
    if (slice.z < 0) {
        fail(build->chip->failure, "%s: row %d, column %d: no cell drives %s", build->chip->config->file.path, place.y,
             place.x, wire);
        return;
    }
    snprintf(slice.name, sizeof slice.name, "SLICE%c", "ABCD"[slice.z]);
    snprintf(slice.label, sizeof slice.label, "R%dC%d_%c", place.y, place.x, "ABCD"[slice.z]);
    if (*wire == 'Q')
        print_flop(&slice, (wire[1] - '0') % 2, output);
    else if (*wire == 'W')
        print_ram_write(&slice, wire, output);
    else if (strncmp(wire, "FCO", 3) == 0)
        print_carry(&slice, output);
    else if (wire[1] == 'X' || wire[2] != '_')
        print_multiplexer(&slice, wire[1] == 'X', output);
    else
        print_table(&slice, (wire[1] - '0') % 2, output);
}
