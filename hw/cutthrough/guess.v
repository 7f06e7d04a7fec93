// guess: the mad postman's decision at one net_input (EAGER; eager.md). A unicast head goes straight on in the clock in which it
// is shown, before its address has been compared. The verdict follows in the next clock. The net_input keeps the head until then.
//
// Multicast heads are compared first. So are all heads of a torus: nothing lies behind in a ring, so that a dead word could not
// be recognised.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module guess #(
    parameter COORD_WIDTH = 7,
    parameter PORT        = 1  // the net_input
) (
    input  wire                   clk,
    input  wire                   reset,

    // Straps of the router: the topology, and along the axis of this port the last site and this one.
    input  wire [1:0]             topology,
    input  wire [COORD_WIDTH-1:0] last_site,
    input  wire [COORD_WIDTH-1:0] here,

    // The head. there: its coordinate on that axis. first: it is shown for the first time. fresh: and its link ahead is up.
    // passes: it goes on in this clock.
    input  wire [COORD_WIDTH-1:0] there,
    input  wire                   first,
    input  wire                   fresh,
    input  wire                   unicast,
    input  wire                   passes,

    output wire                   straight,  // it may go on
    output wire                   drops,     // it is a dead word: it lies behind
    output wire                   right,     // verdicts on the last clock, flops
    output wire                   wrong,
    output wire                   dead
);
    // A packet enters by the port that it moves away from.
    localparam GROWS = PORT == `POSTROAD_PORT_WEST || PORT == `POSTROAD_PORT_SOUTH;

    wire grid   = topology == `POSTROAD_TOPOLOGY_GRID;
    wire behind = GROWS ? there < here : there > here;
    wire goes   = passes && there != here && !drops;

    reg  at_edge;
    reg  [2:0] verdict;
    assign straight = fresh && (grid && unicast ? !at_edge : there != here);
    assign drops    = grid && unicast && first && behind;
    assign {right, wrong, dead} = verdict;

    always @(posedge clk) begin
        at_edge <= here == (GROWS ? last_site : {COORD_WIDTH{1'b0}});
        verdict <= {goes, passes && !goes, drops} & {3{!reset}};
    end
endmodule

`default_nettype wire
