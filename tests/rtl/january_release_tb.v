// january_release_tb: any words in any order on all inputs of one fabric of discipline `january`, and every output is released in
// the end (X1).
// SPDX-License-Identifier: ISC
`default_nettype none

module january_release_tb;
    malformed_traffic #(.TOPOLOGY(0), .WORD_WIDTH(16), .LINKS(4), .DEFERS(0), .ONWARD(3)) grid ();
    malformed_traffic #(.TOPOLOGY(1), .WORD_WIDTH(32), .LINKS(4), .DEFERS(0), .ONWARD(3)) torus ();
    malformed_traffic #(.TOPOLOGY(2), .WORD_WIDTH(16), .LINKS(3), .DEFERS(0), .ONWARD(3)) hypercube_3 ();

    integer seed;
    integer failures [0:2];

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 1;
        $display("seed %0d", seed);
        grid.run(40, seed, failures[0]);
        torus.run(40, seed, failures[1]);
        hypercube_3.run(40, seed, failures[2]);
        $display("%0s", failures[0] + failures[1] + failures[2] == 0 ? "PASS" : "FAIL");
        $finish;
    end
endmodule

`default_nettype wire
