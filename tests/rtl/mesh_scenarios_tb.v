// mesh_scenarios_tb: the scenarios of rules.md, "What the + rules prevent", and packets that pass, part and go round a dead link.
// Each is built on purpose on a small mesh and must end with every packet delivered once; without its rule it hangs, loses, or
// does not come about (tests/planted does that).
// +scenario=NAME runs one, +verbose lists deliveries, +seed=N sets the stalls.
// SPDX-License-Identifier: ISC
`default_nettype none

module mesh_scenarios_tb;
    localparam PATIENCE = 4000;    // clocks without a delivery that count as hung
    localparam GRID = 1, RING_4 = 2, RING_8 = 4;

    reg clk = 1'b0;
    reg [2:0] on = 3'd0;           // the mesh that has a clock
    always #5 clk = !clk;

    mesh_model #(.SIZE_X(3), .SIZE_Y(3), .PACKETS(64)) grid (.clk(clk && on[0]));
    mesh_model #(.TOPOLOGY(1), .SIZE_X(4), .SIZE_Y(1), .PACKETS(64)) ring (.clk(clk && on[1]));
    mesh_model #(.TOPOLOGY(1), .SIZE_X(8), .SIZE_Y(1), .PACKETS(64)) ring_8 (.clk(clk && on[2]));

    integer seed, errors, ran, site;
    reg hung;
    reg [8*32-1:0] chosen;

    function wanted(input [8*32-1:0] name);
        wanted = (chosen == 0 || chosen == name) && errors == 0;
    endfunction

    task start(input [8*32-1:0] name, input [2:0] mesh);
        begin
            $display("scenario %0s", name);
            ran = ran + 1;
            on = mesh;
            grid.paths = 100;
            grid.link_down = 0;
            ring.paths = 0;
            ring.relief_limit = 16'd0;
            ring.relief = 4'd0;
            // The last resort (O6) would hide what most scenarios look for.
            grid.retry_limit = 1000000;
            ring.retry_limit = 1000000;
            if (on[0]) grid.restart;
            if (on[1]) ring.restart;
            if (on[2]) ring_8.restart;
        end
    endtask

    task fails(input failed, input [8*80-1:0] what);
        if (failed) begin
            $display("error: %0s", what);
            errors = errors + 1;
        end
    endtask

    // Runs it to its end. What a scenario needs besides is judged by its caller.
    task finish(input [8*16-1:0] rules);
        begin
            hung = 1'b0;
            if (on[0]) grid.run(PATIENCE, hung);
            if (on[1]) ring.run(PATIENCE, hung);
            if (on[2]) ring_8.run(PATIENCE, hung);
            fails(hung, {rules, ": hung"});
            if (on[0]) grid.check;
            if (on[1]) ring.check;
            if (on[2]) ring_8.check;
            errors = errors + (on[0] ? grid.errors : on[1] ? ring.errors : ring_8.errors);
            on = 3'd0;
        end
    endtask

    task grid_packet(input integer from, input integer words, input integer clock, input integer first, input integer second,
                     input integer third);
        begin
            grid.packet_begin(from, words, clock);
            grid.packet_add(first, 0);
            if (second >= 0) grid.packet_add(second, 1);
            if (third >= 0) grid.packet_add(third, 2);
            grid.packet_submit;
        end
    endtask

    // Each site of the ring sends this many words two hops on; a multicast one hop on as well.
    task all_send(input integer words, input multicast);
        for (site = 0; site < 4; site = site + 1) begin
            ring.packet_begin(site, words, 0);
            if (multicast) ring.packet_add((site + 1) % 4, 0);
            ring.packet_add((site + 2) % 4, 0);
            ring.packet_submit;
        end
    endtask

    // U4: packets of a head, a data word and a terminator, each over two sites, fill a ring. In one and the same clock each head
    // is granted its output, which the terminator of the packet ahead leaves, and that terminator is stopped in the next
    // net_input. Every head has an output then, and none can move.
    //
    //    site       0          1          2          3          4 ...
    //    net_input  head of A  T of B     head of B  T of C     head of C
    //    output     -          data of B  -          data of C  -           granted to A, owned by B, granted to B ...
    task grant_ring;
        begin
            start("grant_ring", RING_8);
            for (site = 0; site < 8; site = site + 2) begin
                ring_8.packet_begin(site, 1, 0);
                ring_8.packet_add((site + 4) % 8, 0);
                ring_8.packet_submit;
            end
            finish("U4");
            fails(ring_8.diversions == 0, "the scenario did not come about");
        end
    endtask

    // U3: four unicasts, each holding the output that the next one wants.
    task unicast_ring;
        begin
            start("unicast_ring", RING_4);
            all_send(40, 1'b0);
            finish("U3");
            fails(ring.diversions == 0, "the scenario did not come about");
        end
    endtask

    // R3: the same with every site in relief: each head waits for another's output, which waits for a local one.
    task relief_ring;
        begin
            start("relief_ring", RING_4);
            ring.relief_limit = 16'd128;
            ring.relief = 4'hf;
            all_send(40, 1'b0);
            finish("R3");
            fails(ring.diversions == 0, "the scenario did not come about");
        end
    endtask

    // M6, M7: four trees of two hops. Each holds local at its source, and the next packet's head wants that local. All abort in
    // the same clock, and do so again whenever they are sent again, until their operators send unicasts (O6).
    task tree_ring;
        begin
            start("tree_ring", RING_4);
            ring.retry_limit = 3;
            all_send(40, 1'b1);
            finish("M6, M7");
            fails(ring.aborts == 0, "the scenario did not come about");
        end
    endtask

    // M10, M11: the same as paths. None takes local at its source. Where the next site's output is not free the second target is
    // deferred; nothing waits for it, and nothing is aborted.
    task path_ring;
        begin
            start("path_ring", RING_4);
            ring.paths = 100;
            all_send(40, 1'b1);
            finish("M10, M11");
            fails(ring.aborts != 0, "M10, M11: a path was aborted");
            fails(ring.deferrals == 0, "M11: no target was deferred");
        end
    endtask

    // O4: two neighbours must each send a foreign packet to the other; neither may wait for its own to leave.
    task foreign_packets;
        begin
            start("foreign_packets", RING_4);
            for (site = 0; site < 2; site = site + 1) begin
                ring.packet_begin(site, 40, 0);
                ring.packet_add(site, 0);
                ring.packet_add(1 - site, 0);
                ring.packet_submit;
            end
            all_send(40, 1'b0);
            finish("O4");
            fails(ring.resent == 0, "the scenario did not come about");
        end
    endtask

    // M10: a path from site 0 to 2, 5 and 8 passes site 1 whole, where a unicast has local, and is split at its targets alone.
    task passes_whole;
        begin
            start("passes_whole", GRID);
            grid_packet(7, 60, 0, 1, -1, -1);
            grid_packet(0, 4, 12, 2, 5, 8);
            finish("M10");
            fails(grid.splits != 3, "M10: a path is split at its targets, and nowhere else");
            fails(grid.resent != 0, "M10: a path needs no operator on its way");
        end
    endtask

    // M11: a unicast from 0 to 2 has the output that the second target of site 1's tree wants. The first one does not wait.
    task deferred;
        begin
            start("deferred", GRID);
            grid.paths = 0;
            grid_packet(0, 60, 0, 2, -1, -1);
            grid_packet(1, 8, 12, 2, 4, -1);
            finish("M11");
            fails(grid.deferrals != 1 || grid.resent != 1, "M11: a target that got no branch is deferred, and sent on");
            fails(grid.aborts != 0, "M11: a split packet does not wait for an output");
        end
    endtask

    // R4: the link from 0 to 1 is down. A unicast from 0 to 4 goes north first, and the operator of site 3 sends it on.
    task round_a_dead_link;
        begin
            start("round_a_dead_link", GRID);
            grid.link_down[0] = 1'b1;
            grid_packet(0, 8, 0, 4, -1, -1);
            finish("R4");
            fails(grid.resent != 1 || grid.diversions != 0, "R4: a unicast goes in y where x is down");
        end
    endtask

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 1;
        if (!$value$plusargs("scenario=%s", chosen)) chosen = 0;
        $display("seed %0d", seed);
        errors = 0;
        ran = 0;
        grid.seed = seed;
        ring.seed = seed;
        ring_8.seed = seed;
        grid.verbose = $test$plusargs("verbose");
        ring.verbose = $test$plusargs("verbose");
        ring_8.verbose = $test$plusargs("verbose");
        if (wanted("grant_ring")) grant_ring;
        if (wanted("unicast_ring")) unicast_ring;
        if (wanted("relief_ring")) relief_ring;
        if (wanted("tree_ring")) tree_ring;
        if (wanted("path_ring")) path_ring;
        if (wanted("foreign_packets")) foreign_packets;
        if (wanted("passes_whole")) passes_whole;
        if (wanted("deferred")) deferred;
        if (wanted("round_a_dead_link")) round_a_dead_link;
        $display("%0s", errors == 0 && ran > 0 ? "PASS" : "FAIL");
        $finish;
    end
endmodule

`default_nettype wire
