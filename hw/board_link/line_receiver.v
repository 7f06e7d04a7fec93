// line_receiver: finds the frames on a line and makes bytes of them. Four samples a bit, no clock of its own.
//
// A frame is a start bit (1), 32 bits, and an idle line (0) for at least three bit times. The receiver trusts a start bit when
// three samples in a row are 1 behind a 0: the third one is behind its middle. It takes its time from that edge for the whole
// frame: the sum of both ends' deviations over 33 bits of four samples must stay below one sample (README.md, "Clocks").
//
//   sample    0 1 2 3 4 5 6 7 8 9 ...                                        130 131 132 133 134
//   line    0 1 1 1 1 x x x x y y y y ...                              (bit 31)  0   0   0   0
//   count   idle      1 2 3 4 5 6 7 8                              127 128 129 130 131 132: idle
//                         ^       ^  a bit is taken where count mod 4 is 3       ^ a 1 is a framing error
//
// A framing error inverts a bit of the last byte, so that the check byte does not fit. Whatever the line carries, the receiver is
// idle again 132 samples behind a start. It needs no reset.
// Cost: 29 flops.
// SPDX-License-Identifier: ISC
`default_nettype none

module line_receiver (
    input  wire       clk,       // four times the bit rate
    input  wire       line,      // asynchronous

    // progress counts the complete bytes of a frame modulo 4. In the clock in which it changes `value` is the byte, and stays
    // so for 32 clocks.
    output reg  [7:0] value,
    output wire [1:0] progress
);
    reg [4:0] samples;    // the newest is samples[0], which may be metastable
    reg [6:0] bits;
    reg [7:0] count;

    initial count = 8'd0; // the line before power-on is no frame: the next edge that counts is 132 samples away

    wire sample = samples[1];
    wire idle   = count[7] && count[2];
    wire begins = idle && samples[4:1] == 4'b0111;
    wire middle = count[1:0] == 2'd3;

    // The last byte is not complete before the line was seen idle.
    assign progress = {2{count[7] && !count[2]}} | count[6:5];

    always @(posedge clk) begin
        samples <= {samples[3:0], line};
        if (middle) bits <= {bits[5:0], sample};
        if (middle && count[4:2] == 3'd7) value <= {bits, sample};
        else if (middle && count[7] && sample) value[0] <= !value[0];
        if (begins) count <= 8'd1;
        else if (!idle) count <= count + 8'd1;
    end

`ifdef FORMAL
    // Idle 132 samples behind a start, whatever the line carries.
    always @(posedge clk) assert (count <= 8'd132 && idle == (count == 8'd132));
`endif
endmodule

`default_nettype wire
