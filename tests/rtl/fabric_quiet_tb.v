// fabric_quiet_tb: a fabric whose clock stands still while it is quiet and nothing is shown to it behaves as one whose
// clock runs. Simulations that jump over quiet stretches, and sleeping sites, rest on it.
// SPDX-License-Identifier: ISC
`default_nettype none

module fabric_quiet_tb;
    fabric_traffic #(.TOPOLOGY(0), .WORD_WIDTH(16), .LINKS(4), .SLEEPS(1)) grid ();
    fabric_traffic #(.TOPOLOGY(2), .WORD_WIDTH(32), .LINKS(3), .SLEEPS(1)) hypercube ();

    integer seed;
    integer failures [0:1];

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 1;
        $display("seed %0d", seed);
        grid.run(400, seed, failures[0]);
        grid.run(400, seed + 1, failures[0]);
        hypercube.run(400, seed, failures[1]);
        $display("%0s", failures[0] + failures[1] == 0 ? "PASS" : "FAIL");
        $finish;
    end
endmodule

`default_nettype wire
