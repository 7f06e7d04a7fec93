// traffic_run: one mesh and rounds of random packets on it, with random stalls at every operator.
// SPDX-License-Identifier: ISC
`default_nettype none

module traffic_run #(
    parameter TOPOLOGY    = 0,
    parameter SIZE_X      = 3,
    parameter SIZE_Y      = 3,
    parameter LINKS       = 4,
    parameter WORD_WIDTH  = 16,
    parameter ADAPTIVE    = 0,
    parameter INPUT_DEPTH = 1,
    parameter NEVER       = 1   // 1: never to divert is drawn, too
);
    localparam SITES = SIZE_X * SIZE_Y;

    reg clk = 1'b0;
    reg running = 1'b0;  // a mesh that is not running gets no clock and costs nothing
    always @(posedge running)
        while (running) #5 clk = !clk;

    mesh_model #(
        .TOPOLOGY(TOPOLOGY), .SIZE_X(SIZE_X), .SIZE_Y(SIZE_Y), .LINKS(LINKS), .WORD_WIDTH(WORD_WIDTH),
        .ADAPTIVE(ADAPTIVE), .INPUT_DEPTH(INPUT_DEPTH)
    ) mesh (.clk(clk));

    integer seed;
    reg hung;
    integer deferrals = 0, aborts = 0, diversions = 0;  // of all rounds

    function integer below(input integer limit);
        below = ($unsigned($random(seed)) >> 10) % limit;
    endfunction

    task random_packet(input integer spread);
        integer source, words, count, t, k;
        reg [SITES-1:0] used;
        begin
            source = below(SITES);
            words = below(8) == 0 ? 0 : 2 + below(below(4) == 0 ? 24 : 6);
            count = below(2) ? 1 : 1 + below(SITES);
            mesh.packet_begin(source, words, below(spread));
            used = 0;
            for (k = 0; k < count; k = k + 1) begin
                t = below(SITES);
                if (!used[t]) mesh.packet_add(t, words == 0 || below(3) != 0 ? 0 : 1 + below(2));
                used[t] = 1'b1;
            end
            mesh.packet_submit;
        end
    endtask

    // Everything but size and topology is drawn; never to divert is legal only where strict order has no cycles.
    // `spread`: clocks over which the packets are submitted.
    task round(input integer number, input integer spread, input integer first_seed, output integer errors);
        integer k;
        begin
            seed = first_seed * 7919;
            mesh.seed = first_seed ^ 32'h5a5a;
            running = 1'b1;
            mesh.send_stall = below(2) ? 0 : below(60);
            mesh.receive_stall = below(2) ? 0 : below(60);
            mesh.unicast_lists = below(3) ? 8'b10101010 : below(2) ? 8'h00 : below(256);
            mesh.divert_threshold = NEVER && (!ADAPTIVE || mesh.unicast_lists == 8'h00) && TOPOLOGY != 1 && below(2) ?
                                    16'hffff : below(6) ? 1 << below(6) : 0;
            mesh.retry_limit = below(2) ? 8 : below(3);
            mesh.abort_threshold = 4 << below(6);
            mesh.relief_limit = below(4) ? 1 << below(8) : 0;
            mesh.paths = below(3) == 0 ? 0 : below(2) ? 100 : below(100);
            mesh.relief = below(2) ? 0 : ~0;
            mesh.link_down = 0;
            mesh.change_every = below(2) ? 0 : 20 + below(200);
            mesh.restart;
            for (k = 0; k < number; k = k + 1) random_packet(spread);
            mesh.run(5000, hung);
            if (hung) begin
                $display("error: hung: nothing delivered since clock %0d", mesh.last_delivery);
                mesh.errors = mesh.errors + 1;
            end
            mesh.check;
            running = 1'b0;
            errors = mesh.errors;
            deferrals = deferrals + mesh.deferrals;
            aborts = aborts + mesh.aborts;
            diversions = diversions + mesh.diversions;
            $display("%m: %0d packets, %0d clocks, %0d splits, %0d deferrals", mesh.packets, mesh.clock, mesh.splits,
                     mesh.deferrals);
            $display("    %0d aborts, %0d diversions, %0d resent, %0d as unicasts, %0d errors", mesh.aborts,
                     mesh.diversions, mesh.resent, mesh.fallbacks, mesh.errors);
        end
    endtask
endmodule

`default_nettype wire
