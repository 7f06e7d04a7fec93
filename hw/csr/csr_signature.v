// csr_signature: the check of a packet, a word a clock. Combinational.
//
// A multiple-input signature register: the remainder of the words as the coefficients of a polynomial. A packet in which one word
// is wrong, whatever is wrong in it, never has the right signature; any other has it in one case of 2**WORD_WIDTH. A word that
// is target_info counts with its highest bit inverted, so that the count of these words is checked too.
// SPDX-License-Identifier: ISC
`default_nettype none

module csr_signature #(
    parameter WORD_WIDTH = 16  // 16: the polynomial of line_crc.v; 32: that of Ethernet
) (
    input  wire [WORD_WIDTH-1:0] sum,   // of the words before
    input  wire [WORD_WIDTH-1:0] word,
    input  wire                  info,  // it is target_info
    output wire [WORD_WIDTH-1:0] next   // of the words up to this one
);
    localparam [31:0] POLYNOMIAL = WORD_WIDTH == 32 ? 32'h04c11db7 : 32'h0389;

    assign next = {sum[WORD_WIDTH-2:0], 1'b0} ^ (POLYNOMIAL[WORD_WIDTH-1:0] & {WORD_WIDTH{sum[WORD_WIDTH-1]}}) ^ word ^
                  {info, {WORD_WIDTH-1{1'b0}}};
endmodule

`default_nettype wire
