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
        .clk(clk), .reset(reset), .word(word[18:0]), .abort(abort), .ready(ready[0]),
        .link(link_remote), .link_wait(link_wait), .event_word(event_word[0]), .event_stall(event_stall[0]), .quiet(quiet[0]));
    net_output #(.WORD_WIDTH(WORD_WIDTH), .TAG_WIDTH(4)) local_output (
        .clk(clk), .reset(reset), .word(word), .abort(abort), .ready(ready[1]),
        .link(link_local), .link_wait(link_wait), .event_word(event_word[1]), .event_stall(event_stall[1]), .quiet(quiet[1]));

    always #5 clk = !clk;

    // Model: what must come out, in order; the latch is `queue[left]` while one is in it.
    reg [19:0] queue [0:65535];
    integer entered = 0, left = 0;
    reg     holds, owes, was_still;
    reg [19:0] link_before;
    integer c, wait_chance, gap_chance, abort_chance, aborts = 0, aborts_behind = 0;

    localparam [19:0] ABORT_PACKET = {1'b0, `POSTROAD_TAG_ABORT_PACKET, 16'd0};

    // The word of null_target and abort_packet means nothing (P2).
    function [19:0] meant(input [19:0] word);
        meant = word[18:16] == `POSTROAD_TAG_NULL_TARGET || word[18:16] == `POSTROAD_TAG_ABORT_PACKET ? word & 20'hf0000 : word;
    endfunction

    task one_clock;
        reg free;
        begin
            #1;
            link_wait = percent(wait_chance);
            abort = 1'b0;
            word = below(65536);
            #1;
            free = !link_wait && !owes;
            check(ready === {2{free}}, "F1, U4: ready when the status is not wait, and nothing is owed");
            if (percent(abort_chance) && !owes) abort = 1'b1;
            else if (free && !percent(gap_chance)) word[18:16] = 3'd1 + below(7);
            #1;
            check(ready === {2{free}}, "U4: ready does not depend on what the router shows");
            if (holds) check(meant(link_local) === queue[left] && meant(link_remote) === queue[left][18:0],
                             "F3b, M7: the latch keeps its word, and words leave in order");
            else check(link_remote[18:16] == 3'd0 && link_local[18:16] == 3'd0, "F3d: no word leaves twice");
            if (was_still) check(link_local === link_before && link_remote === link_before[18:0],
                                 "F3b: the latch is still while the status is wait");
            was_still = link_wait;
            link_before = link_local;
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
            if (!link_wait && owes) begin
                queue[entered] = ABORT_PACKET;
                entered = entered + 1;
                holds = 1'b1;
                owes = 1'b0;
            end else if (word[18:16] != 3'd0) begin
                queue[entered] = meant(word);
                entered = entered + 1;
                holds = 1'b1;
            end
            @(posedge clk);
        end
    endtask

    initial begin
        begin_bench;
        holds = 1'b0;
        owes = 1'b0;
        was_still = 1'b0;
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
        check(aborts > 500 && aborts_behind > 200, "aborts behind a word were exercised");
        verdict;
    end
endmodule

`default_nettype wire
