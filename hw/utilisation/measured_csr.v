// What is measured as `csr`: the fabric of a site of discipline `csr` behind the operator interface, with the pulses of its
// counters. Address and clock are inputs.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "straps.vh"

module measured_csr #(
    parameter WORD_WIDTH = 16,
    parameter DIMENSIONS = 4,
    parameter LINK_WIDTH = WORD_WIDTH + 1,  // of the discipline
    parameter [31:0] OWN = 24,              // slot_words and schedule, as the generator has them
    parameter IN  = DIMENSIONS*LINK_WIDTH + WORD_WIDTH + 76,
    parameter OUT = DIMENSIONS*LINK_WIDTH + WORD_WIDTH + 69
) (
    input  wire           clk,
    input  wire [IN-1:0]  in,
    output wire [OUT-1:0] out
);
    wire                             reset, receive_wait, send_wait, quiet;
    wire [6:0]                       address;
    wire [63:0]                      now;
    wire [DIMENSIONS*LINK_WIDTH-1:0] link_in, link_out;
    wire [DIMENSIONS-1:0]            link_in_wait;
    wire [WORD_WIDTH+2:0]            send;
    wire [WORD_WIDTH+3:0]            receive;
    wire [63:0]                      events;
    assign {reset, receive_wait, address, now, link_in, send} = in;

    reg [`POSTROAD_STRAPS-1:0] straps;
    always @* begin
        straps = {`POSTROAD_STRAPS{1'b0}};
        straps[`POSTROAD_STRAP_SITE_ADDRESS] = {25'd0, address};
    end

    /* verilator lint_off PINCONNECTEMPTY */  // for simulations
    site_fabric #(.WORD_WIDTH(WORD_WIDTH), .LINKS(DIMENSIONS), .LINK_WIDTH(LINK_WIDTH), .OWN(OWN)) site_fabric (
        .clk(clk), .reset(reset), .now(now), .straps(straps), .relief(1'b0), .link_down({DIMENSIONS{1'b0}}),
        .link_in(link_in), .link_in_wait(link_in_wait), .link_out(link_out), .link_out_wait({DIMENSIONS{1'b0}}),
        .links_next(), .send(send), .send_wait(send_wait), .receive(receive), .receive_wait(receive_wait),
        .events(events), .observed(), .quiet(quiet));
    /* verilator lint_on PINCONNECTEMPTY */

    assign out = {link_out, send_wait, receive, events};
    wire unused = &{1'b0, link_in_wait, quiet};  // for simulations
endmodule

`default_nettype wire
