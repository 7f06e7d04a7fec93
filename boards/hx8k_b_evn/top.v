// top of Lattice's iCE40-HX8K-B-EVN: one site with VexRiscv and 8 KB of block RAM at 12 MHz, no PLL. Its firmware is in the
// bitstream. Pins: pins.pcf.
//
// Links in the fabric's order: 0 east, 1 west, 2 north, 3 south. boards/README.md has the cables.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"
`include "straps.vh"
`include "parameters.vh"

module top (
    input  wire       clk,             // 12 MHz, oscillator of the board
    input  wire       uart_rx,
    output wire       uart_tx,

    input  wire [3:0] line_in,
    inout  wire [3:0] line_out,        // inputs until a cable has proved to be right (line_access.v)

    output wire       flash_select_n,
    output wire       flash_clock,
    output wire       flash_out,
    input  wire       flash_in,

    output wire [7:0] led,             // 3 to 0: link up; 4: a word has moved; 7: firmware runs
    output wire [7:0] probe
);
    wire [3:0] link_up, lines, drives;
    wire       traffic, alive;

    parameter_check #(`BOARD_CHECK_PARAMETERS) check ();

    line_pins line_pins (.level(lines), .drives(drives), .pin(line_out));

    // The board has no button for the design's use: a reset is a configuration.
    board_site #(`BOARD_SITE_PARAMETERS) site (
        .clk(clk), .link_clk(clk), .running(1'b1), .uart_rx(uart_rx), .uart_tx(uart_tx),
        .line_in(line_in), .line_out(lines), .line_drives(drives), .line_pin(line_out),
        .chip_in(76'd0), .chip_in_wait(), .chip_out(), .chip_out_wait(4'd0), .chip_in_reset(4'd0), .fabric_reset(),
        .flash_granted(1'b1), .flash_wanted(), .flash_select_n(flash_select_n), .flash_clock(flash_clock),
        .flash_out(flash_out), .flash_in(flash_in), .link_up(link_up), .traffic(traffic), .alive(alive), .probe(probe)
    );

    assign led = {alive, 2'd0, traffic, link_up};

endmodule

`default_nettype wire
