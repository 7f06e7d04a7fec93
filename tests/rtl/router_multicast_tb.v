// router_multicast_tb: connections of multicasts, word by word (P3, M1-M5, M8, M9; Table C; August paper 4.5.2).
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module router_multicast_tb;
    `include "router_bench.vh"

    integer i;

    // A head from `from` that gets local and one remote output in one clock.
    task head(input integer from, input integer to, input [15:0] target);
        begin
            shows(from, MULTICAST, target);
            gets(HERE, {1'b0, MULTICAST}, target, "M1: local gets the head");
            gets(to, {1'b0, MULTICAST}, target, "M1: remote gets the head");
            nothing(ALL & ~(5'd1 << to) & ~5'd1, "M1: the head goes nowhere else");
            takes(5'd1 << from, "M1: both outputs in one clock");
            check(event_split && !event_pass, "M1: a split is counted");
            tick;
        end
    endtask

    // The second packet that holds an output: a unicast from SOUTH.
    task block(input integer to);
        passes(SOUTH, to, UNICAST, to == EAST ? at(3, 1) : to == WEST ? at(0, 1) : at(1, 3), "another packet holds it");
    endtask

    // The terminator of a split connection from WEST.
    task terminate(input [2:0] received, input [3:0] local, input [PORTS-1:0] remotes, input [8*100-1:0] name);
        begin
            shows(WEST, received, 16'd0);
            gets(HERE, local, 16'd0, name);
            for (i = 1; i < PORTS; i = i + 1)
                if (remotes[i]) gets(i, {1'b0, received}, 16'd0, "M8, P5: remote branches get the terminator received");
            nothing(~remotes & ~5'd1, "M8: nobody else gets a terminator");
            takes(5'd1 << WEST, name);
            tick;
            ended("U4: released by its terminator");
        end
    endtask

    task first_local;
        begin
            start;
            repeat (12) begin
                ready = ALL & ~5'b00001;
                shows(WEST, MULTICAST, at(1, 1));
                takes(5'd0, "M1: first target local: wait for local, never pass through");
                nothing(ALL, "M1: first target local: wait for local, never pass through");
                check(!event_divert && !event_pass, "M1: first target local: wait for local, never pass through");
                tick;
            end
            shows(WEST, MULTICAST, at(1, 1));
            gets(HERE, {1'b0, MULTICAST}, at(1, 1), "M1: local gets a local target");
            nothing(~5'd1, "M1: a first local target opens no remote branch");
            takes(5'd1 << WEST, "M1: local gets a local target");
            tick;
            shows(WEST, MULTICAST, at(3, 1));
            gets(HERE, {1'b0, MULTICAST}, at(3, 1), "M1: the local branch gets every target");
            gets(EAST, {1'b0, MULTICAST}, at(3, 1), "P3: a branch begins with its own entry");
            takes(5'd1 << WEST, "M3: a further target opens a branch");
            tick;
            terminate(END_OF_PACKET, `POSTROAD_TAG_LOCAL_END_OF_PACKET, 5'b00010,
                      "M8: local_end_of_packet if some targets were local");
            // All targets local.
            shows(WEST, MULTICAST, at(1, 1));
            tick;
            terminate(END_OF_PACKET, `POSTROAD_TAG_LOCAL_END_OF_PACKET, 5'b00000,
                      "M8: local_end_of_packet if all targets were local");
        end
    endtask

    task local_before_remote;
        begin
            start;
            block(EAST);
            shows(WEST, MULTICAST, at(3, 1));
            gets(HERE, {1'b0, MULTICAST}, at(3, 1), "M1: local gets the target at once, even with no remote");
            takes(5'd0, "M1: the head stays until its remote branch opens");
            check(event_split, "M1: a split is counted once");
            tick;
            repeat (4) begin
                shows(WEST, MULTICAST, at(3, 1));
                gets(HERE, PAD, 16'd0, "M1, M4: local gets the target once only, then null_transmission");
                takes(5'd0, "M4: upstream gets wait");
                check(!event_split, "M1: a split is counted once");
                tick;
            end
            shows(SOUTH, END_OF_PACKET, 16'd0);
            tick;
            shows(WEST, MULTICAST, at(3, 1));
            gets(EAST, {1'b0, MULTICAST}, at(3, 1), "M1: the remote branch opens as soon as it can");
            nothing(5'b00001, "M1: local gets the target once only");
            takes(5'd1 << WEST, "M1: the remote branch opens as soon as it can");
            tick;
            shows(WEST, DATA, 16'd9);
            gets(HERE, {1'b0, DATA}, 16'd9, "M5: both branches go on together");
            gets(EAST, {1'b0, DATA}, 16'd9, "M5: both branches go on together");
            tick;
            terminate(END_OF_PACKET, {1'b0, ABORT_PACKET}, 5'b00010,
                      "M8: local gets abort_packet if all targets were remote");
        end
    endtask

    task pass_through;
        begin
            start;
            passes(NORTH, HERE, UNICAST, at(1, 1), "another packet holds local");
            shows(WEST, MULTICAST, at(3, 1));
            gets(EAST, {1'b0, MULTICAST}, at(3, 1), "M2: remote available, local not: the packet passes");
            nothing(5'b11101, "M2: no split here");
            takes(5'd1 << WEST, "M2: remote available, local not: the packet passes");
            check(event_pass && !event_split, "M2: a pass is counted");
            tick;
            passes(NORTH, HERE, END_OF_PACKET, 16'd0, "local comes free");
            passes(WEST, EAST, MULTICAST, at(1, 3), "M2: the whole packet passes down the one connection");
            passes(WEST, EAST, MULTICAST, at(1, 1), "M2: the whole packet passes, a target for this site included");
            passes(WEST, EAST, INFO, 16'd77, "M2: the whole packet passes, target_info included");
            abort_request = 1'b1;
            passes(WEST, EAST, DATA, 16'd78, "F1: abort_request means open on a connection passing through");
            shows(WEST, DATA, 16'd79);
            ready = ALL & ~5'b00010;
            takes(5'd0, "M4: a connection passing through makes no pads");
            nothing(5'b00001, "M4: a connection passing through makes no pads");
            tick;
            passes(WEST, EAST, END_OF_PACKET, 16'd0, "M8: a passing packet keeps its terminator");
            ended("U4: released");
        end
    endtask

    task neither_available;
        begin
            start;
            passes(NORTH, HERE, UNICAST, at(1, 1), "another packet holds local");
            block(EAST);
            repeat (10) begin
                shows(WEST, MULTICAST, at(3, 1));
                takes(5'd0, "M2: neither: keep trying both");
                nothing(ALL, "M2: neither: keep trying both");
                check(!event_divert, "U3: multicast heads never divert");
                tick;
            end
            passes(NORTH, HERE, END_OF_PACKET, 16'd0, "local comes free");
            shows(WEST, MULTICAST, at(3, 1));
            gets(HERE, {1'b0, MULTICAST}, at(3, 1), "M1: take local as soon as it is available");
            check(event_split && !event_divert, "U3: multicast heads never divert");
            tick;
        end
    endtask

    task partition;
        begin
            start;
            head(WEST, EAST, at(3, 1));
            shows(WEST, INFO, 16'd1);
            gets(HERE, {1'b0, INFO}, 16'd1, "M1: the local branch gets every target");
            gets(EAST, {1'b0, INFO}, 16'd1, "P1: target_info goes with its entry");
            tick;
            shows(WEST, MULTICAST, at(1, 3));
            gets(HERE, {1'b0, MULTICAST}, at(1, 3), "M1: the local branch gets every target");
            gets(EAST, {1'b0, NULL_TARGET}, 16'd0, "P3, M3: null_target in foreign slots");
            gets(NORTH, {1'b0, MULTICAST}, at(1, 3), "P3, M3: a further target opens a branch, which begins with it");
            takes(5'd1 << WEST, "M3: a further target opens a branch");
            tick;
            shows(WEST, INFO, 16'd2);
            gets(HERE, {1'b0, INFO}, 16'd2, "M1: the local branch gets every target");
            gets(EAST, {1'b0, NULL_TARGET}, 16'd0, "P1: every word of a foreign entry becomes null_target");
            gets(NORTH, {1'b0, INFO}, 16'd2, "P1: target_info goes with its entry");
            tick;
            shows(WEST, MULTICAST, at(1, 1));
            gets(HERE, {1'b0, MULTICAST}, at(1, 1), "M1: the local branch gets every target");
            gets(EAST, {1'b0, NULL_TARGET}, 16'd0, "P3: null_target in the slot of a local target");
            gets(NORTH, {1'b0, NULL_TARGET}, 16'd0, "P3: null_target in the slot of a local target");
            tick;
            shows(WEST, INFO, 16'd3);
            gets(HERE, {1'b0, INFO}, 16'd3, "P1: target_info of a local target goes to local");
            gets(EAST, {1'b0, NULL_TARGET}, 16'd0, "P1: target_info of a local target goes to local alone");
            gets(NORTH, {1'b0, NULL_TARGET}, 16'd0, "P1: target_info of a local target goes to local alone");
            tick;
            shows(WEST, MULTICAST, at(2, 1));
            gets(EAST, {1'b0, MULTICAST}, at(2, 1), "M3: a further target reuses an own branch");
            gets(NORTH, {1'b0, NULL_TARGET}, 16'd0, "P3, M3: null_target in foreign slots");
            takes(5'd1 << WEST, "M3: a further target reuses an own branch");
            tick;
            shows(WEST, NULL_TARGET, 16'd0);
            gets(EAST, {1'b0, NULL_TARGET}, 16'd0, "P3: a slot that is foreign already stays so on every branch");
            gets(NORTH, {1'b0, NULL_TARGET}, 16'd0, "P3: a slot that is foreign already stays so on every branch");
            tick;
            shows(WEST, DATA, 16'd4);
            gets(HERE, {1'b0, DATA}, 16'd4, "P1: data go to every branch");
            gets(EAST, {1'b0, DATA}, 16'd4, "P1: data go to every branch");
            gets(NORTH, {1'b0, DATA}, 16'd4, "P1: data go to every branch");
            tick;
            nothing(ALL, "M4: a gap from upstream is no null_transmission of this site's making");
            tick;
            terminate(END_OF_PACKET, `POSTROAD_TAG_LOCAL_END_OF_PACKET, 5'b01010,
                      "M8: local_end_of_packet if some targets were local");
        end
    endtask

    // With adaptive lists an owned output is reused though another one comes first on the list.
    task reuse_before_preference;
        begin
            start;
            multicast_lists = 8'b11111111;
            head(WEST, EAST, at(3, 1));
            shows(WEST, MULTICAST, at(3, 3));
            gets(EAST, {1'b0, MULTICAST}, at(3, 3), "M3: any output of the list that is owned is reused");
            nothing(5'b01000, "M3: no second branch where an own one will do");
            tick;
            start;
            head(WEST, NORTH, at(1, 3));
            shows(WEST, MULTICAST, at(3, 3));
            gets(EAST, {1'b0, MULTICAST}, at(3, 3), "M3: the default list of multicasts is strict dimension order");
            gets(NORTH, {1'b0, NULL_TARGET}, 16'd0, "M3: the default list of multicasts is strict dimension order");
            tick;
        end
    endtask

    task stalls;
        begin
            start;
            head(WEST, EAST, at(3, 1));
            block(NORTH);
            repeat (10) begin
                shows(WEST, MULTICAST, at(1, 3));
                gets(HERE, PAD, 16'd0, "M4: wanted output busy: null_transmission to local");
                nothing(5'b11110, "M5: a target moves on all branches or none");
                takes(5'd0, "M4: wanted output busy: wait to upstream, never divert one target");
                check(!event_divert, "M4: never divert one target");
                tick;
            end
            passes(SOUTH, NORTH, END_OF_PACKET, 16'd0, "the other packet ends");
            // The new branch could open, but another one is in wait.
            shows(WEST, MULTICAST, at(1, 3));
            ready = ALL & ~5'b00010;
            gets(HERE, PAD, 16'd0, "M4: a connected branch in wait: null_transmission to local");
            nothing(5'b01000, "M5: a target moves on all branches or none");
            takes(5'd0, "M5: a target moves on all branches or none");
            tick;
            check(quiet == 1'b0 && dut.owned == 5'b00011, "M5: no branch is opened before its word can move");
            shows(WEST, MULTICAST, at(1, 3));
            takes(5'd1 << WEST, "M5: all branches in one clock");
            tick;
            for (i = 0; i < 3; i = i + 1) begin
                shows(WEST, DATA, 16'd40 + i);
                ready = i == 0 ? 5'b11110 : i == 1 ? 5'b11101 : 5'b10111;
                #1;
                if (i > 0) gets(HERE, PAD, 16'd0, "M4: a connected branch in wait: null_transmission to local");
                nothing(5'b01010, "M5: data move on all branches or none");
                takes(5'd0, "M5: data move on all branches or none");
                tick;
            end
            shows(WEST, END_OF_PACKET, 16'd0);
            ready = 5'b10111;
            gets(HERE, PAD, 16'd0, "M5: a terminator moves on all branches or none");
            nothing(5'b01010, "M5: a terminator moves on all branches or none");
            takes(5'd0, "M5: a terminator moves on all branches or none");
            tick;
            terminate(END_OF_PACKET, {1'b0, ABORT_PACKET}, 5'b01010,
                      "M8: local gets abort_packet if all targets were remote");
        end
    endtask

    task received_abort(input some_local);
        begin
            start;
            head(WEST, EAST, at(3, 1));
            if (some_local) begin
                shows(WEST, MULTICAST, at(1, 1));
                tick;
            end
            terminate(ABORT_PACKET, {1'b0, ABORT_PACKET}, 5'b00010,
                      "M8: local gets abort_packet for a received abort_packet");
        end
    endtask

    task single_branch;
        begin
            start;
            release_single = 1'b1;
            head(WEST, EAST, at(3, 1));
            shows(WEST, MULTICAST, at(2, 1));
            gets(HERE, {1'b0, MULTICAST}, at(2, 1), "M9: not before the first data word");
            tick;
            shows(WEST, DATA, 16'd1);
            ready = ALL & ~5'b00010;
            gets(HERE, PAD, 16'd0, "M9, M5: not before the data word can move");
            tick;
            shows(WEST, DATA, 16'd1);
            gets(HERE, {1'b0, ABORT_PACKET}, 16'd0, "M9: local is released with abort_packet at the first data word");
            gets(EAST, {1'b0, DATA}, 16'd1, "M9: the remote branch goes on");
            takes(5'd1 << WEST, "M9: the remote branch goes on");
            check(event_single, "M9: a release is counted");
            tick;
            shows(NORTH, UNICAST, at(1, 1));
            gets(HERE, {1'b0, UNICAST}, at(1, 1), "M9: the released local output serves another packet");
            shows(WEST, DATA, 16'd2);
            gets(EAST, {1'b0, DATA}, 16'd2, "M9: the connection goes on as a unicast");
            check(taken === 5'b01100, "M9: both go on");
            tick;
            abort_request = 1'b1;
            passes(WEST, EAST, END_OF_PACKET, 16'd0, "M9: the connection goes on as a unicast");

            // Not with a second branch, not with a local target, not when switched off.
            for (i = 0; i < 3; i = i + 1) begin
                start;
                release_single = i != 2;
                head(WEST, EAST, at(3, 1));
                shows(WEST, MULTICAST, i == 0 ? at(1, 3) : i == 1 ? at(1, 1) : at(2, 1));
                tick;
                shows(WEST, DATA, 16'd1);
                gets(HERE, {1'b0, DATA}, 16'd1, "M9: only if all targets are remote, on one branch, and it is wanted");
                check(!event_single, "M9: only if all targets are remote, on one branch, and it is wanted");
                tick;
            end
            start;
            release_single = 1'b1;
            head(WEST, EAST, at(3, 1));
            terminate(END_OF_PACKET, {1'b0, ABORT_PACKET}, 5'b00010, "M8: without data the terminator releases local");
        end
    endtask

    initial begin
        begin_bench;
        first_local;
        local_before_remote;
        pass_through;
        neither_available;
        partition;
        reuse_before_preference;
        stalls;
        received_abort(1'b0);
        received_abort(1'b1);
        single_branch;
        verdict;
    end
endmodule

`default_nettype wire
