/* Cells of logic of a Gowin FPGA: tables, multiplexers, adders, flops, RAM in tables, buffers.
 *
 * Source: Gowin UG288 and SUG283; Yosys' and nextpnr's models, read, not copied.
 *
 * SPDX-License-Identifier: ISC
 */
#include <stdlib.h>
#include <string.h>

#include "bitstream/gowin_build.h"

enum { EXPRESSION = 2048 };

static bool is(const char *value, const char *expected)
{
    return strcmp(value, expected) == 0;
}

static void append_table(char *text, unsigned bits, int inputs, char nets[4][GOWIN_NET])
{
    unsigned high_bits = inputs ? 1u << (inputs - 1) : 0, mask = inputs ? (1u << high_bits) - 1 : 1;
    unsigned low = bits & mask, high = bits >> high_bits & mask;
    if (inputs == 0) {
        strcat(text, bits & 1 ? "1'b1" : "1'b0");
    } else if (low == high) {
        append_table(text, low, inputs - 1, nets);
    } else {
        strcat(strcat(strcat(text, "("), nets[inputs - 1]), " ? ");
        append_table(text, high, inputs - 1, nets);
        strcat(text, " : ");
        append_table(text, low, inputs - 1, nets);
        strcat(text, ")");
    }
}

static void print_table(const struct gowin_cell *cell, int inputs)
{
    char nets[4][GOWIN_NET], out[GOWIN_NET], text[EXPRESSION] = "";
    if (!gowin_connected(cell, "F"))
        return;
    for (int i = 0; i < inputs; i++)
        gowin_numbered(cell, "I", i, "1'b0", nets[i]);
    append_table(text, gowin_number(cell, "INIT", 0), inputs, nets);
    fprintf(cell->build->cells, "    assign %s = %s;\n", gowin_bit(cell, "F", 0, NULL, out), text);
}

static void print_multiplexer(const struct gowin_cell *cell)
{
    char out[GOWIN_NET], select[GOWIN_NET], one[GOWIN_NET], zero[GOWIN_NET];
    fprintf(cell->build->cells, "    assign %s = %s ? %s : %s;\n", gowin_bit(cell, "O", 0, NULL, out),
            gowin_bit(cell, "S0", 0, NULL, select), gowin_bit(cell, "I1", 0, NULL, one),
            gowin_bit(cell, "I0", 0, NULL, zero));
}

/* DFF, then N for the falling edge, then S, R (synchronous) or P, C (asynchronous) for a reset to 1 or 0, then E:
 * enable. */
static void print_flop(const struct gowin_cell *cell)
{
    static const struct {
        char letter;
        const char *port;
        bool value, asynchronous;
    } resets[] = {{'S', "SET", true, false},
                  {'R', "RESET", false, false},
                  {'P', "PRESET", true, true},
                  {'C', "CLEAR", false, true}};
    FILE *out = cell->build->cells;
    const char *kind = cell->type + 3;
    char q[GOWIN_NET], clock[GOWIN_NET], reset[GOWIN_NET] = "1'b0", enable[GOWIN_NET] = "1'b1", d[GOWIN_NET];
    bool falling = *kind == 'N', value = false, asynchronous = false;
    kind += falling;
    for (size_t i = 0; i < sizeof resets / sizeof resets[0]; i++)
        if (*kind && *kind == resets[i].letter) {
            gowin_bit(cell, resets[i].port, 0, "1'b0", reset);
            value = resets[i].value;
            asynchronous = resets[i].asynchronous && !is(reset, "1'b0");
            kind++;
            break;
        }
    if (*kind == 'E')
        gowin_bit(cell, "CE", 0, "1'b1", enable), kind++;
    if (*kind) {
        gowin_fail(cell, "a flop that is", "not known");
        return;
    }
    const cJSON *net = cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(cell->connections, "Q"), 0);
    if (cJSON_IsNumber(net))
        *key_map_place(&cell->build->flop_of, (unsigned)net->valueint) = value;
    gowin_bit(cell, "Q", 0, NULL, q);
    fprintf(out, "    always @(%s %s", falling ? "negedge" : "posedge", gowin_bit(cell, "CLK", 0, NULL, clock));
    if (asynchronous)
        fprintf(out, " or posedge %s", reset);
    fprintf(out, ") if (%s) %s <= 1'b%d; else if (%s) %s <= %s;\n", reset, q, value, enable, q,
            gowin_bit(cell, "D", 0, NULL, d));
}

/* sum = value ^ carry in; carry out = value ? carry in : made. Place and route folds a constant input into a table of
 * its own; these are the tables that it knows. */
