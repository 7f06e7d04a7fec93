// direction: the routing function, from a target address to the net_output to request. The choice lies on a minimal path: it
// is the first available net_output of the preference list (August paper 4.5.1; rules U1, M3, R4). Combinational.
//
// Addresses: grid and torus {y, x}; hypercube: bit d is the coordinate in dimension d. Ports: dimension d leads out of
// 1+2d (positive) and 2+2d (negative) on a grid or torus, of 1+d on a hypercube. A packet for a torus target exactly half way
// round goes the positive way, so that every pair of sites has one direction in each dimension.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module direction #(
    parameter COORD_WIDTH = 7,  // bits a coordinate; follows from the word width
    parameter LINKS       = 4,
    parameter PORTS       = LINKS + 1
) (
    input  wire                     asked,      // 0: the outputs are undefined, which saves a simulation most of the work
    input  wire [2*COORD_WIDTH-1:0] target,

    // Straps. The largest size does not fit its bits and is encoded as 0.
    input  wire [2*COORD_WIDTH-1:0] site_address,
    input  wire [1:0]               topology,
    input  wire [COORD_WIDTH-1:0]   size_x,
    input  wire [COORD_WIDTH-1:0]   size_y,

    // Two bits for each quadrant (index {south, west}; a hypercube uses quadrant 0). Bit 1: adaptive routing. Bit 0: the
    // highest minimal port is preferred (y before x). All zeroes is strict dimension order.
    input  wire [7:0]               lists,

    // Net_outputs. down: the link leads nowhere. available: the net_output is free; adaptive packets prefer these.
    input  wire [PORTS-1:0]         down,
    input  wire [PORTS-1:0]         available,

    output wire                     is_local,
    output reg  [PORTS-1:0]         choice      // one-hot, never local; zeroes when the target is
);
    // Bit by bit: for so few bits the carry chains that technology mappers infer from `<` cost more cells and are no faster.
    function less(input [COORD_WIDTH-1:0] a, input [COORD_WIDTH-1:0] b);
        integer k;
        begin
            less = 1'b0;
            for (k = 0; k < COORD_WIDTH; k = k + 1) less = a[k] == b[k] ? less : b[k];
        end
    endfunction

    // Bit 0: the positive way; bit 1: the negative way; neither when the coordinates are equal.
    function [1:0] way(input [COORD_WIDTH-1:0] from, input [COORD_WIDTH-1:0] to, input [COORD_WIDTH-1:0] size,
                       input wraps);
        reg [COORD_WIDTH:0] forward, around;
        begin
            around = {size == {COORD_WIDTH{1'b0}}, size};
            forward = {1'b0, to} - {1'b0, from};
            if (less(to, from) && wraps) forward = forward + around;
            if (to == from) way = 2'b00;
            else if (wraps) way = ({forward, 1'b0} <= {1'b0, around}) ? 2'b01 : 2'b10;
            else way = less(from, to) ? 2'b01 : 2'b10;
        end
    endfunction

    // The lowest or the highest bit that is set, one-hot; zeroes when none is.
    function [PORTS-1:0] first_set(input [PORTS-1:0] bits, input highest);
        reg [PORTS-1:0] below;  // bits that are set or have one set above them (not highest: below them)
        integer k;
        begin
            // Not `bits & -bits`: a mapper makes a carry chain of it, which was the longest path of the router.
            below = bits;
            for (k = 1; k < PORTS; k = 2 * k) below = highest ? below | below >> k : below | below << k;
            first_set = highest ? below & ~(below >> 1) : below & ~(below << 1);
        end
    endfunction

    wire wraps = topology == `POSTROAD_TOPOLOGY_TORUS;
    wire cube  = topology == `POSTROAD_TOPOLOGY_HYPERCUBE;

    reg [1:0]               way_x, way_y, quadrant;
    reg                     adaptive, prefer_highest;
    reg [PORTS-1:0]         minimal, listed, up, candidates, free;  // minimal: brings a packet nearer
    /* verilator lint_off UNUSEDSIGNAL */  // which bits have a port depends on LINKS
    reg [2*COORD_WIDTH-1:0] ways;
    /* verilator lint_on UNUSEDSIGNAL */

    assign is_local = target == site_address;

    always @*
        if (asked) begin
            way_x    = way(site_address[COORD_WIDTH-1:0], target[COORD_WIDTH-1:0], size_x, wraps);
            way_y    = way(site_address[COORD_WIDTH +: COORD_WIDTH], target[COORD_WIDTH +: COORD_WIDTH], size_y, wraps);
            ways     = cube ? target ^ site_address : {{2*COORD_WIDTH-4{1'b0}}, way_y, way_x};
            minimal  = {ways[LINKS-1:0], 1'b0};
            quadrant = cube ? 2'b00 : {way_y[1], way_x[1]};
            {adaptive, prefer_highest} = lists[2*quadrant +: 2];
            listed     = adaptive ? minimal : first_set(minimal, prefer_highest);
            up         = listed & ~down;
            candidates = |up ? up : listed;  // R4: a link that is down is used only if the list has no other
            free       = candidates & available & {PORTS{adaptive}};
            choice     = |free ? first_set(free, prefer_highest) : first_set(candidates, prefer_highest);
        end else begin
            ways = {2*COORD_WIDTH{1'bx}};
            {way_x, way_y, quadrant, adaptive, prefer_highest} = 8'bx;
            {minimal, listed, up, candidates, free, choice} = {6*PORTS{1'bx}};
        end

`ifdef FORMAL
    // What tests/formal/any_direction.v takes of this module.
    always @* if (asked) assert (!choice[0] && (choice & (choice - 1'b1)) == {PORTS{1'b0}});
`endif
endmodule

`default_nettype wire
