// What is measured as `wormlan`: the fabric of a site of discipline `wormlan` behind the operator interface, with the pulses of
// its counters. Its links are connected, with cables of a delay that is a constant, and may go down.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "straps.vh"

module measured_wormlan #(
    parameter WORD_WIDTH = 16,
    parameter LINKS      = 3,
    parameter LINK_WIDTH = WORD_WIDTH + 2,  // of the discipline
    parameter [31:0] OWN = 6,               // slack, as the generator has it
    parameter DELAY      = 1,               // of the longest cable
    parameter IN  = LINKS*(LINK_WIDTH + 1) + WORD_WIDTH + 5,
    parameter OUT = LINKS*LINK_WIDTH + WORD_WIDTH + 69
) (
    input  wire           clk,
    input  wire [IN-1:0]  in,
    output wire [OUT-1:0] out
);
    wire                        reset, receive_wait, send_wait, quiet;
    wire [LINKS*LINK_WIDTH-1:0] link_in, link_out;
    wire [LINKS-1:0]            link_down, link_in_wait;
    wire [WORD_WIDTH+2:0]       send;
    wire [WORD_WIDTH+3:0]       receive;
    wire [63:0]                 events;
    assign {reset, receive_wait, link_down, link_in, send} = in;

    reg [`POSTROAD_STRAPS-1:0] straps;
    always @* begin
        straps = {`POSTROAD_STRAPS{1'b0}};
        straps[`POSTROAD_STRAP_OWN] = {15'h7fff, 1'b1, DELAY[11:0], 4'd11};  // all links lead down the tree
        straps[`POSTROAD_STRAP_LINKS_CONNECTED] = 16'hffff;
    end

    /* verilator lint_off PINCONNECTEMPTY */  // for simulations
    site_fabric #(.WORD_WIDTH(WORD_WIDTH), .LINKS(LINKS), .LINK_WIDTH(LINK_WIDTH), .OWN(OWN)) site_fabric (
        .clk(clk), .reset(reset), .now(64'd0), .straps(straps), .relief(1'b0), .link_down(link_down),
        .link_in(link_in), .link_in_wait(link_in_wait), .link_out(link_out), .link_out_wait({LINKS{1'b0}}),
        .links_next(), .send(send), .send_wait(send_wait), .receive(receive), .receive_wait(receive_wait),
        .events(events), .observed(), .quiet(quiet));
    /* verilator lint_on PINCONNECTEMPTY */

    assign out = {link_out, send_wait, receive, events};
    wire unused = &{1'b0, link_in_wait, quiet};  // for simulations
endmodule

`default_nettype wire
