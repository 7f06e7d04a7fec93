// wormlan_slack_tb: for delays of a cable from 1 to 64 clocks, a quarter of them or with +long all, a slack buffer of 256 words
// loses none, fills up to its last place but one (so no word of it is too many), and never runs empty while words are taken
// again, up to the delay at which a third of it is the room behind K_s (W4). Where all GO are lost the STOP expires, and where
// all STOP are words are dropped (W5).
// SPDX-License-Identifier: ISC
`default_nettype none

module wormlan_slack_tb;
    `include "bench.vh"

    localparam LONGEST = 64, SLACK = 256, FULL_SPEED = 38;

    reg clk = 1'b0, reset = 1'b1, take = 1'b0, lose_stop = 1'b0, lose_go = 1'b0;
    reg [1:LONGEST] runs, lost, tight, gapped, starved;
    reg measures = 1'b0, all;
    integer chance, k, c;

    always #5 clk = !clk;

    genvar d;
    generate
        for (d = 1; d <= LONGEST; d = d + 1) begin : cable
            wormlan_slack #(.DELAY(d)) pair (
                .clk(clk && runs[d]), .reset(reset), .take(take), .lose_stop(lose_stop), .lose_go(lose_go));
            always @(negedge clk) begin
                lost[d]    = pair.drops != 0;
                tight[d]   = pair.most == SLACK - 1;
                gapped[d]  = pair.gaps != 0;
                starved[d] = pair.taken < 1000;
            end
            always @(posedge measures) {pair.gaps, pair.taken, pair.drops} = 96'd0;
        end
    endgenerate

    task clocks(input integer count, input integer percentage);
        for (c = 0; c < count; c = c + 1) begin
            @(negedge clk);
            take = percent(percentage);
            #1;
        end
    endtask

    task measure;
        begin
            measures = 1'b1;
            #1 measures = 1'b0;
        end
    endtask

    initial begin
        begin_bench;
        all   = $test$plusargs("long") != 0;
        runs  = {LONGEST{1'b0}};
        for (k = 1; k <= LONGEST; k = k + 1) runs[k] = all || k % 4 == seed[9:8] || k == LONGEST;
        repeat (4) @(negedge clk);
        reset = 1'b0;
        measure;
        for (k = 0; k < 2; k = k + 1) begin
            clocks(500, 0);
            clocks(300, 100);
            clocks(300, 20 + below(60));
        end
        check((lost & runs) == {LONGEST{1'b0}}, "W4 no word is lost, whatever the delay");
        check(&(tight | ~runs), "W4 the room behind K_s is what can come");
        clocks(600, 0);
        measure;
        clocks(1000, 100);
        check((gapped[1:FULL_SPEED] & runs[1:FULL_SPEED]) == {FULL_SPEED{1'b0}},
              "W4 words flow again before the buffer is empty");
        lose_go = 1'b1;
        measure;
        for (k = 0; k < 3; k = k + 1) begin
            clocks(400, 0);
            clocks(800, 100);
        end
        check(((starved | lost) & runs) == {LONGEST{1'b0}}, "W5 a STOP expires");
        lose_go   = 1'b0;
        lose_stop = 1'b1;
        clocks(700, 0);
        check(&(lost | ~runs), "W5 what finds no room is dropped, and counted");
        lose_stop = 1'b0;
        clocks(700, 100);
        measure;
        clocks(1500, 90);
        check(((starved | lost) & runs) == {LONGEST{1'b0}}, "W5 and all is as before");
        verdict;
    end
endmodule

`default_nettype wire
