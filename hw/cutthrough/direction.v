// direction: from a target address to the net_outputs that lead there on a minimal path, in order of preference
// (August paper 4.5.1; rules U1, U5, M3). The only part of the fabric that knows the topology. Combinational.
//
// Addresses: grid and torus {y, x}; hypercube: bit d is the coordinate in dimension d. Ports: dimension d leads out of
// 1+2d (positive) and 2+2d (negative) on a grid or torus, of 1+d on a hypercube. A torus target exactly half way round
// goes the positive way, so that every pair has one direction a dimension.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module direction #(
    parameter COORD_WIDTH = 7,  // bits a coordinate; follows from the word width
    parameter LINKS       = 4,
    parameter PORTS       = LINKS + 1
) (
    input  wire [2*COORD_WIDTH-1:0] target,

    // Straps. A size that does not fit its bits, the largest one, is 0.
    input  wire [2*COORD_WIDTH-1:0] site_address,
    input  wire [1:0]               topology,
    input  wire [COORD_WIDTH-1:0]   size_x,
    input  wire [COORD_WIDTH-1:0]   size_y,

    // Two bits a quadrant (index {south, west}; a hypercube uses quadrant 0): bit 1 adaptive, bit 0 the highest minimal
    // port is preferred (y before x). All zeroes is strict dimension order.
    input  wire [7:0]               lists,

    output wire                     is_local,
    output wire [PORTS-1:0]         minimal,        // net_outputs that bring a packet nearer
    output wire [PORTS-1:0]         candidates,     // net_outputs on the list, never local
    output wire                     prefer_highest, // which end of `candidates` comes first
    output wire                     adaptive        // there may be several
);
    // Bit by bit: for so few bits the carry chains that mappers make of `<` cost more cells, and are no faster.
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

    wire       wraps = topology == `POSTROAD_TOPOLOGY_TORUS;
    wire       cube  = topology == `POSTROAD_TOPOLOGY_HYPERCUBE;
    wire [1:0] way_x = way(site_address[COORD_WIDTH-1:0], target[COORD_WIDTH-1:0], size_x, wraps);
    wire [1:0] way_y = way(site_address[COORD_WIDTH +: COORD_WIDTH], target[COORD_WIDTH +: COORD_WIDTH], size_y, wraps);

    // Which bits have a port depends on LINKS.
    /* verilator lint_off UNUSEDSIGNAL */
    wire [4:0]               minimal_grid = {way_y, way_x, 1'b0};
    wire [2*COORD_WIDTH-1:0] minimal_cube = target ^ site_address;
    /* verilator lint_on UNUSEDSIGNAL */

    genvar p;
    generate
        for (p = 0; p < PORTS; p = p + 1) begin : port
            if (p == 0) assign minimal[p] = 1'b0;
            else if (p < 5) assign minimal[p] = cube ? minimal_cube[p-1] : minimal_grid[p];
            else assign minimal[p] = cube && minimal_cube[p-1];
        end
    endgenerate

    wire [1:0] quadrant = cube ? 2'b00 : {way_y[1], way_x[1]};
    wire [1:0] list     = lists[2*quadrant +: 2];

    wire [PORTS-1:0] strict;
    first_set #(.N(PORTS)) preferred (.bits(minimal), .highest(list[0]), .first(strict));

    assign is_local       = target == site_address;
    assign candidates     = list[1] ? minimal : strict;
    assign prefer_highest = list[0];
    assign adaptive       = list[1];
endmodule

`default_nettype wire
