// run=weak: how many damaged words are delivered in packets that count as good, with a CRC that is so short that it
// happens (tests/rtl/board_link/weak), and how many the theory expects. The strong CRC follows from the same theory.
//
// A frame has N = 24 + C bits that the receiver compares: 24 of header and word, C of the check byte. Wrong bits pass
// if they leave the CRC of R bits as it was and touch neither `first`, nor the port, nor the check bits. If A[w] such
// patterns of w wrong bits change tag or word, and bits are wrong with p, of the words of packets that count as good
// there are wrong
//   u = sum of A[w] p^w (1 - p)^(N-w), divided by (1 - p)^N = sum of A[w] (p / (1 - p))^w
// This leaves out frames that begin at a wrong bit (README.md, "Errors").
// SPDX-License-Identifier: ISC
#ifndef POSTROAD_TESTS_RTL_BOARD_LINK_WEAK_H
#define POSTROAD_TESTS_RTL_BOARD_LINK_WEAK_H

#include "bench.h"

namespace
{

constexpr uint32_t POLYNOMIAL = BENCH_POLYNOMIAL; // without its leading term, the first bit on the line is bit 15
constexpr int FRAME_BITS = 24;

bool passes_on(uint32_t tag)
{
    return tag != 0 && tag != TAG_ABORT && tag != TAG_END;
}

// A[w] of words that have this tag.
std::array<double, FRAME_BITS + 1> undetected(uint32_t tag)
{
    const std::array<int, 21> places = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 18, 19, 21, 22, 23};
    std::array<uint32_t, 21> remainders;
    for (size_t i = 0; i < places.size(); i++) {
        uint32_t crc = POLYNOMIAL;
        for (int k = 0; k < places[i]; k++)
            crc = (crc << 1 ^ (crc >> 15 & 1 ? POLYNOMIAL : 0)) & 0xffff;
        remainders[i] = crc;
    }
    std::array<double, FRAME_BITS + 1> count = {};
    uint32_t crc = 0, pattern = 0;
    for (uint32_t k = 1; k < 1u << places.size(); k++) { // Gray code: one bit changes at a time
        int i = __builtin_ctz(k);
        crc ^= remainders[i];
        pattern ^= 1u << i;
        bool changes = (pattern & 0xffff) || pattern >> 18;
        if (crc == 0 && changes && passes_on(tag ^ pattern >> 18))
            count[__builtin_popcount(pattern)]++;
    }
    return count;
}

double wrong_words(uint32_t tag, double p)
{
    double sum = 0, power = 1;
    for (double count : undetected(tag)) {
        sum += count * power;
        power *= p / (1 - p);
    }
    return sum;
}

void print_theory()
{
    for (uint32_t tag : {TAG_UNICAST, TAG_INFO, TAG_DATA}) {
        std::array<double, FRAME_BITS + 1> count = undetected(tag);
        std::printf("tag %u, undetected patterns:", tag);
        for (size_t w = 0; w < count.size(); w++)
            if (count[w] > 0)
                std::printf(" %.0f of %zu bits", count[w], w);
        std::printf("; of the words are wrong: %.2g at 1e-3, %.2g at 1e-4\n", wrong_words(tag, 1e-3),
                    wrong_words(tag, 1e-4));
    }
}

// Packets of one word: every wrong packet has one wrong word.
void weak(Bench &b, double count)
{
    double p = settings.ber;
    settings.longest = 1;
    settings.traffic = true;
    while (static_cast<double>(b.totals().words) < count)
        b.run(36 * 1000);
    settings.ber = 0;
    b.wait_up(20000);
    b.drain();
    Bench::Totals t = b.totals();
    double arrived = static_cast<double>(t.good + t.corrupt), expected = arrived * wrong_words(TAG_UNICAST, p);
    double difference = (static_cast<double>(t.corrupt) - expected) / std::sqrt(expected);
    std::printf(
        "bit errors %g: %.0f packets of one word arrived as good, %.0f of them wrong, expected %.1f, off by %.1f sigma\n",
        p, arrived, static_cast<double>(t.corrupt), expected, difference);
    check(std::fabs(difference) < 4, "theory and measurement differ");
}

} // namespace

#endif
