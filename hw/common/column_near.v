// column_near: the first of the two LUT4 that crossbar_column uses for each bit. crossbar_column.v has the reason.
// SPDX-License-Identifier: ISC
`default_nettype none

(* keep_hierarchy *)
module column_near #(
    parameter LINK_WIDTH = 19
) (
    input  wire [LINK_WIDTH-1:0] first,
    input  wire [LINK_WIDTH-1:0] second,
    input  wire [1:0]            select,
    output wire [LINK_WIDTH-1:0] near     // sources 0 and 1: the word; 2 and 3: all bits are select[0]
);
    assign near = select[1] ? {LINK_WIDTH{select[0]}} : select[0] ? second : first;
endmodule

`default_nettype wire
