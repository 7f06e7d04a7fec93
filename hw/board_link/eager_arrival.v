// eager_arrival: the receiving half of a link: its receiver, its state (frame_verdict.v), and the queue of the words that are
// not forwarded bit by bit.
//
//   line --> eager_receiver --bits--> eager_way (of this direction) --> opposite link
//                 |                        ^ oldest, while the way is connected
//           frame_verdict --> eager_queue -+
//                                          '--> link_in, else
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module eager_arrival #(
    parameter       PORT_FLIP = 1,   // as frame_verdict's
    parameter [1:0] LINK      = 0
) (
    input  wire        clk,          // four times the bit rate
    input  wire        step,         // the edge at the end of this clock is one of the fabric's clock
    input  wire        reset,
    input  wire        fabric_reset,
    input  wire        checks,       // a period ends: a link that has heard nothing in it goes down
    input  wire [1:0]  quarter,      // of the time until a far end that stops the link is given up: counts up
    input  wire        line,         // asynchronous

    // Fabric: its contract of a link.
    output wire [18:0] link_in,
    input  wire        link_in_wait,

    // The other half of this link.
    output wire [1:0]  report,
    output reg         down,
    output reg         stopped,      // the far end wants no words
    output reg         lost,         // the far end has lost a frame

    // eager_way
    output wire        strobe,       // as eager_receiver's
    output wire [5:0]  place,
    output wire        value,
    output wire [23:0] frame,
    output wire        mismatch,
    output wire        may_begin,    // a first word would be accepted, and nothing stands before it
    output wire        arrived,      // a frame has ended
    output wire        fits,         // with arrived: its check byte is right
    output wire        accepted,     // with arrived: it has a word that the packet goes on with
    output wire        begins,       // with accepted: the first of a packet
    input  wire        gone,         // with accepted: it has been forwarded
    input  wire        connected,    // the queue's words go to the way
    input  wire        keeps,        // the fabric's reset does not end the packet that arrives
    output wire        queued,
    output wire [18:0] oldest,
    input  wire        pop,

    // Register
    output wire [2:0]  state,        // alive, proof: as frame_verdict has them
    output wire        damaged,      // pulses for counters
    output wire        heard_status  // a good status frame, while the link is not up; `frame` has it
);
    localparam [3:0] MARK = 4'd4;    // words in the queue from which on the far end is to stop

    reg        open, alive;
    reg  [1:0] proof;
    reg  [1:0] taken;                // the quarter in which the far end last took words
    wire       check_fits, rest_fits, dead, pushes, aborts, open_next, alive_next, stopped_next, lost_next, down_known,
        down_next;
    wire [1:0] proof_next;
    wire [3:0] level;

    eager_receiver receiver (
        .clk(clk), .reset(reset), .line(line), .strobe(strobe), .place(place), .value(value), .frame(frame),
        .mismatch(mismatch),
        .arrived(arrived), .check_fits(check_fits), .dead(dead), .rest_fits(rest_fits));

    // A dead frame is no frame. Only the first word of a unicast can be one.
    wire ignored = dead && frame[23:21] == `POSTROAD_TAG_UNICAST_SITE && frame[20] && !open;

    frame_verdict #(.PORT_FLIP(PORT_FLIP)) verdict (
        .arrived(arrived && !ignored), .header(frame[23:16]), .check_fits(check_fits), .rest_fits(rest_fits), .link(LINK),
        .checks(checks),
        .room(level[3:2] != 2'b11), .open(open), .alive(alive), .proof(proof), .stopped(stopped),
        .lost(lost), .down(down), .lost_next(lost_next), .pushes(pushes), .aborts(aborts), .open_next(open_next),
        .alive_next(alive_next), .proof_next(proof_next),
        .stopped_next(stopped_next), .down_known(down_known), .down_next(down_next));

    // The fabric's reset ends the packets that go there.
    wire flushes  = fabric_reset && !keeps;
    wire ends     = frame[23:21] == `POSTROAD_TAG_ABORT_PACKET || frame[23:21] == `POSTROAD_TAG_END_OF_PACKET;
    wire [18:0] word = {aborts ? `POSTROAD_TAG_ABORT_PACKET : frame[23:21], ends ? 16'd0 : frame[15:0]};

    assign accepted     = pushes && !aborts;
    assign begins       = !open;
    assign may_begin    = !open && alive && proof[1] && !queued && !fabric_reset;
    assign queued       = level != 4'd0;
    assign report       = !alive ? `POSTROAD_LINK_REPORT_DEAF : !proof[1] ? `POSTROAD_LINK_REPORT_LOST :
                          level >= MARK ? `POSTROAD_LINK_REPORT_STOP : `POSTROAD_LINK_REPORT_GO;
    assign fits         = check_fits;
    assign state        = {alive, proof};
    assign damaged      = arrived && !check_fits && !ignored;
    assign heard_status = arrived && check_fits && frame[23:21] == 3'd0 && !alive;

    // The word that is shown to the fabric, which changes with the fabric's clock only.
    reg  [18:0] shown;
    wire        shows    = |shown[18:16];
    wire        loads    = step && queued && !connected && !(shows && link_in_wait) && !fabric_reset;
    assign      link_in  = shown;

    eager_queue queue (
        .clk(clk), .reset(reset || flushes), .push(pushes && !gone), .word(word), .level(level), .pop(pop || loads),
        .oldest(oldest));

    always @(posedge clk)
        if (reset) begin
            shown   <= 19'd0;
            open    <= 1'b0;
            alive   <= 1'b0;
            proof   <= 2'd0;
            stopped <= 1'b0;
            lost    <= 1'b0;
            down    <= 1'b1;
            taken   <= quarter;
        end else begin
            if (step) shown <= loads ? oldest : shows && link_in_wait && !fabric_reset ? shown : 19'd0;
            open    <= open_next && !flushes;
            alive   <= alive_next;
            proof   <= proof_next;
            stopped <= stopped_next;
            lost    <= lost_next;
            if (quarter + 2'd1 == taken) down <= 1'b1;  // three quarters later
            else if (down_known) down <= down_next;
            if (!stopped || down) taken <= quarter;
        end

`ifdef FORMAL
    // A far end that stops a link that is up sees no third change of the quarter.
    reg       started = 1'b0;
    reg [1:0] quarter_before, changes;
    always @(posedge clk) begin
        started        <= 1'b1;
        quarter_before <= quarter;
        changes        <= reset || !stopped || down ? 2'd0 : changes + {1'b0, quarter != quarter_before};
        if (!started) assume (reset);
        else assume (quarter == quarter_before || quarter == quarter_before + 2'd1);
        if (started) assert (changes != 2'd3 || down);
    end
`endif
endmodule

`default_nettype wire
