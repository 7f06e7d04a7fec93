// The same as board_text.c for the Verilog of a board's top, verilated.
//
// usage: rtl_text CLOCKS +firmware=FILE.hex
//
// SPDX-License-Identifier: ISC
#include <cstdio>
#include <cstdlib>
#include <string>

#include "Vtop.h"
#include "verilated.h"

enum { CLOCKS_A_BIT = 12, DATA_BITS = 8 };

int main(int argc, char **argv)
{
    Verilated::commandArgs(argc, argv);
    Vtop top;
    std::string text;
    long first = 0, start = 0, left = 0; // left: clocks until the middle of the next bit
    int bits = -1;                       // -1: no byte is on its way; 0: its start bit
    unsigned shift = 0;
    top.uart_rx = top.flash_in = 1;
    top.line_in = 0;
    top.clk = 0;
    top.eval(); // a model takes the first level that it sees for no edge
    for (long clock = 0; clock < atol(argv[1]); clock++) {
        top.clk = 1;
        top.eval();
        bool level = top.uart_tx;
        top.clk = 0;
        top.eval();
        if (bits < 0 && !level) {
            bits = 0;
            start = clock;
            left = CLOCKS_A_BIT / 2;
        } else if (bits >= 0 && --left == 0) {
            left = CLOCKS_A_BIT;
            shift = shift >> 1 | level << DATA_BITS;
            if (bits == 0 && level) {
                bits = -1;
            } else if (bits++ == DATA_BITS + 1) {
                bits = -1;
                if (!first)
                    first = start;
                if (level)
                    text += static_cast<char>(shift & 0xff);
            }
        }
    }
    printf("first byte at clock %ld\n%s", first, text.c_str());
}