static bool adder_bit(const struct gowin_cell *cell, char value[96], char made[GOWIN_NET])
{
    static const struct {
        unsigned table;
        const char *value, *made; /* of the input that is left: %s */
    } folded[] = {{0xc0c0, "", "1'b0"},  {0x303f, "!", "1'b1"}, {0xc0cf, "", "1'b1"},
                  {0x3030, "!", "1'b0"}, {0x505a, "!", NULL},   {0xa0aa, "", NULL}};
    char i0[GOWIN_NET], i1[GOWIN_NET], i3[GOWIN_NET];
    const char *raw = gowin_parameter(cell, "RAW_ALU_LUT", NULL);
    gowin_bit(cell, "I0", 0, "1'b0", i0);
    gowin_bit(cell, "I1", 0, "1'b0", i1);
    gowin_bit(cell, "I3", 0, "1'b0", i3);
    for (size_t i = 0; raw && i < sizeof folded / sizeof folded[0]; i++)
        if (gowin_number(cell, "RAW_ALU_LUT", 0) == folded[i].table) {
            snprintf(value, 96, "%s%s", folded[i].value, folded[i].made ? i1 : i0);
            strcpy(made, folded[i].made ? folded[i].made : i0);
            return true;
        }
    if (raw || gowin_number(cell, "ALU_MODE", 99) != 2)
        return gowin_fail(cell, "an adder of kind", raw ? raw : gowin_parameter(cell, "ALU_MODE", "none"));
    snprintf(value, 96, "(%s ^ %s ^ !%s)", i0, i1, i3); /* 1: add, 0: subtract */
    strcpy(made, i0);
    return true;
}

static void assign(const struct gowin_cell *cell, const char *port, const char *value)
{
    char out[GOWIN_NET];
    if (gowin_connected(cell, port))
        fprintf(cell->build->cells, "    assign %s = %s;\n", gowin_bit(cell, port, 0, NULL, out), value);
}

static void print_adder(const struct gowin_cell *cell)
{
    const char *mode = gowin_parameter(cell, "ALU_MODE", "");
    char carry[GOWIN_NET], value[96], made[GOWIN_NET], text[256];
    gowin_bit(cell, "CIN", 0, "1'b0", carry);
    if (is(mode, "C2L") || is(mode, "ONE2C")) { /* both ends of a chain */
        assign(cell, "COUT", is(mode, "C2L") ? "1'b0" : "1'b1");
        assign(cell, "SUM", carry);
        return;
    }
    if (is(gowin_parameter(cell, "CIN_NETTYPE", ""), "LOGIC")) {
        assign(cell, "COUT", gowin_bit(cell, "I0", 0, NULL, value));
        return;
    }
    if (!adder_bit(cell, value, made))
        return;
    snprintf(text, sizeof text, "%s ^ %s", value, carry);
    assign(cell, "SUM", text);
    snprintf(text, sizeof text, "%s ? %s : %s", value, carry, made);
    assign(cell, "COUT", text);
}

/* 16 words of four bits, read at any time. */
static void print_table_ram(const struct gowin_cell *cell)
{
    FILE *out = cell->build->cells;
    char write[4][GOWIN_NET], read[4][GOWIN_NET], net[GOWIN_NET], clock[GOWIN_NET], enable[GOWIN_NET];
    unsigned number = cell->build->ram_count++;
    for (int i = 0; i < 4; i++) {
        gowin_bit(cell, "WAD", i, "1'b0", write[i]);
        gowin_bit(cell, "RAD", i, "1'b0", read[i]);
    }
    gowin_bit(cell, "CLK", 0, NULL, clock);
    gowin_bit(cell, "WRE", 0, NULL, enable);
    for (int i = 0; i < 4; i++) {
        char init[16];
        snprintf(init, sizeof init, "INIT_%d", i);
        fprintf(out, "    reg [15:0] ram%u_%d = 16'd%u;\n", number, i, gowin_number(cell, init, 0) & 0xffff);
        fprintf(out, "    always @(posedge %s) if (%s) ram%u_%d[{%s, %s, %s, %s}] <= %s;\n", clock, enable, number, i,
                write[3], write[2], write[1], write[0], gowin_bit(cell, "DI", i, "1'b0", net));
        if (*gowin_bit(cell, "DO", i, "-", net) != '-')
            fprintf(out, "    assign %s = ram%u_%d[{%s, %s, %s, %s}];\n", net, number, i, read[3], read[2], read[1],
                    read[0]);
    }
}

static void print_buffer(const struct gowin_cell *cell)
{
    char in[GOWIN_NET];
    assign(cell, "O", gowin_bit(cell, "I", 0, "1'b0", in));
}

bool gowin_print_logic(const struct gowin_cell *cell)
{
    const char *type = cell->type;
    if (strlen(type) == 4 && strncmp(type, "LUT", 3) == 0 && type[3] >= '1' && type[3] <= '4')
        print_table(cell, type[3] - '0');
    else if (strncmp(type, "MUX2_LUT", 8) == 0)
        print_multiplexer(cell);
    else if (strncmp(type, "DFF", 3) == 0)
        print_flop(cell);
    else if (is(type, "ALU"))
        print_adder(cell);
    else if (is(type, "RAM16SDP4"))
        print_table_ram(cell);
    else if (is(type, "IBUF") || is(type, "OBUF") || is(type, "BUFG"))
        print_buffer(cell);
    else if (is(type, "GOWIN_VCC"))
        assign(cell, "V", "1'b1");
    else if (is(type, "GOWIN_GND"))
        assign(cell, "G", "1'b0");
    else
        return is(type, "GSR") ||
               is(type, "DUMMY_CELL"); /* the global reset is tied to 1, its idle level, by nextpnr */
    return true;
}
