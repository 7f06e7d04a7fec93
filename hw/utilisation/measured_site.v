// What is measured as `site`: a site as on a board. Its number and address are inputs, the same bitstream serves all; the rest
// of what a .mesh file says is constant; a clock counter is beside it.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"
`include "straps.vh"

module measured_site #(
    parameter WORD_WIDTH = 16,
    parameter RAM_BYTES = 65536,
    parameter SERV = 0,                 // 0: VexRiscv Min
    parameter COORD_WIDTH = WORD_WIDTH == 32 ? `POSTROAD_SITE_COORD_WIDTH_32 : `POSTROAD_SITE_COORD_WIDTH_16,  // not to be set
    parameter LINK_WIDTH  = WORD_WIDTH + 3,
    parameter IN  = 4*LINK_WIDTH + 2*COORD_WIDTH + 35,
    parameter OUT = 4*LINK_WIDTH + 47
) (
    input  wire           clk,
    input  wire [IN-1:0]  in,
    output wire [OUT-1:0] out
);
    localparam [15:0] SIZE = 32;
    localparam [63:0] CPU = SERV != 0 ? "serv" : "vexriscv";

    wire                     reset, uart_rx_valid, uart_rx_ready, uart_tx_valid, uart_tx_ready, finished, quiet;
    wire [7:0]               uart_rx, uart_tx;
    wire [2*COORD_WIDTH-1:0] address;
    wire [15:0]              number;
    wire [4*LINK_WIDTH-1:0]  link_in, link_out;
    wire [3:0]               link_in_wait, link_out_wait, link_down;
    wire [63:0]              wake_time;
    wire [31:0]              finish_status;

    assign {reset, uart_rx_valid, uart_rx, uart_tx_ready, address, number, link_in, link_out_wait, link_down} = in;

    // Clocks since reset, with half the chain of carries.
    reg [63:0] now;
    reg        low_full;
    always @(posedge clk)
        if (reset) begin
            now <= 64'd0;
            low_full <= 1'b0;
        end else begin
            now <= {now[63:32] + {31'd0, low_full}, now[31:0] + 32'd1};
            low_full <= now[31:0] == ~32'd1;
        end

    reg [`POSTROAD_STRAPS-1:0] straps;
    always @* begin
        straps = {`POSTROAD_STRAPS{1'b0}};
        straps[`POSTROAD_STRAP_SITE_ADDRESS]           = {{32-2*COORD_WIDTH{1'b0}}, address};
        straps[`POSTROAD_STRAP_SITE_NUMBER]            = number;
        straps[`POSTROAD_STRAP_TOPOLOGY]               = `POSTROAD_TOPOLOGY_GRID;
        straps[`POSTROAD_STRAP_SIZE_X]                 = SIZE;
        straps[`POSTROAD_STRAP_SIZE_Y]                 = SIZE;
        straps[`POSTROAD_STRAP_DIVERT_THRESHOLD]       = 16'd8;
        straps[`POSTROAD_STRAP_ABORT_THRESHOLD]        = 16'd64;
        straps[`POSTROAD_STRAP_RELIEF_LIMIT]           = 16'd64;
        straps[`POSTROAD_STRAP_RECEIVE_PATIENCE]       = 16'd4096;
        straps[`POSTROAD_STRAP_LINKS_CONNECTED]        = 16'd15;
        straps[`POSTROAD_STRAP_CLOCK_HZ]               = 32'd24000000;
        straps[`POSTROAD_STRAP_MESH_HASH]              = 32'h5a17c0de;
        straps[`POSTROAD_STRAP_MAX_PACKET]             = 16'd127;
        straps[`POSTROAD_STRAP_RETRY_LIMIT]            = 8'd8;
        straps[`POSTROAD_STRAP_EPOCH]                  = 16'd0;
        straps[`POSTROAD_STRAP_RELIABLE]               = 1'b1;
    end

    /* verilator lint_off PINCONNECTEMPTY */  // no board
    site #(.WORD_WIDTH(WORD_WIDTH), .RAM_BYTES(RAM_BYTES), .CPU(CPU)) site (
        .clk(clk), .fabric_clk(clk), .reset(reset), .core_reset(reset), .straps(straps), .now(now), .wake_time(wake_time),
        .link_in(link_in), .link_in_wait(link_in_wait), .link_out(link_out), .link_out_wait(link_out_wait),
        .link_down(link_down), .uart_rx_valid(uart_rx_valid), .uart_rx(uart_rx), .uart_rx_ready(uart_rx_ready),
        .uart_tx_valid(uart_tx_valid), .uart_tx(uart_tx), .uart_tx_ready(uart_tx_ready), .finished(finished),
        .finish_status(finish_status), .board_request(), .board_we(), .board_adr(), .board_wdata(),
        .board_rdata(32'd0), .rom_rdata(32'd0), .alive(), .handed_tag(), .handed_wait(), .quiet(quiet));
    /* verilator lint_on PINCONNECTEMPTY */

    wire unused_outputs = &{1'b0, wake_time, quiet};  // for simulators
    assign out = {uart_rx_ready, uart_tx_valid, uart_tx, finished, finish_status, link_in_wait,
                  link_out};
endmodule

`default_nettype wire
