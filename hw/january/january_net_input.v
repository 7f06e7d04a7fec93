// january_net_input: storage of one link's packet, and the states of its transmission (January paper 4.5, Table F, Figure 8;
// rules J1, J2, J5, J10, J11).
//
//                          connection made
//   FREE --a head--> FIRST ---------------> OPEN <--wait / open--> WAIT
//    ^                 ^ | seek              |  '---abort_request----|---.
//    |                 '-'        terminator |            terminator |   |
//    |                                       v                       v   v
//    |<--------- terminators leave ------- DONE <--wait / open--> LAST  ABORT
//    |                                       '---abort_request----|      | terminator
//    |                                                            v      v
//    '<------------------- terminator leaves for local ----------- FIN_ABORT
//
// Words wait in a small memory, so that the targets of a packet are known before it is connected (J5). The next packet enters
// when the terminator of this one has left (J2).
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module january_net_input #(
    parameter WORD_WIDTH = 16,
    parameter PORTS      = 5,
    parameter LIST_WORDS = 16,  // words that wait here: a power of two from 4 on, longer lists of targets are not split
    parameter LINK_WIDTH = WORD_WIDTH + 3  // follows
) (
    input  wire                  clk,
    input  wire                  reset,

    // Upstream net_output or fifo_buffer. A word is transferred in exactly the clocks in which link shows one and link_wait is 0;
    // link_wait is a function of flops alone, and 1 in reset. way: the net_output that a site word on `link` leads to.
    input  wire [LINK_WIDTH-1:0] link,
    input  wire [PORTS-1:0]      way,
    output wire                  link_wait,
    output wire                  link_wait_next,  // after the next edge, out of reset

    // Heading.
    output wire                  arrives,         // a word is transferred
    output wire                  full,            // no more words fit
    output wire                  free,            // no packet
    output wire                  seeks,           // the packet has no connection

    // Router. offer: the connection that it makes in this clock. status: of all connected net_outputs together.
    input  wire [2:0]            offer,
    input  wire [1:0]            status,
    output wire [LINK_WIDTH-1:0] word,            // the foremost word, tag 0: none
    output wire [PORTS-1:0]      word_way,        // the net_output that its target leads to
    output reg  [2:0]            connection,      // the type that was made; without meaning while `free` or `seeks`
    output wire                  moves,           // `word` enters the connected net_outputs in this clock
    output wire                  aborts,          // pulse: all branches but local end with abort_packet
    output wire                  aborting,        // abort mode: local alone is connected
    output wire                  stands,          // back-pressure holds the transmission
    output wire                  stray            // a word that belongs to no packet is dropped
);
    localparam [2:0] FREE = 3'd0, FIRST = 3'd1, OPEN = 3'd2, WAIT = 3'd3, DONE = 3'd4, LAST = 3'd5;
    localparam [2:0] ABORT = 3'd6, FIN_ABORT = 3'd7;
    reg  [2:0] state, next;

    // A target_info or a pad in the list belongs to the site word before it.
    wire [2:0] link_tag     = link[WORD_WIDTH +: 3];
    wire       is_site_word = link_tag[2] && link_tag[0];
    reg  [PORTS-1:0] last_way;
    wire [PORTS-1:0] link_way = is_site_word ? way : last_way;
    always @(posedge clk) if (arrives) last_way <= link_way;

    // The terminator closes the storage until it has left.
    reg  ended;
    wire queue_wait, queue_wait_next, ended_next, taken;
    wire [LINK_WIDTH+PORTS-1:0] foremost;
    assign arrives        = |link_tag && !link_wait;
    assign link_wait      = queue_wait || ended;
    assign link_wait_next = queue_wait_next || ended_next;
    assign full           = queue_wait;
    /* verilator lint_off UNUSEDSIGNAL */
    wire [LINK_WIDTH+PORTS-1:0] fresh;
    wire held;
    /* verilator lint_on UNUSEDSIGNAL */
    net_input #(.LINK_WIDTH(LINK_WIDTH + PORTS), .DEPTH(LIST_WORDS)) storage (
        .clk(clk), .reset(reset), .link({link_tag & {3{!ended}}, link_way, link[WORD_WIDTH-1:0]}), .link_wait(queue_wait),
        .fresh(fresh), .word(foremost), .held(held), .taken(taken), .link_wait_next(queue_wait_next));
    assign word     = {foremost[LINK_WIDTH+PORTS-1 -: 3], foremost[WORD_WIDTH-1:0]};
    assign word_way = foremost[WORD_WIDTH +: PORTS];

    wire [2:0] tag        = word[WORD_WIDTH +: 3];
    wire       word_present = |tag;
    wire       head       = tag[2] && tag[0];
    wire       terminator = tag == `POSTROAD_TAG_END_OF_PACKET || tag == `POSTROAD_TAG_ABORT_PACKET;
    wire       split      = connection == `POSTROAD_JANUARY_CONNECTION_ALL_REMOTE ||
                            connection == `POSTROAD_JANUARY_CONNECTION_SOME_LOCAL;
    wire       waits      = status == `POSTROAD_JANUARY_STATUS_WAIT;
    wire       abort_now  = status == `POSTROAD_JANUARY_STATUS_ABORT_REQUEST && split;

    wire sends_words      = state == OPEN || state == WAIT || state == ABORT;
    wire sends_terminator = state == DONE || state == FIN_ABORT;
    assign aborts   = abort_now && (state == OPEN || state == WAIT || state == DONE || state == LAST);
    assign moves    = word_present && !waits && !aborts && (terminator ? sends_terminator : sends_words);
    assign stray    = state == FREE && word_present && !head;
    assign taken    = moves || stray;
    assign free     = state == FREE;
    assign seeks    = state == FIRST;
    assign aborting = state == ABORT || state == FIN_ABORT;
    assign stands   = state == WAIT || state == LAST;

    always @* begin
        next = state;
        case (state)
            FREE:       if (word_present && head) next = FIRST;
            FIRST:      if (offer != `POSTROAD_JANUARY_CONNECTION_SEEK) next = OPEN;
            OPEN, WAIT: next = abort_now ? ABORT : terminator ? (waits ? LAST : DONE) : (waits ? WAIT : OPEN);
            DONE:       next = abort_now ? FIN_ABORT : waits ? LAST : FREE;
            LAST:       next = abort_now ? FIN_ABORT : waits ? LAST : DONE;
            ABORT:      if (terminator) next = FIN_ABORT;
            FIN_ABORT:  if (!waits) next = FREE;
        endcase
    end

    wire link_ends = link_tag == `POSTROAD_TAG_END_OF_PACKET || link_tag == `POSTROAD_TAG_ABORT_PACKET;
    assign ended_next = (ended || (arrives && link_ends)) && !(taken && terminator);
    always @(posedge clk)
        if (reset) begin
            state <= FREE;
            ended <= 1'b0;
        end else begin
            state <= next;
            ended <= ended_next;
            if (seeks) connection <= offer;
        end

`ifdef FORMAL
    // The arcs of Figure 8 from each state, as a row of states to stay in or to go to: fin-abort, abort, last, done, wait, open,
    // first, free.
    function [7:0] arcs(input [2:0] from);
        case (from)
            FREE:       arcs = 8'b00000011;
            FIRST:      arcs = 8'b00000110;
            OPEN, WAIT: arcs = 8'b01111100;
            DONE:       arcs = 8'b10100001;
            LAST:       arcs = 8'b10110000;
            ABORT:      arcs = 8'b11000000;
            FIN_ABORT:  arcs = 8'b10000001;
        endcase
    endfunction

    reg past_valid = 1'b0;
    always @(posedge clk) begin
        past_valid <= 1'b1;
        if (!past_valid) assume (reset);
        if (past_valid && !reset) assert (arcs(state) >> next & 1'b1);
    end

    genvar from, to;
    generate
        for (from = 0; from < 8; from = from + 1) begin : arcs_from
            for (to = 0; to < 8; to = to + 1) begin : arcs_to
                if (arcs(from) >> to & 1'b1) always @(posedge clk) if (!reset) cover (state == from && next == to);
            end
        end
    endgenerate
`endif
endmodule

`default_nettype wire
