// bench: one virtual plane of hw/postman: nodes in a grid, machine X of a node sends to the next column, machine Y to
// the next row. Operators load packets and take arrivals; each packet must arrive at its node once and unchanged, and
// all come to rest. usage: bench MESH OPTIONS (lone | random | permutation | hotspot) [SEED [COUNT]]
//        bench MESH OPTIONS trace WORKLOAD
//   MESH     WIDTHxHEIGHT
//   OPTIONS  letters: v vct, r adaptive routing, s adaptive sourcing, p straight on before sources, n narrow flits and
//   short
//            buffers, 2 or 4 bits move in every second or fourth clock; - none
//   lone     one packet at a time, for each pair: clocks as rule R19 has them
//   trace    one line a clock, until all is quiet: for each node a hexadecimal digit: x_out, y_out, busy of X, busy of
//   Y from bit 0
//            on. WORKLOAD has the packets that stand in transit buffers in clock 0: `node machine across two flit flit
//            ...`, flits in hexadecimal, address flits first. An arrival is taken in the clock that shows it
// SPDX-License-Identifier: ISC
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fstream>
#include <functional>
#include <iostream>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "Vnode_narrow.h"
#include "Vnode_narrow_passes.h"
#include "Vnode_passes.h"
#include "Vnode_sources.h"

namespace
{

constexpr int kMachines = 2;
constexpr int kEvents = 7;
enum Event { kDead, kTurn, kAdapt, kBuffer, kSource, kDrop, kStall };
const char *const kEventNames[kEvents] = {"dead", "turn", "adapt", "buffer", "source", "drop", "stall"};

uint64_t random_state = 1;
uint32_t below(uint32_t limit)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<uint32_t>((random_state >> 33) % limit);
}

struct Options {
    bool vct = false, adaptive_routing = false, adaptive_sourcing = false, passes_first = false, narrow = false;
    int interleave = 1;
};

Options options;
int width, height, flit_bits, most_flits;
long now;

int errors;
void error(const char *what, int node, int machine)
{
    if (errors++ < 10)
        printf("error: %s: node %d, machine %c, clock %ld\n", what, node, "XY"[machine], now);
}

struct Inputs {
    bool reset = true, advance = false;
    uint32_t line_in = 0, line_out_busy = 0, load_request = 0, load_write = 0, load_flit = 0, load_commit = 0;
    bool load_across = false, load_two = false;
    uint32_t read_flit = 0, arrival_taken = 0;
};

struct Outputs {
    uint32_t line_out, busy, line_next, busy_next, load_granted, arrived, arrived_bad, arrived_flits, read_data;
    uint32_t events[kEvents];
    bool quiet;
};

struct Model {
    Inputs in;
    Outputs out;
    virtual ~Model() = default;
    virtual void settle(bool clk) = 0;
};

template <class Verilated> struct ModelOf : Model {
    Verilated node;
    ModelOf(int x, int y)
    {
        node.own_x = x, node.own_y = y;
        node.vct = options.vct;
        node.adaptive_routing = options.adaptive_routing, node.adaptive_sourcing = options.adaptive_sourcing;
    }
    void settle(bool clk) override
    {
        node.clk = clk, node.reset = in.reset, node.advance = in.advance;
        node.line_in = in.line_in, node.line_out_busy = in.line_out_busy;
        node.load_request = in.load_request, node.load_write = in.load_write, node.load_flit = in.load_flit;
        node.load_commit = in.load_commit, node.load_across = in.load_across, node.load_two = in.load_two;
        node.read_flit = in.read_flit, node.arrival_taken = in.arrival_taken;
        node.eval();
        out = {node.line_out,
               node.busy,
               node.line_next,
               node.busy_next,
               node.load_granted,
               node.arrived,
               node.arrived_bad,
               node.arrived_flits,
               node.read_data,
               {node.event_dead, node.event_turn, node.event_adapt, node.event_buffer, node.event_source,
                node.event_drop, node.event_stall},
               node.quiet != 0};
    }
};

