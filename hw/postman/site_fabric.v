// site_fabric: discipline `postman` behind the ports that every discipline has (hw/README.md, "Disciplines").
//
//   send --> postman_inject --load--> postman_planes --arrival--> postman_deliver --> receive
//                  |                     |     ^                        ^
//                  |                   lines  lines                     |
//                  '------- packets for this site itself ---------------'
//
// A grid or a torus of at most 128x128 sites: LINK_WIDTH decides which of them. A link carries no words, but the bits of
// postman_planes.v, and link_in_wait is 0. A buffer of a machine holds UPSTREAM_DEPTH words: the longest packet must fit. What
// has no use here is the two fifo_buffers.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "postman.vh"
`include "protocol.vh"
`include "straps.vh"

module site_fabric #(
    parameter WORD_WIDTH       = 16,  // bits of a word: 16 or 32
    parameter LINKS            = 4,   // links of a site
    parameter LINK_WIDTH       = 4,   // bits of a link, from discipline.ini: 4 on a grid, 8 on a torus
    parameter [31:0] OWN       = `POSTMAN_OWN,  // INTERLEAVE, PRIORITY, LATE_PASS, PHASES and SHARED_WIRE, as below
    parameter UPSTREAM_DEPTH   = 256, // words of each transit and each arrival buffer: a packet and its check
    /* verilator lint_off UNUSEDPARAM */
    parameter HYPERCUBE        = 0,   // these have no use
    parameter DOWNSTREAM_DEPTH = 32,
    parameter OBSERVED         = 0
    /* verilator lint_on UNUSEDPARAM */
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
    localparam COORD_WIDTH = WORD_WIDTH == 32 ? `POSTROAD_SITE_COORD_WIDTH_32 : `POSTROAD_SITE_COORD_WIDTH_16;
    localparam LAYERS      = LINK_WIDTH / 4;
    localparam INTERLEAVE  = 1 << OWN[`POSTMAN_OWN_INTERLEAVE];  // clocks in which each plane moves once: 1, 2, 4, on a torus 8
    localparam PHASES      = 1 << OWN[`POSTMAN_OWN_PHASES];      // postman_planes.v has these
    localparam SHARED_WIRE = OWN[`POSTMAN_OWN_SHARED_WIRE];
    localparam PRIORITY    = OWN[`POSTMAN_OWN_PRIORITY];
    localparam LATE_PASS   = OWN[`POSTMAN_OWN_LATE_PASS];
    localparam MACHINES    = 8 * LAYERS;
    localparam DEPTH_LOG2  = $clog2(UPSTREAM_DEPTH * WORD_WIDTH / 8);

    wire [31:0] address = straps[`POSTROAD_STRAP_SITE_ADDRESS];
    wire [15:0] size_x = straps[`POSTROAD_STRAP_SIZE_X], size_y = straps[`POSTROAD_STRAP_SIZE_Y];
    wire [6:0]  own_x = address[6:0], own_y = address[COORD_WIDTH +: 7];
    wire [31:0] own = straps[`POSTROAD_STRAP_OWN];
    wire        adaptive_routing = own[`POSTMAN_STRAP_ADAPTIVE_ROUTING];

    wire [7:0]              load_request, load_granted, load_write, load_flit, load_commit;
    wire                    load_two, own_wait;
    wire [MACHINES-1:0]     arrived, arrived_bad, arrival_taken;
    wire [MACHINES*(DEPTH_LOG2+1)-1:0] arrived_flits;
    wire [DEPTH_LOG2-1:0]   read_flit;
    wire [8*MACHINES-1:0]   read_data;
    wire [WORD_WIDTH+2:0]   own_word;
    wire [MACHINES-1:0]     dead, adapt, buffer, drop, stall;
    wire [7:0]              drops, stalls;  // of both layers
    wire                    event_drop, event_dead, event_adapt, event_buffer;
    wire                    planes_quiet, inject_quiet, deliver_quiet, dead_quiet, adapt_quiet, buffer_quiet;
    wire [LINKS-1:0]        event_word;
    wire [4*LINK_WIDTH-1:0] link_next;

    postman_inject #(.WORD_WIDTH(WORD_WIDTH), .TORUS(LAYERS == 2), .DEPTH_LOG2(DEPTH_LOG2)) inject (
        .clk(clk), .reset(reset), .own_x(own_x), .own_y(own_y), .size_x(size_x[7:0]), .size_y(size_y[7:0]),
        .adaptive_routing(adaptive_routing), .send(send), .send_wait(send_wait),
        .load_request(load_request), .load_granted(load_granted), .load_write(load_write), .load_flit(load_flit),
        .load_commit(load_commit), .load_two(load_two), .own_word(own_word), .own_wait(own_wait),
        .event_drop(event_drop), .quiet(inject_quiet));

    postman_planes #(
        .WORD_WIDTH(WORD_WIDTH), .LAYERS(LAYERS), .INTERLEAVE(INTERLEAVE), .DEPTH_LOG2(DEPTH_LOG2),
        .PRIORITY(PRIORITY), .LATE_PASS(LATE_PASS), .SHARED_WIRE(SHARED_WIRE), .PHASES(PHASES)
    ) planes (
        .clk(clk), .reset(reset), .own_x(own_x), .own_y(own_y), .vct(own[`POSTMAN_STRAP_STRATEGY]),
        .adaptive_routing(adaptive_routing), .adaptive_sourcing(own[`POSTMAN_STRAP_ADAPTIVE_SOURCING]),
        .cut(own[`POSTMAN_STRAP_CUT]), .link_in(link_in), .link_out(link_out), .link_next(link_next),
        .load_request(load_request), .load_granted(load_granted), .load_write(load_write), .load_flit(load_flit),
        .load_commit(load_commit), .load_two(load_two), .arrived(arrived), .arrived_bad(arrived_bad),
        .arrived_flits(arrived_flits), .read_flit(read_flit), .read_data(read_data), .arrival_taken(arrival_taken),
        .event_dead(dead), .event_adapt(adapt), .event_buffer(buffer), .event_drop(drop), .event_stall(stall),
        .event_word(event_word), .quiet(planes_quiet));

    postman_deliver #(.WORD_WIDTH(WORD_WIDTH), .MACHINES(MACHINES), .DEPTH_LOG2(DEPTH_LOG2)) deliver (
        .clk(clk), .reset(reset), .own_x(own_x), .own_y(own_y), .arrived(arrived), .arrived_bad(arrived_bad),
        .arrived_flits(arrived_flits), .read_flit(read_flit), .read_data(read_data), .arrival_taken(arrival_taken),
        .own_word(own_word), .own_wait(own_wait), .receive(receive), .receive_wait(receive_wait), .quiet(deliver_quiet));

    postman_event #(.MACHINES(MACHINES)) dead_event (
        .clk(clk), .reset(reset), .pulses(dead), .event_one(event_dead), .quiet(dead_quiet));
    postman_event #(.MACHINES(MACHINES)) adapt_event (
        .clk(clk), .reset(reset), .pulses(adapt), .event_one(event_adapt), .quiet(adapt_quiet));
    postman_event #(.MACHINES(MACHINES)) buffer_event (
        .clk(clk), .reset(reset), .pulses(buffer), .event_one(event_buffer), .quiet(buffer_quiet));

    reg in_reset;
    always @(posedge clk) in_reset <= reset;

    genvar l;
    generate
        // As in parameter_check.v: a module that does not exist stops elaboration.
        if (LINKS != 4) begin : links
            links_must_be_4 refused ();
        end
        if (LINK_WIDTH != 4 && LINK_WIDTH != 8) begin : width
            link_width_must_be_4_or_8 refused ();
        end
        if (INTERLEAVE != 1 && INTERLEAVE != 2 && INTERLEAVE != 4 && INTERLEAVE != 4 * LAYERS) begin : planes_in_turn
            interleave_must_be_1_2_4_or_on_a_torus_8 refused ();
        end
        if ((LAYERS == 2 && (PHASES > 1 || SHARED_WIRE == 1)) ||
            (SHARED_WIRE == 1 && (PHASES > 1 || INTERLEAVE > 1))) begin : wires
            a_torus_has_neither_phases_nor_shared_wires_and_these_have_neither_phases_nor_planes_in_turn refused ();
        end
        if (UPSTREAM_DEPTH < 16 || UPSTREAM_DEPTH > 1024 || (UPSTREAM_DEPTH & (UPSTREAM_DEPTH - 1)) != 0) begin : depth
            upstream_depth_must_be_a_power_of_two_from_16_to_1024 refused ();
        end
        if (LAYERS == 1) begin : one_layer
            assign {drops, stalls} = {drop, stall};
        end else begin : two_layers
            assign drops  = drop[7:0] | drop[15:8];
            assign stalls = stall[7:0] | stall[15:8];
        end
        for (l = 0; l < LINKS; l = l + 1) begin : link
            assign link_in_wait[l] = in_reset;
