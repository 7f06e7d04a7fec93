/* See made_testbed.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "made_testbed.h"

#include "check.h"

#include <stdio.h>
#include <string.h>

void make_testbed(struct made_testbed *made, unsigned boards, unsigned channels)
{
    static const char mesh[] = "[mesh]\nfabric = cutthrough\ntopology = grid\nsize = 8x1\n[links]\nboard = yes\n";
    char error[300];
    *made = (struct made_testbed){0};
    made->testbed = (struct testbed){.path = "made",
                                     .board_count = boards,
                                     .boards = made->boards,
                                     .cable_count = boards - 1,
                                     .cables = made->cables,
                                     .channel_count = channels};
    made->testbed.has_mesh = true;
    CHECK(mesh_config_parse("made.mesh", mesh, sizeof mesh - 1, &made->testbed.mesh, error, sizeof error) == 0);
    for (unsigned i = 0; i < boards; i++) {
        made->boards[i] = (struct testbed_board){.link_hz = 12000000, .site_count = 1, .sites = {i}};
        snprintf(made->boards[i].name, sizeof made->boards[i].name, "%c", 'a' + (char)i);
        made->cables[i] = (struct testbed_cable){.ends = {{i, 0}, {i + 1, 1}}};
    }
    for (unsigned i = 0; i < channels; i++) {
        made->testbed.channels[i] = (struct testbed_channel){.board = i, .probe = -1, .strobe = TESTBED_LINE};
        snprintf(made->testbed.channels[i].name, TESTBED_NAME, "D%u", i);
    }
}

void replay(const struct line_capture *capture, const struct testbed *testbed, double rate, double tolerance,
            struct wire_traffic *traffic, struct analysis *analysis)
{
    char error[300];
    CHECK(wire_traffic_begin(traffic, testbed, rate, error, sizeof error) == 0);
    for (unsigned i = 0; i < traffic->wires.count && i < capture->line_count; i++)
        wires_level(&traffic->wires, i, false);
    for (size_t i = 0; i < capture->edge_count; i++)
        wire_traffic_edge(traffic, capture->edges[i].line, capture->edges[i].sample, capture->edges[i].level);
    wire_traffic_end(traffic, capture->samples);
    analyse(analysis, traffic, tolerance);
}

bool says(const struct analysis *analysis, const char *text)
{
    for (size_t i = 0; i < analysis->notes.count; i++)
        if (strstr(analysis->notes.texts[i], text))
            return true;
    return false;
}

void expect_note(const struct analysis *analysis, const char *text)
{
    check(says(analysis, text), "a note with '%s'; the first of %zu is '%s'", text, analysis->notes.count,
          analysis->notes.count ? analysis->notes.texts[0] : "");
}
