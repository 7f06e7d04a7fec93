// Runs of two ends of four board links (bench.h).
// usage: board_link_bench [seed=N] [run=suite|states|stopped|words|latency|together|weak|theory] [words=N] [ber=X]
// [ppm=N] [jitter=PERCENT] [faults=N]
//   suite (default): every fault, one after the other. states: N drawn faults (all) in each state of a link. stopped: a
//   far end that takes nothing. words: N words a run with bit errors. together: the branches of a multicast. Exit
//   status 0: PASS, 3: FAIL.
// SPDX-License-Identifier: ISC
#include "bench.h"
#include "misplaced.h"
#include "states.h"
#include "weak.h"

#include <cstring>
#include <string>

namespace
{

// The counters of each link, in calm: what one end counts as sent the other end counts as received.
void counters(Bench &b, unsigned trainings)
{
    for (int e = 0; e < 2; e++)
        for (int l = 0; l < LINKS; l++) {
            unsigned sent = static_cast<unsigned>(b.end[e].out[l].sent_words);
            check(b.counter(e, WORDS_SENT + l) == (sent & 0xffff), "words sent by link %d", l);
            // A frame that is cut with its cable counts as damaged, too.
            unsigned damaged = b.counter(!e, WORDS_DAMAGED + (l ^ 1));
            check(damaged < trainings, "damaged words on link %d: %u", l ^ 1, damaged);
            check(((b.counter(!e, WORDS_RECEIVED + (l ^ 1)) - damaged) & 0xffff) == (sent & 0xffff),
                  "words received by link %d: %u of %u", l ^ 1, b.counter(!e, WORDS_RECEIVED + (l ^ 1)) - damaged,
                  sent);
            check(b.counter(e, TRAININGS + l) == trainings, "link %d has come up %u times", l, trainings);
            unsigned before = b.counter(e, PERIODS_UP + l);
            b.run(10 * 576);
            unsigned periods = (b.counter(e, PERIODS_UP + l) - before) & 0xffff;
            check(periods >= 10 && periods <= 11, "10 periods up on link %d, counted %u", l, periods);
        }
}

void suite(Bench &b)
{
    b.run(160);
    int waited = b.wait_up(20000);
    check(waited > 0, "the links come up");
    std::printf("up after power-on in %d bit times\n", waited);
    b.clean("clean", 36 * 400);
    for (int l = 0; l < LINKS; l++) {
        check((b.read_register(0, 0x80 | 2 << 2 | l) & 0xffff) == 0x5aa5, "far site of link %d", l);
        check((b.read_register(1, 2 << 2 | l) & 3) == static_cast<unsigned>(l ^ 1), "far port of link %d", l);
    }

    counters(b, 1);
    b.cables(PULLED);
    b.run(1300);
    unsigned up = b.counter(0, PERIODS_UP);
    b.run(6000);
    check(b.counter(0, PERIODS_UP) == up, "a link that is down is not up");
    check(b.counter(0, DOWN_FRAMES) > 80, "status frames while down");
    b.cables(CONNECTED);
    check(b.wait_up(800) >= 0, "the links come up again");
    b.clean("put back", 36 * 100);
    counters(b, 2);

    double ppms[][2] = {{200, -200}, {-200, 200}, {0, 0}, {1000, -1000}};
    for (auto &ppm : ppms) {
        settings.ppm[0] = ppm[0];
        settings.ppm[1] = ppm[1];
        b.clean("clocks apart", 36 * 200);
    }
    settings.ppm[0] = 200;
    settings.ppm[1] = -200;
    settings.jitter = 0.1;
    b.clean("jitter of 10 % of a clock", 36 * 200);
    settings.take = 2 * RATIO;
    b.clean("slow receivers", 36 * 1000);
    settings.take = 300;
    settings.send = 20;
    b.clean("slow senders", 36 * 400);
    settings.take = 1000;
    settings.send = 900;
    settings.longest = 600;
    b.clean("packets longer than a period", 36 * 3000);
    settings.longest = 8;

    for (double ber : {1e-4, 1e-3, 1e-2}) {
        char name[64];
        std::snprintf(name, sizeof name, "bit errors %g", ber);
        b.fault(name, [&] {
            settings.ber = ber;
            b.run(36 * 500);
        });
    }
    b.fault("glitches", [&] {
        settings.glitches = 1e-3;
        b.run(36 * 300);
    });
    for (int bits : {1, 7, 30, 100, 300, 700, 3000}) {
        char name[64];
        for (int i = 0; i < 3; i++) {
            std::snprintf(name, sizeof name, "cables pulled for %d bits", bits);
            b.fault(name, [&] {
                b.run(below(36));
                b.cables(PULLED);
                b.run(bits);
                b.cables(CONNECTED);
            });
        }
        std::snprintf(name, sizeof name, "one direction for %d bits", bits);
        b.fault(name, [&] {
            b.run(below(36));
            b.cables(PULLED, 0x0f);
            b.run(bits);
            b.cables(CONNECTED);
        });
        std::snprintf(name, sizeof name, "noise for %d bits", bits);
        b.fault(name, [&] {
            b.run(below(36));
            b.cables(NOISE);
            b.run(bits);
            b.cables(CONNECTED);
        });
        std::snprintf(name, sizeof name, "lines at 1 for %d bits", bits);
        b.fault(name, [&] {
            b.run(below(36));
            b.cables(STUCK_1, below(256));
            b.run(bits);
            b.cables(CONNECTED);
        });
    }
    for (int length : {1, 2, 5, 50, 500, 5000, 20000})
        for (int e = 0; e < 2; e++) {
            char name[64];
            std::snprintf(name, sizeof name, "reset of end %d for %d clocks", e, length);
            b.fault(name, [&] {
                b.run(below(144));
                b.end[e].reset_for = b.end[e].fabric_reset_for = (length + RATIO - 1) / RATIO;
                b.run(length / 4 + 2);
            });
            std::snprintf(name, sizeof name, "fabric reset of end %d for %d", e, length);
            b.fault(name, [&] {
                b.run(below(144));
                b.end[e].fabric_reset_for = (length + RATIO - 1) / RATIO;
                b.run(length / 4 + 2);
            });
        }
    b.fault("looped", [&] {
        b.cables(LOOPED);
        b.run(3000);
        for (int l = 0; l < LINKS; l++) {
            check((b.read_register(0, 0x80 | 2 << 2 | l) & 0xffff) == 0x1234, "looped: own site at link %d", l);
            check((b.read_register(0, 2 << 2 | l) & 3) == static_cast<unsigned>(l), "looped: own port at link %d", l);
        }
        check(b.down() == 0xff, "looped links are down");
        b.cables(CONNECTED);
    });
    b.fault("crossed", [&] {
        b.cables(CROSSED);
        b.run(3000);
        for (int l = 0; l < LINKS; l++)
            check((b.read_register(0, 2 << 2 | l) & 3) == static_cast<unsigned>(l ^ 3), "crossed: far port of link %d",
                  l);
        check(b.down() == 0xff, "crossed links are down");
        b.cables(CONNECTED);
    });
    b.fault("silent", [&] {
        b.cables(PULLED);
        b.run(3000);
        check(b.down() == 0xff, "silent links are down");
        b.cables(CONNECTED);
    });
    b.fault("open and noisy", [&] {
        b.cables(NOISE);
        b.run(60000);
        check(b.down() == 0xff, "noisy links are down");
        b.cables(CONNECTED);
    });
}

// The fabric behind link 0 of end 1 takes nothing. Link 1 of end 0 waits for two quarters of its time at least, and
// goes down in the third: what waits for it leaves, and all other links go on. It is up again when the fabric takes
// words.
void stopped(Bench &b)
{
    constexpr int PERIOD = 576, QUARTER = 2048 * PERIOD;
    b.run(160);
    check(b.wait_up(20000) > 0, "the links come up");
    b.run(100 * PERIOD);
    settings.traffic = true;
    settings.stopped = 1 << LINKS;
    Direction &held = b.end[0].out[1];
    b.run(36 * 100);
    uint64_t words = held.sent_words;
    b.run(2.0 * QUARTER);
    check(b.down() == 0 && held.sent_words == words, "the link waits: down %02x", b.down());
    b.run(1.0 * QUARTER);
    check(b.down() == 1 << 1, "the link that is stopped is down, and no other: %02x", b.down());
    check((b.read_register(0, 1) & 0x000f2800) == 0x000d2800, "the register shows a link that hears, and is stopped");
    uint64_t discarded = held.sent_words - words, others = b.end[0].out[0].good;
    check(discarded > 100, "what waited has left");
    b.run(36 * 100);
    check(b.end[0].out[0].good > others, "another link goes on");
    settings.stopped = 0;
    check(b.wait_up(800) >= 0, "the link comes up again");
    b.drain();
    check(b.totals().open == 0 && b.totals().corrupt == 0 && b.totals().stray == 0, "each packet has its end");
    b.clean("taken again");
    std::printf("stopped for ever: %llu words discarded\n", static_cast<unsigned long long>(discarded));
}

// From the clock in which a net_output loads a word to the one in which the far net_input has it, on idle links.
void latency(Bench &b, double count)
{
    b.run(160);
    b.wait_up(20000);
    settings.longest = 1;
    settings.traffic = true;
    settings.send = 1;
    while (static_cast<double>(b.totals().words) < count)
        b.run(36 * 1000);
    double least = 1e300, most = 0, sum = 0, words = 0, bit = 4 * CLOCK;
    for (const End &e : b.end)
        for (const Direction &d : e.out) {
            least = d.least < least ? d.least : least;
            most = d.most > most ? d.most : most;
            sum += d.sum;
            words += static_cast<double>(d.alone);
        }
    std::printf("%.0f words, ratio %d: %.1f to %.1f bit times, mean %.1f\n", words, RATIO, least / bit, most / bit,
                sum / words / bit);
    check(most / bit < 130, "a word takes at most two places, its frame, and a turn of the engine");
}

// A multicast takes a word in every place on up to three links, whichever they are. On four it misses places.
void together(Bench &b)
{
    constexpr int PLACES = 200;
    b.run(160);
    b.wait_up(20000);
    settings.traffic = true;
    settings.send = settings.take = 1000;
    settings.longest = 2000;
    for (int links = 1; links < 1 << LINKS; links++) {
        int first = __builtin_ctz(links);
        settings.together = links;
        b.run(36 * 10);
        uint64_t words = b.end[0].out[first].sent_words;
        b.run(36 * PLACES);
        words = b.end[0].out[first].sent_words - words;
        if (links == (1 << LINKS) - 1)
            std::printf("on all links: %.1f bit times a word\n", 36.0 * PLACES / static_cast<double>(words));
        else
            check(words > 0.95 * PLACES, "links %x carry %d words in %d places", links, static_cast<int>(words),
                  PLACES);
    }
    settings.together = 0;
    b.drain();
    check(b.totals().corrupt == 0 && b.totals().good == b.totals().sent, "each packet arrives");
}

void words(Bench &b, double count)
{
    b.run(160);
    b.wait_up(20000);
    double ber = settings.ber;
    settings.traffic = true;
    while (static_cast<double>(b.totals().words) < count)
        b.run(36 * 1000);
    settings.ber = 0;
    b.drain();
    b.wait_up(20000);
    Bench::Totals t = b.totals();
    std::printf(
        "ber %g: words %.0f sent %.0f good %.0f aborted %.0f flips %.0f damaged words %.0f junk heads %.0f corrupt %.0f\n",
        ber, double(t.words), double(t.sent), double(t.good), double(t.aborted), double(t.flips), double(t.damaged),
        double(t.junk), double(t.corrupt));
    check(t.corrupt == 0, "corrupt packets");
    check(t.open == 0, "packets without an end");
    check(ber > 0 || t.good == t.sent, "packets lost");
}

} // namespace

