// serial_receiver: bytes from a serial line, 8N1.
//
//   line     ----\_____/=====/=====/ ... /=====/-----\____
//                start   d0    d1          d7   stop  the next byte may begin here
//   sampled         ^     ^     ^           ^    ^
//
// The middle of the start bit is half a bit behind its edge; every further sample is a bit later. A start bit that is 1 in its
// middle was a glitch: the receiver waits for the next one. A stop bit that is 0 is a framing error: the byte is dropped, and the
// receiver waits until the line is 1, so that a line that is held at 0 gives no bytes.
// SPDX-License-Identifier: ISC
`default_nettype none

module serial_receiver #(
    parameter DIVIDER = 12  // clocks a bit, 4 or more
) (
    input wire clk,
    input wire reset,

    input wire line,  // on this clock (input_synchroniser)

    // received is 1 for one clock with each byte.
    output reg       received,
    output reg [7:0] byte_in
);
    localparam BITS = $clog2(DIVIDER);
    localparam [31:0] WHOLE = DIVIDER - 1, HALF = DIVIDER / 2 - 1;
    localparam [3:0] START = 4'd10, STOP = 4'd1;  // samples that are left at these bits

    reg [BITS-1:0] clocks;  // until the next sample
    reg [3:0]      left;    // samples of this byte that are left; 0: idle
    reg            low;     // idle, and the line has not been 1 since a framing error

    always @(posedge clk) begin
        received <= 1'b0;
        if (reset) begin
            left <= 4'd0;
            low <= 1'b1;
        end else if (left == 4'd0) begin
            clocks <= HALF[BITS-1:0];
            low <= low && !line;
            if (!line && !low)
                left <= START;
        end else if (clocks != 0)
            clocks <= clocks - 1'b1;
        else begin
            clocks <= WHOLE[BITS-1:0];
            left <= left == START && line ? 4'd0 : left - 4'd1;
            if (left == STOP) begin
                received <= line;
                low <= !line;
            end else
                byte_in <= {line, byte_in[7:1]};
        end
    end
endmodule

`default_nettype wire
