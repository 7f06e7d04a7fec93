// bench: boards with real fabrics and board links, each with a clock of its own, cabled to a grid. It sends packets,
// disturbs lines and boards, and checks what arrives: each packet at its target, once, whole or not at all; and that
// everything comes to rest. Its operators send what they get for others on (rules O1, O2).
// usage: bench MESH KINDS SEED (latency | traffic | load | faults) [COUNT]
//   MESH   WIDTHxHEIGHT, torus:WIDTHxHEIGHT, cube:BOARDS
//   KINDS  a letter a board, repeated: e eager, w whole words, s the shared engine; 2, 4 eager with a fabric that has a
//   half
//          or a fourth of the links' clock. Boards of a hypercube are eager ones without guesses
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

#include "Vboard_cube.h"
#include "Vboard_eager.h"
#include "Vboard_half.h"
#include "Vboard_quarter.h"
#include "Vboard_shared.h"
#include "Vboard_whole.h"

namespace
{

constexpr double kPicoseconds = 20000; // of a clock, nominal: 50 MHz
constexpr int kLinks = 4, kBit = 4;
constexpr uint32_t kAbort = 1, kData = 2, kEnd = 3, kMulticast = 5, kUnicast = 7, kLocalEnd = 11;
constexpr uint32_t kWord = 0x7ffff, kHead = 1 << 20; // of a word that is to be sent: tag and word; it begins a packet
constexpr uint32_t kDamaged = 0xa0;                  // the row of link 0
constexpr uint32_t kMark = 0x8000;                   // of a site word: a path (M10), or deferred (M11)

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
    uint32_t row = 0, shown = 0; // of the links' register
    bool quiet = false, reset = true, fabric_reset = false;
};

struct Board {
    virtual ~Board() = default;
    int ratio = 1; // of the links' clock to the fabric's
    virtual void place(int address, int size_x, int size_y, bool torus) = 0;
    // One rising edge of clk, and of the fabric's clock; ports has the inputs before it, and gets the outputs behind
    // it.
    virtual void edge(Ports &ports, bool fabric) = 0;
    virtual void settle(Ports &ports) = 0; // new inputs
};

template <class Model> struct BoardOf : Board {
    Model model;
    explicit BoardOf(int model_ratio)
    {
        ratio = model_ratio;
    }
    void place(int address, int size_x, int size_y, bool torus) override
    {
        model.address = address, model.size_x = size_x, model.size_y = size_y, model.torus = torus;
    }
    void inputs(const Ports &ports)
    {
        model.line_in = ports.line_in, model.send = ports.send, model.receive_wait = ports.receive_wait;
        model.reset = ports.reset, model.fabric_reset = ports.fabric_reset;
        model.request = 1, model.wdata = static_cast<uint8_t>(ports.row);
    }
    void outputs(Ports &ports)
    {
        ports.line_out = model.line_out, ports.send_wait = model.send_wait, ports.receive = model.receive;
        ports.down = model.link_down, ports.quiet = model.quiet, ports.shown = model.rdata;
    }
    void edge(Ports &ports, bool fabric) override
    {
        inputs(ports);
        model.clk = 1, model.fabric_clk = fabric, model.eval();
        outputs(ports);
    }
    void settle(Ports &ports) override
    {
        inputs(ports);
        model.clk = 0, model.fabric_clk = 0, model.eval();
        outputs(ports);
    }
};

bool cube, torus;

std::unique_ptr<Board> make_board(char kind)
{
    if (cube && kind == 'e')
        return std::make_unique<BoardOf<Vboard_cube>>(1);
    if (kind == 's')
        return std::make_unique<BoardOf<Vboard_shared>>(1);
    if (kind == 'w')
        return std::make_unique<BoardOf<Vboard_whole>>(1);
    if (kind == 'e')
        return std::make_unique<BoardOf<Vboard_eager>>(1);
    if (kind == '2')
        return std::make_unique<BoardOf<Vboard_half>>(2);
    if (kind == '4')
        return std::make_unique<BoardOf<Vboard_quarter>>(4);
    fprintf(stderr, "bench: '%c': expected e, w, s, 2 or 4\n", kind);
    exit(1);
}

using Targets = std::vector<int>;

struct Packet {
    int words;
    Targets targets, arrived;
    double shown = 0, head = 0, end = 0;
};

