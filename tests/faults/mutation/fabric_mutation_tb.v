// fabric_mutation_tb: the random packets of fabric_tb and fabric_quiet_tb, for the one word width and number of links that a
// mutated netlist has. It has the crossbar of a grid and a torus.
// SPDX-License-Identifier: ISC
`default_nettype none

module fabric_mutation_tb;
    fabric_traffic #(.TOPOLOGY(0), .WORD_WIDTH(16), .LINKS(4)) grid ();
    fabric_traffic #(.TOPOLOGY(1), .WORD_WIDTH(16), .LINKS(4)) torus ();
    fabric_traffic #(.TOPOLOGY(0), .WORD_WIDTH(16), .LINKS(4), .SLEEPS(1)) sleeping ();

    integer seed, errors;
    integer failures [0:2];

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 1;
        $display("seed %0d", seed);
        grid.run(600, seed, failures[0]);
        torus.run(500, seed, failures[1]);
        sleeping.run(250, seed, failures[2]);
        errors = failures[0] + failures[1] + failures[2];
        $display("%0s", errors == 0 ? "PASS" : "FAIL");
        $finish;
    end
endmodule

`default_nettype wire
