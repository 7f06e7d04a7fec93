// crossbar_column: the word of the net_input that one net_output listens to.
// SPDX-License-Identifier: ISC
`default_nettype none

module crossbar_column #(
    parameter LINK_WIDTH = 19,
    parameter SOURCES    = 4,
    parameter SELECT     = $clog2(SOURCES)  // follows
) (
    input  wire [SOURCES*LINK_WIDTH-1:0] words,
    input  wire [SELECT-1:0]             select,
    output wire [LINK_WIDTH-1:0]         word
);
    assign word = words[select*LINK_WIDTH +: LINK_WIDTH];
endmodule

`default_nettype wire
