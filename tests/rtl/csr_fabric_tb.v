// csr_fabric_tb: packets, malformed streams of operators, damaged links and sites that are reset alone, in hypercubes of
// discipline `csr` (C7 to C14). +long: three dimensions too, more short rounds, and then long ones.
// SPDX-License-Identifier: ISC
`default_nettype none

module csr_fabric_tb;
    csr_traffic #(.DIMENSIONS(2), .SUBCUBES(1)) plain ();
    csr_traffic #(.DIMENSIONS(2), .WORD_WIDTH(32), .SLOT_WORDS(33), .SERIAL(1)) serial ();
    csr_traffic #(.DIMENSIONS(3), .SLOT_WORDS(19)) odd ();
    csr_traffic #(.DIMENSIONS(2), .EXPRESS(1)) express ();
    csr_traffic #(.DIMENSIONS(3), .EXPRESS(1)) far ();

    integer seed, round, failures, strange;
    reg     long;

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 1;
        long = $test$plusargs("long") != 0;
        $display("seed %0d", seed);
        for (round = 0; round < (long ? 10 : 1); round = round + 1) begin
            plain.run(long ? 700 : 200, seed + round);
            serial.run(long ? 400 : 120, seed + round);
            express.run(long ? 700 : 200, seed + round);
            if (long) odd.run(400, seed + round);
            if (long) far.run(400, seed + round);
        end
        if (long) begin
            plain.run(20000, seed);
            serial.run(20000, seed);
            odd.run(3000, seed);
            express.run(20000, seed);
            far.run(3000, seed);
        end
        failures = plain.errors + serial.errors + odd.errors + express.errors + far.errors;
        strange  = plain.strange + serial.strange;
        if (long && strange == 0) begin
            $display("error: C10 what does not belong there is counted");
            failures = failures + 1;
        end
        $display("%0s", failures == 0 ? "PASS" : "FAIL");
        $finish;
    end
endmodule

`default_nettype wire
