// A board of a row of tests/boards/pairs/rows: the top of a board with one site, or with SIDE 2 of one with four, with the
// parameters of the row. The tops are those of ECP5s, whose parameters are all that of a board.conf reaches the hardware.
// SPDX-License-Identifier: ISC
`default_nettype none

module pair_end #(
    parameter SIDE = 1
) (
    input  wire              oscillator,
    input  wire              button,
    input  wire              uart_rx,
    output wire              uart_tx,
    output wire              flash_select_n,
    output wire              flash_clock,
    output wire              flash_out,
    input  wire              flash_in,
    input  wire [4*SIDE-1:0] line_in,
    output wire [4*SIDE-1:0] line_out,
    output wire              up         // a cable is
);
    wire [7:0]        led;
    wire [4*SIDE-1:0] pins;

    /* verilator lint_off PINMISSING */
    top board (
        .oscillator(oscillator), .button(button), .uart_rx(uart_rx), .uart_tx(uart_tx), .line_in(line_in),
        .line_out(pins), .flash_select_n(flash_select_n), .flash_out(flash_out), .flash_in(flash_in), .led(led));
    /* verilator lint_on PINMISSING */

    assign flash_clock = board.flash_clock;

    assign line_out = pins;
    assign up = SIDE == 1 ? |led[3:0] : led[7];

    wire unused = &{1'b0, led};
endmodule

module USRMCLK (
    input wire USRMCLKI,
    input wire USRMCLKTS
);
    wire unused = &{1'b0, USRMCLKI, USRMCLKTS};
endmodule

`default_nettype wire
