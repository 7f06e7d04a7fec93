// dimension_order: the routing function of one net_input in dimension order (rules U1, R4). It looks only at what a packet that
// came in by this port can still need. Combinational.
//
// Grid and torus, x before y:            Hypercube, lowest dimension first:
//   from the operator  x, then y           from the operator   all dimensions
//   from east or west  x on, then y        from dimension d    those above d
//   from north, south  y on
//
// A packet that has nothing left to do by this port goes to the local net_output. If it belongs elsewhere, the operator sends it
// on. Addresses, ports and the half-way tie of a torus are those of hw/cutthrough/direction.v.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module dimension_order #(
    parameter COORD_WIDTH = 7,
    parameter LINKS       = 4,
    parameter HYPERCUBE   = 0,
    parameter PORT        = 0,
    parameter PORTS       = LINKS + 1  // follows
) (
    input  wire [2*COORD_WIDTH-1:0] target,
    input  wire                     unicast,       // multicast targets keep dimension order whatever is down

    // Straps. The largest size does not fit its bits and is encoded as 0.
    input  wire [2*COORD_WIDTH-1:0] site_address,
    input  wire                     torus,
    input  wire [COORD_WIDTH-1:0]   size_x,
    input  wire [COORD_WIDTH-1:0]   size_y,
    input  wire [PORTS-1:0]         down,          // the link leads nowhere

    output wire [PORTS-1:0]         list           // one-hot; bit 0: nothing is left to do by this port
);
    wire [COORD_WIDTH-1:0] here_x = site_address[0 +: COORD_WIDTH], here_y = site_address[COORD_WIDTH +: COORD_WIDTH];
    wire [COORD_WIDTH-1:0] to_x = target[0 +: COORD_WIDTH], to_y = target[COORD_WIDTH +: COORD_WIDTH];
    wire [1:0] way_x, way_y;
    /* verilator lint_off UNUSEDSIGNAL */  // each port needs some of these
    wire       x = to_x != here_x, y = to_y != here_y;
    /* verilator lint_on UNUSEDSIGNAL */

    function [LINKS-1:0] lowest(input [LINKS-1:0] bits);
        integer k;
        reg     lower;
        begin
            lower = 1'b0;
            for (k = 0; k < LINKS; k = k + 1) begin
                lowest[k] = bits[k] && !lower;
                lower = lower || bits[k];
            end
        end
    endfunction

    generate
        if (HYPERCUBE != 0) begin : hypercube
            // Bits at or below the dimension of this port are right already.
            wire [LINKS-1:0] differs = (target[LINKS-1:0] ^ site_address[LINKS-1:0]) & ({LINKS{1'b1}} << PORT);
            wire [LINKS-1:0] up      = differs & ~(down[PORTS-1:1] & {LINKS{unicast}});
            wire [LINKS-1:0] allowed = |up ? up : differs;
            assign list  = {lowest(allowed), differs == {LINKS{1'b0}}};
            assign way_x = 2'b00;
            assign way_y = 2'b00;
        end else if (PORT == 0 || PORT == `POSTROAD_PORT_EAST || PORT == `POSTROAD_PORT_WEST) begin : in_x
            // R4: where x is down, a unicast that also has to go in y does that first. It cannot turn back into x, so it ends at
            // the operator in the row of its target.
            wire detour = unicast && y && |(way_x & down[2:1]);
            wire in_y   = !x || detour;
            axis_way #(.COORD_WIDTH(COORD_WIDTH)) y_way (
                .from(here_y), .to(to_y), .size(size_y), .wraps(torus), .way(way_y));
            if (PORT == 0) begin : any_x
                axis_way #(.COORD_WIDTH(COORD_WIDTH)) x_way (
                    .from(here_x), .to(to_x), .size(size_x), .wraps(torus), .way(way_x));
            end else begin : on_x
                assign way_x = {x && PORT == `POSTROAD_PORT_EAST, x && PORT == `POSTROAD_PORT_WEST};
            end
            assign list = {way_y & {2{in_y}}, way_x & {2{!detour}}, !x && !y};
        end else begin : on_y
            assign way_x = 2'b00;
            assign way_y = {y && PORT == `POSTROAD_PORT_NORTH, y && PORT == `POSTROAD_PORT_SOUTH};
            assign list  = {way_y, 2'b00, !y};
        end
    endgenerate

    wire unused = &{1'b0, torus, size_x, size_y, down, unicast, target, site_address, way_x, way_y, x, y};
endmodule

`default_nettype wire
