// first_set_tb: every input of every width up to 8, both ends.
// SPDX-License-Identifier: ISC
`default_nettype none

module first_set_tb;
    `include "bench.vh"

    reg  [7:0] bits;
    reg        highest;
    wire [7:0] first [1:8];

    genvar n;
    generate
        for (n = 1; n <= 8; n = n + 1) begin : width
            wire [n-1:0] narrow;
            first_set #(.N(n)) dut (.bits(bits[n-1:0]), .highest(highest), .first(narrow));
            assign first[n] = {{(8-n){1'b0}}, narrow};
        end
    endgenerate

    integer value, end_of, i, w;
    reg [7:0] expected;

    initial begin
        begin_bench;
        for (value = 0; value < 256; value = value + 1)
            for (end_of = 0; end_of < 2; end_of = end_of + 1) begin
                bits = value;
                highest = end_of;
                #1;
                for (w = 1; w <= 8; w = w + 1) begin
                    expected = 8'd0;
                    for (i = 0; i < w; i = i + 1)
                        if (bits[i] && (highest || expected == 8'd0)) expected = 8'd1 << i;
                    check(first[w] === expected, "U1: the first entry of a preference list");
                end
            end
        verdict;
    end
endmodule

`default_nettype wire
