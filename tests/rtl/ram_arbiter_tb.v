// ram_arbiter_tb: at most one grant, to somebody who asks; nobody waits for more than two clocks; two busy masters get half
// each and three a third; a core alone never waits; the RAM sees exactly the access of the master that was granted.
// SPDX-License-Identifier: ISC
`default_nettype none

module ram_arbiter_tb;
    `include "bench.vh"

    localparam ACCESS = 1 + 30 + 32 + 4;

    reg clk = 1'b0, reset = 1'b1;
    reg  [2:0]        request = 3'd0;      // core, receive, send
    reg  [2:1]        soon = 2'd0;         // they will ask in the next clock, or so they say
    reg  [ACCESS-1:0] access [0:2];        // we, addr, wdata, sel
    wire [2:0]        grant;
    wire              ram_req;
    wire [ACCESS-1:0] ram_access;

    ram_arbiter dut (
        .clk(clk), .reset(reset),
        .core_req(request[0]), .core_we(access[0][66]), .core_addr(access[0][65:36]), .core_wdata(access[0][35:4]),
        .core_sel(access[0][3:0]), .core_gnt(grant[0]),
        .receive_req(request[1]), .receive_we(access[1][66]), .receive_addr(access[1][65:36]),
        .receive_wdata(access[1][35:4]), .receive_sel(access[1][3:0]), .receive_soon(soon[1]),
        .receive_gnt(grant[1]),
        .send_req(request[2]), .send_we(access[2][66]), .send_addr(access[2][65:36]), .send_wdata(access[2][35:4]),
        .send_sel(access[2][3:0]), .send_soon(soon[2]), .send_gnt(grant[2]),
        .ram_req(ram_req), .ram_we(ram_access[66]), .ram_addr(ram_access[65:36]), .ram_wdata(ram_access[35:4]),
        .ram_sel(ram_access[3:0])
    );

    always #5 clk = !clk;

    integer waited [0:2];
    integer granted [0:2];
    integer i;

    task watch;
        begin
            check(grant[0] + grant[1] + grant[2] <= 1, "one grant at a time");
            check(grant[0] || request != 3'd1 || {request_before[2:1], soon_before} != 4'd0,
                  "a core that asks alone is granted at once");
            check(grant != 3'd0 || request == 3'd0 || (request & request_before) != request_before || request_before == 3'd0 ||
                  soon_before != 2'd0,
                  "who still asks is not forgotten");
            check((grant & ~request) == 3'd0, "only who asks is granted");
            check(ram_req == (grant != 3'd0), "the RAM is used when somebody is granted");
            for (i = 0; i < 3; i = i + 1) begin
                if (grant[i]) check(ram_access === access[i], "the RAM sees the access that is granted");
                if (grant[i]) granted[i] = granted[i] + 1;
                waited[i] = request[i] && !grant[i] ? waited[i] + 1 : 0;
                check(waited[i] <= 2, "nobody waits more than two clocks");
            end
        end
    endtask

    // Clocks with the same masters asking all the time.
    task share(input [2:0] busy, input integer clocks);
        integer n;
        begin
            request = busy;
            #1 watch;
            @(posedge clk);                // the turns come round
            for (n = 0; n < 3; n = n + 1) granted[n] = 0;
            repeat (clocks) begin
                #1 watch;
                @(posedge clk);
            end
            for (n = 0; n < 3; n = n + 1)
                check(granted[n] == (busy[n] ? clocks / (busy[0] + busy[1] + busy[2]) : 0), "busy masters share evenly");
        end
    endtask

    integer c, m, density;
    initial begin
        begin_bench;
        for (m = 0; m < 3; m = m + 1) begin
            waited[m] = 0;
            granted[m] = 0;
            access[m] = 0;
        end
        repeat (2) @(posedge clk);
        reset <= 1'b0;
        @(posedge clk);
        for (c = 1; c < 8; c = c + 1) begin
            for (m = 0; m < 3; m = m + 1) access[m] = {$random(seed), $random(seed), $random(seed)};
            share(c[2:0], 12);
        end
        density = 50;
        for (c = 0; c < 20000; c = c + 1) begin
            #1;
            if (c % 200 == 0) density = 10 + below(90);
            soon = {percent(density), percent(density)};
            for (m = 0; m < 3; m = m + 1)
                if (!request[m] || grant_before[m] || percent(5)) begin
                    request[m] = percent(density);
                    access[m] = {$random(seed), $random(seed), $random(seed)};
                end
            #1 watch;
            @(posedge clk);
        end
        verdict;
    end

    reg [2:0] grant_before, request_before = 3'd0;
    reg [2:1] soon_before = 2'd0;
    always @(posedge clk) {grant_before, request_before, soon_before} <= {grant, request, soon};
endmodule

`default_nettype wire
