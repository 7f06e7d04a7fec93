// first_set: the lowest or the highest bit that is set, one-hot; how a preference list picks its first available entry.
// SPDX-License-Identifier: ISC
`default_nettype none

module first_set #(
    parameter N = 5
) (
    input  wire [N-1:0] bits,
    input  wire         highest,  // 1: the highest bit wins, 0: the lowest
    output wire [N-1:0] first     // one-hot, or zero when no bit is set
);
    wire [N-1:0] turned, lowest;
    genvar i;

    generate
        for (i = 0; i < N; i = i + 1) begin : turn
            assign turned[i] = highest ? bits[N-1-i] : bits[i];
            assign first[i]  = highest ? lowest[N-1-i] : lowest[i];
        end
    endgenerate

    assign lowest = turned & (~turned + 1'b1);
endmodule

`default_nettype wire