std::unique_ptr<Model> make_model(int x, int y)
{
    if (options.narrow && options.passes_first)
        return std::make_unique<ModelOf<Vnode_narrow_passes>>(x, y);
    if (options.narrow)
        return std::make_unique<ModelOf<Vnode_narrow>>(x, y);
    if (options.passes_first)
        return std::make_unique<ModelOf<Vnode_passes>>(x, y);
    return std::make_unique<ModelOf<Vnode_sources>>(x, y);
}

using Flits = std::vector<uint32_t>;

struct Packet {
    int machine; // whose transit buffer
    bool across, two;
    Flits flits;
};

// What an operator does at a node: loads the packets of its queue, and reads arrivals.
struct Node {
    std::unique_ptr<Model> model;
    std::deque<Packet> sending[kMachines];
    int writer = -1, written = 0;   // the machine that is being loaded
    int reader = -1, addressed = 0; // the machine whose arrival is being read
    Flits received;
    std::multiset<Flits> expected;
};

std::vector<Node> nodes;
uint64_t counts[kEvents];
bool patient; // operators let time pass between what they do

int at(int x, int y)
{
    return y * width + x;
}

void build()
{
    flit_bits = options.narrow ? 5 : 8;
    most_flits = options.narrow ? 7 : 31;
    nodes.clear();
    nodes.resize(width * height);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            nodes[at(x, y)].model = make_model(x, y);
}

void wire(int node)
{
    int x = node % width, y = node / width;
    Inputs &in = nodes[node].model->in;
    auto out = [](int other) -> const Outputs & { return nodes[other].model->out; };
    in.line_in = (x > 0 ? out(at(x - 1, y)).line_out & 1 : 0) | (y > 0 ? out(at(x, y - 1)).line_out & 2 : 0);
    in.line_out_busy = (x + 1 < width ? out(at(x + 1, y)).busy & 1 : 0) |
                       (y + 1 < height ? out(at(x, y + 1)).busy & 2 : 0);
    if (!in.advance)
        in.line_in ^= below(4); // another plane has the wires
}

void observe(int node)
{
    const Outputs &out = nodes[node].model->out;
    for (int event = 0; event < kEvents; event++)
        counts[event] += __builtin_popcount(out.events[event]);
    if (out.events[kDrop])
        error("dropped", node, out.events[kDrop] >> 1);
}

// One clock: `look` sees what the nodes show in it.
void clock(bool advance, const std::function<void()> &look = nullptr)
{
    for (auto &node : nodes)
        node.model->in.advance = advance;
    for (size_t k = 0; k < nodes.size(); k++)
        wire(static_cast<int>(k));
    for (auto &node : nodes)
        node.model->settle(false);
    for (size_t k = 0; k < nodes.size(); k++)
        observe(static_cast<int>(k));
    if (look)
        look();
    for (size_t k = 0; k < nodes.size(); k++) {
        Model &model = *nodes[k].model;
        Outputs before = model.out;
        bool still = before.quiet && advance && !model.in.line_in && !model.in.load_request && !model.in.reset;
        model.settle(true);
        if (model.out.line_out != before.line_next || model.out.busy != before.busy_next)
            error("next state of lines", static_cast<int>(k), 0);
        if (still && (model.out.line_out || model.out.busy || !model.out.quiet))
            error("not quiet", static_cast<int>(k), 0);
    }
    now++;
}

void reset()
{
    for (int k = 0; k < 3; k++)
        clock(true);
    for (auto &node : nodes)
        node.model->in.reset = false;
    now = 0;
}

bool pauses()
{
    return patient && below(4) == 0;
}

