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
//                         continues, or begins        last word of the segment
//    [ HEADER ] --> [ JUDGE ] ---------> [ WORDS ] ----------> HEADER
//       ^   |         |   |                 | last word of the packet
//       |   |         |   |                 v
//       |   +---------|---+- cut short --> [ END ] --> HEADER
//       +-------------+ empty place, or continues no packet
//
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module csr_deliver #(
    parameter WORD_WIDTH = 16,
    parameter DIMENSIONS = 4,
    parameter WORD_BITS  = 5,
    parameter MULTICAST  = 0,
    parameter EXPRESS    = 0
) (
    input  wire                  clk,
    input  wire                  halted,
    input  wire [DIMENSIONS-1:0] address,

    // csr_exit.
    input  wire                  waits,
    output reg  [WORD_BITS-1:0]  read_at,
    input  wire [WORD_WIDTH-1:0] read_data,
    output wire                  release_place,
    input  wire                  more,
    input  wire                  express_here,
    input  wire [WORD_BITS-1:0]  express_seen,
    input  wire                  express_ended,
    input  wire                  express_whole,

    // Operator: the contract of site_fabric.v.
    output reg  [WORD_WIDTH+3:0] receive,
    input  wire                  receive_wait,

    output wire                  event_drop,     // a segment that continues no packet
    output wire                  quiet
);
    localparam D = DIMENSIONS, W = WORD_WIDTH;

    localparam [1:0] STATE_HEADER = 2'd0;
    localparam [1:0] STATE_JUDGE  = 2'd1;
    localparam [1:0] STATE_WORDS  = 2'd2;
    localparam [1:0] STATE_END    = 2'd3;

    reg [1:0]           state, state_next;
    reg                 in_packet;
    reg                 whole;         // the packet ends with end_of_packet
    reg                 ends;          // the segment is the last of the packet
    reg [D-1:0]         source;
    reg [WORD_BITS-1:0] index;         // of the word in read_data
    reg [WORD_BITS-1:0] words, infos;  // left of the segment
    reg [W-1:0]         sum;
    wire [W-1:0]        sum_next;

    // The header, a clock later. Its route is a lone 1 where a segment has arrived.
    reg                 filled, begins, same_source;
    reg [D-1:0]         header_source;

    word_signature #(.WORD_WIDTH(W)) signature (.sum(sum), .word(read_data), .info(|infos), .next(sum_next));

    // Word 1: the dimensions in which a multicast goes both ways.
    wire [31:0]  counts = {{32-W{1'b0}}, read_data};
    wire [6:0]   ways   = {counts[18:14], counts[7:6]};
    wire [D-1:0] both   = ways[D-1:0] & {D{MULTICAST != 0}};

    wire free      = !(|receive[W +: 3]) || !receive_wait;

    // Of an express a word is passed on when the next one has come, as the last one is its signature.
    wire express   = EXPRESS != 0 && express_here;
    wire cut       = express && express_ended && !express_whole;
    wire last_word = express ? express_ended && index == express_seen || cut : words == {{WORD_BITS-1{1'b0}}, 1'b1};
    wire comes     = !express || index < express_seen || last_word;
    wire signed_by = ends && last_word;
    wire steps     = state == STATE_WORDS && comes && (free || signed_by);   // a word is done
    wire judges    = state == STATE_JUDGE;
    wire skips     = judges && !(filled && (in_packet || begins));
    wire cut_short = in_packet && (judges ? filled && (begins || !same_source) : state == STATE_HEADER && !waits && !more);
    wire opens     = judges && filled && begins && !in_packet;

    always @* begin
        state_next = state;
        case (state)
            STATE_HEADER: if (cut_short) state_next = STATE_END;
                          else if (waits) state_next = STATE_JUDGE;
            STATE_JUDGE: if (skips) state_next = STATE_HEADER;
                         else if (cut_short) state_next = STATE_END;
                         else if (in_packet || free) state_next = STATE_WORDS;
            STATE_WORDS: if (steps && last_word) state_next = ends ? STATE_END : STATE_HEADER;
            default: if (free) state_next = STATE_HEADER;
        endcase
    end

    // A segment that cuts a packet short stays: it begins another one, or is skipped then.
    assign event_drop    = skips && filled;
    assign release_place = skips || steps && last_word;

    reg [W+2:0] word;
    always @* begin
        word = {W+3{1'b0}};
        if (opens) word = {`POSTROAD_TAG_UNICAST_SITE, {W-D{1'b0}}, address};
        if (state == STATE_WORDS && comes && !signed_by)
            word = {|infos ? `POSTROAD_TAG_TARGET_INFO : `POSTROAD_TAG_DATA, read_data};
        if (state == STATE_END) word = {whole ? `POSTROAD_TAG_END_OF_PACKET : `POSTROAD_TAG_ABORT_PACKET, {W{1'b0}}};
    end

    // The word of the next clock: 0 at a header, then 1, 2 and on.
    wire goes_on = state == STATE_HEADER ? waits : judges ? !skips : state == STATE_WORDS && !(steps && last_word);
    wire moves   = state == STATE_WORDS ? steps : !judges || in_packet || free;
    always @* read_at = {WORD_BITS{goes_on}} & (index + {{WORD_BITS-1{1'b0}}, moves});

    always @(posedge clk)
        if (halted) begin
            state     <= STATE_HEADER;
            in_packet <= 1'b0;
            receive   <= {W+4{1'b0}};
        end else begin
            state <= state_next;
            if (free) receive <= {1'b0, word};
            if (judges && state_next == STATE_WORDS) in_packet <= 1'b1;
            if (state == STATE_END && free) in_packet <= 1'b0;
        end

    always @(posedge clk) begin
        index <= read_at;
        if (state == STATE_HEADER) begin
            whole       <= 1'b0;
            {ends, begins, header_source} <= read_data[2*D+1:D];
            filled      <= read_data[0];
            same_source <= read_data[2*D-1:D] == source;
        end
        if (judges) {words, infos} <= {read_data[WORD_BITS-1:0], read_data[8 +: WORD_BITS] & {WORD_BITS{!express}}};
        if (opens) begin
            source <= header_source;
            sum    <= {{W-14{1'b1}}, {7-D{1'b0}}, address & ~both, {7-D{1'b0}}, header_source} ^ {both, {W-D{1'b0}}};
        end
        if (steps) begin
            words <= words - 1'b1;
            sum   <= sum_next;
            if (|infos) infos <= infos - 1'b1;
            if (signed_by) whole <= read_data == ~sum && !(|infos) && !cut;
        end
    end

    wire unused = &{1'b0, counts, ways};

    assign quiet = state == STATE_HEADER && !waits && !in_packet && !(|receive[W +: 3]);
endmodule

`default_nettype wire
