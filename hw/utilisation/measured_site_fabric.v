// What is measured as `site_fabric`: a discipline behind the operator interface, with its buffers and the pulses of its counters.
// The folder that is read selects the discipline. Address, relief and links that are down are inputs; what else a .mesh file has
// is constant, as in a .mesh without settings of its own.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"
`include "straps.vh"

module measured_site_fabric #(
    parameter WORD_WIDTH = 16,
    parameter LINK_WIDTH = WORD_WIDTH + 3,  // of the discipline
    parameter UPSTREAM_DEPTH = 64,          // words; a discipline without fifo_buffers needs room for a packet
    parameter COORD_WIDTH = WORD_WIDTH == 32 ? `POSTROAD_SITE_COORD_WIDTH_32 : `POSTROAD_SITE_COORD_WIDTH_16,  // not to be set
    parameter IN  = 4*LINK_WIDTH + 2*COORD_WIDTH + WORD_WIDTH + 14,
    parameter OUT = 4*LINK_WIDTH + WORD_WIDTH + 73
) (
    input  wire           clk,
    input  wire [IN-1:0]  in,
    output wire [OUT-1:0] out
);
    localparam [15:0] SIZE = 32;

    wire                     reset, relief, receive_wait, send_wait, quiet;
    wire [3:0]               link_down, link_in_wait, link_out_wait;
    wire [2*COORD_WIDTH-1:0] address;
    wire [4*LINK_WIDTH-1:0]  link_in, link_out;
    wire [WORD_WIDTH+2:0]    send;
    wire [WORD_WIDTH+3:0]    receive;
    wire [63:0]              events;
    assign {reset, relief, receive_wait, link_down, link_out_wait, address, link_in, send} = in;

    reg [`POSTROAD_STRAPS-1:0] straps;
    always @* begin
        straps = {`POSTROAD_STRAPS{1'b0}};
        straps[`POSTROAD_STRAP_SITE_ADDRESS]     = {{32-2*COORD_WIDTH{1'b0}}, address};
        straps[`POSTROAD_STRAP_TOPOLOGY]         = `POSTROAD_TOPOLOGY_GRID;
        straps[`POSTROAD_STRAP_SIZE_X]           = SIZE;
        straps[`POSTROAD_STRAP_SIZE_Y]           = SIZE;
        straps[`POSTROAD_STRAP_DIVERT_THRESHOLD] = 16'd8;
        straps[`POSTROAD_STRAP_ABORT_THRESHOLD]  = 16'd64;
        straps[`POSTROAD_STRAP_RELIEF_LIMIT]     = 16'd64;
    end

    /* verilator lint_off PINCONNECTEMPTY */  // for simulations
    site_fabric #(.WORD_WIDTH(WORD_WIDTH), .LINK_WIDTH(LINK_WIDTH), .UPSTREAM_DEPTH(UPSTREAM_DEPTH)) site_fabric (
        .clk(clk), .reset(reset), .now(64'd0), .straps(straps), .relief(relief), .link_down(link_down), .link_in(link_in),
        .link_in_wait(link_in_wait), .link_out(link_out), .link_out_wait(link_out_wait), .links_next(), .send(send),
        .send_wait(send_wait), .receive(receive), .receive_wait(receive_wait), .events(events), .observed(), .quiet(quiet));
    /* verilator lint_on PINCONNECTEMPTY */

    assign out = {link_in_wait, link_out, send_wait, receive, events};
    wire unused = quiet;  // for simulations
endmodule

`default_nettype wire
