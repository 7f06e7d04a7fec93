// router_abort_tb: what abort_request does to a connection (F1, M5-M8; Tables B, C).
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module router_abort_tb;
    `include "router_bench.vh"

    integer offset;

    task copied(input [2:0] tag, input [15:0] word);
        moves(WEST, tag, word, "a split connection is set up");
    endtask

    // One abort_request. What follows sees the abort, once, and the branches that owe an abort_packet.
    task request;
        abort_request = 1'b1;
    endtask

    task aborted(input [PORTS-1:0] branches, input [8*100-1:0] name);
        begin
            check(aborted_branches === branches, name);
            check(aborts_seen == 1, "M7: an abort is counted");
        end
    endtask

    task two_branches(input [2:0] terminator);
        begin
            start;
            divert_threshold = 16'hffff;
            copied(MULTICAST, at(3, 1));
            copied(MULTICAST, at(1, 3));
            stays(3, WEST, MULTICAST, at(0, 1), "U1: no packet goes back where it came from");
            fill(5'b00010);
            request;
            moves(WEST, MULTICAST, at(0, 1), "M7: the word in the net_input goes to local");
            aborted(5'b01010, "M7: every remote branch that has carried a word owes an abort_packet");
            got(HERE, {1'b0, MULTICAST}, at(0, 1), "M7: the word in the net_input goes to local, once");
            got_nothing(ALL & ~5'd1, "M7: the word in the net_input goes to local alone");
            check(pads == 2, "M4: local gets a pad in the clock of the request and in the next");
            stays(SETTLED, NORTH, UNICAST, at(3, 1), "M7, U4: an output is not available before its abort_packet has left");
            check(aborted_branches === 5'd0, "M7: one abort_packet a branch");
            fill(5'd0);
            passes(NORTH, EAST, UNICAST, at(3, 1), "M7: an aborted branch is released");
            request;
            passes(WEST, HERE, MULTICAST, at(1, 3), "M7, F1: the rest follows as if unicast, targets too");
            passes(WEST, HERE, MULTICAST, at(1, 1), "M7: a target for this site follows as if unicast");
            passes(WEST, HERE, DATA, 16'd3, "M7: data follow as if unicast");
            passes(WEST, HERE, terminator, 16'd0, "M7, M8: the terminator is unchanged");
            check(aborts_seen == 0, "F1: what has been aborted is not aborted again");
        end
    endtask

    task some_local;
        begin
            start;
            copied(MULTICAST, at(1, 1));
            copied(MULTICAST, at(3, 1));
            watch;
            request;
            repeat (SOON) one_clock;
            aborted(5'b00010, "M7: the remote branch owes an abort_packet");
            got_nothing(ALL, "M7: nothing to take");
            passes(WEST, HERE, END_OF_PACKET, 16'd0, "M7: after an abort no local_end_of_packet: the operator resends");
            tick;
            ended("U4: released");
        end
    endtask

    // The head has local already and waits for its remote output.
    task head_waiting;
        begin
            start;
            passes(SOUTH, EAST, UNICAST, at(3, 1), "another packet holds the wanted output");
            local_alone(SOON, WEST, at(3, 1), "M1: local is taken at once");
            request;
            moves(WEST, MULTICAST, at(3, 1), "M7: the word in the net_input goes to local");
            aborted(5'd0, "M7: an output that carried nothing of this packet owes nothing");
            got(HERE, {1'b0, MULTICAST}, at(3, 1), "M7: it goes to local, once");
            got_nothing(ALL & ~5'd1, "M7: it goes to local alone");
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
            stays(SETTLED, WEST, MULTICAST, at(1, 3), "M3: a further target waits for its output");
            check(pads == SETTLED, "M4: null_transmission to local");
            request;
            moves(WEST, MULTICAST, at(1, 3), "M7: the word in the net_input goes to local");
            aborted(5'b00010, "M7: only a branch of this packet owes an abort_packet");
            got(HERE, {1'b0, MULTICAST}, at(1, 3), "M7: it goes to local, once");
            passes(WEST, HERE, END_OF_PACKET, 16'd0, "M7: the terminator is unchanged");
            passes(SOUTH, NORTH, END_OF_PACKET, 16'd0, "M7: the owner of the output is not disturbed");
        end
    endtask

    // A further target opens its branch, which carries nothing yet: another one is in wait. The abort comes in every clock of
    // it. What carried nothing owes nothing, and is free again.
    task branch_without_word;
        for (offset = 0; offset < 10; offset = offset + 1) begin
            start;
            copied(MULTICAST, at(3, 1));
            fill(5'b00010);
            if (offset > 0) stays(offset, WEST, MULTICAST, at(1, 3), "M5: a target moves on all branches or none");
            request;
            moves(WEST, MULTICAST, at(1, 3), "M7: the word in the net_input goes to local");
            aborted(5'b00010, "M7: a branch that carried nothing owes nothing");
            got(HERE, {1'b0, MULTICAST}, at(1, 3), "M7: it goes to local, once");
            got_nothing(ALL & ~5'd1, "M7: it goes to local alone");
            passes(WEST, HERE, END_OF_PACKET, 16'd0, "M7: the terminator is unchanged");
            passes(SOUTH, NORTH, UNICAST, at(1, 3), "M7: a branch that carried nothing is released");
            passes(SOUTH, NORTH, END_OF_PACKET, 16'd0, "M7: a branch that carried nothing is released");
            fill(5'd0);
            tick;
            tick;
            ended("U4: everything is released");
        end
    endtask

    // The same with a head whose remote branch opens around the abort: it carries the head and owes an abort_packet, or neither.
    task head_opens;
        for (offset = 0; offset < 10; offset = offset + 1) begin
            start;
            passes(SOUTH, EAST, UNICAST, at(3, 1), "another packet holds the wanted output");
            local_alone(SOON, WEST, at(3, 1), "M1: local is taken at once");
            watch;
            shows(SOUTH, END_OF_PACKET, 16'd0);
            repeat (offset) one_clock;
            request;
            repeat (SOON) one_clock;
            check(aborted_branches === (got_count[EAST] == 2 ? 5'b00010 : 5'd0) && aborts_seen == 1,
                  "M7: a branch owes an abort_packet if it carried a word, else nothing");
            check(got_count[HERE] == 1 && got_word[HERE] === {1'b0, MULTICAST, at(3, 1)},
                  "M5, M7: local gets the head with the branch or after the abort, once");
            passes(WEST, HERE, END_OF_PACKET, 16'd0, "M7: the terminator is unchanged");
            passes(SOUTH, EAST, UNICAST, at(3, 1), "M7: the output is free again");
        end
    endtask

    // The clock in which the terminator moves is the commit. A request in that clock is too late; one in the clock before aborts.
    task commit;
        begin
            start;
            copied(MULTICAST, at(3, 1));
            request;
            moves(WEST, END_OF_PACKET, 16'd0, "M5: the commit");
            got(EAST, {1'b0, END_OF_PACKET}, 16'd0, "M5: the terminator's clock is the commit, abort comes too late");
            got(HERE, {1'b0, ABORT_PACKET}, 16'd0, "M8: abort_packet to local if all targets were remote");
            check(aborted_branches === 5'd0 && aborts_seen == 0, "M5: abort and commit exclude each other");
            tick;
            ended("M5: the commit releases");
            // A request of a packet that has committed is not the next one's.
            copied(MULTICAST, at(3, 1));
            copied(DATA, 16'd1);
            check(aborts_seen == 0, "M5: a request that came too late aborts nothing");
            request;
            tick;
            terminator_aborted("M5: an abort goes before a terminator that could move");
            // A terminator that cannot move has not committed.
            copied(MULTICAST, at(3, 1));
            fill(5'b00010);
            request;
            terminator_aborted("M5: a terminator that does not move is no commit");
        end
    endtask

    task terminator_aborted(input [8*100-1:0] name);
        begin
            moves(WEST, END_OF_PACKET, 16'd0, "M7: the terminator stays for local");
            aborted(5'b00010, name);
            got(HERE, {1'b0, END_OF_PACKET}, 16'd0, "M7: the terminator is unchanged");
            got_nothing(ALL & ~5'd1, "M5, M7: to local alone");
            fill(5'd0);
            tick;
            tick;
            ended("M7: released");
        end
    endtask

    // A word that could move in the clock of the abort moves afterwards, once.
    task word_moving;
        begin
            start;
            copied(MULTICAST, at(3, 1));
            request;
            tick;
            moves(WEST, DATA, 16'd5, "M7: abort goes before a word that could move");
            aborted(5'b00010, "M7: abort goes before a word that could move");
            got(HERE, {1'b0, DATA}, 16'd5, "M7: the word goes to local alone, once");
            got_nothing(ALL & ~5'd1, "M7: the word goes to local alone, once");
            passes(WEST, HERE, ABORT_PACKET, 16'd0, "M8: local gets abort_packet for a received abort_packet");
        end
    endtask

    // What an abort leaves behind is no branch of the next packet, before and after its abort_packet has left.
    task next_packet;
        begin
            start;
            copied(MULTICAST, at(3, 1));
            fill(5'b00010);
            request;
            repeat (3) tick;
            passes(WEST, HERE, END_OF_PACKET, 16'd0, "M7: the terminator is unchanged");
            copied(MULTICAST, at(1, 3));
            moves(WEST, END_OF_PACKET, 16'd0, "M7: the next packet's own branches");
            fill(5'd0);
            tick;
            passes(NORTH, EAST, UNICAST, at(3, 1), "M7: an aborted branch is released");
            copied(MULTICAST, at(1, 3));
            moves(WEST, DATA, 16'd1, "M7: the next packet's own branches");
            got_nothing(5'b10110, "M7: an output that a former packet had is no branch");
            shows(NORTH, DATA, 16'd9);
            watch;
            one_clock;
            got(EAST, {1'b0, DATA}, 16'd9, "M7: the owner of the output is not disturbed");
        end
    endtask

    // The release of M9 and an abort exclude each other: whichever is first by a clock.
    task single_aborted(input too_late);
        begin
            start;
            release_single = 1'b1;
            copied(MULTICAST, at(3, 1));
            if (!too_late) request;
            copied(DATA, 16'd1);
            got(HERE, {1'b0, DATA}, 16'd1, "M9: the first data word goes to both");
            if (too_late) request;
            moves(WEST, DATA, 16'd2, "M7, M9: the packet goes on");
            check(singles_seen == too_late && aborts_seen == !too_late, "M7, M9: released or aborted");
            if (too_late) begin
                got(EAST, {1'b0, DATA}, 16'd2, "M9: released before the abort");
                got(HERE, {1'b0, ABORT_PACKET}, 16'd0, "M9: released before the abort");
                passes(WEST, EAST, END_OF_PACKET, 16'd0, "M9: the connection goes on as a unicast");
            end else begin
                aborted(5'b00010, "M7: aborted before the release");
                got(HERE, {1'b0, DATA}, 16'd2, "M7: aborted before the release");
                passes(WEST, HERE, END_OF_PACKET, 16'd0, "M7: the terminator is unchanged");
            end
        end
    endtask

    // abort_request is as open where no multicast is split.
    task no_effect;
        begin
            start;
            request;
            copied(MULTICAST, at(3, 1));
            check(aborted_branches === 5'd0 && aborts_seen == 0, "F1: no effect on a head");
            start;
            passes(NORTH, HERE, UNICAST, at(1, 1), "another packet holds local");
            passes(WEST, EAST, MULTICAST, at(3, 1), "M2: passing through");
            request;
            shows(NORTH, DATA, 16'd1);
            moves(WEST, DATA, 16'd2, "F1: abort_request is as open");
            got(HERE, {1'b0, DATA}, 16'd1, "F1: abort_request is as open for a unicast");
            got(EAST, {1'b0, DATA}, 16'd2, "F1: abort_request is as open for a packet passing through");
            request;
            repeat (3) one_clock;
            check(aborted_branches === 5'd0 && aborts_seen == 0, "F1: nothing is aborted");
        end
    endtask

    initial begin
        begin_bench;
        two_branches(END_OF_PACKET);
        two_branches(ABORT_PACKET);
        some_local;
        head_waiting;
        target_waiting;
        branch_without_word;
        head_opens;
        commit;
        word_moving;
        next_packet;
        single_aborted(1'b0);
        single_aborted(1'b1);
        no_effect;
        verdict;
    end
endmodule

`default_nettype wire
