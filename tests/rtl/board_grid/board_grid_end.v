// An ULX3S 85F with its flash's clock as a port, and cables from its east side to its west side.
// SPDX-License-Identifier: ISC
`default_nettype none

module board_grid_end (
    input  wire       oscillator,
    input  wire       button,
    input  wire       uart_rx,
    output wire       uart_tx,
    output wire [2:0] console,
    output wire       flash_select_n,
    output wire       flash_clock,
    output wire       flash_out,
    input  wire       flash_in,
    output wire [7:0] led,
    output wire [3:0] fabric_runs,
    output wire [63:0] epochs
);
    wire [7:0] line_out;

    /* verilator lint_off PINCONNECTEMPTY */
    top board (
        .oscillator(oscillator), .button(button), .uart_rx(uart_rx), .uart_tx(uart_tx), .console(console),
        .line_in({2'd0, line_out[4], line_out[5], 2'd0, line_out[0], line_out[1]}), .line_out(line_out),
        .flash_select_n(flash_select_n), .flash_out(flash_out), .flash_in(flash_in), .flash_write_protect_n(),
        .flash_hold_n(), .led(led), .wifi_gpio0());
    /* verilator lint_on PINCONNECTEMPTY */

    assign flash_clock = board.flash_clock;

    genvar s;
    generate
        for (s = 0; s < 4; s = s + 1) begin : look
            assign fabric_runs[s] = !board.resets[s];
            assign epochs[16*s +: 16] = board.place[s].site.epoch;
        end
    endgenerate

    wire unused = &{1'b0, line_out};
endmodule

module USRMCLK (
    input wire USRMCLKI,
    input wire USRMCLKTS
);
    wire unused = &{1'b0, USRMCLKI, USRMCLKTS};
endmodule

`default_nettype wire
