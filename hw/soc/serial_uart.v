// serial_uart: a serial line, 8N1, for the two byte streams of uart.v.
//
//   rx -- input_synchroniser -- serial_receiver -- byte_queue --> bytes in
//   tx <------------------------ serial_transmitter <------------ bytes out
//
// The core may look for bytes less often than they come: the queue keeps them. A byte that finds it full is lost.
// SPDX-License-Identifier: ISC
`default_nettype none

module serial_uart #(
    parameter CLOCK_HZ = 12000000,  // of clk
    parameter BAUD     = 1000000,   // bits a second
    parameter DEPTH    = 512        // bytes of the queue, a power of two: what a core may leave waiting
) (
    input wire clk,
    input wire reset,

    // Pins: rx is asynchronous, tx comes from a flop. Idle 1.
    input  wire rx,
    output wire tx,

    // Byte streams: a byte moves in each clock with valid and ready. valid and the byte hold until then.
    output wire       in_valid,
    output wire [7:0] in_byte,
    input  wire       in_ready,
    input  wire       out_valid,
    input  wire [7:0] out_byte,
    output wire       out_ready
);
    localparam DIVIDER = (CLOCK_HZ + BAUD / 2) / BAUD;
    localparam ERROR_HZ = DIVIDER * BAUD > CLOCK_HZ ? DIVIDER * BAUD - CLOCK_HZ : CLOCK_HZ - DIVIDER * BAUD;

    wire       line, received;
    wire [7:0] received_byte;

    input_synchroniser #(.IDLE(1'b1)) synchroniser (.clk(clk), .pin(rx), .level(line));

    serial_receiver #(.DIVIDER(DIVIDER)) receiver (
        .clk(clk), .reset(reset), .line(line), .received(received), .byte_in(received_byte));

    byte_queue #(.DEPTH(DEPTH)) queue (
        .clk(clk), .reset(reset), .push(received), .byte_in(received_byte), .valid(in_valid), .byte_out(in_byte),
        .ready(in_ready));

    serial_transmitter #(.DIVIDER(DIVIDER)) transmitter (
        .clk(clk), .reset(reset), .line(tx), .valid(out_valid), .byte_out(out_byte), .ready(out_ready));

    // Both ends may be off by 2 %: at the tenth bit, in whose middle the receiver samples, that is 0.38 bits.
    generate
        if (DIVIDER < 4 || ERROR_HZ > CLOCK_HZ / 50) begin : bad_rate
            clock_hz_is_no_multiple_of_baud only ();
        end
    endgenerate
endmodule

`default_nettype wire
