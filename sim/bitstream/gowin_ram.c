/* Block RAMs of a Gowin FPGA: SP (one port), DP (two), SDP (one to write, one to read). Ports have 1, 2, 4, 9, 18 bits
 * or 36.
 *
 * Source: Gowin UG285.
 *
 * SPDX-License-Identifier: ISC
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bitstream/gowin_build.h"

enum { ROWS = 64, ROW_WORDS = 32 };

static bool is(const char *value, const char *expected)
{
    return strcmp(value, expected) == 0;
}

/* Word k of a row of contents: rows are binary, the last digit first; 288 digits for words of nine bits, 256 for eight.
 */
static unsigned word(const char *row, int k)
{
    size_t length = strspn(row, "01"), size = length > 256 ? 9 : 8;
    unsigned value = 0;
    for (size_t bit = 0; bit < size; bit++) {
        size_t at = (size_t)k * size + bit;
        if (at < length && row[length - 1 - at] == '1')
            value |= 1u << bit;
    }
    return value;
}

static void write_contents(const struct gowin_cell *cell, unsigned number)
{
    char path[4096], name[16];
    snprintf(path, sizeof path, "%s/%u.hex", cell->build->rams, number);
    FILE *out = fopen(path, "we");
    for (int row = 0; out && row < ROWS; row++) {
        snprintf(name, sizeof name, "INIT_RAM_%02X", row);
        for (int k = 0; k < ROW_WORDS; k++)
            fprintf(out, "%03x\n", word(gowin_parameter(cell, name, ""), k));
    }
    if (!out || fclose(out) != 0)
        fail(cell->build->failure, "%s: %s", path, strerror(errno));
}

static void print_bus(const struct gowin_cell *cell, const char *port, const char *name, int low, int high, int steps)
{
    char text[GOWIN_NET];
    fprintf(cell->build->cells, "        .%s({", port);
    for (int bit = high; bit >= low; bit--)
        fprintf(cell->build->cells, "%s%s", bit < steps ? gowin_numbered(cell, name, bit, "1'b0", text) : "1'b0",
                bit > low ? ", " : "}),\n");
}

/* Selected when the three select pins of a port equal BLK_SEL. */
static void print_select(const struct gowin_cell *cell, const char *port, const char *pin, const char *parameter)
{
    unsigned expected = gowin_number(cell, parameter, 0);
    char text[GOWIN_NET];
    fprintf(cell->build->cells, "        .%s(", port);
    for (int bit = 0; bit < 3; bit++)
        fprintf(cell->build->cells, "%s%s%s", bit ? " && " : "", expected >> bit & 1 ? "" : "!",
                gowin_numbered(cell, pin, bit, "1'b0", text));
    fprintf(cell->build->cells, "),\n");
}

/* A port's clock, enable, write enable and reset: pins NAME and the side, where it has one. */
static void print_controls(const struct gowin_cell *cell, char port, const char *side, const char *write)
{
    static const char *const names[][2] = {{"clock", "CLK"}, {"enable", "CE"}, {"write", "WRE"}, {"reset", "RESET"}};
    char pin[16], text[GOWIN_NET];
    for (int i = 0; i < 4; i++) {
        snprintf(pin, sizeof pin, "%s%s", names[i][1], side);
        const char *value = i == 2 && write ? write : gowin_bit(cell, pin, 0, i < 2 ? NULL : "1'b0", text);
        fprintf(cell->build->cells, "        .%s_%c(%s),\n", names[i][0], port, value);
    }
}

static void print_outputs(const struct gowin_cell *cell, unsigned number, char side, const char *name, int first,
                          int count)
{
    char net[GOWIN_NET];
    for (int bit = 0; bit < count; bit++)
        if (*gowin_numbered(cell, name, first + bit, "-", net) != '-')
            fprintf(cell->build->cells, "    assign %s = block_ram_%u_%c[%d];\n", net, number, side, bit);
}

static unsigned width(const struct gowin_cell *cell, const char *name)
{
    unsigned bits = gowin_number(cell, name, 0);
    if (bits != 1 && bits != 2 && bits != 4 && bits != 9 && bits != 18 && bits != 36)
        gowin_fail(cell, "a port whose width is not 1, 2, 4, 9, 18 or 36:", name);
    return bits;
}

static void check_modes(const struct gowin_cell *cell)
{
    static const char *const names[] = {"READ_MODE", "READ_MODE0", "READ_MODE1"};
    for (int i = 0; i < 3; i++)
        if (gowin_number(cell, names[i], 0) != 0)
            gowin_fail(cell, "output registers are not modelled:", names[i]);
}

