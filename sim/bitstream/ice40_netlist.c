/* See ice40_netlist.h. Names of wires and bits are those of IceStorm.
 *
 * A signal of the netlist is 2 + the number of the net at the start of a chain of joined nets; signals behind these
 * have no net of their own.
 *
 * SPDX-License-Identifier: ISC
 */
#define _GNU_SOURCE
#include "bitstream/ice40_netlist.h"

#include "bitstream/ice40_asc.h"
#include "bitstream/ice40_build.h"
#include "bitstream/ice40_chipdb.h"
#include "bitstream/ice40_pads.h"
#include "bitstream/netlist.h"
#include "support/or_abort.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LOGIC_CELLS = 8, LOGIC_COLUMN = 36, LOGIC_WIDTH = 10, LUT_INPUTS = 4 };

/* Bits of a logic cell, in IceStorm's numbering: the look-up table in order, then its settings. */
static const uint8_t table_bits[16] = {4, 14, 15, 5, 6, 16, 17, 7, 3, 13, 12, 2, 1, 11, 10, 0};
enum { CARRY_ENABLE = 8, FLOP_ENABLE = 9, FLOP_VALUE = 18, FLOP_ASYNCHRONOUS = 19 };

/* B1[49] of a logic tile joins its carry chain with that of the tile below. */
enum { CASCADE_ROW = 1, CASCADE_COLUMN = 49 };

static bool logic_bit(const struct ice40_tile *tile, int cell, int bit)
{
    return tile->bits[2 * cell + bit / LOGIC_WIDTH][LOGIC_COLUMN + bit % LOGIC_WIDTH];
}

static uint16_t logic_table(const struct ice40_tile *tile, int cell)
{
    unsigned table = 0;
    for (int i = 0; i < 16; i++)
        table |= (unsigned)logic_bit(tile, cell, table_bits[i]) << i;
    return (uint16_t)table;
}

/* ---- logic tiles ---- */

static void drive_logic(struct ice40_build *build, const struct ice40_tile *tile, int x, int y)
{
    for (int cell = 0; cell < LOGIC_CELLS; cell++) {
        ice40_drive(build, ice40_net(build, x, y, "lutff_%d/out", cell));
        int lout = ice40_net(build, x, y, "lutff_%d/lout", cell);
        if (lout != ICE40_NO_NET)
            ice40_drive(build, lout);
        if (logic_bit(tile, cell, CARRY_ENABLE))
            ice40_drive(build, ice40_net(build, x, y, "lutff_%d/cout", cell));
    }
    if (!tile->bits[CASCADE_ROW][CASCADE_COLUMN])
        ice40_drive_as(build, ice40_net(build, x, y, "carry_in_mux"),
                       ice40_chipdb_bit(build->chipdb, x, y, "CarryInSet") ? NETLIST_ONE : NETLIST_ZERO);
}

static void build_carry(struct ice40_build *build, int x, int y, int cell)
{
    enum { MAJORITY = 0xe8e8 };
    int in = cell ? ice40_net(build, x, y, "lutff_%d/cout", cell - 1) : ice40_net(build, x, y, "carry_in_mux");
    unsigned carry = ice40_signal(build, in, NETLIST_ZERO);
    struct netlist_lut *lut = netlist_add_lut(build->netlist);
    *lut = (struct netlist_lut){
        .table = MAJORITY,
        .in = {carry, ice40_signal(build, ice40_net(build, x, y, "lutff_%d/in_1", cell), NETLIST_ZERO),
               ice40_signal(build, ice40_net(build, x, y, "lutff_%d/in_2", cell), NETLIST_ZERO), NETLIST_ZERO},
        .out = (unsigned)ice40_net(build, x, y, "lutff_%d/cout", cell) + 2};
}