int main(int argc, char **argv)
{
    uint64_t seed = 1;
    double count = 1e6;
    int faults = EVENTS;
    std::string run = "suite";
    for (int i = 1; i < argc; i++) {
        double value = std::atof(std::strchr(argv[i], '=') ? std::strchr(argv[i], '=') + 1 : "");
        if (!std::strncmp(argv[i], "seed=", 5))
            seed = static_cast<uint64_t>(value);
        else if (!std::strncmp(argv[i], "run=", 4))
            run = argv[i] + 4;
        else if (!std::strncmp(argv[i], "words=", 6))
            count = value;
        else if (!std::strncmp(argv[i], "ber=", 4))
            settings.ber = value;
        else if (!std::strncmp(argv[i], "ppm=", 4))
            settings.ppm[0] = value, settings.ppm[1] = -value;
        else if (!std::strncmp(argv[i], "jitter=", 7))
            settings.jitter = value / 100;
        else if (!std::strncmp(argv[i], "faults=", 7) && value >= 1 && value <= EVENTS)
            faults = static_cast<int>(value);
        else {
            std::fprintf(stderr, "%s: expected seed=, run=, words=, ber=, ppm=, jitter= or faults=1 to 8\n", argv[i]);
            return 1;
        }
    }
    std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
    random_state = seed * 7919 + 17;
    Bench *bench = new Bench;
    if (run == "suite")
        suite(*bench);
    else if (run == "states")
        every_state(*bench, faults);
    else if (run == "stopped")
        stopped(*bench);
    else if (run == "latency")
        latency(*bench, count);
    else if (run == "together")
        together(*bench);
    else if (run == "weak")
        weak(*bench, count);
    else if (run == "theory")
        print_theory(), print_misplaced();
    else
        words(*bench, count);
    std::printf("%s\n", failures ? "FAIL" : "PASS");
    return failures ? 3 : 0;
}
