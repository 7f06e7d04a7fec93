// dimension_order and axis_way against direction, the same routing function written in another way (rules U1, M3, R4). The
// look-up of a port is cut down to the targets that reach it in dimension order: those for which direction, at the neighbour
// behind that port, chooses the link to here. Combinational, for every site, target and size.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module dimension_order_proof #(
    parameter COORD_WIDTH = 7,
    parameter LINKS       = 4,
    parameter HYPERCUBE   = 0
) (
    input wire                     clk,
    input wire [2*COORD_WIDTH-1:0] here,
    input wire [2*COORD_WIDTH-1:0] target,
    input wire                     torus,
    input wire [COORD_WIDTH-1:0]   size_x,
    input wire [COORD_WIDTH-1:0]   size_y,
    input wire [LINKS-1:0]         link_down,
    input wire                     unicast
);
    localparam PORTS = LINKS + 1, CUBE = HYPERCUBE != 0;
    wire [COORD_WIDTH-1:0] here_x = here[0 +: COORD_WIDTH], here_y = here[COORD_WIDTH +: COORD_WIDTH];
    wire [1:0] topology = CUBE ? `POSTROAD_TOPOLOGY_HYPERCUBE : torus ? `POSTROAD_TOPOLOGY_TORUS : `POSTROAD_TOPOLOGY_GRID;

    // The largest size is encoded as 0.
    function inside(input [2*COORD_WIDTH-1:0] address);
        if (CUBE) inside = address >> LINKS == 0;
        else inside = (size_x == 0 || address[0 +: COORD_WIDTH] < size_x) &&
                      (size_y == 0 || address[COORD_WIDTH +: COORD_WIDTH] < size_y);
    endfunction

    function [COORD_WIDTH-1:0] beside(input [COORD_WIDTH-1:0] at, input [COORD_WIDTH-1:0] size, input positive);
        if (positive) beside = at + 1'b1 == size ? 0 : at + 1'b1;
        else beside = (at == 0 ? size : at) - 1'b1;
    endfunction

    // Ways in dimension order, as direction finds them: to the target, and to the site in this column that is in its row.
    wire [PORTS-1:0] strict, in_column;
    wire             at_home, at_row;
    direction #(.COORD_WIDTH(COORD_WIDTH), .LINKS(LINKS)) from_here (
        .asked(1'b1), .target(target), .site_address(here), .topology(topology), .size_x(size_x), .size_y(size_y), .lists(8'h00),
        .down({PORTS{1'b0}}), .available({PORTS{1'b0}}), .is_local(at_home), .choice(strict));
    direction #(.COORD_WIDTH(COORD_WIDTH), .LINKS(LINKS)) to_row (
        .asked(1'b1), .target({target[COORD_WIDTH +: COORD_WIDTH], here_x}), .site_address(here), .topology(topology),
        .size_x(size_x), .size_y(size_y), .lists(8'h00), .down({PORTS{1'b0}}), .available({PORTS{1'b0}}), .is_local(at_row),
        .choice(in_column));

    wire [LINKS-1:0] differs = here[LINKS-1:0] ^ target[LINKS-1:0], passable = differs & ~link_down;
    wire [LINKS-1:0] first   = |passable ? passable & (~passable + 1'b1) : differs & (~differs + 1'b1);

    genvar p;
    generate
        for (p = 0; p < PORTS; p = p + 1) begin : port
            wire [PORTS-1:0] list, to_here;
            wire             reaches;
            dimension_order #(.COORD_WIDTH(COORD_WIDTH), .LINKS(LINKS), .HYPERCUBE(HYPERCUBE), .PORT(p)) look_up (
                .target(target), .unicast(unicast), .site_address(here), .torus(torus && !CUBE), .size_x(size_x), .size_y(size_y),
                .down({link_down, 1'b0}), .list(list));
            if (p == 0) assign reaches = 1'b1;
            else begin : neighbour
                // At the edge of a grid the one behind is the site at the other edge, which sends nothing this way.
                wire [2*COORD_WIDTH-1:0] behind;
                if (CUBE) assign behind = here ^ (1 << (p - 1));
                else if (p <= 2) assign behind = {here_y, beside(here_x, size_x, p == 1)};
                else assign behind = {beside(here_y, size_y, p == 3), here_x};
                direction #(.COORD_WIDTH(COORD_WIDTH), .LINKS(LINKS)) from_behind (
                    .asked(1'b1), .target(target), .site_address(behind), .topology(topology), .size_x(size_x),
                    .size_y(size_y), .lists(8'h00), .down({PORTS{1'b0}}), .available({PORTS{1'b0}}), .is_local(),
                    .choice(to_here));
                assign reaches = to_here[CUBE ? p : ((p - 1) ^ 1) + 1];
            end

            // R4, of unicasts: past a link in x that is down to the row of the target; the first dimension whose link is up.
            wire             avoids   = unicast && (CUBE ? differs != 0 : |(strict[2:1] & link_down[1:0]) && !at_row);
            wire [PORTS-1:0] expected = !avoids ? {strict[PORTS-1:1], at_home} : CUBE ? {first, 1'b0} : in_column;
            always @(posedge clk) begin
                assume (inside(here) && inside(target));
                if (reaches) assert (list == expected);
                cover (reaches && (avoids || p != 0));
            end
        end
    endgenerate
endmodule

`default_nettype wire
