// An ULX3S 25F for site_bench.cpp: the pins that send on cables, as what the board would drive there and whether it does. Its own
// level is all that such a pin sees.
// SPDX-License-Identifier: ISC
`default_nettype none

module ulx3s_25f_end (
    input  wire       oscillator,
    input  wire       button,
    input  wire       uart_rx,
    output wire       uart_tx,
    input  wire [3:0] line_in,
    output wire [3:0] line_out,
    output wire [3:0] line_drives,
    output wire       flash_select_n,
    output wire       flash_out,
    input  wire       flash_in,
    output wire       flash_write_protect_n,
    output wire       flash_hold_n,
    output wire [7:0] led,
    output wire [7:0] probe,
    output wire       wifi_gpio0
);
    wire [3:0] pins;

    top board (
        .oscillator(oscillator), .button(button), .uart_rx(uart_rx), .uart_tx(uart_tx), .line_in(line_in), .line_out(pins),
        .flash_select_n(flash_select_n), .flash_out(flash_out), .flash_in(flash_in),
        .flash_write_protect_n(flash_write_protect_n), .flash_hold_n(flash_hold_n), .led(led), .probe(probe),
        .wifi_gpio0(wifi_gpio0));

    assign line_out = board.lines;
    assign line_drives = board.drives;
    wire unused = &{1'b0, pins};
endmodule

`default_nettype wire
