// top of an ULX3S with an ECP5 25F: one site with VexRiscv and 64 KB of block RAM at 25 MHz, links at
// 12.5 Mbit/s. Pins: pins.lpf.
//
// Links in the fabric's order: 0 east, 1 west, 2 north, 3 south. boards/README.md has the cables.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"
`include "straps.vh"
`include "parameters.vh"

module top (
    input  wire       oscillator,      // 25 MHz
    input  wire       button,          // FIRE1, held: reset
    input  wire       uart_rx,
    output wire       uart_tx,

    input  wire [3:0] line_in,
    inout  wire [3:0] line_out,        // inputs until a cable has proved to be right (line_access.v)

    output wire       flash_select_n,  // the clock of this flash has no pin: USRMCLK
    output wire       flash_out,
    input  wire       flash_in,
    output wire       flash_write_protect_n,
    output wire       flash_hold_n,

    output wire [7:0] led,             // 3 to 0: link up; 4: a word has moved; 7: firmware runs
    output wire [7:0] probe,
    output wire       wifi_gpio0       // 1: the ESP32 leaves the board alone
);
    wire [3:0] link_up, lines, drives;
    wire       traffic, alive, flash_clock, clk, link_clk, locked;

    ecp5_clocks clocks (.oscillator(oscillator), .clk(clk), .link_clk(link_clk), .running(locked));

    parameter_check #(`BOARD_CHECK_PARAMETERS) check ();

    line_pins line_pins (.level(lines), .drives(drives), .pin(line_out));

    board_site #(`BOARD_SITE_PARAMETERS) site (
        .clk(clk), .link_clk(link_clk), .running(locked && !button), .uart_rx(uart_rx), .uart_tx(uart_tx),
        .line_in(line_in), .line_out(lines), .line_drives(drives), .line_pin(line_out),
        .chip_in(76'd0), .chip_in_wait(), .chip_out(), .chip_out_wait(4'd0), .chip_in_reset(4'd0), .fabric_reset(),
        .flash_granted(1'b1), .flash_wanted(), .flash_select_n(flash_select_n), .flash_clock(flash_clock),
        .flash_out(flash_out), .flash_in(flash_in), .link_up(link_up), .traffic(traffic), .alive(alive), .probe(probe)
    );

    USRMCLK flash_pin (.USRMCLKI(flash_clock), .USRMCLKTS(1'b0));

    assign flash_write_protect_n = 1'b1;
    assign flash_hold_n = 1'b1;
    assign led = {alive, 2'd0, traffic, link_up};
    assign wifi_gpio0 = 1'b1;

endmodule

`default_nettype wire
