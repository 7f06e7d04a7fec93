// A plane of postman nodes: the models, wired to a grid of width x height or to the two layers of a torus, and clocked.
// SPDX-License-Identifier: ISC
#ifndef POSTROAD_TESTS_RTL_POSTMAN_PLANE_H
#define POSTROAD_TESTS_RTL_POSTMAN_PLANE_H

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <vector>

extern "C" {
#include "mesh/torus_cut.h"
}

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
    bool torus = false;
    int interleave = 1;
    bool late_pass = false, arrivals_apart = false;
    int phases = 1; // in each so many-th node of a row or column the outputs wait for a clock
};

Options options;
int width, height, flit_bits, most_flits;
int first_x, first_y; // coordinates of node 0
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
    bool through = false; // lines do not show flops alone
    virtual ~Model() = default;
    virtual void settle(bool clk) = 0;
};

bool waits(int coordinate)
{
    return coordinate % options.phases == options.phases - 1;
}

template <class Verilated> struct ModelOf : Model {
    Verilated node;
    ModelOf(int x, int y)
    {
        node.own_x = x, node.own_y = y;
        node.vct = options.vct;
        node.adaptive_routing = options.adaptive_routing, node.adaptive_sourcing = options.adaptive_sourcing;
        node.waits = waits(x) | waits(y) << 1;
        through = options.phases > 1 && node.waits != 3;
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

template <class Verilated> std::unique_ptr<Model> make(int x, int y)
{
    return std::make_unique<ModelOf<Verilated>>(x, y);
}

// The kinds of nodes that the program has (tests/rtl/rules.mk).
struct Kind {
    const char *letters;
    std::unique_ptr<Model> (*make)(int x, int y);
};
#define KIND(letters) {#letters, make<Vnode_##letters>},
const Kind kinds[] = {POSTMAN_KINDS(KIND)};
#undef KIND

std::unique_ptr<Model> make_model(int x, int y)
{
    std::string letters = std::string(options.passes_first ? "p" : "") + (options.narrow ? "n" : "") +
                          (options.phases > 1 ? "h" : "") + (options.late_pass ? "l" : "") +
                          (options.arrivals_apart ? "a" : "");
    for (const Kind &kind : kinds)
        if (kind.letters == (letters.empty() ? "x" : letters))
            return kind.make(x, y);
    fprintf(stderr, "bench: no kind %s, expected one of POSTMAN_KINDS in tests/rtl/rules.mk\n", letters.c_str());
    exit(1);
}

std::vector<std::unique_ptr<Model>> nodes;
uint64_t counts[kEvents];
bool lawful = true; // every packet keeps the rules, so none may be dropped
std::function<uint32_t(int)>
    edge_line; // what lines from nowhere show to a node, and whether those to nowhere are busy:
std::function<uint32_t(int)> edge_busy; // bit 0 in dimension X, bit 1 in dimension Y

int at(int x, int y, int layer = 0)
{
    return (layer * height + y) * width + x;
}

void build()
{
    flit_bits = options.narrow ? 5 : 8;
    most_flits = options.narrow ? 7 : 31;
    nodes.clear();
    int layers = options.torus ? 2 : 1;
    nodes.resize(layers * width * height);
    for (int layer = 0; layer < layers; layer++)
        for (int y = 0; y < height; y++)
            for (int x = 0; x < width; x++)
                nodes[at(x, y, layer)] = make_model(first_x + x, first_y + y);
}

// The lines of a site that cross the cut (R17): bit 0 in dimension X, bit 1 in dimension Y.
uint32_t cut(int x, int y)
{
    torus_site site{static_cast<unsigned>(width), static_cast<unsigned>(height), static_cast<unsigned>(x),
                    static_cast<unsigned>(y)};
    return torus_cut(&site);
}

// What arrives in a layer by a line from this site: over the cut a line leads from layer 0 to layer 1.
uint32_t wire_from(int x, int y, int layer, uint32_t dimension)
{
    bool crosses = cut(x, y) & dimension;
    if (crosses && layer == 0)
        return 0;
    return nodes[at(x, y, crosses ? 0 : layer)]->out.line_out & dimension;
}

// `busy` of the site (x, y) for a line from another site of this layer.
uint32_t busy_of(int x, int y, int layer, bool crosses, uint32_t dimension)
{
    if (crosses && layer == 1)
        return 0;
    return nodes[at(x, y, crosses ? 1 : layer)]->out.busy & dimension;
}

void wire_torus(int node)
{
    int x = node % width, y = node / width % height, layer = node / width / height;
    int next_x = (x + 1) % width, next_y = (y + 1) % height;
    uint32_t own_cut = cut(x, y);
    Inputs &in = nodes[node]->in;
    in.line_in = wire_from((x + width - 1) % width, y, layer, 1) | wire_from(x, (y + height - 1) % height, layer, 2);
    in.line_out_busy = busy_of(next_x, y, layer, own_cut & 1, 1) | busy_of(x, next_y, layer, own_cut & 2, 2);
}

void wire_grid(int node)
{
    int x = node % width, y = node / width;
    Inputs &in = nodes[node]->in;
    uint32_t line = edge_line ? edge_line(node) : 0, busy = edge_busy ? edge_busy(node) : 0;
    auto out = [](int other) -> const Outputs & { return nodes[other]->out; };
    in.line_in = ((x > 0 ? out(at(x - 1, y)).line_out : line) & 1) | ((y > 0 ? out(at(x, y - 1)).line_out : line) & 2);
    in.line_out_busy = ((x + 1 < width ? out(at(x + 1, y)).busy : busy) & 1) |
                       ((y + 1 < height ? out(at(x, y + 1)).busy : busy) & 2);
}

void wire(int node)
{
    options.torus ? wire_torus(node) : wire_grid(node);
    Inputs &in = nodes[node]->in;
    if (!in.advance)
        in.line_in ^= below(4); // another plane has the wires
}

void observe(int node)
{
    const Outputs &out = nodes[node]->out;
    for (int event = 0; event < kEvents; event++)
        counts[event] += __builtin_popcount(out.events[event]);
    if (out.events[kDrop] && lawful)
        error("dropped", node, out.events[kDrop] >> 1);
}

// One clock: `look` sees what the nodes show in it.
void clock(bool advance, const std::function<void()> &look = nullptr)
{
    for (auto &node : nodes)
        node->in.advance = advance;
    for (size_t k = 0; k < nodes.size(); k++) { // in the order in which a bit may cross several of them
        wire(static_cast<int>(k));
        nodes[k]->settle(false);
    }
    for (size_t k = 0; k < nodes.size(); k++)
        observe(static_cast<int>(k));
    if (look)
        look();
    for (size_t k = 0; k < nodes.size(); k++) {
        Model &model = *nodes[k];
        Outputs before = model.out;
        bool still = before.quiet && advance && !model.in.line_in && !model.in.load_request && !model.in.reset;
        model.settle(true);
        if ((!model.through && model.out.line_out != before.line_next) || model.out.busy != before.busy_next)
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
        node->in.reset = false;
    now = 0;
}

} // namespace

#endif
