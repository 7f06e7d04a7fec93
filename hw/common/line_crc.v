// line_crc: one byte of the CRC of a line. Combinational.
//
// The polynomial is x^16 + x^9 + x^8 + x^7 + x^3 + 1 (0x0389), most significant bit first. The start value is 0xffff, and nothing
// is inverted at the end. hw/board_link/README.md, "Errors", says what it detects and why it was chosen.
// SPDX-License-Identifier: ISC
`default_nettype none

module line_crc (
    input  wire [15:0] crc,     // of the bytes before
    input  wire [7:0]  value,   // this byte
    output wire [15:0] next,    // of the bytes up to this one
    output wire        fits     // `value` is the upper byte of `crc`: a check byte that is right
);
    localparam [15:0] POLYNOMIAL = 16'h0389;

    function [15:0] after(input [15:0] start);
        integer i;
        begin
            after = start;
            for (i = 0; i < 8; i = i + 1) after = {after[14:0], 1'b0} ^ (after[15] ? POLYNOMIAL : 16'd0);
        end
    endfunction

    assign next = after({crc[15:8] ^ value, crc[7:0]});
    assign fits = crc[15:8] == value;
endmodule

`default_nettype wire
