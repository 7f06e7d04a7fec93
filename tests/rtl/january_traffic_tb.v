// january_traffic_tb: random packets on small meshes of discipline `january`, of every topology; each must arrive exactly
// once and whole, no link may break a rule, and nothing may be left behind. +seed=N replays a run.
// SPDX-License-Identifier: ISC
`default_nettype none

module january_traffic_tb;
    // A split packet holds outputs while its branches wait for theirs: heads must divert (rules.md).
    traffic_run #(.SIZE_X(3), .SIZE_Y(3), .NEVER(0)) grid_3x3 ();
    traffic_run #(.SIZE_X(2), .SIZE_Y(2), .NEVER(0)) grid_2x2 ();
    traffic_run #(.SIZE_X(6), .SIZE_Y(3), .WORD_WIDTH(32), .NEVER(0)) grid_6x3 ();
    traffic_run #(.TOPOLOGY(1), .SIZE_X(4), .SIZE_Y(2), .NEVER(0)) torus_4x2 ();
    traffic_run #(.TOPOLOGY(1), .SIZE_X(5), .SIZE_Y(1), .NEVER(0)) ring_5 ();
    traffic_run #(.TOPOLOGY(2), .SIZE_X(2), .SIZE_Y(1), .LINKS(1), .NEVER(0)) hypercube_1 ();
    traffic_run #(.TOPOLOGY(2), .SIZE_X(8), .SIZE_Y(1), .LINKS(3), .NEVER(0)) hypercube_3 ();

    integer part; // of some packets, and of the rounds, if every kind of event comes in those; +long: all
    integer seed, errors, n;
    integer count [0:6];

    function exercised(input unused);
        exercised = grid_2x2.aborts + grid_3x3.aborts != 0
            && grid_2x2.diversions + grid_3x3.diversions + ring_5.diversions != 0;
    endfunction

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 1;
        $display("seed %0d", seed);
        part = $test$plusargs("long") ? 1 : 5;
        errors = 0;
        for (n = 0; n < 6 / part || n < 6 && !exercised(0); n = n + 1) begin
            grid_2x2.round(60, 200, seed + 10*n, count[0]);
            grid_3x3.round(80, n == 1 ? 3000 : 300, seed + 10*n + 1, count[1]);
            ring_5.round(60, 300, seed + 10*n + 2, count[2]);
        end
        torus_4x2.round(80 / part, 1200, seed + 3, count[3]);
        hypercube_1.round(100 / part, 400, seed + 4, count[4]);
        hypercube_3.round(80 / part, 800, seed + 5, count[5]);
        grid_6x3.round(40 / part, 800, seed + 6, count[6]);   // lists longer than a net_input holds
        for (n = 0; n < 7; n = n + 1) errors = errors + count[n];
        if (!exercised(0)) begin
            $display("error: not every kind of event was exercised");
            errors = errors + 1;
        end
        $display("%0s", errors == 0 ? "PASS" : "FAIL");
        $finish;
    end
endmodule

`default_nettype wire
