// fabric_release_tb: any words in any order on all inputs of one fabric, and every output is released in the end (X1).
// SPDX-License-Identifier: ISC
`default_nettype none

module fabric_release_tb;
    malformed_traffic #(.TOPOLOGY(0), .WORD_WIDTH(16), .LINKS(4)) grid ();
    malformed_traffic #(.TOPOLOGY(1), .WORD_WIDTH(32), .LINKS(4)) torus ();
    malformed_traffic #(.TOPOLOGY(0), .WORD_WIDTH(16), .LINKS(4), .ADAPTIVE(1), .INPUT_DEPTH(4)) adaptive ();
    malformed_traffic #(.TOPOLOGY(2), .WORD_WIDTH(16), .LINKS(3)) hypercube_3 ();
    malformed_traffic #(.TOPOLOGY(2), .WORD_WIDTH(32), .LINKS(1)) hypercube_1 ();

    integer seed;
    integer failures [0:4];

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 1;
        $display("seed %0d", seed);
        grid.run(40, seed, failures[0]);
        adaptive.run(20, seed, failures[4]);
        torus.run(20, seed, failures[1]);
        hypercube_3.run(40, seed, failures[2]);
        hypercube_1.run(20, seed, failures[3]);
        $display("%0s", failures[0] + failures[1] + failures[2] + failures[3] + failures[4] == 0 ? "PASS" : "FAIL");
        $finish;
    end
endmodule

`default_nettype wire
