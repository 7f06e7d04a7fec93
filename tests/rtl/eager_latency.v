// eager_latency: clocks from corner to corner of one mesh, of a packet of 8 data words: from the clock in which its source
// begins to send it to the clock in which its target has its terminator. Idle, and the mean of all pairs under uniform load.
// SPDX-License-Identifier: ISC
`default_nettype none

module eager_latency #(
    parameter SIZE     = 4,
    parameter EAGER    = 0,
    parameter CLOCKS   = 1500  // under load
);
    localparam SITES = SIZE * SIZE, WORDS = 8;

    reg clk = 1'b0;
    reg running = 1'b0;
    always @(posedge running)
        while (running) #5 clk = !clk;

    mesh_model #(
        .SIZE_X(SIZE), .SIZE_Y(SIZE), .EAGER(EAGER), .DOWNSTREAM_DEPTH(32), .UPSTREAM_DEPTH(64),
        .PACKETS(2048), .POOL(16), .MAX_WORDS(WORDS + 2)
    ) mesh (.clk(clk));

    integer corner, k, source, target, seed;
    reg hung;

    task corner_to_corner(input integer from);
        begin
            mesh.restart;
            mesh.packet_begin(from, WORDS, 0);
            mesh.packet_add(SITES - 1 - from, 0);
            mesh.packet_submit;
            mesh.run(1000, hung);
            mesh.check;
            if (hung) mesh.errors = mesh.errors + 1;
            corner = mesh.latency;
        end
    endtask

    // load: words a site and clock, percent. Packets have WORDS + 2 words.
    task measure(input integer load, output integer errors);
        begin
            seed = 7;
            mesh.seed = 5;
            running = 1'b1;
            corner_to_corner(0);
            mesh.restart;
            for (k = 0; k < SITES * CLOCKS * load / 100 / (WORDS + 2); k = k + 1) begin
                source = ($unsigned($random(seed)) >> 10) % SITES;
                target = ($unsigned($random(seed)) >> 10) % (SITES - 1);
                mesh.packet_begin(source, WORDS, k * 100 * (WORDS + 2) / load / SITES);
                mesh.packet_add(target + (target >= source), 0);
                mesh.packet_submit;
            end
            mesh.run(20000, hung);
            mesh.check;
            if (hung) mesh.errors = mesh.errors + 1;
            running = 1'b0;
            $display("%0dx%0d EAGER=%0d: idle corner to corner %0d clocks, at load 0.%02d all pairs %0d.%02d",
                     SIZE, SIZE, EAGER, corner, load, mesh.latency / mesh.packets,
                     mesh.latency * 100 / mesh.packets % 100);
            $display("    %0d packets, %0d diversions", mesh.packets, mesh.diversions);
            errors = mesh.errors;
        end
    endtask
endmodule

`default_nettype wire
