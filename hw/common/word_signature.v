// word_signature: a step of the check of a packet, a word a clock. Combinational.
//
// A CRC of as many bits as a word: x^16 + x^5 + x^3 + x^2 + 1, or x^32 + x^22 + x^2 + x + 1, most significant bit first. Both are
// primitive and have few terms, and so few gates. A packet in which one word is wrong, whatever is wrong in it, or two bits,
// never has the right signature; any other has it in one case of 2**WORD_WIDTH. A word that is target_info counts with each
// second bit inverted, so that the count of these words is checked too.
// What a packet carries is the inverse of its sum: else the sum of a packet and its own signature is 0, and where a damaged
// count takes the signature for data, a 0 behind it is taken for the signature.
// SPDX-License-Identifier: ISC
`default_nettype none

module word_signature #(
    parameter WORD_WIDTH = 16  // 16 or 32
) (
    input  wire [WORD_WIDTH-1:0] sum,   // of the words before
    input  wire [WORD_WIDTH-1:0] word,
    input  wire                  info,  // it is target_info
    output wire [WORD_WIDTH-1:0] next   // of the words up to this one
);
    localparam [31:0] POLYNOMIAL = WORD_WIDTH == 32 ? 32'h00400007 : 32'h0000002d;

    function [WORD_WIDTH-1:0] after(input [WORD_WIDTH-1:0] start);
        integer i;
        begin
            after = start;
            for (i = 0; i < WORD_WIDTH; i = i + 1)
                after = {after[WORD_WIDTH-2:0], 1'b0} ^ (POLYNOMIAL[WORD_WIDTH-1:0] & {WORD_WIDTH{after[WORD_WIDTH-1]}});
        end
    endfunction

    assign next = after(sum ^ word ^ {WORD_WIDTH/2{info, 1'b0}});
endmodule

`default_nettype wire
