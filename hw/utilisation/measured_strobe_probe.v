// What is measured as `strobe_probe`: the probe pins of a board.
// SPDX-License-Identifier: ISC
`default_nettype none

module measured_strobe_probe #(
    parameter WORD_WIDTH = 16,         // of a row, as all have one: the tags beside a word are the same with any
    parameter PINS = 8,
    parameter IN  = 30,                // follow from the above: not to be set
    parameter OUT = PINS + 17
) (
    input  wire           clk,
    input  wire [IN-1:0]  in,
    output wire [OUT-1:0] out
);
    strobe_probe #(.PINS(PINS)) strobe_probe (
        .clk(clk), .reset(in[0]), .tags(in[15:1]), .waits(in[20:16]), .choose(in[21]), .row(in[29:22]), .shown(out[0]),
        .value(out[16:1]), .pins(out[17 +: PINS]));

    wire unused = &{1'b0, WORD_WIDTH == 0};
endmodule

`default_nettype wire
