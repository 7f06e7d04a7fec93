// fabric_tb: random packets on all inputs of one fabric, for 3 to 6 links, both word widths and all topologies.
// time limit: 900 s
// SPDX-License-Identifier: ISC
`default_nettype none

module fabric_tb;
    fabric_traffic #(.TOPOLOGY(0), .WORD_WIDTH(16), .LINKS(4)) grid ();
    fabric_traffic #(.TOPOLOGY(0), .WORD_WIDTH(32), .LINKS(4), .INPUT_DEPTH(4)) wide ();
    fabric_traffic #(.TOPOLOGY(1), .WORD_WIDTH(32), .LINKS(4), .ADAPTIVE(1)) torus ();
    fabric_traffic #(.TOPOLOGY(2), .WORD_WIDTH(16), .LINKS(3)) hypercube_3 ();
    fabric_traffic #(.TOPOLOGY(2), .WORD_WIDTH(32), .LINKS(5), .INPUT_DEPTH(16)) hypercube_5 ();
    fabric_traffic #(.TOPOLOGY(2), .WORD_WIDTH(16), .LINKS(6)) hypercube_6 ();

    integer seed, n, errors;
    integer failures [0:5];

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 1;
        $display("seed %0d", seed);
        for (n = 0; n < ($test$plusargs("long") ? 2 : 1); n = n + 1) begin
            grid.run(600, seed + n, failures[0]);
            wide.run(500, seed + n, failures[1]);
            torus.run(600, seed + n, failures[2]);
            hypercube_3.run(500, seed + n, failures[3]);
            hypercube_5.run(800, seed + n, failures[4]);
            hypercube_6.run(900, seed + n, failures[5]);
        end
        grid.check_types(failures[0]);
        wide.check_types(failures[1]);
        torus.check_types(failures[2]);
        hypercube_3.check_types(failures[3]);
        hypercube_5.check_types(failures[4]);
        hypercube_6.check_types(failures[5]);
        errors = 0;
        for (n = 0; n < 6; n = n + 1) errors = errors + failures[n];
        $display("%0s", errors == 0 ? "PASS" : "FAIL");
        $finish;
    end
endmodule

`default_nettype wire
