/* A slice of an ECP5: two look-up tables with four inputs (K0, K1), which can also be two bits of an adder with its
 * carry (CCU2) or a RAM of 16 words of two bits (DPRAM); a multiplexer over both (OFX0) and one over other multiplexers
 * (OFX1); and two flops. A tile has slices A to D; the inputs and outputs of slice B are A2, A3, F2 and so on. In RAM
 * mode slice C passes write address and data to slices A and B (RAMW).
 *
 * Source: Lattice TN1260 and FPGA-TN-02032, and the simulation models of Yosys and nextpnr, read, not copied.
 *
 * SPDX-License-Identifier: ISC
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bitstream/ecp5_build.h"

struct slice {
    struct ecp5_build *build;
    int x, y, z;   /* z: 0 to 3 for slices A to D */
    char name[24]; /* "SLICEA" */
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

static unsigned wire_signal(const struct slice *slice, const char *name, unsigned undriven)
{
    return ecp5_signal_at(slice->build, slice->x, slice->y, name, undriven);
}

/* An input that can be set to 1: 'A' of table K0, or 'M' of flop 0. */
static unsigned input(const struct slice *slice, char letter, int k, unsigned undriven)
{
    char name[24];
    snprintf(name, sizeof name, "%c%dMUX", letter, k);
    if (is(setting(slice, name, ""), "1"))
        return NETLIST_ONE;
    snprintf(name, sizeof name, "%c%d_SLICE", letter, 2 * slice->z + k);
    return wire_signal(slice, name, undriven);
}

static unsigned table(const struct slice *slice, int k)
{
    char name[24];
    snprintf(name, sizeof name, "K%d.INIT", k);
    return (unsigned)strtoul(setting(slice, name, "1111111111111111"), NULL, 2) & 0xffff;
}

/* True if the value of the table depends on this input. */
static bool depends(unsigned bits, int in)
{
    for (int i = 0; i < 16; i++)
        if (!(i >> in & 1) && (bits >> i & 1) != (bits >> (i | 1 << in) & 1))
            return true;
    return false;
}

/* out = the value of table k. `inputs`: 4, or 2 for the carry's part of it, the lower two. */
static void build_value(const struct slice *slice, int k, int inputs, unsigned out)
{
    unsigned in[4] = {NETLIST_ZERO, NETLIST_ZERO, NETLIST_ZERO, NETLIST_ZERO};
    unsigned bits = inputs == 4 ? table(slice, k) : (table(slice, k) & 15) * 0x1111;
    for (int i = 0; i < inputs; i++)
        if (depends(bits, i))
            in[i] = input(slice, "ABCD"[i], k, ECP5_REQUIRED);
    ecp5_table_to(slice->build, (uint16_t)bits, in, out);
}

/* The two bits of an adder: sum = table ^ carry in, and a carry that the table passes on or the lower part makes. A bit
 * with INJECT1 takes no part in the sum, and makes no carry. The cell's signals are both sums, then both carries. */