// Requests, writes a flit a clock, commits with the last one. Now and then a reservation is withdrawn.
void load(Node &node)
{
    Inputs &in = node.model->in;
    if (in.load_commit) {
        in.load_request &= ~in.load_commit;
        node.sending[node.writer].pop_front();
        node.writer = -1;
    }
    in.load_write = in.load_commit = 0;
    for (int m = 0; m < kMachines; m++)
        if (!node.sending[m].empty() && !(in.load_request >> m & 1) && !pauses())
            in.load_request |= 1 << m;
    for (int m = 0; m < kMachines && node.writer < 0; m++)
        if (node.model->out.load_granted & in.load_request & 1 << m)
            node.writer = m, node.written = 0;
    if (node.writer < 0 || pauses())
        return;
    const Packet &packet = node.sending[node.writer].front();
    if (patient && below(50) == 0) {
        in.load_request &= ~(1 << node.writer);
        node.writer = -1;
        return;
    }
    in.load_write = 1 << node.writer;
    in.load_flit = packet.flits[node.written++];
    in.load_across = packet.across, in.load_two = packet.two;
    if (node.written == static_cast<int>(packet.flits.size()))
        in.load_commit = 1 << node.writer;
}

int arrived_flits(const Node &node, int machine)
{
    int bits = options.narrow ? 4 : 6;
    return static_cast<int>(node.model->out.arrived_flits >> bits * machine & ((1u << bits) - 1));
}

void check_arrival(Node &node, int number, int machine)
{
    auto found = node.expected.find(node.received);
    if (node.model->out.arrived_bad >> machine & 1)
        error("bad", number, machine);
    else if (found == node.expected.end())
        error("not expected", number, machine);
    else
        node.expected.erase(found);
}

// A flit of the arrival buffer is there one clock after its address.
void receive(Node &node, int number)
{
    Inputs &in = node.model->in;
    const Outputs &out = node.model->out;
    if (in.arrival_taken)
        node.reader = -1;
    in.arrival_taken = 0;
    if (pauses())
        return;
    for (int m = 0; m < kMachines && node.reader < 0; m++)
        if (out.arrived >> m & 1) {
            node.reader = m, in.read_flit = 0;
            node.received.clear();
            return;
        }
    if (node.reader < 0)
        return;
    node.received.push_back(out.read_data >> flit_bits * node.reader & ((1u << flit_bits) - 1));
    in.read_flit++;
    if (static_cast<int>(node.received.size()) < arrived_flits(node, node.reader))
        return;
    check_arrival(node, number, node.reader);
    in.arrival_taken = 1 << node.reader;
}

void operate()
{
    for (size_t k = 0; k < nodes.size(); k++) {
        load(nodes[k]);
        receive(nodes[k], static_cast<int>(k));
    }
}

bool at_rest()
{
    for (auto &node : nodes)
        if (!node.sending[0].empty() || !node.sending[1].empty() || node.model->in.load_request ||
            !node.model->out.quiet || node.model->out.line_out)
            return false;
    return true;
}

// Runs until all is at rest, and some clocks more.
void run(long limit, const std::function<void()> &look = nullptr)
{
    long end = now + limit;
    int rest = 0;
    while (rest < 8 && now < end) {
        clock(now % options.interleave == 0, look);
        operate();
        rest = at_rest() ? rest + 1 : 0;
    }
    if (rest < 8)
        error("does not come to rest", 0, 0);
    for (size_t k = 0; k < nodes.size(); k++)
        if (!nodes[k].expected.empty())
            error("lost", static_cast<int>(k), 0);
}

// A way to load a packet for (x, y) at a node: by which output it leaves, and in whose transit buffer it is put.
Packet make_packet(int node, int x, int y, int count, int output, int machine)
{
    int coordinates[kMachines] = {x, y}, own[kMachines] = {node % width, node / width};
    bool two = coordinates[1 - output] != own[1 - output];
    Packet packet{machine, machine != output, two && machine == output, {}};
    packet.flits.push_back((two ? 1u << (flit_bits - 1) : 0) | coordinates[output]);
    if (two)
        packet.flits.push_back(coordinates[1 - output]);
    for (int k = 0; k < count; k++)
        packet.flits.push_back(below(1u << flit_bits));
    return packet;
}

