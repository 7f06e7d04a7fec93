// mesh_scenarios_tb: the scenarios of rules.md, "What the + rules prevent", and a packet that passes (M2). Each is built on
// purpose on a small mesh and must end with every packet delivered once; without its rule it hangs, loses, or does not come
// about (tests/faults plants that).
// +scenario=NAME runs one, +verbose lists deliveries, +seed=N sets the stalls.
// SPDX-License-Identifier: ISC
`default_nettype none

module mesh_scenarios_tb;
    localparam PATIENCE = 10000;   // clocks without a delivery that count as hung
    localparam A = 0, B = 1, C = 2, D = 3;  // 2x2: (0,0) (1,0) (0,1) (1,1)

    // Lists that lead round a ring: north-east by east, north-west by north, south-west by west, south-east by south.
    localparam [7:0] RING = 8'b00_01_01_00;

    reg clk = 1'b0;
    reg on_3x3 = 1'b0, on_ring = 1'b0;
    always #5 clk = !clk;
    wire clk_2x2 = clk && !on_3x3 && !on_ring;
    wire clk_3x3 = clk && on_3x3;
    wire clk_ring = clk && on_ring;

    mesh_model #(.SIZE_X(2), .SIZE_Y(2), .PACKETS(64)) mesh (.clk(clk_2x2));
    mesh_model #(.SIZE_X(3), .SIZE_Y(3), .PACKETS(64)) mesh_3x3 (.clk(clk_3x3));
    mesh_model #(.TOPOLOGY(1), .SIZE_X(4), .SIZE_Y(1), .PACKETS(64)) ring (.clk(clk_ring));

    integer seed, errors, ran;
    reg hung;
    reg [8*32-1:0] chosen;

    function wanted(input [8*32-1:0] name);
        wanted = (chosen == 0 || chosen == name) && errors + mesh.errors == 0;
    endfunction

    task start(input [8*32-1:0] name);
        begin
            $display("scenario %0s", name);
            ran = ran + 1;
            on_3x3 = 1'b0;
            mesh.unicast_lists = 8'b10101010;
            mesh.multicast_lists = 8'h00;
            mesh.divert_threshold = 16'd24;
            mesh.abort_threshold = 16'd40;
            mesh.abort_random = 16'd127;
            mesh.retry_limit = 1000000;   // the last resort (O6) would hide what is looked for
            mesh.relief_limit = 16'd0;
            mesh.relief = 4'd0;
            mesh.send_stall = 0;
            mesh.receive_stall = 0;
            mesh.restart;
        end
    endtask

    task finish(input [8*32-1:0] rules);
        begin
            mesh.run(PATIENCE, hung);
            if (hung) begin
                $display("error: %0s: hung", rules);
                errors = errors + 1;
            end
            mesh.check;
            $display("    %0d packets, last delivery at clock %0d, %0d splits, %0d aborts, %0d diversions, %0d errors",
                     mesh.packets, mesh.last_delivery, mesh.splits, mesh.aborts, mesh.diversions, mesh.errors);
        end
    endtask

    // A scenario that did not come about shows nothing.
    task built(input integer events);
        if (events == 0) begin
            $display("error: the scenario did not come about");
            errors = errors + 1;
        end
    endtask

    task multicast(input integer from, input integer to_1, input integer to_2, input integer words,
                   input integer clock);
        begin
            mesh.packet_begin(from, words, clock);
            mesh.packet_add(to_1, 0);
            mesh.packet_add(to_2, 0);
            mesh.packet_submit;
        end
    endtask

    task unicast(input integer from, input integer to, input integer words, input integer clock);
        begin
            mesh.packet_begin(from, words, clock);
            mesh.packet_add(to, 0);
            mesh.packet_submit;
        end
    endtask

    // M1, M7: a head that needs both outputs at once, or whose local branch gets its target only together with the remote,
    // never starts: every output owes an abort_packet behind the head of another.
    task multicast_ring;
        begin
            start("multicast_ring");
            mesh.multicast_lists = RING;
            multicast(A, D, B, 12, 0);
            multicast(B, C, D, 12, 0);
            multicast(D, A, C, 12, 0);
            multicast(C, B, A, 12, 0);
            finish("M1, M7");
            built(mesh.aborts);
        end
    endtask

    // U3: four unicasts, each holding the output that the next one wants.
    task unicast_ring;
        begin
            start("unicast_ring");
            mesh.unicast_lists = RING;
            unicast(A, D, 40, 0);
            unicast(B, C, 40, 0);
            unicast(D, A, 40, 0);
            unicast(C, B, 40, 0);
            finish("U3");
            built(mesh.diversions);
        end
    endtask

    // R3: the same with every site in relief: each head waits for another's output, which waits for a local one.
    task relief_ring;
        begin
            start("relief_ring");
            mesh.unicast_lists = RING;
            mesh.relief_limit = 16'd60;
            mesh.relief = 4'hf;
            unicast(A, D, 40, 0);
            unicast(B, C, 40, 0);
            unicast(D, A, 40, 0);
            unicast(C, B, 40, 0);
            finish("R3");
            built(mesh.diversions);
        end
    endtask

    // U5: strict unicasts, each holding the output that the next one wants, in a ring that a torus closes.
    task strict_ring;
        integer site;
        begin
            start("strict_ring");
            on_ring = 1'b1;
            ring.strict = 1'b1;
            ring.restart;
            for (site = 0; site < 4; site = site + 1) begin
                ring.packet_begin(site, 40, 0);
                ring.packet_add((site + 2) % 4, 0);
                ring.packet_submit;
            end
            ring.run(PATIENCE, hung);
            if (hung) begin
                $display("error: U5: hung");
                errors = errors + 1;
            end
            ring.check;
            built(ring.diversions);
            errors = errors + ring.errors;
            on_ring = 1'b0;
        end
    endtask

    // M7, U4: D's packet has ended at D, and its terminator waits in D's output to C, where A's packet holds local; that
    // one wants local at D, which B's packet holds, and this one wants the output in which the terminator waits. All
    // offsets of their starts; north and south come first on every list.
    task waiting_terminator;
        integer second, third;
        begin
            start("waiting_terminator");
            mesh.multicast_lists = 8'h55;
            mesh.abort_random = 16'd0;    // whoever was blocked first aborts first: D
            for (second = 0; second < 8; second = second + 1)
                for (third = 0; third < 8; third = third + 1) begin
                    mesh.restart;
                    multicast(D, D, C, 0, 4);
                    mesh.packet_begin(A, 12, second);
                    mesh.packet_add(C, 8);            // C is held early, D is asked for late
                    mesh.packet_add(D, 0);
                    mesh.packet_submit;
                    multicast(B, D, C, 12, third);
                    mesh.run(PATIENCE, hung);
                    if (hung) begin
                        $display("error: M7, U4: hung or lost, offsets %0d and %0d", second, third);
                        errors = errors + 1;
                    end
                    mesh.check;
                    if (hung) begin
                        second = 8;
                        third = 8;
                    end
                end
        end
    endtask

    // M6: Figure 4 of the August paper. Two multicasts hold one of the two sites each and want the other's; with equal
    // time-outs they abort and begin again in step.
    task figure_4(input integer later);
        integer began;
        begin
            start("figure_4");
            multicast(A, B, C, 30, 0);
            multicast(D, C, B, 30, later);
            finish("M6, F4");
            if (later < 2) built(mesh.aborts);
            $display("    started %0d clocks apart: recovered after %0d clocks", later, mesh.last_delivery);
        end
    endtask

    // O4: two neighbours must each send a foreign packet to the other; neither may wait for its own to leave.
    task foreign_packets;
        begin
            start("foreign_packets");
            multicast(A, A, B, 40, 0);
            multicast(B, B, A, 40, 0);
            finish("O4");
            built(mesh.resent);
        end
    endtask

    // M3: with adaptive lists for multicasts two branches of one packet meet at (1,1), and it blocks itself. The
    // unicast lists are adaptive, north before east; the multicast lists are the default. M9 would free the packet at
    // its first data word, so once without it, and once with more target words than the path between them holds.
    task branches_meet(input single, input integer info_words);
        begin
            start("branches_meet");
            on_3x3 = 1'b1;
            mesh_3x3.unicast_lists = 8'hff;
            mesh_3x3.abort_threshold = 16'd40;
            mesh_3x3.retry_limit = 1000000;
            mesh_3x3.release_single = single;
            mesh_3x3.restart;
            mesh_3x3.packet_begin(0, 12, 0);
            mesh_3x3.packet_add(1, 0);
            mesh_3x3.packet_add(8, 0);
            mesh_3x3.packet_add(3, 0);
            mesh_3x3.packet_add(4, info_words);
            mesh_3x3.packet_submit;
            mesh_3x3.run(PATIENCE, hung);
            if (hung) begin
                $display("error: M3: hung");
                errors = errors + 1;
            end
            mesh_3x3.check;
            if (mesh_3x3.aborts != 0) begin
                $display("error: M3: a multicast alone on an idle mesh aborted %0d times", mesh_3x3.aborts);
                errors = errors + 1;
            end
            errors = errors + mesh_3x3.errors;
            on_3x3 = 1'b0;
        end
    endtask

    // M2: unicasts hold local at (0,0) and (1,0) when a multicast comes there, so that it passes both whole and is split at
    // (2,0), its first target. With `behind` its second target is a site that it has passed: no packet goes back where it came
    // from, so that (2,0) aborts it, serves itself, and sends the packet to the others, back and on.
    task passes_whole(input behind);
        begin
            start("passes_whole");
            on_3x3 = 1'b1;
            mesh_3x3.unicast_lists = 8'b10101010;
            mesh_3x3.abort_threshold = 16'd40;
            mesh_3x3.retry_limit = 1000000;
            mesh_3x3.release_single = 1'b1;
            mesh_3x3.restart;
            mesh_3x3.packet_begin(6, 60, 0);
            mesh_3x3.packet_add(0, 0);
            mesh_3x3.packet_submit;
            mesh_3x3.packet_begin(7, 60, 0);
            mesh_3x3.packet_add(1, 0);
            mesh_3x3.packet_submit;
            mesh_3x3.packet_begin(0, 4, 12);
            mesh_3x3.packet_add(2, 1);
            if (behind) mesh_3x3.packet_add(1, 2);
            mesh_3x3.packet_add(5, 2);
            mesh_3x3.packet_add(8, 0);
            mesh_3x3.packet_submit;
            mesh_3x3.run(PATIENCE, hung);
            if (hung || mesh_3x3.passes != 2 || mesh_3x3.resent != behind) begin
                $display("error: M2: hung %0d, %0d passes of 2, %0d sent again", hung, mesh_3x3.passes, mesh_3x3.resent);
                errors = errors + 1;
            end
            mesh_3x3.check;
            errors = errors + mesh_3x3.errors;
            on_3x3 = 1'b0;
        end
    endtask

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 1;
        if (!$value$plusargs("scenario=%s", chosen)) chosen = 0;
        $display("seed %0d", seed);
        errors = 0;
        ran = 0;
        mesh.seed = seed;
        mesh_3x3.seed = seed;
        mesh.verbose = $test$plusargs("verbose");
        mesh_3x3.verbose = $test$plusargs("verbose");
        if (wanted("multicast_ring")) multicast_ring;
        if (wanted("unicast_ring")) unicast_ring;
        if (wanted("relief_ring")) relief_ring;
        if (wanted("strict_ring")) strict_ring;
        if (wanted("waiting_terminator")) waiting_terminator;
        if (wanted("figure_4")) begin
            figure_4(0);
            if (!hung) figure_4(1);
            if (!hung) figure_4(3);
        end
        if (wanted("foreign_packets")) foreign_packets;
        if (wanted("branches_meet")) begin
            branches_meet(1'b0, 0);
            branches_meet(1'b1, 8);
        end
        if (wanted("passes_whole")) begin
            passes_whole(1'b0);
            passes_whole(1'b1);
        end
        errors = errors + mesh.errors;
        $display("%0s", errors == 0 && ran > 0 ? "PASS" : "FAIL");
        $finish;
    end
endmodule

`default_nettype wire
