// postman_cut: where the lines of one direction of a torus lead, those of the same plane in both layers (R17).
//
//                 does not cross the cut    crosses it
//   layer 0       wire of layer 0           wire of layer 1
//   layer 1       wire of layer 1           nowhere: not busy, and its bits vanish (R14)
//
// A minimal way crosses the cut once at most, so only dead address flits go the way that leads nowhere.
// SPDX-License-Identifier: ISC
`default_nettype none

module postman_cut (
    input  wire       crosses,    // a strap

    // Of layer 0 in bit 0, of layer 1 in bit 1.
    input  wire [1:0] line,
    input  wire [1:0] line_next,
    output wire [1:0] line_busy,
    output wire [1:0] wires,
    output wire [1:0] wires_next,
    input  wire [1:0] wires_busy
);
    assign wires      = crosses ? {line[0], 1'b0} : line;
    assign wires_next = crosses ? {line_next[0], 1'b0} : line_next;
    assign line_busy  = crosses ? {1'b0, wires_busy[1]} : wires_busy;
endmodule

`default_nettype wire
