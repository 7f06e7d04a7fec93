// router_relief_tb: heads of packets that a site in relief would rather not have (R1, R3), and links that lead nowhere (R4),
// clock by clock.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module router_relief_tb;
    `include "router_bench.vh"

    task begin_blocked(input [15:0] threshold, input [15:0] limit);
        begin
            start;
            divert_threshold = threshold;
            relief_limit = limit;
            passes(NORTH, SOUTH, UNICAST, at(1, 0), "the wanted output is taken by another");
            relief = 1'b1;
        end
    endtask

    task diverts_within(input integer most, input [8*100-1:0] name);
        begin
            moves_within(most, EAST, UNICAST, at(1, 0), name);
            got(HERE, {1'b0, UNICAST}, at(1, 0), name);
            got_nothing(ALL & ~5'd1, name);
            check(diversions == 1, name);
            passes(EAST, HERE, END_OF_PACKET, 16'd0, "R1: a diverted packet is like any other");
        end
    endtask

    task unicasts(input integer threshold, input integer limit);
        begin
            begin_blocked(threshold, limit);
            stays(limit + 1, EAST, UNICAST, at(1, 0), "R1: in relief a unicast does not divert");
            diverts_within(limit + SOON, "R3: a head is held back for two periods of relief at most");

            // The limit is each head's own.
            stays(limit + 1, EAST, UNICAST, at(1, 0), "R1, R3: the next head is held back as long");
            diverts_within(limit + SOON, "R3: relief ends for the next head too");
        end
    endtask

    task unicasts_otherwise;
        begin
            begin_blocked(16'd8, 16'd128);
            stays(100, EAST, UNICAST, at(1, 0), "R1: in relief a unicast does not divert");
            relief = 1'b0;
            diverts_within(16 + SOON, "R1: without relief U3 holds at once");

            begin_blocked(16'd8, 16'd0);
            stays(9, EAST, UNICAST, at(1, 0), "R3: a limit of 0 is no relief");
            diverts_within(8 + SOON, "R3: a limit of 0 is no relief");

            begin_blocked(16'd8, 16'd128);
            stays(40, EAST, UNICAST, at(1, 0), "R1: in relief a unicast does not divert");
            passes(NORTH, SOUTH, END_OF_PACKET, 16'd0, "the other packet ends");
            passes(EAST, SOUTH, UNICAST, at(1, 0), "R1: a head in relief takes its own output as soon as it can");
            passes(EAST, SOUTH, END_OF_PACKET, 16'd0, "R1: a head in relief takes its own output as soon as it can");
            passes(EAST, HERE, UNICAST, at(1, 1), "R1: what is for this site is taken in relief");
            passes(EAST, HERE, END_OF_PACKET, 16'd0, "R1: what is for this site is taken in relief");

            begin_blocked(16'hffff, 16'd4);
            stays(200, EAST, UNICAST, at(1, 0), "R1: relief makes nothing divert that would not");
        end
    endtask

    // A tree that turns here is split in relief, too: only its packet's source can avoid that.
    task trees;
        begin
            start;
            relief = 1'b1;
            moves(WEST, MULTICAST, at(1, 3), "M1: a tree takes local, in relief too");
            got(HERE, {1'b0, MULTICAST}, at(1, 3), "M1: a tree takes local, in relief too");
            got(NORTH, {1'b0, MULTICAST}, at(1, 3), "M1: and its branch");
        end
    endtask

    task whole(input integer from, input integer to, input [2:0] tag, input [15:0] target, input [8*100-1:0] name);
        begin
            passes(from, to, tag, target, name);
            passes(from, to, END_OF_PACKET, 16'd0, name);
            tick;
        end
    endtask

    task down;
        begin
            start;
            link_down = 4'b0001;
            whole(WEST, NORTH, UNICAST, at(3, 3), "R4: where x is down a unicast goes in y first");
            whole(HERE, NORTH, UNICAST, at(3, 3), "R4: where x is down a unicast goes in y first");
            whole(WEST, EAST, UNICAST, at(3, 1), "R4: a link that is down serves what has nothing else");
            whole(WEST, EAST, MULTICAST, MARK | at(3, 3), "R4, M3: a multicast goes in dimension order whatever is down");
            link_down = 4'b0000;
            passes(WEST, EAST, UNICAST, at(3, 3), "U1: x before y");
            link_down = 4'b0001;
            passes(WEST, EAST, END_OF_PACKET, 16'd0, "R4: a packet stays on its output");

            // East is down, north busy: wait, then divert as ever.
            passes(SOUTH, NORTH, UNICAST, at(1, 3), "another packet holds north");
            stays(9, WEST, UNICAST, at(3, 3), "R4: the way round waits as any other");
            moves_within(8 + SOON, WEST, UNICAST, at(3, 3), "R4, U3: and diverts if it does not come free");
            check(diversions == 1, "R4, U3: and diverts if it does not come free");

            start;
            link_down = 4'b0101;
            whole(WEST, NORTH, UNICAST, at(3, 3), "R4: y serves, up or down");
            link_down = 4'b1010;
            whole(WEST, EAST, UNICAST, at(3, 3), "R4: links on no way do not matter");
            whole(WEST, HERE, UNICAST, at(1, 1), "R4: local is never down");
        end
    endtask

    initial begin
        begin_bench;
        unicasts(0, 2);
        unicasts(8, 16);
        unicasts(2, 64);
        unicasts_otherwise;
        trees;
        down;
        verdict;
    end
endmodule

`default_nettype wire