static void print_wide(const struct gowin_cell *cell, unsigned number, unsigned read, bool asynchronous)
{
    FILE *out = cell->build->cells;
    char text[GOWIN_NET];
    fprintf(out, "    gowin_wide_ram #(.NUMBER(%u), .READ_WIDTH(%u), .ASYNCHRONOUS(%d)) block_ram_%u (\n", number, read,
            asynchronous, number);
    fprintf(out, "        .clock_a(%s),\n", gowin_bit(cell, "CLKA", 0, NULL, text));
    fprintf(out, "        .enable_a(%s),\n", gowin_bit(cell, "CEA", 0, NULL, text));
    print_select(cell, "select_a", "BLKSELA", "BLK_SEL_0");
    print_bus(cell, "bytes", "ADA", 0, 3, 14);
    print_bus(cell, "address_a", "ADA", 5, 13, 14);
    print_bus(cell, "low", "DI", 0, 17, 36);
    print_bus(cell, "high", "DI", 18, 35, 36);
    fprintf(out, "        .clock_b(%s),\n", gowin_bit(cell, "CLKB", 0, NULL, text));
    fprintf(out, "        .enable_b(%s),\n", gowin_bit(cell, "CEB", 0, NULL, text));
    fprintf(out, "        .reset_b(%s),\n", gowin_bit(cell, "RESETB", 0, "1'b0", text));
    print_select(cell, "select_b", "BLKSELB", "BLK_SEL_1");
    print_bus(cell, "address_b", "ADB", 0, 13, 14);
    fprintf(out, "        .q_a(block_ram_%u_a), .q_b(block_ram_%u_b)\n    );\n", number, number);
    if (read == 36) {
        print_outputs(cell, number, 'a', "DO", 0, 18);
        print_outputs(cell, number, 'b', "DO", 18, 18);
    } else {
        print_outputs(cell, number, 'b', "DO", 0, 18);
    }
}

static const char *idle_side =
    "        .clock_b(1'b0), .enable_b(1'b0), .write_b(1'b0), .reset_b(1'b0), .select_b(1'b0), .address_b(14'd0),\n"
    "        .d_b(18'd0),\n";

static void print_side(const struct gowin_cell *cell, char port, const char *side, const char *data,
                       const char *parameter, const char *write)
{
    char name[24], pin[16];
    print_controls(cell, port, side, write);
    snprintf(name, sizeof name, "select_%c", port);
    snprintf(pin, sizeof pin, "BLKSEL%s", side);
    print_select(cell, name, pin, parameter);
    snprintf(name, sizeof name, "address_%c", port);
    snprintf(pin, sizeof pin, "AD%s", side);
    print_bus(cell, name, pin, 0, 13, 14);
    snprintf(name, sizeof name, "d_%c", port);
    print_bus(cell, name, data, 0, 17, 18);
}

static void print_narrow(const struct gowin_cell *cell, unsigned number, bool asynchronous)
{
    FILE *out = cell->build->cells;
    bool one = is(cell->type, "SP"), two = is(cell->type, "DP");
    unsigned a = width(cell, one ? "BIT_WIDTH" : "BIT_WIDTH_0"), b = one ? 1 : width(cell, "BIT_WIDTH_1");
    unsigned mode_a = gowin_number(cell, one ? "WRITE_MODE" : "WRITE_MODE0", 0),
             mode_b = gowin_number(cell, "WRITE_MODE1", 0);
    if (a > 18 || b > 18)
        gowin_fail(cell, "a port of 36 bits, expected one in an", "SDP only");
    fprintf(
        out,
        "    gowin_block_ram #(.NUMBER(%u), .WIDTH_A(%u), .WIDTH_B(%u), .MODE_A(%u), .MODE_B(%u), .ASYNCHRONOUS(%d)) ",
        number, a, b, mode_a, mode_b, asynchronous);
    fprintf(out, "block_ram_%u (\n", number);
    print_side(cell, 'a', one ? "" : "A", one || !two ? "DI" : "DIA", one ? "BLK_SEL" : "BLK_SEL_0",
               one || two ? NULL : "1'b1");
    if (one)
        fputs(idle_side, out);
    else
        print_side(cell, 'b', "B", "DIB", "BLK_SEL_1", two ? NULL : "1'b0");
    fprintf(out, "        .q_a(block_ram_%u_a), .q_b(block_ram_%u_b)\n    );\n", number, number);
    if (two || one)
        print_outputs(cell, number, 'a', one ? "DO" : "DOA", 0, 18);
    if (!one)
        print_outputs(cell, number, 'b', two ? "DOB" : "DO", 0, 18);
}

bool gowin_print_ram(const struct gowin_cell *cell)
{
    if (!is(cell->type, "SP") && !is(cell->type, "DP") && !is(cell->type, "SDP"))
        return false;
    unsigned number = cell->build->ram_count++;
    bool asynchronous = is(gowin_parameter(cell, "RESET_MODE", "SYNC"), "ASYNC");
    check_modes(cell);
    if (cell->build->rams)
        write_contents(cell, number);
    fprintf(cell->build->cells, "    wire [17:0] block_ram_%u_a, block_ram_%u_b;\n", number, number);
    if (is(cell->type, "SDP") && width(cell, "BIT_WIDTH_0") == 36)
        print_wide(cell, number, width(cell, "BIT_WIDTH_1"), asynchronous);
    else
        print_narrow(cell, number, asynchronous);
    return true;
}
