// line_crc_tb: the byte-wise CRC equals long division of the bits, and the check value of a known text.
// SPDX-License-Identifier: ISC
`default_nettype none

module line_crc_tb;
    `include "bench.vh"

    reg  [15:0] crc;
    reg  [7:0]  value;
    wire [15:0] next;
    wire        fits;

    line_crc dut (.crc(crc), .value(value), .next(next), .fits(fits));

    // Remainder of (crc at the top of 24 bits, plus the byte times x^16) by x^16 + x^9 + x^8 + x^7 + x^3 + 1.
    function [15:0] divided(input [15:0] start, input [7:0] octet);
        reg [23:0] rest;
        integer    i;
        begin
            rest = {start, 8'd0} ^ {octet, 16'd0};
            for (i = 23; i >= 16; i = i - 1) if (rest[i]) rest = rest ^ (24'h010389 << (i - 16));
            divided = rest[15:0];
        end
    endfunction

    integer      i;
    reg [8*9-1:0] text;
    reg [15:0]   sum;
    initial begin
        begin_bench;
        for (i = 0; i < 20000; i = i + 1) begin
            crc = $random(seed);
            value = i % 4 == 0 ? crc[15:8] : $random(seed);
            #1 check(next == divided(crc, value), "the CRC is the remainder");
            check(fits == (value == crc[15:8]), "a check byte fits if it is the upper byte");
        end
        // A text and its CRC leave nothing.
        text = "123456789";
        sum = 16'hffff;
        for (i = 8; i >= 0; i = i - 1) begin
            crc = sum;
            value = text[8*i +: 8];
            #1 sum = next;
        end
        for (i = 0; i < 2; i = i + 1) begin
            crc = sum;
            value = sum[15:8];
            #1 check(fits, "the CRC of a terminator fits byte by byte");
            sum = next;
        end
        check(sum == 16'd0, "nothing is left behind the CRC");
        verdict;
    end
endmodule

`default_nettype wire
