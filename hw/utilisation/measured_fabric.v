// What is measured as `fabric`: five ports of a grid. Events and what observers see are not connected, so that no cells are
// counted for them: who counts events pays for it.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module measured_fabric #(
    parameter WORD_WIDTH = 16,
    parameter [31:0] OWN = 0,       // keys that the discipline has of its own
    parameter ADDRESS_CONSTANT = 0, // 1: site (10,21), as in a bitstream of its own; 0: one bitstream for all sites
    parameter TORUS = 0,            // 1: a torus, 0: a grid
    parameter GRID_CONSTANT = 1,    // 1: topology and size; 0: inputs
    parameter WITH_RELIEF = 1,      // R1, R3
    parameter WITH_LINK_DOWN = 1,   // R4
    parameter WITH_DIVERSION = 1,   // U3
    parameter WITH_ABORT = 1,       // M7
    parameter COORD_WIDTH = WORD_WIDTH == 32 ? `POSTROAD_SITE_COORD_WIDTH_32 : `POSTROAD_SITE_COORD_WIDTH_16,  // not to be set
    parameter LINK_WIDTH  = WORD_WIDTH + 3,
    parameter IN  = 5*LINK_WIDTH + 4*COORD_WIDTH + 13,
    parameter OUT = 5*LINK_WIDTH + 6
) (
    input  wire           clk,
    input  wire [IN-1:0]  in,
    output wire [OUT-1:0] out
);
    localparam [COORD_WIDTH-1:0] SITE_X = 10, SITE_Y = 21, SIZE = 32;

    wire                     reset, relief_in, delivered_wait;
    wire [2*COORD_WIDTH-1:0] address_in;
    wire [COORD_WIDTH-1:0]   size_x_in, size_y_in;
    wire [1:0]               topology_in;
    wire [3:0]               link_down_in, link_out_wait;
    wire [5*LINK_WIDTH-1:0]  words;     // of the links, then of the operator
    assign {address_in, size_x_in, size_y_in, topology_in, reset, relief_in, link_down_in, link_out_wait,
            delivered_wait, words} = in;

    wire [2*COORD_WIDTH-1:0] address = ADDRESS_CONSTANT != 0 ? {SITE_Y, SITE_X} : address_in;
    wire [COORD_WIDTH-1:0]   size_x = GRID_CONSTANT != 0 ? SIZE : size_x_in;
    wire [COORD_WIDTH-1:0]   size_y = GRID_CONSTANT != 0 ? SIZE : size_y_in;
    wire [1:0]               topology = GRID_CONSTANT == 0 ? topology_in
                                      : TORUS != 0 ? `POSTROAD_TOPOLOGY_TORUS : `POSTROAD_TOPOLOGY_GRID;
    wire [15:0]              divert_threshold = WITH_DIVERSION != 0 ? 16'd8 : 16'hffff;
    wire [15:0]              relief_limit = WITH_RELIEF != 0 ? 16'd64 : 16'd0;
    wire                     relief = WITH_RELIEF != 0 && relief_in;
    wire [3:0]               link_down = WITH_LINK_DOWN != 0 ? link_down_in : 4'd0;
    wire [15:0]              abort_threshold = WITH_ABORT != 0 ? 16'd32 : 16'd0;
    localparam [7:0]         LISTS = 8'b10101010;  // adaptive, x first

    wire [4*LINK_WIDTH-1:0] link_out;
    wire [LINK_WIDTH:0]     delivered;
    wire [4:0]              waits;      // of the links, then of the operator

    /* verilator lint_off PINCONNECTEMPTY */
    fabric_core #(.WORD_WIDTH(WORD_WIDTH), .OWN(OWN)) fabric_core (
        .clk(clk), .reset(reset), .site_address(address), .topology(topology), .size_x(size_x), .size_y(size_y),
        .own({24'd0, LISTS}), .divert_threshold(divert_threshold), .abort_threshold(abort_threshold),
        .relief_limit(relief_limit), .relief(relief), .link_down(link_down),
        .link_in(words[4*LINK_WIDTH-1:0]), .link_in_wait(waits[4:1]), .link_out(link_out),
        .link_out_wait(link_out_wait), .entering(words[4*LINK_WIDTH +: LINK_WIDTH]), .entering_wait(waits[0]),
        .delivered(delivered), .delivered_wait(delivered_wait),
        .event_word_out(), .event_stall(), .event_drop(), .event_divert(), .event_abort(), .event_split(),
        .event_defer(), .connections(), .quiet());
    /* verilator lint_on PINCONNECTEMPTY */

    assign out = {waits, delivered, link_out};
endmodule

`default_nettype wire
