// board_link: up to four links to other boards, one wire each way a link. It trains them, checks every frame, ends what a fault
// cuts in half, and reports what each cable leads to. README.md has the frame, the states of a link and the time tables.
//
//   line_in ----> line_receiver --bytes--.                          .--> link_in   (to the fabric's net_inputs)
//                 (one a link)           v                          |
//                              engine: link_schedule, line_crc, frame_verdict, link_memory
//                                        |                          |
//   line_out <--- line_sender  <--bytes--'                          '--- link_departure (one a link) <--- link_out
//
// One operation of the engine takes a bit time, four clocks: it sends a byte of one link, or asks the receiver of one link.
//
//   phase                0                     1                 2                        3
//   receiving  reads     state                 CRC               oldest word of the queue header of the frame
//              writes    abort_packet, of the  state, of the     CRC                      the byte
//                        operation before      operation before
//   sending    reads     state                 flags             CRC                      the row of the register
//              writes    as above              as above          flags                    CRC
//
// A word that was damaged does not enter the fabric: its packet ends with abort_packet. A packet that a fault on this side cuts
// in half ends with abort_packet at the far end, and its rest is accepted and discarded. Nothing is sent again.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module board_link #(
    parameter LINKS     = 4,   // 1 to 4
    parameter RATIO     = 1,   // clk / the fabric's clock: 1, 2 or 4. The fabric's edges are edges of clk
    parameter PORT_FLIP = 1    // link l is cabled to link l ^ PORT_FLIP: 1 for a grid (east to west), 0 for a hypercube
) (
    input  wire                clk,           // four times the bit rate
    input  wire                reset,         // of the links, ends with an edge of the fabric's clock
    input  wire                fabric_reset,  // the fabric is in reset: packets that it sends or receives end here

    // Lines: idle 0. line_in is asynchronous.
    input  wire [LINKS-1:0]    line_in,
    output wire [LINKS-1:0]    line_out,

    // Fabric, link l at [19*l +: 19]: its contract of a link. link_down: words are accepted and discarded.
    input  wire [LINKS*19-1:0] link_out,
    output wire [LINKS-1:0]    link_out_wait,
    output wire [LINKS*19-1:0] link_in,
    input  wire [LINKS-1:0]    link_in_wait,
    output wire [LINKS-1:0]    link_down,

    input  wire [15:0]         site_number,   // for the far end, which shows it in its registers

    // Register, one word: a write chooses a row of link_memory, {right half, row}. A read shows bit 31: the value is that of the
    // row chosen; bits 19:16: links that are up; bits 15:0: the value, not older than 20 bit times.
    input  wire                request,
    input  wire                we,
    input  wire [7:0]          wdata,
    output wire [31:0]         rdata
);
    localparam [3:0] MARK = 4'd4;  // words in a queue from which on the far end is to stop: README.md, "Stop"

    // ------------------------------------------------------------------------------------------------ time
    wire [1:0] phase, link, byte_sent;
    wire       sends, checks, round_ends;
    reg        starting;
    reg  [1:0] flushing;   // from fabric_reset until each link has had an operation
    wire       step     = RATIO == 1 || (RATIO == 2 ? phase[0] : phase == 2'd3);
    wire       flushes  = |flushing;

    link_schedule schedule (
        .clk(clk), .reset(reset), .phase(phase), .sends(sends), .link(link), .byte_sent(byte_sent), .checks(checks),
        .round_ends(round_ends));

    always @(posedge clk)
        if (reset) {starting, flushing} <= 3'b111;
        else begin
            if (round_ends) starting <= 1'b0;
            if (fabric_reset) flushing <= 2'b11;
            else if (round_ends) flushing <= {1'b0, flushing[1]};
        end

    // ------------------------------------------------------------------------------------------------ lines and fabric, by link
    wire [7:0]  values   [0:3];
    wire [1:0]  progress [0:3];
    wire [18:0] offered  [0:3];
    wire [3:0]  ready, first, intact;
    reg  [3:0]  down, shown;
    reg  [18:0] head;              // the word that is shown to the fabric
    reg  [7:0]  byte_out;
    wire        sending;
    wire [3:0]  input_waits;
    reg         is_word, cuts;
    reg  [1:0]  link_before;       // of the operation before

    wire claims   = sends && phase == 2'd3 && is_word && byte_sent == 2'd0;
    wire releases = sends && phase == 2'd3 && is_word && byte_sent == 2'd3;

    genvar l;
    generate
        for (l = 0; l < 4; l = l + 1) begin : links
            if (l < LINKS) begin : link_l
                wire mine = link == l;

                line_receiver receiver (.clk(clk), .line(line_in[l]), .value(values[l]), .progress(progress[l]));
                line_sender sender (
                    .clk(clk), .reset(reset), .step(phase == 2'd3), .load(sends && mine), .start(sending && byte_sent == 2'd0),
                    .value(byte_out), .line(line_out[l]));
                link_departure departure (
                    .clk(clk), .step(step), .reset(reset || fabric_reset), .tag(link_out[19*l + 16 +: 3]),
                    .waits(link_out_wait[l]), .down(down[l]), .cut(cuts && link_before == l), .claim(claims && mine),
                    .release_word(releases && mine), .ready(ready[l]), .first(first[l]), .intact(intact[l]));

                assign offered[l]          = link_out[19*l +: 19];
                assign link_in[19*l +: 19] = {head[18:16] & {3{shown[l]}}, head[15:0]};
                assign input_waits[l]      = link_in_wait[l];
                assign link_down[l]        = down[l];
            end else begin : no_link
                assign values[l] = 8'd0;
                assign progress[l] = 2'd0;
                assign offered[l] = 19'd0;
                assign {ready[l], first[l], intact[l], input_waits[l]} = 4'b0001;
            end
        end
    endgenerate

    // ------------------------------------------------------------------------------------------------ memory
    reg  [6:0]  read_row, write_row;
    wire [15:0] left, right;
    reg         write_left;
    reg  [15:0] left_next;
    wire        write_high, write_low;
    wire [15:0] right_next;

    link_memory memory (
        .clk(clk), .read_row(read_row), .left(left), .right(right), .write_row(write_row), .write_left(write_left),
        .left_next(left_next), .write_high(write_high), .write_low(write_low), .right_next(right_next));

    // ------------------------------------------------------------------------------------------------ state of the link in turn
    reg  [3:0] write_place, read_place;  // of its queue
    reg        open, alive, stopped, status;
    reg  [1:0] proof, seen;              // seen: progress of the receiver
    reg        fresh, received, checks_before, fits, rest_fits, fetches;
    reg  [7:0] value;                    // last byte and progress of its receiver
    reg  [1:0] reached;
    wire [3:0] level    = write_place - read_place;
    wire       fresh_now  = !sends && reached != left[15:14];
    wire       header_now = reached == 2'd1;
    wire       last       = seen == 2'd0;
    wire       begins     = seen == 2'd1;

    // What the operation before has done to its link.
    wire       pushes, aborts, open_next, alive_next, stopped_next, down_known, down_next, cut;
    wire [1:0] proof_next;

    frame_verdict #(.PORT_FLIP(PORT_FLIP)) verdict (
        .arrived(fresh && last), .header(left[7:0]), .check_fits(fits), .rest_fits(rest_fits), .link(link_before),
        .checks(checks_before), .room(level[3:2] != 2'b11), .open(open), .alive(alive), .proof(proof), .stopped(stopped),
        .pushes(pushes), .aborts(aborts), .open_next(open_next), .alive_next(alive_next), .proof_next(proof_next),
        .stopped_next(stopped_next), .down_known(down_known), .down_next(down_next), .cut(cut));

    // ------------------------------------------------------------------------------------------------ sending
    wire [18:0] word      = offered[link];
    wire        carries   = word[18] || word[17:16] == 2'b10;
    wire        pauses    = left[0] || starting;   // a status frame or terminator came before: this frame's place stays empty
    wire        word_now  = byte_sent == 2'd0 ? ready[link] && !stopped && !pauses : left[1];
    wire        frame_now = byte_sent == 2'd0 ? !pauses : left[2] && !starting;
    wire [1:0]  report    = !alive ? `POSTROAD_LINK_REPORT_DEAF : !proof[1] ? `POSTROAD_LINK_REPORT_LOST :
                            level >= MARK ? `POSTROAD_LINK_REPORT_STOP : `POSTROAD_LINK_REPORT_GO;
    reg         is_frame;
    assign      sending   = is_frame;

    wire [15:0] sum = begins_frame ? 16'hffff : left;
    wire        begins_frame = sends ? byte_sent == 2'd0 && (first[link] || status) : begins && (value[4] || status);
    wire [15:0] sum_next;
    wire        sum_fits;

    line_crc checksum (.crc(sum), .value(sends ? byte_out : value), .next(sum_next), .fits(sum_fits));

    always @* begin
        if (byte_sent == 2'd0) byte_out = {word[18:16] & {3{is_word}}, first[link], report, link};
        else if (byte_sent == 2'd3) byte_out = {left[15:9], left[8] ^ (is_word && !intact[link])};
        else if (is_word && !carries) byte_out = left[15:8];
        else if (is_word) byte_out = byte_sent[0] ? word[15:8] : word[7:0];
        else byte_out = byte_sent[0] ? site_number[15:8] : site_number[7:0];
        if (!is_frame) byte_out = 8'd0;
    end

    // ------------------------------------------------------------------------------------------------ what is read and written
    reg  [7:0] chosen;      // register
    wire [6:0] state_row  = {5'b00000, link};
    wire [6:0] flags_row  = {5'b00001, link};
    wire [6:0] crc_row    = {2'b01, status, sends, 1'b0, link};
    wire [6:0] frame_row  = status && !alive ? {5'b00010, link} : {1'b1, write_place, link};
    wire       status_now = header_now ? value[7:5] == 3'd0 : left[12];
    wire       counts     = sends ? phase == 2'd3 && byte_sent == 2'd3 && is_frame && (is_word || down[link])
                                  : phase == 2'd2 && fresh && last && !sum_fits;
    wire       takes_byte = phase == 2'd3 && !sends && fresh;
    assign     write_high = counts || (takes_byte && seen == 2'd2);
    assign     write_low  = counts || (takes_byte && seen == 2'd3);
    assign     right_next = takes_byte ? {value, value} : right + 16'd1;

    always @* begin
        write_row  = crc_row;
        left_next  = sum_next;
        write_left = 1'b0;
        read_row   = state_row;
        case (phase)
            2'd0: begin
                write_row  = {1'b1, write_place, link_before};
                write_left = received && pushes && aborts;
                left_next  = {8'd0, `POSTROAD_TAG_ABORT_PACKET, 5'd0};
            end
            2'd1: begin
                read_row   = sends ? flags_row : {2'b01, status_now, 2'b00, link};
                write_row  = {5'b00000, link_before};
                write_left = received;
                left_next  = {seen, stopped, status, alive, proof, open, read_place, write_place};
            end
            2'd2: begin
                read_row   = sends ? {2'b01, !word_now, 2'b10, link} : {1'b1, read_place, link};
                write_row  = sends ? flags_row : crc_row;
                write_left = sends ? byte_sent == 2'd0 : fresh && !last;
                if (sends) left_next = {13'd0, frame_now, word_now, frame_now && !(word_now && carries)};
            end
            2'd3: begin
                read_row   = sends ? chosen[6:0] : frame_row;
                write_row  = sends ? crc_row : frame_row;
                write_left = sends ? byte_sent != 2'd3 : fresh && begins;
                if (!sends) left_next = {8'd0, value};
            end
        endcase
    end

    wire shows = !sends && !flushes && write_place != read_place && !input_waits[link];

    always @(posedge clk) begin
        if (phase == 2'd0) begin
            value   <= values[link];
            reached <= progress[link];
            if (received) begin
                if (pushes) write_place <= write_place + 4'd1;
                if (shown[link_before] && !input_waits[link_before]) read_place <= read_place + 4'd1;
                open    <= open_next;
                alive   <= alive_next;
                proof   <= proof_next;
                stopped <= stopped_next;
                if (flushes) {open, write_place, read_place} <= 9'd0;
                if (starting) {alive, proof} <= 3'd0;
            end
        end
        if (phase == 2'd1) begin
            {stopped, status, alive, proof, open, read_place, write_place} <= left[13:0];
            seen  <= reached;
            fresh <= fresh_now;
            if (!sends) status <= status_now;
        end
        if (phase == 2'd2) begin
            if (sends) status <= !word_now;
            is_word   <= word_now;
            is_frame  <= frame_now;
            fits      <= sum_fits;
            rest_fits <= left[7:0] == 8'd0;
        end
        if (phase == 2'd3) begin
            received      <= !sends;
            link_before   <= link;
            checks_before <= checks;
            head          <= {left[7:5], left[7:5] == `POSTROAD_TAG_END_OF_PACKET ? 16'd0 : right};
        end
        if (phase == 2'd3) shown <= {3'd0, shows} << link;
        else if (step) shown <= 4'd0;

        if (reset) down <= 4'hf;
        else if (phase == 2'd0 && received && down_known) down[link_before] <= down_next;
        cuts <= phase == 2'd0 ? received && cut : cuts && phase != 2'd3;
        if (reset) begin
            received <= 1'b0;
            shown    <= 4'd0;
        end
    end

    // ------------------------------------------------------------------------------------------------ register
    reg [15:0] register_value;
    reg        register_ready;
    wire       chooses = request && we;

    assign rdata = {register_ready, 11'd0, ~down, register_value};

    always @(posedge clk) begin
        fetches <= sends && phase == 2'd3 && !chooses;
        if (chooses) chosen <= wdata;
        if (fetches) register_value <= chosen[7] ? right : left;
        register_ready <= !chooses && (register_ready || fetches);
    end
endmodule

`default_nettype wire
