// postman_link_words: counts what leaves by a link in words, for the counter words_out: each flit is a byte of one, and address
// flits, dead ones too, and check bytes count as well. A flit is a header bit 1 and 8 bits (R1).
// SPDX-License-Identifier: ISC
`default_nettype none

module postman_link_words #(
    parameter WORD_WIDTH = 16  // bits of a word
) (
    input  wire       clk,
    input  wire       reset,
    input  wire [1:0] moves,      // of each line: a bit moves in this clock
    input  wire [1:0] line,       // of the two planes that leave by the link
    output wire       event_word
);
    localparam [3:0] FLIT = 8;
    localparam [2:0] WORD_FLITS = WORD_WIDTH == 32 ? 3'd4 : 3'd2;

    wire [1:0] begins;
    reg  [1:0] flits;   // of a word that is not complete
    wire [2:0] sum = {1'b0, flits} + {2'd0, begins[0]} + {2'd0, begins[1]};
    wire [2:0] over = sum - WORD_FLITS;

    genvar i;
    generate
        for (i = 0; i < 2; i = i + 1) begin : meter
            reg [3:0] left;  // bits of the flit that are still to come

            assign begins[i] = moves[i] && left == 4'd0 && line[i];
            always @(posedge clk)
                if (reset) left <= 4'd0;
                else if (begins[i]) left <= FLIT;
                else if (moves[i] && left != 4'd0) left <= left - 4'd1;
        end
    endgenerate

    assign event_word = sum >= WORD_FLITS;

    always @(posedge clk)
        flits <= reset ? 2'd0 : event_word ? over[1:0] : sum[1:0];

    wire unused = &{1'b0, over};
endmodule

`default_nettype wire
