// wormlan_sender: the symbols of a link: control symbols first, then words, unless the far end has said STOP (W4, W5).
//
// A STOP holds until a GO, or until the third tick behind it: that of a buffer which stays full is repeated at each tick.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module wormlan_sender #(
    parameter WORD_WIDTH = 16
) (
    input  wire                  clk,
    input  wire                  reset,

    // The receiver of the other direction: what it has heard in this clock, and what it has to say.
    input  wire                  heard_stop,
    input  wire                  heard_go,
    input  wire                  say_stop,
    input  wire                  say_go,
    input  wire                  say_back,
    input  wire                  says_next,
    input  wire                  tick,

    output reg                   go,      // in the next clock a word, or a forward reset, is taken
    input  wire [WORD_WIDTH+1:0] word,    // {kind, word}, 0: none
    input  wire                  resets,
    input  wire                  fragment, // it is no forward reset, but the end of a fragment
    input  wire                  holds,   // no word, and no end of a worm

    output reg  [WORD_WIDTH+1:0] symbol,  // on the link
    output wire [WORD_WIDTH+1:0] symbol_next,
    output wire                  quiet
);
    localparam W = WORD_WIDTH;

    reg  [1:0] held;  // ticks for which STOP still holds
    wire [1:0] held_next = heard_stop ? 2'd3 : heard_go ? 2'd0 : held - {1'b0, tick && held != 2'd0};
    reg        stop_now, go_now, back_now;  // what is said in the clock that `go` is not for
    wire [5:0] control = stop_now ? `POSTROAD_WORM_CONTROL_STOP : go_now ? `POSTROAD_WORM_CONTROL_GO
                       : back_now ? `POSTROAD_WORM_CONTROL_BACK
                       : resets ? fragment ? `POSTROAD_WORM_CONTROL_FRAGMENT : `POSTROAD_WORM_CONTROL_RESET
                       : holds ? `POSTROAD_WORM_CONTROL_FILL : `POSTROAD_WORM_CONTROL_IDLE;

    assign symbol_next = {W+2{!reset}} & {word[W+1:6], word[5:0] | control};
    assign quiet       = held == 2'd0 && !stop_now && !go_now && !back_now && symbol == {W+2{1'b0}};

    always @(posedge clk) begin
        symbol <= symbol_next;
        stop_now <= say_stop && !reset;
        go_now   <= say_go && !reset;
        back_now <= say_back && !reset;
        held   <= reset ? 2'd0 : held_next;
        go     <= !reset && held_next == 2'd0 && !says_next;
    end
endmodule

`default_nettype wire
