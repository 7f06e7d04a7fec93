// postman_output: the flop that drives a line, and its owner (R3, R6, R10). Requesters: 0 pass, 1 turn, 2 source of this
// dimension, 3 source of the other one.
//
// With THROUGH what goes straight on does not wait for the flop (phases.md):
//
//   line_in ---> machine ---> bits[0] of an owner, or its first bit ---+
//                                                                      or ---> line
//   turn, sources ---> flop -------------------------------------------+
//
//   request --> order of R10 --> & free --> grant --> owner [4] --+     free = no owner, and the line is not busy
//                    ^                        ^                   |
//               other_first                 ends ends it          |
//                                                                 v
//   bits ---------------------------------------------> and, or ----> [flop] --> line
//
// At most one of the four bits of `owner` is 1 (proof postman_output). other_first is which of two sources is next.
// SPDX-License-Identifier: ISC
`default_nettype none

module postman_output #(
    parameter PRIORITY = 0,  // 0: sources before packets on lines, 1: straight on, then turns, then sources
    parameter THROUGH  = 0   // 1: a packet that goes straight on leaves in the clock in which it comes, and goes before turns,
                             //    unless `waits`
) (
    input  wire       clk,
    input  wire       reset,
    input  wire       advance,    // bits move
    input  wire       waits,      // with THROUGH: this one waits for the clock all the same. Constant out of reset
    input  wire       line_busy,  // of the node downstream

    // The bit of a requester is 1 in the clock in which it is granted, and 0 in the clock in which it ends.
    input  wire [3:0] request,
    output wire [3:0] grant,
    input  wire [3:0] bits,
    input  wire [3:0] ends,
    output reg  [3:0] owner,

    output wire       free,
    output wire       may_pass,   // free, and no validity bit of THROUGH is in the way of what goes straight on
    output wire       line_next,  // what the flop shows from the next clock on
    output wire       line
);
    wire       through    = THROUGH != 0 && !waits;
    wire [3:0] flop_users = {3'b111, !through};

    reg flop;
    reg other_first;  // of two sources the other one is next
    reg closes;       // the flop shows the validity bit 0 of the packet before: no other header bit may come in its place

    wire own_source   = request[2] && !(request[3] && other_first);
    wire other_source = request[3] && !own_source;
    wire sources      = request[2] || request[3];
    wire passes       = request[0] && !(through && closes);

    // THROUGH: whether a packet goes straight on depends on flops and its own line alone. So no bit crosses from lines of one
    // dimension to those of the other within a clock, and the longest way of a bit is a row.
    wire turns_first  = PRIORITY == 0 && !through;
    wire pass_ahead   = passes && !(PRIORITY == 0 && sources);
    wire pass_grant   = pass_ahead && !(turns_first && request[1]);
    wire turn_grant   = request[1] && !(PRIORITY == 0 && sources) && !(!turns_first && passes);
    wire sources_wait = PRIORITY != 0 && (passes || request[1]);

    assign free     = owner == 4'd0 && !line_busy;
    assign may_pass = free && !(through && closes);
    assign grant    = {4{free}} & {{other_source, own_source} & {2{!sources_wait}}, turn_grant, pass_grant};

    wire begins  = through ? grant[3:1] != 3'd0 : free && request != 4'd0;
    wire crosses = through && !reset && (owner[0] ? bits[0] : free && pass_ahead);

    assign line_next = !reset && (advance ? begins || (owner & bits & flop_users) != 4'd0 : flop);
    assign line      = flop || crosses;

    always @(posedge clk) flop <= line_next;

    always @(posedge clk)
        if (reset) {owner, other_first, closes} <= 6'd0;
        else if (advance) begin
            owner  <= (owner & ~ends) | grant;
            closes <= (owner & ends & flop_users) != 4'd0;
            if (grant[3:2] != 2'd0) other_first <= grant[2];
        end
endmodule

`default_nettype wire
