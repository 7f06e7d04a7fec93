// Four sites in one FPGA start from one flash, each counts its starts there, and site 0 reaches the others: the top of
// the ULX3S 85F, verilated. usage: bench SITE0.flash SITE1.flash SITE2.flash SITE3.flash SPDX-License-Identifier: ISC
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "Vboard_grid_end.h"
#include "board_models.h"
#include "verilated.h"

namespace
{

enum { SITES = 4, DIVIDER = 25, ALL_ALIVE = 0xf, LED_TRAFFIC = 0x10, LED_LINK = 0x80 };
constexpr size_t STRIDE = PR_BOARD_STATE_INDEX & ~(PR_BOARD_STATE_INDEX << 1); // between two images in the flash
constexpr long PATIENCE = 30000000;                                            // clocks for the slowest step

Vboard_grid_end *board;
flash_model<Vboard_grid_end> flash;
line_model<Vboard_grid_end, DIVIDER> line;
long now;

[[noreturn]] void fail(const std::string &reason)
{
    printf("FAIL at clock %ld: %s\n", now, reason.c_str());
    exit(1);
}

void add_image(size_t site, const char *path)
{
    while (flash.content.size() < site * STRIDE)
        flash.content.push_back((uint8_t)rand());
    const bytes image = read_file(path);
    flash.content.insert(flash.content.end(), image.begin(), image.end());
    if (flash.content.size() > (site + 1) * STRIDE)
        fail(std::string(path) + " is longer than the distance of two images");
}

// One clock of the sites, two of the links.
void step()
{
    for (bool rises : {false, true, false, true}) {
        board->oscillator = rises;
        board->eval();
    }
    now++;
    flash.step(board);
    line.listen(board);
    line.speak(board);
    if (line.framing_error)
        fail("a stop bit of the console is 0");
}

void await_leds(unsigned mask, const char *what)
{
    for (long k = 0; k < PATIENCE && (board->led & mask) != mask; k++)
        step();
    if ((board->led & mask) != mask)
        fail(std::string(what) + ": the LEDs show " + std::to_string(board->led));
}

// The supply fails; then all sites have this epoch when their fabrics are released.
void start_and_expect(unsigned epoch)
{
    board->button = 1;
    flash.lose_power();
    for (int k = 0; k < 10; k++)
        step();
    board->button = 0;
    for (long k = 0; k < PATIENCE && board->fabric_runs != ALL_ALIVE; k++)
        step();
    for (int site = 0; site < SITES; site++)
        if ((uint16_t)(board->epochs >> 16 * site) != epoch)
            fail("site " + std::to_string(site) + " has epoch " +
                 std::to_string((uint16_t)(board->epochs >> 16 * site)) + ", expected " + std::to_string(epoch));
    printf("all sites have epoch %u at clock %ld\n", epoch, now);
}

// A line to the console of site 0, and what it has to answer.
void ask(const std::string &text, const std::string &answer)
{
    line.heard.clear();
    line.to_send = bytes(text.begin(), text.end());
    line.next = 0;
    for (long k = 0; k < PATIENCE && line.heard.find(answer) == std::string::npos; k++)
        step();
    if (line.heard.find(answer) == std::string::npos)
        fail("the console says '" + line.heard + "', expected '" + answer + "'");
    for (long k = 0; k < 200000 && line.heard.back() != '\n'; k++)
        step();
    printf("%s", line.heard.substr(line.heard.find(answer)).c_str());
}

} // namespace

int main(int argc, char **argv)
{
    Verilated::commandArgs(argc, argv);
    if (argc != 1 + SITES) {
        fprintf(stderr, "usage: bench SITE0.flash SITE1.flash SITE2.flash SITE3.flash\n");
        return 1;
    }
    for (int site = 0; site < SITES; site++)
        add_image((size_t)site, argv[1 + site]);
    board = new Vboard_grid_end;
    board->uart_rx = 1;
    board->flash_in = 1;
    for (unsigned epoch = 1; epoch <= 3; epoch++)
        start_and_expect(epoch);
    await_leds(ALL_ALIVE, "not all sites start");
    printf("all sites run at clock %ld\n", now);
    await_leds(LED_LINK, "the cables from east to west are down");
    for (long k = 0; k < 200000; k++)
        step();
    ask("id\r", "site 0 of 4");
    for (int site = 1; site < SITES; site++)
        ask("ping " + std::to_string(site) + "\r", "site " + std::to_string(site) + ": round trip");
    await_leds(LED_TRAFFIC, "traffic does not show");
    return 0;
}
