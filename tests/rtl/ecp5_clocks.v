// boards/ecp5_clocks.v for simulations without time, which cannot multiply a clock: the oscillator is driven at the links' rate,
// LINK_RATIO times the site's, and both clocks rise with it at once.
// SPDX-License-Identifier: ISC
`default_nettype none

`ifndef LINK_RATIO
`define LINK_RATIO 2
`endif

module ecp5_clocks (
    input  wire oscillator,
    output wire clk,
    output wire link_clk,
    output wire running
);
    reg [1:0] phase = 2'd0;  // the site's clock rises with the last edge of the oscillator in each LINK_RATIO
    always @(negedge oscillator) phase <= phase == `LINK_RATIO - 1 ? 2'd0 : phase + 2'd1;
    assign clk = oscillator && phase == `LINK_RATIO - 1;
    assign link_clk = oscillator;
    assign running = 1'b1;
endmodule

`default_nettype wire
