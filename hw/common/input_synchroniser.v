// input_synchroniser: a pin without a relation to the clock, for logic on the clock. A pin that changes at a clock edge may leave
// the first of the two flops undecided, which has a clock to settle.
//
// Timing: two clocks. Cost: 2 flops.
// SPDX-License-Identifier: ISC
`default_nettype none

module input_synchroniser #(
    parameter IDLE = 1'b0  // value at power-on, before the pin has been sampled
) (
    input  wire clk,
    input  wire pin,
    output wire level
);
    reg [1:0] sampled = {2{IDLE}};

    always @(posedge clk)
        sampled <= {sampled[0], pin};

    assign level = sampled[1];
endmodule

`default_nettype wire
