// wormlan_slack: a wormlan_receiver behind a cable of DELAY clocks, with a wormlan_sender at its far end that has always a word.
// The words are taken at random, or not at all for a long time. Used by wormlan_slack_tb.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module wormlan_slack #(
    parameter DELAY = 1
) (
    input wire clk,
    input wire reset,
    input wire take,      // a word that is shown is taken
    input wire lose_stop, // the control symbols of this clock are lost
    input wire lose_go
);
    localparam W = 16, SLACK_LOG2 = 8, SLACK = 1 << SLACK_LOG2;

    wire [W+1:0] symbol, arriving, back, arriving_back, entry, unused_next;
    wire         shown, heard_stop, heard_go, say_stop, say_go, says_next, event_drop, far_stop, far_go;
    wire         go, unused_receiver, unused_sender, unused_there, unused_back;
    wire [SLACK_LOG2:0] stop_level = SLACK - 2 * DELAY - 6;

    // Far end: worms of 40 words; back to it go STOP and GO.
    reg  [15:0] sent = 16'd0;
    reg         may  = 1'b0;
    reg  [4:0]  ticks = 5'd0;
    wire        tick = &ticks;
    wire [5:0]  place = sent[5:0] % 40;
    wire [1:0]  kind  = place == 6'd0 ? `POSTROAD_WORM_INFO : place == 6'd39 ? `POSTROAD_WORM_END : `POSTROAD_WORM_DATA;
    wire        control_back = arriving_back[W +: 2] == `POSTROAD_WORM_CONTROL;
    assign far_stop = control_back && arriving_back[5:0] == `POSTROAD_WORM_CONTROL_STOP && !lose_stop;
    assign far_go   = control_back && arriving_back[5:0] == `POSTROAD_WORM_CONTROL_GO && !lose_go;
    wormlan_sender sender (
        .clk(clk), .reset(reset), .heard_stop(far_stop), .heard_go(far_go), .say_stop(1'b0), .say_go(1'b0), .say_back(1'b0),
        .says_next(1'b0), .tick(tick), .go(go), .word({W+2{may}} & {kind, sent & {16{place != 6'd0}}}), .resets(1'b0),
        .holds(!may), .symbol(symbol), .symbol_next(unused_next), .quiet(unused_sender));
    cable_delay #(.WIDTH(W + 2), .DELAY(DELAY), .WORDS(0)) there (
        .clk(clk), .reset(reset), .word_in(symbol), .word_out(arriving), .wait_in(1'b0), .wait_out(unused_there));

    wormlan_receiver #(.SLACK_LOG2(SLACK_LOG2)) receiver (
        .clk(clk), .reset(reset), .symbol(arriving), .down(1'b0), .stop_level(stop_level), .tick(tick), .heard_stop(heard_stop),
        .heard_go(heard_go), .say_stop(say_stop), .say_go(say_go), .says_next(says_next), .entry(entry), .shown(shown),
        .take(take && shown), .tick_slack(1'b0), .flushed(1'b0), .event_drop(event_drop), .quiet(unused_receiver));
    wormlan_sender near (
        .clk(clk), .reset(reset), .heard_stop(heard_stop), .heard_go(heard_go), .say_stop(say_stop), .say_go(say_go),
        .say_back(1'b0), .says_next(says_next), .tick(tick), .go(), .word({W+2{1'b0}}), .resets(1'b0), .holds(1'b0),
        .symbol(back), .symbol_next(), .quiet());
    cable_delay #(.WIDTH(W + 2), .DELAY(DELAY), .WORDS(0)) home (
        .clk(clk), .reset(reset), .word_in(back), .word_out(arriving_back), .wait_in(1'b0), .wait_out(unused_back));

    integer most = 0, drops = 0, taken = 0, gaps = 0;  // most: words in the buffer; gaps: none where one is taken
    always @(posedge clk) begin
        ticks <= ticks + 5'd1;
        may   <= go && !reset;
        if (may && !reset) sent <= sent + 16'd1;
        if (receiver.count > most) most = receiver.count;
        if (!reset && event_drop) drops = drops + 1;
        if (!reset && take) begin
            taken = taken + shown;
            gaps  = gaps + !shown;
        end
    end
endmodule

`default_nettype wire
