// eager_receiver: finds the frames on a line and gives their bits on one by one. It samples as line_receiver.v does, which has
// the timing of a start bit.
//
//   clock     0   ...  4n+6     4n+7       ...  134       135
//   line      rises at the end of clock 0
//   strobe             1                        1
//   place              n                        32: the idle bit behind the frame
//   frame                       has bit n
//   arrived                                               1: fits, dead and the frame are valid
//
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module eager_receiver (
    input  wire        clk,         // four times the bit rate
    input  wire        reset,
    input  wire        line,        // asynchronous

    output wire        strobe,      // a bit is taken at the end of this clock
    output wire [5:0]  place,       // with strobe: which, 0 to 31; 32: the idle bit behind the frame
    output wire        value,       // with strobe: the bit
    output reg  [23:0] frame,       // header and word as far as they have come, newest bit last; they stay
                                    // to the next frame
    output reg         mismatch,    // the last bit, if it is of the CRC, is not what it should be

    output reg         arrived,     // a frame has ended, for one clock
    output wire        check_fits,
    output wire        dead,        // a dead frame: check byte and the mark of a wrong guess
    output reg         rest_fits    // the CRC in a terminator
);
    reg  [4:0] samples;             // the newest is samples[0], which may be metastable
    reg  [7:0] count, syndrome;     // syndrome: check byte received ^ check byte expected
    wire       top;
    wire [7:0] rest;
    wire       idle   = count[7] && count[2];
    wire       begins = idle && samples[4:1] == 4'b0111;
    wire       check  = place[5:3] == 3'd3;

    assign strobe     = count[1:0] == 2'd3 && !idle;
    assign place      = count[7:2];
    assign value      = samples[1];
    assign check_fits = syndrome == 8'd0;
    assign dead       = syndrome == `POSTROAD_LINK_DEAD_MARK;

    frame_crc crc (
        .clk(clk), .reset(reset), .starts(strobe && place == 6'd3), .first_bits({frame[2:0], value}),
        .feeds(strobe && !check && |place[5:2]), .value(value), .saves(strobe && place == 6'd24), .checks(strobe && check),
        .top(top), .rest(rest));

    always @(posedge clk) begin
        samples <= {samples[3:0], line};
        arrived <= strobe && place[5] && !reset;
        if (strobe) mismatch <= value ^ top;
        if (strobe && !place[5] && !check) frame <= {frame[22:0], value};
        if (strobe && check) syndrome <= {syndrome[6:0], value ^ top};
        else if (strobe && place[5] && value) syndrome[0] <= !syndrome[0];  // a framing error
        if (strobe && place == 6'd24) rest_fits <= rest == 8'd0;
        if (reset) count <= 8'd132;
        else if (begins) count <= 8'd1;
        else if (!idle) count <= count + 8'd1;
    end
endmodule

`default_nettype wire
