// access_tb: sources that ask at random, a net_output that is now and then not ready, packets of random length. Whoever has the
// output keeps it until its terminator is in the latch, nobody gets it who does not want it, a source that asks is served
// after no more than one packet of each other one, an output that nobody asks for listens to source 0, and a head of source 0
// that goes straight on gets it at once, but yields to whoever asks (U1, U4, M7).
// SPDX-License-Identifier: ISC
`default_nettype none

module access_tb;
    `include "bench.vh"

    localparam MOST = 5;
    localparam IDLE_CLOCKS = 3;  // after which an output that nobody asks for listens to source 0

    reg clk = 1'b0, reset = 1'b1;
    wire [2:MOST] done;

    genvar n;
    generate
        for (n = 2; n <= MOST; n = n + 1) begin : width
            localparam SELECT = $clog2(n);
            reg  [n-1:0] asks = 0;       // heads that were looked up and wait
            reg  straight = 1'b0;        // source 0 shows a head for the first clock
            reg  ready = 1'b1, terminated = 1'b0, release_now = 1'b0;
            wire [SELECT-1:0] select;
            wire owned, wanted, takes, passes;
            access #(.SOURCES(n)) dut (
                .clk(clk), .reset(reset), .asks(asks), .straight(straight), .ready(ready), .terminated(terminated),
                .release_now(release_now), .select(select), .owned(owned), .wanted(wanted), .takes(takes),
                .passes(passes));

            reg took, passed, released;
            integer owner, left, idle, who, i, passings, others [0:n-1], served [0:n-1];
            initial begin
                owner = -1;
                left = 0;
                idle = 0;
                passings = 0;
                took = 1'b0;
                passed = 1'b0;
                released = 1'b0;
                who = 0;
                for (i = 0; i < n; i = i + 1) begin
                    others[i] = 0;
                    served[i] = 0;
                end
            end
            assign done[n] = served[0] > 100 && served[n-1] > 100 && passings > 100;

            // Before the edge: judge; behind it: what the sources and the net_output do next.
            always @(negedge clk)
                if (!reset) begin
                    took = takes || passes;
                    passed = passes;
                    who = select;
                    released = release_now;
                    check(owned == (owner >= 0), "U4: owned from the head to the terminator");
                    if (owner >= 0) check(select == owner && !took, "U1, U4: nobody else while it is owned");
                    check(!takes || wanted && ready, "U1: taken only by who wants it, and when it is ready");
                    check(wanted == asks[select], "U1: wanted by the source listened to");
                    check(!passes || asks == 0, "U1: a head that goes straight on yields to who asks");
                    check(passes == (straight && asks == 0 && select == 0 && ready && owner < 0),
                          "U1: a head goes straight on at once if the output is free, listens, and nobody asks");
                    idle = asks == 0 && owner < 0 && !terminated ? idle + 1 : 0;
                    if (idle > IDLE_CLOCKS) check(select == 0, "U1: when nobody asks it listens straight on");
                    for (i = 0; i < n; i = i + 1) check(others[i] < n, "U1: arbitration is fair");
                end
            always @(posedge clk)
                if (!reset) begin
                    #1;
                    if (took) begin
                        served[who] = served[who] + 1;
                        passings = passings + passed;
                        for (i = 0; i < n; i = i + 1) others[i] = i == who || !asks[i] ? 0 : others[i] + 1;
                        asks[who] = 1'b0;
                        owner = who;
                        left = below(4);
                        terminated = 1'b0;
                        ready = percent(80);
                    end else if (owner >= 0 && released) begin
                        owner = -1;
                    end else if (owner >= 0 && ready && left == 0) begin
                        terminated = 1'b1;      // it is in the latch
                        owner = -1;
                        ready = percent(80);
                    end else begin
                        if (owner >= 0 && ready) left = left - 1;
                        if (ready) terminated = 1'b0;
                        ready = percent(80);
                    end
                    release_now = owner >= 0 && percent(5);
                    for (i = 0; i < n; i = i + 1)
                        if (i != owner && !(released && i == who) && percent(density)) asks[i] = 1'b1;
                    // A head that did not go straight on asks from the next clock on, unless it goes elsewhere.
                    if (straight && !took && percent(50)) asks[0] = 1'b1;
                    // A source whose empty branch is released is in an aborted packet, and asks for nothing at once.
                    // Back to back: source 0 shows its next head as soon as its packet has ended.
                    straight = owner != 0 && !(released && who == 0) && !asks[0] && percent(straight_density);
                end
        end
    endgenerate

    integer density, straight_density, c;
    initial begin
        begin_bench;
        density = 10;
        straight_density = 50;
        #5 clk = 1'b1;
        #5 clk = 1'b0;
        #3 reset = 1'b0;
        for (c = 0; c < 20000; c = c + 1) begin
            if (c % 200 == 0) begin
                density = below(3) ? below(60) : 0;
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
