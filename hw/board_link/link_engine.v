// link_engine: what the links share. One operation takes a bit time, four clocks, and serves one link: it sends a byte, or looks
// at the link's receiver, appends a byte to the frame that is arriving, and shows the fabric the oldest word of the queue.
//
//   phase                0                     1                 2                        3
//   receiving  reads     state                 CRC               oldest word of the queue header of the frame
//              writes    abort_packet, of the  state, of the     CRC                      the byte
//                        operation before      operation before
//   sending    reads     state                 flags             CRC                      the row of the register
//              writes    as above              as above          flags                    CRC
//
// Counts are written where a row's other half is written: phase 2 (receiving: frames begun and damaged; sending: periods up) and
// 3 (sending: words, frames while down, trainings).
//
// The state of a link: link_memory.v. What the operation did to it is decided in phase 0 of the next one (frame_verdict.v).
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module link_engine #(
    parameter PORT_FLIP = 1
) (
    input  wire        clk,
    input  wire        reset,
    input  wire        flushes,       // the fabric is or was in reset: the queues are empty, no packet is open
    input  wire        starting,      // link_schedule
    input  wire [1:0]  phase,
    input  wire        sends,
    input  wire [1:0]  link,
    input  wire [1:0]  byte_sent,
    input  wire        checks,
    input  wire        new_period,
    input  wire [15:0] site_number,

    // link_ports
    input  wire [7:0]  value_in,
    input  wire [1:0]  progress,
    input  wire [18:0] word,
    input  wire        down,          // of this link
    output reg         accepts,
    output wire        load,
    output wire        start,
    output reg  [7:0]  byte_out,
    output wire        shows,
    output reg  [18:0] head,
    output reg  [1:0]  link_before,
    input  wire        accepted,
    output wire        down_known,
    output wire        down_next,
    output wire        alive_known,
    output wire        alive_next,

    // link_probe
    input  wire [6:0]  probe_row,
    output wire        probe_reads,
    output wire [15:0] left,
    output wire [15:0] right
);
    // State of the link in turn.
    reg  [3:0] write_place, read_place;  // of its queue
    reg        open, alive, stopped, lost;
    reg        status;                   // the frame is a status frame
    reg  [1:0] proof;
    reg  [1:0] seen;                     // the progress of its receiver that is dealt with

    // The operation, and what the next one has to know of it.
    reg  [7:0] value;
    reg  [1:0] reached;
    reg        fresh;                    // the receiver has a new byte
    reg        is_word, is_frame, first; // sending: the frame carries a word; its place is not left empty; word_departure
    reg        came_up;                  // sending: the link was down when its last status frame was sent, or its place passed
    reg        gives_up;                 // sending: the far end has stopped the link for too long
    reg        fits, rest_fits, received, checks_before, down_before;

    wire       begins = seen == 2'd1;
    wire       last   = seen == 2'd0;
    /* verilator lint_off UNUSEDSIGNAL */
    wire [3:0] level  = write_place - read_place;  // in fours: from 4 on the far end is to stop, at 12 no word is accepted
    /* verilator lint_on UNUSEDSIGNAL */
    wire       ends_operation = phase == 2'd3;

    // ---- The operation before: what has its frame done?
    wire       pushes, aborts, open_next, stopped_next, lost_next, down_valid, down_heard;
    wire [1:0] proof_next;
    wire       concludes = phase == 2'd0 && received;

    assign down_known = (concludes && down_valid && !starting) || (phase == 2'd0 && gives_up);
    assign down_next  = gives_up || down_heard;
    assign alive_known = concludes && !starting;

    frame_verdict #(.PORT_FLIP(PORT_FLIP)) verdict (
        .arrived(fresh && last), .header(left[7:0]), .check_fits(fits), .rest_fits(rest_fits), .link(link_before),
        .checks(checks_before), .room(level[3:2] != 2'b11), .open(open), .alive(alive), .proof(proof), .stopped(stopped),
        .lost(lost), .down(down_before), .lost_next(lost_next),
        .pushes(pushes), .aborts(aborts), .open_next(open_next), .alive_next(alive_next), .proof_next(proof_next),
        .stopped_next(stopped_next), .down_known(down_valid), .down_next(down_heard));

    // ---- Sending. An empty place follows a status frame and a terminator, and a word if the next one of its packet is late.
    wire       carries     = word[18] || word[17:16] == 2'b10;
    wire       leads       = byte_sent == 2'd0;
    wire       pauses      = left[0] || starting;
    wire       word_now, begun_next, discards_next, first_now, accepts_now;
    wire       late        = left[1] && left[3] && !word_now;
    wire       frame_now   = leads ? !pauses && !late : left[2] && !starting;
    wire       pauses_next = leads ? frame_now && !(word_now && carries) : left[0];
    wire [1:0] report      = !alive    ? `POSTROAD_LINK_REPORT_DEAF : !proof[1]          ? `POSTROAD_LINK_REPORT_LOST :
                             level[3:2] != 2'd0 ? `POSTROAD_LINK_REPORT_STOP : `POSTROAD_LINK_REPORT_GO;

    word_departure departure (
        .tag(word[18:16]), .leads(leads), .ends_word(byte_sent == 2'd2), .pauses(pauses), .down(down), .lost(lost),
        .stopped(stopped), .flushes(flushes), .in_frame(left[1]), .begun(left[3]), .discards(left[4]),
        .in_frame_next(word_now), .begun_next(begun_next), .discards_next(discards_next), .first(first_now),
        .accepts(accepts_now));

    // The count of trainings is read in a place without a word: until then the flag is kept.
    wire came_up_next = sends && leads && !word_now && left[5] && !down;
    wire down_kept    = down || (left[5] && !came_up_next);
    wire [5:0] flags_next = {down_kept, discards_next, begun_next, frame_now, word_now, pauses_next};

    // The time up is divided into quarters of 2048 periods. The flags keep the one in which the far end last took words. It is
    // given up three quarters later.
    wire [1:0] quarter    = right[12:11];
    wire [1:0] taken_next = stopped && !down ? left[7:6] : quarter;

    assign load  = sends && is_frame;
    assign start = leads;

    // A word that has vanished with a reset of the fabric must not arrive: its check byte is wrong.
    wire [15:0] plain = is_word ? word[15:0] : site_number;
    always @*
        if (leads) byte_out = {word[18:16] & {3{is_word}}, first, report, link};
        else if (byte_sent == 2'd3 || (is_word && !carries)) byte_out = {left[15:9], left[8] ^ (is_word && flushes)};
        else byte_out = byte_sent[0] ? plain[15:8] : plain[7:0];

    // ---- CRC, of either direction.
    // The value that it starts with is read from a row that is never written.
    wire        sum_starts = sends ? leads && (first_now || !word_now) : reached == 2'd1 && (value[4] || status_now);
    wire        sum_fits;
    wire [15:0] sum;

    line_crc line_crc (.crc(left), .value(sends ? byte_out : value), .next(sum), .fits(sum_fits));

    // ---- Memory.
    wire       status_now = reached == 2'd1 ? value[7:5] == 3'd0 : left[12];
    wire [6:0] frame_row  = status && !alive ? {5'b00010, link} : {1'b1, write_place, link};
    wire [6:0] sum_row    = {2'b01, status, sends, 1'b0, link};
    wire       takes_byte = ends_operation && !sends && fresh;
    wire       counts_frame = fresh && (seen == 2'd2 || (last && !sum_fits));       // it has begun; it was damaged
    wire       counts_sent  = byte_sent == 2'd3 && is_frame && (is_word || down);
    wire       counts       = phase == 2'd2 ? (sends ? leads && new_period && !down : counts_frame)
                                            : ends_operation && sends && (came_up || counts_sent);
    reg  [15:0] right_next;
    reg  [6:0] read_row, write_row;
    reg        write_left;
    reg  [7:0] left_low;

    link_memory link_memory (
        .clk(clk), .read_row(read_row), .read_beside(phase == 2'd1 && reached == 2'd2), .left(left), .right(right),
        .write_row(write_row), .write_beside(ends_operation ? came_up : phase == 2'd2 && seen == 2'd2), .write_left(write_left),
        .left_next({phase == 2'd1 ? {seen, stopped, status, alive, proof, open} : sum[15:8], left_low}),
        .write_high(counts || (takes_byte && seen == 2'd2)),
        .write_low(counts || (takes_byte && seen == 2'd3) || (phase == 2'd1 && received)), .right_next(right_next));

    always @*
        case (phase)
            2'd0: begin
                read_row   = {5'b00000, link};
                write_row  = {1'b1, write_place, link_before};
                write_left = received && pushes && aborts;
                left_low   = {`POSTROAD_TAG_ABORT_PACKET, 5'd0};
            end
            2'd1: begin
                read_row   = sends ? {5'b00001, link} : {2'b01, status_now, 1'b0, sum_starts, link};
                write_row  = {5'b00000, link_before};
                write_left = received;
                left_low   = {read_place, write_place};
            end
            2'd2: begin
                read_row   = sends ? {2'b01, !word_now, 1'b1, sum_starts, link} : {1'b1, read_place, link};
                write_row  = sends ? {5'b00001, link} : sum_row;
                write_left = sends || (fresh && !last);
                left_low   = sends ? {taken_next, flags_next} : sum[7:0];
            end
            default: begin
                read_row   = sends ? probe_row : frame_row;
                write_row  = sends ? sum_row : frame_row;
                write_left = sends ? byte_sent != 2'd3 : fresh && begins;
                left_low   = sends ? sum[7:0] : value;
            end
        endcase

    always @* begin
        right_next = takes_byte ? {value, value} : right + 16'd1;
        if (phase == 2'd1) right_next[0] = lost;
    end

    assign shows       = !sends && !flushes && write_place != read_place;
    assign probe_reads = sends && ends_operation;

    always @(posedge clk) begin
        case (phase)
            2'd0: begin
                value   <= value_in;
                reached <= progress;
                write_place <= write_place + {3'd0, pushes};
                read_place  <= read_place + {3'd0, accepted};
                open        <= open_next;
                alive       <= alive_next;
                proof       <= proof_next;
                stopped     <= stopped_next;
                lost        <= lost_next;
                if (flushes) {open, write_place, read_place} <= 9'd0;
                if (starting) {alive, proof} <= 3'd0;
            end
            2'd1: begin
                {stopped, status, alive, proof, open, read_place, write_place} <= left[13:0];
                lost  <= right[0];
                seen  <= reached;
                fresh <= !sends && reached != left[15:14];
                if (!sends) status <= status_now;
            end
            2'd2: begin
                if (sends) status <= !word_now;
                is_word   <= word_now;
                is_frame  <= frame_now;
                came_up   <= came_up_next;
                gives_up  <= sends && quarter + 2'd1 == left[7:6];
                first     <= first_now;
                accepts   <= sends && accepts_now;
                fits      <= sum_fits;
                rest_fits <= left[7:0] == 8'd0;
            end
            default: begin
                head          <= {left[7:5], left[7:5] == `POSTROAD_TAG_END_OF_PACKET ? 16'd0 : right};
                link_before   <= link;
                down_before   <= down;
                received      <= !sends;
                checks_before <= checks;
            end
        endcase
        if (reset) received <= 1'b0;
    end
endmodule

`default_nettype wire
