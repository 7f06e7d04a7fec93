// wormlan_multicast_tb: multicasts of discipline `wormlan` in the LAN of Figure 3 of Gerla, Palnati and Walton (1996), with each
// way of keeping them from deadlock (W10 to W12). +long: more rounds.
// SPDX-License-Identifier: ISC
`default_nettype none

module wormlan_multicast_tb;
    wormlan_multicast tree ();
    wormlan_multicast #(.FLUSH(1)) flush ();

    integer first_seed;
    initial begin
        if (!$value$plusargs("seed=%d", first_seed)) first_seed = 1;
        $display("seed %0d", first_seed);
        tree.run(first_seed);
        flush.run(first_seed);
        $display("%0s", tree.errors + flush.errors == 0 ? "PASS" : "FAIL");
        $finish;
    end
endmodule

`default_nettype wire
