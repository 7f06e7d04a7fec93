// fabric_mutation_tb: the routes of fabric_routes_tb and the random packets of fabric_tb and fabric_quiet_tb, for the one word
// width, number of links and routing that a mutated netlist has: a grid and a torus in dimension order.
// SPDX-License-Identifier: ISC
`default_nettype none

module fabric_mutation_tb;
    fabric_routes routes ();
    fabric_traffic #(.TOPOLOGY(0), .WORD_WIDTH(16), .LINKS(4)) grid ();
    fabric_traffic #(.TOPOLOGY(1), .WORD_WIDTH(16), .LINKS(4)) torus ();
    fabric_traffic #(.TOPOLOGY(0), .WORD_WIDTH(16), .LINKS(4), .SLEEPS(1)) sleeping ();

    integer seed, failures;

    // A run that has failed may hang for long: no further ones.
    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 1;
        $display("seed %0d", seed);
        routes.run(1500, seed, failures);
        if (failures == 0) grid.run(600, seed, failures);
        if (failures == 0) torus.run(500, seed, failures);
        if (failures == 0) sleeping.run(250, seed, failures);
        $display("%0s", failures == 0 ? "PASS" : "FAIL");
        $finish;
    end
endmodule

`default_nettype wire
