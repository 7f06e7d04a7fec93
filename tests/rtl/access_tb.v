// access_tb: sources that request at random and change their minds, a net_output that is now and then not ready, packets of
// random length. The owner keeps the output until its packet ends, unless, in a ring, its head has not crossed by the next pulse.
// The output goes only to a source that requests it; a source that requests it is granted it after no more than one grant to
// each other one. An output without a request selects source 0, and a head of source 0 that goes straight on gets it at once,
// but yields to any request (U1, U4, M6, M7).
// SPDX-License-Identifier: ISC
`default_nettype none

module access_tb;
    `include "bench.vh"

    localparam MOST = 5;

    reg clk = 1'b0, reset = 1'b1;
    wire [2:MOST] done;

    genvar n;
    generate
        for (n = 2; n <= MOST; n = n + 1) begin : width
            localparam SELECT = $clog2(n);
            reg  [n-1:0] asks = 0;       // heads that were looked up and wait
            reg  [n-1:0] copying = 0;    // whose net_output is a branch
            reg  straight = 1'b0;        // source 0 shows a head for the first clock
            reg  ready = 1'b1, rings = 1'b1, expires = 1'b0, ends = 1'b0, unsplits = 1'b0;
            wire [SELECT-1:0] select;
            wire owned, copy, passes;
            access #(.SOURCES(n)) dut (
                .clk(clk), .reset(reset), .rings(rings), .expires(expires), .asks(asks), .straight(straight),
                .copying(copying), .ready(ready), .ends(ends), .unsplits(unsplits), .select(select), .owned(owned),
                .copy(copy), .passes(passes));

            // The last clock: which source may have been granted the output.
            reg [n-1:0] asked, copied;
            reg could, was_owned, passed, branch, crossed, lapses, lapsed;
            integer owner, i, passings, branches, lapsings, standing, others [0:n-1], served [0:n-1];
            initial begin
                owner = -1;
                passings = 0;
                branches = 0;
                lapsings = 0;
                standing = 0;
                {asked, copied} = 0;
                {could, was_owned, passed, branch, crossed, lapses, lapsed} = 7'd0;
                for (i = 0; i < n; i = i + 1) begin
                    others[i] = 0;
                    served[i] = 0;
                end
            end
            assign done[n] = served[0] > 100 && served[n-1] > 100 && passings > 100 && branches > 100 && lapsings > 100 &&
                             standing > 100;

            // Before the edge: judge; behind it: what the sources and the net_output do next.
            always @(negedge clk)
                if (!reset) begin
                    check(owned == (could || owner >= 0),
                          lapsed ? "U4: a grant lapses at a pulse before which the head could not cross" :
                                   "U4, M6: owned from the clock after the grant to the end of the packet");
                    if (could && owned) begin
                        owner = select;
                        check(passed ? owner == 0 : asked[owner],
                              "U1: granted only to a source that requests it, or to a head that goes straight on");
                        branch = !passed && copied[owner];
                        branches = branches + branch;
                        served[owner] = served[owner] + 1;
                        passings = passings + passed;
                        for (i = 0; i < n; i = i + 1) others[i] = i == owner || !asked[i] ? 0 : others[i] + 1;
                        crossed = passed;
                        standing = standing + (branch && !ready);  // a branch stays: it times out
                    end
                    lapses = rings && expires && owner >= 0 && !crossed && !branch && !ready;
                    lapsings = lapsings + lapses;
                    crossed = crossed || ready || branch;  // a branch that becomes an ordinary connection stays, too
                    if (owner >= 0) check(select == owner, "U1, U4: no other source while it is owned");
                    else if (!was_owned && asked == 0) check(select == 0, "U1: without a request it selects straight on");
                    check(copy == (owner >= 0 && branch), "M1, M7: part of the split packet, until it ends or is aborted");
                    check(passes == (straight && asks == 0 && select == 0 && ready && owner < 0),
                          "U1: a head goes straight on at once if the output is free, selects it, and has no request");
                    for (i = 0; i < n; i = i + 1) begin
                        if (!asks[i]) others[i] = 0;
                        check(others[i] < n, "U1: arbitration is fair");
                    end

                    was_owned = owner >= 0;
                    could = owner < 0 && ready && (|asks || passes);
                    passed = passes;
                    asked = asks;
                    copied = copying;
                    if (unsplits) branch = 1'b0;
                    lapsed = lapses && !ends;
                    if (ends || lapses) owner = -1;
                end
            always @(posedge clk)
                if (!reset) begin
                    #1;
                    ready = percent(80);
                    expires = percent(50);
                    rings = may_ring;
                    ends = owned && percent(25);
                    unsplits = percent(5);
                    // An owner goes on requesting or not; a source without the output may withdraw its request.
                    for (i = 0; i < n; i = i + 1)
                        if (owned && select == i && !ends) asks[i] = percent(20);
                        else if (percent(density)) asks[i] = 1'b1;
                        else if (percent(patience)) asks[i] = 1'b0;
                    copying = below(1 << n);
                    straight = !(owned && select == 0) && !asks[0] && percent(straight_density);
                end
        end
    endgenerate

    reg     may_ring;                    // constant for long: packets may wait for each other in a ring
    integer density, patience, straight_density, c;
    initial begin
        begin_bench;
        density = 10;
        patience = 0;
        may_ring = 1'b1;
        straight_density = 50;
        #5 clk = 1'b1;
        #5 clk = 1'b0;
        #3 reset = 1'b0;
        for (c = 0; c < 25000 || (c < 250000 && !(&done)); c = c + 1) begin
            if (c % 200 == 0) begin
                density = below(3) ? below(60) : 0;
                may_ring = below(3) != 0;
                patience = below(2) ? below(30) : 0;
                straight_density = below(3) ? below(101) : 100;
            end
            #2 clk = 1'b1;
            #5 clk = 1'b0;
            #3;
        end
        check(&done, "every source was served often");
        verdict;
    end
endmodule

`default_nettype wire
