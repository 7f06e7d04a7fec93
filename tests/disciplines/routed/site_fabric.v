// site_fabric of discipline `routed`, for tests: a switch of words. Port 0 is the operator, port l + 1 link l.
//
//   input p --> queue --> head --+--> output o --> link, or operator
//                                |
//                                '--> (a packet without a route is dropped)
//
// The first word of a packet has the tag target_info and the number of a port: it is taken off, and the rest of the packet goes
// to that output, which stays with it until its end, and then rests for `gap` clocks. Inputs take turns. A packet that waits
// stands, and all behind it. A packet whose first word is something else, or names no port, is dropped: a stray. So is one
// whose first word has waited for its output, or for room there, for PATIENCE clocks: packets that wait for each other in a
// circle, or for themselves, would stand for ever.
// The ports have the contract of hw/common/site_fabric.v.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"
`include "straps.vh"
`include "routed.vh"

module site_fabric #(
    parameter WORD_WIDTH       = 16,
    parameter LINKS            = 4,
    parameter LINK_WIDTH       = WORD_WIDTH + 3,
    parameter [31:0] OWN       = `ROUTED_OWN,
    parameter HYPERCUBE        = 0,   // these have no use
    parameter DOWNSTREAM_DEPTH = 32,
    parameter UPSTREAM_DEPTH   = 64,
    parameter OBSERVED         = 0
) (
    input  wire                        clk,
    input  wire                        reset,
    input  wire [63:0]                 now,
    input  wire [`POSTROAD_STRAPS-1:0] straps,
    input  wire                        relief,
    input  wire [LINKS-1:0]            link_down,
    input  wire [LINKS*LINK_WIDTH-1:0] link_in,
    output wire [LINKS-1:0]            link_in_wait,
    output wire [LINKS*LINK_WIDTH-1:0] link_out,
    input  wire [LINKS-1:0]            link_out_wait,
    output wire [64*LINKS-1:0]         links_next,
    input  wire [WORD_WIDTH+2:0]       send,
    output wire                        send_wait,
    output wire [WORD_WIDTH+3:0]       receive,
    input  wire                        receive_wait,
    output reg  [63:0]                 events,
    output wire [128*(LINKS+1)-1:0]    observed,
    output wire                        quiet
);
    localparam PORTS = LINKS + 1;
    localparam W     = LINK_WIDTH;
    localparam [9:0] PATIENCE = 10'd1023;
    localparam FIXED = OWN[`ROUTED_OWN_TURNS];   // the lowest input comes first

    wire [31:0] own = straps[`POSTROAD_STRAP_OWN];
    wire [3:0]  gap = own[`ROUTED_STRAP_GAP];    // clocks that an output rests behind a packet

    wire [PORTS*W-1:0] words_in  = {link_in, send};
    wire [PORTS*W-1:0] heads;                       // the word at the head of each input
    wire [PORTS-1:0]   in_wait, in_wait_next;
    reg  [PORTS-1:0]   head_wait;
    reg  [PORTS*W-1:0] leaving;                     // to the queues at the outputs
    wire [PORTS*W-1:0] words_out, out_next;
    wire [PORTS-1:0]   out_wait, out_wait_in;

    assign out_wait_in  = {link_out_wait, receive_wait};
    assign link_in_wait = in_wait[PORTS-1:1];
    assign send_wait    = in_wait[0];
    assign link_out     = words_out[PORTS*W-1:W];
    assign receive      = {1'b0, words_out[W-1:0]};  // nothing here makes a local_end_of_packet

    // Each input's packet: its output, once the first word has named it, or that it is dropped.
    reg  [PORTS-1:0]   routed, dropping, begun;     // begun: a word has gone to its output
    reg  [PORTS*4-1:0] output_of;
    reg  [PORTS*10-1:0] waited;                     // clocks, for its output
    // Each output's packet.
    reg  [PORTS-1:0]   busy;
    reg  [PORTS*4-1:0] input_of, last_input, rests;

    reg  [PORTS-1:0]   names_route, no_route, strays, ends;
    reg  [PORTS*4-1:0] input_of_next;
    reg  [PORTS-1:0]   busy_next, moves;
    reg  [2:0]         tag;
    integer p, o, k, turn;

    always @* begin
        names_route = {PORTS{1'b0}};
        no_route    = {PORTS{1'b0}};
        ends        = {PORTS{1'b0}};
        head_wait   = {PORTS{1'b1}};
        leaving     = {PORTS*W{1'b0}};
        turn        = 0;
        moves       = {PORTS{1'b0}};
        for (p = 0; p < PORTS; p = p + 1) begin
            tag            = heads[W*p+WORD_WIDTH +: 3];
            ends[p]        = tag == `POSTROAD_TAG_END_OF_PACKET || tag == `POSTROAD_TAG_ABORT_PACKET;
            names_route[p] = !routed[p] && !dropping[p] && tag == `POSTROAD_TAG_TARGET_INFO &&
                             heads[W*p +: WORD_WIDTH] < PORTS[WORD_WIDTH-1:0];
            no_route[p]    = !routed[p] && !dropping[p] && tag != `POSTROAD_TAG_NULL_TRANSMISSION && !names_route[p] ||
                             routed[p] && !begun[p] && tag != `POSTROAD_TAG_NULL_TRANSMISSION &&
                             waited[10*p +: 10] == PATIENCE;
        end
        strays = no_route & (~no_route + 1'b1);  // one a clock: each is counted
        for (p = 0; p < PORTS; p = p + 1)
            if (names_route[p] || strays[p] || dropping[p])
                head_wait[p] = 1'b0;
        for (o = 0; o < PORTS; o = o + 1)
            for (p = 0; p < PORTS; p = p + 1)
                if (busy[o] && input_of[4*o +: 4] == p[3:0] && !strays[p] && heads[W*p +: W] != {W{1'b0}}) begin
                    leaving[W*o +: W] = heads[W*p +: W];
                    moves[o]          = !out_wait[o];
                    head_wait[p]      = out_wait[o];
                end

        // The next input behind the last one whose packet goes to a free output.
        busy_next     = busy;
        input_of_next = input_of;
        for (o = 0; o < PORTS; o = o + 1)
            if (!busy[o] && rests[4*o +: 4] == 4'd0)
                for (k = PORTS; k > 0; k = k - 1) begin
                    turn = FIXED ? k - 1 : ({28'd0, last_input[4*o +: 4]} + k) % PORTS;
                    if (routed[turn] && !strays[turn] && output_of[4*turn +: 4] == o[3:0]) begin
                        busy_next[o]            = 1'b1;
                        input_of_next[4*o +: 4] = turn[3:0];
                    end
                end
    end

    always @(posedge clk)
        if (reset) begin
            routed     <= {PORTS{1'b0}};
            dropping   <= {PORTS{1'b0}};
            busy       <= {PORTS{1'b0}};
            input_of   <= {PORTS*4{1'b0}};
            output_of  <= {PORTS*4{1'b0}};
            last_input <= {PORTS*4{1'b0}};
            rests      <= {PORTS*4{1'b0}};
            waited     <= {PORTS*10{1'b0}};
            begun      <= {PORTS{1'b0}};
        end else begin
            busy     <= busy_next;
            input_of <= input_of_next;
            for (p = 0; p < PORTS; p = p + 1) begin
                if (names_route[p]) begin
                    routed[p]           <= 1'b1;
                    output_of[4*p +: 4] <= heads[W*p +: 4];
                end
                if (strays[p] || dropping[p]) begin
                    routed[p]   <= 1'b0;
                    dropping[p] <= !ends[p];
                end
                if (!routed[p] || begun[p])
                    waited[10*p +: 10] <= 10'd0;
                else if (waited[10*p +: 10] != PATIENCE)
                    waited[10*p +: 10] <= waited[10*p +: 10] + 10'd1;
            end
            for (o = 0; o < PORTS; o = o + 1) begin
                if (rests[4*o +: 4] != 4'd0) rests[4*o +: 4] <= rests[4*o +: 4] - 4'd1;
                for (p = 0; p < PORTS; p = p + 1) begin
                    if (busy[o] && input_of[4*o +: 4] == p[3:0]) begin
                        begun[p] <= moves[o] ? !ends[p] : begun[p];
                        if (strays[p])
                            busy[o] <= 1'b0;
                    end
                    if (busy[o] && input_of[4*o +: 4] == p[3:0] && moves[o] && ends[p]) begin
                        rests[4*o +: 4]      <= gap;
                        busy[o]              <= 1'b0;
                        routed[p]            <= 1'b0;
                        last_input[4*o +: 4] <= p[3:0];
                    end
                end
            end
        end

    wire [PORTS-1:0] unused_out_wait;
    wire [PORTS*W-1:0] unused_next;
    genvar g;
    generate
        for (g = 0; g < PORTS; g = g + 1) begin : port
            routed_queue #(.WIDTH(W)) in_queue (
                .clk(clk), .reset(reset), .word_in(words_in[W*g +: W]), .wait_out(in_wait[g]), .word_out(heads[W*g +: W]),
                .wait_in(head_wait[g]), .word_next(unused_next[W*g +: W]), .wait_next(in_wait_next[g]));
            routed_queue #(.WIDTH(W)) out_queue (
                .clk(clk), .reset(reset), .word_in(leaving[W*g +: W]), .wait_out(out_wait[g]), .word_out(words_out[W*g +: W]),
                .wait_in(out_wait_in[g]), .word_next(out_next[W*g +: W]), .wait_next(unused_out_wait[g]));
        end
        for (g = 0; g < LINKS; g = g + 1) begin : ahead
            assign links_next[64*g +: 64] = {in_wait_next[g+1], {63-W{1'b0}}, out_next[W*(g+1) +: W]};
        end
    endgenerate

    wire [PORTS-1:0] shown;
    generate
        for (g = 0; g < PORTS; g = g + 1) begin : show
            assign shown[g] = words_out[W*g +: W] != {W{1'b0}};
        end
    endgenerate

    always @* begin
        events = 64'd0;
        events[`POSTROAD_COUNTER_WORDS_OUT +: PORTS] = shown & ~out_wait_in;
        events[`POSTROAD_COUNTER_STALLS +: PORTS]    = shown & out_wait_in;
        events[`POSTROAD_COUNTER_DEAD_FLITS]         = strays != {PORTS{1'b0}};
    end

    assign observed = {128*PORTS{1'b0}};
    assign quiet    = !reset && in_wait == {PORTS{1'b0}} && heads == {PORTS*W{1'b0}} && out_wait == {PORTS{1'b0}} &&
                      words_out == {PORTS*W{1'b0}} && rests == {PORTS*4{1'b0}};

    wire unused = &{1'b0, now, straps, relief, link_down, unused_out_wait, unused_next,
                    in_wait_next[0], out_next[W-1:0], own};
endmodule

`default_nettype wire
