/* A block RAM of an ECP5 (EBR): 18 kbit with two ports of 1 to 18 bits each (DP16KD), or with a write port of 36 bits
 * and a read port of up to 36 (PDPW16KD). Its number (WID) says which of the bitstream's contents are
 * its own.
 *
 * The settings of one RAM lie in two or three tiles: see trellis_agreed.
 *
 * SPDX-License-Identifier: ISC
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bitstream/ecp5_build.h"

enum { EBR_DATA = 18 };

struct block_ram {
    struct ecp5_build *build;
    int x, y, z; /* z: 0 to 3, in a group of nine tiles */
    struct ecp5_part parts[3];
    int part_count;
};

static bool ram_fail(const struct block_ram *ram, const char *reason, const char *value)
{
    return fail(ram->build->chip->failure, "%s: row %d, column %d, EBR%d: %s %s", ram->build->chip->config->file.path,
                ram->y, ram->x, ram->z, reason, value);
}

static bool is(const char *value, const char *expected)
{
    return value && strcmp(value, expected) == 0;
}

/* The tile of a RAM's part: one of the usual type, or one at the edge of the group that a part of the clock network
 * shares. */
static const char *part_type(const struct block_ram *ram, int x, int number)
{
    const struct trellis *trellis = ram->build->chip->trellis;
    char usual[16];
    snprintf(usual, sizeof usual, "MIB_EBR%d", number);
    const char *type = trellis_tile(trellis, x, ram->y, usual);
    if (!type && number == 0)
        type = trellis_tile(trellis, x, ram->y, "EBR_CMUX_");
    if (!type && number == 8) {
        type = trellis_tile(trellis, x, ram->y, "EBR_SPINE_");
        if (!type)
            type = trellis_tile(trellis, x, ram->y, "EBR_CMUX_");
    }
    return type;
}

/* RAM z begins in tile 2z of its group; RAM 0 has two tiles, the others three. */
static bool find_parts(struct block_ram *ram)
{
    ram->part_count = ram->z ? 3 : 2;
    for (int i = 0; i < ram->part_count; i++) {
        const char *type = part_type(ram, ram->x + i, 2 * ram->z + i);
        if (!type)
            return ram_fail(ram, "expected", "its tiles beside it");
        ram->parts[i] = (struct ecp5_part){ram->x + i, ram->y, type};
    }
    return true;
}

static bool find_ram(struct block_ram *ram)
{
    for (ram->z = 0; ram->z < 4; ram->z++)
        if (part_type(ram, ram->x, 2 * ram->z) && find_parts(ram))
            return true;
    ram->z = 0;
    return ram_fail(ram, "no block RAM is", "here");
}

static const char *setting(const struct block_ram *ram, const char *name)
{
    char full[48];
    snprintf(full, sizeof full, "EBR%d.%s", ram->z, name);
    const char *value = ecp5_agreed(ram->build->chip, ram->parts, ram->part_count, full);
    return value ? value : "";
}

static uint32_t word(const struct block_ram *ram, const char *name)
{
    char full[48];
    snprintf(full, sizeof full, "EBR%d.%s", ram->z, name);
    return ecp5_word(ram->build->chip, ram->parts, ram->part_count, full, 0);
}

/* The bits of WID are stored in reverse. */
static unsigned ram_number(const struct block_ram *ram)
{
    unsigned stored = word(ram, "WID") & 0x1ff, number = 0;
    for (int bit = 0; bit < 9; bit++)
        number |= (stored >> bit & 1) << (8 - bit);
    return number;
}

static unsigned pin(const struct block_ram *ram, const char *name, unsigned undriven)
{
    char wire[24];
    snprintf(wire, sizeof wire, "J%s_EBR", name);
    return ecp5_signal_at(ram->build, ram->x, ram->y, wire, undriven);
}

static bool is_inverted(const struct block_ram *ram, const char *name)
{
    char mux[24];
    snprintf(mux, sizeof mux, "%sMUX", name);
    return is(setting(ram, mux), "INV");
}

