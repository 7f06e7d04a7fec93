// mesh_traffic_tb: random packets on small meshes of every topology; each must arrive exactly once and whole, no link
// may break a rule, and nothing may be left behind. +seed=N replays a run.
// SPDX-License-Identifier: ISC
`default_nettype none

module mesh_traffic_tb;
    traffic_run #(.TOPOLOGY(0), .SIZE_X(3), .SIZE_Y(3), .LINKS(4), .WORD_WIDTH(16)) grid_3x3 ();
    traffic_run #(.TOPOLOGY(0), .SIZE_X(2), .SIZE_Y(2), .LINKS(6), .WORD_WIDTH(16)) grid_2x2 ();
    traffic_run #(.TOPOLOGY(0), .SIZE_X(4), .SIZE_Y(1), .LINKS(2), .WORD_WIDTH(32)) chain_4 ();
    traffic_run #(.TOPOLOGY(1), .SIZE_X(3), .SIZE_Y(3), .LINKS(4), .WORD_WIDTH(32)) torus_3x3 ();
    traffic_run #(.TOPOLOGY(1), .SIZE_X(4), .SIZE_Y(2), .LINKS(4), .WORD_WIDTH(16)) torus_4x2 ();
    traffic_run #(.TOPOLOGY(2), .SIZE_X(2), .SIZE_Y(1), .LINKS(1), .WORD_WIDTH(16)) hypercube_1 ();
    traffic_run #(.TOPOLOGY(2), .SIZE_X(8), .SIZE_Y(1), .LINKS(3), .WORD_WIDTH(16)) hypercube_3 ();
    traffic_run #(.TOPOLOGY(2), .SIZE_X(16), .SIZE_Y(1), .LINKS(4), .WORD_WIDTH(32)) hypercube_4 ();

    integer seed, errors, n;
    integer count [0:7];

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 1;
        $display("seed %0d", seed);
        for (n = 0; n < 8; n = n + 1) count[n] = 0;
        grid_3x3.round(120, 1200, seed, count[0]);
        grid_3x3.round(120, 4000, seed + 10, count[0]);
        grid_2x2.round(120, 400, seed + 1, count[1]);
        grid_2x2.round(120, 1200, seed + 11, count[1]);
        chain_4.round(100, 600, seed + 2, count[2]);
        torus_3x3.round(120, 800, seed + 3, count[3]);
        torus_4x2.round(120, 2000, seed + 4, count[4]);
        hypercube_3.round(120, 1200, seed + 5, count[5]);
        hypercube_4.round(100, 1600, seed + 6, count[6]);
        hypercube_1.round(100, 400, seed + 7, count[7]);
        errors = 0;
        for (n = 0; n < 8; n = n + 1) errors = errors + count[n];
        $display("%0s", errors == 0 ? "PASS" : "FAIL");
        $finish;
    end
endmodule

`default_nettype wire
