// axis_way: which way one coordinate leads, the shorter one (rule U1). Combinational.
// SPDX-License-Identifier: ISC
`default_nettype none

module axis_way #(
    parameter COORD_WIDTH = 7
) (
    input  wire [COORD_WIDTH-1:0] from,
    input  wire [COORD_WIDTH-1:0] to,
    input  wire [COORD_WIDTH-1:0] size,   // sites along this axis; the largest does not fit and is encoded as 0
    input  wire                   wraps,  // torus: the ends of the axis meet
    output wire [1:0]             way     // bit 0: the positive way; bit 1: the negative way; neither if equal
);
    // to < from: at the highest bit that differs `from` has the 1. Not written as `<`, whose carry chain costs cells, nor bit by
    // bit, which a simulation evaluates slowly.
    wire [COORD_WIDTH-1:0] differs = to ^ from;
    wire [COORD_WIDTH-1:0] spread_2 = differs | differs >> 1, spread_4 = spread_2 | spread_2 >> 2;
    wire [COORD_WIDTH-1:0] spread_8 = spread_4 | spread_4 >> 4, spread = spread_8 | spread_8 >> 8;  // to all lower bits
    wire less = |(spread & ~(spread >> 1) & from);

    // In a ring, half way round counts as the positive way.
    wire [COORD_WIDTH:0] around  = {size == {COORD_WIDTH{1'b0}}, size};
    wire [COORD_WIDTH:0] forward = {1'b0, to} - {1'b0, from} + (less ? around : {COORD_WIDTH+1{1'b0}});
    wire negative = wraps ? {forward, 1'b0} > {1'b0, around} : less;

    assign way = {negative, !negative} & {2{to != from}};
endmodule

`default_nettype wire
