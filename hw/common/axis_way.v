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
    // Two bits at a time, which fit a LUT4: for so few bits the carry chains that technology mappers infer from `<` cost more
    // cells and are no faster. a, b: `from` and `to`, with an even number of bits.
    localparam PAIRS = (COORD_WIDTH + 1) / 2;
    wire [2*PAIRS-1:0] a = {{(2*PAIRS-COORD_WIDTH){1'b0}}, from}, b = {{(2*PAIRS-COORD_WIDTH){1'b0}}, to};
    reg     less, differs;
    integer k;
    always @* begin
        less    = 1'b0;
        differs = 1'b0;
        for (k = 0; k < PAIRS; k = k + 1) begin
            less    = b[2*k +: 2] == a[2*k +: 2] ? less
                    : (a[2*k+1] && !b[2*k+1]) || ((a[2*k+1] || !b[2*k+1]) && a[2*k] && !b[2*k]);
            differs = differs || b[2*k +: 2] != a[2*k +: 2];
        end
    end

    // In a ring, half way round counts as the positive way.
    wire [COORD_WIDTH:0] around  = {size == {COORD_WIDTH{1'b0}}, size};
    wire [COORD_WIDTH:0] forward = {1'b0, to} - {1'b0, from} + (less ? around : {COORD_WIDTH+1{1'b0}});
    wire negative = wraps ? {forward, 1'b0} > {1'b0, around} : less;

    assign way = {negative, !negative} & {2{differs}};
endmodule

`default_nettype wire
