// fabric_top: a fabric with ports that C can copy, for the fabric level of sim/engine.
//
// Every strap is a 32-bit port and every link a 64-bit slot, so that the engine moves a word and a status in one copy
// and needs no code of its own for a width: bit 63 is the status, the low bits are {tag, word}.
//
// Links are exchanged one clock ahead: link_out is what the flops at the links' ends will hold after the next edge, and
// `arriving` here is loaded with what the neighbours' will hold. Both are the same values in the same clocks as a wire
// between the flops would give, but the logic behind `arriving` is evaluated once a clock and not three times (inputs
// changed, rising edge, falling edge), which doubles the speed.
//
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module fabric_top #(
    parameter WORD_WIDTH       = 16,  // bits of a word: 16, or 32 for larger meshes and addresses
    parameter LINKS            = 4,   // links of a site: 4 on a grid or torus, one a dimension on a hypercube
    parameter DOWNSTREAM_DEPTH = 32,  // words from the operator that may wait at an entry that is busy
    parameter UPSTREAM_DEPTH   = 64,  // words that may wait for the operator before the fabric is held up
    parameter OBSERVED         = 0    // 1: `observed` shows who waits for whom; it costs time
) (
    input  wire                clk,
    input  wire                reset,

    // Straps: taken over in reset.
    input  wire [31:0]         site_address,
    input  wire [31:0]         topology,
    input  wire [31:0]         size_x,
    input  wire [31:0]         size_y,
    input  wire [31:0]         unicast_lists,
    input  wire [31:0]         multicast_lists,
    input  wire [31:0]         divert_threshold,
    input  wire [31:0]         abort_threshold,
    input  wire [31:0]         abort_random,
    input  wire [31:0]         release_single,
    input  wire [31:0]         relief_limit,

    // Links, link l at [64*l +: 64], of the next clock. In: the neighbour's word, and its status. Out: the same of this
    // site.
    input  wire [64*LINKS-1:0] link_in,
    output wire [64*LINKS-1:0] link_out,

    // Bit l: link l leads nowhere in the next clock.
    input  wire [31:0]         link_down,

    // Operator, of this clock. In: the word sent, and the status of the receiving end. Out: the word received, the
    // status of sending; it does not depend on what is sent in the same clock. Bit 62 in: relief, from the next clock on.
    input  wire [63:0]         local_in,
    output wire [63:0]         local_out,

    // Events of this clock, at the indices of the counters.
    output reg  [63:0]         events,

    // net_input p, of this clock, at [128*p +: 128]. Low half: its word, bit 63 says that the word is not taken. High half,
    // bit o: it is connected to net_output o, or what it shows waits for that.
    output wire [128*(LINKS+1)-1:0] observed,

    output wire                quiet
);
    localparam LINK_WIDTH  = WORD_WIDTH + 3;
    localparam COORD_WIDTH = WORD_WIDTH == 32 ? 12 : 7;
    localparam PORTS       = LINKS + 1;

    reg [2*COORD_WIDTH-1:0] address;
    reg [COORD_WIDTH-1:0]   columns, rows;
    reg [15:0]              divert, abort, random, relief_tries;
    reg [7:0]               unicast, multicast;
    reg [1:0]               shape;
    reg                     single;

    always @(posedge clk)
        if (reset) begin
            address   <= site_address[2*COORD_WIDTH-1:0];
            columns   <= size_x[COORD_WIDTH-1:0];
            rows      <= size_y[COORD_WIDTH-1:0];
            divert    <= divert_threshold[15:0];
            abort     <= abort_threshold[15:0];
            random    <= abort_random[15:0];
            unicast   <= unicast_lists[7:0];
            multicast <= multicast_lists[7:0];
            shape     <= topology[1:0];
            single    <= release_single[0];
            relief_tries <= relief_limit[15:0];
        end

    reg  [64*LINKS-1:0]         arriving;
    wire [LINKS*LINK_WIDTH-1:0] arriving_words;
    wire [LINKS-1:0]            arriving_wait;
    wire [LINKS*LINK_WIDTH-1:0] link_out_words;  // of this clock: for waves
    wire [LINKS-1:0]            link_in_wait;
    reg  [LINKS-1:0]            down;
    wire [LINK_WIDTH:0]         receive;
    wire                        send_wait;

    reg                         relief;

    always @(posedge clk) begin
        arriving <= link_in;
        down     <= link_down[LINKS-1:0];
        relief   <= !reset && local_in[62];
    end

    genvar l;
    generate
        for (l = 0; l < LINKS; l = l + 1) begin : slot
            assign arriving_words[l*LINK_WIDTH +: LINK_WIDTH] = arriving[64*l +: LINK_WIDTH];
            assign arriving_wait[l] = arriving[64*l + 63];

            // What the flops of net_output and net_input load at the next edge.
            // No tag, no word.
            wire [2:0]            tag  = fabric.core.remote[l+1].net_output.tag_next;
            wire [LINK_WIDTH-1:0] word = {LINK_WIDTH{|tag && !reset}} & {tag, fabric.core.remote[l+1].net_output.word_next};
            wire wait_status = reset || (fabric.core.port[l+1].net_input.word_present && !fabric.core.port[l+1].net_input.taken);

            assign link_out[64*l +: 64] = {wait_status, {63-LINK_WIDTH{1'b0}}, word};
        end
    endgenerate

    genvar p;
    generate
        for (p = 0; p < PORTS; p = p + 1) begin : observer
            if (OBSERVED != 0) begin : shown
                wire present = fabric.core.port[p].net_input.word_present;
                wire [LINK_WIDTH-1:0] word = fabric.core.port[p].net_input.word & {LINK_WIDTH{present}};
                wire waits = !reset && present && !fabric.core.port[p].net_input.taken;
                assign observed[128*p +: 128] = {{64-PORTS{1'b0}}, connections[p*PORTS +: PORTS],
                                                 waits, {63-LINK_WIDTH{1'b0}}, word};
            end else begin : hidden
                assign observed[128*p +: 128] = 128'd0;
            end
        end
    endgenerate

    assign local_out = {send_wait, {62-LINK_WIDTH{1'b0}}, receive};

    wire [PORTS-1:0] event_word_out, event_stall, event_drop;
    wire [PORTS*PORTS-1:0] connections;
    wire             event_divert, event_abort, event_split, event_pass, event_single;

    always @* begin
        events = 64'd0;
        events[`POSTROAD_COUNTER_DIVERSIONS] = event_divert;
        events[`POSTROAD_COUNTER_ABORTS]     = event_abort;
        events[`POSTROAD_COUNTER_SPLITS]     = event_split;
        events[`POSTROAD_COUNTER_PASSES]     = event_pass;
        events[`POSTROAD_COUNTER_SINGLES]    = event_single;
        events[`POSTROAD_COUNTER_WORDS_OUT +: PORTS] = event_word_out;
        events[`POSTROAD_COUNTER_STALLS +: PORTS]    = event_stall;
        events[`POSTROAD_COUNTER_DROPS +: PORTS]     = event_drop;
    end

    fabric #(
        .WORD_WIDTH(WORD_WIDTH), .LINKS(LINKS),
        .DOWNSTREAM_DEPTH(DOWNSTREAM_DEPTH), .UPSTREAM_DEPTH(UPSTREAM_DEPTH)
    ) fabric (
        .clk(clk), .reset(reset), .site_address(address), .topology(shape), .size_x(columns), .size_y(rows),
        .unicast_lists(unicast), .multicast_lists(multicast), .divert_threshold(divert), .abort_threshold(abort),
        .abort_random(random), .release_single(single), .relief_limit(relief_tries), .relief(relief), .link_down(down),
        .link_in(arriving_words), .link_in_wait(link_in_wait), .link_out(link_out_words), .link_out_wait(arriving_wait),
        .send(local_in[LINK_WIDTH-1:0]), .send_wait(send_wait),
        .receive(receive), .receive_wait(local_in[63]),
        .event_word_out(event_word_out), .event_stall(event_stall), .event_drop(event_drop),
        .event_divert(event_divert), .event_abort(event_abort), .event_split(event_split), .event_pass(event_pass),
        .event_single(event_single), .connections(connections), .quiet(quiet)
    );

    wire unused = &{1'b0, site_address, topology, size_x, size_y, unicast_lists, multicast_lists, divert_threshold,
                    abort_threshold, abort_random, release_single, relief_limit, link_down, arriving, local_in,
                    link_out_words, link_in_wait, connections};
endmodule

`default_nettype wire
