// Puts a design between registers: a figure for its speed is then that of its own paths, and nothing of it can be optimised
// away. Two pins are enough: a chain shifts in, and what comes out is folded into one bit.
// SPDX-License-Identifier: ISC
`default_nettype none

module between_registers #(
    parameter IN  = 8,  // the design's inputs,
    parameter OUT = 8   // and outputs
) (
    input  wire           clk,
    input  wire           pin_in,
    output wire           pin_out,
    output reg  [IN-1:0]  to_design,
    input  wire [OUT-1:0] from_design
);
    reg [OUT-1:0] caught, folded;
    assign pin_out = folded[OUT-1];

    // One bit of memory an output, and no signal that all of them would need in the same clock.
    always @(posedge clk) begin
        to_design <= {to_design[IN-2:0], pin_in};
        caught <= from_design;
        folded <= {folded[OUT-2:0], 1'b0} ^ caught;
    end
endmodule

`default_nettype wire
