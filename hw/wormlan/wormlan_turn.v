// wormlan_turn: where a worm goes whose first word has the mark of a multicast (W13).
//
// Combinational. What goes down the tree is for wormlan_fork, what goes up it for a port as a unicast is.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module wormlan_turn #(
    parameter PORTS = 5
) (
    input  wire [13:0]      word,   // bits of an info word
    input  wire [PORTS-1:0] below,  // ports that lead down the tree, and the operator's
    output wire             forks,
    output wire             rises
);
    wire [15:0] down  = {{16-PORTS{1'b0}}, below};
    wire        plain = word[13:6] == 8'd0;
    wire        port  = plain && {word[5:4], 4'd0} == `POSTROAD_TREE_PORT;
    assign forks = {word[5:4], 4'd0} == `POSTROAD_TREE_ENTRY || plain && word[5:0] == `POSTROAD_TREE_BROADCAST
                   || port && down[word[3:0]];
    assign rises = port && !down[word[3:0]];
endmodule

`default_nettype wire
