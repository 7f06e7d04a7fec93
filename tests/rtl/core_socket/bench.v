// One site with a real core that runs program.c; `iverilog -Pbench.CPU='"serv"'` chooses the core.
// Checks what the console says, answers it after a long silence, and that `quiet` is 1 meanwhile and at the end.
// SPDX-License-Identifier: ISC
`default_nettype none
`timescale 1ns/1ns

module bench #(
    parameter [63:0] CPU = "vexriscv"  // the core under test
);
    localparam EXPECTED_BYTES = 7;

    reg         clk = 1'b0;
    reg         reset = 1'b1;
    reg  [63:0] now = 64'd0;
    reg         rx_valid = 1'b0;
    wire        rx_ready, tx_valid, finished, quiet;
    wire [7:0]  tx;
    wire [31:0] status;
    reg  [8*EXPECTED_BYTES-1:0] heard = 0;
    reg         tx_ready = 1'b0;
    integer     seed, first_seed, silent = 0, quiet_clocks = 0;

    always #5 clk = !clk;

    site #(.RAM_BYTES(16384), .CPU(CPU)) dut (
        .clk(clk), .fabric_clk(clk), .reset(reset), .site_address(14'h85), .topology(2'd0), .size_x(7'd4), .size_y(7'd4),
        .unicast_lists(8'hAA), .multicast_lists(8'd0), .divert_threshold(16'd100), .abort_threshold(16'd200),
        .abort_random(16'd255), .release_single(1'b1), .relief_limit(16'd0), .receive_patience(16'd0),
        .site_number(16'd5), .links_connected(4'hf),
        .clock_hz(32'd12000000), .mesh_hash(32'd1), .max_packet(16'd64), .retry_limit(8'd4), .epoch(16'd0),
        .reliable(1'b0), .now(now), .wake_time(),
        .link_in(76'd0), .link_in_wait(), .link_out(), .link_out_wait(4'd0), .link_down(4'd0),
        .uart_rx_valid(rx_valid), .uart_rx(8'h41), .uart_rx_ready(rx_ready),
        .uart_tx_valid(tx_valid), .uart_tx(tx), .uart_tx_ready(tx_ready),
        .finished(finished), .finish_status(status), .quiet(quiet));

    always @(posedge clk) begin
        if (!reset)
            now <= now + 64'd1;
        tx_ready <= $random(seed) & 1;
        if (tx_valid && tx_ready)
            heard <= {heard[8*EXPECTED_BYTES-9:0], tx};
        silent <= tx_valid || heard[7:0] != "?" ? 0 : silent + 1;
        if (rx_valid && rx_ready)
            rx_valid <= 1'b0;
        else if (silent == 2000)
            rx_valid <= 1'b1;
        quiet_clocks <= reset ? 0 : quiet_clocks + {31'd0, quiet};
    end

    task finish(input pass);
        begin
            $display("%0s: console '%s', status %0d, quiet for %0d of %0d clocks, seed %0d",
                     pass ? "PASS" : "FAIL", heard, status, quiet_clocks, now, first_seed);
            $finish;
        end
    endtask

    initial begin
        if (!$value$plusargs("seed=%d", seed))
            seed = 1;
        first_seed = seed;
        repeat (4) @(posedge clk);
        reset <= 1'b0;
        wait (finished);
        repeat (100) @(posedge clk);
        finish(status == 32'd0 && heard == "ready?B" && quiet && quiet_clocks > 2000);
    end

    initial begin
        #2000000;
        $display("no end after 200000 clocks");
        finish(1'b0);
    end
endmodule

`default_nettype wire
