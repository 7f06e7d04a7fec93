// postman_torus_tb: packets and malformed streams of operators at the sites of a torus of discipline `postman` (R17, X1).
// SPDX-License-Identifier: ISC
`default_nettype none

module postman_torus_tb;
    postman_traffic #(.WORD_WIDTH(16), .INTERLEAVE(1), .SIDE(3), .TORUS(1)) torus ();
    postman_traffic #(.WORD_WIDTH(16), .INTERLEAVE(4), .SIDE(2), .TORUS(1)) shared ();

    integer seed;
    integer failures [0:1];

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 1;
        $display("seed %0d", seed);
        torus.run(1, seed, failures[0]);
        shared.run(1, seed, failures[1]);
        $display("%0s", failures[0] + failures[1] == 0 ? "PASS" : "FAIL");
        $finish;
    end
endmodule

`default_nettype wire
