// bench: boards with real fabrics and board links, each with a clock of its own, cabled to a grid. It sends packets,
// disturbs lines and boards, and checks what arrives: each packet at its target, once, whole or not at all; and that
// everything comes to rest. usage: bench WIDTHxHEIGHT KINDS SEED (latency | traffic | load | faults) [PACKETS]
//   KINDS  a letter a board, repeated: e eager, w whole words, s the shared engine
// SPDX-License-Identifier: ISC
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "Vboard_eager.h"
#include "Vboard_shared.h"
#include "Vboard_whole.h"

namespace
{

constexpr double kPicoseconds = 20000; // of a clock, nominal: 50 MHz
constexpr int kLinks = 4, kBit = 4;
constexpr uint32_t kAbort = 1, kData = 2, kEnd = 3, kMulticast = 5, kUnicast = 7, kLocalEnd = 11;

uint64_t random_state;
uint32_t below(uint32_t limit)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<uint32_t>((random_state >> 33) % limit);
}

int errors;
void error(const char *what, int site, int number)
{
    if (errors++ < 10)
        printf("error: %s: board %d, packet %d\n", what, site, number);
}

struct Ports {
    uint32_t line_in = 0, line_out = 0, send = 0, send_wait = 0, receive = 0, receive_wait = 0, down = 0xf;
    bool quiet = false, reset = true, fabric_reset = false;
};

struct Board {
    virtual ~Board() = default;
    virtual void place(int x, int y, int size_x, int size_y) = 0;
    virtual void edge(
        Ports &ports) = 0; // one rising edge; ports has the inputs before it, and gets the outputs behind it
    virtual void settle(Ports &ports) = 0; // new inputs
};

template <class Model> struct BoardOf : Board {
    Model model;
    void place(int x, int y, int size_x, int size_y) override
    {
        model.x = x, model.y = y, model.size_x = size_x, model.size_y = size_y;
    }
    void inputs(const Ports &ports)
    {
        model.line_in = ports.line_in, model.send = ports.send, model.receive_wait = ports.receive_wait;
        model.reset = ports.reset, model.fabric_reset = ports.fabric_reset;
    }
    void outputs(Ports &ports)
    {
        ports.line_out = model.line_out, ports.send_wait = model.send_wait, ports.receive = model.receive;
        ports.down = model.link_down, ports.quiet = model.quiet;
    }
    void edge(Ports &ports) override
    {
        inputs(ports);
        model.clk = 1, model.eval();
        outputs(ports);
    }
    void settle(Ports &ports) override
    {
        inputs(ports);
        model.clk = 0, model.eval();
        outputs(ports);
    }
};

std::unique_ptr<Board> make_board(char kind)
{
    if (kind == 's')
        return std::make_unique<BoardOf<Vboard_shared>>();
    if (kind == 'w')
        return std::make_unique<BoardOf<Vboard_whole>>();
    if (kind == 'e')
        return std::make_unique<BoardOf<Vboard_eager>>();
    fprintf(stderr, "bench: '%c': expected e, w or s\n", kind);
    exit(1);
}

struct Packet {
    int source, target, words, arrived = 0;
    bool multicast = false, probe = false; // sent after the faults: it must arrive
    double shown = 0, head = 0, end = 0;
};

struct Site {
    std::unique_ptr<Board> board;
    Ports ports;
    double period, next, head = 0;
    std::deque<uint32_t> sending;
    std::vector<uint32_t> received;
    int stall = 0, reset_clocks = 4, fabric_reset_clocks = 0;
    uint64_t clocks = 0;
};

struct Cable {
    int site = -1, link = -1; // the far end that drives it
    bool pulled = false, noisy = false;
};

int width, height;
std::vector<Site> sites;
std::vector<Cable> cables; // [site * kLinks + link]: what the receiver there listens to
std::vector<Packet> packets;
double now;
int flips_per_million, flipped;
uint32_t multicast_percent = 20;
int stall = 2; // of a thousand clocks, in which a target begins to take nothing for a while
std::function<void(int, uint32_t, uint32_t)> line_watch;

uint32_t word_of(int number, int k)
{
    return k == 0 ? number : (number * 40503u + k * 30011u) & 0xffff;
}

