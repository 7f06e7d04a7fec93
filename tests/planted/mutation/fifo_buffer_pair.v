// fifo_buffer_pair: the original and a mutant see the same, anything the contract allows, and must show the same. For
// tests/planted/mutate, which makes an AIGER of it.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module fifo_buffer_pair #(
    parameter TRAFFIC_ONLY = 0   // 1: `quiet` may differ
) (
    input wire        clk,
    input wire [19:0] word_in,
    input wire        wait_in
);
    // Two clocks of reset.
    reg [1:0] clocks = 2'd0;
    wire      reset  = !clocks[1];
    always @(posedge clk) if (!clocks[1]) clocks <= clocks + 2'd1;

    wire        wait_out, mutant_wait_out;
    wire [19:0] word_out, mutant_word_out;
    wire        quiet, mutant_quiet;

    original original (
        .clk(clk), .reset(reset), .word_in(word_in), .wait_out(wait_out), .word_out(word_out), .wait_in(wait_in), .quiet(quiet));
    mutant mutant (
        .clk(clk), .reset(reset), .word_in(word_in), .wait_out(mutant_wait_out), .word_out(mutant_word_out), .wait_in(wait_in),
        .quiet(mutant_quiet));

    // What a local net_output can show: its fourth tag bit is set for one code only.
    wire [3:0] tag = word_in[19:16];
    always @* begin
        assume (!tag[3] || tag == `POSTROAD_TAG_LOCAL_END_OF_PACKET);
        if (!reset)
            assert (wait_out == mutant_wait_out && word_out == mutant_word_out && (TRAFFIC_ONLY || quiet == mutant_quiet));
    end
endmodule

`default_nettype wire
