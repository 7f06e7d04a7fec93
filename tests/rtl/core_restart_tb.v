// core_restart_tb: power_on_reset and core_restart together. Reset from the first clock on and for 11 microseconds, again while
// `running` is 0; the core's reset for some clocks after a request, or when it was not alive for two to three ticks while
// watched.
// SPDX-License-Identifier: ISC
`default_nettype none

module core_restart_tb;
    `include "bench.vh"

    localparam SETTLE = 256;  // clocks at 12 MHz

    reg  clk = 1'b0, running = 1'b1, restart = 1'b0, watched = 1'b0, alive = 1'b0, tick = 1'b0;
    wire power_reset, core_reset, expired;

    power_on_reset #(.CLOCK_HZ(12000000)) power_on (.clk(clk), .running(running), .reset(power_reset));
    core_restart dut (
        .clk(clk), .power_reset(power_reset), .restart(restart), .watched(watched), .alive(alive), .tick(tick),
        .core_reset(core_reset), .expired(expired));

    always #5 clk = !clk;

    integer clocks;

    task cycle(input wants, input lives, input ticks);
        begin
            {restart, alive, tick} = {wants, lives, ticks};
            @(posedge clk);
            #1;
        end
    endtask

    // Clocks until the core's reset is `level`.
    task measure(input level, input integer limit);
        for (clocks = 0; core_reset != level && clocks < limit; clocks = clocks + 1)
            cycle(1'b0, 1'b0, 1'b0);
    endtask

    task power_on_again;
        begin
            measure(1'b0, 1000);
            check(clocks >= 132 && clocks <= SETTLE + 20 && !power_reset, "reset lasts 11 microseconds or more");
            check(!expired, "power-on is no expiry");
            #2 running = 1'b0;
            #(10 * (4 + below(20))) check(core_reset && power_reset, "reset while not running");
            running = 1'b1;
            @(posedge clk);
            #1;
        end
    endtask

    integer i, k;
    initial begin
        begin_bench;
        #1 check(power_reset, "reset before the first clock");
        @(posedge clk);
        #1 check(core_reset, "the core is in reset behind the first clock");
        for (i = 0; i < 5; i = i + 1)
            power_on_again;
        measure(1'b0, 1000);
        for (i = 0; i < 200; i = i + 1) begin
            watched = percent(70);
            // Alive before the third tick, however often: no reset.
            for (k = 0; k < 30; k = k + 1)
                cycle(1'b0, k % 3 == 0 || percent(20), k % 3 == 1 || k % 3 == 2);
            check(!core_reset, "an alive core is not reset");
            cycle(1'b0, 1'b1, 1'b0);
            for (k = 0; k < 3; k = k + 1) begin
                repeat (below(50)) cycle(1'b0, 1'b0, 1'b0);
                check(!core_reset, "nothing expires before the third tick");
                cycle(1'b0, 1'b0, 1'b1);
            end
            measure(1'b1, 10);
            check(core_reset == watched, "the watchdog resets the core if it is on");
            if (watched) begin
                check(expired, "the watchdog was the cause");
                measure(1'b0, 100);
                check(clocks >= 8 && clocks < 40, "the reset ends");
            end
            if (percent(50)) begin
                cycle(1'b1, 1'b0, 1'b0);
                check(core_reset, "the reset begins in the clock behind its request");
                check(core_reset && !expired && !power_reset, "a request resets the core, and is the cause");
                measure(1'b0, 100);
                check(clocks >= 8 && clocks < 40, "the reset ends");
            end
        end
        verdict;
    end
endmodule

`default_nettype wire
