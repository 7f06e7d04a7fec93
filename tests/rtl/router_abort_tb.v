// router_abort_tb: what abort_request does to a connection (F1, M5-M8; Tables B, C).
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module router_abort_tb;
    `include "router_bench.vh"

    task copied(input [2:0] tag, input [15:0] word);
        begin
            shows(WEST, tag, word);
            takes(5'd1 << WEST, "a split connection is set up");
            tick;
        end
    endtask

    // The clock of the abort: nothing moves, `branches` owe an abort_packet.
    task aborts(input [PORTS-1:0] branches, input [8*100-1:0] name);
        begin
            abort_request = 1'b1;
            #1 check(abort === branches, name);
            nothing(ALL & ~5'd1, "M7: an aborted branch is shown no word with its abort");
            check(local_word[LINK_WIDTH-1 -: 3] === 3'd0, "M7: nothing moves in the clock of the abort");
            check(event_abort, "M7: an abort is counted");
        end
    endtask

    task two_branches(input [2:0] terminator);
        begin
            start;
            copied(MULTICAST, at(3, 1));
            copied(MULTICAST, at(1, 3));
            shows(WEST, MULTICAST, at(0, 1));
            ready = ALL & ~5'b00010;
            aborts(5'b01010, "M7: every remote branch that has carried a word owes an abort_packet");
            takes(5'd0, "M7: the word in the net_input is not lost");
            tick;
            check(abort === 5'd0, "M7: one abort_packet a branch");
            // The outputs are free for others once they are ready.
            shows(NORTH, UNICAST, at(3, 1));
            gets(EAST, {1'b0, UNICAST}, at(3, 1), "M7: an aborted branch is released");
            shows(WEST, MULTICAST, at(0, 1));
            gets(HERE, {1'b0, MULTICAST}, at(0, 1), "M7: the word in the net_input goes to local");
            nothing(5'b11100, "M7: the word in the net_input goes to local alone");
            takes(5'd1 << WEST | 5'd1 << NORTH, "M7: open goes upstream");
            tick;
            abort_request = 1'b1;
            passes(WEST, HERE, MULTICAST, at(1, 3), "M7, F1: the rest follows as if unicast, targets too");
            passes(WEST, HERE, MULTICAST, at(1, 1), "M7: a target for this site follows as if unicast");
            passes(WEST, HERE, DATA, 16'd3, "M7: data follow as if unicast");
            passes(WEST, HERE, terminator, 16'd0, "M7, M8: the terminator is unchanged");
        end
    endtask

    task some_local;
        begin
            start;
            copied(MULTICAST, at(1, 1));
            copied(MULTICAST, at(3, 1));
            aborts(5'b00010, "M7: the remote branch owes an abort_packet");
            takes(5'd0, "M7: nothing to take");
            tick;
            passes(WEST, HERE, END_OF_PACKET, 16'd0, "M7: after an abort no local_end_of_packet: the operator resends");
            ended("U4: released");
        end
    endtask

    // The head is with local already and waits for its remote output.
    task head_waiting;
        begin
            start;
            passes(SOUTH, EAST, UNICAST, at(3, 1), "another packet holds the wanted output");
            shows(WEST, MULTICAST, at(3, 1));
            gets(HERE, {1'b0, MULTICAST}, at(3, 1), "M1: local gets the target at once");
            tick;
            shows(WEST, MULTICAST, at(3, 1));
            aborts(5'd0, "M7: an output that carried nothing of this packet owes nothing");
            takes(5'd1 << WEST, "M7: a word that local has already is not given twice");
            tick;
            passes(WEST, HERE, MULTICAST, at(2, 1), "M7: a head without a remote branch becomes a sink");
            passes(WEST, HERE, END_OF_PACKET, 16'd0, "M7: the terminator is unchanged");
            passes(SOUTH, EAST, END_OF_PACKET, 16'd0, "M7: the owner of the output is not disturbed");
        end
    endtask

    // A later target waits for an output that another packet owns.
    task target_waiting;
        begin
            start;
            copied(MULTICAST, at(3, 1));
            passes(SOUTH, NORTH, UNICAST, at(1, 3), "another packet holds the wanted output");
            shows(WEST, MULTICAST, at(1, 3));
            gets(HERE, PAD, 16'd0, "M4: null_transmission to local");
            tick;
            shows(WEST, MULTICAST, at(1, 3));
            aborts(5'b00010, "M7: only a branch of this packet owes an abort_packet");
            takes(5'd0, "M7: local has not got this target yet");
            tick;
            passes(WEST, HERE, MULTICAST, at(1, 3), "M7: it goes to local, once");
            passes(WEST, HERE, END_OF_PACKET, 16'd0, "M7: the terminator is unchanged");
        end
    endtask

    task commit;
        begin
            start;
            copied(MULTICAST, at(3, 1));
            shows(WEST, END_OF_PACKET, 16'd0);
            abort_request = 1'b1;
            gets(EAST, {1'b0, END_OF_PACKET}, 16'd0, "M5: the terminator's clock is the commit, abort comes too late");
            gets(HERE, {1'b0, ABORT_PACKET}, 16'd0, "M8: abort_packet to local if all targets were remote");
            check(abort === 5'd0 && !event_abort, "M5: abort and commit exclude each other");
            takes(5'd1 << WEST, "M5: the commit");
            tick;
            ended("M5: the commit releases");
            // A terminator that cannot move has not committed.
            copied(MULTICAST, at(3, 1));
            shows(WEST, END_OF_PACKET, 16'd0);
            ready = ALL & ~5'b00010;
            aborts(5'b00010, "M5: a terminator that does not move is no commit");
            takes(5'd0, "M7: the terminator stays for local");
            tick;
            passes(WEST, HERE, END_OF_PACKET, 16'd0, "M7: the terminator is unchanged");
            ended("M7: released");
        end
    endtask

    // A word that could move in the clock of the abort moves afterwards, once.
    task word_moving;
        begin
            start;
            copied(MULTICAST, at(3, 1));
            shows(WEST, DATA, 16'd5);
            aborts(5'b00010, "M7: abort goes before a word that could move");
            takes(5'd0, "M7: the word goes to local once");
            tick;
            passes(WEST, HERE, DATA, 16'd5, "M7: the word goes to local alone, once");
            passes(WEST, HERE, ABORT_PACKET, 16'd0, "M8: local gets abort_packet for a received abort_packet");
        end
    endtask

    // abort_request is as open where no multicast is split.
    task no_effect;
        begin
            start;
            abort_request = 1'b1;
            shows(WEST, MULTICAST, at(3, 1));
            check(abort === 5'd0 && !event_abort, "F1: no effect on a head");
            takes(5'd1 << WEST, "F1: abort_request is as open for a head");
            tick;
            start;
            passes(NORTH, HERE, UNICAST, at(1, 1), "another packet holds local");
            passes(WEST, EAST, MULTICAST, at(3, 1), "M2: passing through");
            abort_request = 1'b1;
            shows(NORTH, DATA, 16'd1);
            shows(WEST, DATA, 16'd2);
            gets(HERE, {1'b0, DATA}, 16'd1, "F1: abort_request is as open for a unicast");
            gets(EAST, {1'b0, DATA}, 16'd2, "F1: abort_request is as open for a packet passing through");
            check(abort === 5'd0 && !event_abort, "F1: nothing is aborted");
            tick;
        end
    endtask

    initial begin
        begin_bench;
        two_branches(END_OF_PACKET);
        two_branches(ABORT_PACKET);
        some_local;
        head_waiting;
        target_waiting;
        commit;
        word_moving;
        no_effect;
        verdict;
    end
endmodule

`default_nettype wire
