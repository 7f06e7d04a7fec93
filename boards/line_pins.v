// line_pins: the pins that send on cables: outputs while their links drive them, else inputs with the pull resistor that the file
// of pins gives them.
// SPDX-License-Identifier: ISC
`default_nettype none

module line_pins #(
    parameter LINKS = 4
) (
    input  wire [LINKS-1:0] level,
    input  wire [LINKS-1:0] drives,
    inout  wire [LINKS-1:0] pin
);
    genvar l;
    generate
        for (l = 0; l < LINKS; l = l + 1) begin : pins
            assign pin[l] = drives[l] ? level[l] : 1'bz;
        end
    endgenerate
endmodule

`default_nettype wire
