// Two boards of one board.conf, cabled from east to west: both start, and a packet goes each way. Their firmware is
// tests/firmware/small_traffic. usage: bench flash|image FILE...
//        FILE: what the flash, or RAM as a readmemh file, of each site has: those of the first board, then of the
//        second
// Compiled with SIDE, LINK_RATIO, and CONSOLE_DIVIDER, clocks of a bit of the console.
// SPDX-License-Identifier: ISC
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "Vpair_end.h"
#include "board_models.h"
#include "firmware/small_traffic/small_traffic.h"
#include "verilated.h"

namespace
{

enum { BOARDS = 2, SITES = SIDE * SIDE, EAST = 0, WEST = 1, LINKS = 4, WORDS = 7, SECOND_SITE = SIDE };
constexpr size_t STRIDE = PR_BOARD_STATE_INDEX & ~(PR_BOARD_STATE_INDEX << 1); // between two images in the flash
constexpr long PATIENCE = 20000000;                                            // clocks: SERV reads four images
constexpr long CALLS = 2000000;   // until cables are up: two calls that are made whatever was met
constexpr long SETTLING = 200000; // until all cables are up behind the first
constexpr unsigned TAG = 0x1234;

struct place {
    VerilatedContext context;
    Vpair_end *board;
    flash_model<Vpair_end> flash;
    line_model<Vpair_end, CONSOLE_DIVIDER> line;
    uint8_t driven = 0; // its line_out in the clock before
} places[BOARDS];
long now;

[[noreturn]] void fail(const std::string &reason)
{
    printf("FAIL at clock %ld: %s\n", now, reason.c_str());
    exit(1);
}

void put_images(flash_chip &flash, char **paths)
{
    for (size_t site = 0; site < SITES; site++) {
        const bytes image = read_file(paths[site]);
        flash.content.resize(site * STRIDE, 0xff);
        flash.content.insert(flash.content.end(), image.begin(), image.end());
    }
}

void switch_on(place &here, bool from_flash, char **paths)
{
    const std::string firmware = std::string("+firmware=") + paths[0];
    const char *arguments[] = {"bench", firmware.c_str()};
    here.context.commandArgs(from_flash ? 1 : 2, arguments);
    if (from_flash)
        put_images(here.flash, paths);
    here.board = new Vpair_end(&here.context);
    here.board->uart_rx = 1;
    here.board->flash_in = 1;
    here.board->button = 0;
    Verilated::threadContextp(&here.context); // whose +firmware RAM loads
    here.board->eval();
}

// A clock of the links. All connectors of a direction are cabled to those of the other board.
void step_links()
{
    for (int k = 0; k < BOARDS; k++) {
        unsigned far = places[1 - k].driven, heard = 0;
        for (int line = 0; line < LINKS * SIDE; line += LINKS)
            heard |= k == 0 ? (far >> (line + WEST) & 1) << (line + EAST) : (far >> (line + EAST) & 1) << (line + WEST);
        places[k].board->line_in = (uint8_t)heard;
        for (bool rises : {false, true}) {
            places[k].board->oscillator = rises;
            places[k].board->eval();
        }
    }
    for (auto &one : places)
        one.driven = one.board->line_out;
}

void step()
{
    for (int k = 0; k < LINK_RATIO; k++)
        step_links();
    now++;
    for (auto &one : places) {
        one.flash.step(one.board);
        one.line.listen(one.board);
        one.line.speak(one.board);
        if (one.line.framing_error)
            fail("a stop bit of a console is 0");
    }
}

void expect(place &here, const std::string &text, const char *what)
{
    for (long k = 0; k < PATIENCE && here.line.heard.find(text) == std::string::npos; k++)
        step();
    if (here.line.heard.find(text) == std::string::npos)
        fail(std::string(what) + ": the console of board " + std::to_string(&here - places) + " has said " +
             std::to_string(here.line.heard.size()) + " bytes, expected others");
}

void await_cables()
{
    long k = 0;
    for (; k < CALLS && !(places[0].board->up && places[1].board->up); k++)
        step();
    if (k == CALLS)
        fail("the cables are down");
    for (k = 0; k < SETTLING; k++)
        step();
}

std::string value(unsigned of)
{
    std::string text;
    for (unsigned k = 0; k < TRAFFIC_VALUE_BYTES; k++, of >>= 7)
        text.push_back((char)(of & 0x7f));
    return text;
}

std::string delivery(unsigned source)
{
    uint32_t sum = 0;
    for (unsigned k = 0; k <= WORDS; k++)
        sum = traffic_add(sum, traffic_word(TAG, k));
    return std::string{(char)TRAFFIC_DELIVERED, (char)source, (char)WORDS} + value(TAG) + value(sum);
}

// A packet from the first site of one board to that of the other.
void send(place &from, unsigned source, place &to, unsigned target)
{
    const std::string order = std::string{(char)(TRAFFIC_SEND | target), (char)WORDS} + value(TAG);
    from.line.heard.clear();
    to.line.heard.clear();
    from.line.to_send.assign(order.begin(), order.end());
    from.line.next = 0;
    expect(to, delivery(source), "no packet arrives");
    expect(from, std::string{(char)TRAFFIC_SETTLED} + value(TAG), "a packet is not acknowledged");
}

} // namespace

int main(int argc, char **argv)
{
    if (argc != 2 + BOARDS * SITES) {
        fprintf(stderr, "usage: bench flash|image FILE...\n");
        return 1;
    }
    const bool from_flash = strcmp(argv[1], "flash") == 0;
    for (int k = 0; k < BOARDS; k++)
        switch_on(places[k], from_flash, argv + 2 + k * SITES);
    for (auto &one : places)
        expect(one, std::string(1, (char)TRAFFIC_READY), "the firmware has not started");
    await_cables();
    send(places[0], 0, places[1], SECOND_SITE);
    send(places[1], SECOND_SITE, places[0], 0);
    printf("both start, and a packet goes each way, %ld clocks\n", now);
    return 0;
}