int submit(int source, int target, int words, bool multicast, bool probe)
{
    int number = static_cast<int>(packets.size());
    Packet packet;
    packet.source = source, packet.target = target, packet.words = words, packet.probe = probe,
    packet.multicast = multicast;
    packets.push_back(packet);
    auto &queue = sites[source].sending;
    // A multicast may be deferred (M11): its operator would send it on.
    queue.push_back((multicast ? kMulticast : kUnicast) << 16 | (target / width) << 7 | target % width);
    for (int k = 0; k < words; k++)
        queue.push_back(kData << 16 | word_of(number, k));
    queue.push_back(kEnd << 16);
    return number;
}

void deliver(int at, uint32_t tag, bool strict)
{
    auto &words = sites[at].received;
    if (tag == kAbort || words.empty())
        return;
    int number = static_cast<int>(words[0]);
    if (number >= static_cast<int>(packets.size()))
        return error("no such packet", at, number);
    Packet &packet = packets[number];
    bool same = static_cast<int>(words.size()) == packet.words;
    for (size_t k = 0; same && k < words.size(); k++)
        same = words[k] == word_of(number, static_cast<int>(k));
    if (!same)
        return error("changed", at, number);
    if (packet.target != at && !packet.multicast)
        return strict ? error("elsewhere", at, number) : (void)0;
    if (packet.arrived++)
        error("twice", at, number);
    packet.end = now;
}

void receive(int at, bool strict)
{
    Site &site = sites[at];
    uint32_t tag = site.ports.receive >> 16, word = site.ports.receive & 0xffff;
    if (tag == 0 || site.ports.receive_wait)
        return;
    if (tag == kUnicast || tag == kMulticast)
        site.head = now;
    if (tag == kData) {
        if (site.received.empty() && word < packets.size() && !packets[word].head)
            packets[word].head = site.head;
        site.received.push_back(word);
    }
    if (tag == kAbort || tag == kEnd || tag == kLocalEnd) {
        deliver(at, tag, strict);
        site.received.clear();
    }
}

uint32_t lines_of(int at)
{
    uint32_t lines = 0;
    for (int l = 0; l < kLinks; l++) {
        const Cable &cable = cables[at * kLinks + l];
        uint32_t bit = cable.site >= 0 && !cable.pulled ? sites[cable.site].ports.line_out >> cable.link & 1 : 0;
        if (cable.pulled && cable.noisy)
            bit = below(2);
        if (flips_per_million && cable.site >= 0 && below(1000000) < static_cast<uint32_t>(flips_per_million))
            bit ^= 1, flipped++;
        lines |= bit << l;
    }
    return lines;
}

// One clock of the board whose edge is next.
void step(bool strict, int stall_percent)
{
    int at = 0;
    for (size_t k = 1; k < sites.size(); k++)
        if (sites[k].next < sites[at].next)
            at = static_cast<int>(k);
    Site &site = sites[at];
    now = site.next;
    site.next += site.period;
    site.clocks++;

    if (!site.ports.reset && !site.ports.fabric_reset)
        receive(at, strict);
    bool taken = site.ports.send && !site.ports.send_wait && !site.ports.reset && !site.ports.fabric_reset;
    uint32_t before = site.ports.line_out;
    site.ports.line_in = lines_of(at);
    site.board->edge(site.ports);
    if (line_watch && site.ports.line_out != before)
        line_watch(at, before, site.ports.line_out);

    if (taken)
        site.sending.pop_front();
    if (site.reset_clocks)
        site.reset_clocks--;
    if (site.fabric_reset_clocks)
        site.fabric_reset_clocks--;
    bool was_reset = site.ports.reset || site.ports.fabric_reset;
    site.ports.reset = site.reset_clocks > 0;
    site.ports.fabric_reset = site.fabric_reset_clocks > 0;
    if ((site.ports.reset || site.ports.fabric_reset) && !was_reset) { // the packet under way breaks off
        site.received.clear();
        while (!site.sending.empty() && site.sending.front() >> 16 < kMulticast)
            site.sending.pop_front();
    }
    if (site.stall == 0 && below(1000) < static_cast<uint32_t>(stall_percent))
        site.stall = static_cast<int>(below(3000));
    if (site.stall)
        site.stall--;
    site.ports.receive_wait = site.stall > 0;
    site.ports.send = site.sending.empty() ? 0 : site.sending.front();
    if (site.ports.send >> 16 >= kMulticast) {
        Packet &packet = packets[site.sending[1] & 0xffff];
        if (!packet.shown)
            packet.shown = now;
    }
    site.board->settle(site.ports);
}

