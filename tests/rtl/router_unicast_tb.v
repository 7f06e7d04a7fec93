// router_unicast_tb: connections of unicasts, word by word (P1, P6, F3, U1-U4; August paper 4.5.1).
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
                        // A branch that is aborted before it carried a word shows a lone abort_packet (M7).
                        check(event_drop === (tag == 0 || tag == ABORT_PACKET ? 5'd0 : 5'd1 << i),
                              "P6: a dropped word is counted");
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
            passes(WEST, EAST, DATA, 16'h9abc, "F3d: a word moves once");
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
            passes(HERE, EAST, UNICAST, at(3, 3), "U1: x before y");
            passes(HERE, EAST, END_OF_PACKET, 16'd0, "U1: owned outputs carry on");
            passes(SOUTH, NORTH, UNICAST, at(1, 3), "U1: straight on");
            check(clocks == 1, "U1: straight on at once");
            passes(WEST, EAST, UNICAST, at(3, 3), "U1: straight on");
            check(clocks == 1, "U1: straight on at once");
            passes(SOUTH, NORTH, END_OF_PACKET, 16'd0, "U1: owned outputs carry on");
            passes(WEST, EAST, END_OF_PACKET, 16'd0, "U1: owned outputs carry on");
            passes(EAST, SOUTH, UNICAST, at(1, 0), "U1: a turn");
            passes(EAST, SOUTH, END_OF_PACKET, 16'd0, "U1: owned outputs carry on");
            fill(5'b00010);
            stays(4, WEST, UNICAST, at(3, 3), "U1: an output whose link waits is not available");
            fill(5'd0);
            passes(WEST, EAST, UNICAST, at(3, 3), "U1: and then it is");
            passes(WEST, EAST, END_OF_PACKET, 16'd0, "U1: owned outputs carry on");
            fill(5'b00001);
            stays(SETTLED, EAST, UNICAST, at(1, 1), "U1: the list of a local target is {local}");
            fill(5'd0);
            passes(EAST, HERE, UNICAST, at(1, 1), "U1: the list of a local target is {local}");
            check(diversions == 0, "U3: a packet for this site is not diverted");
            passes(EAST, HERE, END_OF_PACKET, 16'd0, "M8: a unicast keeps its end_of_packet");
            passes(SOUTH, HERE, UNICAST, at(3, 1), "R4: a packet with nothing left to do by its port goes to the operator");
            passes(SOUTH, HERE, END_OF_PACKET, 16'd0, "R4: with its end_of_packet");
            tick;
            ended("U4: released");
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

    // A head that finds its output owned: not diverted before `threshold` clocks, diverted after no more than twice as many.
    task blocked(input integer threshold);
        begin
            start;
            divert_threshold = threshold;
            passes(NORTH, SOUTH, UNICAST, at(1, 0), "the wanted output is taken by another");
        end
    endtask

    task diverts_after(input integer from, input [2:0] tag, input integer threshold);
        begin
            stays(threshold + 1, from, tag, at(1, 0), "U2, U3: wait, no diversion before its time");
            moves_within(threshold + SOON, from, tag, at(1, 0), "U3: after two periods at most, the packet goes to local");
            got(HERE, {1'b0, tag}, tag == MULTICAST ? MARK | at(1, 0) : at(1, 0), "U3, M10: a diverted head goes to local");
            got_nothing(ALL & ~5'd1, "U3: a diverted packet goes to local alone");
            check(diversions == 1, "U3: a diversion is counted");
        end
    endtask

    // Heads age by a common clock, which has run for any number of clocks when the head comes.
    task diverts(input integer threshold);
        for (offset = 0; offset < threshold && offset < 12; offset = offset + 1) begin
            blocked(threshold);
            stays(offset + 1, HERE, UNICAST, at(1, 0), "U3: a packet of this site does not divert");
            diverts_after(EAST, UNICAST, threshold);
            passes(EAST, HERE, DATA, 16'd7, "U3: a diverted packet is a unicast");
            passes(EAST, HERE, END_OF_PACKET, 16'd0, "U3: a diverted packet keeps its end_of_packet");
        end
    endtask

    // M10: a path that waits for its output diverts like a unicast; its first target counts as at home.
    task path_diverts;
        begin
            blocked(8);
            stays(9, EAST, MULTICAST, MARK | at(1, 0), "U2, M10: a path waits");
            moves_within(8 + SOON, EAST, MULTICAST, MARK | at(1, 0), "M10, U3: and diverts");
            got(HERE, {1'b0, MULTICAST}, MARK | at(1, 0), "M10, M11: its first target is marked");
            moves(EAST, END_OF_PACKET, 16'd0, "M8: and its end");
            got(HERE, LOCAL_END, 16'd0, "M8: local_end_of_packet, because a target is marked");
        end
    endtask

    task never(input integer from, input integer threshold);
        begin
            blocked(threshold);
            stays(300, from, UNICAST, at(1, 0), "U3: never diverted");
        end
    endtask

    // Overdue, with local not to be had: it waits for local, and gets it.
    task overdue;
        begin
            blocked(8);
            fill(5'b00001);
            watch;
            shows(EAST, UNICAST, at(1, 0));
            repeat (40) one_clock;
            got_nothing(ALL, "U3: local is not available either");
            check(diversions == 1, "U3: a head gives its output up once");
            check(connections[EAST*PORTS +: PORTS] === 5'b00001, "U3: an overdue head requests local");
            fill(5'd0);
            moves(EAST, UNICAST, at(1, 0), "U3: overdue, local is taken");
            got(HERE, {1'b0, UNICAST}, at(1, 0), "U3: overdue, local is taken");
        end
    endtask

    // The output comes free around the clock in which a head gives it up: the head leaves by one output, and its packet behind
    // it.
    task granted_or_overdue(input integer from, input [15:0] target, input integer to, input integer other);
        integer left;
        for (offset = 7; offset < 24; offset = offset + 1) begin
            start;
            passes(other, to, UNICAST, target, "the wanted output is taken by another");
            shows(from, UNICAST, target);
            repeat (offset) one_clock;
            if (!(|words[from*LINK_WIDTH+WORD_WIDTH +: 3])) got(HERE, {1'b0, UNICAST}, target, "U3: overdue, it goes to local");
            else begin
                check(offset < 2 * 8 + SOON, "U3: after two periods at most");
                shows(other, END_OF_PACKET, 16'd0);
                moves(from, UNICAST, target, "U2, U3: a head leaves by the one output or the other");
                // The terminator of the other packet may be among the words of `to`.
                left = got_count[HERE] == 1 ? HERE : to;
                got_nothing(ALL & ~(5'd1 << to | 5'd1), "U2, U3: and by no third one");
                repeat (3) one_clock;
                passes(from, left, DATA, 16'd5, "U2, U3: the packet follows its head");
                passes(from, left, END_OF_PACKET, 16'd0, "U2, U3: the packet follows its head");
                repeat (3) one_clock;
                ended("U3: it leaves no connection behind");
            end
        end
    endtask

    // On a torus. U4: the output comes free, is granted, and its link waits in the next clock: the grant lapses, and the head
    // diverts in time.
    task lapses(input torus, input integer from, input [15:0] target, input integer to, input integer other);
        begin
            topology = torus ? `POSTROAD_TOPOLOGY_TORUS : `POSTROAD_TOPOLOGY_GRID;
            start;
            divert_threshold = 16'd16;
            passes(other, to, UNICAST, target, "the wanted output is taken by another");
            stays(4, from, UNICAST, target, "U2: none available: wait");
            watch;
            shows(other, END_OF_PACKET, 16'd0);
            one_clock;
            one_clock;                       // granted in this one
            check(connections[from*PORTS +: PORTS] === 5'd1 << to, "U1: granted");
            fill(5'd1 << to);
            one_clock;
            got_nothing(ALL & ~(5'd1 << to), "U4: the head has not crossed");
            if (torus) begin
                stays(8, from, UNICAST, target, "U4: the head waits");
                if (to == HERE) fill(5'd0);
                moves_within(32, from, UNICAST, target, "U4, U3: and diverts, as any head that waits");
                got(HERE, {1'b0, UNICAST}, target, "U4, U3: and diverts, as any head that waits");
            end else begin
                stays(100, from, UNICAST, target, "U4: where there is no ring the grant stays");
                fill(5'd0);
                moves(from, UNICAST, target, "U4: and is used");
                check(clocks == 1, "U4: at once");
            end
            topology = `POSTROAD_TOPOLOGY_GRID;
        end
    endtask

    task every_lapse(input torus);
        begin
            lapses(torus, EAST, at(1, 1), HERE, NORTH);
            lapses(torus, WEST, at(3, 1), EAST, HERE);
            lapses(torus, EAST, at(0, 1), WEST, HERE);
            lapses(torus, WEST, at(1, 3), NORTH, SOUTH);
            lapses(torus, EAST, at(1, 0), SOUTH, NORTH);
        end
    endtask

    task waiting_terminator;
        begin
            start;
            divert_threshold = 16'hffff;
            passes(WEST, EAST, UNICAST, at(3, 1), "U1");
            passes(WEST, EAST, END_OF_PACKET, 16'd0, "U4");
            fill(5'b00010);  // the terminator is in the latch and cannot leave
            stays(SETTLED, HERE, UNICAST, at(3, 1), "U4: an output is unavailable until the terminator has left it");
            check(!connections[WEST*PORTS + EAST], "U4: nobody owns an output whose terminator waits");
            fill(5'd0);
            passes(HERE, EAST, UNICAST, at(3, 1), "U4: available in the clock in which the terminator leaves");
        end
    endtask

    initial begin
        begin_bench;
        no_connection;
        words_pass;
        preference;
        fairness;
        diverts(4);
        diverts(8);
        diverts(64);
        path_diverts;
        never(HERE, 8);
        never(EAST, 16'hffff);
        overdue;
        granted_or_overdue(EAST, at(1, 0), SOUTH, NORTH);
        granted_or_overdue(WEST, at(1, 0), SOUTH, NORTH);
        granted_or_overdue(NORTH, at(1, 0), SOUTH, EAST);
        granted_or_overdue(SOUTH, at(1, 3), NORTH, EAST);
        waiting_terminator;
        every_lapse(1'b1);
        every_lapse(1'b0);
        verdict;
    end
endmodule

`default_nettype wire
