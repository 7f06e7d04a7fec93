// eager_traffic_tb: random packets on grids whose unicast heads go on before they have been compared (EAGER=1). The same
// checks as in mesh_traffic_tb: each arrives exactly once and whole, and a dead word is nobody's packet. +seed=N replays a run.
// SPDX-License-Identifier: ISC
`default_nettype none

module eager_traffic_tb;
    traffic_run #(.SIZE_X(3), .SIZE_Y(3), .EAGER(1)) grid_3x3 ();
    traffic_run #(.SIZE_X(6), .SIZE_Y(2), .EAGER(1)) grid_6x2 ();
    traffic_run #(.SIZE_X(4), .SIZE_Y(4), .EAGER(1)) grid_4x4 ();
    traffic_run #(.SIZE_X(4), .SIZE_Y(3), .WORD_WIDTH(32), .EAGER(1)) wide_4x3 ();
    traffic_run #(.TOPOLOGY(1), .SIZE_X(3), .SIZE_Y(3), .EAGER(1)) torus_3x3 ();

    integer seed, errors, n;
    integer count [0:4];

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 1;
        $display("seed %0d", seed);
        for (n = 0; n < 5; n = n + 1) count[n] = 0;
        grid_3x3.round(120, 1200, seed, count[0]);
        grid_3x3.round(100, 3000, seed + 10, count[0]);
        grid_6x2.round(80, 800, seed + 1, count[1]);
        grid_6x2.round(60, 3000, seed + 11, count[1]);
        grid_4x4.round(80, 600, seed + 2, count[2]);
        grid_4x4.round(60, 3000, seed + 12, count[2]);
        wide_4x3.round(60, 2000, seed + 3, count[3]);
        torus_3x3.round(50, 1000, seed + 4, count[4]);
        errors = 0;
        for (n = 0; n < 5; n = n + 1) errors = errors + count[n];
        $display("%0s", errors == 0 ? "PASS" : "FAIL");
        $finish;
    end
endmodule

`default_nettype wire
