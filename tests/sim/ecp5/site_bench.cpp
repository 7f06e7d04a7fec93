// A board's RTL and its bitstream as bit slices, side by side: the same pins in, and every output pin equal in every
// clock. The flash answers noise, and noise is typed on the console.
//
// usage: site_bench CLOCKS BITSTREAM BOARD
// exit: 0 equal, and the boot program has selected the flash; 3 not
// SPDX-License-Identifier: ISC
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>

#include "Vtop.h"
#include "verilated.h"

// Two of the headers in C have a member of this name.
#define class class_
extern "C" {
#include "bitstream/chip_object.h"
#include "bitstream/slices.h"
}
#undef class

namespace
{

const int COMPARED_FROM = 600; // before, flops that a reset sets are 0 in the RTL's model, but 1 in a chip
const int TYPED_AT = 60000;    // clock from which on bits come, as long as those of a console at 1 Mbaud
const int BIT = 25;

// xorshift64*, Vigna 2016.
bool noise(long number)
{
    uint64_t state = uint64_t(number) + 1;
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return state * 0x2545f4914f6cdd1du >> 63;
}

bool typed_bit(long now)
{
    return now < TYPED_AT || noise(now / BIT);
}

// One clock of the site, two of the links. The RTL has a stand-in for the PLL (tests/rtl/ecp5_clocks.v), and the
// oscillator runs at the links' rate.
void drive(Vtop &rtl, long now)
{
    rtl.button = 0;
    rtl.flash_in = noise(now);
    rtl.line_in = rtl.line_out & rtl.line_drives; // each link hears itself
    rtl.uart_rx = typed_bit(now);
    for (int phase = 0; phase < 4; phase++) {
        rtl.oscillator = phase % 2 != 0;
        rtl.eval();
    }
}

// The bitstream in lane 0.
struct Chip {
    chip_object object = {};
    slices *chip = nullptr;

    bool load(const char *bitstream, const char *board)
    {
        char reason[1024];
        if (chip_object_load(bitstream, board, &object, reason, sizeof reason) != 0) {
            fprintf(stderr, "site_bench: %s\n", reason);
            return false;
        }
        chip = slices_create(object.class_, 1, 1);
        slices_power_on(chip, 0);
        for (uint32_t i = 0; i < object.rams.count; i++)
            slices_fill(chip, 0, object.rams.list[i].number, object.rams.list[i].words);
        for (uint32_t i = 0; i < object.class_->domain_count; i++)
            if (object.class_->domains[i].lock != SLICES_ZERO)
                chip->slots[object.class_->domains[i].lock] = 1;
        slices_settle(chip);
        return true;
    }

    void set(const char *name, bool level)
    {
        int slot = slices_pin(object.class_, name, false);
        if (slot >= 0)
            chip->slots[slot] = level;
    }

    bool pin(const char *name) const
    {
        int slot = slices_pin(object.class_, name, true);
        return slot >= 0 && (chip->slots[slot] & 1);
    }

    bool drives(const char *name) const
    {
        int slot = slices_enable(object.class_, name);
        return slot >= 0 && (chip->slots[slot] & 1);
    }

    unsigned bus(const char *name, int bits) const
    {
        unsigned value = 0;
        for (int bit = 0; bit < bits; bit++)
            value |= unsigned(pin(Chip::name(name, bit).c_str())) << bit;
        return value;
    }

    unsigned driven() const
    {
        unsigned value = 0;
        for (int link = 0; link < 4; link++)
            value |= unsigned(drives(name("line_out", link).c_str())) << link;
        return value;
    }

    static std::string name(const char *bus, int bit)
    {
        return std::string(bus) + "[" + std::to_string(bit) + "]";
    }

    // That of a wire: 0 while the chip does not drive it.
    bool level(int link) const
    {
        std::string out = name("line_out", link);
        return drives(out.c_str()) && pin(out.c_str());
    }

    // The clocks of the site and the links rise at once, and that of the links once more in between.
    void drive(long now)
    {
        set("button", false);
        set("flash_in", noise(now));
        for (int link = 0; link < 4; link++)
            set(name("line_in", link).c_str(), level(link));
        set("uart_rx", typed_bit(now));
        for (int phase = 0; phase < 2; phase++) {
            for (int link = 0; link < 4; link++)
                set(name("line_out", link).c_str(), level(link));
            uint64_t edges[SLICES_DOMAINS + 1] = {};
            for (uint32_t i = 0; i < object.class_->domain_count; i++) {
                const slices_domain &domain = object.class_->domains[i];
                edges[i] = domain.divide && (phase == 1 || domain.multiply > domain.divide);
            }
            slices_step(chip, edges);
        }
    }
};

bool equal(const Vtop &rtl, const Chip &chip)
{
    return rtl.uart_tx == chip.pin("uart_tx") && rtl.line_out == chip.bus("line_out", 4) &&
           rtl.led == chip.bus("led", 8) && rtl.probe == chip.bus("probe", 8) &&
           rtl.flash_select_n == chip.pin("flash_select_n") && rtl.flash_out == chip.pin("flash_out") &&
           rtl.line_drives == chip.driven() && rtl.wifi_gpio0 == chip.pin("wifi_gpio0") &&
           rtl.flash_hold_n == chip.pin("flash_hold_n") &&
           rtl.flash_write_protect_n == chip.pin("flash_write_protect_n");
}

} // namespace

int main(int argc, char **argv)
{
    Verilated::commandArgs(argc, argv);
    if (argc != 4) {
        fprintf(stderr, "usage: site_bench CLOCKS BITSTREAM BOARD\n");
        return 1;
    }
    long clocks = atol(argv[1]), selected = -1;
    Vtop rtl;
    Chip chip;
    double seconds[2] = {0, 0};
    if (!chip.load(argv[2], argv[3]))
        return 1;
    for (long now = 0; now < clocks; now++) {
        clock_t start = clock();
        drive(rtl, now);
        clock_t middle = clock();
        chip.drive(now);
        seconds[0] += double(middle - start) / CLOCKS_PER_SEC;
        seconds[1] += double(clock() - middle) / CLOCKS_PER_SEC;
        if (now >= COMPARED_FROM && !equal(rtl, chip)) {
            printf("FAIL site_bench: the pins differ in clock %ld\n", now);
            return 3;
        }
        if (now >= COMPARED_FROM && selected < 0 && !chip.pin("flash_select_n"))
            selected = now;
    }
    printf("clocks/s: RTL %.0f, bitstream %.0f\n", double(clocks) / seconds[0], double(clocks) / seconds[1]);
    printf("%s site_bench: %ld clocks, the flash is selected at clock %ld\n", selected >= 0 ? "PASS" : "FAIL", clocks,
           selected);
    return selected >= 0 ? 0 : 3;
}
