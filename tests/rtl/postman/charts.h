// Cycle charts of one node: what its lines show in each clock, and what it must make of them.
// SPDX-License-Identifier: ISC
#ifndef POSTROAD_TESTS_RTL_POSTMAN_CHARTS_H
#define POSTROAD_TESTS_RTL_POSTMAN_CHARTS_H

#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <string>

#include "operators.h"

namespace
{

// A chart of the file: `chart OPTIONS X Y NAME`, packets in transit buffers in clock 0 (`load machine across two flit
// ...`), then a row for each signal that is not 0 all the time, a column a clock: 1, or `.` for 0. x_event and y_event
// have a letter.
struct Chart {
    std::string options, name;
    int x, y;
    std::vector<Packet> loads;
    std::map<std::string, std::string> rows;
};

const char *const kChartInputs[] = {"x_in", "y_in", "x_out_busy", "y_out_busy", "x_taken", "y_taken"};
const char *const kChartOutputs[] = {"x_out",     "y_out",     "x_busy",  "y_busy",
                                     "x_arrived", "y_arrived", "x_event", "y_event"};

Packet parse_load(std::istream &fields)
{
    Packet packet{};
    fields >> packet.machine >> packet.across >> packet.two >> std::hex;
    for (uint32_t flit; fields >> flit;)
        packet.flits.push_back(flit);
    return packet;
}

std::vector<Chart> read_charts(const char *name)
{
    std::vector<Chart> charts;
    std::ifstream file(name);
    for (std::string line; std::getline(file, line);) {
        std::istringstream fields(line);
        std::string key, row;
        if (!(fields >> key) || key[0] == '#')
            continue;
        if (key == "chart") {
            charts.emplace_back();
            Chart &chart = charts.back();
            fields >> chart.options >> chart.x >> chart.y >> std::ws;
            std::getline(fields, chart.name);
        } else if (key == "load") {
            charts.back().loads.push_back(parse_load(fields));
        } else {
            fields >> charts.back().rows[key];
        }
    }
    return charts;
}

uint32_t chart_bit(const Chart &chart, const char *row)
{
    auto found = chart.rows.find(row);
    size_t column = static_cast<size_t>(now);
    return found != chart.rows.end() && column < found->second.size() && found->second[column] == '1';
}

char event_letter(const Outputs &out, int machine)
{
    char letter = '.';
    for (int event = 0; event < kStall; event++)
        if (out.events[event] >> machine & 1)
            letter = letter == '.' ? "dtabsx"[event] : '+';
    return letter;
}

char arrival_letter(const Outputs &out, int machine)
{
    if (!(out.arrived >> machine & 1))
        return '.';
    return out.arrived_bad >> machine & 1 ? '!' : "0123456789"[arrived_flits(0, machine)];
}

void show_clock(std::map<std::string, std::string> &shown)
{
    const Outputs &out = nodes[0]->out;
    for (int m = 0; m < kMachines; m++) {
        std::string dimension(1, "xy"[m]);
        shown[dimension + "_out"] += ".1"[out.line_out >> m & 1];
        shown[dimension + "_busy"] += ".1"[out.busy >> m & 1];
        shown[dimension + "_arrived"] += arrival_letter(out, m);
        shown[dimension + "_event"] += event_letter(out, m);
    }
}

// The node is built and out of reset. True if it does what the chart has.
bool run_chart(const Chart &chart)
{
    size_t clocks = 0;
    for (auto &row : chart.rows)
        clocks = std::max(clocks, row.second.size());
    for (auto &packet : chart.loads)
        operators[0].sending[packet.machine].push_back(packet);
    preload();
    edge_line = [&](int) { return chart_bit(chart, "x_in") | chart_bit(chart, "y_in") << 1; };
    edge_busy = [&](int) { return chart_bit(chart, "x_out_busy") | chart_bit(chart, "y_out_busy") << 1; };
    std::map<std::string, std::string> shown;
    for (size_t k = 0; k < clocks; k++) {
        nodes[0]->in.arrival_taken = chart_bit(chart, "x_taken") | chart_bit(chart, "y_taken") << 1;
        clock(true, [&] { show_clock(shown); });
    }
    edge_line = edge_busy = nullptr;
    bool same = true;
    for (auto row : kChartOutputs) {
        auto found = chart.rows.find(row);
        same = same && shown[row] == (found == chart.rows.end() ? std::string(clocks, '.') : found->second);
    }
    if (same)
        return true;
    printf("error: chart '%s':\n", chart.name.c_str());
    for (auto row : kChartInputs)
        if (chart.rows.count(row))
            printf("%-10s %s\n", row, chart.rows.at(row).c_str());
    for (auto row : kChartOutputs)
        printf("%-10s %s\n", row, shown[row].c_str());
    return false;
}

} // namespace

#endif
