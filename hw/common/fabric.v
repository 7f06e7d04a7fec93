// fabric: the switching logic of one site, with the fabric_core of discipline `cutthrough` (August paper;
// hw/cutthrough/rules.md) or of another one.
//
//              send                receive
//               |                     ^
//          fifo_buffer           fifo_buffer
//         (downstream)            (upstream)
//               |                     ^
//   links -->   '---- fabric_core ----'   --> links
//
// Latency without contention, in clocks: link to link 1 straight on, 3 with a turn, 5 with a split; `send` to link 4, link to
// `receive` 4 (hw/cutthrough/README.md).
// The configuration consists of straps alone, so that one bitstream or one verilated class serves every site, size and
// topology. Synthesis folds away straps that are tied to constants.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module fabric #(
    parameter WORD_WIDTH       = 16,  // 16 or 32; 32 allows wider data and longer coordinates, thus larger meshes
    parameter LINKS            = 4,   // 4 for a grid or torus, one a dimension for a hypercube
    parameter HYPERCUBE        = 0,   // 1: a hypercube, 0: a grid or torus; their crossbars differ
    parameter [31:0] OWN       = 0,   // what a site of the discipline is built for: fields of its discipline.ini
    parameter DOWNSTREAM_DEPTH = 32,  // words the operator may run ahead of the network
    parameter UPSTREAM_DEPTH   = 64,  // words the network may run ahead of the operator
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
    input  wire [31:0]                  own,               // fields of discipline.ini
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

    // Operator: the same contract. `receive` has the fourth tag bit (local_end_of_packet).
    input  wire [LINK_WIDTH-1:0]        send,
    output wire                         send_wait,
    output wire [LINK_WIDTH:0]          receive,
    input  wire                         receive_wait,

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

    // 1: no word is in flight in this fabric. While quiet is 1 and every link_in and `send` carry no word, no output
    // changes, and the clock may be gated.
    output wire                         quiet
);
    wire [LINK_WIDTH-1:0] entering;
    wire [LINK_WIDTH:0]   delivered;
    wire                  entering_wait, delivered_wait, downstream_quiet, upstream_quiet, core_quiet;

    fifo_buffer #(.WORD_WIDTH(WORD_WIDTH), .TAG_WIDTH(3), .DEPTH(DOWNSTREAM_DEPTH)) downstream (
        .clk(clk), .reset(reset), .word_in(send), .wait_out(send_wait), .word_out(entering), .wait_in(entering_wait),
        .quiet(downstream_quiet));

    fabric_core #(
        .WORD_WIDTH(WORD_WIDTH), .LINKS(LINKS), .HYPERCUBE(HYPERCUBE), .OWN(OWN)
    ) core (
        .clk(clk), .reset(reset), .site_address(site_address), .topology(topology), .size_x(size_x), .size_y(size_y),
        .own(own), .divert_threshold(divert_threshold), .abort_threshold(abort_threshold),
        .relief_limit(relief_limit), .relief(relief), .link_down(link_down),
        .link_in(link_in), .link_in_wait(link_in_wait), .link_out(link_out), .link_out_wait(link_out_wait),
        .entering(entering), .entering_wait(entering_wait), .delivered(delivered), .delivered_wait(delivered_wait),
        .connections(connections),
        .event_word_out(event_word_out), .event_stall(event_stall), .event_drop(event_drop), .event_divert(event_divert),
        .event_abort(event_abort), .event_split(event_split), .event_defer(event_defer), .quiet(core_quiet));

    fifo_buffer #(.WORD_WIDTH(WORD_WIDTH), .TAG_WIDTH(4), .DEPTH(UPSTREAM_DEPTH)) upstream (
        .clk(clk), .reset(reset), .word_in(delivered), .wait_out(delivered_wait), .word_out(receive),
        .wait_in(receive_wait), .quiet(upstream_quiet));

    assign quiet = downstream_quiet && upstream_quiet && core_quiet;
endmodule

`default_nettype wire
