// crossbar_column: the word that one net_output loads: that of the selected net_input, or null_target, or nothing.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module crossbar_column #(
    parameter LINK_WIDTH = 19,
    parameter PORTS      = 5
) (
    input  wire [PORTS*LINK_WIDTH-1:0] words,
    input  wire [PORTS-1:0]            select,       // one-hot or zero
    input  wire                        null_target,  // 1 only when select is zero
    output reg  [LINK_WIDTH-1:0]       word
);
    integer i;

    always @* begin
        word = {{3{null_target}} & `POSTROAD_TAG_NULL_TARGET, {(LINK_WIDTH-3){1'b0}}};
        for (i = 0; i < PORTS; i = i + 1)
            word = word | ({LINK_WIDTH{select[i]}} & words[i*LINK_WIDTH +: LINK_WIDTH]);
    end
endmodule

`default_nettype wire
