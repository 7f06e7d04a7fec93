// wormlan_header: the header of a tree in front of a worm (W10).
//
//   {entry, port, count} subtree of so many words ... {end}
//   {broadcast} or {port}
//
// From site 0 to sites 1 and 2 of hw/mesh/wormlan-lan.mesh:
//
//   [ 1 ] [ port 2, 2 words: 0, address of 1 ] [ port 3, 3 words: 1, 0, address of 2 ] [ end of header ] [ data ... ] [ end ]
//     |      |               |                    |               |  |
//     |      |               at site 1: local     |               |  at site 2: local
//     |      at switch 8: to site 1               |               at switch 9: to site 2
//     at site 0: to switch 8                      at switch 8: to switch 9
//
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module wormlan_header (
    input  wire        clk,
    input  wire        reset,

    input  wire        step,     // a word of a worm
    input  wire        head,     // it is the first one
    input  wire        info,     // its kind
    input  wire [13:0] word,     // bits of it

    // Combinational, of this word.
    output wire        routes,   // in front of a worm it names a port, or all
    output wire        entry,    // it names a port, as a subtree follows
    output wire        last,     // it ends the header
    output wire        wrong,    // neither, and stands in the place of one of them
    output reg         in_header    // a header has begun with a word before, and not ended
);
    reg  [7:0] left;  // words of the subtree
    wire place = head || in_header && left == 8'd0;
    assign routes = word[13:6] == 8'd0 && ({word[5:4], 4'd0} == `POSTROAD_TREE_PORT || word[5:0] == `POSTROAD_TREE_BROADCAST);
    assign entry = place && info && {word[5:4], 4'd0} == `POSTROAD_TREE_ENTRY;
    assign last  = place && info && {word[5:4], 4'd0} == `POSTROAD_TREE_END && !head;
    assign wrong = !head && place && !entry && !last;

    always @(posedge clk)
        if (reset) in_header <= 1'b0;
        else if (step) in_header <= head ? entry : in_header && !last;

    always @(posedge clk) if (step) left <= place ? word[13:6] : left - 8'd1;
endmodule

`default_nettype wire
