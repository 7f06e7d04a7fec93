// A board of bench.cpp: an iCEBreaker's site with VexRiscv as its core (parameters.vh), and nothing around it. Where the firmware
// gives way to the boot program, a word in 256 of the image's first `parts` * 256 words changes: a load finds none of these.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "straps.vh"
`include "parameters.vh"

module board (
    input  wire       clk,
    input  wire       running,
    input  wire       uart_rx,
    output wire       uart_tx,
    output wire       flash_select_n,
    output wire       flash_clock,
    output wire       flash_out,
    input  wire       flash_in,
    input  wire [3:0] line_in,
    output wire [3:0] line_out,
    input  wire [5:0] parts,
    output wire [7:0] moved,  // a word has entered or left by a link
    output wire       alive
);
    reg       runs = 1'b0;
    reg [5:0] spoiled = 6'd63;
    always @(posedge clk) begin
        runs <= alive;
        if (runs && !alive) spoiled <= 6'd0;
        else if (spoiled < parts) spoiled <= spoiled + 1'b1;
        if (spoiled < parts) site.site.ram.memory[{spoiled, 8'd0}] <= 32'd0;
    end

    wire [3:0] lines, line_drives;
    assign line_out = lines & line_drives;  // a wire that nothing drives is 0

    /* verilator lint_off PINCONNECTEMPTY */
    board_site #(`BOARD_SITE_PARAMETERS) site (
        .clk(clk), .link_clk(clk), .running(running), .uart_rx(uart_rx), .uart_tx(uart_tx),
        .line_in(line_in), .line_out(lines), .line_drives(line_drives), .line_pin(line_out),
        .chip_in(76'd0), .chip_in_wait(), .chip_out(), .chip_out_wait(4'd0), .chip_in_reset(4'd0), .fabric_reset(),
        .flash_granted(1'b1), .flash_wanted(), .flash_select_n(flash_select_n), .flash_clock(flash_clock),
        .flash_out(flash_out), .flash_in(flash_in), .link_up(), .traffic(), .alive(alive), .probe(moved));
    /* verilator lint_on PINCONNECTEMPTY */
endmodule

`default_nettype wire
