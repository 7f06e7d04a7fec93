// Receive side of the network_interface: stores packets from the upstream fifo_buffer in buffers that firmware posted.
//
//   ring pointer -> words as they come -> terminator -> counts, info, kind, stamps -> next ring pointer
//
// All writes stay within [buffer, word area's capacity): surplus words are dropped and the packet is flagged. The buffer of a
// packet that ends in abort_packet is reused for the next packet (O3). Without a buffer the stream is under back-pressure (O4).
// Timing: one word per clock, RAM permitting; 7 clocks from a terminator to the next packet's first word, none from an
// abort_packet; one clock more per 32 target words, and up to 31 more if the remainder of those contains target_info.
//
// A site without free buffers, or whose core has stopped, must not block the mesh for ever (R5). When no buffer has been posted
// for `patience` clocks, this module accepts and discards packets, whole ones only, until firmware posts a buffer again.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module network_interface_receive #(
    parameter WORD_WIDTH = 16    // of a fabric word
) (
    input wire clk,
    input wire reset,

    // Registers. enable, ring and producer are evaluated between packets only. capacity applies to every posted buffer.
    input wire         enable,
    input wire [31:2]  ring,
    input wire [2:0]   ring_log2,
    input wire [7:0]   producer,
    input wire [12:0]  capacity,
    input wire [15:0]  patience,     // strap: clocks without a posted buffer before packets are discarded; 0: never discard
    output reg [7:0]   consumer,     // counts a packet when all of it is in RAM
    output wire        idle,         // nothing shown or queued, no packet open, no buffer to fetch, patience not running

    // network_interface_stamps.
    output wire        stamp_take,
    output wire        stamp_take_index,
    output wire        stamp_read,
    output wire        stamp_read_index,
    input wire [31:0]  stamp,

    // RAM: see ram_arbiter.
    output reg         req,
    output reg         we,
    output reg [31:2]  addr,
    output reg [31:0]  wdata,
    output wire        soon,
    input wire         gnt,
    input wire [31:2]  rdata,       // only pointers are read

    // Upstream fifo_buffer. A word moves in a clock with a tag and without wait. receive_wait comes from a flop.
    input wire [WORD_WIDTH+3:0] receive,
    output reg                  receive_wait,

    // Events, one clock each: a packet is complete; it ended in abort_packet; it is complete but was too long; it was
    // complete but discarded; a word waits because no buffer is posted.
    output wire event_received,
    output wire event_received_aborted,
    output wire event_received_oversize,
    output wire event_received_discarded,
    output wire event_receive_wait
);

    localparam [2:0] STATE_FETCH   = 3'd0;   // no buffer: read the ring once one is posted
    localparam [2:0] STATE_POINTER = 3'd1;   // the ring's pointer arrives
    localparam [2:0] STATE_STORE   = 3'd2;   // words go into the buffer
    localparam [2:0] STATE_COUNTS  = 3'd3;   // the terminator came: the header,
    localparam [2:0] STATE_INFO    = 3'd4;   // with the last info word, if it is not full
    localparam [2:0] STATE_KIND    = 3'd5;
    localparam [2:0] STATE_FIRST   = 3'd6;
    localparam [2:0] STATE_LAST    = 3'd7;

    reg [2:0]  state, state_next;
    reg [31:2] buffer;
    reg [12:0] stored;               // words in the buffer, the first `targets` of them targets
    reg [8:0]  targets;
    reg [31:0] info;                 // of the last 32 targets, the latest in bit 31
    reg        info_any;             // not all targets since the last multiple of 32 are site words
    reg        info_full, data_seen, oversize, multicast;
    reg [3:0]  terminator;

    // Stream side: words enter the queue. After a terminator that completes a packet no word enters until the next buffer has
    // been fetched, so the stamps below belong to the open packet.
    wire [2:0] tag_in = receive[WORD_WIDTH +: 3];
    wire       shown = tag_in != `POSTROAD_TAG_NULL_TRANSMISSION;
    reg        discarding;
    wire       taken = shown && !receive_wait && tag_in != `POSTROAD_TAG_NULL_TARGET;
    wire       enters = taken && !discarding;
    wire       completes_in = tag_in == `POSTROAD_TAG_END_OF_PACKET;
    wire       terminator_in = completes_in || tag_in == `POSTROAD_TAG_ABORT_PACKET;
    reg        in_packet;            // a packet is open at the queue's input, or is being discarded
    reg        closed;
    reg        closed_next;

    wire [WORD_WIDTH+3:0] head;
    wire [1:0]            count;
    reg                   pop;

    word_queue #(.WIDTH(WORD_WIDTH + 4)) queue (
        .clk(clk), .reset(reset), .push(enters), .word_in(receive), .pop(pop), .head(head), .count(count)
    );

    // Store side.
    wire [2:0]  tag = head[WORD_WIDTH +: 3];
    wire        waiting = count != 2'd0;
    wire        completes = waiting && tag == `POSTROAD_TAG_END_OF_PACKET;
    wire        aborts = waiting && tag == `POSTROAD_TAG_ABORT_PACKET;
    wire        carries = waiting && !completes && !aborts;
    wire        is_data = data_seen || tag == `POSTROAD_TAG_DATA;
    wire        fits = stored != capacity && (is_data || !targets[8]);
    wire        stores = carries && fits && !info_full;
    wire        word_stored = state == STATE_STORE && stores && gnt;
    wire        target_stored = word_stored && !is_data;
    wire        pads = state == STATE_INFO && info_any && !info_full;    // until the first of them is in bit 0
    wire        posted = enable && consumer != producer;
    wire        withdrawn = !enable && !waiting && !in_packet && !enters;
    wire        info_bit = !pads && tag == `POSTROAD_TAG_TARGET_INFO;
    // Not written as a shift: Yosys would share one shifter with the send side, behind ram_arbiter.
    wire [6:0]  ring_mask = {ring_log2 > 3'd6, ring_log2 > 3'd5, ring_log2 > 3'd4, ring_log2 > 3'd3, ring_log2 > 3'd2,
                             ring_log2 > 3'd1, ring_log2 > 3'd0};
    wire [6:0]  ring_index = consumer[6:0] & ring_mask;
    wire [2:0]  info_index = targets[7:5] - {2'd0, info_full};
    wire [12:0] data = stored - {4'd0, targets};
    reg [13:0]  offset;

    // Discarding (R5) begins and ends between packets. It begins while no buffer is fetched. Discarded words bypass the queue.
    reg [15:0] patience_left;
    wire       unposted = state == STATE_FETCH && !posted;
    wire       open_next = taken ? !terminator_in : in_packet;
    wire       discards_next = discarding && open_next || unposted && patience != 16'd0 && patience_left == 16'd0;

    always @* begin
        state_next = state;
        pop = 1'b0;
        case (state)
            STATE_FETCH:
                if (gnt) state_next = STATE_POINTER;
            STATE_POINTER:
                state_next = STATE_STORE;
            STATE_STORE: begin
                pop = !info_full && (completes || aborts || (carries && (gnt || !fits)));
                if (completes && !info_full)
                    state_next = STATE_COUNTS;
                else if (withdrawn)
                    state_next = STATE_FETCH;
            end
            STATE_COUNTS: if (gnt) state_next = targets[4:0] != 5'd0 ? STATE_INFO : STATE_KIND;
            STATE_INFO:   if (gnt) state_next = STATE_KIND;
            STATE_KIND:   if (gnt) state_next = STATE_FIRST;
            STATE_FIRST:  if (gnt) state_next = STATE_LAST;
            default:      if (gnt) state_next = STATE_FETCH;
        endcase
    end

    always @* begin
        req = 1'b1;
        we = 1'b1;
        offset = {9'd0, `POSTROAD_PACKET_OFFSET_INFO} + {11'd0, info_index};
        wdata = info_any ? info : 32'd0;
        case (state)
            STATE_FETCH: begin
                req = posted;
                we = 1'b0;
            end
            STATE_POINTER:
                req = 1'b0;
            STATE_STORE: begin
                req = info_full || stores;
                if (!info_full) begin
                    offset = {9'd0, `POSTROAD_PACKET_OFFSET_WORDS} + {1'b0, stored};
                    wdata = {{(32-WORD_WIDTH){1'b0}}, head[WORD_WIDTH-1:0]};
                end
            end
            STATE_INFO:
                req = !pads;
            STATE_COUNTS: begin
                offset = {9'd0, `POSTROAD_PACKET_OFFSET_COUNTS};
                wdata = {7'd0, targets, 3'd0, data};
            end
            STATE_KIND: begin
                offset = {9'd0, `POSTROAD_PACKET_OFFSET_KIND};
                wdata = {22'd0, oversize, multicast, 4'd0, terminator};
            end
            STATE_FIRST: begin
                offset = {9'd0, `POSTROAD_PACKET_OFFSET_STAMP_FIRST};
                wdata = stamp;
            end
            default: begin
                offset = {9'd0, `POSTROAD_PACKET_OFFSET_STAMP_LAST};
                wdata = stamp;
            end
        endcase
        addr = (state == STATE_FETCH ? ring : buffer) + {16'd0, state == STATE_FETCH ? {7'd0, ring_index} : offset};
    end

    // A word that enters is stored in the next clock. The header follows a terminator.
    assign soon = enters || state == STATE_STORE && completes;

    assign event_received = state == STATE_LAST && gnt;
    assign event_received_oversize = event_received && oversize;
    wire   drops_buffered = state == STATE_STORE && pop && aborts;
    assign event_received_aborted = drops_buffered || discarding && taken && terminator_in && !completes_in;
    assign event_received_discarded = discarding && taken && completes_in;
    assign event_receive_wait = shown && state == STATE_FETCH && enable && !posted && !discarding;
    assign idle = !shown && !waiting && !in_packet &&
                  (state == STATE_FETCH ? !posted && (discarding || patience == 16'd0) : state == STATE_STORE && enable);

    always @* begin
        closed_next = closed;
        if (enters && completes_in || withdrawn && state == STATE_STORE)
            closed_next = 1'b1;
        else if (state == STATE_FETCH && gnt)
            closed_next = 1'b0;
    end

    always @(posedge clk)
        if (reset) begin
            state <= STATE_FETCH;
            consumer <= 8'd0;
            in_packet <= 1'b0;
            closed <= 1'b1;
            receive_wait <= 1'b1;
            discarding <= 1'b0;
            patience_left <= patience;
        end else begin
            state <= state_next;
            if (event_received)
                consumer <= consumer + 8'd1;
            in_packet <= open_next;
            closed <= closed_next;
            discarding <= discards_next;
            receive_wait <= !discards_next && (closed_next || count + {1'b0, enters} - {1'b0, pop} == 2'd2);
            if (!unposted)
                patience_left <= patience;
            else if (patience_left != 16'd0)
                patience_left <= patience_left - 16'd1;
        end

    // Stamps of the first and the last word. They are read only after the packet has been closed.
    reg several;                         // the packet has a second word, or a terminator behind a word
    assign stamp_take = enters;
    assign stamp_take_index = in_packet;
    assign stamp_read = state == STATE_KIND || state == STATE_FIRST || state == STATE_LAST;
    assign stamp_read_index = several && (state == STATE_LAST || state == STATE_FIRST && gnt);

    always @(posedge clk) begin
        if (enters)
            several <= in_packet;
        if (enters && !in_packet)
            multicast <= tag_in == `POSTROAD_TAG_MULTICAST_SITE;
        if (state == STATE_POINTER)
            buffer <= rdata[31:2];
        if (state == STATE_STORE && completes)
            terminator <= head[WORD_WIDTH +: 4];
    end

    always @(posedge clk)
        if (state == STATE_POINTER || drops_buffered) begin
            stored <= 13'd0;
            targets <= 9'd0;
            info_full <= 1'b0;
            info_any <= 1'b0;
            data_seen <= 1'b0;
            oversize <= 1'b0;
        end else begin
            if (info_full && gnt)
                {info_full, info_any} <= 2'b00;
            if (word_stored)
                stored <= stored + 13'd1;
            if (state == STATE_STORE && carries && !info_full) begin
                data_seen <= is_data;
                oversize <= oversize || !fits;
            end
            if (target_stored || pads) begin
                targets <= targets + 9'd1;
                info_full <= targets[4:0] == 5'd31;
                info_any <= info_any || info_bit;
            end
        end

    always @(posedge clk)
        if (target_stored || pads)
            info <= {info_bit, info[31:1]};

`ifdef FORMAL
    // This module writes only to a posted buffer, from the clock in which its pointer is read to the clock in which the consumer
    // passes it. Each word has its own address. `given` is the pointer from the ring.
    reg         past_valid = 1'b0, pointer_read, holds;
    reg [31:2]  given;
    reg [12:0]  written;             // words of the open packet
    wire        in_header = offset <= {9'd0, `POSTROAD_PACKET_OFFSET_INFO} + `POSTROAD_PACKET_INFO_WORDS - 1;
    wire        in_words  = offset >= {9'd0, `POSTROAD_PACKET_OFFSET_WORDS} &&
                            offset < {9'd0, `POSTROAD_PACKET_OFFSET_WORDS} + {1'b0, capacity};

    always @(posedge clk) begin
        past_valid   <= 1'b1;
        pointer_read <= !reset && req && !we && gnt;
        if (!past_valid) assume (reset);
        assume (!gnt || req);                                          // ram_arbiter
        if (past_valid && $past(holds)) assume (capacity == $past(capacity));  // firmware: not while a packet may be open
        if (reset || event_received || withdrawn && state == STATE_STORE) holds <= 1'b0;
        else if (pointer_read) holds <= 1'b1;
        if (pointer_read) given <= rdata;
        if (pointer_read || drops_buffered) written <= 13'd0;
        else if (state == STATE_STORE && stores && gnt) written <= written + 13'd1;

        if (past_valid && !reset) begin
            assert (pointer_read == (state == STATE_POINTER));
            assert (holds == (state != STATE_FETCH && state != STATE_POINTER));
            if (holds) assert (buffer == given && stored == written && stored <= capacity);
            if (holds && state <= STATE_COUNTS) assert ({4'd0, targets} <= stored);
            if (holds) assert (targets <= 9'd256 && (!info_full || targets[4:0] == 5'd0 && targets != 9'd0));
            if (req && we) assert (holds && addr == given + {16'd0, offset} && (in_header || in_words));
            if (req && we && in_words) assert (offset == {9'd0, `POSTROAD_PACKET_OFFSET_WORDS} + {1'b0, written});
            if (req && !we) assert (posted && !holds && addr == ring + {23'd0, ring_index});
            if (req && !we) assert ({1'b0, ring_index} < 8'd1 << ring_log2);
            // A word is taken only when there is room for it, or when its packet is discarded as a whole (R5, O4).
            assert (count != 2'd3 && (receive_wait || discarding || count != 2'd2));
            cover (req && we && in_words && written == 13'd2 && capacity == 13'd3);
            cover (event_received && written == 13'd2);
            cover (event_received_oversize);
            cover (event_received_discarded);
            cover (req && !we && consumer == 8'd1);
        end
    end
`endif
endmodule

`default_nettype wire
