// wormlan_deliver: worms become the operator's packets (W2, W9).
//
//   word --> two words --> { a packet of the one or of the other } --> tag, signature --> receive
//                reassembly ----^
//
// A worm that begins with a word of a route has too long a one: it is dropped. One without the right signature, or with a forward
// reset, ends with abort_packet.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module wormlan_deliver #(
    parameter WORD_WIDTH = 16,
    parameter INTERRUPT  = 0
) (
    input  wire                  clk,
    input  wire                  reset,

    // From the switch: {kind, word}. One is shown only in the clock behind one in which go is 1, and is taken.
    input  wire                  shown,
    input  wire [WORD_WIDTH+1:0] word,
    output wire                  go,

    // INTERRUPT: from a wormlan_reassembly, worms that are whole.
    input  wire                  whole_shown,
    input  wire [WORD_WIDTH+1:0] whole_word,
    output wire                  whole_take,

    // Operator: the contract of site_fabric.v.
    output reg  [WORD_WIDTH+3:0] receive,
    input  wire                  receive_wait,

    output wire                  event_drop,  // a word of a worm whose route is too long
    output wire                  quiet
);
    localparam W = WORD_WIDTH;
    localparam [W-1:0] START = {W{1'b1}};

    reg          open, drops;
    wire [W+1:0] held, queued;
    wire         full, held_word, queued_word, stands, queue_stands;
    wormlan_queue #(.WIDTH(W + 2)) queue (
        .clk(clk), .reset(reset), .shown_in(shown), .word_in(word), .wait_out(full), .shown_out(queued_word), .word_out(queued),
        .wait_in(queue_stands));
    assign go = !full && !(queued_word && queue_stands);

    // Packets take turns, if there are both kinds.
    generate
        if (INTERRUPT != 0) begin : both
            reg  other;  // the last packet is, or was, one of the reassembly
            wire turns = !open && !drops;
            wire now   = turns ? whole_shown && !(other && queued_word) : other;
            always @(posedge clk) if (reset || held_word && !stands) other <= now && !reset;
            assign {held_word, held} = now ? {whole_shown, whole_word} : {queued_word, queued};
            assign queue_stands = stands || now;
            assign whole_take   = now && !stands;
        end else begin : single
            assign {held_word, held} = {queued_word, queued};
            assign queue_stands = stands;
            assign whole_take   = 1'b0;
            wire unused = &{1'b0, whole_shown, whole_word};
        end
    endgenerate

    wire [1:0] kind = held[W +: 2];
    wire       ends = held_word && (kind == `POSTROAD_WORM_CONTROL || kind == `POSTROAD_WORM_END);
    wire       info = kind == `POSTROAD_WORM_INFO;
    reg  [W-1:0] sum;
    wire [W-1:0] sum_next;
    word_signature #(.WORD_WIDTH(W)) signature (.sum(open ? sum : START), .word(held[W-1:0]), .info(info), .next(sum_next));

    wire strays = !open && held_word && !ends && (drops || info);
    wire begins = !open && held_word && kind == `POSTROAD_WORM_DATA && !drops;
    wire whole  = kind == `POSTROAD_WORM_END && held[W-1:0] == ~sum;
    assign stands     = |receive[W +: 3] && receive_wait;
    assign event_drop = strays && !stands;

    reg [2:0] tag;
    always @* begin
        tag = `POSTROAD_TAG_NULL_TRANSMISSION;
        if (begins) tag = `POSTROAD_TAG_UNICAST_SITE;
        else if (open && ends) tag = whole ? `POSTROAD_TAG_END_OF_PACKET : `POSTROAD_TAG_ABORT_PACKET;
        else if (open && held_word) tag = info ? `POSTROAD_TAG_TARGET_INFO : `POSTROAD_TAG_DATA;
    end

    always @(posedge clk)
        if (reset) begin
            receive <= {W+4{1'b0}};
            open    <= 1'b0;
            drops   <= 1'b0;
        end else if (!stands) begin
            receive <= {1'b0, tag, held[W-1:0] & {W{|tag && !ends}}};
            open    <= begins || open && !ends;
            drops   <= strays || drops && !ends;
        end

    always @(posedge clk) if (!stands && held_word) sum <= sum_next;

    assign quiet = !queued_word && !full && !(|receive[W +: 3]);
endmodule

`default_nettype wire
