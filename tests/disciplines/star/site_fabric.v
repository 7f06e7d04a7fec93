// site_fabric of discipline `star`, for tests: a switch whose port n leads to site n, and sites with an operator that have
// link 0 alone.
//
//   site:    send --> queue --> out --> link 0 --> queue --> receive
//   switch:  link n --> queue n --.            one packet at a time: its first word, an address, is the number of the
//                                 '--> out m   port that it leaves by
//
// Unicasts only. A queue says `wait` while there is still room for what is on a cable of up to 20 clocks. The ports have the
// contract of hw/common/site_fabric.v.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"
`include "straps.vh"

module site_fabric #(
    parameter WORD_WIDTH       = 16,
    parameter LINKS            = 4,
    parameter LINK_WIDTH       = WORD_WIDTH + 3,
    parameter HYPERCUBE        = 0,   // these have no use here
    parameter OWN              = 0,
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
    localparam PORTS = LINKS + 1;  // port 0 is the operator's, l + 1 that of link l

    wire [15:0] connected = straps[`POSTROAD_STRAP_LINKS_CONNECTED];
    wire        switch    = connected[15:1] != 15'd0;

    // Port p: what arrives there, the word at the end of its queue, and what leaves there.
    wire [PORTS*LINK_WIDTH-1:0] arriving = {link_in, send};
    wire [PORTS*LINK_WIDTH-1:0] queued;
    wire [PORTS-1:0]            full, full_next, empty;
    wire [PORTS-1:0]            blocked = {link_out_wait, receive_wait};
    reg  [PORTS*LINK_WIDTH-1:0] leaving, leaving_next;
    reg  [PORTS-1:0]            taken;
    wire [PORTS-1:0]            is_free;  // what it shows is taken in this clock, or it shows nothing

    assign {link_in_wait, send_wait}           = full;
    assign {link_out, receive[LINK_WIDTH-1:0]} = leaving;
    assign receive[LINK_WIDTH]                 = 1'b0;  // nothing here makes a local_end_of_packet

    genvar p;
    generate
        for (p = 0; p < PORTS; p = p + 1) begin : port
            star_queue #(.WIDTH(LINK_WIDTH)) queue (
                .clk(clk), .reset(reset),
                .word_in(p == 0 && full[0] ? {LINK_WIDTH{1'b0}} : arriving[p*LINK_WIDTH +: LINK_WIDTH]),
                .full(full[p]), .full_next(full_next[p]), .word_out(queued[p*LINK_WIDTH +: LINK_WIDTH]), .empty(empty[p]),
                .take(taken[p]));
            assign is_free[p] = !blocked[p] || leaving[p*LINK_WIDTH +: LINK_WIDTH] == {LINK_WIDTH{1'b0}};
        end
        for (p = 0; p < LINKS; p = p + 1) begin : ahead
            assign links_next[64*p +: 64] = {
                full_next[p+1], {63-LINK_WIDTH{1'b0}}, leaving_next[(p+1)*LINK_WIDTH +: LINK_WIDTH]};
        end
    endgenerate

    // A switch: the port whose packet goes through it, and where to. The ports have their turns.
    reg  [4:0]  from, to;
    reg         busy;
    wire [LINK_WIDTH-1:0] word     = queued[from*LINK_WIDTH +: LINK_WIDTH];
    wire [4:0]            address  = word[4:0] + 5'd1;
    wire [2:0]            tag      = word[LINK_WIDTH-1 -: 3];
    wire                  last     = tag == `POSTROAD_TAG_END_OF_PACKET || tag == `POSTROAD_TAG_ABORT_PACKET;
    wire [4:0]            towards  = busy ? to : address;
    wire                  moves    = switch && !empty[from] && is_free[towards];
    wire [4:0]            next_port = from == LINKS ? 5'd1 : from + 5'd1;

    integer i;
    always @* begin
        leaving_next = {PORTS*LINK_WIDTH{1'b0}};
        for (i = 0; i < PORTS; i = i + 1)
            if (!is_free[i])
                leaving_next[i*LINK_WIDTH +: LINK_WIDTH] = leaving[i*LINK_WIDTH +: LINK_WIDTH];
        taken = {PORTS{1'b0}};
        if (moves) begin
            taken[from] = 1'b1;
            leaving_next[towards*LINK_WIDTH +: LINK_WIDTH] = word;
        end
        if (!switch) begin
            taken[0] = is_free[1] && !empty[0];
            taken[1] = is_free[0] && !empty[1];
            if (taken[0])
                leaving_next[LINK_WIDTH +: LINK_WIDTH] = queued[0 +: LINK_WIDTH];
            if (taken[1])
                leaving_next[0 +: LINK_WIDTH] = queued[LINK_WIDTH +: LINK_WIDTH];
        end
        if (reset)
            leaving_next = {PORTS*LINK_WIDTH{1'b0}};
    end

    always @(posedge clk) begin
        leaving <= leaving_next;
        if (reset) begin
            busy <= 1'b0;
            from <= 5'd1;
        end else if (moves) begin
            busy <= !last;
            to   <= towards;
            from <= last ? next_port : from;
        end else if (!busy && !(&empty))  // at rest nothing may change
            from <= empty[from] ? next_port : from;
    end

    always @* begin
        events = 64'd0;
        for (i = 1; i < PORTS; i = i + 1)
            if (leaving[i*LINK_WIDTH +: LINK_WIDTH] != {LINK_WIDTH{1'b0}}) begin
                events[`POSTROAD_COUNTER_WORDS_OUT + i % 16] = !blocked[i];
                events[`POSTROAD_COUNTER_STALLS + i % 16]    = blocked[i];
            end
    end

    assign observed = {128*PORTS{1'b0}};
    assign quiet    = !reset && &empty && !busy && full == {PORTS{1'b0}} && leaving == {PORTS*LINK_WIDTH{1'b0}};

    wire unused = &{1'b0, now, straps, relief, link_down};
endmodule

`default_nettype wire
