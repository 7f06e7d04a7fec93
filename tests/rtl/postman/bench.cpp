// bench: one virtual plane of hw/postman: nodes in a grid, machine X of a node sends to the next column, machine Y to
// the next row. Operators load packets and take arrivals; each packet must arrive at its node once and unchanged, and
// all come to rest. usage: bench MESH OPTIONS (lone | random | permutation | hotspot | hostile) [SEED [COUNT]]
//        bench MESH OPTIONS trace WORKLOAD
//        bench charts FILE
//   MESH     WIDTHxHEIGHT
//   OPTIONS  letters: v vct, r adaptive routing, s adaptive sourcing, p straight on before sources, n narrow flits and
//            short buffers, 2 or 4 bits move in every second or fourth clock, hP a bit crosses P nodes a clock (without
//            n; hw/postman/phases.md), l late pass, a an arrival shows no busy (trace alone: it has to be taken at
//            once), t a torus (trace alone); - none
//   lone     one packet at a time, for each pair: clocks as rule R19 has them
//   hostile  random traffic, and lines from nowhere that keep no rule: nothing else is lost, and all comes to rest
//   trace    one line a clock, until all is quiet: for each node, those of layer 1 last, a hexadecimal digit, from bit
//            0 on x_out, y_out, busy of X, busy of Y. WORKLOAD has a packet a line, as tests/postman/workload writes
//            it. An arrival is taken in the clock that shows it
//   charts   one node, clock by clock, for each chart of FILE (charts.h)
// SPDX-License-Identifier: ISC
#include <cstdlib>
#include <cstring>

#include "charts.h"

namespace
{

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
    operators[node].sending[packet.machine].push_back(packet);
    operators[at(x, y)].expected.insert(Flits(packet.flits.begin() + static_cast<long>(addresses), packet.flits.end()));
}

void send_random(int node, int x, int y)
{
    int own_x = node % width, own_y = node / width;
    if (x < own_x || y < own_y || (x == own_x && y == own_y))
        return; // a packet for another plane
    int output = x == own_x ? 1 : y == own_y ? 0 : static_cast<int>(below(2));
    int most = below(8) == 0 || most_flits < 18 ? most_flits - 2 : 16;
    send(node, x, y, make_packet(node, x, y, 1 + static_cast<int>(below(most)), output, static_cast<int>(below(2))));
}

// Clocks in which a packet that is sent at `from` waits at outputs of this row or column: at its own, and at those of
// the nodes that it passes straight on. With vct it waits there for the bits of a flit, too.
long line_clocks(int from, int to)
{
    long clocks = from != to;
    for (int k = from + 1; k < to; k++)
        clocks += waits(k) + (options.vct ? flit_bits : 0);
    return clocks;
}

