// fifo_buffer_pair: the original and a mutant see the same, anything the contract allows, and must show the same. For
// tests/faults/mutate, which makes an AIGER of it.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module fifo_buffer_pair #(
    parameter TRAFFIC_ONLY = 0   // 1: `quiet` may differ
) (
    input wire        clk,
    input wire [46:0] straps_in,
    input wire [19:0] word_in,
    input wire        wait_in
);
    // Two clocks of reset, in which the straps are drawn.
    reg [1:0]  clocks = 2'd0;
    reg [46:0] straps = 47'd0;
    wire       reset  = !clocks[1];
    always @(posedge clk) begin
        if (!clocks[1]) clocks <= clocks + 2'd1;
        if (clocks == 2'd0) straps <= straps_in;
    end

    wire [1:0]  status, mutant_status;
    wire [19:0] word_out, mutant_word_out;
    wire        quiet, mutant_quiet;

    original original (
        .clk(clk), .reset(reset), .abort_threshold(straps[15:0]), .abort_random(straps[31:16]), .seed(straps[46:32]),
        .word_in(word_in), .status(status), .word_out(word_out), .wait_in(wait_in), .quiet(quiet));
    mutant mutant (
        .clk(clk), .reset(reset), .abort_threshold(straps[15:0]), .abort_random(straps[31:16]), .seed(straps[46:32]),
        .word_in(word_in), .status(mutant_status), .word_out(mutant_word_out), .wait_in(wait_in), .quiet(mutant_quiet));

    // What a local net_output can show: its fourth tag bit is set for two codes only.
    wire [3:0] tag = word_in[19:16];
    always @* begin
        assume (!tag[3] || word_in == {4'd8, 16'd0} || tag == `POSTROAD_TAG_LOCAL_END_OF_PACKET);
        if (!reset) assert (status == mutant_status && word_out == mutant_word_out && (TRAFFIC_ONLY || quiet == mutant_quiet));
    end
endmodule

`default_nettype wire
