// any_direction: direction.v, but for the way: any one link, or none, and whatever there is if nobody asks. What is proved with
// this holds for all sites, sizes and lists, and the solver need not look at addresses.
// SPDX-License-Identifier: ISC
`default_nettype none

module direction #(
    parameter COORD_WIDTH = 7,
    parameter LINKS       = 4,
    parameter PORTS       = LINKS + 1
) (
    input  wire                     asked,
    input  wire [2*COORD_WIDTH-1:0] target,
    input  wire [2*COORD_WIDTH-1:0] site_address,
    input  wire [1:0]               topology,
    input  wire [COORD_WIDTH-1:0]   size_x,
    input  wire [COORD_WIDTH-1:0]   size_y,
    input  wire [7:0]               lists,
    input  wire [PORTS-1:0]         down,
    input  wire [PORTS-1:0]         available,
    output wire                     is_local,
    output wire [PORTS-1:0]         choice
);
    (* anyseq *) reg [PORTS-1:0] drawn;
    assign choice   = asked ? {drawn[PORTS-1:1] & (~drawn[PORTS-1:1] + 1'b1), 1'b0} : drawn;
    assign is_local = 1'b0;
endmodule

`default_nettype wire