struct Site {
    std::unique_ptr<Board> board;
    Ports ports;
    double period, next, head = 0;
    std::deque<uint32_t> sending;
    std::vector<uint32_t> received, received_targets;
    uint32_t received_head; // its tag
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

int address_of(int site)
{
    return cube ? site : (site / width) << 7 | site % width;
}

int site_at(uint32_t word)
{
    return static_cast<int>(cube ? word & 0x3fff : (word >> 7 & 0x7f) * width + (word & 0x7f));
}

void send(int source, int number, const Targets &targets, uint32_t tag, uint32_t mark)
{
    auto &queue = sites[source].sending;
    for (size_t k = 0; k < targets.size(); k++)
        queue.push_back((k ? 0 : kHead) | tag << 16 | mark | address_of(targets[k]));
    for (int k = 0; k < packets[number].words; k++)
        queue.push_back(kData << 16 | word_of(number, k));
    queue.push_back(kEnd << 16);
}

int new_packet(int words, const Targets &targets)
{
    Packet packet;
    packet.words = words, packet.targets = targets;
    packets.push_back(packet);
    return static_cast<int>(packets.size()) - 1;
}

bool has(const Targets &targets, int site)
{
    return std::find(targets.begin(), targets.end(), site) != targets.end();
}

// The targets that the site has to serve: of a packet that came whole all (O1), else itself and those that were
// deferred (O2).
Targets to_serve(int at, uint32_t tag)
{
    Targets targets;
    for (uint32_t word : sites[at].received_targets)
        if (tag == kEnd || word & kMark || site_at(word) == at)
            targets.push_back(site_at(word));
    return targets;
}

void deliver(int at, uint32_t tag, bool strict)
{
    auto &words = sites[at].received;
    // Only a multicast is aborted where nothing fails (M7). A dead frame that is taken for a head looks like that.
    if (strict && tag == kAbort && sites[at].received_head == kUnicast)
        return error("aborted", at, words.empty() ? 0 : static_cast<int>(words[0]));
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
    for (int target : to_serve(at, tag)) {
        bool meant = has(packet.targets, target);
        // In dimension order a packet with one target leaves the fabric there alone.
        if (strict && (!meant || (target != at && !torus && packet.targets.size() == 1)))
            error("elsewhere", at, number);
        else if (target != at && meant)
            send(at, number, {target}, kUnicast, 0);
        else if (has(packet.arrived, at))
            error("twice", at, number);
        else if (meant)
            packet.arrived.push_back(at);
    }
    packet.end = now;
}

void receive(int at, bool strict)
{
    Site &site = sites[at];
    uint32_t tag = site.ports.receive >> 16, word = site.ports.receive & 0xffff;
    if (tag == 0 || site.ports.receive_wait)
        return;
    if (tag == kUnicast || tag == kMulticast) {
        if (site.received_targets.empty())
            site.received_head = tag;
        site.received_targets.push_back(word);
        site.head = now;
    }
    if (tag == kData) {
        if (site.received.empty() && word < packets.size() && !packets[word].head)
            packets[word].head = site.head;
        site.received.push_back(word);
    }
    if (tag == kAbort || tag == kEnd || tag == kLocalEnd) {
        deliver(at, tag, strict);
        site.received.clear();
        site.received_targets.clear();
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

// What a board does behind an edge of its fabric's clock. taken: the word that it has shown.
void operate(Site &site, bool taken, int stall_percent)
{
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
        site.received_targets.clear();
        while (!site.sending.empty() && !(site.sending.front() & kHead))
            site.sending.pop_front();
    }
    if (site.stall == 0 && below(1000) < static_cast<uint32_t>(stall_percent))
        site.stall = static_cast<int>(below(3000));
    if (site.stall)
        site.stall--;
    site.ports.receive_wait = site.stall > 0;
    site.ports.send = site.sending.empty() ? 0 : site.sending.front() & kWord;
    if (site.ports.send >> 16 == kUnicast) {
        Packet &packet = packets[site.sending[1] & 0xffff];
        if (!packet.shown)
            packet.shown = now;
    }
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
    bool fabric = site.clocks++ % site.board->ratio == 0;
    bool runs = fabric && !site.ports.reset && !site.ports.fabric_reset;

    if (runs)
        receive(at, strict);
    bool taken = runs && site.ports.send && !site.ports.send_wait;
    uint32_t before = site.ports.line_out;
    site.ports.line_in = lines_of(at);
    site.board->edge(site.ports, fabric);
    if (line_watch && site.ports.line_out != before)
        line_watch(at, before, site.ports.line_out);

    if (fabric)
        operate(site, taken, stall_percent);
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

// The board that link l of a board leads to, or -1.
int neighbour(int at, int l)
{
    if (cube)
        return (at ^ 1 << l) < width ? at ^ 1 << l : -1;
    int dx[] = {1, -1, 0, 0}, dy[] = {0, 0, 1, -1};
    int x = at % width + dx[l], y = at / width + dy[l];
    if (torus)
        x = (x + width) % width, y = (y + height) % height;
    return x < 0 || y < 0 || x >= width || y >= height ? -1 : y * width + x;
}

void build(const char *kinds)
{
    int count = width * height;
    sites.resize(count);
    cables.resize(count * kLinks);
    for (int at = 0; at < count; at++) {
        Site &site = sites[at];
        site.board = make_board(kinds[at % strlen(kinds)]);
        site.board->place(address_of(at), width, height, torus);
        site.period = kPicoseconds * (1 + (static_cast<int>(below(401)) - 200) * 1e-6);
        site.next = below(20000);
        for (int l = 0; l < kLinks; l++) {
            cables[at * kLinks + l].site = neighbour(at, l);
            cables[at * kLinks + l].link = cube ? l : l ^ 1;
        }
    }
}

void all_arrived(int from)
{
    for (size_t k = from; k < packets.size(); k++)
        for (int target : packets[k].targets)
            if (!has(packets[k].arrived, target))
                error("lost", target, static_cast<int>(k));
}

int along(int from, int to, int size)
{
    int steps = std::abs(from - to);
    return torus ? std::min(steps, size - steps) : steps;
}

// Of the way to a board: the links in x, and then those in y.
int way(int from, int to)
{
    return cube ? 0 : along(from % width, to % width, width) * height + along(from / width, to / width, height);
}

// A tree to some boards in the order of their ways (P1), or a path to one (M10).
void random_multicast(int source)
{
    Targets targets;
    for (int k = static_cast<int>(below(4)); k >= 0; k--) {
        int target = static_cast<int>(below(width * height));
        if (target != source && !has(targets, target))
            targets.push_back(target);
    }
    if (targets.empty())
        return;
    std::stable_sort(targets.begin(), targets.end(), [&](int a, int b) { return way(source, a) < way(source, b); });
    send(source, new_packet(1 + static_cast<int>(below(12)), targets), targets, kMulticast,
         targets.size() == 1 ? kMark : 0);
}

void random_packet()
{
    int count = width * height, source = static_cast<int>(below(count)), target = static_cast<int>(below(count - 1));
    if (below(100) < multicast_percent)
        return random_multicast(source);
    target += target >= source;
    send(source, new_packet(1 + static_cast<int>(below(12)), {target}), {target}, kUnicast, 0);
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
    std::vector<double> heads, pins;
    int last = width * height - 1, words = 4;
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
        int number = new_packet(words, {last});
        send(0, number, {last}, kUnicast, 0);
        if (!run_until([&] { return !packets[number].arrived.empty(); }, 60000, true, 0))
            error("late", last, number);
        const Packet &packet = packets[number];
        double head = packet.head - packet.shown;
        heads.push_back(head);
        first += head, whole += packet.end - packet.shown;
        best = std::min(best, head), worst = std::max(worst, head);
        for (int at = 1; at < last; at++)
            if (rise[at] > rise[at - 1] && rise[at] - rise[at - 1] < 40 * kBit * kPicoseconds)
                pins.push_back(rise[at] - rise[at - 1]), pin += pins.back();
    }
    std::sort(heads.begin(), heads.end());
    std::sort(pins.begin(), pins.end());
    double bit = kBit * kPicoseconds;
    printf(
        "%d boards: first word %.1f bit times (%.0f ns), median %.1f, least %.1f, most %.1f; terminator %.1f (%.0f ns); "
        "pin to pin %.2f, median %.2f (%zu)\n",
        width * height, first / rounds / bit, first / rounds / 1000, heads[heads.size() / 2] / bit, best / bit,
        worst / bit, whole / rounds / bit, whole / rounds / 1000, pins.empty() ? 0 : pin / double(pins.size()) / bit,
        pins.empty() ? 0 : pins[pins.size() / 2] / bit, pins.size());
}

// Word frames that were damaged, of all links. A wrong guess is none: it is sent to eager links alone, which know it.
unsigned damaged()
{
    unsigned sum = 0;
    for (uint32_t l = 0; l < kLinks; l++) {
        for (auto &site : sites)
            site.ports.row = kDamaged + l;
        run(40 * kBit);
        for (auto &site : sites)
            sum += site.ports.shown & 0xffff;
    }
    return sum;
}

void traffic(int count)
{
    unsigned damaged_before = damaged();
    for (int k = 0; k < count; k++)
        random_packet();
    double began = now;
    if (!run_until(at_rest, 400000 + 3000.0 * count, true, stall))
        error("does not come to rest", 0, 0);
    double taken = now - began;
    run(60000);
    all_arrived(0);
    if (damaged() != damaged_before)
        error("frames are damaged", 0, 0);
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
    size_t good = 0, all = 0;
    for (int k = 0; k < rounds; k++) {
        size_t before = packets.size();
        for (int p = 0; p < 10 * width * height; p++)
            random_packet();
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
            good += packets[p].arrived.size(), all += packets[p].targets.size();
        size_t probes = packets.size();
        for (int p = 0; p < 3 * width * height; p++)
            random_packet();
        if (!run_until(at_rest, 1000000, true, 0))
            error("probes do not come to rest", 0, k);
        run(60000);
        all_arrived(static_cast<int>(probes));
        if (errors)
            break;
    }
    printf("%d rounds: %zu of %zu copies arrived among faults, %d samples flipped\n", rounds, good, all, flipped);
}

bool read_mesh(const char *text)
{
    height = 1;
    cube = sscanf(text, "cube:%d", &width) == 1;
    torus = sscanf(text, "torus:%dx%d", &width, &height) == 2;
    return cube || torus || sscanf(text, "%dx%d", &width, &height) == 2;
}

} // namespace

int main(int argc, char **argv)
{
    if (argc < 5 || !read_mesh(argv[1])) {
        fprintf(stderr, "usage: bench MESH KINDS SEED (latency | traffic | load | faults) [COUNT]\n");
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