bool all_up()
{
    for (size_t at = 0; at < sites.size(); at++)
        for (int l = 0; l < kLinks; l++)
            if (cables[at * kLinks + l].site >= 0 && sites[at].ports.down >> l & 1)
                return false;
    return true;
}

bool at_rest()
{
    for (auto &site : sites)
        if (!site.sending.empty() || !site.ports.quiet || site.ports.send)
            return false;
    return true;
}

// Runs until `done`, or for so many clocks of a board. True if done.
bool run_until(const std::function<bool()> &done, double clocks, bool strict, int stall_percent)
{
    double end = now + clocks * kPicoseconds;
    int k = 0;
    while (now < end) {
        step(strict, stall_percent);
        if (++k % 64 == 0 && done())
            return true;
    }
    return done();
}

void run(double clocks)
{
    run_until([] { return false; }, clocks, true, 0);
}

void build(const char *kinds)
{
    int count = width * height;
    sites.resize(count);
    cables.resize(count * kLinks);
    for (int at = 0; at < count; at++) {
        int x = at % width, y = at / width;
        Site &site = sites[at];
        site.board = make_board(kinds[at % strlen(kinds)]);
        site.board->place(x, y, width, height);
        site.period = kPicoseconds * (1 + (static_cast<int>(below(401)) - 200) * 1e-6);
        site.next = below(20000);
        int dx[] = {1, -1, 0, 0}, dy[] = {0, 0, 1, -1};
        for (int l = 0; l < kLinks; l++) {
            int far_x = x + dx[l], far_y = y + dy[l];
            if (far_x < 0 || far_y < 0 || far_x >= width || far_y >= height)
                continue;
            cables[at * kLinks + l].site = far_y * width + far_x;
            cables[at * kLinks + l].link = l ^ 1;
        }
    }
}

void all_arrived(int from)
{
    for (size_t k = from; k < packets.size(); k++)
        if (packets[k].arrived != 1 && !packets[k].multicast)
            error(packets[k].arrived ? "more than once" : "lost", packets[k].target, static_cast<int>(k));
}

void random_packet(bool probe)
{
    int count = width * height, source = static_cast<int>(below(count)), target = static_cast<int>(below(count - 1));
    submit(source, target + (target >= source), 1 + static_cast<int>(below(12)), below(100) < multicast_percent, probe);
}

void train()
{
    if (!run_until(all_up, 40000, true, 0))
        error("links do not come up", 0, 0);
}

// A packet of WORDS data words from end to end of an idle line, again and again.
void latency(int rounds)
{
    double first = 0, best = 1e18, worst = 0, whole = 0, pin = 0;
    std::vector<double> heads;
    int pins = 0, last = width * height - 1, words = 4;
    std::vector<double> rise(sites.size());
    std::vector<bool> fresh(sites.size(), true);
    line_watch = [&](int at, uint32_t before, uint32_t after) {
        if (!(after & ~before & 1) || !fresh[at])
            return; // link 0, east
        fresh[at] = false, rise[at] = now;
    };
    for (int k = 0; k < rounds; k++) {
        run(3000 + below(1000));
        for (size_t at = 0; at < sites.size(); at++)
            fresh[at] = true, rise[at] = 0;
        int number = submit(0, last, words, false, true);
        if (!run_until([&] { return packets[number].arrived > 0; }, 60000, true, 0))
            error("late", last, number);
        const Packet &packet = packets[number];
        double head = packet.head - packet.shown;
        heads.push_back(head);
        first += head, whole += packet.end - packet.shown;
        best = std::min(best, head), worst = std::max(worst, head);
        for (int at = 1; at < last; at++)
            if (rise[at] > rise[at - 1] && rise[at] - rise[at - 1] < 40 * kBit * kPicoseconds)
                pin += rise[at] - rise[at - 1], pins++;
    }
    std::sort(heads.begin(), heads.end());
    double bit = kBit * kPicoseconds;
    printf(
        "%d boards: first word %.1f bit times (%.0f ns), median %.1f, least %.1f, most %.1f; terminator %.1f (%.0f ns); "
        "pin to pin %.2f (%d)\n",
        width * height, first / rounds / bit, first / rounds / 1000, heads[heads.size() / 2] / bit, best / bit,
        worst / bit, whole / rounds / bit, whole / rounds / 1000, pins ? pin / pins / bit : 0, pins);
}

