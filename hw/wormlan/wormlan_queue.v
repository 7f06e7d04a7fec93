// wormlan_queue: two words, so that each side may stop the other a clock late.
// SPDX-License-Identifier: ISC
`default_nettype none

module wormlan_queue #(
    parameter WIDTH = 18  // all zeroes is no word
) (
    input  wire             clk,
    input  wire             reset,

    // A word moves in a clock in which it is shown and its wait is 0. Outputs are flops; wait_out is 1 in reset.
    input  wire [WIDTH-1:0] word_in,
    output reg              wait_out,
    output reg  [WIDTH-1:0] word_out,
    input  wire             wait_in
);
    localparam [WIDTH-1:0] NONE = {WIDTH{1'b0}};

    reg  [WIDTH-1:0] behind;      // the word behind word_out; wait_out: there is one
    reg              shown;       // word_out is a word
    wire             arrives = !wait_out && word_in != NONE;
    wire             stands  = shown && wait_in;

    always @(posedge clk)
        if (reset) begin
            word_out <= NONE;
            shown    <= 1'b0;
            wait_out <= 1'b1;
        end else begin
            wait_out <= stands && (wait_out && behind != NONE || arrives);
            if (!stands) begin
                word_out <= wait_out ? behind : word_in;
                shown    <= wait_out ? behind != NONE : arrives;
            end
        end

    always @(posedge clk)
        if (reset) behind <= NONE;
        else if (!wait_out) behind <= word_in;
        else if (!stands) behind <= NONE;

`ifdef FORMAL
    (* anyconst *) reg [2:0] watched;  // which word is followed, modulo 8
    reg  [2:0]       words_in, words_out;
    reg  [WIDTH-1:0] followed;
    wire [2:0]       held  = words_in - words_out;
    wire             there = watched - words_out < held;
    reg              started = 1'b0, after_reset = 1'b0;
    always @(posedge clk) begin
        started     <= 1'b1;
        after_reset <= reset;
        if (!started) assume (reset);
        if (reset) {words_in, words_out} <= 6'd0;
        else begin
            words_in  <= words_in + {2'd0, arrives};
            words_out <= words_out + {2'd0, shown && !wait_in};
            if (arrives && words_in == watched) followed <= word_in;
        end
        if (started && !reset) begin
            assert (shown == (word_out != NONE));
            assert (held == {2'd0, shown} + {2'd0, wait_out && !after_reset});
            if (!after_reset) assert (wait_out == (held == 3'd2));
            if (after_reset) assert (held == 3'd0 && behind == NONE);
            if (wait_out && !after_reset) assert (behind != NONE);
            if (there) assert ((watched == words_out ? word_out : behind) == followed);
            cover (wait_out && shown && !wait_in);
        end
    end
`endif
endmodule

`default_nettype wire
