// wormlan_receiver behind a cable of DELAY clocks each way, with a wormlan_sender at its far end that sends what it likes, when
// it may (W4): no word is ever without room, as long as the link stays up. What arrives is any worm, and it may end with a
// forward reset or with the link. What the signature of a worm is wrong by is the same before and behind the switch (W3), also
// where the header of a tree is stripped, and no worm ends as a whole within one (W10).
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module wormlan_receiver_proof #(
    parameter DELAY      = 1,
    parameter SLACK_LOG2 = 4,
    parameter MULTICAST  = 0
) (
    input wire        clk,
    input wire        reset,
    input wire [17:0] word,     // of the far end
    input wire        resets, holds,
    input wire        down,
    input wire        take
);
    localparam W = 16;
    localparam [SLACK_LOG2:0] STOP_LEVEL = (1 << SLACK_LOG2) - 2 * DELAY - 6;
    (* hierconn *) wire        \receiver.push ;
    (* hierconn *) wire        \receiver.open ;
    (* hierconn *) wire [17:0] \receiver.stored ;
    (* hierconn *) wire [15:0] \receiver.change ;
    (* hierconn *) wire        \receiver.in_header ;

    // Each end has a tick of its own, here every 8 clocks.
    (* anyconst *) reg [2:0] phase, far_phase;
    reg  [2:0]  clocks;
    wire        tick = clocks == phase, far_tick = clocks == far_phase;

    wire [17:0] symbol, arriving, back, arriving_back;
    reg         may;
    wire        go, say_stop, say_go, says_next, event_drop, shown;
    wire        control_back = arriving_back[17:16] == `POSTROAD_WORM_CONTROL;

    wormlan_sender #(.WORD_WIDTH(W)) far (
        .clk(clk), .reset(reset), .heard_stop(control_back && arriving_back[5:0] == `POSTROAD_WORM_CONTROL_STOP),
        .heard_go(control_back && arriving_back[5:0] == `POSTROAD_WORM_CONTROL_GO), .say_stop(1'b0), .say_go(1'b0),
        .say_back(1'b0), .says_next(1'b0), .tick(far_tick), .go(go), .word(word & {18{may}}), .resets(resets && may),
        .holds(holds), .symbol(symbol));
    cable_delay #(.WIDTH(18), .DELAY(DELAY), .WORDS(0)) there (
        .clk(clk), .reset(reset), .word_in(symbol), .word_out(arriving), .wait_in(1'b0));
    wormlan_receiver #(.WORD_WIDTH(W), .SLACK_LOG2(SLACK_LOG2), .MULTICAST(MULTICAST)) receiver (
        .clk(clk), .reset(reset), .symbol(arriving), .down(down), .stop_level(STOP_LEVEL), .tick(tick), .say_stop(say_stop),
        .say_go(say_go), .tick_slack(1'b0), .flushed(1'b0), .says_next(says_next), .shown(shown), .take(take && shown),
        .event_drop(event_drop));
    wormlan_sender #(.WORD_WIDTH(W)) near (
        .clk(clk), .reset(reset), .heard_stop(1'b0), .heard_go(1'b0), .say_stop(say_stop), .say_go(say_go),
        .say_back(1'b0), .says_next(says_next), .tick(tick), .word(18'd0), .resets(1'b0), .holds(1'b0), .symbol(back));
    cable_delay #(.WIDTH(18), .DELAY(DELAY), .WORDS(0)) home (
        .clk(clk), .reset(reset), .word_in(back), .word_out(arriving_back), .wait_in(1'b0));

    // Signatures of what arrives, with its first word or header and without it.
    reg  [15:0] whole, rest;
    wire [15:0] whole_next, rest_next;
    wire        carries = ^arriving[17:16] && !down, info = arriving[17:16] == `POSTROAD_WORM_INFO;
    word_signature #(.WORD_WIDTH(W)) whole_step (
        .sum(\receiver.open ? whole : 16'hffff), .word(arriving[15:0]), .info(info), .next(whole_next));
    word_signature #(.WORD_WIDTH(W)) rest_step (.sum(rest), .word(arriving[15:0]), .info(info), .next(rest_next));

    reg started = 1'b0, fell = 1'b0;
    always @(posedge clk) begin
        started <= 1'b1;
        clocks  <= clocks + 3'd1;
        may     <= go && !reset;
        if (!started) assume (reset);
        if (word[17:16] == `POSTROAD_WORM_CONTROL) assume (word == 18'd0);
        if (resets) assume (word == 18'd0);
        if (carries) begin
            whole <= whole_next;
            rest  <= \receiver.open && !\receiver.in_header ? rest_next : 16'hffff;
        end
        if (started && !reset) begin
            if (\receiver.open ) assert (\receiver.change == (whole ^ rest));
            if (\receiver.push && \receiver.stored [17:16] == `POSTROAD_WORM_END)
                assert ((\receiver.stored [15:0] ^ rest) == (arriving[15:0] ^ whole) && !\receiver.in_header );
        end
        if (started && !reset && $past(down || arriving == 18'd0)) assert (!\receiver.open );
        fell <= !reset && (fell || down);
        if (started && !reset && !fell && !down && MULTICAST == 0) assert (!event_drop);
        cover (started && !reset && say_stop && \receiver.open );
        cover (started && !reset && say_go);
        cover (started && !reset && (MULTICAST == 0 || \receiver.in_header ));
    end
endmodule

`default_nettype wire
