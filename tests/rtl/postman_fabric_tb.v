// postman_fabric_tb: packets, malformed streams of operators, and any bits on lines, at sites of discipline `postman` (X1).
// +long: twice the rounds, of six times the length.
// SPDX-License-Identifier: ISC
`default_nettype none

module postman_fabric_tb;
    postman_traffic #(.WORD_WIDTH(16), .INTERLEAVE(1)) plain ();
    postman_traffic #(.WORD_WIDTH(32), .INTERLEAVE(1)) wide ();
    postman_traffic #(.WORD_WIDTH(16), .INTERLEAVE(2)) shared ();

    integer seed, rounds;
    integer failures [0:2];

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 1;
        $display("seed %0d", seed);
        rounds = $test$plusargs("long") ? 2 : 1;
        plain.run(2 * rounds, seed, failures[0]);
        wide.run(rounds, seed, failures[1]);
        shared.run(2 * rounds, seed, failures[2]);
        $display("%0s", failures[0] + failures[1] + failures[2] == 0 ? "PASS" : "FAIL");
        $finish;
    end
endmodule

`default_nettype wire
