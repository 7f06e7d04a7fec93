// router_relief_tb: heads of packets that a site in relief would rather not have (R1-R3), and lists with outputs that
// lead nowhere (R4), clock by clock.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module router_relief_tb;
    `include "router_bench.vh"

    integer i;

    // One clock in which this head finds nothing.
    task stuck(input integer from, input [2:0] tag, input [15:0] target, input [8*100-1:0] name);
        begin
            shows(from, tag, target);
            takes(5'd0, name);
            nothing(ALL, name);
            check(!event_divert && !event_split && !event_pass, name);
            tick;
        end
    endtask

    // A head that gets local and no remote output.
    task local_first(input integer from, input [15:0] target, input [8*100-1:0] name);
        begin
            shows(from, MULTICAST, target);
            gets(HERE, {1'b0, MULTICAST}, target, name);
            nothing(ALL & ~5'd1, name);
            takes(5'd0, name);
            check(event_split, name);
            tick;
        end
    endtask

    task begin_blocked(input [15:0] threshold, input [15:0] limit);
        begin
            start;
            divert_threshold = threshold;
            relief_limit = limit;
            passes(NORTH, EAST, UNICAST, at(3, 1), "the wanted output is taken by another");
            relief = 1'b1;
        end
    endtask

    task diverts(input [8*100-1:0] name);
        begin
            shows(WEST, UNICAST, at(2, 1));
            gets(HERE, {1'b0, UNICAST}, at(2, 1), name);
            takes(5'd1 << WEST, name);
            check(event_divert, name);
            tick;
            passes(WEST, HERE, END_OF_PACKET, 16'd0, "R1: a diverted packet is like any other");
        end
    endtask

    task unicasts(input integer threshold, input integer limit);
        begin
            begin_blocked(threshold, limit);
            for (i = 0; i <= threshold + limit; i = i + 1)
                stuck(WEST, UNICAST, at(2, 1), "R1: in relief a unicast does not divert");
            diverts("R3: relief lapses after relief_limit tries beyond the threshold");

            // The limit is each head's own.
            for (i = 0; i <= threshold + limit; i = i + 1)
                stuck(WEST, UNICAST, at(2, 1), "R1, R3: the next head is held back as long");
            diverts("R3: relief lapses for the next head too");
        end
    endtask

    task unicasts_otherwise;
        begin
            begin_blocked(16'd5, 16'd7);
            repeat (9) stuck(WEST, UNICAST, at(2, 1), "R1: in relief a unicast does not divert");
            relief = 1'b0;
            diverts("R1: without relief U3 holds at once");

            begin_blocked(16'd5, 16'd0);
            repeat (6) stuck(WEST, UNICAST, at(2, 1), "U2: none available: wait");
            diverts("R3: a limit of 0 is no relief");

            begin_blocked(16'd5, 16'd7);
            repeat (9) stuck(WEST, UNICAST, at(2, 1), "R1: in relief a unicast does not divert");
            passes(NORTH, EAST, END_OF_PACKET, 16'd0, "the other packet ends");
            passes(WEST, EAST, UNICAST, at(2, 1), "R1: a head in relief takes its own output as soon as it can");
            passes(WEST, EAST, END_OF_PACKET, 16'd0, "R1: a head in relief takes its own output as soon as it can");
            passes(WEST, HERE, UNICAST, at(1, 1), "R1: what is for this site is taken in relief");
            passes(WEST, HERE, END_OF_PACKET, 16'd0, "R1: what is for this site is taken in relief");

            begin_blocked(16'hffff, 16'd3);
            repeat (50) stuck(WEST, UNICAST, at(2, 1), "R1: relief makes nothing divert that would not");
        end
    endtask

    task multicast_passes;
        begin
            start;
            relief = 1'b1;
            shows(WEST, MULTICAST, at(3, 1));
            gets(EAST, {1'b0, MULTICAST}, at(3, 1), "R2: in relief a multicast passes though local is available");
            nothing(5'b11101, "R2: in relief there is no split");
            takes(5'd1 << WEST, "R2: in relief a multicast passes");
            check(event_pass && !event_split, "R2: in relief a multicast passes");
            tick;
            relief = 1'b0;
            passes(WEST, EAST, MULTICAST, at(1, 1), "R2, M2: the whole packet passes, a target for this site included");
            passes(WEST, EAST, DATA, 16'd1, "R2, M2: the whole packet passes");
            passes(WEST, EAST, END_OF_PACKET, 16'd0, "R2, M2: the whole packet passes");
            ended("U4: released");
        end
    endtask

    task multicast_held(input [15:0] threshold, input integer tries, input integer limit);
        begin
            begin_blocked(threshold, limit);
            for (i = 0; i <= tries + limit; i = i + 1)
                stuck(WEST, MULTICAST, at(3, 1), "R2: in relief a multicast does not take local alone first");
            local_first(WEST, at(3, 1), "R3: relief lapses, and local is taken (M1)");
        end
    endtask

    task multicast_otherwise;
        begin
            begin_blocked(16'd5, 16'd7);
            repeat (3) stuck(WEST, MULTICAST, at(3, 1), "R2: in relief a multicast does not take local alone first");
            relief = 1'b0;
            local_first(WEST, at(3, 1), "R2: without relief M1 holds at once");

            begin_blocked(16'd5, 16'd0);
            local_first(WEST, at(3, 1), "R3: a limit of 0 is no relief");

            begin_blocked(16'd5, 16'd7);
            local_first(HERE, at(3, 1), "R2: packets that begin here are not held back");

            start;
            relief = 1'b1;
            shows(WEST, MULTICAST, at(1, 1));
            gets(HERE, {1'b0, MULTICAST}, at(1, 1), "R2: a first target that is local is served in relief");
            takes(5'd1 << WEST, "R2: a first target that is local is served in relief");
            check(event_split && !event_pass, "R2: a first target that is local is served in relief");
            tick;
            shows(WEST, MULTICAST, at(3, 1));
            gets(EAST, {1'b0, MULTICAST}, at(3, 1), "R2: a connection that is split goes on as ever");
            gets(HERE, {1'b0, MULTICAST}, at(3, 1), "R2: a connection that is split goes on as ever");
            tick;
        end
    endtask

    task down_unicasts;
        begin
            start;
            link_down = 4'b0001;
            passes(WEST, NORTH, UNICAST, at(3, 3), "R4: an output that is down is left out of a list with another");
            passes(WEST, NORTH, END_OF_PACKET, 16'd0, "R4: an output that is down is left out of a list with another");
            passes(WEST, EAST, UNICAST, at(3, 1), "R4: an output that is down serves a list that has nothing else");
            passes(WEST, EAST, END_OF_PACKET, 16'd0, "R4: a packet passes an output that is down, terminator included");
            passes(WEST, EAST, UNICAST, at(3, 3) | 16'h8000, "R4: strict order has nothing else");
            link_down = 4'b0000;
            passes(WEST, EAST, END_OF_PACKET, 16'd0, "R4: a packet stays on its output");

            // East is down, north busy: wait, then divert as ever.
            passes(SOUTH, NORTH, UNICAST, at(1, 3), "another packet holds north");
            for (i = 0; i <= 5; i = i + 1) begin
                link_down = 4'b0001;
                stuck(WEST, UNICAST, at(3, 3), "R4: a list whose outputs that are up are busy waits for one");
            end
            shows(WEST, UNICAST, at(3, 3));
            check(event_divert, "R4, U3: and diverts if none comes free");
            tick;

            start;
            link_down = 4'b0101;
            passes(WEST, EAST, UNICAST, at(3, 3), "R4: all down: the list is as if all were up");
            passes(WEST, EAST, END_OF_PACKET, 16'd0, "R4: all down: the list is as if all were up");
            link_down = 4'b1010;
            passes(WEST, EAST, UNICAST, at(3, 3), "R4: outputs on no list do not matter");
            passes(WEST, EAST, END_OF_PACKET, 16'd0, "R4: outputs on no list do not matter");
            passes(WEST, HERE, UNICAST, at(1, 1), "R4: local is never down");
            passes(WEST, HERE, END_OF_PACKET, 16'd0, "R4: local is never down");
        end
    endtask

    task down_multicasts;
        begin
            start;
            multicast_lists = 8'b10101010;
            link_down = 4'b0001;
            shows(WEST, MULTICAST, at(3, 3));
            gets(NORTH, {1'b0, MULTICAST}, at(3, 3), "R4: a multicast head avoids an output that is down");
            takes(5'd1 << WEST, "R4: a multicast head avoids an output that is down");
            tick;
            shows(WEST, MULTICAST, at(3, 1));
            gets(EAST, {1'b0, MULTICAST}, at(3, 1), "R4: a further target uses what is down if its list has nothing else");
            gets(NORTH, {1'b0, NULL_TARGET}, 16'd0, "P3: null_target in foreign slots");
            tick;
            shows(WEST, MULTICAST, at(2, 2));
            gets(NORTH, {1'b0, MULTICAST}, at(2, 2), "R4, M3: a further target avoids an open branch that is down");
            gets(EAST, {1'b0, NULL_TARGET}, 16'd0, "R4, M3: a further target avoids an open branch that is down");
            tick;
            shows(WEST, END_OF_PACKET, 16'd0);
            gets(EAST, {1'b0, END_OF_PACKET}, 16'd0, "M8: every branch gets the terminator");
            gets(NORTH, {1'b0, END_OF_PACKET}, 16'd0, "M8: every branch gets the terminator");
            tick;
            ended("U4: released");
        end
    endtask

    initial begin
        begin_bench;
        unicasts(0, 1);
        unicasts(5, 7);
        unicasts(2, 40);
        unicasts_otherwise;
        multicast_passes;
        multicast_held(16'd5, 5, 7);
        multicast_held(16'd0, 0, 1);
        multicast_held(16'hffff, 0, 9);
        multicast_otherwise;
        down_unicasts;
        down_multicasts;
        verdict;
    end
endmodule

`default_nettype wire
