// wormlan_inject: the operator's packets become worms (W2, W9).
//
//   send --> kind, signature --> two words --> entry
//
// A packet is route words, the word of a target, its info, data. What stands elsewhere makes it malformed: it ends with a forward
// reset. The signature does not cover the first word, which this site's switch strips. MULTICAST: the header of a tree may follow
// the route words, and the words of its targets are those of a multicast. Where it comes first, the signature does not cover it.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module wormlan_inject #(
    parameter WORD_WIDTH = 16,
    parameter MULTICAST  = 0,
    parameter INTERRUPT  = 0,
    parameter PORTS      = 5
) (
    input  wire                  clk,
    input  wire                  reset,

    // Operator: the contract of site_fabric.v.
    input  wire [WORD_WIDTH+2:0] send,
    output wire                  send_wait,

    // As of a wormlan_receiver.
    input  wire [PORTS-1:0]      below,
    output wire [WORD_WIDTH+1:0] entry,
    output wire                  shown,
    input  wire                  take,

    output wire                  event_drop,  // a word that stands where it may not
    output wire                  quiet
);
    localparam W = WORD_WIDTH;
    localparam [W-1:0] START = {W{1'b1}};

    localparam [1:0] PART_HEAD   = 2'd0;
    localparam [1:0] PART_ROUTE  = 2'd1;
    localparam [1:0] PART_TARGET = 2'd2;
    localparam [1:0] PART_DATA   = 2'd3;

    wire [2:0]   tag    = send[W +: 3];
    wire [W-1:0] word   = send[W-1:0];
    reg  [1:0]   part;    // of the packet, up to the word before
    reg          broken;
    reg  [W-1:0] sum;
    wire [W-1:0] sum_next;

    wire last, wrong_turn, in_header, routes;  // of the header of a tree
    wire turns, own;                // of one for this site's switch
    wire info   = tag == `POSTROAD_TAG_TARGET_INFO && part != PART_DATA && !wrong_turn;
    wire branch = MULTICAST != 0 && tag == `POSTROAD_TAG_MULTICAST_SITE && in_header && !wrong_turn;
    wire target = tag == `POSTROAD_TAG_UNICAST_SITE && (part == PART_HEAD || part == PART_ROUTE) && !in_header;
    wire data   = tag == `POSTROAD_TAG_DATA && part[1];
    wire terminator = tag == `POSTROAD_TAG_END_OF_PACKET || tag == `POSTROAD_TAG_ABORT_PACKET;
    wire ends   = terminator && part != PART_HEAD;
    wire whole  = tag == `POSTROAD_TAG_END_OF_PACKET && part[1] && !broken;
    wire known  = info || branch || target || data || ends;
    wire wrong  = |tag && tag != `POSTROAD_TAG_NULL_TARGET && !known;
    assign event_drop = wrong && !send_wait;

    // INTERRUPT: a worm for wormlan_fork is signed from its first word on.
    wire forks, rises;
    word_signature #(.WORD_WIDTH(W)) signature (
        .sum(INTERRUPT != 0 && part == PART_HEAD ? START : sum), .word(word), .info(info), .next(sum_next));

    generate
        if (MULTICAST != 0) begin : tree
            wire names_branch, begun;
            reg  first;  // it began with the packet
            wormlan_header header (
                .clk(clk), .reset(reset), .step(known && !send_wait), .head(!in_header), .info(tag == `POSTROAD_TAG_TARGET_INFO),
                .word(word[13:0]), .routes(routes), .entry(names_branch), .last(last), .wrong(wrong_turn), .in_header(begun));
            assign in_header = begun && part == PART_ROUTE;
            assign own    = first && in_header && INTERRUPT == 0;
            assign turns  = (names_branch && part == PART_HEAD || own && (names_branch || last)) && INTERRUPT == 0;
            always @(posedge clk) if (known && !send_wait && !in_header) first <= part == PART_HEAD;
        end else begin : single
            assign {last, wrong_turn, in_header, routes, turns, own} = 6'b000000;
        end
        if (INTERRUPT != 0) begin : marked
            wormlan_turn #(.PORTS(PORTS)) turn (.word(word[13:0]), .below(below), .forks(forks), .rises(rises));
        end else begin : plain
            assign {forks, rises} = 2'b00;
            wire unused_below = &{1'b0, below};
        end
    endgenerate

    // The first word: info if it names a port below 16, or all.
    wire names_port = info && (word[W-1:4] == {W-4{1'b0}} || routes || forks || rises);
    reg  [W+1:0] next;
    always @* begin
        next = {info ? `POSTROAD_WORM_INFO : `POSTROAD_WORM_DATA, word};
        if (part == PART_HEAD && !names_port) next[W +: 2] = `POSTROAD_WORM_DATA;
        if (turns) next[W +: 2] = `POSTROAD_WORM_CONTROL;
        if (part == PART_HEAD && rises) next[5:4] = 2'b00;
        if (ends) next = whole ? {`POSTROAD_WORM_END, ~sum}
                               : {`POSTROAD_WORM_CONTROL, {W-6{1'b0}}, `POSTROAD_WORM_CONTROL_RESET};
    end

    always @(posedge clk)
        if (reset) begin
            part   <= PART_HEAD;
            broken <= 1'b0;
        end else if (!send_wait) begin
            broken <= !terminator && (broken || wrong);
            part   <= ends ? PART_HEAD : data ? PART_DATA : target || last && info ? PART_TARGET
                    : info && part == PART_HEAD ? PART_ROUTE : part;
        end

    always @(posedge clk) if (known && !send_wait) sum <= part == PART_HEAD && !forks || own ? START : sum_next;

    wormlan_queue #(.WIDTH(W + 2)) queue (
        .clk(clk), .reset(reset), .shown_in(known), .word_in(next), .wait_out(send_wait), .shown_out(shown), .word_out(entry),
        .wait_in(!take));

    assign quiet = !shown && !send_wait;
endmodule

`default_nettype wire
