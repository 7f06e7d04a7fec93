// router_relief_tb: heads of packets that a site in relief would rather not have (R1-R3), and lists with outputs that
// lead nowhere (R4), clock by clock.
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
            passes(NORTH, EAST, UNICAST, at(3, 1), "the wanted output is taken by another");
            relief = 1'b1;
        end
    endtask

    task diverts_within(input integer most, input [8*100-1:0] name);
        begin
            moves_within(most, WEST, UNICAST, at(2, 1), name);
            got(HERE, {1'b0, UNICAST}, at(2, 1), name);
            got_nothing(ALL & ~5'd1, name);
            check(diversions == 1, name);
            passes(WEST, HERE, END_OF_PACKET, 16'd0, "R1: a diverted packet is like any other");
        end
    endtask

    task unicasts(input integer threshold, input integer limit);
        begin
            begin_blocked(threshold, limit);
            stays(threshold + limit + 1, WEST, UNICAST, at(2, 1), "R1: in relief a unicast does not divert");
            diverts_within(2 * period(threshold + limit) + SOON,
                           "R3: relief lapses after relief_limit tries beyond the threshold");

            // The limit is each head's own.
            stays(threshold + limit + 1, WEST, UNICAST, at(2, 1), "R1, R3: the next head is held back as long");
            diverts_within(2 * period(threshold + limit) + SOON, "R3: relief lapses for the next head too");
        end
    endtask

    task unicasts_otherwise;
        begin
            begin_blocked(16'd5, 16'd70);
            stays(70, WEST, UNICAST, at(2, 1), "R1: in relief a unicast does not divert");
            relief = 1'b0;
            diverts_within(2 * period(5) + SOON, "R1: without relief U3 holds at once");

            begin_blocked(16'd5, 16'd0);
            stays(6, WEST, UNICAST, at(2, 1), "U2: none available: wait");
            diverts_within(2 * period(5) + SOON, "R3: a limit of 0 is no relief");

            begin_blocked(16'd5, 16'd70);
            stays(40, WEST, UNICAST, at(2, 1), "R1: in relief a unicast does not divert");
            passes(NORTH, EAST, END_OF_PACKET, 16'd0, "the other packet ends");
            passes(WEST, EAST, UNICAST, at(2, 1), "R1: a head in relief takes its own output as soon as it can");
            passes(WEST, EAST, END_OF_PACKET, 16'd0, "R1: a head in relief takes its own output as soon as it can");
            passes(WEST, HERE, UNICAST, at(1, 1), "R1: what is for this site is taken in relief");
            passes(WEST, HERE, END_OF_PACKET, 16'd0, "R1: what is for this site is taken in relief");

            begin_blocked(16'hffff, 16'd3);
            stays(200, WEST, UNICAST, at(2, 1), "R1: relief makes nothing divert that would not");
        end
    endtask

    task multicast_passes;
        begin
            start;
            relief = 1'b1;
            passes(WEST, EAST, MULTICAST, at(3, 1), "R2: in relief a multicast passes though local is available");
            check(passings == 1 && splits == 0, "R2: in relief a multicast passes");
            relief = 1'b0;
            passes(WEST, EAST, MULTICAST, at(1, 1), "R2, M2: the whole packet passes, a target for this site included");
            passes(WEST, EAST, DATA, 16'd1, "R2, M2: the whole packet passes");
            passes(WEST, EAST, END_OF_PACKET, 16'd0, "R2, M2: the whole packet passes");
            tick;
            ended("U4: released");
        end
    endtask

    task multicast_held(input [15:0] threshold, input integer tries);
        begin
            begin_blocked(threshold, tries - (threshold == 16'hffff ? 0 : threshold));
            stays(tries + 1, WEST, MULTICAST, at(3, 1), "R2: in relief a multicast does not take local alone first");
            local_alone(2 * period(tries) + SOON, WEST, at(3, 1), "R3: relief lapses, and local is taken (M1)");
        end
    endtask

    // What is added for relief is all of the limit, where packets never divert too. The common clock begins with the head.
    task held_to_the_clock(input [15:0] threshold, input integer limit, input integer tries);
        begin
            begin_blocked(threshold, limit);
            stays(2 * period(tries) - SOON, WEST, MULTICAST, at(3, 1), "R3: a period is not shorter than its tries");
            local_alone(2 * SOON, WEST, at(3, 1), "R3: relief lapses, and local is taken (M1)");
        end
    endtask

    task multicast_otherwise;
        begin
            begin_blocked(16'd5, 16'd70);
            stays(60, WEST, MULTICAST, at(3, 1), "R2: in relief a multicast does not take local alone first");
            relief = 1'b0;
            local_alone(SOON, WEST, at(3, 1), "R2: without relief M1 holds at once");

            begin_blocked(16'd5, 16'd0);
            local_alone(SOON, WEST, at(3, 1), "R3: a limit of 0 is no relief");

            begin_blocked(16'd5, 16'd7);
            local_alone(SOON, HERE, at(3, 1), "R2: packets that begin here are not held back");

            start;
            relief = 1'b1;
            moves(WEST, MULTICAST, at(1, 1), "R2: a first target that is local is served in relief");
            got(HERE, {1'b0, MULTICAST}, at(1, 1), "R2: a first target that is local is served in relief");
            check(splits == 1 && passings == 0, "R2: a first target that is local is served in relief");
            moves(WEST, MULTICAST, at(3, 1), "R2: a connection that is split goes on as ever");
            got(EAST, {1'b0, MULTICAST}, at(3, 1), "R2: a connection that is split goes on as ever");
            got(HERE, {1'b0, MULTICAST}, at(3, 1), "R2: a connection that is split goes on as ever");
        end
    endtask

    task whole(input integer to, input [15:0] target, input [8*100-1:0] name);
        begin
            passes(WEST, to, UNICAST, target, name);
            passes(WEST, to, END_OF_PACKET, 16'd0, name);
            tick;
        end
    endtask

    task down_unicasts;
        begin
            start;
            link_down = 4'b0001;
            whole(NORTH, at(3, 3), "R4: an output that is down is left out of a list with another");
            whole(EAST, at(3, 1), "R4: an output that is down serves a list that has nothing else");
            passes(WEST, EAST, UNICAST, at(3, 3) | 16'h8000, "R4: strict order has nothing else");
            link_down = 4'b0000;
            passes(WEST, EAST, END_OF_PACKET, 16'd0, "R4: a packet stays on its output");

            // East is down, north busy: wait, then divert as ever.
            passes(SOUTH, NORTH, UNICAST, at(1, 3), "another packet holds north");
            link_down = 4'b0001;
            stays(6, WEST, UNICAST, at(3, 3), "R4: a list whose outputs that are up are busy waits for one");
            moves_within(2 * period(5) + SOON, WEST, UNICAST, at(3, 3), "R4, U3: and diverts if none comes free");
            check(diversions == 1, "R4, U3: and diverts if none comes free");

            start;
            link_down = 4'b0101;
            whole(EAST, at(3, 3), "R4: all down: the list is as if all were up");
            link_down = 4'b1010;
            whole(EAST, at(3, 3), "R4: outputs on no list do not matter");
            whole(HERE, at(1, 1), "R4: local is never down");
        end
    endtask

    task down_multicasts;
        begin
            start;
            multicast_lists = 8'b10101010;
            link_down = 4'b0001;
            moves(WEST, MULTICAST, at(3, 3), "R4: a multicast head avoids an output that is down");
            got(NORTH, {1'b0, MULTICAST}, at(3, 3), "R4: a multicast head avoids an output that is down");
            moves(WEST, MULTICAST, at(3, 1), "R4: a further target uses what is down if its list has nothing else");
            got(EAST, {1'b0, MULTICAST}, at(3, 1), "R4: a further target uses what is down if its list has nothing else");
            got(NORTH, {1'b0, NULL_TARGET}, 16'd0, "P3: null_target in foreign slots");
            moves(WEST, MULTICAST, at(2, 2), "R4, M3: a further target avoids an open branch that is down");
            got(NORTH, {1'b0, MULTICAST}, at(2, 2), "R4, M3: a further target avoids an open branch that is down");
            got(EAST, {1'b0, NULL_TARGET}, 16'd0, "R4, M3: a further target avoids an open branch that is down");
            moves(WEST, END_OF_PACKET, 16'd0, "M8: every branch gets the terminator");
            got(EAST, {1'b0, END_OF_PACKET}, 16'd0, "M8: every branch gets the terminator");
            got(NORTH, {1'b0, END_OF_PACKET}, 16'd0, "M8: every branch gets the terminator");
            tick;
            ended("U4: released");

            // A branch that has opened is its target's, whatever goes down before it carries it.
            link_down = 4'b0000;
            moves(WEST, MULTICAST, at(1, 3), "M1: a head");
            fill(5'b01000);
            stays(SETTLED, WEST, MULTICAST, at(3, 3), "M5: all branches or none");
            link_down = 4'b0001;
            stays(SETTLED, WEST, MULTICAST, at(3, 3), "M5: all branches or none");
            fill(5'd0);
            moves(WEST, MULTICAST, at(3, 3), "M5: all branches or none");
            got(EAST, {1'b0, MULTICAST}, at(3, 3), "R4, P3: a branch begins with the target that opened it");
            got(NORTH, {1'b0, NULL_TARGET}, 16'd0, "P3: null_target in foreign slots");
        end
    endtask

    initial begin
        begin_bench;
        unicasts(0, 1);
        unicasts(5, 7);
        unicasts(2, 40);
        unicasts_otherwise;
        multicast_passes;
        multicast_held(16'd5, 12);
        multicast_held(16'd0, 1);
        multicast_held(16'hffff, 9);
        multicast_held(16'd5, 75);
        held_to_the_clock(16'hffff, 9, 9);
        held_to_the_clock(16'd8, 9, 17);
        multicast_otherwise;
        down_unicasts;
        down_multicasts;
        verdict;
    end
endmodule

`default_nettype wire
