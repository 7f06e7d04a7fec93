// top of the golden image of an iCE40 board: hw/mesh/golden_select.v, and the cell that configures the FPGA again. The pins have
// the names and places that they have in the board's own design.
// SPDX-License-Identifier: ISC
`default_nettype none

module top #(
    parameter DIVIDER = 12  // clocks a bit of the console
) (
    input  wire clk,
    output wire uart_tx,
    output wire flash_select_n,
    output wire flash_clock,
    output wire flash_out,
    input  wire flash_in
);
    wire boots;

    golden_select #(.DIVIDER(DIVIDER)) select (
        .clk(clk), .flash_select_n(flash_select_n), .flash_clock(flash_clock), .flash_out(flash_out), .flash_in(flash_in),
        .uart_tx(uart_tx), .boots(boots), .damaged()
    );

    // Image 1 is the bitstream in its slot; S1 and S0 are constant, long before BOOT rises.
    SB_WARMBOOT again (.BOOT(boots), .S1(1'b0), .S0(1'b1));
endmodule

`default_nettype wire
