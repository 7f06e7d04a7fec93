// site_fabric: a discipline's fabric_core behind the ports that every discipline has (hw/README.md, "Disciplines").
//
// The search path of a tool selects the discipline: its folder, then hw/common. Its folder has a fabric_core, or a module of this
// name with these ports.
//
//   straps --> slices --> fabric --> events at the indices of their counters
//
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"
`include "straps.vh"

module site_fabric #(
    parameter WORD_WIDTH       = 16,  // bits of a word: 16, or 32 for larger meshes and addresses
    parameter LINKS            = 4,   // links of a site: 4 on a grid or torus, one a dimension on a hypercube
    parameter LINK_WIDTH       = WORD_WIDTH + 3,  // bits of a link, from discipline.ini: not to be set
    parameter DOWNSTREAM_DEPTH = 32,  // words the operator may run ahead of the network
    parameter UPSTREAM_DEPTH   = 64,  // words the network may run ahead of the operator
    parameter HYPERCUBE        = 0,   // 1: a hypercube, 0: a grid or torus
    parameter [31:0] OWN       = 0,   // what a site of the discipline is built for: fields of its discipline.ini
    parameter OBSERVED         = 0    // 1: `observed` shows which input waits for which output; slows a simulation
) (
    input  wire                         clk,
    input  wire                         reset,

    // Clocks of the mesh since its reset. They go on while this site alone is reset. On boards: clocks of the board.
    input  wire [63:0]                  now,

    // Constant out of reset. straps.ini has their meaning.
    input  wire [`POSTROAD_STRAPS-1:0]  straps,

    // Both may change at any time. relief: the operator requests that the router deliver no packets that could pass. link_down:
    // this link leads nowhere now; the logic that sets it must still accept the words that go there.
    input  wire                         relief,
    input  wire [LINKS-1:0]             link_down,

    // Links, link l (port l+1) at [l*LINK_WIDTH +: LINK_WIDTH]. A word is transferred in exactly the clocks in which it is
    // shown and its wait is 0; a link that is all zeroes shows none. Words and waits come from flops; wait is 1 in reset. An
    // output without a neighbour has its wait tied to 0.
    input  wire [LINKS*LINK_WIDTH-1:0]  link_in,
    output wire [LINKS-1:0]             link_in_wait,
    output wire [LINKS*LINK_WIDTH-1:0]  link_out,
    input  wire [LINKS-1:0]             link_out_wait,

    // What the links show after the next edge, for a simulation that exchanges them one clock ahead: link l at [64*l +: 64],
    // link_in_wait in bit 63, link_out in the low bits. Not for synthesis, where it is 0.
    output wire [64*LINKS-1:0]          links_next,

    // Operator: {tag, word} under the same contract as a link. `receive` has the fourth tag bit (local_end_of_packet).
    input  wire [WORD_WIDTH+2:0]        send,
    output wire                         send_wait,
    output wire [WORD_WIDTH+3:0]        receive,
    input  wire                         receive_wait,

    // One-clock pulses at the indices of the counters (registers.ini) that this discipline shows.
    output reg  [63:0]                  events,

    // With OBSERVED, input p of this clock at [128*p +: 128]. Low half: its word; bit 63: the word is not taken. High half, bit
    // o: it is connected to output o, or its word waits for output o.
    output wire [128*(LINKS+1)-1:0]     observed,

    // 1: no word is in flight in this fabric. While quiet is 1 and every link_in and `send` carry no word, no output shows one,
    // and the clock may be gated. The bits beside a tag of 0 may change.
    output wire                         quiet
);
    localparam PORTS       = LINKS + 1;
    localparam COORD_WIDTH = WORD_WIDTH == 32 ? `POSTROAD_SITE_COORD_WIDTH_32 : `POSTROAD_SITE_COORD_WIDTH_16;

    wire [31:0]            site_address = straps[`POSTROAD_STRAP_SITE_ADDRESS];
    wire [15:0]            size_x = straps[`POSTROAD_STRAP_SIZE_X], size_y = straps[`POSTROAD_STRAP_SIZE_Y];
    wire [PORTS-1:0]       event_word_out, event_stall, event_drop;
    wire                   event_divert, event_abort, event_split, event_defer;
    wire [PORTS*PORTS-1:0] connections;

    fabric #(
        .WORD_WIDTH(WORD_WIDTH), .LINKS(LINKS), .HYPERCUBE(HYPERCUBE), .OWN(OWN), .DOWNSTREAM_DEPTH(DOWNSTREAM_DEPTH),
        .UPSTREAM_DEPTH(UPSTREAM_DEPTH)
    ) cutthrough (
        .clk(clk), .reset(reset), .site_address(site_address[2*COORD_WIDTH-1:0]), .topology(straps[`POSTROAD_STRAP_TOPOLOGY]),
        .size_x(size_x[COORD_WIDTH-1:0]), .size_y(size_y[COORD_WIDTH-1:0]),
        .own(straps[`POSTROAD_STRAP_OWN]), .divert_threshold(straps[`POSTROAD_STRAP_DIVERT_THRESHOLD]),
        .abort_threshold(straps[`POSTROAD_STRAP_ABORT_THRESHOLD]), .relief_limit(straps[`POSTROAD_STRAP_RELIEF_LIMIT]),
        .relief(relief), .link_down(link_down),
        .link_in(link_in), .link_in_wait(link_in_wait), .link_out(link_out), .link_out_wait(link_out_wait),
        .send(send), .send_wait(send_wait), .receive(receive), .receive_wait(receive_wait),
        .event_word_out(event_word_out), .event_stall(event_stall), .event_drop(event_drop),
        .event_divert(event_divert), .event_abort(event_abort), .event_split(event_split), .event_defer(event_defer),
        .connections(connections), .quiet(quiet)
    );

    always @* begin
        events = 64'd0;
        events[`POSTROAD_COUNTER_DIVERSIONS] = event_divert;
        events[`POSTROAD_COUNTER_ABORTS]     = event_abort;
        events[`POSTROAD_COUNTER_SPLITS]     = event_split;
        events[`POSTROAD_COUNTER_DEFERRALS]  = event_defer;
        events[`POSTROAD_COUNTER_WORDS_OUT +: PORTS] = event_word_out;
        events[`POSTROAD_COUNTER_STALLS +: PORTS]    = event_stall;
        events[`POSTROAD_COUNTER_DROPS +: PORTS]     = event_drop;
    end

    genvar l, p;
`ifdef SYNTHESIS
    assign links_next = {64*LINKS{1'b0}};
    assign observed   = {128*PORTS{1'b0}};
`else
    generate
        for (l = 0; l < LINKS; l = l + 1) begin : ahead
            // The words that the flops of net_output and net_input load at the next edge. Without a tag there is no word.
            wire [2:0] tag = cutthrough.core.remote[l+1].net_output.tag_next;
            assign links_next[64*l +: 64] = {
                reset || cutthrough.core.port[l+1].wait_next, {63-LINK_WIDTH{1'b0}},
                {LINK_WIDTH{|tag && !reset}} & {tag, cutthrough.core.remote[l+1].net_output.word_next}};
        end
        for (p = 0; p < PORTS; p = p + 1) begin : observer
            if (OBSERVED != 0) begin : shown
                wire present = cutthrough.core.port[p].net_input.word_present;
                wire [LINK_WIDTH-1:0] word = cutthrough.core.port[p].net_input.word & {LINK_WIDTH{present}};
                wire waits = !reset && present && !cutthrough.core.port[p].net_input.taken;
                assign observed[128*p +: 128] = {{64-PORTS{1'b0}}, connections[p*PORTS +: PORTS],
                                                 waits, {63-LINK_WIDTH{1'b0}}, word};
            end else begin : hidden
                assign observed[128*p +: 128] = 128'd0;
            end
        end
    endgenerate
`endif

    wire unused = &{1'b0, now, straps, site_address, size_x, size_y, connections};
endmodule

`default_nettype wire
