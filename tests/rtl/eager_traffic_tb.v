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

    integer part; // of the packets; +long: all
    integer seed, errors;

    // A run that has failed may hang for long: no further ones.
    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 1;
        $display("seed %0d", seed);
        part = $test$plusargs("long") ? 1 : 5;
        grid_3x3.round(60 / part, 600, seed, errors);
        if (errors == 0) grid_3x3.round(40 / part, 1500, seed + 10, errors);
        if (errors == 0) grid_6x2.round(40 / part, 400, seed + 1, errors);
        if (errors == 0) grid_6x2.round(20 / part, 1000, seed + 11, errors);
        if (errors == 0) grid_4x4.round(50 / part, 500, seed + 2, errors);
        if (errors == 0) wide_4x3.round(30 / part, 1500, seed + 3, errors);
        if (errors == 0) torus_3x3.round(30 / part, 800, seed + 4, errors);
        $display("%0s", errors == 0 ? "PASS" : "FAIL");
        $finish;
    end
endmodule

`default_nettype wire
