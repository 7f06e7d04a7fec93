// power_on_reset: the reset of a whole chip, from the flops' values after configuration and from `running`.
//
//   running (pin, PLL)   ____/----------------------------\____/-------
//   reset                ------------------\_________________/---------...
//                            |<- SETTLE ->|               2..3 clocks
//
// The block RAM of an iCE40 cannot be read in the first microseconds after configuration: SETTLE is 11 microseconds or more.
// Cost: 2 flops of the synchroniser, a counter of log2(SETTLE) + 1 bits.
// SPDX-License-Identifier: ISC
`default_nettype none

module power_on_reset #(
    parameter CLOCK_HZ = 12000000  // of clk: for the length of the reset
) (
    input  wire clk,
    input  wire running,  // asynchronous: 0 while a PLL is unlocked or a reset button is pressed
    output wire reset     // from a flop; 1 from the first clock on
);
    localparam MICROSECONDS = 11;
    localparam BITS         = $clog2(MICROSECONDS * ((CLOCK_HZ + 999999) / 1000000));  // SETTLE is 2^BITS clocks

    reg [BITS:0] count = {BITS+1{1'b0}};
    wire         runs;

    input_synchroniser synchroniser (.clk(clk), .pin(running), .level(runs));

    always @(posedge clk)
        if (!runs)
            count <= {BITS+1{1'b0}};
        else if (!count[BITS])
            count <= count + {{BITS{1'b0}}, 1'b1};

    assign reset = !count[BITS];
endmodule

`default_nettype wire
