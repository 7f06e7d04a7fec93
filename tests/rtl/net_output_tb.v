// net_output_tb: random words, aborts and waits against a model of latch and debt (Table D, F2, F3b, U4, M7), for the
// outputs to links and for the local one with its fourth tag bit.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module net_output_tb;
    `include "bench.vh"

    localparam WORD_WIDTH = 16;

    reg clk = 1'b0, reset = 1'b1;
    reg  [19:0] word = 0;
    reg         abort = 1'b0, link_wait = 1'b1;
    wire [18:0] link_remote;
    wire [19:0] link_local;
    wire [1:0]  ready, event_word, event_stall, quiet;

    net_output #(.WORD_WIDTH(WORD_WIDTH)) remote (
        .clk(clk), .reset(reset), .word(word[18:0]), .abort(abort), .ready(ready[0]), .link(link_remote),
        .link_wait(link_wait), .event_word(event_word[0]), .event_stall(event_stall[0]), .quiet(quiet[0]));
    net_output #(.WORD_WIDTH(WORD_WIDTH), .TAG_WIDTH(4)) local_output (
        .clk(clk), .reset(reset), .word(word), .abort(abort), .ready(ready[1]), .link(link_local),
        .link_wait(link_wait), .event_word(event_word[1]), .event_stall(event_stall[1]), .quiet(quiet[1]));

    always #5 clk = !clk;

    // Model: what must come out, in order; the latch is `queue[left]` while one is in it.
    reg [19:0] queue [0:65535];
    integer entered = 0, left = 0;
    reg     holds, owes;
    integer c, wait_chance, gap_chance, abort_chance, aborts = 0, aborts_behind = 0, pads = 0;

    localparam [19:0] ABORT_PACKET = {1'b0, `POSTROAD_TAG_ABORT_PACKET, 16'd0};
    localparam [19:0] PAD = {1'b1, 19'd0};

    task one_clock;
        reg may_load;
        begin
            #1;
            link_wait = percent(wait_chance);
            abort = 1'b0;
            word = 20'd0;
            #1;
            may_load = (!holds || !link_wait) && !owes;
            check(ready === {2{may_load}},
                  "U4: ready when the latch is empty or empties in this clock, and nothing is owed");
            if (percent(abort_chance) && !owes) abort = 1'b1;
            else if (may_load && !percent(gap_chance)) begin
                if (below(8) == 0) word = PAD;
                else word = {1'b0, 3'd1 + below(7), 16'd0} | below(65536);
            end
            #1;
            check(ready === {2{may_load}}, "U4: ready does not depend on what the router shows");
            if (holds) check(link_local === queue[left] && link_remote === queue[left][18:0],
                             "F3b, M7: the latch keeps its word, and words leave in order");
            else check(link_remote[18:16] == 3'd0 && link_local[18:16] == 3'd0, "F3d: no word leaves twice");
            check(event_word === {2{holds && !link_wait}} && event_stall === {2{holds && link_wait}},
                  "P2: a held word leaves or waits, null_transmission does neither");
            // Model of the clock edge.
            if (holds && !link_wait) begin
                left = left + 1;
                holds = 1'b0;
            end
            if (abort) begin
                owes = 1'b1;
                aborts = aborts + 1;
                aborts_behind = aborts_behind + holds;
            end
            if (!holds && owes) begin
                queue[entered] = ABORT_PACKET;
                entered = entered + 1;
                holds = 1'b1;
                owes = 1'b0;
            end else if (!holds && word[18:16] != 3'd0) begin
                queue[entered] = word;
                entered = entered + 1;
                holds = 1'b1;
            end
            if (word == PAD) pads = pads + 1;
            @(posedge clk);
        end
    endtask

    initial begin
        begin_bench;
        holds = 1'b0;
        owes = 1'b0;
        wait_chance = 0; gap_chance = 0; abort_chance = 0;
        @(posedge clk);
        #1 check(link_remote === 19'd0 && link_local === 20'd0, "P2: null_transmission in reset");
        @(negedge clk) reset = 1'b0;
        @(posedge clk);
        for (c = 0; c < 30000; c = c + 1) begin
            if (c % 500 == 0) begin
                wait_chance = below(3) ? below(90) : 0;
                gap_chance = below(3) ? below(80) : 0;
                abort_chance = below(2) ? below(30) : 0;
            end
            one_clock;
        end
        wait_chance = 0; gap_chance = 100; abort_chance = 0;
        repeat (4) one_clock;
        check(left == entered && &quiet, "quiet when nothing is held or owed");
        check(aborts > 500 && aborts_behind > 200 && pads > 500, "aborts behind a word and pads were exercised");
        verdict;
    end
endmodule

`default_nettype wire
