// serial_transmitter: bytes to a serial line, 8N1.
//
// The shift register holds the bits that are left of a byte, the next one lowest: start bit, data, stop bit. Zeroes follow. So
// the highest 1 is the stop bit, and the line is idle when that is the only bit left and has been shown for a whole bit.
// SPDX-License-Identifier: ISC
`default_nettype none

module serial_transmitter #(
    parameter DIVIDER = 12  // clocks a bit, 2 or more
) (
    input wire clk,
    input wire reset,

    output wire line,  // from a flop, idle 1

    // A byte moves in each clock with valid and ready; valid and the byte hold until then.
    input  wire       valid,
    input  wire [7:0] byte_out,
    output wire       ready
);
    localparam BITS = $clog2(DIVIDER);
    localparam [31:0] WHOLE = DIVIDER - 1;

    reg [9:0]      shift = 10'd1;
    reg [BITS-1:0] clocks;  // until the next bit

    wire bit_ends = clocks == 0;
    wire last_bit = shift[9:1] == 9'd0;

    always @(posedge clk)
        if (reset) begin
            shift <= 10'd1;
            clocks <= {BITS{1'b0}};
        end else if (!bit_ends)
            clocks <= clocks - 1'b1;
        else if (!last_bit || valid) begin
            clocks <= WHOLE[BITS-1:0];
            shift <= last_bit ? {1'b1, byte_out, 1'b0} : {1'b0, shift[9:1]};
        end

    assign line = shift[0];
    assign ready = bit_ends && last_bit;
endmodule

`default_nettype wire
