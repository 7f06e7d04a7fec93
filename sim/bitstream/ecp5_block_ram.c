/* A block RAM of an ECP5 (EBR): 18 kbit with two ports of 1 to 18 bits each (DP16KD), or with a write port of 36 bits
 * and a read port of up to 36 (PDPW16KD). It is an instance of ecp5_block_ram.v or ecp5_wide_ram.v. Its number (WID)
 * says which of the bitstream's contents are its own.
 *
 * The settings of one RAM lie in two or three tiles: see trellis_agreed.
 *
 * SPDX-License-Identifier: ISC
 */
#include <stdlib.h>
#include <string.h>

#include "bitstream/ecp5_build.h"

struct block_ram {
    struct ecp5_build *build;
    int x, y, z; /* z: 0 to 3, in a group of nine tiles */
    struct ecp5_part parts[3];
    int part_count;
    unsigned number;
    bool wide;
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

static const char *pin(const struct block_ram *ram, const char *name, const char *undriven, char *text)
{
    char wire[24];
    snprintf(wire, sizeof wire, "J%s_EBR", name);
    return ecp5_net_at(ram->build, ram->x, ram->y, wire, undriven, text);
}

/* A pin behind its inverter: "CEA", "CLKB". */
static void print_control(const struct block_ram *ram, const char *port, const char *name, const char *undriven)
{
    char mux[16], text[ECP5_NET];
    snprintf(mux, sizeof mux, "%sMUX", name);
    bool inverted = is(setting(ram, mux), "INV");
    fprintf(ram->build->cells, "        .%s(%s%s),\n", port, inverted ? "!" : "", pin(ram, name, undriven, text));
}

static void print_bus(const struct block_ram *ram, const char *port, const char *name, int low, int high,
                      const char *undriven)
{
    FILE *out = ram->build->cells;
    fprintf(out, "        .%s({", port);
    for (int bit = high; bit >= low; bit--) {
        char wire[16], text[ECP5_NET];
        snprintf(wire, sizeof wire, "%s%d", name, bit);
        fprintf(out, "%s%s", pin(ram, wire, undriven, text), bit > low ? ", " : "}),\n");
    }
}

/* Selected when the three select pins of a port equal its CSDECODE, whose bits are stored in reverse. */
static void print_select(const struct block_ram *ram, char side)
{
    char name[16];
    snprintf(name, sizeof name, "CSDECODE_%c", side);
    unsigned stored = word(ram, name) & 7;
    fprintf(ram->build->cells, "        .select_%c(", side + 32);
    for (int bit = 0; bit < 3; bit++) {
        char text[ECP5_NET];
        snprintf(name, sizeof name, "CS%c%d", side, bit);
        bool one = stored >> (2 - bit) & 1;
        fprintf(ram->build->cells, "%s%s%s", bit ? " && " : "", one ? "" : "!", pin(ram, name, NULL, text));
    }
    fprintf(ram->build->cells, "),\n");
}

/* Output pins of a port, low bit first: each that is asked for later has a wire of the same name. */
static void print_output(const struct block_ram *ram, const char *port, const char *name, bool last)
{
    char label[ECP5_NET];
    snprintf(label, sizeof label, "R%dC%d_J%s", ram->y, ram->x, name);
    fprintf(ram->build->wires, "    wire [17:0] %s;\n", label);
    fprintf(ram->build->cells, "        .%s(%s)%s\n", port, label, last ? "" : ",");
}

static const char *width(const struct block_ram *ram, const char *name)
{
    const char *value = setting(ram, name);
    if (!*value || strspn(value, "0123456789") != strlen(value))
        ram_fail(ram, name, "is not known");
    return value;
}

static int write_mode(const struct block_ram *ram, const char *name)
{
    const char *value = setting(ram, name);
    return is(value, "WRITETHROUGH") ? 1 : is(value, "READBEFOREWRITE") ? 2 : 0;
}

static void check_registers(const struct block_ram *ram)
{
    static const char *const names[] = {"REGMODE_A", "REGMODE_B"};
    for (int i = 0; i < 2; i++)
        if (!is(setting(ram, names[i]), "NOREG"))
            ram_fail(ram, names[i], "OUTREG: output registers are not modelled");
}

static void print_parameters(const struct block_ram *ram)
{
    FILE *out = ram->build->cells;
    if (ram->wide)
        fprintf(out, "    ecp5_wide_ram #(.NUMBER(%u), .READ_WIDTH(%s)", ram->number,
                width(ram, "PDPW16KD.DATA_WIDTH_R"));
    else
        fprintf(out, "    ecp5_block_ram #(.NUMBER(%u), .WIDTH_A(%s), .WIDTH_B(%s), .MODE_A(%d), .MODE_B(%d)",
                ram->number, width(ram, "DP16KD.DATA_WIDTH_A"), width(ram, "DP16KD.DATA_WIDTH_B"),
                write_mode(ram, "DP16KD.WRITEMODE_A"), write_mode(ram, "DP16KD.WRITEMODE_B"));
    fprintf(out, ", .ASYNCHRONOUS(%d)) block_ram_%u (\n", is(setting(ram, "RESETMODE"), "ASYNC"), ram->number);
}

static void print_wide(const struct block_ram *ram)
{
    print_control(ram, "clock_a", "CLKA", NULL);
    print_control(ram, "enable_a", "CEA", NULL);
    print_select(ram, 'A');
    print_bus(ram, "bytes", "ADA", 0, 3, NULL);
    print_bus(ram, "address_a", "ADA", 5, 13, NULL);
    print_bus(ram, "low", "DIA", 0, 17, "1'b0");
    print_bus(ram, "high", "DIB", 0, 17, "1'b0");
    print_control(ram, "clock_b", "CLKB", NULL);
    print_control(ram, "enable_b", "CEB", NULL);
    print_control(ram, "reset_b", "RSTB", NULL);
    print_select(ram, 'B');
    print_bus(ram, "address_b", "ADB", 0, 13, NULL);
    print_output(ram, "q_a", "DOA", false);
    print_output(ram, "q_b", "DOB", true);
}

static void print_side(const struct block_ram *ram, char side, bool last)
{
    static const char *const controls[][2] = {{"clock", "CLK"}, {"enable", "CE"}, {"write", "WE"}, {"reset", "RST"}};
    char port[24], name[16];
    for (size_t i = 0; i < sizeof controls / sizeof controls[0]; i++) {
        snprintf(port, sizeof port, "%s_%c", controls[i][0], side + 32);
        snprintf(name, sizeof name, "%s%c", controls[i][1], side);
        print_control(ram, port, name, NULL);
    }
    print_select(ram, side);
    snprintf(port, sizeof port, "address_%c", side + 32);
    snprintf(name, sizeof name, "AD%c", side);
    print_bus(ram, port, name, 0, 13, NULL);
    snprintf(port, sizeof port, "d_%c", side + 32);
    snprintf(name, sizeof name, "DI%c", side);
    print_bus(ram, port, name, 0, 17, "1'b0");
    snprintf(port, sizeof port, "q_%c", side + 32);
    snprintf(name, sizeof name, "DO%c", side);
    print_output(ram, port, name, last);
}

static void print_ram(struct block_ram *ram)
{
    const char *mode = setting(ram, "MODE");
    ram->wide = is(mode, "PDPW16KD");
    if (!ram->wide && !is(mode, "DP16KD"))
        ram_fail(ram, "mode", mode);
    ram->number = ram_number(ram);
    if (!ram->build->chip->config->block_rams[ram->number])
        ram_fail(ram, "the bitstream has no contents of", "its number");
    if (!ecp5_first_time(ram->build, -1, -1, (int)ram->number))
        ram_fail(ram, "another block RAM has", "the same number");
    check_registers(ram);
    print_parameters(ram);
    if (ram->wide) {
        print_wide(ram);
    } else {
        print_side(ram, 'A', false);
        print_side(ram, 'B', true);
    }
    fprintf(ram->build->cells, "    );\n");
    ram->build->block_rams++;
}

void ecp5_print_block_ram(struct ecp5_build *build, uint32_t wire)
{
    const struct trellis_wire place = build->chip->trellis->wires[wire];
    struct block_ram ram = {.build = build, .x = place.x, .y = place.y};
    const char *name = trellis_wire_name(build->chip->trellis, wire);
    char output[ECP5_NET];
    if (strncmp(name, "JDO", 3) != 0 || (name[3] != 'A' && name[3] != 'B')) {
        ram_fail(&ram, "no output", name);
        return;
    }
    if (find_ram(&ram) && ecp5_first_time(build, place.x, place.y, ram.z))
        print_ram(&ram);
    fprintf(build->wires, "    wire %s;\n", ecp5_output(build, wire, output));
    fprintf(build->cells, "    assign %s = R%dC%d_JDO%c[%d];\n", output, place.y, place.x, name[3], atoi(name + 4));
}
