// What the operators at the nodes of a plane do: they load packets, and read and check arrivals.
// SPDX-License-Identifier: ISC
#ifndef POSTROAD_TESTS_RTL_POSTMAN_OPERATORS_H
#define POSTROAD_TESTS_RTL_POSTMAN_OPERATORS_H

#include <climits>
#include <deque>
#include <set>

#include "plane.h"

namespace
{

using Flits = std::vector<uint32_t>;

struct Packet {
    int machine; // whose transit buffer
    bool across, two;
    Flits flits;
    long due = LONG_MIN; // the clock from which on its buffer is requested
};

struct Operator {
    std::deque<Packet> sending[kMachines];
    int writer = -1, written = 0; // the machine that is being loaded
    int reader = -1;              // the machine whose arrival is being read
    Flits received;
    std::multiset<Flits> expected;
};

std::vector<Operator> operators;
bool patient; // operators let time pass between what they do

bool pauses()
{
    return patient && below(4) == 0;
}

bool is_due(const Operator &self, int machine)
{
    return !self.sending[machine].empty() && self.sending[machine].front().due <= now;
}

// Requests, writes a flit a clock, commits with the last one. Now and then a reservation is withdrawn.
void load(int node)
{
    Operator &self = operators[node];
    Inputs &in = nodes[node]->in;
    if (in.load_commit) {
        in.load_request &= ~in.load_commit;
        self.sending[self.writer].pop_front();
        self.writer = -1;
    }
    in.load_write = in.load_commit = 0;
    for (int m = 0; m < kMachines; m++)
        if (is_due(self, m) && !(in.load_request >> m & 1) && !pauses())
            in.load_request |= 1 << m;
    for (int m = 0; m < kMachines && self.writer < 0; m++)
        if (nodes[node]->out.load_granted & in.load_request & 1 << m)
            self.writer = m, self.written = 0;
    if (self.writer < 0 || pauses())
        return;
    const Packet &packet = self.sending[self.writer].front();
    if (patient && below(50) == 0) {
        in.load_request &= ~(1 << self.writer);
        self.writer = -1;
        return;
    }
    in.load_write = 1 << self.writer;
    in.load_flit = packet.flits[self.written++];
    in.load_across = packet.across, in.load_two = packet.two;
    if (self.written == static_cast<int>(packet.flits.size()))
        in.load_commit = 1 << self.writer;
}

int arrived_flits(int node, int machine)
{
    int bits = options.narrow ? 4 : 6;
    return static_cast<int>(nodes[node]->out.arrived_flits >> bits * machine & ((1u << bits) - 1));
}

void check_arrival(int node, int machine)
{
    Operator &self = operators[node];
    auto found = self.expected.find(self.received);
    if (found != self.expected.end())
        self.expected.erase(found);
    else if (lawful)
        error("not expected", node, machine);
}

// A flit of the arrival buffer is there one clock after its address.
void receive(int node)
{
    Operator &self = operators[node];
    Inputs &in = nodes[node]->in;
    const Outputs &out = nodes[node]->out;
    if (in.arrival_taken)
        self.reader = -1;
    in.arrival_taken = 0;
    if (pauses())
        return;
    for (int m = 0; m < kMachines && self.reader < 0; m++)
        if (out.arrived >> m & 1) {
            self.reader = m, in.read_flit = 0;
            self.received.clear();
            return;
        }
    if (self.reader < 0)
        return;
    self.received.push_back(out.read_data >> flit_bits * self.reader & ((1u << flit_bits) - 1));
    in.read_flit++;
    if (static_cast<int>(self.received.size()) < arrived_flits(node, self.reader))
        return;
    bool bad = out.arrived_bad >> self.reader & 1;
    if (bad && lawful)
        error("bad", node, self.reader);
    if (!bad)
        check_arrival(node, self.reader);
    in.arrival_taken = 1 << self.reader;
}

bool at_rest()
{
    for (size_t k = 0; k < nodes.size(); k++)
        if (!operators[k].sending[0].empty() || !operators[k].sending[1].empty() || nodes[k]->in.load_request ||
            !nodes[k]->out.quiet || nodes[k]->out.line_next)
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
        for (size_t k = 0; k < nodes.size(); k++) {
            load(static_cast<int>(k));
            receive(static_cast<int>(k));
        }
        rest = at_rest() ? rest + 1 : 0;
    }
    if (rest < 8)
        error("does not come to rest", 0, 0);
    for (size_t k = 0; k < operators.size(); k++)
        if (!operators[k].expected.empty())
            error("lost", static_cast<int>(k), 0);
}

// Reserves while bits move but none is there, writes and commits while none moves: so all packets that are due can
// begin in clock 0, the next one.
void preload()
{
    const int reserving = 4, writing = 4 * most_flits;
    now = -reserving - writing;
    for (size_t k = 0; k < nodes.size(); k++)
        for (int m = 0; m < kMachines; m++)
            nodes[k]->in.load_request |= is_due(operators[k], m) << m;
    for (int k = 0; k < reserving; k++)
        clock(true);
    for (int k = 0; k < writing; k++) {
        for (size_t node = 0; node < nodes.size(); node++)
            load(static_cast<int>(node));
        clock(false);
    }
}

} // namespace

#endif
