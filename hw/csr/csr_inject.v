// csr_inject: the operator's stream of words becomes segments in the senders.
//
//   word of a segment   0        1                                    2 ...
//                       header   {both, target_info words, all words} target_info and data words; the last of a packet: its
//                                                                     signature
//
// The header is csr_sender.v's; word 1 is written when the segment is complete. A packet goes to one sender, which keeps its
// segments in order: to the one that holds a segment for the same target, so that packets keep their order too (C7), else to one
// that is empty, else to one with room. Nothing of a malformed packet's end leaves: what has left is cut by a wrong
// signature, and the target ends it with abort_packet (C9).
//
//              site words           sender has room             full
//    [ IDLE ] ----------> [ CHOOSE ] ------------> [ WORDS ] ---------> [ CLOSE ] --> [ ROOM ] --> WORDS
//       ^                                            |  end_of_packet      ^ |
//       |                                            +--> [ SIGN ] --------+ | last
//       +--------------------------------------------------------------------+
//
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module csr_inject #(
    parameter WORD_WIDTH = 16,
    parameter DIMENSIONS = 4,
    parameter SLOT_WORDS = 24,
    parameter SENDERS    = 2,
    parameter MULTICAST  = 0,
    parameter EXPRESS    = 0,
    parameter WORD_BITS  = $clog2(SLOT_WORDS)  // not to be set
) (
    input  wire                  clk,
    input  wire                  halted,
    input  wire [DIMENSIONS-1:0] address,

    // Operator: the contract of site_fabric.v.
    input  wire [WORD_WIDTH+2:0] send,
    output reg                   send_wait,

    // csr_sender, a bit each.
    output wire [SENDERS-1:0]    load_word,
    output wire [WORD_BITS-1:0]  load_at,
    output wire [WORD_WIDTH-1:0] load_data,
    output wire [SENDERS-1:0]    load_segment,
    output reg  [DIMENSIONS-1:0] load_tag,
    output wire [DIMENSIONS-1:0] load_both,
    output reg                   load_begins,
    output wire                  load_ends,
    input  wire [SENDERS-1:0]    room,
    input  wire [SENDERS-1:0]    empty,
    input  wire [SENDERS-1:0]    holds_tag,

    // csr_source (C13): the packet may go as an express, from the RAM of the sender of the highest dimension.
    output reg                   tries,
    output wire [WORD_BITS-1:0]  next_at,
    output wire                  complete,
    input  wire                  reserved,        // there are flits: it may not
    input  wire                  express_done,
    input  wire                  express_failed,

    output wire                  event_drop,  // a word was dropped
    output wire                  quiet
);
    localparam D = DIMENSIONS, W = WORD_WIDTH;
    localparam [31:0] CAPACITY = SLOT_WORDS - 2;  // words of a segment behind word 1

    localparam [2:0] STATE_IDLE   = 3'd0;
    localparam [2:0] STATE_CHOOSE = 3'd1;
    localparam [2:0] STATE_WORDS  = 3'd2;
    localparam [2:0] STATE_SIGN   = 3'd3;
    localparam [2:0] STATE_CLOSE  = 3'd4;
    localparam [2:0] STATE_ROOM   = 3'd5;
    localparam [2:0] STATE_AWAIT  = 3'd6;

    reg [2:0]           state, state_next;
    reg [W+2:0]         held;          // the operator's word that is worked on; tag 0: none
    reg [SENDERS-1:0]   sender;        // of this packet, one bit
    reg [WORD_BITS-1:0] words, infos;  // of the segment
    reg                 data_seen;     // of the packet
    reg                 broken;        // a word cannot stand there: the signature is made wrong
    reg                 signs, signed_off;  // no word of this packet is to come; the signature is written
    reg [W-1:0]         sum;
    wire [W-1:0]        sum_next;

    wire [2:0]   tag    = held[W +: 3];
    wire [W-1:0] target = held[W-1:0];
    wire         pad    = tag == `POSTROAD_TAG_NULL_TARGET;
    wire         shown  = |tag && !pad;
    wire         several = MULTICAST != 0 && tag == `POSTROAD_TAG_MULTICAST_SITE;
    wire         head   = (tag == `POSTROAD_TAG_UNICAST_SITE || several) && target[W-1:D] == {W-D{1'b0}};
    wire         ends   = tag == `POSTROAD_TAG_END_OF_PACKET;
    wire         info   = tag == `POSTROAD_TAG_TARGET_INFO;
    wire         fits   = tag == `POSTROAD_TAG_DATA || info && !data_seen;
    wire         full   = words == CAPACITY[WORD_BITS-1:0];
    wire         writes = state == STATE_WORDS && fits && !full || state == STATE_SIGN && !full;

    word_signature #(.WORD_WIDTH(W)) signature (.sum(sum), .word(target), .info(info), .next(sum_next));

    // The sender of a packet.
    wire [SENDERS-1:0] vacant = empty & (~empty + 1'b1), roomy = room & (~room + 1'b1);
    wire crowded = MULTICAST != 0 && |(holds_tag & (holds_tag - 1'b1));   // two hold segments for some of its targets: it waits
    localparam [31:0] EXPRESS_SENDER = (DIMENSIONS - 1) % SENDERS;
    wire idle = EXPRESS != 0 && &empty;   // nothing of this site waits
    wire [SENDERS-1:0] choice = idle ? {{SENDERS-1{1'b0}}, 1'b1} << EXPRESS_SENDER :
                                crowded ? {SENDERS{1'b0}} : |holds_tag ? holds_tag : |vacant ? vacant : roomy;

    // The targets of a multicast span a subcube: it goes both ways in each dimension in which two of them differ.
    reg          gathers;
    reg  [D-1:0] both;
    wire         joins  = gathers && several && head;
    wire         chosen = !(gathers && (!shown || joins)) && |(choice & room);
    wire [D-1:0] corner = (load_tag ^ address) & ~both;   // the target in its signature
    wire [6:0]   ways   = {{7-D{1'b0}}, both};
    wire [31:0]  counts = {13'd0, ways[6:2], {6-WORD_BITS{1'b0}}, infos, ways[1:0], {6-WORD_BITS{1'b0}}, words};
    assign load_both = both;

    assign next_at      = words + {{WORD_BITS-2{1'b0}}, 2'd2};
    assign load_at      = state == STATE_CLOSE ? {{WORD_BITS-1{1'b0}}, 1'b1} : next_at;
    assign load_data    = state == STATE_CLOSE ? counts[W-1:0]
                        : state == STATE_SIGN ? sum ^ {W{!broken}} : target;
    assign load_word    = sender & {SENDERS{writes || state == STATE_CLOSE}};
    wire   awaits       = tries && signed_off;
    assign complete     = state == STATE_AWAIT;
    assign load_segment = sender & {SENDERS{state == STATE_CLOSE && !awaits || complete && express_failed}};
    assign load_ends    = signed_off;

    reg done;
    wire wrong = state == STATE_WORDS && shown && !ends && !fits;
    assign event_drop = wrong || state == STATE_IDLE && shown && !head;
    always @* begin
        state_next = state;
        done       = pad;
        case (state)
            STATE_IDLE: if (shown) begin
                done = 1'b1;
                if (head) state_next = STATE_CHOOSE;
            end
            STATE_CHOOSE: begin
                done = pad || joins;
                if (chosen) state_next = STATE_WORDS;
            end
            STATE_WORDS:
                if (wrong) begin
                    // The terminator that is missing is that of the broken packet; a site word begins the next one.
                    done       = !head;
                    state_next = STATE_SIGN;
                end else if (ends) begin
                    done       = 1'b1;
                    state_next = STATE_SIGN;
                end else if (shown) begin
                    done = !full;
                    if (full) state_next = STATE_CLOSE;
                end
            STATE_SIGN: state_next = STATE_CLOSE;
            STATE_CLOSE: state_next = awaits ? STATE_AWAIT : signed_off ? STATE_IDLE : STATE_ROOM;
            STATE_AWAIT: if (express_done || express_failed) state_next = STATE_IDLE;
            default: if (|(sender & room)) state_next = signs ? STATE_SIGN : STATE_WORDS;
        endcase
    end

    // `wait` is 0 if no word is held, or if the held one is sure to be done.
    wire       accepts    = |send[W +: 3] && !send_wait;
    wire       holds_next = accepts || |tag && !done;
    wire [2:0] tag_next   = accepts ? send[W +: 3] : tag;
    wire       flows_next = state_next == STATE_WORDS && words + {{WORD_BITS-1{1'b0}}, writes} != CAPACITY[WORD_BITS-1:0] &&
                            (tag_next == `POSTROAD_TAG_DATA || tag_next == `POSTROAD_TAG_TARGET_INFO);

    always @(posedge clk)
        if (halted) begin
            state     <= STATE_IDLE;
            held      <= {W+3{1'b0}};
            send_wait <= 1'b1;
        end else begin
            state     <= state_next;
            send_wait <= holds_next && !flows_next;
            if (accepts) held <= send;
            else if (done) held <= {W+3{1'b0}};
        end

    always @(posedge clk) begin
        if (state == STATE_IDLE) begin
            load_tag    <= target[D-1:0] ^ address;
            sum         <= {{W-14{1'b1}}, {7-D{1'b0}}, target[D-1:0], {7-D{1'b0}}, address};
            load_begins <= 1'b1;
            gathers     <= several;
            both        <= {D{1'b0}};
            {data_seen, broken, signs, signed_off} <= 4'd0;
        end
        if (state == STATE_CHOOSE) begin
            sender <= choice;
            tries  <= idle && chosen && !gathers && !reserved;
            if (MULTICAST != 0) begin
                if (joins) both <= both | target[D-1:0] ^ address ^ load_tag;
                sum <= {{W-14{1'b1}}, {7-D{1'b0}}, corner, {7-D{1'b0}}, address} ^ {both, {W-D{1'b0}}};
            end
        end
        if (state == STATE_IDLE || state == STATE_CLOSE && !signed_off) {words, infos} <= {2*WORD_BITS{1'b0}};
        if (state == STATE_CLOSE && !signed_off) load_begins <= 1'b0;
        if (writes) words <= words + 1'b1;
        if (writes && state == STATE_WORDS) begin
            sum <= sum_next;
            if (info) infos <= infos + 1'b1;
            else data_seen <= 1'b1;
        end
        if (wrong) broken <= 1'b1;
        if (halted || wrong || |infos || state == STATE_CLOSE && !signed_off || complete && state_next == STATE_IDLE)
            tries <= 1'b0;
        if (wrong || state == STATE_WORDS && ends) signs <= 1'b1;
        if (state == STATE_SIGN && !full) signed_off <= 1'b1;
    end

    wire unused = &{1'b0, counts};

    assign quiet = state == STATE_IDLE && !(|tag) && !send_wait;
endmodule

`default_nettype wire
