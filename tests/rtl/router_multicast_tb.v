// router_multicast_tb: connections of multicasts, word by word (P3, M1-M5, M8, M9; Table C; August paper 4.5.2).
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module router_multicast_tb;
    `include "router_bench.vh"

    integer i;

    // A head from `from` that gets local and one remote output.
    task head(input integer from, input integer to, input [15:0] target);
        begin
            moves(from, MULTICAST, target, "M1: local and remote are taken as soon as they can be");
            got(HERE, {1'b0, MULTICAST}, target, "M1: local gets the head, once");
            got(to, {1'b0, MULTICAST}, target, "M1: remote gets the head, once");
            got_nothing(ALL & ~(5'd1 << to) & ~5'd1, "M1: the head goes nowhere else");
            check(splits == 1 && passings == 0, "M1: a split is counted once");
        end
    endtask

    // The second packet that holds an output: a unicast from SOUTH.
    task block(input integer to);
        passes(SOUTH, to, UNICAST, to == EAST ? at(3, 1) : to == WEST ? at(0, 1) : at(1, 3), "another packet holds it");
    endtask

    // A word of a split connection from WEST: what local, east and north get (tag 0: nothing).
    task copied(input [2:0] tag, input [15:0] word, input [3:0] local, input [2:0] east, input [2:0] north,
                input [8*100-1:0] name);
        begin
            moves(WEST, tag, word, name);
            got(HERE, local, local == {1'b0, tag} ? word : 16'd0, name);
            if (east != 0) got(EAST, {1'b0, east}, east == tag ? word : 16'd0, name);
            if (north != 0) got(NORTH, {1'b0, north}, north == tag ? word : 16'd0, name);
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
            got_nothing({1'b1, !north, 1'b1, !east, 1'b0}, "M8: nobody else gets a terminator");
            tick;
            ended("U4: released by its terminator");
        end
    endtask

    // A word of a split connection from WEST that cannot move.
    task blocked(input integer number, input [2:0] tag, input [15:0] word, input [8*100-1:0] name);
        begin
            stays(number, WEST, tag, word, name);
            check(pads == number, "M4: null_transmission to local in every clock without a move");
        end
    endtask

    task first_local;
        begin
            start;
            fill(5'b00001);
            stays(SETTLED, WEST, MULTICAST, at(1, 1), "M1: first target local: wait for local, never pass through");
            fill(5'd0);
            copied(MULTICAST, at(1, 1), MULTICAST, 0, 0, "M1: a first local target goes to local alone");
            copied(MULTICAST, at(3, 1), MULTICAST, MULTICAST, 0, "M1, P3, M3: local gets it, and a branch opens with it");
            terminate(END_OF_PACKET, `POSTROAD_TAG_LOCAL_END_OF_PACKET, 1'b1, 1'b0,
                      "M8: local_end_of_packet if some targets were local");
            // All targets local.
            copied(MULTICAST, at(1, 1), MULTICAST, 0, 0, "M1: a first local target goes to local alone");
            terminate(END_OF_PACKET, `POSTROAD_TAG_LOCAL_END_OF_PACKET, 1'b0, 1'b0,
                      "M8: local_end_of_packet if all targets were local");
        end
    endtask

    task local_before_remote;
        begin
            start;
            block(EAST);
            local_alone(SOON, WEST, at(3, 1), "M1: local is taken at once, even with no remote");
            blocked(SETTLED, MULTICAST, at(3, 1), "M1, M4: local waits for the remote branch, with null_transmission");
            passes(SOUTH, EAST, END_OF_PACKET, 16'd0, "the other packet ends");
            moves(WEST, MULTICAST, at(3, 1), "M1: the remote branch opens as soon as it can");
            got(EAST, {1'b0, MULTICAST}, at(3, 1), "M1: the remote branch opens as soon as it can");
            got(HERE, {1'b0, MULTICAST}, at(3, 1), "F3d, M1, M5: local gets the target with it, once");
            got_nothing(ALL & ~5'b00011, "M1: the head goes nowhere else");
            copied(DATA, 16'd9, DATA, DATA, 0, "F3d, M5: both branches go on together, once");
            terminate(END_OF_PACKET, {1'b0, ABORT_PACKET}, 1'b1, 1'b0,
                      "M8: local gets abort_packet if all targets were remote");
        end
    endtask

    task pass_through;
        begin
            start;
            passes(NORTH, HERE, UNICAST, at(1, 1), "another packet holds local");
            passes(WEST, EAST, MULTICAST, at(3, 1), "M2: remote available, local not: the packet passes");
            check(passings == 1 && splits == 0, "M2: a pass is counted");
            passes(NORTH, HERE, END_OF_PACKET, 16'd0, "local comes free");
            passes(WEST, EAST, MULTICAST, at(1, 3), "M2: the whole packet passes down the one connection");
            passes(WEST, EAST, MULTICAST, at(1, 1), "M2: the whole packet passes, a target for this site included");
            passes(WEST, EAST, INFO, 16'd77, "M2: the whole packet passes, target_info included");
            abort_request = 1'b1;
            passes(WEST, EAST, DATA, 16'd78, "F1: abort_request means open on a connection passing through");
            check(aborts_seen == 0, "F1: abort_request means open on a connection passing through");
            fill(5'b00010);
            stays(3, WEST, DATA, 16'd79, "F3d: a word stays while its output waits");
            check(pads == 0, "M4: a connection passing through makes no pads");
            fill(5'd0);
            passes(WEST, EAST, DATA, 16'd79, "M2: the whole packet passes");
            passes(WEST, EAST, END_OF_PACKET, 16'd0, "M8: a passing packet keeps its terminator");
            tick;
            ended("U4: released");
        end
    endtask

    task neither_available;
        begin
            start;
            passes(NORTH, HERE, UNICAST, at(1, 1), "another packet holds local");
            block(EAST);
            stays(100, WEST, MULTICAST, at(3, 1), "M2, U3: neither: keep trying both, multicast heads never divert");
            check(pads == 0, "M4: no pads for a packet that is not split");
            passes(NORTH, HERE, END_OF_PACKET, 16'd0, "local comes free");
            local_alone(SOON, WEST, at(3, 1), "M1: take local as soon as it is available");
            check(diversions == 0, "U3: multicast heads never divert");
        end
    endtask

    // While a packet is split, another one passes.
    task two_multicasts;
        begin
            start;
            head(WEST, EAST, at(3, 1));
            passes(SOUTH, NORTH, MULTICAST, at(1, 3), "M1, M2: local serves one packet, another passes");
            copied(DATA, 16'd5, DATA, DATA, 0, "M5: the split one goes on");
            passes(SOUTH, NORTH, DATA, 16'd6, "M2: the passing one goes on");
            passes(SOUTH, NORTH, END_OF_PACKET, 16'd0, "M2: the passing one ends");
            terminate(END_OF_PACKET, {1'b0, ABORT_PACKET}, 1'b1, 1'b0, "M8: the split one ends");
        end
    endtask

    task partition;
        begin
            start;
            head(WEST, EAST, at(3, 1));
            copied(INFO, 16'd1, INFO, INFO, 0, "M1, P1: target_info goes with its entry");
            copied(MULTICAST, at(1, 3), MULTICAST, NULL_TARGET, MULTICAST,
                   "M1, P3, M3: a further target opens a branch, which begins with it; null_target in foreign slots");
            copied(INFO, 16'd2, INFO, NULL_TARGET, INFO, "P1: every word of a foreign entry becomes null_target");
            copied(MULTICAST, at(1, 1), MULTICAST, NULL_TARGET, NULL_TARGET, "P3: null_target in the slot of a local target");
            copied(INFO, 16'd3, INFO, NULL_TARGET, NULL_TARGET, "P1: target_info of a local target goes to local alone");
            copied(MULTICAST, at(2, 1), MULTICAST, MULTICAST, NULL_TARGET, "M3, P3: a further target reuses an own branch");
            copied(NULL_TARGET, 16'd0, NULL_TARGET, NULL_TARGET, NULL_TARGET,
                   "P3: a slot that is foreign already stays so on every branch");
            copied(MULTICAST, at(1, 2), MULTICAST, NULL_TARGET, MULTICAST, "M3, P3: a further target reuses an own branch");
            copied(DATA, 16'hffff, DATA, DATA, DATA, "P1: data go to every branch");
            watch;
            one_clock;
            got_nothing(ALL, "M4: a gap from upstream moves nothing");
            check(pads == 0, "M4: a gap from upstream is no null_transmission of this site's making");
            terminate(END_OF_PACKET, `POSTROAD_TAG_LOCAL_END_OF_PACKET, 1'b1, 1'b1,
                      "M8: local_end_of_packet if some targets were local");
        end
    endtask

    // The list of a multicast is the output that it prefers, whatever is owned.
    task lists;
        begin
            start;
            multicast_lists = 8'b11111111;
            head(WEST, EAST, at(3, 1));
            copied(MULTICAST, at(3, 3), MULTICAST, NULL_TARGET, MULTICAST, "M3: of an adaptive list the preferred output");
            start;
            head(WEST, NORTH, at(1, 3));
            copied(MULTICAST, at(3, 3), MULTICAST, MULTICAST, NULL_TARGET,
                   "M3: the default list of multicasts is strict dimension order");
            start;
            multicast_lists = 8'b01010101;
            head(WEST, NORTH, at(3, 3));
            // Behind is where it came from.
            blocked(100, MULTICAST, at(0, 1), "U1: no packet goes back where it came from");
        end
    endtask

    task stalls;
        begin
            start;
            head(WEST, EAST, at(3, 1));
            block(NORTH);
            blocked(100, MULTICAST, at(1, 3), "M5, M4: wanted output busy: wait to upstream, never divert one target");
            // The new branch could carry its first word, but another one is in wait.
            fill(5'b00010);
            passes(SOUTH, NORTH, END_OF_PACKET, 16'd0, "the other packet ends");
            blocked(SETTLED, MULTICAST, at(1, 3), "M5: a target moves on all branches or none");
            fill(5'd0);
            copied(MULTICAST, at(1, 3), MULTICAST, NULL_TARGET, MULTICAST, "M5: all branches in one clock");
            for (i = 0; i < 3; i = i + 1) begin
                fill(i == 0 ? 5'b00001 : i == 1 ? 5'b00010 : 5'b01000);
                blocked(3, DATA, 16'd40 + i, "M5: data move on all branches or none");
                fill(5'd0);
                copied(DATA, 16'd40 + i, DATA, DATA, DATA, "M5: data move on all branches or none");
            end
            fill(5'b01000);
            blocked(3, END_OF_PACKET, 16'd0, "M5: a terminator moves on all branches or none");
            fill(5'd0);
            terminate(END_OF_PACKET, {1'b0, ABORT_PACKET}, 1'b1, 1'b1,
                      "M8: local gets abort_packet if all targets were remote");
        end
    endtask

    task received_abort(input some_local);
        begin
            start;
            head(WEST, EAST, at(3, 1));
            if (some_local) copied(MULTICAST, at(1, 1), MULTICAST, NULL_TARGET, 0, "P3: a local target");
            terminate(ABORT_PACKET, {1'b0, ABORT_PACKET}, 1'b1, 1'b0,
                      "M8: local gets abort_packet for a received abort_packet");
        end
    endtask

    // The word behind the first data word: local is released in the clock before it crosses.
    task released(input [2:0] tag, input [15:0] word);
        begin
            moves(WEST, tag, word, "M9: the connection goes on");
            got(HERE, {1'b0, ABORT_PACKET}, 16'd0, "M9: local is released with abort_packet behind the first data word");
            got(EAST, {1'b0, tag}, word, "M9: the connection goes on as a unicast");
            got_nothing(5'b11100, "M9: the connection goes on as a unicast");
            check(clocks == 2 && pads == 0, "M9: the release takes one clock, in which nothing moves");
            check(singles_seen == 1, "M9: a release is counted");
        end
    endtask

    task single_branch;
        begin
            start;
            release_single = 1'b1;
            head(WEST, EAST, at(3, 1));
            copied(MULTICAST, at(2, 1), MULTICAST, MULTICAST, 0, "M9: not before the first data word");
            fill(5'b00010);
            blocked(3, DATA, 16'd1, "M9, M5: not before the data word can move");
            fill(5'd0);
            copied(DATA, 16'd1, DATA, DATA, 0, "M9: the first data word goes to both");
            check(singles_seen == 0, "M9: not before the first data word has crossed");
            released(DATA, 16'd2);
            passes(NORTH, HERE, UNICAST, at(1, 1), "M9: the released local output serves another packet");
            shows(NORTH, DATA, 16'd7);
            moves(WEST, DATA, 16'd3, "M9: both go on");
            got(EAST, {1'b0, DATA}, 16'd3, "M9: the connection goes on as a unicast");
            got(HERE, {1'b0, DATA}, 16'd7, "M9: the released local output serves another packet");
            abort_request = 1'b1;
            passes(WEST, EAST, END_OF_PACKET, 16'd0, "M9: the connection goes on as a unicast");
            // What it leaves behind is no branch of the next packet.
            passes(NORTH, HERE, END_OF_PACKET, 16'd0, "the other packet ends");
            passes(NORTH, EAST, UNICAST, at(3, 1), "M9: the output serves another packet");
            head(WEST, NORTH, at(1, 3));
            copied(DATA, 16'd3, DATA, 0, DATA, "M9: another packet's output is no branch");
            copied(DATA, 16'd4, ABORT_PACKET, 0, DATA, "M9: another packet's output is no branch");

            // Local is not ready when it should be released: then as soon as it is.
            start;
            release_single = 1'b1;
            head(WEST, EAST, at(3, 1));
            copied(DATA, 16'd1, DATA, DATA, 0, "M9: the first data word goes to both");
            fill(5'b00001);
            blocked(3, DATA, 16'd2, "M4, M9: local waits, and with it the packet");
            fill(5'd0);
            released(DATA, 16'd2);

            // Nothing follows yet, or nothing but the terminator.
            for (i = 0; i < 2; i = i + 1) begin
                start;
                release_single = 1'b1;
                head(WEST, EAST, at(3, 1));
                copied(DATA, 16'd1, DATA, DATA, 0, "M9: the first data word goes to both");
                if (i == 0) released(END_OF_PACKET, 16'd0);
                else begin
                    watch;
                    one_clock;
                    got(HERE, {1'b0, ABORT_PACKET}, 16'd0, "M9: local is released though nothing follows yet");
                    got_nothing(ALL & ~5'd1, "M9: local is released though nothing follows yet");
                    passes(WEST, EAST, END_OF_PACKET, 16'd0, "M9: the connection goes on as a unicast");
                end
                tick;
                ended("U4: released");
            end

            // Not with a second branch, not with a local target, not when switched off.
            for (i = 0; i < 3; i = i + 1) begin
                start;
                release_single = i != 2;
                head(WEST, EAST, at(3, 1));
                moves(WEST, MULTICAST, i == 0 ? at(1, 3) : i == 1 ? at(1, 1) : at(2, 1), "M3: a further target");
                moves(WEST, DATA, 16'd1, "P1: data");
                moves(WEST, DATA, 16'd2, "P1: data");
                got(HERE, {1'b0, DATA}, 16'd2, "M9: only if all targets are remote, on one branch, and it is wanted");
                check(singles_seen == 0, "M9: only if all targets are remote, on one branch, and it is wanted");
            end
            start;
            release_single = 1'b1;
            head(WEST, EAST, at(3, 1));
            terminate(END_OF_PACKET, {1'b0, ABORT_PACKET}, 1'b1, 1'b0, "M8: without data the terminator releases local");
        end
    endtask

    initial begin
        begin_bench;
        first_local;
        local_before_remote;
        pass_through;
        neither_available;
        two_multicasts;
        partition;
        lists;
        stalls;
        received_abort(1'b0);
        received_abort(1'b1);
        single_branch;
        verdict;
    end
endmodule

`default_nettype wire