`ifdef SYNTHESIS
            assign links_next[64*l +: 64] = 64'd0;
`else
            assign links_next[64*l +: 64] = {
                reset, {63-LINK_WIDTH{1'b0}}, {LINK_WIDTH{!reset}} & link_next[LINK_WIDTH*l +: LINK_WIDTH]};
`endif
        end
    endgenerate

    always @* begin
        events = 64'd0;
        events[`POSTROAD_COUNTER_DEAD_FLITS]  = event_dead;
        events[`POSTROAD_COUNTER_DIVERSIONS]  = event_adapt;
        events[`POSTROAD_COUNTER_DEFERRALS]   = event_buffer;
        events[`POSTROAD_COUNTER_WORDS_OUT +: 5] = {event_word, |receive && !receive_wait};
        events[`POSTROAD_COUNTER_STALLS +: 5]    = {stalls[7] || stalls[5], stalls[3] || stalls[1], stalls[4] || stalls[2],
                                                    stalls[6] || stalls[0], |receive && receive_wait};
        events[`POSTROAD_COUNTER_DROPS +: 5]     = {drops[3] || drops[1], drops[7] || drops[5], drops[6] || drops[0],
                                                    drops[4] || drops[2], event_drop};
    end

    assign observed = {128*(LINKS+1){1'b0}};
    assign quiet    = planes_quiet && inject_quiet && deliver_quiet && dead_quiet && adapt_quiet && buffer_quiet;

    wire unused = &{1'b0, now, own, straps, relief, link_down, link_out_wait, address, size_x, size_y, link_next};
endmodule

`default_nettype wire
