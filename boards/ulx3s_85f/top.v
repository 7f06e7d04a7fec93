// top of an ULX3S with an ECP5 85F: four sites, each with VexRiscv and 64 KB of block RAM, at 25 MHz, and
// cables at 12.5 Mbit/s. Pins: pins.lpf.
//
//          north 0          north 1
//             |                |
//  west 1 -- site 2 -------- site 3 -- east 1       The links between the sites are wires of the FPGA, those at the edge cables.
//             |                |                    Line 4 k + l is link k of direction l (0 east, 1 west, 2 north, 3 south).
//  west 0 -- site 0 -------- site 1 -- east 0       The image of site s is 128 KB * s behind that of site 0.
//             |                |
//          south 0          south 1
//
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"
`include "straps.vh"
`include "parameters.vh"

module top (
    input  wire       oscillator,      // 25 MHz
    input  wire       button,          // FIRE1, held: reset
    input  wire       uart_rx,         // console of site 0
    output wire       uart_tx,
    output wire [2:0] console,         // what the sites 1 to 3 write to theirs

    input  wire [7:0] line_in,
    inout  wire [7:0] line_out,        // inputs until a cable has proved to be right (line_access.v)

    output wire       flash_select_n,  // the clock of this flash has no pin: USRMCLK
    output wire       flash_out,
    input  wire       flash_in,
    output wire       flash_write_protect_n,
    output wire       flash_hold_n,

    output wire [7:0] led,             // 3 to 0: firmware of the site runs; 4: a word has moved; 7: a cable's link is up
    output wire       wifi_gpio0       // 1: the ESP32 leaves the board alone
);
    localparam SITES = 4, EAST = 0, WEST = 1, NORTH = 2, SOUTH = 3;
    localparam CHIP = 19;  // bits of a link between sites

    wire [SITES-1:0]         tx, traffic, alive, wanted, select_n, clocks, outs, granted;
    wire [SITES-1:0]         resets;
    wire [4*SITES-1:0]       link_up, cable_up, chip_in_wait;
    wire [4*CHIP*SITES-1:0]  chip_out;
    wire [7:0]               lines, drives;
    wire                     flash_clock, clk, link_clk, locked;

    ecp5_clocks clock (.oscillator(oscillator), .clk(clk), .link_clk(link_clk), .running(locked));

    parameter_check #(`BOARD_CHECK_PARAMETERS) check ();

    line_pins #(.LINKS(8)) line_pins (.level(lines), .drives(drives), .pin(line_out));

    genvar s;
    generate
        for (s = 0; s < SITES; s = s + 1) begin : place
            // Of each dimension one link is a cable, that of number y or x of its direction, and one leads to another site.
            localparam X = s % 2, Y = s / 2;
            localparam ACROSS = X == 0 ? EAST : WEST, UP = Y == 0 ? NORTH : SOUTH;
            localparam CABLE_X = 1 - ACROSS, CABLE_Y = NORTH + SOUTH - UP;
            localparam BESIDE = s + 1 - 2 * X, ABOVE = s + 2 - 4 * Y;

            wire [3:0]        lines_in, lines_out, lines_drive, lines_pin, chip_out_wait, chip_in_reset;
            wire [4*CHIP-1:0] chip_in;

            assign lines_in[ACROSS] = 1'b0;
            assign lines_in[UP] = 1'b0;
            assign lines_in[CABLE_X] = line_in[4*Y + CABLE_X];
            assign lines_in[CABLE_Y] = line_in[4*X + CABLE_Y];
            assign {lines[4*Y + CABLE_X], drives[4*Y + CABLE_X]} = {lines_out[CABLE_X], lines_drive[CABLE_X]};
            assign {lines[4*X + CABLE_Y], drives[4*X + CABLE_Y]} = {lines_out[CABLE_Y], lines_drive[CABLE_Y]};
            assign {lines_pin[ACROSS], lines_pin[UP]} = 2'b00;
            assign {lines_pin[CABLE_X], lines_pin[CABLE_Y]} = {line_out[4*Y + CABLE_X], line_out[4*X + CABLE_Y]};
            assign chip_in[ACROSS*CHIP +: CHIP] = chip_out[(4*BESIDE + CABLE_X)*CHIP +: CHIP];
            assign chip_in[UP*CHIP +: CHIP] = chip_out[(4*ABOVE + CABLE_Y)*CHIP +: CHIP];
            assign chip_in[CABLE_X*CHIP +: CHIP] = {CHIP{1'b0}};
            assign chip_in[CABLE_Y*CHIP +: CHIP] = {CHIP{1'b0}};
            assign chip_out_wait[ACROSS] = chip_in_wait[4*BESIDE + CABLE_X];
            assign chip_out_wait[UP] = chip_in_wait[4*ABOVE + CABLE_Y];
            assign {chip_out_wait[CABLE_X], chip_out_wait[CABLE_Y]} = 2'b00;
            assign {chip_in_reset[ACROSS], chip_in_reset[UP]} = {resets[BESIDE], resets[ABOVE]};
            assign {chip_in_reset[CABLE_X], chip_in_reset[CABLE_Y]} = 2'b00;
            assign cable_up[4*s +: 4] = link_up[4*s +: 4] & (4'd1 << CABLE_X | 4'd1 << CABLE_Y);

            board_site #(`BOARD_SITE_PARAMETERS, .CHIP_LINKS(4'd1 << ACROSS | 4'd1 << UP), .INDEX(s)) site (
                .clk(clk), .link_clk(link_clk), .running(locked && !button), .uart_rx(uart_rx || s != 0), .uart_tx(tx[s]),
                .line_in(lines_in), .line_out(lines_out), .line_drives(lines_drive), .line_pin(lines_pin),
                .chip_in(chip_in), .chip_in_wait(chip_in_wait[4*s +: 4]), .chip_out(chip_out[4*CHIP*s +: 4*CHIP]),
                .chip_out_wait(chip_out_wait), .chip_in_reset(chip_in_reset), .fabric_reset(resets[s]),
                .flash_granted(granted[s]), .flash_wanted(wanted[s]), .flash_select_n(select_n[s]),
                .flash_clock(clocks[s]), .flash_out(outs[s]), .flash_in(flash_in),
                .link_up(link_up[4*s +: 4]), .traffic(traffic[s]), .alive(alive[s]), .probe());

            wire unused = &{1'b0, lines_out, lines_drive};
        end
    endgenerate

    flash_share #(.SITES(SITES)) flash (
        .clk(clk), .wanted(wanted), .select_n(select_n), .clocks(clocks), .outs(outs), .granted(granted),
        .flash_select_n(flash_select_n), .flash_clock(flash_clock), .flash_out(flash_out)
    );

    USRMCLK flash_pin (.USRMCLKI(flash_clock), .USRMCLKTS(1'b0));

    assign {console, uart_tx} = tx;
    assign flash_write_protect_n = 1'b1;
    assign flash_hold_n = 1'b1;
    assign led = {|cable_up, 2'd0, |traffic, alive};
    assign wifi_gpio0 = 1'b1;

    wire unused = &{1'b0, chip_out};

endmodule

`default_nettype wire
