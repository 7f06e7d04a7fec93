// crossbar_column: the multiplexer in front of one net_output. It passes the word of the selected net_input.
//
// Four sources cost two LUT4 for each bit. The first LUT4 (`near`) selects one of the first two sources, or passes select[0];
// with that the second LUT4 selects one of the last two. Technology mappers need three LUT4 for the plain expression, and
// merge the two stages again unless the first one is a module that keeps its hierarchy.
// SPDX-License-Identifier: ISC
`default_nettype none

module crossbar_column #(
    parameter LINK_WIDTH = 19,
    parameter SOURCES    = 4,
    parameter SELECT     = SOURCES < 2 ? 1 : $clog2(SOURCES)  // follows
) (
    input  wire [SOURCES*LINK_WIDTH-1:0] words,
    input  wire [SELECT-1:0]             select,
    output wire [LINK_WIDTH-1:0]         word
);
    generate
        if (SOURCES < 4 || SOURCES > 5) begin : any
            assign word = words[select*LINK_WIDTH +: LINK_WIDTH];
        end else begin : four
            wire [LINK_WIDTH-1:0] near, one_of_four;
            column_near #(.LINK_WIDTH(LINK_WIDTH)) column_near (
                .first(words[0 +: LINK_WIDTH]), .second(words[LINK_WIDTH +: LINK_WIDTH]), .select(select[1:0]), .near(near));
            assign one_of_four = select[1] ? near & words[3*LINK_WIDTH +: LINK_WIDTH] | ~near & words[2*LINK_WIDTH +: LINK_WIDTH]
                                           : near;
            if (SOURCES == 4) assign word = one_of_four;
            else assign word = select[2] ? words[4*LINK_WIDTH +: LINK_WIDTH] : one_of_four;
        end
    endgenerate
endmodule

`default_nettype wire
