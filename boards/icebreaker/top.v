// top of an iCEBreaker: one site with SERV and 64 KB of SPRAM at 12 MHz, no PLL. Pins: pins.pcf.
//
// Links in the fabric's order: 0 east, 1 west, 2 north, 3 south. boards/README.md has the cables.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"
`include "straps.vh"
`include "parameters.vh"

module top (
    input  wire       clk,             // 12 MHz, oscillator of the board
    input  wire       button_n,        // held: reset
    input  wire       uart_rx,
    output wire       uart_tx,

    input  wire [3:0] line_in,
    inout  wire [3:0] line_out,        // inputs until a cable has proved to be right (line_access.v)

    output wire       flash_select_n,
    output wire       flash_clock,
    output wire       flash_out,
    input  wire       flash_in,

    output wire       led_red_n,       // lit: firmware does not run
    output wire       led_green_n,     // lit: a link is up; dark in between: a word has moved
    output wire [4:0] probe            // the lower five: pins of the other three are tied to buttons
);
    wire [3:0] link_up, lines, drives;
    wire       traffic, alive;
    wire [7:0] all_probes;

    parameter_check #(`BOARD_CHECK_PARAMETERS) check ();

    line_pins line_pins (.level(lines), .drives(drives), .pin(line_out));

    board_site #(`BOARD_SITE_PARAMETERS) site (
        .clk(clk), .link_clk(clk), .running(button_n), .uart_rx(uart_rx), .uart_tx(uart_tx),
        .line_in(line_in), .line_out(lines), .line_drives(drives), .line_pin(line_out),
        .chip_in(76'd0), .chip_in_wait(), .chip_out(), .chip_out_wait(4'd0), .chip_in_reset(4'd0), .fabric_reset(),
        .flash_granted(1'b1), .flash_wanted(), .flash_select_n(flash_select_n), .flash_clock(flash_clock),
        .flash_out(flash_out), .flash_in(flash_in), .link_up(link_up), .traffic(traffic), .alive(alive),
        .probe(all_probes)
    );

    assign led_red_n = alive;
    assign led_green_n = !(|link_up && !traffic);
    assign probe = all_probes[4:0];

    wire unused = &{1'b0, all_probes[7:5]};

endmodule

`default_nettype wire