void traffic(int count)
{
    for (int k = 0; k < count; k++)
        random_packet(true);
    double began = now;
    if (!run_until(at_rest, 400000 + 3000.0 * count, true, stall))
        error("does not come to rest", 0, 0);
    double taken = now - began;
    run(60000);
    all_arrived(0);
    long words = 0;
    for (auto &packet : packets)
        words += packet.words + 2;
    printf("%d packets, %ld words in %.0f bit times: %.4f words a board and bit time\n", count, words,
           taken / kPicoseconds / kBit, words / (taken / kPicoseconds / kBit) / (width * height));
}

void one_fault()
{
    int count = width * height, at = static_cast<int>(below(count));
    switch (below(6)) {
    case 0:
    case 1:
        flips_per_million = 1 << below(14);
        break;
    case 2:
    case 3: { // a cable, or one of its wires
        Cable &cable = cables[at * kLinks + below(kLinks)];
        cable.pulled = true, cable.noisy = below(2);
        if (cable.site >= 0 && below(2))
            cables[cable.site * kLinks + cable.link].pulled = true;
        break;
    }
    case 4:
        sites[at].reset_clocks = 1 + static_cast<int>(below(3000));
        break;
    case 5:
        sites[at].fabric_reset_clocks = 1 + static_cast<int>(below(3000));
        break;
    }
}

void faults(int rounds)
{
    int good = 0, all = 0;
    for (int k = 0; k < rounds; k++) {
        size_t before = packets.size();
        for (int p = 0; p < 10 * width * height; p++)
            random_packet(false);
        for (int f = 0; f < 4; f++) {
            run_until([] { return false; }, 500 + below(8000), false, 2);
            one_fault();
        }
        run_until([] { return false; }, 500 + below(30000), false, 2);
        flips_per_million = 0;
        for (auto &cable : cables)
            cable.pulled = cable.noisy = false;
        if (!run_until(all_up, 60000, false, 0))
            error("links do not come up again", 0, k);
        if (!run_until(at_rest, 3000000, false, 0))
            error("does not come to rest", 0, k);
        run_until([] { return false; }, 60000, false, 0);
        for (size_t p = before; p < packets.size(); p++)
            good += packets[p].arrived, all++;
        size_t probes = packets.size();
        for (int p = 0; p < 3 * width * height; p++)
            random_packet(true);
        if (!run_until(at_rest, 1000000, true, 0))
            error("probes do not come to rest", 0, k);
        run(60000);
        all_arrived(static_cast<int>(probes));
        if (errors)
            break;
    }
    printf("%d rounds: %d of %d packets arrived among faults, %d samples flipped\n", rounds, good, all, flipped);
}

} // namespace

int main(int argc, char **argv)
{
    if (argc < 5 || sscanf(argv[1], "%dx%d", &width, &height) != 2) {
        fprintf(stderr, "usage: bench WIDTHxHEIGHT KINDS SEED (latency | traffic | load | faults) [COUNT]\n");
        return 1;
    }
    uint64_t seed = strtoull(argv[3], nullptr, 0);
    printf("seed %llu\n", static_cast<unsigned long long>(seed));
    random_state = seed * 7919 + 17;
    int count = argc > 5 ? atoi(argv[5]) : 20;
    build(argv[2]);
    train();
    std::string what = argv[4];
    if (what == "load")
        what = "traffic", multicast_percent = 0, stall = 0;
    if (what == "latency")
        latency(count);
    if (what == "traffic")
        traffic(count);
    if (what == "faults")
        faults(count);
    sites.clear();
    printf("%s\n", errors ? "FAIL" : "PASS");
    return errors ? 3 : 0;
}
