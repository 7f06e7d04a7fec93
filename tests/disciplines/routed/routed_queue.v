// routed_queue: two words, so that each side may stop the other a clock late.
// SPDX-License-Identifier: ISC
`default_nettype none

module routed_queue #(
    parameter WIDTH = 19  // tag and word; a tag of 0 is no word, whatever stands beside it
) (
    input  wire             clk,
    input  wire             reset,

    // A word moves in a clock in which it is shown and its wait is 0. Outputs are flops; wait_out is 1 in reset.
    input  wire [WIDTH-1:0] word_in,
    output reg              wait_out,
    output reg  [WIDTH-1:0] word_out,
    input  wire             wait_in,

    // What word_out and wait_out show after the next edge.
    output wire [WIDTH-1:0] word_next,
    output wire             wait_next
);
    localparam [WIDTH-1:0] NONE = {WIDTH{1'b0}};

    reg  [WIDTH-1:0] behind;     // the word behind word_out
    wire [WIDTH-1:0] arrives     = wait_out || word_in[WIDTH-1 -: 3] == 3'd0 ? NONE : word_in;
    wire             stands      = word_out != NONE && wait_in;
    wire [WIDTH-1:0] newest      = behind != NONE ? behind : arrives;
    wire [WIDTH-1:0] behind_next = stands && !reset ? newest : NONE;

    assign word_next = reset ? NONE : stands ? word_out : newest;
    assign wait_next = reset || behind_next != NONE;

    always @(posedge clk) begin
        word_out <= word_next;
        behind   <= behind_next;
        wait_out <= wait_next;
    end
endmodule

`default_nettype wire
