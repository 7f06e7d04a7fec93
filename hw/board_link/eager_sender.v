// eager_sender: sends the frames of one line. A frame is made here, or it is forwarded: then its bits are those of a frame
// that the opposite link is just receiving.
//
//   place     0     1..3   4      5..8          9..24            25..32     33..36   37..71
//   own       start tag    first  report, port  word or CRC      check      idle     pause: terminator, status frame
//   forwarded start <--in  first  report, port  <--in or CRC     check      idle     pause: terminator
//
// Clocks of a forwarded frame. The bits leave one bit time behind their strobe, so that the tag's first bit is in hand when
// the start bit leaves, and its second bit when the first leaves:
//
//   clock        0        4        8                 100       104      ...
//   strobe of    tag[2]   tag[1]   tag[0]     ...    word[0]   check[7]
//   forwards     1
//   line         -        start    tag[2]     ...    word[1]   word[0]         each from the next clock on
//   abandons              ^ 1: a status frame leaves instead
//   spoils                                                      ^ evaluated from here on
//
// The check byte is computed over what leaves. A bit of the CRC that arrived wrong leaves wrong: a damaged frame stays
// damaged.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module eager_sender (
    input  wire        clk,        // four times the bit rate
    input  wire        reset,
    output reg         line,

    // A frame of its own: `starts` only with `idle`. A word of tag 0 is a status frame.
    output wire        idle,
    input  wire        starts,
    input  wire [18:0] word,
    input  wire        first,      // this and the following also with `forwards`
    input  wire [1:0]  report,
    input  wire [1:0]  port,
    input  wire [15:0] status,     // what a status frame carries

    // A forwarded frame: `forwards` only with idle or free, in the clock of the first bit's strobe.
    output wire        free,       // and not idle
    input  wire        forwards,
    input  wire        abandons,   // with the second strobe: send a status frame instead
    input  wire        spoils,     // from the 25th strobe on: send a dead frame
    input  wire        bit_in,     // the bit that came with the strobe before
    input  wire        mismatch    // that bit, if it is of the CRC, is wrong
);
    localparam [6:0] IDLE = 7'd72;

    reg  [1:0]  phase;
    reg  [6:0]  place;
    reg  [23:0] bits;              // of an own frame; of a forwarded one, those that are not copied
    reg  [2:0]  tag;               // as it was sent
    reg         forwarding;
    wire        top;
    wire [7:0]  rest;

    wire tick   = phase == 2'd3 && place != IDLE;
    wire [7:0] mark = `POSTROAD_LINK_DEAD_MARK;
    wire check  = place > 7'd24 && place <= 7'd32;
    wire ends   = tag == `POSTROAD_TAG_END_OF_PACKET || tag == `POSTROAD_TAG_ABORT_PACKET;
    wire pauses = ends || tag == 3'd0;
    wire in_tag = place < 7'd4;
    wire copies = forwarding && !abandons && (in_tag || place > 7'd8);
    wire wrong  = forwarding && (check && spoils ? mark[3'd0 - place[2:0]] : mismatch);  // place 25: bit 7
    wire sums   = check || (ends && place > 7'd8);
    wire next   = place > 7'd32 ? 1'b0 : sums ? top ^ wrong : copies ? bit_in : bits[23];

    // Behind a terminator nothing is forwarded before its pause is nearly over; the rest is for the jitter of the way so far.
    assign idle = place == IDLE;
    assign free = !idle && (place >= 7'd70 || (place >= 7'd35 && !ends));

    frame_crc crc (
        .clk(clk), .reset(reset), .starts(tick && place == 7'd4), .first_bits({tag, next}),
        .feeds(tick && place > 7'd4 && place < 7'd25),
        .value(next), .saves(tick && place == 7'd25), .checks(tick && check), .top(top), .rest(rest));

    always @(posedge clk)
        if (reset) begin
            line       <= 1'b0;
            place      <= IDLE;
            phase      <= 2'd0;
            forwarding <= 1'b0;
            bits       <= 24'd0;
            tag        <= 3'd0;
        end else if (starts || forwards) begin
            line       <= 1'b1;
            place      <= 7'd1;
            phase      <= 2'd0;
            forwarding <= forwards;
            bits       <= {forwards ? 3'd0 : word[18:16], first, report, port,
                forwards || word[18:16] == 3'd0 ? status : word[15:0]};
        end else begin
            phase <= phase + 2'd1;
            if (tick) begin
                line       <= next;
                bits       <= {bits[22:0], 1'b0};
                place      <= place == 7'd36 && !pauses ? IDLE : place + 7'd1;
                forwarding <= forwarding && !abandons && (place != 7'd4 || tag != 3'd0);
                if (in_tag) tag <= {tag[1:0], next};
            end
        end

    wire unused = &{1'b0, rest};

`ifdef FORMAL
    // What the far end makes of the line, which takes its bits as eager_receiver does. What it finds wrong with a bit is what was
    // found wrong with the bit that is forwarded, or the mark: a frame leaves as good or as bad as it came.
    reg        started = 1'b0;
    reg  [2:0] far_tag = 3'd0;
    wire       far_top;
    wire [7:0] far_rest;
    wire [6:0] far_place = place - 7'd1;   // of the bit that this tick sends
    wire       far_check = far_place[5:3] == 3'd3;
    wire       far_ends  = far_tag == `POSTROAD_TAG_END_OF_PACKET || far_tag == `POSTROAD_TAG_ABORT_PACKET;
    wire       found     = next ^ far_top;
    frame_crc far (
        .clk(clk), .reset(reset), .starts(tick && far_place == 7'd3), .first_bits({far_tag, next}),
        .feeds(tick && far_place > 7'd3 && far_place < 7'd24), .value(next), .saves(tick && far_place == 7'd24),
        .checks(tick && far_check && place <= 7'd32), .top(far_top), .rest(far_rest));

    initial tag = 3'd0;
    always @(posedge clk) begin
        started <= 1'b1;
        if (!started) assume (reset);
        if (starts) assume (idle && !forwards);
        if (forwards) assume (idle || free);
        if (abandons) assume (tick && place == 7'd1 && forwarding);
        if (reset) far_tag <= 3'd0;
        else if (tick && !starts && !forwards && in_tag) far_tag <= {far_tag[1:0], next};
        if (started && !reset && tick && place <= 7'd32) begin
            if (far_check) assert (found == (forwarding && (spoils ? mark[5'd31 - far_place[4:0]] : mismatch)));
            if (far_ends && far_place > 7'd7 && !far_check) assert (found == (forwarding && mismatch));
        end
        if (started && !reset && idle) assert (!line);
    end
`endif
endmodule

`default_nettype wire
