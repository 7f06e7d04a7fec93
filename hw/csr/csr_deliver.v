// csr_deliver: segments that have arrived become the operator's stream of words.
//
//   word of a segment                      words to the operator
//   header, the first of a packet          unicast_site with the own address
//   word 1 counts, words from 2 on         target_info words, then data; the last word of a packet is its signature
//                                          end_of_packet; abort_packet if the signature is wrong, or segments are missing
//
// A packet is passed on as it comes, while segments of it are still under way. Segments of two packets do not mix (C8), so that
// one that does not continue the packet ends it; nor does anything come when the exit expects nothing more.
//
//   [ IDLE ] --> [ HEADER ] --> [ COUNTS ] --> [ WORDS ] --segment ends--> IDLE
//     |              |              |              |
//     +--------------+--------------+--------------+--> [ END ] --> IDLE
//
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module csr_deliver #(
    parameter WORD_WIDTH = 16,
    parameter DIMENSIONS = 4,
    parameter SLOT_WORDS = 24,
    parameter WORD_BITS  = $clog2(SLOT_WORDS)  // not to be set
) (
    input  wire                  clk,
    input  wire                  halted,
    input  wire [DIMENSIONS-1:0] address,

    // csr_exit.
    input  wire                  waits,          // a segment is stored
    output reg  [WORD_BITS-1:0]  read_at,
    input  wire [WORD_WIDTH-1:0] read_data,
    output wire                  release_segment,
    input  wire                  more,

    // Operator: the contract of site_fabric.v.
    output reg  [WORD_WIDTH+3:0] receive,
    input  wire                  receive_wait,

    output wire                  event_drop,     // a segment that continues no packet
    output wire                  event_miss,     // a segment that had a place and has not arrived
    output wire                  quiet
);
    localparam D = DIMENSIONS, W = WORD_WIDTH;
    localparam [31:0] CAPACITY = SLOT_WORDS - 2;

    localparam [2:0] STATE_IDLE   = 3'd0;
    localparam [2:0] STATE_HEADER = 3'd1;
    localparam [2:0] STATE_COUNTS = 3'd2;
    localparam [2:0] STATE_WORDS  = 3'd3;
    localparam [2:0] STATE_END    = 3'd4;

    reg [2:0]           state, state_next;
    reg                 in_packet;
    reg                 bad;           // the packet ends with abort_packet
    reg                 ends;          // the segment is the last of the packet
    reg [D-1:0]         source;
    reg [WORD_BITS-1:0] index;         // of the word in read_data
    reg [WORD_BITS-1:0] words, infos;  // left of the segment
    reg [W-1:0]         sum;
    wire [W-1:0]        sum_next;

    // The header as it arrives: its route is a lone 1.
    wire         header_ends   = read_data[2*D+1];
    wire         header_begins = read_data[2*D];
    wire [D-1:0] header_source = read_data[2*D-1:D];
    wire         missing       = read_data[D-1:0] == {D{1'b0}};   // the segment has not arrived
    wire         continues     = in_packet && !header_begins && header_source == source;

    wire [WORD_BITS-1:0] count      = read_data[WORD_BITS-1:0], count_infos = read_data[8 +: WORD_BITS];
    wire                 impossible = count == {WORD_BITS{1'b0}} || count > CAPACITY[WORD_BITS-1:0] || count_infos > count;

    csr_signature #(.WORD_WIDTH(W)) signature (.sum(sum), .word(read_data), .info(|infos), .next(sum_next));

    wire free      = !(|receive[W +: 3]) || !receive_wait;
    wire last_word = words == {{WORD_BITS-1{1'b0}}, 1'b1};
    wire signed_by = ends && last_word;
    wire steps     = free || signed_by;   // a word is done
    wire skipped   = missing || !in_packet && !header_begins;
    wire given_up  = in_packet && !waits && !more;

    always @* begin
        state_next = state;
        case (state)
            STATE_IDLE: if (waits) state_next = STATE_HEADER;
                        else if (given_up) state_next = STATE_END;
            STATE_HEADER: if (skipped) state_next = STATE_IDLE;
                          else if (in_packet && !continues) state_next = STATE_END;
                          else if (in_packet || free) state_next = STATE_COUNTS;
            STATE_COUNTS: state_next = impossible ? STATE_END : STATE_WORDS;
            STATE_WORDS: if (steps && last_word) state_next = ends ? STATE_END : STATE_IDLE;
            default: if (free) state_next = STATE_IDLE;
        endcase
    end

    // A segment that begins another packet stays for it; one whose counts are impossible goes.
    assign event_miss      = state == STATE_HEADER && missing;
    assign event_drop      = state == STATE_HEADER && skipped && !missing;
    assign release_segment = state == STATE_HEADER && skipped || state == STATE_COUNTS && impossible ||
                             state == STATE_WORDS && steps && last_word;

    reg [W+2:0] word;
    always @* begin
        word = {W+3{1'b0}};
        case (state)
            STATE_HEADER: if (!in_packet && !skipped) word = {`POSTROAD_TAG_UNICAST_SITE, {W-D{1'b0}}, address};
            STATE_WORDS: if (!signed_by) word = {|infos ? `POSTROAD_TAG_TARGET_INFO : `POSTROAD_TAG_DATA, read_data};
            STATE_END: word = {bad ? `POSTROAD_TAG_ABORT_PACKET : `POSTROAD_TAG_END_OF_PACKET, {W{1'b0}}};
            default: ;
        endcase
    end

    // The word of the next clock.
    always @*
        if (state_next == STATE_IDLE || state_next == STATE_HEADER) read_at = {WORD_BITS{1'b0}};
        else if (state_next == STATE_COUNTS) read_at = {{WORD_BITS-1{1'b0}}, 1'b1};
        else if (state == STATE_COUNTS) read_at = {{WORD_BITS-2{1'b0}}, 2'd2};
        else read_at = index + {{WORD_BITS-1{1'b0}}, steps};

    always @(posedge clk)
        if (halted) begin
            state     <= STATE_IDLE;
            in_packet <= 1'b0;
            receive   <= {W+4{1'b0}};
        end else begin
            state <= state_next;
            if (free) receive <= {1'b0, word};
            if (state == STATE_HEADER && state_next == STATE_COUNTS) in_packet <= 1'b1;
            if (state == STATE_END && free) in_packet <= 1'b0;
        end

    always @(posedge clk) begin
        index <= read_at;
        if (state == STATE_IDLE) bad <= 1'b1;
        if (state == STATE_HEADER) begin
            ends <= header_ends;
            if (!in_packet) begin
                source <= header_source;
                sum    <= {{W-14{1'b1}}, {7-D{1'b0}}, address, {7-D{1'b0}}, header_source};
            end
        end
        if (state == STATE_COUNTS) {words, infos} <= {count, count_infos};
        if (state == STATE_WORDS && steps) begin
            words <= words - 1'b1;
            sum   <= sum_next;
            if (|infos) infos <= infos - 1'b1;
            if (signed_by) bad <= read_data != sum || |infos;
        end
    end

    assign quiet = state == STATE_IDLE && !waits && !in_packet && !(|receive[W +: 3]);
endmodule

`default_nettype wire
