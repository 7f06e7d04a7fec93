// boards/ecp5_clocks.v for simulations without time, which cannot multiply a clock: the oscillator is driven at the links' rate,
// twice the site's, and both clocks rise with it at once.
// SPDX-License-Identifier: ISC
`default_nettype none

module ecp5_clocks (
    input  wire oscillator,
    output wire clk,
    output wire link_clk,
    output wire running
);
    reg second = 1'b0;  // the site's clock rises with each second edge of the oscillator
    always @(negedge oscillator) second <= !second;
    assign clk = oscillator && second;
    assign link_clk = oscillator;
    assign running = 1'b1;
endmodule

`default_nettype wire
