// fabric_routes_tb: where a packet leaves an idle fabric, in dimension order, on a hypercube, and with adaptive lists
// (tests/rtl/fabric_routes.v).
// SPDX-License-Identifier: ISC
`default_nettype none

module fabric_routes_tb;
    fabric_routes ordered ();
    fabric_routes #(.HYPERCUBE(1)) hypercube ();
    fabric_routes #(.ADAPTIVE(1)) adaptive ();
    fabric_routes #(.ADAPTIVE(1), .HYPERCUBE(1)) adaptive_hypercube ();

    integer seed;
    integer failures [0:3];

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 1;
        $display("seed %0d", seed);
        ordered.run(1500, seed, failures[0]);
        hypercube.run(800, seed, failures[1]);
        adaptive.run(1500, seed, failures[2]);
        adaptive_hypercube.run(800, seed, failures[3]);
        $display("%0s", failures[0] + failures[1] + failures[2] + failures[3] == 0 ? "PASS" : "FAIL");
        $finish;
    end
endmodule

`default_nettype wire