static unsigned adder_signals(const struct slice *slice)
{
    enum { SUMS = 2 };
    struct ecp5_build *build = slice->build;
    unsigned first;
    char name[24];
    if (!ecp5_first_time(build, slice->x, slice->y, slice->z, 2 * SUMS, &first))
        return first;
    snprintf(name, sizeof name, slice->z ? "FCI%c_SLICE" : "FCI_SLICE", "ABCD"[slice->z]);
    unsigned carry = wire_signal(slice, name, NETLIST_ZERO);
    for (unsigned k = 0; k < SUMS; k++) {
        unsigned value = ecp5_new_signals(build, 1), made = NETLIST_ZERO;
        snprintf(name, sizeof name, "CCU2.INJECT1_%u", k);
        bool inject = is(setting(slice, name, "YES"), "YES");
        build_value(slice, (int)k, 4, value);
        if (!inject)
            build_value(slice, (int)k, 2, made = ecp5_new_signals(build, 1));
        ecp5_table_to(build, ECP5_XOR, (const unsigned[]){value, inject ? NETLIST_ZERO : carry, 0, 0}, first + k);
        ecp5_table_to(build, ECP5_SELECT, (const unsigned[]){made, carry, value, 0}, first + SUMS + k);
        carry = first + SUMS + k;
    }
    return first;
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

/* Which rows are written: tables of the enable and the upper half of the address, then of that and the lower half. */
static struct ecp5_decoder *decoder(struct ecp5_build *build, unsigned enable, const unsigned address[ECP5_ADDRESS])
{
    unsigned upper[4];
    for (uint32_t i = 0; i < build->decoder_count; i++)
        if (build->decoders[i].enable == enable &&
            memcmp(build->decoders[i].address, address, sizeof build->decoders[i].address) == 0)
            return &build->decoders[i];
    struct ecp5_decoder *new = list_add(&build->decoders, &build->decoder_count, sizeof *new);
    new->enable = enable;
    memcpy(new->address, address, sizeof new->address);
    for (unsigned i = 0; i < 4; i++)
        upper[i] = ecp5_table(build, (uint16_t)(0x10 << i), address[2], address[3], enable);
    for (unsigned row = 0; row < ECP5_ROWS; row++)
        new->rows[row] = ecp5_table(build, (uint16_t)(0x10 << row % 4), address[0], address[1], upper[row / 4]);
    return new;
}

static unsigned ram_write_enable(const struct slice *slice)
{
    char name[24];
    const char *write = tile_setting(slice, "SLICE", 'A', "WREMUX", "WRE");
    snprintf(name, sizeof name, "WRE%d_SLICE", slice->z);
    if (is(write, "1") || is(write, "0"))
        return is(write, "1") ? NETLIST_ONE : NETLIST_ZERO;
    return ecp5_inverted(slice->build, wire_signal(slice, name, ECP5_REQUIRED), is(write, "INV"));
}

/* The RAM's 32 bits are flops, row by row for each table; clock and enable are those of the tile's second control set.
 */
static unsigned ram_signals(const struct slice *slice)
{
    struct ecp5_build *build = slice->build;
    unsigned first, address[ECP5_ADDRESS];
    char name[24];
    if (!ecp5_first_time(build, slice->x, slice->y, slice->z, 2 * ECP5_ROWS, &first))
        return first;
    if (slice->z > 1)
        slice_fail(slice, "a RAM, expected one in slice A or B only");
    snprintf(name, sizeof name, "WCK%d_SLICE", slice->z & 1);
    bool falling = is(tile_setting(slice, "CLK", '1', "CLKMUX", "CLK"), "INV");
    unsigned domain = netlist_domain(build->netlist, wire_signal(slice, name, ECP5_REQUIRED), falling);
    for (int i = 0; i < ECP5_ADDRESS; i++) {
        snprintf(name, sizeof name, "WAD%d%c_SLICE", i, "AB"[slice->z & 1]);
        address[i] = wire_signal(slice, name, ECP5_REQUIRED);
    }
    const struct ecp5_decoder *rows = decoder(build, ram_write_enable(slice), address);
    for (unsigned k = 0; k < 2; k++) {
        snprintf(name, sizeof name, "WD%u%c_SLICE", k, "AB"[slice->z & 1]);
        unsigned data = wire_signal(slice, name, NETLIST_ZERO), contents = ram_contents(slice, (int)k);
        for (unsigned row = 0; row < ECP5_ROWS; row++)
            *netlist_add_flop(build->netlist) = (struct netlist_flop){.domain = domain,
                                                                      .d = data,
                                                                      .enable = rows->rows[row],
                                                                      .reset = NETLIST_ZERO,
                                                                      .initial = contents >> row & 1,
                                                                      .out = first + k * ECP5_ROWS + row};
    }
    return first;
}

/* Selects one of 16 signals by a tree of multiplexers. */
static unsigned select_row(struct ecp5_build *build, unsigned first, const unsigned address[ECP5_ADDRESS])
{
    unsigned left[ECP5_ROWS];
    for (unsigned row = 0; row < ECP5_ROWS; row++)
        left[row] = first + row;
    for (unsigned bit = 0, count = ECP5_ROWS / 2; bit < ECP5_ADDRESS; bit++, count /= 2)
        for (unsigned i = 0; i < count; i++)
            left[i] = ecp5_table(build, ECP5_SELECT, left[2 * i], left[2 * i + 1], address[bit]);
    return left[0];
}

/* The write address and data that slice C passes on: which input each comes from. */
static void build_ram_write(const struct slice *slice, const char *wire, unsigned out)
{
    static const struct {
        const char *wire;
        char letter, k;
    } passed[] = {{"WDO0C_SLICE", 'C', 1},  {"WDO1C_SLICE", 'A', 1},  {"WDO2C_SLICE", 'D', 1},
                  {"WDO3C_SLICE", 'B', 1},  {"WADO0C_SLICE", 'D', 0}, {"WADO1C_SLICE", 'B', 0},
                  {"WADO2C_SLICE", 'C', 0}, {"WADO3C_SLICE", 'A', 0}};
    for (size_t i = 0; i < sizeof passed / sizeof passed[0]; i++)
        if (is(passed[i].wire, wire)) {
            /* Data that nothing reads need not be there. */
            unsigned undriven = wire[1] == 'D' ? NETLIST_ZERO : ECP5_REQUIRED;
            ecp5_buffer(slice->build, input(slice, passed[i].letter, passed[i].k, undriven), out);
            return;
        }
    slice_fail(slice, "passes on no such wire");
}

static void build_table(const struct slice *slice, int k, unsigned out)
{
    const char *mode = setting(slice, "MODE", "LOGIC");
    if (is(mode, "LOGIC")) {
        build_value(slice, k, 4, out);
    } else if (is(mode, "CCU2")) {
        ecp5_buffer(slice->build, adder_signals(slice) + (unsigned)k, out);
    } else if (is(mode, "DPRAM")) {
        unsigned address[ECP5_ADDRESS], first = ram_signals(slice) + (unsigned)k * ECP5_ROWS;
        for (int i = 0; i < ECP5_ADDRESS; i++)
            address[i] = input(slice, "DBCA"[i], k, ECP5_REQUIRED); /* read address, bit 0 first */
        ecp5_buffer(slice->build, select_row(slice->build, first, address), out);
    } else {
        slice_fail(slice, "its mode has no such output");
    }
}

/* OFX0 = M0 ? F1 : F0; OFX1 = M1 ? FXB : FXA */
static void build_multiplexer(const struct slice *slice, int k, unsigned out)
{
    unsigned in[4] = {0, 0, input(slice, 'M', k, ECP5_REQUIRED), NETLIST_ZERO};
    char name[24];
    for (int i = 0; i < 2; i++) {
        if (k == 0)
            snprintf(name, sizeof name, "F%d_SLICE", 2 * slice->z + i);
        else
            snprintf(name, sizeof name, "FX%c%c_SLICE", "AB"[i], "ABCD"[slice->z]);
        in[i] = wire_signal(slice, name, ECP5_REQUIRED);
    }
    ecp5_table_to(slice->build, ECP5_SELECT, in, out);
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

static unsigned flop_enable(const struct slice *slice)
{
    char name[24];
    const char *mux = setting(slice, "CEMUX", "CE");
    snprintf(name, sizeof name, "CE%d_SLICE", slice->z);
    if (is(mux, "1") || is(mux, "0"))
        return is(mux, "1") ? NETLIST_ONE : NETLIST_ZERO;
    return ecp5_inverted(slice->build, wire_signal(slice, name, ECP5_REQUIRED), is(mux, "INV"));
}

/* A reset without a clock goes before the enable in a netlist; one that waits for the clock does not, as in a slice. */
static void flop_controls(const struct slice *slice, struct netlist_flop *flop)
{
    char name[24];
    snprintf(name, sizeof name, "CLK%d_SLICE", slice->z);
    unsigned clock = wire_signal(slice, name, ECP5_REQUIRED);
    bool falling = is(tile_setting(slice, "CLK", control_set(slice, "CLK"), "CLKMUX", "CLK"), "INV");
    flop->domain = netlist_domain(slice->build->netlist, clock, falling);
    flop->enable = flop_enable(slice);
    snprintf(name, sizeof name, "LSR%d_SLICE", slice->z);
    unsigned reset = wire_signal(slice, name, NETLIST_ZERO);
    char set = control_set(slice, "LSR");
    if (reset != NETLIST_ZERO) {
        flop->reset = ecp5_inverted(slice->build, reset, is(tile_setting(slice, "LSR", set, "LSRMUX", "LSR"), "INV"));
        flop->asynchronous = is(tile_setting(slice, "LSR", set, "SRMODE", "LSR_OVER_CE"), "ASYNC");
        if (!flop->asynchronous && flop->enable != NETLIST_ONE)
            flop->enable = ecp5_table(slice->build, ECP5_OR, flop->enable, flop->reset, NETLIST_ZERO);
    }
    if (!is(setting(slice, "GSR", "ENABLED"), "DISABLED"))
        slice_fail(slice, "a flop on the global reset (GSR), which is not modelled");
}

static void build_flop(const struct slice *slice, int k, unsigned out)
{
    struct netlist_flop flop = {.out = out};
    char name[24];
    flop_controls(slice, &flop);
    snprintf(name, sizeof name, "REG%d.REGSET", k);
    flop.value = flop.initial = is(setting(slice, name, "SET"), "SET");
    snprintf(name, sizeof name, "REG%d.LSRMODE", k);
    if (!is(setting(slice, name, "LSR"), "LSR"))
        slice_fail(slice, "a flop whose reset loads a value (PRLD), which is not modelled");
    snprintf(name, sizeof name, "REG%d.SD", k);
    bool by_table = is(setting(slice, name, "1"), "1");
    snprintf(name, sizeof name, "DI%d_SLICE", 2 * slice->z + k);
    flop.d = by_table ? wire_signal(slice, name, ECP5_REQUIRED) : input(slice, 'M', k, ECP5_REQUIRED);
    *netlist_add_flop(slice->build->netlist) = flop;
}

/* A carry chain that begins in the next slice does not look at the carry of one that does not add. */
static void build_carry(const struct slice *slice, unsigned out)
{
    enum { LAST_CARRY = 3 };
    bool adds = is(setting(slice, "MODE", "LOGIC"), "CCU2");
    ecp5_buffer(slice->build, adds ? adder_signals(slice) + LAST_CARRY : NETLIST_ZERO, out);
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

void ecp5_build_slice(struct ecp5_build *build, uint32_t number, unsigned signal)
{
    const struct trellis_wire place = build->chip->trellis->wires[number];
    const char *wire = trellis_wire_name(build->chip->trellis, number);
    struct slice slice = {.build = build, .x = place.x, .y = place.y, .z = slice_number(wire)};
    if (slice.z < 0) {
        fail(build->chip->failure, "%s: row %d, column %d: no cell drives %s", build->chip->config->file.path, place.y,
             place.x, wire);
        return;
    }
    snprintf(slice.name, sizeof slice.name, "SLICE%c", "ABCD"[slice.z]);
    if (*wire == 'Q')
        build_flop(&slice, (wire[1] - '0') % 2, signal);
    else if (*wire == 'W')
        build_ram_write(&slice, wire, signal);
    else if (strncmp(wire, "FCO", 3) == 0)
        build_carry(&slice, signal);
    else if (wire[1] == 'X' || wire[2] != '_')
        build_multiplexer(&slice, wire[1] == 'X', signal);
    else
        build_table(&slice, (wire[1] - '0') % 2, signal);
}