// Clocks in which bits move, from the begin of a lone packet until its last bit has been received (R19).
long lone_clocks(int node, int x, int y, size_t flits)
{
    return line_clocks(node % width, x) + line_clocks(node / width, y) + static_cast<long>(flits) * (flit_bits + 1);
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
        if (ended < 0 && nodes[at(x, y)]->out.arrived)
            ended = now;
    });
    // The validity bit behind the last bit takes a clock, the flop `arrived` shows it in the next one.
    long moved = (ended - 1 - began) / options.interleave;
    int dx = x - node % width, dy = y - node / width;
    long right = lone_clocks(node, x, y, packet.flits.size());
    if (moved != right) {
        printf("from %d to %d by %c: %ld clocks, not %ld\n", node, at(x, y), "XY"[output], moved, right);
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

// Lines from nowhere that begin whether their node is busy or not, with packets of any length that go anywhere.
struct Intruder {
    std::deque<bool> bits;
    void invent()
    {
        bits.insert(bits.end(), 1 + below(60), false);
        bool leads = true;
        for (int flit = static_cast<int>(below(below(4) ? 6 : 2 * most_flits)); flit >= 0;
             flit--, leads = below(2) != 0) {
            bits.push_back(true);
            uint32_t value = leads ? below(2) << (flit_bits - 1) | below(8) : below(1u << flit_bits);
            for (int bit = flit_bits - 1; bit >= 0; bit--)
                bits.push_back(value >> bit & 1);
        }
    }
    bool next(bool more)
    {
        if (bits.empty() && more)
            invent();
        if (bits.empty())
            return false;
        bool bit = bits.front();
        bits.pop_front();
        return bit;
    }
};

void hostile(int count)
{
    auto intruders = std::make_shared<std::vector<Intruder>>(nodes.size() * kMachines);
    lawful = false;
    edge_line = [intruders](int node) {
        bool more = now < 20000 && nodes[node]->in.advance;
        return (*intruders)[node * kMachines].next(more) | (*intruders)[node * kMachines + 1].next(more) << 1;
    };
    random_traffic(count);
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

bool parse_options(const char *text)
{
    options = Options();
    for (; *text; text++) {
        options.vct |= *text == 'v';
        options.adaptive_routing |= *text == 'r';
        options.adaptive_sourcing |= *text == 's';
        options.passes_first |= *text == 'p';
        options.narrow |= *text == 'n';
        options.torus |= *text == 't';
        options.late_pass |= *text == 'l';
        options.arrivals_apart |= *text == 'a';
        if (*text == '2' || *text == '4')
            options.interleave = *text - '0';
        if (!strchr("vrspnthla24-", *text))
            return false;
        if (*text == 'h') {
            char *end;
            options.phases = static_cast<int>(strtol(text + 1, &end, 10));
            text = end - 1;
        }
    }
    return options.phases > 0 && !((options.narrow || options.torus) && options.phases > 1);
}

void begin()
{
    build();
    operators.assign(nodes.size(), Operator());
    reset();
}

void charts(const char *file)
{
    width = height = 1;
    lawful = false;
    auto all = read_charts(file);
    for (auto &chart : all) {
        parse_options(chart.options.c_str());
        first_x = chart.x, first_y = chart.y;
        begin();
        errors += !run_chart(chart);
    }
    printf("%zu charts\n", all.size());
}

void trace(const char *workload)
{
    std::ifstream file(workload);
    for (std::string line; std::getline(file, line);) {
        std::istringstream fields(line);
        size_t node;
        long due = LONG_MIN;
        if (fields.peek() == '@')
            fields.ignore() >> due;
        if (fields >> node) {
            Packet packet = parse_load(fields);
            packet.due = due;
            operators[node].sending[packet.machine].push_back(packet);
        }
    }
    preload();
    int rest = 0;
    while (rest < 2 && now < 1000000) {
        for (size_t node = 0; node < nodes.size(); node++)
            load(static_cast<int>(node));
        std::string line;
        clock(true, [&] {
            for (auto &node : nodes)
                line += "0123456789abcdef"[node->out.line_out | node->out.busy << 2];
        });
        puts(line.c_str());
        for (auto &node : nodes)
            node->in.arrival_taken = node->out.arrived;
        rest = at_rest() ? rest + 1 : 0;
    }
}

bool run_traffic(const std::string &what, int count)
{
    static const std::map<std::string, void (*)(int)> kinds = {
        {"random", random_traffic}, {"permutation", permutation}, {"hotspot", hotspot}, {"hostile", hostile}};
    if (!kinds.count(what))
        return false;
    traffic(kinds.at(what), count);
    return true;
}

bool run_plane(int count, char **arguments)
{
    if (count < 4 || sscanf(arguments[1], "%dx%d", &width, &height) != 2 || !parse_options(arguments[2]))
        return false;
    std::string what = arguments[3];
    begin();
    if (what == "trace" && count == 5) {
        trace(arguments[4]);
        return true;
    }
    if (options.torus || options.arrivals_apart)
        return false;
    random_state = count > 4 ? strtoull(arguments[4], nullptr, 10) : 1;
    if (what == "lone") {
        lone();
        return true;
    }
    return run_traffic(what, count > 5 ? atoi(arguments[5]) : 200);
}

} // namespace

int main(int count, char **arguments)
{
    bool known = true;
    if (count == 3 && !strcmp(arguments[1], "charts"))
        charts(arguments[2]);
    else
        known = run_plane(count, arguments);
    nodes.clear(); // before the context of the models goes
    if (!known)
        fprintf(stderr, "bench: the head of tests/rtl/postman/bench.cpp has the usage\n");
    if (errors)
        puts("FAIL");
    return !known || errors;
}
