// postman_output: the flop that drives a line, and its owner (R3, R6, R10). Requesters: 0 pass, 1 turn, 2 source of this
// dimension, 3 source of the other one.
// SPDX-License-Identifier: ISC
`default_nettype none

module postman_output #(
    parameter PRIORITY = 0  // 0: sources before packets on lines, 1: straight on, then turns, then sources
) (
    input  wire       clk,
    input  wire       reset,
    input  wire       advance,    // bits move
    input  wire       line_busy,  // of the node downstream

    // The bit of a requester is 1 in the clock in which it is granted, and 0 in the clock in which it ends.
    input  wire [3:0] request,
    output wire [3:0] grant,
    input  wire [3:0] bits,
    input  wire [3:0] ends,
    output reg  [3:0] owner,

    output wire       free,
    output wire       line_next,  // what the line shows from the next clock on
    output reg        line
);
    reg other_first;  // of two sources the other one is next

    wire own_source   = request[2] && !(request[3] && other_first);
    wire other_source = request[3] && !own_source;
    wire sources      = request[2] || request[3];

    assign free  = owner == 4'd0 && !line_busy;
    assign grant = {4{free}} & (PRIORITY == 0
        ? {other_source, own_source, request[1] && !sources, request[0] && !request[1] && !sources}
        : {{other_source, own_source} & {2{request[1:0] == 2'd0}}, request[1] && !request[0], request[0]});

    assign line_next = !reset && (advance ? (free && request != 4'd0) || (owner & bits) != 4'd0 : line);

    always @(posedge clk) line <= line_next;

    always @(posedge clk)
        if (reset) {owner, other_first} <= 5'd0;
        else if (advance) begin
            owner <= (owner & ~ends) | grant;
            if (grant[3:2] != 2'd0) other_first <= grant[2];
        end
endmodule

`default_nettype wire
