// fabric_site: a site without a core, with fabric and event counters. A fabric-level simulation verilates it and runs its
// operators in C.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "straps.vh"

module fabric_site #(
    parameter WORD_WIDTH       = 16,  // as the fabric's: 16, or 32 for larger meshes and addresses
    parameter LINKS            = 4,   // 4 for a grid or torus, one a dimension for a hypercube
    parameter HYPERCUBE        = 0,   // 1: a hypercube, 0: a grid or torus
    parameter [31:0] OWN       = 0,   // what a site of the discipline is built for: fields of its discipline.ini
    parameter DOWNSTREAM_DEPTH = 32,  // words the operator may run ahead of the network
    parameter UPSTREAM_DEPTH   = 64,  // words the network may run ahead of the operator
    parameter LINK_WIDTH       = WORD_WIDTH + 3  // bits of a link, from the discipline's discipline.ini
) (
    input wire clk,
    input wire reset,

    // Time, straps, links and operator: exactly those of the discipline's site_fabric.v.
    input  wire [63:0]                 now,
    input  wire [`POSTROAD_STRAPS-1:0] straps,
    input  wire                        relief,
    input  wire [LINKS-1:0]            link_down,
    input  wire [LINKS*LINK_WIDTH-1:0] link_in,
    output wire [LINKS-1:0]            link_in_wait,
    output wire [LINKS*LINK_WIDTH-1:0] link_out,
    input  wire [LINKS-1:0]            link_out_wait,
    input  wire [WORD_WIDTH+2:0]       send,
    output wire                        send_wait,
    output wire [WORD_WIDTH+3:0]       receive,
    input  wire                        receive_wait,

    // Event counters: value belongs to select in the same clock.
    input  wire [5:0]                  counter_select,
    output wire [31:0]                 counter_value,

    // As the fabric's: no word is in flight.
    output wire                        quiet
);
    wire [63:0] fabric_events;

    /* verilator lint_off PINCONNECTEMPTY */
    site_fabric #(
        .WORD_WIDTH(WORD_WIDTH), .LINKS(LINKS), .LINK_WIDTH(LINK_WIDTH), .HYPERCUBE(HYPERCUBE), .OWN(OWN),
        .DOWNSTREAM_DEPTH(DOWNSTREAM_DEPTH), .UPSTREAM_DEPTH(UPSTREAM_DEPTH)
    ) fabric (
        .clk(clk), .reset(reset), .now(now), .straps(straps), .relief(relief), .link_down(link_down),
        .link_in(link_in), .link_in_wait(link_in_wait), .link_out(link_out), .link_out_wait(link_out_wait),
        .links_next(),
        .send(send), .send_wait(send_wait), .receive(receive), .receive_wait(receive_wait),
        .events(fabric_events), .observed(), .quiet(quiet)
    );
    /* verilator lint_on PINCONNECTEMPTY */

    wire counter_ready;   // always

    event_counters #(.LINKS(LINKS)) counters (
        .clk(clk), .reset(reset), .fabric_events(fabric_events), .event_received(1'b0), .event_received_aborted(1'b0),
        .event_received_oversize(1'b0), .event_received_discarded(1'b0), .event_receive_wait(1'b0),
        .event_sent(1'b0), .event_send_wait(1'b0), .select(counter_select), .value(counter_value),
        .ready(counter_ready)
    );

    wire unused = &{1'b0, counter_ready};

endmodule

`default_nettype wire
