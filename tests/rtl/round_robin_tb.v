// round_robin_tb: grants are one-hot, given whenever somebody asks, and nobody waits for more than N-1 others.
// SPDX-License-Identifier: ISC
`default_nettype none

module round_robin_tb;
    `include "bench.vh"

    localparam MOST = 7;

    reg clk = 1'b0, reset = 1'b1;
    reg [MOST-1:0] request = 0;
    integer density = 50;
    wire [2:MOST] done;

    genvar n;
    generate
        for (n = 2; n <= MOST; n = n + 1) begin : width
            wire [n-1:0] grant;
            integer waited [0:n-1];
            integer granted [0:n-1];
            integer i, ones;
            round_robin #(.N(n)) dut (.clk(clk), .reset(reset), .request(request[n-1:0]), .grant(grant));
            initial for (i = 0; i < n; i = i + 1) begin
                waited[i] = 0;
                granted[i] = 0;
            end
            assign done[n] = granted[0] > 100 && granted[n-1] > 100;
            always @(posedge clk)
                if (!reset) begin
                    ones = 0;
                    for (i = 0; i < n; i = i + 1) begin
                        ones = ones + grant[i];
                        if (grant[i]) granted[i] = granted[i] + 1;
                        // Others served since this requester began to ask; a request that is withdrawn starts anew.
                        waited[i] = !request[i] || grant[i] ? 0 : waited[i] + |(request[n-1:0]);
                        check(waited[i] < n, "U1: arbitration is fair");
                    end
                    check(ones == |request[n-1:0], "U1: one grant whenever somebody asks");
                    check((grant & ~request[n-1:0]) == 0, "U1: only who asks is granted");
                end
        end
    endgenerate

    always #5 clk = !clk;

    integer c, i;
    initial begin
        begin_bench;
        repeat (2) @(posedge clk);
        for (c = 0; c < 6000; c = c + 1) begin
            #1;
            reset = 1'b0;
            if (c % 100 == 0) density = 5 + below(96);
            // Requests stay until something changes often enough that patterns lock into the arbiter's order.
            for (i = 0; i < MOST; i = i + 1)
                if (below(2)) request[i] = percent(density);
            @(posedge clk);
        end
        check(&done, "every requester was granted often");
        verdict;
    end
endmodule

`default_nettype wire
