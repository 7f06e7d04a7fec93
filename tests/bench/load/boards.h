// SIZE_X x SIZE_Y verilated boards, cabled as a grid. All have one clock.
// SPDX-License-Identifier: ISC
#ifndef POSTROAD_TESTS_BENCH_LOAD_BOARDS_H
#define POSTROAD_TESTS_BENCH_LOAD_BOARDS_H

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "Vboard.h"
#include "board_models.h"
#include "verilated.h"

namespace
{

#ifndef SIZE_X
#define SIZE_X 4
#define SIZE_Y 4
#endif

enum { SITES = SIZE_X * SIZE_Y, LINKS = 4, DIVIDER = 12 /* 1 Mbaud at 12 MHz */, POLL_CLOCKS = 256 };
enum { EAST, WEST, NORTH, SOUTH };
constexpr long PATIENCE = 60000000; // clocks; an image takes a seventh of them

struct place {
    Vboard *board = new Vboard;
    bool absent = false;
    flash_model<Vboard> flash;
    line_model<Vboard, DIVIDER> line;
    uint8_t driven = 0; // its line_out in the clock before
} places[SITES];
long now;

[[noreturn]] void fail(const std::string &reason)
{
    printf("FAIL at clock %ld: %s\n", now, reason.c_str());
    exit(1);
}

// What the board at (x, y) hears on a link: what the neighbour there, (x + dx, y + dy), drives on its opposite link.
unsigned heard(int x, int y, int dx, int dy, int link, int opposite)
{
    if (x + dx < 0 || x + dx >= SIZE_X || y + dy < 0 || y + dy >= SIZE_Y)
        return 0;
    return (unsigned)(places[(y + dy) * SIZE_X + x + dx].driven >> opposite & 1) << link;
}

// The lines come from flops, so that each board needs but what the others drove in the clock before.
void step_board(int x, int y)
{
    place &here = places[y * SIZE_X + x];
    here.board->line_in = (uint8_t)(heard(x, y, 1, 0, EAST, WEST) | heard(x, y, -1, 0, WEST, EAST) |
                                    heard(x, y, 0, 1, NORTH, SOUTH) | heard(x, y, 0, -1, SOUTH, NORTH));
    here.board->clk = 0;
    here.board->eval();
    here.board->clk = 1;
    here.board->eval();
    here.flash.step(here.board);
    here.line.listen(here.board);
    here.line.speak(here.board);
    if (here.line.framing_error)
        fail("a stop bit of a console is 0");
}

void step()
{
    for (int y = 0; y < SIZE_Y; y++)
        for (int x = 0; x < SIZE_X; x++)
            if (!places[y * SIZE_X + x].absent)
                step_board(x, y);
    for (auto &one : places)
        one.driven = one.board->line_out;
    now++;
}

unsigned count_alive()
{
    unsigned count = 0;
    for (const auto &one : places)
        count += one.board->alive;
    return count;
}

} // namespace

#endif
