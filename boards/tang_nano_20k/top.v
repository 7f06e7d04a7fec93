// top of a Tang Nano 20K: one site with VexRiscv and 64 KB of block RAM at 27 MHz, no PLL. Pins: pins.cst.
//
// Links in the fabric's order: 0 east, 1 west, 2 north, 3 south. boards/README.md has the cables.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"
`include "straps.vh"
`include "parameters.vh"

module top (
    input  wire       clk,             // 27 MHz, oscillator of the board
    input  wire       uart_rx,
    output wire       uart_tx,

    input  wire [3:0] line_in,
    inout  wire [3:0] line_out,        // inputs until a cable has proved to be right (line_access.v)

    output wire       flash_select_n,
    output wire       flash_clock,
    output wire       flash_out,
    input  wire       flash_in,

    output wire [5:0] led_n,           // 3 to 0: link up; 4: a word has moved; 5: firmware runs
    output wire [1:0] probe            // the lower two
);
    wire [3:0] link_up, lines, drives;
    wire       traffic, alive;
    wire [7:0] all_probes;

    parameter_check #(`BOARD_CHECK_PARAMETERS) check ();

    line_pins line_pins (.level(lines), .drives(drives), .pin(line_out));

    // The documents contradict each other about the level of a pressed button, so none is a reset.
    board_site #(`BOARD_SITE_PARAMETERS) site (
        .clk(clk), .link_clk(clk), .running(1'b1), .uart_rx(uart_rx), .uart_tx(uart_tx),
        .line_in(line_in), .line_out(lines), .line_drives(drives), .line_pin(line_out),
        .chip_in(76'd0), .chip_in_wait(), .chip_out(), .chip_out_wait(4'd0), .chip_in_reset(4'd0), .fabric_reset(),
        .flash_granted(1'b1), .flash_wanted(), .flash_select_n(flash_select_n), .flash_clock(flash_clock),
        .flash_out(flash_out), .flash_in(flash_in), .link_up(link_up), .traffic(traffic), .alive(alive),
        .probe(all_probes)
    );

    assign led_n = ~{alive, traffic, link_up};
    assign probe = all_probes[1:0];

    wire unused = &{1'b0, all_probes[7:2]};

endmodule

`default_nettype wire
