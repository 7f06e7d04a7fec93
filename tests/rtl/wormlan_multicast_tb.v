// wormlan_multicast_tb: multicasts of discipline `wormlan` in the LAN of Figure 3 of Gerla, Palnati and Walton (1996), with each
// way of keeping them from deadlock (W10 to W15). +long: more rounds; +way=N: one of them, by its place among the values of
// wormlan.multicast.
// SPDX-License-Identifier: ISC
`default_nettype none

module wormlan_multicast_tb;
    wormlan_multicast tree ();
    wormlan_multicast #(.WAY(2)) flush ();
    wormlan_multicast #(.WAY(3)) interrupt ();

    integer first_seed, way;
    initial begin
        if (!$value$plusargs("seed=%d", first_seed)) first_seed = 1;
        if (!$value$plusargs("way=%d", way)) way = 0;
        $display("seed %0d", first_seed);
        if (way == 0 || way == 1) tree.run(first_seed);
        if (way == 0 || way == 2) flush.run(first_seed);
        if (way == 0 || way == 3) interrupt.run(first_seed);
        $display("%0s", tree.errors + flush.errors + interrupt.errors == 0 ? "PASS" : "FAIL");
        $finish;
    end
endmodule

`default_nettype wire
