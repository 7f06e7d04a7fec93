// Two ends of four board links, each with a clock of its own, cables that faults hit, and a scoreboard of packets.
// SPDX-License-Identifier: ISC
#ifndef POSTROAD_TESTS_RTL_BOARD_LINK_BENCH_H
#define POSTROAD_TESTS_RTL_BOARD_LINK_BENCH_H

#include <array>
#include <cmath>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>

#include "Vboard_link_end.h"

namespace
{

constexpr int LINKS = 4, RATIO = BENCH_RATIO, WINDOW = 4096;
constexpr int TAG_ABORT = 1, TAG_END = 3, TAG_UNICAST = 7, TAG_DATA = 2, TAG_INFO = 6;
// Counters, of link 0 (hw/board_link/README.md, "Register").
constexpr int PERIODS_UP = 0x84, WORDS_DAMAGED = 0xa0, WORDS_RECEIVED = 0xa4, WORDS_SENT = 0xa8, DOWN_FRAMES = 0xb8,
              TRAININGS = 0xbc;
constexpr double CLOCK = 1000.0; // a clock of the links, in units of time; a bit is four

uint64_t random_state;

uint64_t draw()
{
    uint64_t z = random_state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

int below(int limit)
{
    return static_cast<int>((draw() >> 33) % static_cast<unsigned>(limit));
}

bool chance(double p)
{
    return static_cast<double>(draw() >> 11) < p * 0x1p53;
}

int failures;

void check(bool right, const char *format, ...)
{
    if (right)
        return;
    va_list arguments;
    va_start(arguments, format);
    std::printf("error: ");
    std::vprintf(format, arguments);
    std::printf("\n");
    va_end(arguments);
    if (++failures < 20)
        return;
    std::printf("FAIL\n");
    std::exit(3);
}

// Packets of one direction. Word i of packet n follows from n, i and the direction.
uint32_t mix(uint32_t n, uint32_t i, uint32_t direction)
{
    uint32_t z = n * 0x9e3779b1u ^ i * 0x85ebca77u ^ direction * 0xc2b2ae3du;
    z = (z ^ z >> 15) * 0x2c1b3c6du;
    return z ^ z >> 13;
}

struct Settings {
    double ppm[2] = {100, -100};
    double jitter = 0; // of each clock edge, of a clock
    double ber = 0;
    double glitches = 0;         // a receiver's clock that sees the wrong level
    int send = 900, take = 1000; // in 1000 clocks of the fabric
    int longest = 8;
    bool traffic = false;
    int stopped = 0;  // links whose far fabric takes nothing, bit LINKS * end + link
    int together = 0; // links of end 0 that load in the same clocks alone, as the branches of a multicast (M5)
} settings;

// What hits the line that leads to an end.
enum Cable { CONNECTED, PULLED, NOISE, STUCK_0, STUCK_1, LOOPED, CROSSED };

struct Direction {
    // sender
    uint32_t sent = 0, position = 0, length = 0;
    bool sending = false, by_abort = false;
    uint64_t sent_whole = 0, sent_words = 0;
    // receiver
    bool open = false, wrong = false;
    uint32_t packet = 0, index = 0, next_packet = 0;
    uint64_t good = 0, aborted = 0, corrupt = 0, damaged_words = 0, junk_heads = 0, late = 0, words = 0, stray = 0;
    // latency of words that were loaded when none was under way, in units of time
    double loaded = -1, least = 1e300, most = 0, sum = 0;
    uint64_t alone = 0;
    // line
    Cable cable = CONNECTED;
    int64_t next_error = -1;
    bool flipped = false;
    uint64_t flips = 0;
};

uint32_t packet_length(uint32_t n, uint32_t id, int longest)
{
    return mix(n, 0xffff, id) % static_cast<uint32_t>(longest);
}

uint32_t packet_word(uint32_t n, uint32_t i, uint32_t id)
{
    uint32_t tag = i == 0 ? TAG_INFO : TAG_DATA;
    return tag << 16 | (mix(n, i, id) & 0xffff);
}

uint32_t head(uint32_t n)
{
    return TAG_UNICAST << 16 | (n & 0xffff);
}

struct End {
    Vboard_link_end top;
    int number = 0;
    double next = 0;
    uint64_t clocks = 0;
    std::array<Direction, LINKS> out;        // from this end
    int reset_for = 0, fabric_reset_for = 0; // clocks
};

struct Bench {
    End end[2];
    double now = 0;

    Bench()
    {
        for (int e = 0; e < 2; e++) {
            end[e].number = e;
            end[e].next = e * 333.0;
            end[e].top.site_number = e ? 0x5aa5 : 0x1234;
            end[e].reset_for = 140; // longer than a frame, as that of power_on_reset
            end[e].fabric_reset_for = 140;
        }
    }

    int levels[2][LINKS] = {};

    // The level that the receiver of end e, link l, sees now.
    int level(int e, int l)
    {
        Direction &d = end[!e].out[l];
        bool own = false;
        int source = l;
        switch (d.cable) {
        case PULLED:
        case STUCK_0:
            return 0;
        case STUCK_1:
            return 1;
        case NOISE:
            return chance(0.15) ? levels[e][l] ^= 1 : levels[e][l];
        case LOOPED:
            own = true;
            break;
        case CROSSED:
            source = l ^ 3;
            break;
        default:
            source = l ^ 1;
        }
        int value = (end[own ? e : !e].top.line_out >> source & 1) ^ d.flipped;
        return value ^ (settings.glitches > 0 && chance(settings.glitches));
    }

    static int64_t error_distance()
    {
        if (settings.ber <= 0)
            return -1;
        double u = (static_cast<double>(draw() >> 11) + 1) * 0x1p-53;
        return static_cast<int64_t>(std::log(u) / std::log1p(-settings.ber));
    }

    void bit_errors(Direction &d)
    {
        if (settings.ber <= 0) {
            d.flipped = false;
            d.next_error = -1;
            return;
        }
        if (d.next_error < 0)
            d.next_error = error_distance();
        d.flipped = d.next_error == 0;
        d.next_error--;
        d.flips += d.flipped;
    }

    static uint32_t identity(int e, int l)
    {
        return static_cast<uint32_t>(e * LINKS + l);
    }

    void source(End &from, int l)
    {
        Direction &d = from.out[l];
        if (from.fabric_reset_for > 0) {
            if (d.sending)
                d.sent++;
            d.sending = false;
            from.top.source_word[l] = 0;
            return;
        }
        if (!(from.top.source_ready >> l & 1))
            return;
        from.top.source_word[l] = 0;
        if (from.number == 0 && settings.together >> l & 1 && settings.together & ~from.top.source_ready)
            return;
        if (below(1000) >= settings.send || (!d.sending && !settings.traffic))
            return;
        uint32_t id = identity(from.number, l);
        if (!d.sending) {
            d.sending = true;
            d.position = 0;
            d.length = packet_length(d.sent, id, settings.longest);
            d.by_abort = below(64) == 0;
            from.top.source_word[l] = head(d.sent);
        } else if (d.position < d.length) {
            from.top.source_word[l] = packet_word(d.sent, d.position++, id);
        } else {
            from.top.source_word[l] = (d.by_abort ? TAG_ABORT << 16 | (draw() & 0xffff) : TAG_END << 16);
            if (!d.by_abort)
                d.sent_whole++;
            d.sent++;
            d.sending = false;
        }
        d.loaded = d.sent_words == d.words ? now : -1;
        d.sent_words++;
    }

    void arrive(Direction &d, uint32_t id, uint32_t word)
    {
        uint32_t tag = word >> 16;
        d.words++;
        if (d.loaded >= 0) {
            double latency = now - d.loaded;
            d.alone++;
            d.sum += latency;
            d.least = latency < d.least ? latency : d.least;
            d.most = latency > d.most ? latency : d.most;
        }
        if (!d.open) {
            if (tag == TAG_ABORT || tag == TAG_END) {
                d.stray++;
                return;
            }
            d.open = true;
            d.index = 0;
            uint32_t ahead = (word - d.next_packet) & 0xffff;
            d.packet = d.next_packet + ahead;
            d.wrong = tag != TAG_UNICAST || d.packet > d.sent;
            d.junk_heads += d.wrong;
        } else if (tag == TAG_ABORT) {
            d.open = false;
            d.aborted++;
            if (!d.wrong)
                d.next_packet = d.packet + 1;
        } else if (tag == TAG_END) {
            d.open = false;
            if (d.wrong || word != TAG_END << 16 || d.index != packet_length(d.packet, id, settings.longest))
                d.corrupt++;
            else {
                d.good++;
                d.next_packet = d.packet + 1;
            }
        } else {
            if (!d.wrong && word != packet_word(d.packet, d.index, id)) {
                d.damaged_words++;
                d.wrong = true;
            }
            d.index++;
        }
    }

    std::function<void(int)> watch; // behind each clock of the end

    // One clock of an end. The inputs are those before the edge, as flops have them.
    void clock(End &e)
    {
        Vboard_link_end &top = e.top;
        bool fabric = e.clocks % RATIO == 0;
        int lines = 0;
        for (int l = 0; l < LINKS; l++)
            lines |= level(e.number, l) << l;
        top.line_in = lines;
        check(!fabric || top.fabric_reset || !top.unstable, "a word that waits is still: links %x", top.unstable);
        if (fabric && !top.fabric_reset)
            for (int l = 0; l < LINKS; l++)
                if ((top.sink_taken >> l & 1) && top.sink_word[l] >> 16)
                    arrive(end[!e.number].out[l ^ 1], identity(!e.number, l ^ 1), top.sink_word[l]);
        top.clk = 1;
        if (fabric)
            top.fabric_clk = 1;
        top.eval();
        top.clk = 0;
        top.fabric_clk = 0;
        if (fabric) {
            bool reset = e.reset_for > 0, fabric_reset = e.fabric_reset_for > 0;
            bool changes = top.reset != reset || top.fabric_reset != fabric_reset;
            top.reset = reset;
            top.fabric_reset = fabric_reset;
            if (e.reset_for > 0)
                e.reset_for--;
            if (changes)
                top.eval();
            int taken = 0;
            for (int l = 0; l < LINKS; l++) {
                source(e, l);
                taken |= (below(1000) < settings.take && !(settings.stopped >> (e.number * LINKS + l) & 1)) << l;
                if (e.fabric_reset_for > 0)
                    end[!e.number].out[l ^ 1].open = false;
            }
            if (e.fabric_reset_for > 0)
                e.fabric_reset_for--;
            top.sink_taken = taken;
        }
        if (e.clocks % 4 == 0)
            for (int l = 0; l < LINKS; l++)
                bit_errors(e.out[l]);
        top.eval();
        e.clocks++;
    }

    void run(double bits)
    {
        double end_time = now + bits * 4 * CLOCK;
        while (now < end_time) {
            End &e = end[end[1].next < end[0].next];
            now = e.next;
            clock(e);
            if (watch)
                watch(e.number);
            double period = CLOCK * (1 + settings.ppm[e.number] * 1e-6);
            e.next += period;
            if (settings.jitter > 0) {
                // The edge moves, the period does not.
                double offset = (chance(0.5) ? 1 : -1) * settings.jitter * CLOCK *
                                (static_cast<double>(below(1000)) / 1000);
                e.next += offset - last_offset[e.number];
                last_offset[e.number] = offset;
            }
        }
    }
    double last_offset[2] = {};

    int down() const
    {
        return end[0].top.link_down | end[1].top.link_down << 4;
    }

    bool in_reset() const
    {
        for (const End &e : end)
            if (e.reset_for > 0 || e.fabric_reset_for > 0)
                return true;
        return false;
    }

    // Bit times until every link is up, or -1.
    int wait_up(int limit)
    {
        for (int waited = 0; waited < limit; waited += 9) {
            if (down() == 0)
                return waited;
            run(9);
        }
        return -1;
    }

    struct Totals {
        uint64_t sent, good, aborted, corrupt, damaged, junk, stray, words, flips;
        int open;
    };

    Totals totals() const
    {
        Totals t = {};
        for (const End &e : end)
            for (const Direction &d : e.out) {
                t.sent += d.sent_whole;
                t.good += d.good;
                t.aborted += d.aborted;
                t.corrupt += d.corrupt;
                t.damaged += d.damaged_words;
                t.junk += d.junk_heads;
                t.stray += d.stray;
                t.words += d.words;
                t.flips += d.flips;
                t.open += d.open;
            }
        return t;
    }

    bool busy() const
    {
        for (const End &e : end)
            for (const Direction &d : e.out)
                if (d.sending || d.open)
                    return true;
        return false;
    }

    // Sends what was begun, and nothing more.
    void drain()
    {
        settings.traffic = false;
        int take = settings.take, send = settings.send;
        settings.take = settings.send = 1000;
        for (int i = 0; i < 100 && (i == 0 || busy()); i++)
            run(36 * 10);
        run(36 * 10);
        settings.take = take;
        settings.send = send;
    }

    // The traffic and the cables of one fault, then calm: everything is up again, no packet is open, and then all
    // arrives.
    template <class Fault> void fault(const char *name, Fault hit)
    {
        Totals before = totals();
        settings.traffic = true;
        run(36 * 60);
        hit();
        settings.ber = 0;
        settings.glitches = 0;
        int up = wait_up(20000);
        drain();
        Totals after = totals();
        check(up >= 0, "%s: links are still down: %02x", name, down());
        check(after.open == 0, "%s: %d packets without an end", name, after.open);
        check(after.corrupt == before.corrupt, "%s: %d damaged packets delivered as good", name,
              static_cast<int>(after.corrupt - before.corrupt));
        check(after.stray == before.stray, "%s: a terminator without a packet", name);
        std::printf("%-34s sent %6d good %6d aborted %5d damaged words %d junk heads %d, up in %d bit times\n", name,
                    static_cast<int>(after.sent - before.sent), static_cast<int>(after.good - before.good),
                    static_cast<int>(after.aborted - before.aborted), static_cast<int>(after.damaged - before.damaged),
                    static_cast<int>(after.junk - before.junk), up);
        clean(name);
    }

    // Without a fault all that is sent arrives.
    void clean(const char *name, double bits = 36 * 100)
    {
        Totals before = totals();
        settings.traffic = true;
        run(bits);
        drain();
        Totals after = totals();
        check(after.good - before.good == after.sent - before.sent, "%s: %d packets sent, %d arrived", name,
              static_cast<int>(after.sent - before.sent), static_cast<int>(after.good - before.good));
        check(after.open == 0 && after.damaged == before.damaged && after.junk == before.junk && down() == 0,
              "%s: not clean: %d open, links down %02x", name, after.open, down());
    }

    void cables(Cable cable, int which = 0xff)
    {
        for (int e = 0; e < 2; e++)
            for (int l = 0; l < LINKS; l++)
                if (which >> (e * LINKS + l) & 1)
                    end[e].out[l].cable = cable;
    }

    uint32_t read_register(int e, int row)
    {
        end[e].top.request = 1;
        end[e].top.wdata = row;
        run(RATIO);
        end[e].top.request = 0;
        int waited = 0;
        for (run(1); !(end[e].top.rdata >> 31) && waited < 100; waited++)
            run(1);
        check(waited <= 20, "the register is ready within 20 bit times");
        return end[e].top.rdata;
    }

    unsigned counter(int e, int row)
    {
        return read_register(e, row) & 0xffff;
    }
};

} // namespace

#endif
