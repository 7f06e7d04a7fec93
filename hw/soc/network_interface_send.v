// Send side of the network_interface: reads packets from buffers in RAM and shows them to the downstream fifo_buffer.
//
//   ring pointer -> counts -> kind -> info[0] -> target words (every 32: the next info) -> data -> terminator
//
// Only the target words in the range of `kind` are sent, so that one packet in RAM can go out as several unicasts (O6).
// One RAM read per clock, one word per clock on the stream. The header of the next packet is fetched while the end of the
// previous packet is still leaving. The words of the next packet follow once the stamps of the previous one are written.
// Timing: 7 clocks from a terminator to the next packet's first word, RAM and stream permitting; 1 per target word that
// is left out; 1 per full 32 target words.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module network_interface_send #(
    parameter WORD_WIDTH = 16    // of a fabric word
) (
    input wire clk,
    input wire reset,

    // Registers. enable and producer are evaluated between packets only.
    input wire         enable,
    input wire [31:2]  ring,
    input wire [2:0]   ring_log2,
    input wire [7:0]   producer,
    output reg [7:0]   consumer,     // counts a packet when its stamps are in RAM
    output wire        idle,         // no packet queued, no packet in transfer

    // network_interface_stamps.
    output wire        stamp_take,
    output wire        stamp_take_index,
    output wire        stamp_read_index,
    input wire [31:0]  stamp,
    input wire         stamp_valid,

    // RAM: see ram_arbiter. This module reads packets and writes only their two stamps.
    output wire        req,
    output wire        we,
    output reg [31:2]  addr,
    output wire [31:0] wdata,
    output wire        soon,
    input wire         gnt,
    input wire [31:0]  rdata,

    // Downstream fifo_buffer. A word moves in a clock with a tag and without wait; it is stable until then.
    output wire [WORD_WIDTH+2:0] send,
    input wire                   send_wait,

    // Events, one clock each: a packet is sent; a word was held by wait.
    output wire event_sent,
    output wire event_send_wait
);

    // The next item to read. STATE_PARSE is the clock in which the ring's pointer arrives.
    localparam [2:0] STATE_POINTER = 3'd0;
    localparam [2:0] STATE_PARSE   = 3'd1;
    localparam [2:0] STATE_COUNTS  = 3'd2;
    localparam [2:0] STATE_KIND    = 3'd3;
    localparam [2:0] STATE_INFO    = 3'd4;
    localparam [2:0] STATE_WORDS   = 3'd5;

    // The item that arrives from RAM in this clock. A terminator takes the same path without a RAM access.
    localparam [3:0] ARRIVES_NOTHING    = 4'd0;
    localparam [3:0] ARRIVES_POINTER    = 4'd1;
    localparam [3:0] ARRIVES_COUNTS     = 4'd2;
    localparam [3:0] ARRIVES_KIND       = 4'd3;
    localparam [3:0] ARRIVES_INFO       = 4'd4;
    localparam [3:0] ARRIVES_LEFT_OUT   = 4'd5;
    localparam [3:0] ARRIVES_TARGET     = 4'd8;  // bit 3: enters the queue
    localparam [3:0] ARRIVES_DATA       = 4'd9;
    localparam [3:0] ARRIVES_TERMINATOR = 4'd10;

    // State of the previous packet: its terminator is still in the queue, or has left and the stamps have to be written.
    localparam [1:0] TAIL_NONE  = 2'd0;
    localparam [1:0] TAIL_MOVES = 2'd1;
    localparam [1:0] TAIL_FIRST = 2'd2;
    localparam [1:0] TAIL_LAST  = 2'd3;

    reg [2:0]  state, state_next;
    reg [3:0]  arrives, arrives_next;
    reg [1:0]  tail;
    reg [7:0]  fetched;              // packets whose pointer was read
    reg [31:2] buffer, tail_buffer;
    reg [12:0] words_read, total;    // words of the packet
    reg [8:0]  targets;              // of these
    reg        targets_read;         // all of them
    reg [7:0]  first_target, end_target;
    reg [31:0] info;
    reg        multicast;
    reg        in_packet;            // on the stream

    wire [WORD_WIDTH+2:0] head;
    wire [1:0]            count;
    reg [WORD_WIDTH+2:0]  arrived;

    // Stream.
    wire       shown = count != 2'd0;
    wire       moves = shown && !send_wait;
    wire       terminator_moves = moves && head[WORD_WIDTH +: 3] == `POSTROAD_TAG_END_OF_PACKET;
    wire       push = arrives[3];
    wire       room = moves || !(count[1] || (count[0] && push));

    assign send = head;
    assign event_send_wait = shown && send_wait;

    always @*
        case (arrives)
            ARRIVES_TARGET:
                arrived = {info[0] ? `POSTROAD_TAG_TARGET_INFO :
                           multicast ? `POSTROAD_TAG_MULTICAST_SITE : `POSTROAD_TAG_UNICAST_SITE,
                           rdata[WORD_WIDTH-1:0]};
            ARRIVES_DATA:
                arrived = {`POSTROAD_TAG_DATA, rdata[WORD_WIDTH-1:0]};
            default:
                arrived = {`POSTROAD_TAG_END_OF_PACKET, {WORD_WIDTH{1'b0}}};
        endcase

    word_queue #(.WIDTH(WORD_WIDTH + 3)) queue (
        .clk(clk), .reset(reset), .push(push), .word_in(arrived), .pop(moves), .head(head), .count(count)
    );

    // Reader.
    wire        stamping = tail == TAIL_FIRST || tail == TAIL_LAST;
    wire        granted = gnt && !stamping;
    wire        more = words_read != total;
    wire        more_targets = !targets_read && words_read[8:0] != targets;
    wire        wanted = enable && fetched != producer;
    wire        left_out = more_targets && (words_read[7:0] < first_target ||
                                            end_target != 8'd0 && words_read[7:0] >= end_target);
    wire        word_wanted = room && tail == TAIL_NONE;
    wire        closes = state == STATE_WORDS && !more && word_wanted;
    wire        passes = state == STATE_WORDS && (granted || left_out);
    // Not written as a shift: Yosys would share one shifter with the receive side, behind ram_arbiter.
    wire [6:0]  ring_mask = {ring_log2 > 3'd6, ring_log2 > 3'd5, ring_log2 > 3'd4, ring_log2 > 3'd3, ring_log2 > 3'd2,
                             ring_log2 > 3'd1, ring_log2 > 3'd0};
    wire [6:0]  ring_index = fetched[6:0] & ring_mask;
    reg         read;
    reg [13:0]  read_offset;

    always @* begin
        state_next = state;
        arrives_next = ARRIVES_NOTHING;
        read = 1'b1;
        read_offset = 14'd0;
        case (state)
            STATE_POINTER: begin
                read = wanted;
                if (granted) {state_next, arrives_next} = {STATE_PARSE, ARRIVES_POINTER};
            end
            STATE_PARSE: begin
                read = 1'b0;
                state_next = STATE_COUNTS;
            end
            STATE_COUNTS: begin
                read_offset = {9'd0, `POSTROAD_PACKET_OFFSET_COUNTS};
                if (granted) {state_next, arrives_next} = {STATE_KIND, ARRIVES_COUNTS};
            end
            STATE_KIND: begin
                read_offset = {9'd0, `POSTROAD_PACKET_OFFSET_KIND};
                if (granted) {state_next, arrives_next} = {STATE_INFO, ARRIVES_KIND};
            end
            STATE_INFO: begin
                read_offset = {9'd0, `POSTROAD_PACKET_OFFSET_INFO} + {11'd0, words_read[7:5]};
                if (granted) {state_next, arrives_next} = {STATE_WORDS, ARRIVES_INFO};
            end
            default: begin
                read = word_wanted && more && !left_out;
                read_offset = {9'd0, `POSTROAD_PACKET_OFFSET_WORDS} + {1'b0, words_read};
                if (closes) begin
                    state_next = STATE_POINTER;
                    arrives_next = ARRIVES_TERMINATOR;
                end else if (passes) begin
                    arrives_next = left_out ? ARRIVES_LEFT_OUT : more_targets ? ARRIVES_TARGET : ARRIVES_DATA;
                    if (more_targets && words_read[4:0] == 5'd31)
                        state_next = STATE_INFO;
                end
            end
        endcase
    end

    assign req = stamping ? stamp_valid : read;
    assign we = stamping;
    assign soon = state == STATE_PARSE || tail == TAIL_MOVES && terminator_moves;
    assign wdata = stamp;

    // One adder for all addresses.
    reg [31:2] base;
    reg [13:0] offset;
    always @* begin
        base = buffer;
        offset = read_offset;
        if (stamping) begin
            base = tail_buffer;
            offset = {9'd0, tail == TAIL_LAST ? `POSTROAD_PACKET_OFFSET_STAMP_LAST :
                                                 `POSTROAD_PACKET_OFFSET_STAMP_FIRST};
        end else if (state == STATE_POINTER) begin
            base = ring;
            offset = {7'd0, ring_index};
        end
        addr = base + {16'd0, offset};
    end

    always @(posedge clk)
        if (reset) begin
            state <= STATE_POINTER;
            arrives <= ARRIVES_NOTHING;
            fetched <= 8'd0;
        end else begin
            state <= state_next;
            arrives <= arrives_next;
            if (state == STATE_POINTER && granted)
                fetched <= fetched + 8'd1;
        end

    always @(posedge clk) begin
        if (arrives == ARRIVES_POINTER)
            buffer <= rdata[31:2];
        if (arrives == ARRIVES_COUNTS)
            {targets, total} <= {rdata[31:16] > 16'd256 ? 9'd256 : rdata[24:16], rdata[28:16] + rdata[12:0]};
        if (arrives == ARRIVES_KIND)
            {end_target, first_target, multicast} <= {rdata[31:16], rdata[8]};
        if (arrives == ARRIVES_INFO)
            info <= rdata;
        if (arrives == ARRIVES_TARGET || arrives == ARRIVES_LEFT_OUT)
            info <= {1'b0, info[31:1]};
        if (state == STATE_COUNTS)
            {words_read, targets_read} <= 14'd0;
        if (passes)
            words_read <= words_read + 13'd1;
        if (state == STATE_WORDS && !more_targets)
            targets_read <= 1'b1;
    end

    // Stamps of the first word and of the terminator. A stamp can be read in the clock after it is taken. The stamp of a
    // terminator that is also the first word has to wait for that clock.
    reg alone, alone_moved;          // alone: the packet was a terminator only; alone_moved: it moved in the clock before
    assign stamp_take = moves;
    assign stamp_take_index = in_packet;
    assign stamp_read_index = !alone && (tail == TAIL_LAST || tail == TAIL_FIRST && gnt);

    always @(posedge clk) begin
        alone_moved <= terminator_moves && !in_packet;
        if (terminator_moves) alone <= !in_packet;
    end

    // Completion. The words of a packet wait for TAIL_NONE, so one pair of stamps is enough.
    assign event_sent = tail == TAIL_LAST && gnt;
    assign idle = state == STATE_POINTER && !wanted && tail == TAIL_NONE;

    always @(posedge clk)
        if (reset) begin
            tail <= TAIL_NONE;
            consumer <= 8'd0;
            in_packet <= 1'b0;
        end else begin
            case (tail)
                TAIL_NONE:  if (closes) tail <= TAIL_MOVES;
                TAIL_MOVES: if (terminator_moves && in_packet || alone_moved) tail <= TAIL_FIRST;
                TAIL_FIRST: if (gnt) tail <= TAIL_LAST;
                default:    if (gnt) tail <= TAIL_NONE;
            endcase
            if (event_sent)
                consumer <= consumer + 8'd1;
            if (moves)
                in_packet <= !terminator_moves;
        end

    always @(posedge clk)
        if (closes)
            tail_buffer <= buffer;

`ifdef FORMAL
    // This module reads only filled ring entries and the packets that they point to, up to the word count in the packet's header.
    // It writes only the two stamps of a packet that the consumer has not passed. `given` is the pointer from the ring, `counted`
    // the word count from the header.
    reg         past_valid = 1'b0;
    reg [31:2]  given, tail_given;
    reg [12:0]  counted;
    wire        queue_fits = producer - consumer <= 8'd128;             // firmware: no more packets than the ring has entries
    wire [7:0]  under_way = fetched - consumer;                        // packets whose pointer was read
    wire        in_packet_read = read_offset <= {9'd0, `POSTROAD_PACKET_OFFSET_INFO} + `POSTROAD_PACKET_INFO_WORDS - 1 ||
                                 (read_offset >= {9'd0, `POSTROAD_PACKET_OFFSET_WORDS} &&
                                  read_offset < {9'd0, `POSTROAD_PACKET_OFFSET_WORDS} + {1'b0, counted});
    wire        opened = state == STATE_INFO || state == STATE_WORDS;
    wire        next_open = state != STATE_POINTER;

    always @(posedge clk) begin
        past_valid <= 1'b1;
        if (!past_valid) assume (reset);
        assume (!gnt || req);                                          // ram_arbiter
        if (past_valid && !$past(reset)) begin                         // firmware: a producer moves forward only
            assume (queue_fits);
            assume (producer - $past(consumer) >= $past(producer - consumer));
        end
        if (arrives == ARRIVES_POINTER) given <= rdata[31:2];
        if (arrives == ARRIVES_COUNTS) begin
            counted <= rdata[28:16] + rdata[12:0];
            assume ({1'b0, rdata[31:16]} + {1'b0, rdata[15:0]} <= 17'd8191);       // firmware: O7
        end
        if (closes) tail_given <= given;

        if (past_valid && !reset) begin
            assert (state <= STATE_WORDS && (arrives == ARRIVES_POINTER) == (state == STATE_PARSE));
            if (arrives == ARRIVES_COUNTS) assert (state == STATE_KIND);
            if (state != STATE_POINTER && state != STATE_PARSE) assert (buffer == given);
            if (state == STATE_KIND) assert (words_read == 13'd0);
            if (state == STATE_KIND && arrives != ARRIVES_COUNTS || opened)
                assert (words_read <= total && total == counted && {4'd0, targets} <= total);
            if (opened && !targets_read) assert (words_read <= {4'd0, targets});
            if (tail != TAIL_NONE) assert (tail_buffer == tail_given);
            assert (under_way == {7'd0, next_open} + {7'd0, tail != TAIL_NONE});
            assert (under_way <= producer - consumer);
            if (req && we) assert (under_way != 8'd0);
            if (req && we) assert (addr == tail_given + {25'd0, `POSTROAD_PACKET_OFFSET_STAMP_FIRST} ||
                                   addr == tail_given + {25'd0, `POSTROAD_PACKET_OFFSET_STAMP_LAST});
            if (req && !we && state == STATE_POINTER) assert (addr == ring + {23'd0, ring_index} && fetched != producer);
            if (req && !we && state == STATE_POINTER) assert ({1'b0, ring_index} < 8'd1 << ring_log2);
            if (req && !we && state != STATE_POINTER) assert (addr == given + {16'd0, read_offset} && in_packet_read);
            cover (event_sent && consumer == 8'd1);
            cover (req && !we && state == STATE_WORDS && words_read == 13'd2 && counted == 13'd3);
            cover (state == STATE_COUNTS && tail == TAIL_LAST);
            cover (arrives == ARRIVES_TARGET && first_target == 8'd1 && end_target == 8'd2 && targets == 9'd3);
        end
    end
`endif
endmodule

`default_nettype wire