static void build_logic_flop(struct ice40_build *build, const struct ice40_tile *tile, int x, int y, int cell,
                             unsigned d, unsigned out)
{
    unsigned clock = ice40_signal(build, ice40_net(build, x, y, "lutff_global/clk"), NETLIST_ZERO);
    bool falling = ice40_chipdb_bit(build->chipdb, x, y, "NegClk");
    unsigned enable = ice40_signal(build, ice40_net(build, x, y, "lutff_global/cen"), NETLIST_ONE);
    unsigned reset = ice40_signal(build, ice40_net(build, x, y, "lutff_global/s_r"), NETLIST_ZERO);
    *netlist_add_flop(build->netlist) = (struct netlist_flop){.domain = netlist_domain(build->netlist, clock, falling),
                                                              .d = d,
                                                              .enable = enable,
                                                              .reset = reset,
                                                              .out = out,
                                                              .value = logic_bit(tile, cell, FLOP_VALUE),
                                                              .asynchronous = logic_bit(tile, cell, FLOP_ASYNCHRONOUS)};
}

static void build_logic_cell(struct ice40_build *build, const struct ice40_tile *tile, int x, int y, int cell)
{
    uint16_t table = logic_table(tile, cell);
    bool flop = logic_bit(tile, cell, FLOP_ENABLE), carry = logic_bit(tile, cell, CARRY_ENABLE);
    int lout = ice40_net(build, x, y, "lutff_%d/lout", cell);
    unsigned out = (unsigned)ice40_net(build, x, y, "lutff_%d/out", cell) + 2, in[LUT_INPUTS], value;
    for (int i = 0; i < LUT_INPUTS; i++)
        in[i] = ice40_signal(build, ice40_net(build, x, y, "lutff_%d/in_%d", cell, i), NETLIST_ZERO);
    value = lout != ICE40_NO_NET ? (unsigned)lout + 2 : flop ? ice40_new_signal(build) : out;
    *netlist_add_lut(build->netlist) = (struct netlist_lut){
        .table = table, .in = {in[0], in[1], in[2], in[3]}, .out = value};
    if (carry)
        build_carry(build, x, y, cell);
    if (flop)
        build_logic_flop(build, tile, x, y, cell, value, out);
    else if (value != out)
        ice40_buffer(build, value, out);
}

/* ---- RAMs ---- */

/* A port may be a wire of the lower tile of a block RAM or of the upper one. */
static int ram_net(const struct ice40_build *build, int x, int y, const char *name, int bit)
{
    char whole[ICE40_FIELD_NAME];
    snprintf(whole, sizeof whole, bit < 0 ? "ram/%s" : "ram/%s_%d", name, bit);
    int net = ice40_net(build, x, y, "%s", whole);
    return net != ICE40_NO_NET ? net : ice40_net(build, x, y + 1, "%s", whole);
}

static bool ram_is_used(const struct ice40_build *build, int x, int y)
{
    return strcmp(build->asc->tiles[x][y].type, "ramb") == 0 &&
           ice40_chipdb_bit(build->chipdb, x, y, "RamConfig.PowerUp");
}

static void drive_ram(struct ice40_build *build, int x, int y)
{
    for (int bit = 0; bit < 16; bit++)
        ice40_drive(build, ram_net(build, x, y, "RDATA", bit));
}

static void ram_bus(struct ice40_build *build, int x, int y, const char *name, int width, unsigned *out)
{
    for (int bit = 0; bit < width; bit++)
        out[bit] = ice40_signal(build, ram_net(build, x, y, name, bit), NETLIST_ZERO);
}

static unsigned ram_mode(const struct ice40_build *build, int x, int y, const char *low, const char *high)
{
    return (unsigned)ice40_chipdb_bit(build->chipdb, x, y + 1, low) |
           (unsigned)ice40_chipdb_bit(build->chipdb, x, y + 1, high) << 1;
}

static unsigned ram_domain(struct ice40_build *build, int x, int y, const char *clock, bool falling)
{
    return netlist_domain(build->netlist, ice40_signal(build, ram_net(build, x, y, clock, -1), NETLIST_ZERO), falling);
}