/* A pin behind its inverter: "CE" of side 'A'. */
static unsigned control(const struct block_ram *ram, const char *name, char side)
{
    char full[16];
    snprintf(full, sizeof full, "%s%c", name, side);
    return ecp5_inverted(ram->build, pin(ram, full, ECP5_REQUIRED), is_inverted(ram, full));
}

static unsigned domain(const struct block_ram *ram, char side)
{
    char name[16];
    snprintf(name, sizeof name, "CLK%c", side);
    return netlist_domain(ram->build->netlist, pin(ram, name, ECP5_REQUIRED), is_inverted(ram, name));
}

/* `count` pins from number `low` on. */
static void bus(const struct block_ram *ram, const char *name, char side, unsigned low, unsigned count,
                unsigned undriven, unsigned *signals)
{
    for (unsigned i = 0; i < count; i++) {
        char wire[16];
        snprintf(wire, sizeof wire, "%s%c%u", name, side, low + i);
        signals[i] = pin(ram, wire, undriven);
    }
}

static void address(const struct block_ram *ram, char side, struct netlist_ram_port *port)
{
    bus(ram, "AD", side, 0, NETLIST_PORT_ADDRESS, ECP5_REQUIRED, port->address);
}

/* Enabled, and selected: the three select pins of a port equal its CSDECODE, whose bits are stored in reverse. */
static unsigned enable(const struct block_ram *ram, char side)
{
    char name[16];
    unsigned in[4], out = ecp5_new_signals(ram->build, 1);
    snprintf(name, sizeof name, "CSDECODE_%c", side);
    unsigned stored = word(ram, name) & 7, selected = 8;
    for (unsigned bit = 0; bit < 3; bit++)
        selected |= (stored >> (2 - bit) & 1) << bit;
    bus(ram, "CS", side, 0, 3, ECP5_REQUIRED, in);
    in[3] = control(ram, "CE", side);
    ecp5_table_to(ram->build, (uint16_t)(1u << selected), in, out);
    return out;
}

static unsigned width(const struct block_ram *ram, const char *name)
{
    static const unsigned widths[] = {1, 2, 4, 9, 18, 36};
    unsigned value = (unsigned)atoi(setting(ram, name));
    for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++)
        if (value == widths[i])
            return value;
    ram_fail(ram, name, "is not known");
    return 1;
}

static enum netlist_write_mode write_mode(const struct block_ram *ram, const char *name)
{
    const char *value = setting(ram, name);
    return is(value, "WRITETHROUGH")      ? NETLIST_WRITE_THROUGH
           : is(value, "READBEFOREWRITE") ? NETLIST_WRITE_READS_OLD
                                          : NETLIST_WRITE_KEEPS;
}

static void check_modes(const struct block_ram *ram, const struct netlist_ram_port *port)
{
    static const char *const names[] = {"REGMODE_A", "REGMODE_B"};
    for (int i = 0; i < 2; i++)
        if (!is(setting(ram, names[i]), "NOREG"))
            ram_fail(ram, names[i], "OUTREG: output registers are not modelled");
    if (port->reset != NETLIST_ZERO && is(setting(ram, "RESETMODE"), "ASYNC"))
        ram_fail(ram, "RESETMODE", "ASYNC: an asynchronous reset is not modelled");
}

/* One port writes, the other one reads. Of the first one's address four bits are the write enables, and one is not
 * used.
 */
static void wide_ports(const struct block_ram *ram, struct netlist_ram_port ports[2])
{
    enum { ENABLES = 4, ROW = 5 };
    ports[0] = (struct netlist_ram_port){.domain = domain(ram, 'A'), .enable = enable(ram, 'A')};
    ports[0].width = NETLIST_PORT_DATA;
    ports[0].write = NETLIST_ONE;
    bus(ram, "AD", 'A', 0, ENABLES, ECP5_REQUIRED, ports[0].address);
    bus(ram, "AD", 'A', ROW, NETLIST_PORT_ADDRESS - ROW, ECP5_REQUIRED, ports[0].address + ROW);
    bus(ram, "DI", 'A', 0, EBR_DATA, NETLIST_ZERO, ports[0].write_data);
    bus(ram, "DI", 'B', 0, EBR_DATA, NETLIST_ZERO, ports[0].write_data + EBR_DATA);
    ports[1] = (struct netlist_ram_port){.domain = domain(ram, 'B'), .enable = enable(ram, 'B')};
    ports[1].width = width(ram, "PDPW16KD.DATA_WIDTH_R");
    ports[1].reset = control(ram, "RST", 'B');
    address(ram, 'B', &ports[1]);
}

