// router_split_tb: a packet that the site splits, word by word (P1, P3, P5, M1, M3, M5-M8, M10, M11; Table C; August paper
// 4.5.2).
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module router_split_tb;
    `include "router_bench.vh"

    localparam [3:0] END = {1'b0, END_OF_PACKET}, ABORT = {1'b0, ABORT_PACKET};

    integer i, offset;

    // A tree from the west whose first target lies to the north.
    task tree(input [15:0] target);
        begin
            moves(WEST, MULTICAST, target, "M1: a tree takes local, then its branch");
            got(HERE, {1'b0, MULTICAST}, target, "M1, M11: local gets the head, once, without a mark");
            got(NORTH, {1'b0, MULTICAST}, target, "M1: its branch gets the head, once");
            got_nothing(5'b10110, "M1: the head goes nowhere else");
            check(splits == 1 && deferrals == 0, "M1: a split is counted once");
        end
    endtask

    // A word of a split packet from the west: what local, east and north get (tag 0: nothing). Local gets it as it is, but for
    // the mark of a target.
    task copied(input [2:0] tag, input [15:0] word, input [16:0] local, input [2:0] east, input [2:0] north,
                input [8*100-1:0] name);
        begin
            moves(WEST, tag, word, name);
            got(HERE, {1'b0, tag}, local, name);
            if (east != 0) got(EAST, {1'b0, east}, word, name);
            if (north != 0) got(NORTH, {1'b0, north}, word, name);
            got_nothing({1'b1, north == 0, 1'b1, east == 0, 1'b0}, name);
        end
    endtask

    task terminate(input [2:0] received, input [3:0] local, input east, input north, input [8*100-1:0] name);
        begin
            moves(WEST, received, 16'd0, name);
            check(clocks == 1, "M5: the commit is one clock");
            got(HERE, local, 16'd0, name);
            if (east) got(EAST, {1'b0, received}, 16'd0, "M8, P5: remote branches get the terminator received");
            if (north) got(NORTH, {1'b0, received}, 16'd0, "M8, P5: remote branches get the terminator received");
            got_nothing({1'b1, !north, 1'b1, !east, 1'b0}, "M8: no other output gets a terminator");
            tick;
            ended("U4: released by its terminator");
        end
    endtask

    task partition;
        begin
            start;
            tree(at(1, 3));
            copied(INFO, 16'd1, 16'd1, 0, INFO, "P1: target_info goes with its entry");
            copied(MULTICAST, at(3, 1), at(3, 1), MULTICAST, NULL_TARGET,
                   "P3, M3: a further target opens a branch, which begins with it; null_target in foreign slots");
            check(deferrals == 0, "M11: a target that gets a branch is not deferred");
            copied(INFO, 16'd2, 16'd2, INFO, NULL_TARGET, "P1: every word of a foreign entry becomes null_target");
            copied(MULTICAST, at(1, 1), MARK | at(1, 1), NULL_TARGET, NULL_TARGET,
                   "M11, P3: a target at home is marked for local");
            copied(INFO, 16'd3, 16'd3, NULL_TARGET, NULL_TARGET, "P1: target_info of a local target goes to local alone");
            copied(MULTICAST, MARK | at(1, 2), at(1, 2), NULL_TARGET, MULTICAST,
                   "M3, M11: a further target reuses its branch, and is not marked for local");
            copied(NULL_TARGET, 16'd0, 16'd0, NULL_TARGET, NULL_TARGET,
                   "P3: a slot that is foreign already stays so on every branch");
            copied(MULTICAST, at(2, 1), at(2, 1), MULTICAST, NULL_TARGET, "M3, P3: a further target reuses its branch");
            copied(DATA, 16'hffff, 16'hffff, DATA, DATA, "P1, F3d: data go to every branch, once");
            terminate(END_OF_PACKET, LOCAL_END, 1'b1, 1'b1, "M8: local_end_of_packet if a target was marked");

            tree(at(1, 3));
            copied(MULTICAST, at(3, 1), at(3, 1), MULTICAST, NULL_TARGET, "M3: a further target opens a branch");
            terminate(END_OF_PACKET, ABORT, 1'b1, 1'b1, "M8: abort_packet to local if no target was marked");
            tree(at(1, 3));
            copied(MULTICAST, at(1, 1), MARK | at(1, 1), 0, NULL_TARGET, "M11: a target at home is marked");
            terminate(ABORT_PACKET, ABORT, 1'b0, 1'b1, "M8: local gets abort_packet for a received abort_packet");
        end
    endtask

    task first_local(input [15:0] mark);
        begin
            start;
            fill(5'b00001);
            stays(SETTLED, WEST, MULTICAST, mark | at(1, 1), "M1, M10: first target at home: wait for local");
            fill(5'd0);
            copied(MULTICAST, mark | at(1, 1), MARK | at(1, 1), 0, 0, "M1, M11: it goes to local alone, marked");
            copied(MULTICAST, mark | at(3, 1), at(3, 1), MULTICAST, 0, "M3, P3, M10: a branch begins with a further target");
            check(got_word[EAST][WORD_WIDTH-1] === mark[15], "M10: a branch keeps the mark of a path");
            terminate(END_OF_PACKET, LOCAL_END, 1'b1, 1'b0, "M8: local_end_of_packet if a target was marked");
            copied(MULTICAST, mark | at(1, 1), MARK | at(1, 1), 0, 0, "M1: the mark of one packet is not the next one's");
            terminate(END_OF_PACKET, LOCAL_END, 1'b0, 1'b0, "M8: local_end_of_packet if all targets were at home");
        end
    endtask

    // The same from any net_input, and the branch leads straight on.
    task home_first(input integer from, input integer ahead, input [15:0] target);
        begin
            start;
            moves(from, MULTICAST, at(1, 1), "M1, M10: first target at home");
            got(HERE, {1'b0, MULTICAST}, MARK | at(1, 1), "M1, M11: it goes to local alone, marked");
            check(splits == 1, "M1: a split is counted");
            moves(from, MULTICAST, target, "M3: a branch begins with a further target");
            got(HERE, {1'b0, MULTICAST}, target, "M11: which has no mark");
            got(ahead, {1'b0, MULTICAST}, target, "M3: a branch begins with a further target");
            moves(from, END_OF_PACKET, 16'd0, "M5: the commit");
            got(HERE, LOCAL_END, 16'd0, "M8: local_end_of_packet if a target was marked");
            got(ahead, END, 16'd0, "M8: remote branches get the terminator received");
            got_nothing(ALL & ~(5'd1 << ahead | 5'd1), "M8: and no other output");
            tick;
            ended("U4: released by its terminator");
        end
    endtask

    // M10: what passes whole asks for no local, and its further targets are looked at by nobody.
    task whole(input integer from, input integer to, input [15:0] target);
        begin
            start;
            passes(NORTH, HERE, UNICAST, at(1, 1), "another packet holds local");
            passes(from, to, MULTICAST, target, "M10: a head straight on, or a path, passes whole");
            passes(from, to, MULTICAST, at(1, 1), "M10: the whole packet passes, a target for this site included");
            passes(from, to, DATA, 16'd1, "M10: the whole packet passes");
            passes(from, to, END_OF_PACKET, 16'd0, "M10: the whole packet passes, with its terminator");
            check(splits == 0, "M10: no split");
            passes(NORTH, HERE, END_OF_PACKET, 16'd0, "local comes free");
            tick;
            ended("U4: released");
        end
    endtask

    // M10: without the mark a head that turns, or that begins here, waits for local, whatever else is free.
    task waits_for_local(input integer from, input [15:0] target);
        begin
            start;
            passes(NORTH, HERE, UNICAST, at(1, 1), "another packet holds local");
            stays(100, from, MULTICAST, target, "M1: a tree waits for local, and does not divert");
            passes(NORTH, HERE, END_OF_PACKET, 16'd0, "local comes free");
            moves(from, MULTICAST, target, "M1: then it begins");
            got(HERE, {1'b0, MULTICAST}, target, "M1: local gets a copy");
        end
    endtask

    // M11: another packet has the output, or its link waits, in the clock in which a target requests it.
    task deferral(input owned);
        begin
            start;
            tree(at(1, 3));
            if (owned) passes(HERE, EAST, UNICAST, at(3, 1), "another packet holds east");
            else fill(5'b00010);
            copied(MULTICAST, at(3, 1), MARK | at(3, 1), 0, NULL_TARGET, "M11: a target that gets no branch is deferred");
            check(deferrals == 1, "M11: a deferral is counted");
            copied(INFO, 16'd7, 16'd7, 0, NULL_TARGET, "M11, P1: with its target_info");
            if (owned) passes(HERE, EAST, END_OF_PACKET, 16'd0, "the other packet ends");
            fill(5'd0);
            stays_free(EAST, "M11: a deferred target requests nothing more");
            copied(MULTICAST, at(2, 1), at(2, 1), MULTICAST, NULL_TARGET, "M11: the next target may get the branch");
            copied(DATA, 16'd8, 16'd8, DATA, DATA, "M5: data go to all branches");
            terminate(END_OF_PACKET, LOCAL_END, 1'b1, 1'b1, "M8: local_end_of_packet if a target was deferred");

            // The output comes free while the deferred target waits for another branch.
            start;
            tree(at(1, 3));
            passes(HERE, EAST, UNICAST, at(3, 1), "another packet holds east");
            fill(5'b01000);
            stays(4, WEST, MULTICAST, at(3, 1), "M5: it crosses with all branches");
            shows(HERE, END_OF_PACKET, 16'd0);
            one_clock;
            stays(4, WEST, MULTICAST, at(3, 1), "M5: it crosses with all branches");
            check(!connections[WEST*PORTS + EAST], "M11: it gets no branch any more");
            fill(5'd0);
            copied(MULTICAST, at(3, 1), MARK | at(3, 1), 0, NULL_TARGET, "M11: once deferred, it stays deferred");
            check(deferrals == 1, "M11: a deferral is counted once");

            // The first target of a tree.
            start;
            passes(HERE, NORTH, UNICAST, at(1, 3), "another packet holds north");
            copied(MULTICAST, at(1, 2), MARK | at(1, 2), 0, 0, "M11: the first target is deferred, too");
            check(deferrals == 1 && splits == 1, "M11: a deferral is counted");
            copied(MULTICAST, at(3, 1), at(3, 1), MULTICAST, 0, "M11: the packet goes on");
            passes(HERE, NORTH, END_OF_PACKET, 16'd0, "the other packet ends");
            terminate(END_OF_PACKET, LOCAL_END, 1'b1, 1'b0, "M8: local_end_of_packet if a target was deferred");
        end
    endtask

    task stays_free(input integer to, input [8*100-1:0] name);
        begin
            repeat (SETTLED) one_clock;
            check(!connections[WEST*PORTS + to], name);
        end
    endtask

    task stalls;
        begin
            start;
            tree(at(1, 3));
            copied(MULTICAST, at(3, 1), at(3, 1), MULTICAST, NULL_TARGET, "M3: a further target opens a branch");
            for (i = 0; i < 3; i = i + 1) begin
                fill(i == 0 ? 5'b00001 : i == 1 ? 5'b00010 : 5'b01000);
                stays(5, WEST, DATA, 16'd40 + i, "M5: data move on all branches or none");
                fill(5'd0);
                copied(DATA, 16'd40 + i, 16'd40 + i, DATA, DATA, "F3d, M5: data move on all branches, once");
            end
            fill(5'b01000);
            stays(5, WEST, MULTICAST, at(2, 1), "M5: a target moves on all branches or none");
            fill(5'd0);
            copied(MULTICAST, at(2, 1), at(2, 1), MULTICAST, NULL_TARGET, "M3, M11: its branch is open, however long it waits");
            copied(MULTICAST, at(1, 1), MARK | at(1, 1), NULL_TARGET, NULL_TARGET, "M11: a target at home");
            fill(5'b01000);
            stays(5, WEST, END_OF_PACKET, 16'd0, "M5: a terminator moves on all branches or none");
            fill(5'd0);
            terminate(END_OF_PACKET, LOCAL_END, 1'b1, 1'b1, "M8: local_end_of_packet");
        end
    endtask

    // While a packet is split, others pass.
    task two_multicasts;
        begin
            start;
            tree(at(1, 3));
            passes(HERE, EAST, MULTICAST, MARK | at(3, 1), "M1, M10: local serves one packet, another passes");
            copied(DATA, 16'd5, 16'd5, 0, DATA, "M5: the split one goes on");
            passes(HERE, EAST, MULTICAST, at(1, 1), "M10: the passing one goes on");
            passes(HERE, EAST, END_OF_PACKET, 16'd0, "M10: the passing one ends");
            terminate(END_OF_PACKET, ABORT, 1'b0, 1'b1, "M8: the split one ends");
        end
    endtask

    // ---- Time-out and abort ---------------------------------------------------------------------------------------

    // A word waits until the packet is aborted: after abort_threshold to 1.5 times as many clocks, in which nothing moves.
    task aborts_in_time(input [2:0] tag, input [15:0] word, input [PORTS-1:0] branches, input [8*100-1:0] name);
        begin
            stays(abort_threshold - 1, WEST, tag, word, name);
            watch;
            while (aborts_seen == 0 && clocks <= abort_threshold / 2 + 2) begin
                #1 check(!(event_abort && taken[WEST]), "M5: nothing moves in the clock of an abort");
                one_clock;
            end
            check(aborts_seen == 1, "M6: a packet whose branch waits too long is aborted");
            check(aborted_branches === branches, "M7: each branch owes an abort_packet, local does not");
            got_nothing(ALL, "M5: nothing moves before an abort");
        end
    endtask

    task rest_to_local(input [2:0] tag, input [15:0] word, input [2:0] terminator);
        begin
            moves(WEST, tag, word, "M7: the word at hand goes to local");
            got(HERE, {1'b0, tag}, word, "M7: the word at hand goes to local, once, as it is");
            got_nothing(ALL & ~5'd1, "M7: to local alone");
            stays_open(terminator);
        end
    endtask

    task stays_open(input [2:0] terminator);
        begin
            passes(WEST, HERE, MULTICAST, MARK | at(1, 2), "M7: the rest follows as if unicast, targets too");
            passes(WEST, HERE, DATA, 16'd3, "M7: data follow as if unicast");
            passes(WEST, HERE, terminator, 16'd0, "M7, M8: the terminator is unchanged");
        end
    endtask

    task aborts(input integer threshold, input [2:0] terminator);
        for (offset = 0; offset < 9; offset = offset + 4) begin
            start;
            abort_threshold = threshold;
            fill(5'b00001);
            stays(offset + 1, NORTH, UNICAST, at(1, 1), "any number of clocks before");
            fill(5'd0);
            passes(NORTH, HERE, UNICAST, at(1, 1), "any number of clocks before");
            passes(NORTH, HERE, END_OF_PACKET, 16'd0, "any number of clocks before");
            tree(at(1, 3));
            copied(MULTICAST, at(1, 1), MARK | at(1, 1), 0, NULL_TARGET, "M11: a target at home");
            copied(MULTICAST, at(3, 1), at(3, 1), MULTICAST, NULL_TARGET, "M3: a further target opens a branch");
            fill(5'b00010);
            aborts_in_time(DATA, 16'd5, 5'b01010, "M6: not before its time");
            rest_to_local(DATA, 16'd5, terminator);
            stays(SETTLED, HERE, UNICAST, at(3, 1), "M7, U4: an output is not available before its abort_packet has left");
            fill(5'd0);
            passes(HERE, EAST, UNICAST, at(3, 1), "M7: an aborted branch is released");
            passes(HERE, EAST, END_OF_PACKET, 16'd0, "M7: an aborted branch is released");
            tick;
            ended("U4: everything is released");
        end
    endtask

    // From any net_input: gaps do not count, waiting does.
    task times_out(input integer from, input integer ahead, input [15:0] target);
        begin
            start;
            abort_threshold = 16'd8;
            moves(from, MULTICAST, at(1, 1), "M1, M10: first target at home");
            moves(from, MULTICAST, target, "M3: a branch begins with a further target");
            fill(5'd1 << ahead);
            watch;
            shows(from == EAST ? WEST : EAST, UNICAST, at(1, 1));  // another head that waits: the clock of the time-outs runs
            repeat (40) one_clock;
            check(aborts_seen == 0, "M6: a gap from upstream does not count");
            moves_within(12 + SOON, from, DATA, 16'd1, "M6: a word that waits is aborted");
            check(aborts_seen == 1 && aborted_branches == 5'd1 << ahead,
                  "M6, M7: a packet whose branch waits too long is aborted");
            got(HERE, {1'b0, DATA}, 16'd1, "M7: the word at hand goes to local");
        end
    endtask

    // M6: what counts is a word at hand that waits for a branch.
    task not_aborted;
        begin
            start;
            abort_threshold = 16'd8;
            tree(at(1, 3));
            watch;
            fill(5'b01000);
            shows(HERE, UNICAST, at(1, 3));  // another head that waits: the clock of the time-outs runs
            repeat (40) one_clock;
            check(aborts_seen == 0, "M6: a gap from upstream does not count");
            fill(5'b00001);
            stays(100, WEST, DATA, 16'd1, "M6: waiting for local does not count");
            fill(5'd0);
            copied(DATA, 16'd1, 16'd1, 0, DATA, "M5: it goes on");
            for (i = 0; i < 8; i = i + 1) begin
                fill(5'b01000);
                stays(7, WEST, DATA, 16'd2 + i, "M6: each word counts anew");
                fill(5'd0);
                copied(DATA, 16'd2 + i, 16'd2 + i, 0, DATA, "M6: each word counts anew");
            end
        end
    endtask

    // A branch that was granted, and has carried nothing, owes a lone abort_packet: its receiver drops it.
    task branch_without_word;
        begin
            start;
            abort_threshold = 16'd16;
            tree(at(1, 3));
            fill(5'b01000);
            aborts_in_time(MULTICAST, at(3, 1), 5'b01010, "M5: a target moves on all branches or none");
            rest_to_local(MULTICAST, at(3, 1), END_OF_PACKET);
            fill(5'd0);
            tick;
            tick;
            ended("U4: everything is released");
        end
    endtask

    // The branch comes free around the clock of the abort: the word moves on both, or it is aborted and goes to local.
    task abort_or_move;
        for (offset = 6; offset < 16; offset = offset + 1) begin
            start;
            abort_threshold = 16'd8;
            tree(at(1, 3));
            watch;
            shows(WEST, DATA, 16'd9);
            fill(5'b01000);
            repeat (offset) one_clock;
            fill(5'd0);
            repeat (SOON) one_clock;
            check(got_count[HERE] == 1 && got_count[NORTH] + aborts_seen == 1, "M5: abort and move exclude each other");
            passes_or_commits;
        end
    endtask

    task passes_or_commits;
        begin
            moves(WEST, END_OF_PACKET, 16'd0, "M5: the packet ends");
            repeat (3) one_clock;
            ended("M5: and leaves nothing behind");
        end
    endtask

    // A terminator that waits is aborted; one that moves has committed.
    task terminator_waits;
        begin
            start;
            abort_threshold = 16'd8;
            tree(at(1, 3));
            fill(5'b01000);
            aborts_in_time(END_OF_PACKET, 16'd0, 5'b01000, "M5: a terminator that waits");
            moves(WEST, END_OF_PACKET, 16'd0, "M7: it goes to local");
            got(HERE, END, 16'd0, "M7: unchanged");
            got_nothing(ALL & ~5'd1, "M5, M7: to local alone");
            fill(5'd0);
            tick;
            tick;
            ended("M7: released");
            // What it leaves behind is no mark of the next packet.
            tree(at(1, 3));
            terminate(END_OF_PACKET, ABORT, 1'b0, 1'b1, "M8: the next packet's own marks");
        end
    endtask

    initial begin
        begin_bench;
        partition;
        first_local(16'd0);
        first_local(MARK);
        home_first(HERE, NORTH, at(1, 3));
        home_first(EAST, WEST, at(0, 1));
        home_first(WEST, EAST, at(3, 1));
        home_first(NORTH, SOUTH, at(1, 0));
        home_first(SOUTH, NORTH, at(1, 3));
        whole(WEST, EAST, at(3, 1));
        whole(WEST, EAST, MARK | at(3, 1));
        whole(SOUTH, NORTH, at(1, 3));
        whole(WEST, SOUTH, MARK | at(1, 0));
        whole(HERE, EAST, MARK | at(3, 1));
        waits_for_local(WEST, at(1, 3));
        waits_for_local(HERE, at(3, 1));
        deferral(1'b1);
        deferral(1'b0);
        stalls;
        two_multicasts;
        aborts(8, END_OF_PACKET);
        aborts(32, END_OF_PACKET);
        aborts(16, ABORT_PACKET);
        times_out(HERE, NORTH, at(1, 3));
        times_out(EAST, WEST, at(0, 1));
        times_out(WEST, EAST, at(3, 1));
        times_out(NORTH, SOUTH, at(1, 0));
        times_out(SOUTH, NORTH, at(1, 3));
        not_aborted;
        branch_without_word;
        abort_or_move;
        terminator_waits;
        verdict;
    end
endmodule

`default_nettype wire
