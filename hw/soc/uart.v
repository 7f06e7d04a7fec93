// uart: the register interface of a 16550 subset, on two byte streams.
//
// RBR and THR are at offset 0, LSR bits 0, 5 and 6 at offset 5. Other writes are ignored, other reads give 0. Bit timing is a
// matter of the board (a simulated UART moves whole bytes). The source of the receive stream holds its byte until it is taken.
// A read of the whole word 0 takes a byte as well; firmware should read offset 0 alone, with lb.
// Cost: 9 flops.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module uart (
    input wire clk,
    input wire reset,

    // bus.v: request is 1 in one clock of an access; rdata is valid in that clock.
    input  wire        request,
    input  wire        we,
    input  wire [7:2]  adr,
    input  wire [3:0]  sel,
    input  wire [7:0]  wdata,
    output wire [31:0] rdata,

    // Byte streams: a byte moves in each clock with valid and ready. valid and the byte hold until then.
    input  wire        rx_valid,
    input  wire [7:0]  rx,
    output wire        rx_ready,
    output reg         tx_valid,
    output reg  [7:0]  tx,
    input  wire        tx_ready
);
    localparam [7:0] LSR = `POSTROAD_UART_LSR;

    wire data = adr == 6'd0;
    wire status = adr == LSR[7:2];
    wire write = request && we && data && sel[0] && !tx_valid;
    wire [7:0] line_status = {1'b0, !tx_valid, !tx_valid, 4'b0, rx_valid};

    assign rx_ready = request && !we && data && sel[0];

    always @(posedge clk)
        if (reset)
            tx_valid <= 1'b0;
        else if (write)
            tx_valid <= 1'b1;
        else if (tx_ready)
            tx_valid <= 1'b0;

    always @(posedge clk)
        if (write)
            tx <= wdata;

    assign rdata[7:0] = data && rx_valid ? rx : 8'd0;
    assign rdata[15:8] = status ? line_status : 8'd0;
    assign rdata[31:16] = 16'd0;

    wire unused = &{1'b0, sel[3:1], LSR[1:0]};

endmodule

`default_nettype wire
