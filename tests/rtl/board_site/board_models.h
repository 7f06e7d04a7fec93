// What a board has around its FPGA, for verilated boards: the flash and the far end of the serial line. Board: the
// class of the verilated top. SPDX-License-Identifier: ISC
#ifndef POSTROAD_TESTS_RTL_BOARD_SITE_BOARD_MODELS_H
#define POSTROAD_TESTS_RTL_BOARD_SITE_BOARD_MODELS_H

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "protocol.h"

using bytes = std::vector<uint8_t>;

// A flash that sleeps until it is woken, and then answers reads. Behind its contents there is noise.
template <typename Board> struct flash_model {
    bytes content;
    bool asleep = true, selected, clocked;
    unsigned bits;
    uint32_t command;

    void step(Board *site)
    {
        bool select = !site->flash_select_n, clock = site->flash_clock;
        if (select && !selected)
            bits = 0;
        if (!select && selected && bits >= 8 && command >> (bits < 32 ? bits - 8 : 24) == 0xab)
            asleep = false;
        if (select && clock && !clocked) {
            if (bits < 32)
                command = command << 1 | site->flash_out;
            bits++;
        }
        if (select && !clock && clocked && bits >= 32 && command >> 24 == 3 && !asleep) {
            size_t at = (command & 0xffffff) - PR_LOAD_FLASH + (bits - 32) / 8;
            site->flash_in = at < content.size() ? content[at] >> (7 - (bits - 32) % 8) & 1 : rand() & 1;
        } else if (!select || asleep) {
            site->flash_in = 1;
        }
        selected = select;
        clocked = clock;
    }
};

// The far end of the serial line.
template <typename Board, int DIVIDER> struct line_model {
    std::string heard;
    bytes to_send;
    size_t next;
    int out_bit = -1, out_clocks, in_bit = -1, in_clocks;
    unsigned in_byte;
    bool framing_error = false; // a stop bit was 0

    void listen(const Board *site)
    {
        if (in_bit < 0) {
            if (!site->uart_tx)
                in_bit = 0, in_clocks = DIVIDER / 2;
        } else if (--in_clocks == 0) {
            in_clocks = DIVIDER;
            if (in_bit >= 1 && in_bit <= 8)
                in_byte = in_byte >> 1 | (unsigned)site->uart_tx << 7;
            if (in_bit == 9) {
                framing_error |= !site->uart_tx;
                heard.push_back((char)in_byte);
                in_bit = -2;
            }
            in_bit++;
        }
    }

    void speak(Board *site)
    {
        if (out_bit < 0) {
            if (next < to_send.size())
                out_bit = 0, out_clocks = DIVIDER, site->uart_rx = 0;
        } else if (--out_clocks == 0) {
            out_clocks = DIVIDER;
            out_bit++;
            if (out_bit <= 8)
                site->uart_rx = to_send[next] >> (out_bit - 1) & 1;
            else if (out_bit == 9)
                site->uart_rx = 1;
            else
                out_bit = -1, next++;
        }
    }
};

#endif
