// fabric_core: the switch between the links and the two fifo_buffers of a site (August paper, section 2; rules.md).
//
//   links, entering --> net_inputs --> router --> net_outputs --> links, delivered
//
// SPDX-License-Identifier: ISC
`default_nettype none
`include "cutthrough.vh"
`include "protocol.vh"

module fabric_core #(
    parameter WORD_WIDTH       = 16,  // 16 or 32; 32 allows wider data and longer coordinates, thus larger meshes
    parameter LINKS            = 4,   // 4 for a grid or torus, one a dimension for a hypercube
    parameter HYPERCUBE        = 0,   // 1: a hypercube, 0: a grid or torus; their crossbars differ
    parameter [31:0] OWN       = `CUTTHROUGH_OWN,  // ADAPTIVE and INPUT_DEPTH, as below
    // These parameters follow from the others and are not to be set.
    parameter COORD_WIDTH      = WORD_WIDTH == 32 ? `POSTROAD_SITE_COORD_WIDTH_32 : `POSTROAD_SITE_COORD_WIDTH_16,
    parameter LINK_WIDTH       = WORD_WIDTH + 3,
    parameter PORTS            = LINKS + 1
) (
    input  wire                         clk,
    input  wire                         reset,

    // Straps, constant out of reset. parameter_check.v lists the combinations that it refuses.
    input  wire [2*COORD_WIDTH-1:0]     site_address,
    input  wire [1:0]                   topology,
    input  wire [COORD_WIDTH-1:0]       size_x,
    input  wire [COORD_WIDTH-1:0]       size_y,
    input  wire [31:0]                  own,               // the lists of the quadrants, read with ADAPTIVE only
    input  wire [15:0]                  divert_threshold,  // U3, clocks, a power of two; 0: at once; 16'hffff: never
    input  wire [15:0]                  abort_threshold,   // M6, clocks, a power of two from 4 on
    input  wire [15:0]                  relief_limit,      // R3, clocks, a power of two; 0: no relief

    // Both may change at any time. relief: the operator requests that the router deliver no packets that could pass (R1).
    // link_down: this link leads nowhere now; the logic that sets it must still accept the words that go there (R4).
    input  wire                         relief,
    input  wire [LINKS-1:0]             link_down,

    // Links, link l (port l+1) at [l*LINK_WIDTH +: LINK_WIDTH]. A word is transferred in exactly the clocks in which it is
    // shown and its wait is 0. Words and waits come from flops; wait is 1 in reset. An output without a neighbour has its
    // wait tied to 0.
    input  wire [LINKS*LINK_WIDTH-1:0]  link_in,
    output wire [LINKS-1:0]             link_in_wait,
    output wire [LINKS*LINK_WIDTH-1:0]  link_out,
    input  wire [LINKS-1:0]             link_out_wait,

    // fifo_buffers, the same contract. `delivered` has the fourth tag bit (local_end_of_packet).
    input  wire [LINK_WIDTH-1:0]        entering,
    output wire                         entering_wait,
    output wire [LINK_WIDTH:0]          delivered,
    input  wire                         delivered_wait,

    // One-clock pulses: words out and words held per net_output, P6 per net_input; U3, M7, M1, M11.
    output wire [PORTS-1:0]             event_word_out,
    output wire [PORTS-1:0]             event_stall,
    output wire [PORTS-1:0]             event_drop,
    output wire                         event_divert,
    output wire                         event_abort,
    output wire                         event_split,
    output wire                         event_defer,

    // For observers: bit i*PORTS + o is 1 if net_input i is connected to net_output o, or if its head or target waits for it.
    output wire [PORTS*PORTS-1:0]       connections,

    // 1: no word is in flight. While quiet is 1 and no word arrives, no word leaves, and the clock may be gated. The bits
    // beside a tag of 0 may change.
    output wire                         quiet
);
    localparam ADAPTIVE    = OWN[`CUTTHROUGH_OWN_UNICAST];         // 1: unicasts may take any minimal way, for a third more cells
    localparam INPUT_DEPTH = 1 << OWN[`CUTTHROUGH_OWN_NET_INPUT];  // words of a net_input; more carry more traffic

    wire [7:0] unicast_lists = {own[`CUTTHROUGH_STRAP_SOUTH_WEST], own[`CUTTHROUGH_STRAP_SOUTH_EAST],
                                own[`CUTTHROUGH_STRAP_NORTH_WEST], own[`CUTTHROUGH_STRAP_NORTH_EAST]};

    wire [PORTS*LINK_WIDTH-1:0] arriving = {link_in, entering};
    wire [PORTS*LINK_WIDTH-1:0] fresh, words;
    wire [PORTS-1:0]            arriving_wait, held, taken, ready, abort, outputs_quiet;
    wire [LINKS*LINK_WIDTH-1:0] remote_words;
    wire [LINK_WIDTH:0]         local_word;
    wire                        router_quiet;
    assign {link_in_wait, entering_wait} = arriving_wait;

    genvar p;
    generate
        // As in parameter_check.v: a module that does not exist stops elaboration.
        if (INPUT_DEPTH == 2 || INPUT_DEPTH > 64) begin : input_depth
            input_depth_must_be_1_or_a_power_of_two_from_4_to_64 refused ();
        end
        for (p = 0; p < PORTS; p = p + 1) begin : port
            /* verilator lint_off UNUSEDSIGNAL */  // a simulation looks at it (site_fabric.v)
            wire wait_next;
            /* verilator lint_on UNUSEDSIGNAL */
            net_input #(.LINK_WIDTH(LINK_WIDTH), .DEPTH(INPUT_DEPTH)) net_input (
                .clk(clk), .reset(reset), .link(arriving[p*LINK_WIDTH +: LINK_WIDTH]), .link_wait(arriving_wait[p]),
                .fresh(fresh[p*LINK_WIDTH +: LINK_WIDTH]), .word(words[p*LINK_WIDTH +: LINK_WIDTH]), .held(held[p]),
                .taken(taken[p]), .link_wait_next(wait_next));
        end

        for (p = 1; p < PORTS; p = p + 1) begin : remote
            net_output #(.WORD_WIDTH(WORD_WIDTH)) net_output (
                .clk(clk), .reset(reset), .word(remote_words[(p-1)*LINK_WIDTH +: LINK_WIDTH]), .abort(abort[p]),
                .ready(ready[p]), .link(link_out[(p-1)*LINK_WIDTH +: LINK_WIDTH]),
                .link_wait(link_out_wait[p-1]),
                .event_word(event_word_out[p]), .event_stall(event_stall[p]), .quiet(outputs_quiet[p]));
        end
    endgenerate

    router #(
        .WORD_WIDTH(WORD_WIDTH), .COORD_WIDTH(COORD_WIDTH), .LINKS(LINKS), .HYPERCUBE(HYPERCUBE), .ADAPTIVE(ADAPTIVE)
    ) router (
        .clk(clk), .reset(reset), .site_address(site_address), .topology(topology), .size_x(size_x), .size_y(size_y),
        .unicast_lists(unicast_lists), .divert_threshold(divert_threshold), .abort_threshold(abort_threshold),
        .relief_limit(relief_limit), .relief(relief), .link_down(link_down),
        .links(fresh), .words(words), .held(held), .taken(taken), .remote_words(remote_words),
        .local_word(local_word), .abort(abort), .ready(ready),
        .event_drop(event_drop), .event_divert(event_divert), .event_abort(event_abort), .event_split(event_split),
        .event_defer(event_defer), .connections(connections), .quiet(router_quiet));

    net_output #(.WORD_WIDTH(WORD_WIDTH), .TAG_WIDTH(4)) net_output_local (
        .clk(clk), .reset(reset), .word(local_word), .abort(abort[0]), .ready(ready[0]),
        .link(delivered), .link_wait(delivered_wait),
        .event_word(event_word_out[0]), .event_stall(event_stall[0]), .quiet(outputs_quiet[0]));

    assign quiet = router_quiet && &outputs_quiet && !(|held) && !(|arriving_wait);

    wire unused = &{1'b0, own};
endmodule

`default_nettype wire
