// csr_fabric_tb: packets, malformed streams of operators, damaged links and sites that are reset alone, in hypercubes of
// discipline `csr` (C7 to C10). +long: three dimensions, too.
// SPDX-License-Identifier: ISC
`default_nettype none

module csr_fabric_tb;
    csr_traffic #(.DIMENSIONS(2)) plain ();
    csr_traffic #(.DIMENSIONS(2), .WORD_WIDTH(32), .SLOT_WORDS(33), .SERIAL(1)) serial ();
    csr_traffic #(.DIMENSIONS(3), .SLOT_WORDS(19)) odd ();

    integer seed;
    integer failures [0:2];
    reg     long;

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 1;
        long = $test$plusargs("long") != 0;
        $display("seed %0d", seed);
        plain.run(long ? 20000 : 700, seed, failures[0]);
        serial.run(long ? 20000 : 400, seed, failures[1]);
        failures[2] = 0;
        if (long) odd.run(3000, seed, failures[2]);
        if (plain.strange == 0) $display("error: C10 what does not belong there is counted");
        $display("%0s", failures[0] + failures[1] + failures[2] == 0 && plain.strange > 0 ? "PASS" : "FAIL");
        $finish;
    end
endmodule

`default_nettype wire
