// postman_variants_tb: as postman_fabric_tb, sites of which a bit crosses two in a clock, with lines first and late passes, and
// sites with one wire for data and busy of a line.
// SPDX-License-Identifier: ISC
`default_nettype none

module postman_variants_tb;
    postman_traffic #(.WORD_WIDTH(16), .PHASES(2), .PRIORITY(1), .LATE_PASS(1), .SIDE(3)) crossing ();
    postman_traffic #(.WORD_WIDTH(16), .SHARED_WIRE(1)) one_wire ();

    integer seed;
    integer failures [0:1];

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 1;
        $display("seed %0d", seed);
        one_wire.run(1, seed, failures[0]);
        crossing.run(1, seed, failures[1]);
        $display("%0s", failures[0] + failures[1] == 0 ? "PASS" : "FAIL");
        $finish;
    end
endmodule

`default_nettype wire
