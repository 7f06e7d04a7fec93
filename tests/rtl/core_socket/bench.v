// One site with a real core that runs program.c; `iverilog -Pbench.CPU='"serv"'` chooses the core.
// Checks what the console says, answers it after a long silence, and that `quiet` is 1 meanwhile and at the end.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "straps.vh"
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

    reg [`POSTROAD_STRAPS-1:0] straps;
    initial begin
        straps = {`POSTROAD_STRAPS{1'b0}};
        straps[`POSTROAD_STRAP_SITE_ADDRESS]           = 32'h85;
        straps[`POSTROAD_STRAP_SIZE_X]                 = 16'd4;
        straps[`POSTROAD_STRAP_SIZE_Y]                 = 16'd4;
        straps[`POSTROAD_STRAP_OWN]                    = 32'd0;
        straps[`POSTROAD_STRAP_DIVERT_THRESHOLD]       = 16'd64;
        straps[`POSTROAD_STRAP_ABORT_THRESHOLD]        = 16'd256;
        straps[`POSTROAD_STRAP_SITE_NUMBER]            = 16'd5;
        straps[`POSTROAD_STRAP_LINKS_CONNECTED]        = 16'hf;
        straps[`POSTROAD_STRAP_CLOCK_HZ]               = 32'd12000000;
        straps[`POSTROAD_STRAP_MESH_HASH]              = 32'd1;
        straps[`POSTROAD_STRAP_MAX_PACKET]             = 16'd64;
        straps[`POSTROAD_STRAP_RETRY_LIMIT]            = 8'd4;
    end

    site #(.RAM_BYTES(16384), .CPU(CPU)) dut (
        .clk(clk), .fabric_clk(clk), .reset(reset), .core_reset(reset), .straps(straps), .now(now), .wake_time(),
        .link_in(76'd0), .link_in_wait(), .link_out(), .link_out_wait(4'd0), .link_down(4'd0),
        .uart_rx_valid(rx_valid), .uart_rx(8'h41), .uart_rx_ready(rx_ready),
        .uart_tx_valid(tx_valid), .uart_tx(tx), .uart_tx_ready(tx_ready),
        .board_request(), .board_we(), .board_adr(), .board_wdata(), .board_rdata(32'd0), .rom_rdata(32'd0), .alive(),
        .handed_tag(), .handed_wait(),
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