static void narrow_port(const struct block_ram *ram, char side, struct netlist_ram_port *port)
{
    char name[32];
    *port = (struct netlist_ram_port){.domain = domain(ram, side), .enable = enable(ram, side)};
    address(ram, side, port);
    snprintf(name, sizeof name, "DP16KD.DATA_WIDTH_%c", side);
    port->width = width(ram, name);
    snprintf(name, sizeof name, "DP16KD.WRITEMODE_%c", side);
    port->mode = write_mode(ram, name);
    port->write = control(ram, "WE", side);
    port->reset = control(ram, "RST", side);
    bus(ram, "DI", side, 0, EBR_DATA, NETLIST_ZERO, port->write_data);
}

/* The output pins of side A, then those of side B, are the signals from `first` on. A port of 36 bits has its lower
 * half at A, which is how Yosys connects it. */
static void connect_outputs(struct netlist_ram_port ports[2], bool wide, unsigned first)
{
    for (unsigned bit = 0; bit < EBR_DATA; bit++) {
        if (!wide)
            ports[0].read_data[bit] = first + bit;
        if (ports[1].width <= EBR_DATA)
            ports[1].read_data[bit] = first + EBR_DATA + bit;
    }
    for (unsigned bit = 0; ports[1].width > EBR_DATA && bit < NETLIST_PORT_DATA; bit++)
        ports[1].read_data[bit] = first + bit;
}

static void check_number(const struct block_ram *ram, unsigned number)
{
    const struct netlist *netlist = ram->build->netlist;
    if (!ram->build->chip->config->block_rams[number])
        ram_fail(ram, "the bitstream has no contents of", "its number");
    for (unsigned i = 0; i < netlist->two_port_ram_count; i++)
        if (netlist->two_port_rams[i].number == number)
            ram_fail(ram, "another block RAM has", "the same number");
}

static void build_ram(const struct block_ram *ram, unsigned first)
{
    const char *mode = setting(ram, "MODE");
    bool wide = is(mode, "PDPW16KD");
    struct netlist_two_port_ram new = {.number = ram_number(ram)};
    if (!wide && !is(mode, "DP16KD"))
        ram_fail(ram, "mode", mode);
    check_number(ram, new.number);
    if (wide) {
        wide_ports(ram, new.ports);
    } else {
        narrow_port(ram, 'A', &new.ports[0]);
        narrow_port(ram, 'B', &new.ports[1]);
    }
    check_modes(ram, &new.ports[0]);
    check_modes(ram, &new.ports[1]);
    connect_outputs(new.ports, wide, first);
    *netlist_add_two_port_ram(ram->build->netlist) = new;
}

void ecp5_build_block_ram(struct ecp5_build *build, uint32_t wire, unsigned signal)
{
    enum { RAM_CELL = 4 };
    const struct trellis_wire place = build->chip->trellis->wires[wire];
    struct block_ram ram = {.build = build, .x = place.x, .y = place.y};
    const char *name = trellis_wire_name(build->chip->trellis, wire);
    unsigned first, bit = strlen(name) > 4 ? (unsigned)atoi(name + 4) : 0;
    if (strncmp(name, "JDO", 3) != 0 || (name[3] != 'A' && name[3] != 'B') || bit >= EBR_DATA) {
        ram_fail(&ram, "no output", name);
        return;
    }
    if (!find_ram(&ram))
        return;
    if (ecp5_first_time(build, place.x, place.y, RAM_CELL + ram.z, 2 * EBR_DATA, &first))
        build_ram(&ram, first);
    ecp5_buffer(build, first + (name[3] == 'B' ? EBR_DATA : 0) + bit, signal);
}
