// run=theory: frames that a receiver reads in a wrong place, because a wrong bit hid the start bit, or looked like one
// in one of the three bits before it. With which probability is such a frame taken for a good one that ends no packet,
// and leaves the sum of the packet as the sender has it? Every bit is a linear form of the words on the line and the
// sum before the frame. What has to hold is a system of linear equations, and its rank r gives the probability 2^-r.
// Shifts of more than three bits run into the next frame. SPDX-License-Identifier: ISC
#ifndef POSTROAD_TESTS_RTL_BOARD_LINK_MISPLACED_H
#define POSTROAD_TESTS_RTL_BOARD_LINK_MISPLACED_H

#include "weak.h"

#include <algorithm>
#include <vector>

namespace
{

// A linear form: bit 0 is the constant, bits 1 to 16 are the sum before the frame, bits 17 to 32 the word.
using Form = uint64_t;
using Forms = std::vector<Form>;

Forms constants(uint32_t value, int width)
{
    Forms forms;
    for (int i = width - 1; i >= 0; i--)
        forms.push_back(value >> i & 1);
    return forms;
}

Forms sum_behind(Forms sum, const Forms &bits)
{
    for (Form bit : bits) {
        Form top = sum[0] ^ bit;
        sum.erase(sum.begin());
        sum.push_back(0);
        for (int i = 0; i < 16; i++)
            if (POLYNOMIAL >> (15 - i) & 1)
                sum[static_cast<size_t>(i)] ^= top;
    }
    return sum;
}

// The rank of forms that all have to be 0, or -1 if that is impossible.
int rank_of(const Forms &forms)
{
    Forms rows;
    for (Form form : forms) {
        for (Form row : rows)
            form = std::min(form, form ^ row);
        if (form == 1)
            return -1;
        if (form != 0)
            rows.push_back(form);
    }
    return static_cast<int>(rows.size());
}

struct Header {
    uint32_t tag, first, report, port;
};

// The rank for one kind of frame and one shift: `early` bits before its start bit, or behind it if that is negative.
// -1: such a frame is noticed.
int misplaced(const Header &header, int early)
{
    Forms before, word;
    for (int i = 0; i < 16; i++) {
        before.push_back(Form(2) << i);
        word.push_back(Form(1) << (17 + i));
    }
    Forms begun = header.first || header.tag == 0 ? constants(0xffff, 16) : before;
    Forms data = constants(header.tag << 5 | header.first << 4 | header.report << 2 | header.port, 8);
    if (header.tag == TAG_ABORT || header.tag == TAG_END)
        word = sum_behind(begun, data);
    data.insert(data.end(), word.begin(), word.end());
    Forms sum = sum_behind(begun, data);

    const size_t START = 3;
    Forms line(START, 0);
    line.push_back(early > 0);
    line.insert(line.end(), data.begin(), data.end());
    line.insert(line.end(), sum.begin(), sum.begin() + 8);
    line.resize(line.size() + 8, 0);
    size_t start = START - static_cast<size_t>(early);
    if (early > 0)
        line[start] = 1;
    for (size_t i = START; i < start; i++)
        if (line[i] != 0)
            return -1; // another place
    if (line[start] != 1)
        return -1;

    Forms got(line.begin() + static_cast<int>(start) + 1, line.begin() + static_cast<int>(start) + 33);
    uint32_t tag = static_cast<uint32_t>(got[0] << 2 | got[1] << 1 | got[2]), first = static_cast<uint32_t>(got[3]);
    // `first` within a packet ends it; without a packet only a first word counts, and none follows a status frame.
    if (first != header.first || (first && (tag == 0 || header.tag == 0)))
        return -1;
    size_t end = std::max(start + 34, START + 33); // an idle bit, and no start before the frame's end
    Forms zero(line.begin() + static_cast<int>(start) + 33, line.begin() + static_cast<int>(end));
    zero.push_back(got[6] ^ (header.port >> 1));
    zero.push_back(got[7] ^ (header.port & 1));
    // What the receiver takes the sum to be, and what the sender goes on with. A status frame changes neither.
    Forms expected = sum_behind(first || tag == 0 ? constants(0xffff, 16) : before,
                                Forms(got.begin(), got.begin() + 24));
    for (size_t i = 0; i < 8; i++)
        zero.push_back(expected[i] ^ got[24 + i]);
    for (size_t i = 0; i < 16; i++)
        zero.push_back((tag == 0 ? before : expected)[i] ^ (header.tag == 0 ? before : sum)[i]);
    return rank_of(zero);
}

void print_misplaced()
{
    int least = 99, kinds = 0;
    for (uint32_t tag = 0; tag < 8; tag++)
        for (uint32_t rest = 0; rest < 32; rest++)
            for (int early = -3; early <= 3; early++) {
                int rank = early == 0 ? -1 : misplaced({tag, rest >> 4, rest >> 2 & 3, rest & 3}, early);
                kinds += rank >= 0;
                least = rank >= 0 && rank < least ? rank : least;
            }
    std::printf("frames in a wrong place: %d kinds of 1536 can pass, with 2^-%d or less\n", kinds, least);
    check(least >= 25, "a frame in a wrong place passes with 2^-25");
}

} // namespace

#endif
