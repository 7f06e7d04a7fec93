// router_periods_tb: every threshold of the time-outs (U3, R3, M6), from the shortest to the longest. None expires early, and
// none late.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module router_periods_tb;
    `include "router_bench.vh"

    integer threshold;
    reg     aborted;

    // Clocks in which nothing moves, no more than `most`: faster than one_clock.
    task idle(input integer most, input integer from);
        begin
            clocks = 0;
            #1 while (clocks < most && !taken[from] && !event_abort) begin
                clk = 1'b1;
                #1 clk = 1'b0;
                clocks = clocks + 1;
                #1;
            end
        end
    endtask

    // A word waits for `least` clocks, and for no more than `most` further ones.
    task waits(input integer least, input integer most, input integer from, input [2:0] tag, input [15:0] word,
               input [8*100-1:0] name);
        begin
            stays(1, from, tag, word, name);
            idle(least - 1, from);
            check(clocks == least - 1, name);
            idle(most, from);
            check(clocks < most, name);
            aborted = event_abort;
            moves(from, tag, word, name);
            got(HERE, {1'b0, tag}, word, name);
            got_nothing(ALL & ~5'd1, name);
        end
    endtask

    // The head wants what another packet has. Heads age by a common clock, which has run for any number of clocks.
    task diverts(input in_relief, input [8*100-1:0] name);
        begin
            start;
            divert_threshold = in_relief ? 16'd2 : threshold;
            relief_limit = in_relief ? threshold : 16'd2;
            relief = in_relief;
            passes(NORTH, SOUTH, UNICAST, at(1, 0), "the wanted output is taken by another");
            stays(1 + below(threshold > 30 ? 30 : threshold), HERE, UNICAST, at(1, 0),
                  "U3: a packet of this site does not divert");
            waits(threshold + 1, threshold + SOON, EAST, UNICAST, at(1, 0), name);
        end
    endtask

    task aborts;
        begin
            start;
            abort_threshold = threshold;
            moves(WEST, MULTICAST, at(1, 3), "M1: a tree takes local, then its branch");
            fill(5'b01000);
            waits(threshold, threshold / 2 + 2, WEST, DATA, 16'd9, "M6: after abort_threshold to 1.5 times as many clocks");
            check(aborted, "M6: a packet whose branch waits too long is aborted");
        end
    endtask

    initial begin
        begin_bench;
        for (threshold = 2; threshold <= 32768; threshold = 2 * threshold) begin
            diverts(1'b0, "U3: after one to two periods");
            diverts(1'b1, "R3: after one to two periods of relief");
            if (threshold >= 4) aborts;
        end
        verdict;
    end
endmodule

`default_nettype wire
