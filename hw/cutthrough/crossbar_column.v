// crossbar_column: the word of the net_input that one net_output listens to.
//
// Four sources cost two LUT4 a bit: `near` picks from the first two, or passes on which of the last two is meant, and the
// second LUT4 reads that. Mappers find three, and undo this unless the first stage keeps a module of its own.
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