void send(int node, int x, int y, const Packet &packet)
{
    size_t addresses = x != node % width && y != node / width ? 2 : 1;
    nodes[node].sending[packet.machine].push_back(packet);
    nodes[at(x, y)].expected.insert(Flits(packet.flits.begin() + static_cast<long>(addresses), packet.flits.end()));
}

void send_random(int node, int x, int y)
{
    int own_x = node % width, own_y = node / width;
    if (x < own_x || y < own_y || (x == own_x && y == own_y))
        return; // a packet for another plane
    int output = x == own_x ? 1 : y == own_y ? 0 : static_cast<int>(below(2));
    int most = most_flits - 2 < 16 ? most_flits - 2 : 16;
    send(node, x, y, make_packet(node, x, y, 1 + static_cast<int>(below(most)), output, static_cast<int>(below(2))));
}

// Clocks in which bits move, from the begin of a lone packet until its last bit has been received (R19). With vct each
// node that it passes straight on adds the bits of a flit.
long lone_clocks(int dx, int dy, size_t flits)
{
    long passed = (dx ? dx - 1 : 0) + (dy ? dy - 1 : 0);
    return dx + dy + static_cast<long>(flits) * (flit_bits + 1) + (options.vct ? passed * flit_bits : 0);
}

void lone_packet(int node, int x, int y, int output, int machine)
{
    long began = -1, ended = -1;
    Packet packet = make_packet(node, x, y, 1 + static_cast<int>(below(3)), output, machine);
    send(node, x, y, packet);
    memset(counts, 0, sizeof counts);
    run(5000 * options.interleave, [&] {
        if (began < 0 && counts[kSource])
            began = now;
        if (ended < 0 && nodes[at(x, y)].model->out.arrived)
            ended = now;
    });
    // The validity bit behind the last bit takes a clock, the flop `arrived` shows it in the next one.
    long moved = (ended - 1 - began) / options.interleave;
    int dx = x - node % width, dy = y - node / width;
    if (moved != lone_clocks(dx, dy, packet.flits.size())) {
        printf("from %d to %d by %c: %ld clocks, not %ld\n", node, at(x, y), "XY"[output], moved,
               lone_clocks(dx, dy, packet.flits.size()));
        error("latency", node, machine);
    }
    if (counts[kSource] != 1 || counts[kBuffer] || counts[kAdapt] || counts[kTurn] != (dx && dy))
        error("way of a lone packet", node, machine);
}

void lone()
{
    for (int node = 0; node < width * height; node++)
        for (int target = 0; target < width * height; target++)
            for (int way = 0; way < 4; way++) {
                int x = target % width, y = target / width, output = way & 1;
                if (x < node % width || y < node / width || (output ? y == node / width : x == node % width))
                    continue;
                lone_packet(node, x, y, output, way >> 1);
            }
}

void random_traffic(int count)
{
    for (int k = 0; k < count; k++) {
        int node = static_cast<int>(below(width * height)), x = node % width, y = node / width;
        send_random(node, x + static_cast<int>(below(width - x)), y + static_cast<int>(below(height - y)));
    }
}

void permutation(int count)
{
    std::vector<int> targets(width * height);
    for (; count > 0; count--) {
        for (size_t k = 0; k < targets.size(); k++) {
            size_t other = below(static_cast<uint32_t>(k + 1));
            targets[k] = targets[other], targets[other] = static_cast<int>(k);
        }
        for (size_t k = 0; k < targets.size(); k++)
            send_random(static_cast<int>(k), targets[k] % width, targets[k] / width);
    }
}

