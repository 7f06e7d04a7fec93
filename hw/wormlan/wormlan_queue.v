// wormlan_queue: two words, so that each side may stop the other a clock late.
// SPDX-License-Identifier: ISC
`default_nettype none

module wormlan_queue #(
    parameter WIDTH = 18
) (
    input  wire             clk,
    input  wire             reset,

    // A word moves in a clock in which it is shown and its wait is 0. Outputs are flops; wait_out is 1 in reset.
    input  wire             shown_in,
    input  wire [WIDTH-1:0] word_in,
    output reg              wait_out,
    output reg              shown_out,
    output reg  [WIDTH-1:0] word_out,
    input  wire             wait_in
);
    reg  [WIDTH-1:0] behind;  // the word behind word_out,
    reg              holds;   // if there is one
    wire             arrives    = shown_in && !wait_out;
    wire             stands     = shown_out && wait_in;
    wire             holds_next = stands && (holds || arrives);

    always @(posedge clk) begin
        holds     <= !reset && holds_next;
        wait_out  <= reset || holds_next;
        shown_out <= !reset && (stands || holds || arrives);
    end

    always @(posedge clk) begin
        if (!holds) behind <= word_in;
        if (!stands) word_out <= holds ? behind : word_in;
    end

`ifdef FORMAL
    (* anyconst *) reg [2:0] watched;  // which word is followed, modulo 8
    reg  [2:0]       words_in, words_out;
    reg  [WIDTH-1:0] followed;
    wire [2:0]       held  = words_in - words_out;
    wire             there = watched - words_out < held;
    reg              started = 1'b0;
    always @(posedge clk) begin
        started <= 1'b1;
        if (!started) assume (reset);
        if (reset) {words_in, words_out} <= 6'd0;
        else begin
            words_in  <= words_in + {2'd0, arrives};
            words_out <= words_out + {2'd0, shown_out && !wait_in};
            if (arrives && words_in == watched) followed <= word_in;
        end
        if (started && !reset) begin
            assert (held == {2'd0, shown_out} + {2'd0, holds});
            assert (wait_out == (holds || $past(reset)));
            if (holds) assert (shown_out);
            if (there) assert ((watched == words_out ? word_out : behind) == followed);
            cover (holds && !wait_in);
        end
    end
`endif
endmodule

`default_nettype wire
