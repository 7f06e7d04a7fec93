// wormlan_change: by what a signature is wrong once words in front are gone from a worm (W3, W10).
//
// What the words that are gone have contributed: a register that is stepped once a word, and does not depend on the words
// behind them.
// SPDX-License-Identifier: ISC
`default_nettype none

module wormlan_change #(
    parameter WORD_WIDTH = 16
) (
    input  wire                  clk,
    input  wire                  begins,   // no word before this one counts
    input  wire                  steps,    // a word of the worm
    input  wire                  counts,   // this one is gone
    input  wire [WORD_WIDTH-1:0] word,
    input  wire                  info,
    output reg  [WORD_WIDTH-1:0] change,   // of the words before
    output wire [WORD_WIDTH-1:0] changed   // and of this one
);
    localparam W = WORD_WIDTH;

    wire [W-1:0] so_far = change & {W{!begins}};
    wire [W-1:0] next;
    // Counted from where every signature starts, all ones.
    word_signature #(.WORD_WIDTH(W)) signature (
        .sum(so_far ^ {W{counts}}), .word(word & {W{counts}}), .info(info && counts), .next(next));
    assign changed = steps ? next ^ {W{counts}} : change;
    always @(posedge clk) change <= changed;
endmodule

`default_nettype wire