static void build_ram(struct ice40_build *build, int x, int y)
{
    /* The tile whose NegClk is that of the read port. */
    int read_tile = strcmp(build->asc->device, "8k") == 0 ? y : y + 1;
    int write_tile = read_tile == y ? y + 1 : y;
    struct netlist_block_ram ram = {
        .number = ice40_ram_number(x, y),
        .read_domain = ram_domain(build, x, y, "RCLK", ice40_chipdb_bit(build->chipdb, x, read_tile, "NegClk")),
        .write_domain = ram_domain(build, x, y, "WCLK", ice40_chipdb_bit(build->chipdb, x, write_tile, "NegClk")),
        .read_mode = ram_mode(build, x, y, "RamConfig.CBIT_2", "RamConfig.CBIT_3"),
        .write_mode = ram_mode(build, x, y, "RamConfig.CBIT_0", "RamConfig.CBIT_1"),
        .read_enable = ice40_signal(build, ram_net(build, x, y, "RE", -1), NETLIST_ZERO),
        .read_clock_enable = ice40_signal(build, ram_net(build, x, y, "RCLKE", -1), NETLIST_ONE),
        .write_enable = ice40_signal(build, ram_net(build, x, y, "WE", -1), NETLIST_ZERO),
        .write_clock_enable = ice40_signal(build, ram_net(build, x, y, "WCLKE", -1), NETLIST_ONE),
    };
    ram_bus(build, x, y, "RADDR", 11, ram.read_address);
    ram_bus(build, x, y, "WADDR", 11, ram.write_address);
    ram_bus(build, x, y, "WDATA", 16, ram.write_data);
    ram_bus(build, x, y, "MASK", 16, ram.mask);
    for (int bit = 0; bit < 16; bit++)
        ram.read_data[bit] = (unsigned)ram_net(build, x, y, "RDATA", bit) + 2;
    *netlist_add_block_ram(build->netlist) = ram;
}

static int field_net(const struct ice40_build *build, const struct ice40_extra_cell *cell, const char *name, int bit)
{
    char key[ICE40_FIELD_NAME];
    snprintf(key, sizeof key, bit < 0 ? "%s" : "%s_%d", name, bit);
    const struct ice40_field *field = ice40_cell_field(cell, key);
    return field ? ice40_net(build, field->x, field->y, "%s", field->name) : ICE40_NO_NET;
}

static bool spram_is_used(const struct ice40_build *build, const struct ice40_extra_cell *cell)
{
    const struct ice40_field *field = ice40_cell_field(cell, "SPRAM_EN");
    char name[ICE40_FIELD_NAME + 16];
    if (!field)
        return false;
    snprintf(name, sizeof name, "IpConfig.%s", field->name);
    return ice40_chipdb_bit(build->chipdb, field->x, field->y, name);
}

static void drive_spram(struct ice40_build *build, const struct ice40_extra_cell *cell)
{
    for (int bit = 0; bit < 16; bit++)
        ice40_drive(build, field_net(build, cell, "DATAOUT", bit));
}

static unsigned field_signal(struct ice40_build *build, const struct ice40_extra_cell *cell, const char *name, int bit)
{
    return ice40_signal(build, field_net(build, cell, name, bit), NETLIST_ZERO);
}

static void build_spram(struct ice40_build *build, const struct ice40_extra_cell *cell)
{
    struct netlist_spram ram = {
        .domain = netlist_domain(build->netlist, field_signal(build, cell, "CLOCK", -1), false),
        .write = field_signal(build, cell, "WREN", -1),
        .select = field_signal(build, cell, "CHIPSELECT", -1),
        .standby = field_signal(build, cell, "STANDBY", -1),
        .sleep = field_signal(build, cell, "SLEEP", -1),
        .power = field_signal(build, cell, "POWEROFF", -1), /* active low */
    };
    for (int bit = 0; bit < 14; bit++)
        ram.address[bit] = field_signal(build, cell, "ADDRESS", bit);
    for (int bit = 0; bit < 16; bit++) {
        ram.write_data[bit] = field_signal(build, cell, "DATAIN", bit);
        ram.read_data[bit] = (unsigned)field_net(build, cell, "DATAOUT", bit) + 2;
    }
    for (int bit = 0; bit < 4; bit++)
        ram.mask[bit] = field_signal(build, cell, "MASKWREN", bit);
    *netlist_add_spram(build->netlist) = ram;
}