void hotspot(int count)
{
    for (int k = 0; k < count; k++) {
        int node = static_cast<int>(below(width * height));
        if (below(4))
            send_random(node, width - 1, height - 1);
        else
            send_random(node, static_cast<int>(below(width)), static_cast<int>(below(height)));
    }
}

void traffic(const std::function<void(int)> &make, int count)
{
    make(count);
    patient = below(2) != 0;
    run((100000 + 200L * count) * options.interleave);
    for (int event = 0; event < kEvents; event++)
        printf("%s %llu%s", kEventNames[event], static_cast<unsigned long long>(counts[event]),
               event + 1 < kEvents ? ", " : "");
    printf("; %ld clocks\n", now);
}

void read_workload(const char *name)
{
    std::ifstream file(name);
    std::string line;
    if (!file) {
        fprintf(stderr, "bench: %s: cannot be read\n", name);
        exit(2);
    }
    while (std::getline(file, line)) {
        std::istringstream fields(line);
        int node;
        Packet packet{};
        if (!(fields >> node >> packet.machine >> packet.across >> packet.two))
            continue;
        fields >> std::hex;
        for (uint32_t flit; fields >> flit;)
            packet.flits.push_back(flit);
        nodes[node].sending[packet.machine].push_back(packet);
    }
}

// Reserves while bits move but none is there, writes and commits while none moves: so all packets can begin in clock 0.
void preload()
{
    for (auto &node : nodes)
        for (int m = 0; m < kMachines; m++)
            node.model->in.load_request |= !node.sending[m].empty() << m;
    for (int k = 0; k < 4; k++)
        clock(true);
    for (int k = 0; k < 4 * most_flits; k++) {
        for (auto &node : nodes)
            load(node);
        clock(false);
    }
    now = 0;
}

void trace(const char *workload)
{
    read_workload(workload);
    preload();
    int rest = 0;
    while (rest < 2 && now < 1000000) {
        std::string line;
        clock(true, [&] {
            for (auto &node : nodes)
                line += "0123456789abcdef"[node.model->out.line_out | node.model->out.busy << 2];
        });
        puts(line.c_str());
        for (auto &node : nodes)
            node.model->in.arrival_taken = node.model->out.arrived;
        rest = at_rest() ? rest + 1 : 0;
    }
}

bool parse_options(const char *text)
{
    for (; *text; text++)
        switch (*text) {
        case 'v':
            options.vct = true;
            break;
        case 'r':
            options.adaptive_routing = true;
            break;
        case 's':
            options.adaptive_sourcing = true;
            break;
        case 'p':
            options.passes_first = true;
            break;
        case 'n':
            options.narrow = true;
            break;
        case '2':
            options.interleave = 2;
            break;
        case '4':
            options.interleave = 4;
            break;
        case '-':
            break;
        default:
            return false;
        }
    return true;
}

} // namespace

int main(int count, char **arguments)
{
    if (count < 4 || sscanf(arguments[1], "%dx%d", &width, &height) != 2 || !parse_options(arguments[2])) {
        fprintf(stderr, "usage: bench MESH OPTIONS (lone | random | permutation | hotspot) [SEED [COUNT]]\n"
                        "       bench MESH OPTIONS trace WORKLOAD\n");
        return 2;
    }
    std::string what = arguments[3];
    build();
    reset();
    if (what != "trace")
        random_state = count > 4 ? strtoull(arguments[4], nullptr, 10) : 1;
    int packets = count > 5 ? atoi(arguments[5]) : 200;
    if (what == "trace" && count == 5)
        trace(arguments[4]);
    else if (what == "lone")
        lone();
    else if (what == "random")
        traffic(random_traffic, packets);
    else if (what == "permutation")
        traffic(permutation, packets);
    else if (what == "hotspot")
        traffic(hotspot, packets);
    nodes.clear(); // before the context of the models goes
    if (what != "trace")
        puts(errors ? "FAIL" : "PASS");
    return errors != 0;
}
