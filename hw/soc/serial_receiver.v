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

`ifdef FORMAL
    // From any state the receiver is idle again within a byte: the clocks that are left of it fall by one, or to 0.
    reg         past_valid = 1'b0;
    wire [31:0] remaining = left == 4'd0 ? 32'd0 : {28'd0, left - 4'd1} * DIVIDER + {{32-BITS{1'b0}}, clocks} + 32'd1;

    always @(posedge clk) begin
        past_valid <= 1'b1;
        if (past_valid) begin
            if ($past(reset)) assert (left == 4'd0 && !received);
            else if ($past(left) != 4'd0) assert (remaining == 32'd0 || remaining == $past(remaining) - 32'd1);
            // A byte is reported in the clock behind its stop bit, which is 1. Behind one that is 0 the line has to be 1 first.
            if (received) assert ($past(line) && $past(left) == STOP && $past(clocks) == 0);
            if ($past(low) && !$past(line) && $past(left) == 4'd0) assert (left == 4'd0);
            cover (received && byte_in == 8'h5a);
            cover (left == 4'd0 && low && $past(left) == STOP);
        end
    end
`endif
endmodule

`default_nettype wire
