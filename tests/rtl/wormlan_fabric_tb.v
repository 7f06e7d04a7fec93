// wormlan_fabric_tb: packets, malformed streams of operators, forged routes, damaged links and sites that are reset alone, in
// rings of discipline `wormlan` (W1 to W9). +long: more rounds.
// SPDX-License-Identifier: ISC
`default_nettype none

module wormlan_fabric_tb;
    wormlan_traffic near ();
    wormlan_traffic #(.DELAY_0(3), .DELAY_1(4), .DELAY_2(1)) far ();
    wormlan_traffic #(.WORD_WIDTH(32), .SLACK_LOG2(5), .DELAY_0(2), .DELAY_1(9), .DELAY_2(4)) wide ();

    integer first_seed, rounds, round, length;
    initial begin
        if (!$value$plusargs("seed=%d", first_seed)) first_seed = 1;
        $display("seed %0d", first_seed);
        rounds = $test$plusargs("long") ? 20 : 1;
        length = $test$plusargs("long") ? 1200 : 600;
        for (round = 0; round < rounds; round = round + 1) begin
            near.run(length, first_seed + 1000 * round, 1'b0);
            far.run(length, first_seed + 1000 * round, 1'b0);
            wide.run(length, first_seed + 1000 * round, 1'b1);
        end
        $display("%0s", near.errors + far.errors + wide.errors == 0 ? "PASS" : "FAIL");
        $finish;
    end
endmodule

`default_nettype wire
