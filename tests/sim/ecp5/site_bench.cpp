// A board's RTL and its bitstream turned back into Verilog, side by side: the same pins in, every output pin equal in
// every clock, and a text on the console. The console is 8N1, BIT clocks a bit.
//
// usage: site_bench CLOCKS TEXT +block_rams=FOLDER   TEXT: what the console has to say at its start
// exit: 0 equal and said, 3 not
// SPDX-License-Identifier: ISC
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>

#include "Vchip.h"
#include "Vtop.h"
#include "verilated.h"

namespace
{

const int BIT = 25;            // 25 MHz, 1 Mbaud
const int TYPED_AT = 60000;    // clock at which "Abc" is typed
const int COMPARED_FROM = 600; // before, flops that a reset sets are 0 in the RTL's model, but 1 in a chip
const char TYPED[] = "Abc";    // no record that the boot program knows

struct Receiver {
    int clocks = 0;
    int bits = 0;
    unsigned shift = 0;
    long first = -1; // clock of the first start bit
    std::string text;

    void clock(bool line, long now)
    {
        if (bits == 0) {
            if (!line) {
                bits = 10;
                clocks = BIT / 2;
                if (first < 0)
                    first = now;
            }
        } else if (--clocks <= 0) {
            clocks = BIT;
            shift = shift >> 1 | (line ? 0x200u : 0u);
            if (--bits == 0)
                text += char(shift >> 1 & 0xff);
        }
    }
};

bool typed_bit(long now)
{
    long at = now - TYPED_AT;
    if (at < 0 || at / (10 * BIT) >= long(sizeof TYPED - 1))
        return true;
    long bit = at / BIT % 10;
    unsigned frame = 0x200u | unsigned(TYPED[at / (10 * BIT)]) << 1;
    return frame >> bit & 1;
}

// The RTL has a stand-in for the PLL (tests/rtl/ecp5_clocks.v), and the oscillator runs at the links' rate.
void clocks(Vtop &rtl, bool links, bool)
{
    rtl.oscillator = links;
}

// The clocks behind the PLL are inputs of the chip: the macros are their names.
void clocks(Vchip &chip, bool links, bool site)
{
    chip.LINK_CLOCK = links;
    chip.SITE_CLOCK = site;
    chip.LOCK = 1;
}

// One clock of the site, two of the links.
template <class Board> void drive(Board &board, long now)
{
    board.button = 0;
    board.flash_in = 1;
    board.line_in = board.line_out; // each link hears itself
    board.uart_rx = typed_bit(now);
    for (int phase = 0; phase < 4; phase++) {
        clocks(board, phase % 2 != 0, phase == 3);
        board.eval();
    }
}

bool equal(const Vtop &rtl, const Vchip &chip)
{
    return rtl.uart_tx == chip.uart_tx && rtl.line_out == chip.line_out && rtl.led == chip.led &&
           rtl.probe == chip.probe && rtl.flash_select_n == chip.flash_select_n && rtl.flash_out == chip.flash_out &&
           rtl.line_reserved == chip.line_reserved && rtl.wifi_gpio0 == chip.wifi_gpio0 &&
           rtl.flash_hold_n == chip.flash_hold_n && rtl.flash_write_protect_n == chip.flash_write_protect_n;
}

} // namespace

int main(int argc, char **argv)
{
    Verilated::commandArgs(argc, argv);
    if (argc < 3) {
        fprintf(stderr, "usage: site_bench CLOCKS TEXT +block_rams=FOLDER\n");
        return 1;
    }
    long clocks = atol(argv[1]);
    Vtop rtl;
    Vchip chip;
    Receiver from_rtl, from_chip;
    double seconds[2] = {0, 0};
    for (long now = 0; now < clocks; now++) {
        clock_t start = clock();
        drive(rtl, now);
        clock_t middle = clock();
        drive(chip, now);
        seconds[0] += double(middle - start) / CLOCKS_PER_SEC;
        seconds[1] += double(clock() - middle) / CLOCKS_PER_SEC;
        from_rtl.clock(rtl.uart_tx, now);
        from_chip.clock(chip.uart_tx, now);
        if (now >= COMPARED_FROM && !equal(rtl, chip)) {
            printf("FAIL site_bench: the pins differ in clock %ld\n", now);
            return 3;
        }
    }
    printf("console: %s\nfirst byte: clock %ld of the RTL, %ld of the bitstream; clocks/s: RTL %.0f, bitstream %.0f\n",
           from_chip.text.c_str(), from_rtl.first, from_chip.first, double(clocks) / seconds[0],
           double(clocks) / seconds[1]);
    bool good = from_chip.text.compare(0, strlen(argv[2]), argv[2]) == 0 && from_chip.first == from_rtl.first;
    printf("%s site_bench: %ld clocks\n", good ? "PASS" : "FAIL", clocks);
    return good ? 0 : 3;
}
