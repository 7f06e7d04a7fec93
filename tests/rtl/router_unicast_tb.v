// router_unicast_tb: connections of unicasts, word by word (P1, P6, F1, F3, U1-U5; August paper 4.5.1).
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module router_unicast_tb;
    `include "router_bench.vh"

    integer i, tag, count [0:4];

    task no_connection;
        begin
            start;
            for (i = 0; i < PORTS; i = i + 1)
                for (tag = 0; tag < 8; tag = tag + 1)
                    if (tag != UNICAST && tag != MULTICAST) begin
                        shows(i, tag, 16'h0101);
                        takes(tag == 0 ? 5'd0 : 5'd1 << i, "P6: without a connection only a site word is accepted");
                        check(event_drop === (tag == 0 ? 5'd0 : 5'd1 << i), "P6: a dropped word is counted");
                        nothing(ALL, "P6: a dropped word goes nowhere");
                        tick;
                        ended("P6: a dropped word makes no connection");
                    end
            shows(WEST, UNICAST, at(3, 1));
            check(event_drop === 5'd0, "P6: a site word is not dropped");
        end
    endtask

    task words_pass;
        begin
            start;
            passes(WEST, EAST, UNICAST, at(3, 1), "U1: a site word opens a connection and moves in the same clock");
            passes(WEST, EAST, INFO, 16'h1234, "P1: target_info follows its site word");
            passes(WEST, EAST, NULL_TARGET, 16'd0, "P3: null_target passes a connection");
            tick;
            check(!quiet, "U4: a connection stays through null_transmission");
            passes(WEST, EAST, DATA, 16'h5678, "P1: data follow");
            shows(WEST, DATA, 16'h9abc);
            ready = ALL & ~5'b00010;
            #1 takes(5'd0, "F3d: a word stays while its output waits");
            tick;
            shows(WEST, DATA, 16'h9abc);
            abort_request = 1'b1;
            gets(EAST, DATA, 16'h9abc, "F3d, F1: a word moves once, abort_request is as open for a unicast");
            check(abort === 5'd0, "F1: a unicast is not aborted");
            tick;
            passes(WEST, EAST, END_OF_PACKET, 16'd0, "P1: the terminator follows");
            ended("U4: the connection is released when its terminator is latched");
            passes(WEST, EAST, UNICAST, at(2, 1), "P1: zero data words");
            passes(WEST, EAST, ABORT_PACKET, 16'd0, "M8: abort_packet passes a connection");
            ended("U4: abort_packet releases a connection");
        end
    endtask

    task preference;
        begin
            start;
            // North-east: east before north.
            passes(WEST, EAST, UNICAST, at(3, 3), "U1: the first of the list is taken");
            passes(SOUTH, NORTH, UNICAST, at(3, 3), "U1: the first available is taken when the other is owned");
            passes(WEST, EAST, END_OF_PACKET, 16'd0, "U1: owned outputs carry on");
            passes(SOUTH, NORTH, END_OF_PACKET, 16'd0, "U1: owned outputs carry on");
            ready = ALL & ~5'b00010;
            passes(WEST, NORTH, UNICAST, at(3, 3), "U1: an output whose latch is full is not available");
            passes(WEST, NORTH, END_OF_PACKET, 16'd0, "U1: owned outputs carry on");
            passes(EAST, EAST, UNICAST, at(3, 1), "U1: a connection may go back where it came from");
            passes(EAST, EAST, END_OF_PACKET, 16'd0, "U1: a connection may go back where it came from");
            ready = ALL & ~5'b00001;
            shows(EAST, UNICAST, at(1, 1));
            takes(5'd0, "U1: the list of a local target is {local}");
            nothing(ALL, "U1: the list of a local target is {local}");
            tick;
            passes(EAST, HERE, UNICAST, at(1, 1), "U1: the list of a local target is {local}");
            passes(EAST, HERE, END_OF_PACKET, 16'd0, "C: a unicast keeps its end_of_packet");
            check(!event_divert, "U3: a packet for this site is not diverted");
            ended("U4: released");
        end
    endtask

    // All five net_inputs send packets of one target word and a terminator to one output, always.
    task fairness;
        reg [PORTS-1:0] in_packet;
        begin
            start;
            divert_threshold = 16'hffff;
            in_packet = 5'd0;
            for (i = 0; i < PORTS; i = i + 1) count[i] = 0;
            repeat (100) begin
                for (i = 0; i < PORTS; i = i + 1)
                    shows(i, in_packet[i] ? END_OF_PACKET : UNICAST, in_packet[i] ? 16'd0 : at(1, 3));
                check((taken & (taken - 1'b1)) == 5'd0 && |taken, "U1: an output serves one connection at a time");
                for (i = 0; i < PORTS; i = i + 1)
                    if (taken[i] && in_packet[i]) count[i] = count[i] + 1;
                in_packet = in_packet ^ taken;
                tick;
            end
            for (i = 0; i < PORTS; i = i + 1) check(count[i] == 10, "U1: arbitration among net_inputs is fair");
        end
    endtask

    task divert(input integer from, input integer threshold, input [15:0] head, input expected);
        begin
            start;
            divert_threshold = threshold;
            passes(NORTH, EAST, UNICAST, at(3, 1), "the wanted output is taken by another");
            for (i = 0; i <= threshold + 1 && i < 1100; i = i + 1) begin
                check(!event_divert, "U3: no diversion before the tries exceed the threshold");
                shows(from, UNICAST, head);
                if (i <= threshold) begin
                    takes(5'd0, "U2: none available: wait, one try a clock");
                    nothing(ALL, "U2: none available: nothing moves");
                    tick;
                end
            end
            if (expected) begin
                takes(5'd1 << from, "U3: when the tries exceed the threshold, the packet goes to local");
                gets(HERE, UNICAST, head, "U3: when the tries exceed the threshold, the packet goes to local");
                check(event_divert, "U3: a diversion is counted");
                tick;
                abort_request = 1'b1;
                passes(from, HERE, DATA, 16'd7, "F1: a diverted packet is a unicast");
                passes(from, HERE, END_OF_PACKET, 16'd0, "U3: a diverted packet keeps its end_of_packet");
            end else begin
                takes(5'd0, "U3: never diverted");
                nothing(ALL, "U3: never diverted");
                tick;
            end
        end
    endtask

    // The wanted output comes free in the clock in which local becomes acceptable: it is preferred.
    task divert_late;
        begin
            start;
            passes(NORTH, EAST, UNICAST, at(3, 1), "the wanted output is taken by another");
            for (i = 0; i < 20; i = i + 1) begin
                ready = ALL & ~5'b00001;
                shows(WEST, UNICAST, at(2, 1));
                takes(5'd0, "U3: local is not available either");
                if (i == 19) shows(NORTH, END_OF_PACKET, 16'd0);
                tick;
            end
            passes(WEST, EAST, UNICAST, at(2, 1), "U3: an output of the list is preferred to local");
            check(!event_divert, "U3: an output of the list is preferred to local");
        end
    endtask

    task waiting_terminator;
        begin
            start;
            passes(WEST, EAST, UNICAST, at(3, 1), "U1");
            passes(WEST, EAST, END_OF_PACKET, 16'd0, "U4");
            repeat (3) begin
                ready = ALL & ~5'b00010;  // the terminator is in the latch and cannot leave
                shows(SOUTH, UNICAST, at(3, 1));
                takes(5'd0, "U4: an output is unavailable until the terminator has left it");
                #1 check(quiet, "U4: nobody owns an output whose terminator waits");
                tick;
            end
            passes(SOUTH, EAST, UNICAST, at(3, 1), "U4: available in the clock in which the terminator leaves");
        end
    endtask

    task strict;
        begin
            start;
            divert_threshold = 16'd2;
            passes(NORTH, EAST, UNICAST, at(3, 1), "the wanted output is taken by another");
            repeat (20) begin
                shows(WEST, UNICAST, at(3, 3) | 16'h8000);
                takes(5'd0, "U5: strict: dimension order only, no diversion");
                nothing(ALL, "U5: strict: dimension order only, no diversion");
                tick;
            end
            passes(NORTH, EAST, END_OF_PACKET, 16'd0, "the other packet ends");
            passes(WEST, EAST, UNICAST, at(3, 3) | 16'h8000, "U5: strict: the first dimension");
        end
    endtask

    initial begin
        begin_bench;
        no_connection;
        words_pass;
        preference;
        fairness;
        divert(WEST, 0, at(2, 1), 1'b1);
        divert(WEST, 5, at(2, 1), 1'b1);
        divert(EAST, 17, at(2, 1), 1'b1);
        divert(HERE, 5, at(2, 1), 1'b0);
        divert(HERE, 30, at(2, 1), 1'b0);
        divert(WEST, 16'hffff, at(2, 1), 1'b0);
        divert_late;
        waiting_terminator;
        strict;
        divert(WEST, 1023, at(2, 1) | 16'h8000, 1'b1);  // U5: stuck
        topology = `POSTROAD_TOPOLOGY_TORUS;
        divert(WEST, 5, at(2, 1) | 16'h8000, 1'b1);  // U5: a ring needs the way out
        verdict;
    end
endmodule

`default_nettype wire