/* The cell that configures the chip again shows what it is given as output pins: SB_WARMBOOT.BOOT, .S0 and .S1. */
static void build_warmboot(struct ice40_build *build)
{
    static const char *const inputs[] = {"BOOT", "S0", "S1"};
    const struct ice40_extra_cell *cell = ice40_chipdb_cell(build->chipdb, "WARMBOOT", 0);
    if (!cell || field_signal(build, cell, "BOOT", -1) == NETLIST_ZERO)
        return;
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++) {
        struct netlist_pin *pin = netlist_add_pin(build->netlist);
        snprintf(pin->name, sizeof pin->name, "SB_WARMBOOT.%s", inputs[i]);
        pin->output = true;
        pin->signal = field_signal(build, cell, inputs[i], -1);
        pin->enable = NETLIST_ONE;
    }
}

/* ---- the whole chip ---- */

/* All outputs of cells come first: an input is resolved to the signal that drives it. */
static void drive_all(struct ice40_build *build)
{
    const struct ice40_extra_cell *cell;
    for (int x = 0; x < ICE40_SIDE; x++)
        for (int y = 0; y < ICE40_SIDE; y++) {
            const struct ice40_tile *tile = &build->asc->tiles[x][y];
            if (strcmp(tile->type, "logic") == 0)
                drive_logic(build, tile, x, y);
            else if (ram_is_used(build, x, y))
                drive_ram(build, x, y);
        }
    for (int i = 0; (cell = ice40_chipdb_cell(build->chipdb, "SPRAM", i)); i++)
        if (spram_is_used(build, cell))
            drive_spram(build, cell);
}

static void build_all(struct ice40_build *build)
{
    const struct ice40_extra_cell *cell;
    for (int x = 0; x < ICE40_SIDE; x++)
        for (int y = 0; y < ICE40_SIDE; y++) {
            const struct ice40_tile *tile = &build->asc->tiles[x][y];
            for (int i = 0; i < LOGIC_CELLS && strcmp(tile->type, "logic") == 0; i++)
                build_logic_cell(build, tile, x, y, i);
            if (ram_is_used(build, x, y))
                build_ram(build, x, y);
        }
    for (int i = 0; (cell = ice40_chipdb_cell(build->chipdb, "SPRAM", i)); i++)
        if (spram_is_used(build, cell))
            build_spram(build, cell);
    build_warmboot(build);
}

struct netlist *ice40_netlist(const struct ice40_asc *asc, const struct ice40_chipdb *chipdb, const char *pcf,
                              char *error, size_t error_size)
{
    struct ice40_build build = {.asc = asc, .chipdb = chipdb, .pcf = pcf, .error = error, .error_size = error_size};
    size_t nets = (size_t)ice40_chipdb_nets(chipdb);
    build.netlist = or_abort(calloc(1, sizeof *build.netlist));
    build.signal_of = or_abort(calloc(nets, sizeof *build.signal_of));
    build.global_source = or_abort(calloc(nets, sizeof *build.global_source));
    build.netlist->signals = (unsigned)nets + 2;
    drive_all(&build);
    ice40_drive_pads(&build);
    if (!build.failed)
        build_all(&build);
    if (!build.failed)
        ice40_build_pads(&build);
    free(build.signal_of);
    free(build.global_source);
    ice40_pads_free(&build);
    if (!build.failed)
        return build.netlist;
    netlist_free(build.netlist);
    return NULL;
}
