// A site without a core: fabric and event counters. What fabric-level simulation verilates, with operators in C.
// SPDX-License-Identifier: ISC
`default_nettype none

module fabric_site #(
    parameter WORD_WIDTH       = 16,  // as the fabric's: 16, or 32 for larger meshes and addresses
    parameter LINKS            = 4,   // 4 for a grid or torus, one a dimension for a hypercube
    parameter DOWNSTREAM_DEPTH = 32,  // words the operator may run ahead of the network
    parameter UPSTREAM_DEPTH   = 64,  // words the network may run ahead of the operator
    parameter COORD_WIDTH      = WORD_WIDTH == 32 ? 12 : 7,  // follow from the above: not to be set
    parameter LINK_WIDTH       = WORD_WIDTH + 3
) (
    input wire clk,
    input wire reset,

    // Straps, links and operator: exactly the fabric's, see hw/cutthrough/fabric.v.
    input  wire [2*COORD_WIDTH-1:0]    site_address,
    input  wire [1:0]                  topology,
    input  wire [COORD_WIDTH-1:0]      size_x,
    input  wire [COORD_WIDTH-1:0]      size_y,
    input  wire [7:0]                  unicast_lists,
    input  wire [7:0]                  multicast_lists,
    input  wire [15:0]                 divert_threshold,
    input  wire [15:0]                 abort_threshold,
    input  wire [15:0]                 abort_random,
    input  wire                        release_single,
    input  wire [15:0]                 relief_limit,
    input  wire                        relief,
    input  wire [LINKS-1:0]            link_down,
    input  wire [LINKS*LINK_WIDTH-1:0] link_in,
    output wire [LINKS-1:0]            link_in_wait,
    output wire [LINKS*LINK_WIDTH-1:0] link_out,
    input  wire [LINKS-1:0]            link_out_wait,
    input  wire [LINK_WIDTH-1:0]       send,
    output wire                        send_wait,
    output wire [LINK_WIDTH:0]         receive,
    input  wire                        receive_wait,

    // Event counters: value belongs to select in the same clock.
    input  wire [5:0]                  counter_select,
    output wire [31:0]                 counter_value,

    // As the fabric's: nothing in flight here.
    output wire                        quiet
);
    wire [LINKS:0] event_word_out, event_stall, event_drop;
    wire           event_divert, event_abort, event_split, event_pass, event_single;

    /* verilator lint_off UNUSEDSIGNAL */
    wire [(LINKS+1)*(LINKS+1)-1:0] connections;  // for observers of a simulation
    /* verilator lint_on UNUSEDSIGNAL */

    fabric #(
        .WORD_WIDTH(WORD_WIDTH), .LINKS(LINKS), .DOWNSTREAM_DEPTH(DOWNSTREAM_DEPTH), .UPSTREAM_DEPTH(UPSTREAM_DEPTH)
    ) fabric (
        .clk(clk), .reset(reset), .site_address(site_address), .topology(topology), .size_x(size_x), .size_y(size_y),
        .unicast_lists(unicast_lists), .multicast_lists(multicast_lists), .divert_threshold(divert_threshold),
        .abort_threshold(abort_threshold), .abort_random(abort_random), .release_single(release_single),
        .relief_limit(relief_limit), .relief(relief), .link_down(link_down),
        .link_in(link_in), .link_in_wait(link_in_wait), .link_out(link_out), .link_out_wait(link_out_wait),
        .send(send), .send_wait(send_wait), .receive(receive), .receive_wait(receive_wait),
        .event_word_out(event_word_out), .event_stall(event_stall), .event_drop(event_drop),
        .event_divert(event_divert), .event_abort(event_abort), .event_split(event_split), .event_pass(event_pass),
        .event_single(event_single), .connections(connections), .quiet(quiet)
    );

    wire counter_ready;   // always

    event_counters #(.LINKS(LINKS)) counters (
        .clk(clk), .reset(reset), .event_word_out(event_word_out), .event_stall(event_stall), .event_drop(event_drop),
        .event_divert(event_divert), .event_abort(event_abort), .event_split(event_split), .event_pass(event_pass),
        .event_single(event_single), .event_received(1'b0), .event_received_aborted(1'b0),
        .event_received_oversize(1'b0), .event_received_discarded(1'b0), .event_receive_wait(1'b0),
        .event_sent(1'b0), .event_send_wait(1'b0), .select(counter_select), .value(counter_value),
        .ready(counter_ready)
    );

    wire unused = &{1'b0, counter_ready};

endmodule

`default_nettype wire
