/* See made_testbed.h.
 *
 * SPDX-License-Identifier: ISC
 */
#include "made_testbed.h"

#include "check.h"

#include <stdio.h>

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
            struct wires *wires, struct analysis *analysis)
{
    char error[300];
    CHECK(wires_begin(wires, testbed, rate, error, sizeof error) == 0);
    for (unsigned i = 0; i < wires->count && i < capture->line_count; i++)
        wires_level(wires, i, false);
    for (size_t i = 0; i < capture->edge_count; i++)
        wires_edge(wires, capture->edges[i].line, capture->edges[i].sample, capture->edges[i].level);
    wires_end(wires, capture->samples);
    analyse(analysis, wires, tolerance);
}
