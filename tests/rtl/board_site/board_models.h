// What a board has around its FPGA, for verilated boards: the flash and the far end of the serial line. Board: the
// class of the verilated top. SPDX-License-Identifier: ISC
#ifndef POSTROAD_TESTS_RTL_BOARD_SITE_BOARD_MODELS_H
#define POSTROAD_TESTS_RTL_BOARD_SITE_BOARD_MODELS_H

#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "protocol.h"

using bytes = std::vector<uint8_t>;

// The content of a file, which must be there.
inline bytes read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        printf("FAIL: cannot read %s\n", path);
        exit(1);
    }
    bytes content;
    for (int c; (c = fgetc(file)) != EOF;)
        content.push_back((uint8_t)c);
    fclose(file);
    return content;
}

// A flash as a board has it: content from content_at on, the lock, the start counters, and noise elsewhere. It sleeps
// until it is woken. It programs a page (bits are cleared, none is set) behind a write enable of exactly 8 bits;
// meanwhile it gives its status alone, and anything else reads as noise. Data sheet: Winbond W25Q128JV, "Page Program",
// "Write Enable".
struct flash_chip {
    enum { READ = 0x03, STATUS = 0x05, WRITE_ENABLE = 0x06, PROGRAM = 0x02, WAKE = 0xab, SITES = 8, PAGE = 256 };

    bytes content, lock = bytes(4, 0xff), starts = bytes(SITES * PR_LOAD_STARTS_BYTES, 0xff);
    bytes weak = bytes(SITES * PR_LOAD_STARTS_BYTES, 0); // bits whose programming was cut short: they read as either
    uint32_t content_at = PR_LOAD_FLASH;
    bool asleep = true, write_protected = false;
    bool programmed_elsewhere = false; // an error: only start counters may be programmed
    long program_clocks = 8000;        // 0.7 ms at 12 MHz, as typical

    unsigned lock_readings = 0;      // of the first word of the lock, since the supply came; on its way:
    uint32_t wrong_bits[2] = {};     // bits of it that come wrong, in the first and second of them
    unsigned silent_from = UINT_MAX; // from this one on the flash does not answer

    // A clock of the board; the level of the flash's output pin.
    bool step(bool select, bool clock, bool in)
    {
        if (busy > 0 && --busy == 0)
            end_program();
        if (select && !selected)
            bits = 0;
        if (!select && selected && bits % 8 == 0)
            end_command();
        if (select && clock && !clocked)
            take(in);
        if (!select)
            out = true;
        else if (!clock && clocked)
            out = bit_out();
        selected = select;
        clocked = clock;
        return out;
    }

    // What is being programmed reads as 0, as 1, or, until it is programmed again, as either.
    void lose_power()
    {
        for (const auto &one : pending) {
            uint8_t cleared = ~one.second & starts[one.first];
            starts[one.first] &= (uint8_t) ~(cleared & rand());
            weak[one.first] |= cleared & starts[one.first] & (uint8_t)rand();
        }
        pending.clear();
        busy = 0;
        lock_readings = 0;
        write_enabled = false;
        asleep = true;
    }

  private:
    bool selected = false, clocked = false, write_enabled = false, out = true;
    unsigned bits = 0;
    long busy = 0;
    uint8_t command = 0, shifted = 0;
    uint32_t address = 0;
    std::vector<std::pair<uint32_t, uint8_t>> data, pending; // place in starts, byte

    void take(bool in)
    {
        shifted = (uint8_t)(shifted << 1 | in);
        bits++;
        if (bits % 8 != 0)
            return;
        if (bits == 8) {
            command = shifted;
            data.clear();
        } else if (bits <= 32) {
            address = (address << 8 | shifted) & 0xffffff;
            lock_readings += bits == 32 && command == READ && address == PR_LOAD_LOCK;
        } else {
            uint32_t at = (address & ~(PAGE - 1u)) | ((address + bits / 8 - 5) & (PAGE - 1));
            data.emplace_back(at - PR_LOAD_STARTS, shifted);
        }
    }

    void end_command()
    {
        if (command == WAKE)
            asleep = false;
        if (asleep || busy > 0)
            return;
        if (command == WRITE_ENABLE && bits == 8)
            write_enabled = true;
        if (command == PROGRAM && write_enabled && !data.empty()) {
            write_enabled = false;
            if (write_protected)
                return;
            for (const auto &one : data)
                programmed_elsewhere |= one.first >= starts.size();
            if (!programmed_elsewhere)
                pending = data;
            busy = program_clocks;
        }
    }

    void end_program()
    {
        for (const auto &one : pending) {
            starts[one.first] &= one.second;
            weak[one.first] &= one.second;
        }
        pending.clear();
    }

    uint8_t byte_at(uint32_t at) const
    {
        if (at - PR_LOAD_STARTS < starts.size())
            return starts[at - PR_LOAD_STARTS] & (uint8_t) ~(weak[at - PR_LOAD_STARTS] & rand());
        if (at - PR_LOAD_LOCK < lock.size())
            return lock[at - PR_LOAD_LOCK];
        return at - content_at < content.size() ? content[at - content_at] : (uint8_t)rand();
    }

    uint8_t wrong_byte(unsigned at) const
    {
        bool of_lock = address == PR_LOAD_LOCK && at < 4 && lock_readings <= 2;
        return of_lock ? (uint8_t)(wrong_bits[lock_readings - 1] >> (24 - 8 * at)) : 0;
    }

    bool bit_out()
    {
        if (asleep || bits < 8 || lock_readings >= silent_from)
            return true;
        if (command == STATUS)
            shown = (uint8_t)(busy > 0 ? 3 : write_enabled << 1);
        else if (busy > 0)
            shown = (uint8_t)rand();
        else if (command == READ && bits >= 32 && bits % 8 == 0)
            shown = byte_at(address + (bits - 32) / 8) ^ wrong_byte((bits - 32) / 8);
        else if (command != READ || bits < 32)
            return true;
        return shown >> (7 - bits % 8) & 1;
    }

    uint8_t shown = 0;
};

template <typename Board> struct flash_model : flash_chip {
    void step(Board *site)
    {
        site->flash_in = flash_chip::step(!site->flash_select_n, site->flash_clock, site->flash_out);
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
