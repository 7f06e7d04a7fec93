// router_unicast_tb: connections of unicasts, word by word (P1, P6, F1, F3, U1-U5; August paper 4.5.1).
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module router_unicast_tb;
    `include "router_bench.vh"

    integer i, tag, offset, count [0:4];

    task no_connection;
        begin
            start;
            for (i = 0; i < PORTS; i = i + 1)
                for (tag = 0; tag < 8; tag = tag + 1)
                    if (tag != UNICAST && tag != MULTICAST) begin
                        shows(i, tag, 16'h0101);
                        check(taken === (tag == 0 ? 5'd0 : 5'd1 << i),
                              "P6: without a connection only a site word is accepted");
                        check(event_drop === (tag == 0 ? 5'd0 : 5'd1 << i), "P6: a dropped word is counted");
                        watch;
                        one_clock;
                        got_nothing(ALL, "P6: a dropped word goes nowhere");
                        ended("P6: a dropped word makes no connection");
                    end
            moves(WEST, UNICAST, at(3, 1), "P6: a site word is accepted");
            check(drops == 0, "P6: a site word is not dropped");
        end
    endtask

    task words_pass;
        begin
            start;
            passes(WEST, EAST, UNICAST, at(3, 1), "U1: a site word opens a connection");
            passes(WEST, EAST, INFO, 16'h1234, "P1: target_info follows its site word");
            check(clocks == 1, "P1: a word of an open connection takes one clock");
            passes(WEST, EAST, NULL_TARGET, 16'd0, "P3: null_target passes a connection");
            tick;
            check(!quiet, "U4: a connection stays through null_transmission");
            passes(WEST, EAST, DATA, 16'h5678, "P1: data follow");
            fill(5'b00010);
            stays(3, WEST, DATA, 16'h9abc, "F3d: a word stays while its output waits");
            fill(5'd0);
            abort_request = 1'b1;
            passes(WEST, EAST, DATA, 16'h9abc, "F3d, F1: a word moves once, abort_request is as open for a unicast");
            for (i = 0; i < 3; i = i + 1) passes(WEST, EAST, DATA, 16'h9abd + i, "F1: abort_request is as open for a unicast");
            fill(5'b00010);
            stays(3, WEST, END_OF_PACKET, 16'd0, "U4: a terminator that cannot enter its output ends nothing");
            fill(5'd0);
            passes(WEST, EAST, END_OF_PACKET, 16'd0, "P1, U4: the terminator follows");
            tick;
            ended("U4: the connection is released when its terminator is latched");
            passes(WEST, EAST, UNICAST, at(2, 1), "P1: zero data words");
            passes(WEST, EAST, ABORT_PACKET, 16'd0, "M8: abort_packet passes a connection");
            tick;
            ended("U4: abort_packet releases a connection");
        end
    endtask

    task preference;
        begin
            start;
            // North-east: east before north.
            passes(HERE, EAST, UNICAST, at(3, 3), "U1: the first of the list is taken");
            passes(SOUTH, NORTH, UNICAST, at(1, 3), "U1: straight on");
            passes(SOUTH, NORTH, END_OF_PACKET, 16'd0, "U1: owned outputs carry on");
            passes(WEST, NORTH, UNICAST, at(3, 3), "U1: the first available is taken when the other is owned");
            passes(HERE, EAST, END_OF_PACKET, 16'd0, "U1: owned outputs carry on");
            passes(WEST, NORTH, END_OF_PACKET, 16'd0, "U1: owned outputs carry on");
            fill(5'b00010);
            passes(WEST, NORTH, UNICAST, at(3, 3), "U1: an output whose latch is full is not available");
            passes(WEST, NORTH, END_OF_PACKET, 16'd0, "U1: owned outputs carry on");
            passes(HERE, NORTH, UNICAST, at(3, 3), "U1: an output whose latch is full is not available");
            passes(HERE, NORTH, END_OF_PACKET, 16'd0, "U1: owned outputs carry on");
            fill(5'd0);
            unicast_lists = 8'b11111111;
            passes(HERE, NORTH, UNICAST, at(3, 3), "U1: a list may prefer the other dimension");
            passes(HERE, NORTH, END_OF_PACKET, 16'd0, "U1: owned outputs carry on");
            tick;
            passes(WEST, EAST, UNICAST, at(3, 3), "U1: straight on before what the list prefers");
            check(clocks == 1, "U1: straight on at once");
            passes(WEST, EAST, END_OF_PACKET, 16'd0, "U1: owned outputs carry on");
            unicast_lists = 8'b10101010;
            fill(5'b00001);
            stays(SETTLED, EAST, UNICAST, at(1, 1), "U1: the list of a local target is {local}");
            fill(5'd0);
            passes(EAST, HERE, UNICAST, at(1, 1), "U1: the list of a local target is {local}");
            check(diversions == 0, "U3: a packet for this site is not diverted");
            passes(EAST, HERE, END_OF_PACKET, 16'd0, "C: a unicast keeps its end_of_packet");
            tick;
            ended("U4: released");
        end
    endtask

    // From every link, by either list, with both outputs to be had. Straight on is not, in the clock in which the head is shown.
    task first_of_list;
        integer ahead, target, y_first;
        for (y_first = 0; y_first < 2; y_first = y_first + 1)
            for (i = EAST; i <= SOUTH; i = i + 1) begin
                start;
                unicast_lists = y_first ? 8'b11111111 : 8'b10101010;
                ahead = i == EAST ? WEST : i == WEST ? EAST : i == NORTH ? SOUTH : NORTH;
                target = at(i == EAST ? 0 : 3, i == NORTH ? 0 : 3);
                fill(5'd1 << ahead);
                shows(i, UNICAST, target);
                tick;
                fill(5'd0);
                passes(i, !y_first ? (i == EAST ? WEST : EAST) : i == NORTH ? SOUTH : NORTH, UNICAST, target,
                       "U1: the first of the list is taken, from every link");
            end
    endtask

    // Four net_inputs send packets of one target word and a terminator to one output, always.
    task fairness;
        reg [PORTS-1:0] in_packet;
        integer least, most;
        begin
            start;
            divert_threshold = 16'hffff;
            in_packet = 5'd0;
            for (i = 0; i < PORTS; i = i + 1) count[i] = 0;
            repeat (400) begin
                for (i = 0; i < PORTS; i = i + 1)
                    if (i != NORTH) shows(i, in_packet[i] ? END_OF_PACKET : UNICAST, in_packet[i] ? 16'd0 : at(1, 3));
                #1 check((taken & (taken - 1'b1)) == 5'd0, "U1: an output serves one connection at a time");
                for (i = 0; i < PORTS; i = i + 1)
                    if (taken[i] && in_packet[i]) count[i] = count[i] + 1;
                in_packet = in_packet ^ taken;
                tick;
            end
            least = count[HERE];
            most = count[HERE];
            for (i = 0; i < PORTS; i = i + 1)
                if (i != NORTH) begin
                    if (count[i] < least) least = count[i];
                    if (count[i] > most) most = count[i];
                end
            check(least > 20 && most - least <= 1, "U1: arbitration among net_inputs is fair");
        end
    endtask

    // East and north come free at all distances from each other: the head that waits for either is given to one.
    task one_of_two;
        integer east_ends, north_ends;
        for (east_ends = 0; east_ends < 8; east_ends = east_ends + 1)
            for (north_ends = 0; north_ends < 8; north_ends = north_ends + 1) begin
                start;
                divert_threshold = 16'hffff;
                unicast_lists = north_ends[0] ? 8'b11111111 : 8'b10101010;
                passes(NORTH, EAST, UNICAST, at(3, 1), "another packet holds east");
                passes(HERE, NORTH, UNICAST, at(1, 3), "another packet holds north");
                stays(SETTLED, WEST, UNICAST, at(3, 3), "U1, U2: both are owned: wait");
                watch;
                for (i = 0; i < 20; i = i + 1) begin
                    if (i == east_ends) shows(NORTH, END_OF_PACKET, 16'd0);
                    if (i == north_ends) shows(HERE, END_OF_PACKET, 16'd0);
                    // North comes free a while after its owner has ended.
                    fill(i >= north_ends && i < north_ends + 3 ? 5'b01000 : 5'd0);
                    one_clock;
                end
                check(got_count[EAST] + got_count[NORTH] == 3, "F3d, U1: a head is given to one output, once");
                moves(WEST, END_OF_PACKET, 16'd0, "U1: its packet goes on");
                check(got_count[EAST] + got_count[NORTH] == 1, "F3d, U1: a packet has one output");
                ended("F3d, U1: a packet has one output");
            end
    endtask

    // A head that finds its output owned: not diverted before `tries`, diverted within `most` clocks.
    task blocked(input integer from, input integer threshold, input [15:0] head);
        begin
            start;
            divert_threshold = threshold;
            passes(NORTH, EAST, UNICAST, at(3, 1), "the wanted output is taken by another");
        end
    endtask

    task divert(input integer from, input integer threshold, input [15:0] head, input integer tries, input integer most);
        begin
            blocked(from, threshold, head);
            diverts_after(from, head, tries, most);
        end
    endtask

    task diverts_after(input integer from, input [15:0] head, input integer tries, input integer most);
        begin
            stays(tries + 1, from, UNICAST, head, "U2, U3, U5: wait, no diversion before its time");
            moves_within(most - tries, from, UNICAST, head, "U3: when the tries exceed the threshold, the packet goes to local");
            got(HERE, {1'b0, UNICAST}, head, "U3: when the tries exceed the threshold, the packet goes to local");
            got_nothing(ALL & ~5'd1, "U3: a diverted packet goes to local alone");
            check(diversions == 1, "U3: a diversion is counted");
            abort_request = 1'b1;
            passes(from, HERE, DATA, 16'd7, "F1: a diverted packet is a unicast");
            passes(from, HERE, END_OF_PACKET, 16'd0, "U3: a diverted packet keeps its end_of_packet");
        end
    endtask

    task diverts(input integer from, input integer threshold);
        divert(from, threshold, at(2, 1), threshold, 2 * period(threshold) + SOON);
    endtask

    // Heads age by a common clock: it has run for any number of periods, up to 128, when the head comes.
    task stuck;
        for (offset = 0; offset <= 128; offset = offset + 32) begin
            blocked(WEST, 5, at(2, 1));
            if (offset > 0) begin
                stays((offset - 4) * period(5), SOUTH, UNICAST, at(3, 1) | 16'h8000, "U5: strict: no diversion");
                passes(NORTH, EAST, END_OF_PACKET, 16'd0, "the other packet ends");
                passes(SOUTH, EAST, UNICAST, at(3, 1) | 16'h8000, "U5: strict: the first dimension");
                passes(SOUTH, EAST, END_OF_PACKET, 16'd0, "U5: strict: the first dimension");
                passes(NORTH, EAST, UNICAST, at(3, 1), "the wanted output is taken by another");
            end
            diverts_after(WEST, at(2, 1) | 16'h8000, 128 * period(5), 256 * period(5) + SOON);
        end
    endtask

    task never(input integer from, input integer threshold, input [15:0] head);
        begin
            blocked(from, threshold, head);
            stays(1100, from, UNICAST, head, "U3: never diverted");
        end
    endtask

    // Overdue, a head goes where something comes free first, within a period: to its list or to local.
    task overdue(input to_list);
        for (offset = 0; offset < 20; offset = offset + 1) begin
            blocked(WEST, 5, at(2, 1));
            fill(5'b00001);
            stays(40 + offset, WEST, UNICAST, at(2, 1), "U3: local is not available either");
            if (to_list) begin
                passes(NORTH, EAST, END_OF_PACKET, 16'd0, "the other packet ends");
                check(!taken[WEST] || diversions == 0, "U3: local is not available");
            end else fill(5'd0);
            moves_within(period(5) + SOON, WEST, UNICAST, at(2, 1), "U3: overdue, list and local are asked in turn");
            got(to_list ? EAST : HERE, {1'b0, UNICAST}, at(2, 1), "U3: overdue, list and local are asked in turn");
            check(diversions == !to_list, "U3: a diversion is counted, nothing else");
        end
    endtask

    task waiting_terminator;
        begin
            start;
            divert_threshold = 16'hffff;
            passes(WEST, EAST, UNICAST, at(3, 1), "U1");
            passes(WEST, EAST, END_OF_PACKET, 16'd0, "U4");
            fill(5'b00010);  // the terminator is in the latch and cannot leave
            stays(SETTLED, SOUTH, UNICAST, at(3, 1), "U4: an output is unavailable until the terminator has left it");
            check(!connections[WEST*PORTS + EAST], "U4: nobody owns an output whose terminator waits");
            fill(5'd0);
            passes(SOUTH, EAST, UNICAST, at(3, 1), "U4: available in the clock in which the terminator leaves");
        end
    endtask

    task strict;
        begin
            start;
            divert_threshold = 16'd2;
            passes(NORTH, EAST, UNICAST, at(3, 1), "the wanted output is taken by another");
            stays(100, WEST, UNICAST, at(3, 3) | 16'h8000, "U5: strict: dimension order only, no diversion");
            passes(NORTH, EAST, END_OF_PACKET, 16'd0, "the other packet ends");
            passes(WEST, EAST, UNICAST, at(3, 3) | 16'h8000, "U5: strict: the first dimension");
            passes(WEST, EAST, END_OF_PACKET, 16'd0, "U5: strict: the first dimension");
            unicast_lists = 8'b11111111;
            passes(HERE, EAST, UNICAST, at(3, 3) | 16'h8000, "U5: strict: whatever the lists prefer");
        end
    endtask

    initial begin
        begin_bench;
        no_connection;
        words_pass;
        preference;
        first_of_list;
        fairness;
        one_of_two;
        diverts(WEST, 0);
        diverts(WEST, 5);
        diverts(WEST, 8);
        diverts(SOUTH, 17);
        diverts(WEST, 41);
        never(HERE, 5, at(2, 1));
        never(HERE, 30, at(2, 1));
        never(WEST, 16'hffff, at(2, 1));
        overdue(1'b0);
        overdue(1'b1);
        waiting_terminator;
        strict;
        stuck;
        topology = `POSTROAD_TOPOLOGY_TORUS;
        divert(WEST, 5, at(2, 1) | 16'h8000, 5, 2 * period(5) + SOON);  // U5: a ring needs the way out
        verdict;
    end
endmodule

`default_nettype wire
