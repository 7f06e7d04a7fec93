// mesh_traffic_tb: random packets on small meshes of every topology; each must arrive exactly once and whole, no link
// may break a rule, and nothing may be left behind. +seed=N replays a run.
// SPDX-License-Identifier: ISC
`default_nettype none

module mesh_traffic_tb;
    traffic_run #(.SIZE_X(3), .SIZE_Y(3)) grid_3x3 ();
    traffic_run #(.SIZE_X(2), .SIZE_Y(2), .ADAPTIVE(1)) grid_2x2 ();
    traffic_run #(.SIZE_X(4), .SIZE_Y(1), .WORD_WIDTH(32), .INPUT_DEPTH(4)) chain_4 ();
    traffic_run #(.SIZE_X(4), .SIZE_Y(3), .ADAPTIVE(1), .INPUT_DEPTH(16)) adaptive_4x3 ();
    traffic_run #(.TOPOLOGY(1), .SIZE_X(3), .SIZE_Y(3), .WORD_WIDTH(32)) torus_3x3 ();
    traffic_run #(.TOPOLOGY(1), .SIZE_X(4), .SIZE_Y(2), .ADAPTIVE(1)) torus_4x2 ();
    traffic_run #(.TOPOLOGY(1), .SIZE_X(5), .SIZE_Y(1), .INPUT_DEPTH(4)) ring_5 ();
    traffic_run #(.TOPOLOGY(2), .SIZE_X(2), .SIZE_Y(1), .LINKS(1)) hypercube_1 ();
    traffic_run #(.TOPOLOGY(2), .SIZE_X(8), .SIZE_Y(1), .LINKS(3)) hypercube_3 ();
    traffic_run #(.TOPOLOGY(2), .SIZE_X(8), .SIZE_Y(1), .LINKS(3), .ADAPTIVE(1), .INPUT_DEPTH(4)) hypercube_3_adaptive ();
    traffic_run #(.TOPOLOGY(2), .SIZE_X(16), .SIZE_Y(1), .LINKS(4), .WORD_WIDTH(32)) hypercube_4 ();

    integer part; // of the packets, if every kind of event comes with those; +long: all
    integer seed, errors, n;
    integer count [0:10];

    function exercised(input unused);
        exercised = grid_3x3.deferrals != 0 && grid_3x3.aborts + torus_3x3.aborts + ring_5.aborts != 0
            && torus_3x3.diversions + ring_5.diversions + adaptive_4x3.diversions != 0;
    endfunction

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 1;
        $display("seed %0d", seed);
        part = $test$plusargs("long") ? 1 : 3;
        for (n = 0; n < 11; n = n + 1) count[n] = 0;
        grid_3x3.round(80 / part, 800, seed, count[0]);
        grid_3x3.round(80 / part, 3000, seed + 10, count[0]);
        grid_2x2.round(80 / part, 300, seed + 1, count[1]);
        grid_2x2.round(80 / part, 1000, seed + 11, count[1]);
        chain_4.round(80 / part, 500, seed + 2, count[2]);
        torus_3x3.round(60 / part, 400, seed + 3, count[3]);
        torus_4x2.round(80 / part, 1200, seed + 4, count[4]);
        hypercube_3.round(80 / part, 800, seed + 5, count[5]);
        hypercube_4.round(40 / part, 600, seed + 6, count[6]);
        hypercube_1.round(100 / part, 400, seed + 7, count[7]);
        adaptive_4x3.round(60 / part, 700, seed + 8, count[8]);
        ring_5.round(80 / part, 600, seed + 9, count[9]);
        hypercube_3_adaptive.round(60 / part, 500, seed + 12, count[10]);
        // Few packets need not bring every kind of event.
        for (n = 0; n < 4 && !exercised(0); n = n + 1) begin
            grid_3x3.round(80, 800, seed + 20 + n, count[0]);
            torus_3x3.round(60, 400, seed + 20 + n, count[3]);
            adaptive_4x3.round(60, 700, seed + 20 + n, count[8]);
        end
        errors = 0;
        for (n = 0; n < 11; n = n + 1) errors = errors + count[n];
        if (!exercised(0)) begin
            $display("error: not every kind of event was exercised");
            errors = errors + 1;
        end
        $display("%0s", errors == 0 ? "PASS" : "FAIL");
        $finish;
    end
endmodule

`default_nettype wire
