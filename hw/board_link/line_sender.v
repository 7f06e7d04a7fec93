// line_sender: makes bits of the bytes of a frame, most significant bit first. The line is 0 between frames.
//
// The bytes of a frame come 8 bit times apart. The start bit leaves in the bit time in which the first byte is loaded.
//
//   step      ^       ^       ^      ...    ^       ^
//   load      1       0       0             1       0
//   line      0   start bit  bit 7   ...  bit 1   bit 0   bit 7 of the next byte
//
// Cost: 9 flops.
// SPDX-License-Identifier: ISC
`default_nettype none

module line_sender (
    input  wire       clk,
    input  wire       reset,
    input  wire       step,     // 1 in the last clock of a bit time
    input  wire       load,     // with step: a byte
    input  wire       start,    // with load: the first byte of a frame
    input  wire [7:0] value,
    output reg        line
);
    reg [7:0] bits;

    always @(posedge clk)
        if (reset) begin
            line <= 1'b0;
            bits <= 8'd0;
        end else if (step) begin
            line <= bits[7] || (load && start);
            bits <= load ? value : {bits[6:0], 1'b0};
        end
endmodule

`default_nettype wire
