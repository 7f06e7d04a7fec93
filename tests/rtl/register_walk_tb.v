// Walks every register of the map on the bus of a whole site and compares with the data file it was generated from:
// value after reset, which bits a write changes, and that nothing else changes with them. The registers of a board are walked
// too, beside the site. +seed=N
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"
`include "straps.vh"

module register_walk_tb;
    // Straps with all different values.
    localparam [31:0] EXPECT_CAPABILITIES     = 32'h00001007;
    localparam [31:0] EXPECT_SITE_NUMBER      = 32'h0000a5c3;
    localparam [31:0] EXPECT_SITE_ADDRESS     = 32'h00001d07;
    localparam [31:0] EXPECT_TOPOLOGY         = 32'h00000001;
    localparam [31:0] EXPECT_SIZE_X           = 32'h00000049;
    localparam [31:0] EXPECT_SIZE_Y           = 32'h0000005b;
    localparam [31:0] EXPECT_WORD_WIDTH       = 32'd16;
    localparam [31:0] EXPECT_LINKS_CONNECTED  = 32'h0000000d;
    localparam [31:0] EXPECT_CLOCK_HZ         = 32'h01234567;
    localparam [31:0] EXPECT_RAM_BYTES        = 32'd8192;
    localparam [31:0] EXPECT_MESH_HASH        = 32'hcafe1987;
    localparam [31:0] EXPECT_DIVERT_THRESHOLD = 32'h00001111;
    localparam [31:0] EXPECT_ABORT_THRESHOLD  = 32'h00002222;
    localparam [31:0] EXPECT_LINK_CLOCKS      = 32'h00000733;
    localparam [31:0] EXPECT_MAX_PACKET       = 32'h00004444;
    localparam [31:0] EXPECT_RETRY_LIMIT      = 32'h00000055;
    localparam [31:0] EXPECT_EPOCH            = 32'h00006666;
    localparam [31:0] EXPECT_DISCIPLINE       = 32'd0;
    localparam [31:0] EXPECT_RELIABLE         = 32'h00000001;

    reg         clk = 1'b0;
    reg         reset = 1'b1;
    reg  [63:0] now = 64'h12fffff000;
    reg         tx_ready = 1'b0;
    wire        finished;
    integer     seed, first_seed, errors = 0, walked = 0;

    always #5 clk = !clk;
    always @(posedge clk) begin
        now <= now + 64'd1;
        tx_ready <= $random(seed) & 1;
    end

    reg [`POSTROAD_STRAPS-1:0] straps;
    initial begin
        straps = {`POSTROAD_STRAPS{1'b0}};
        straps[`POSTROAD_STRAP_SITE_ADDRESS]           = EXPECT_SITE_ADDRESS;
        straps[`POSTROAD_STRAP_TOPOLOGY]               = EXPECT_TOPOLOGY;
        straps[`POSTROAD_STRAP_SIZE_X]                 = EXPECT_SIZE_X;
        straps[`POSTROAD_STRAP_SIZE_Y]                 = EXPECT_SIZE_Y;
        straps[`POSTROAD_STRAP_DIVERT_THRESHOLD]       = EXPECT_DIVERT_THRESHOLD;
        straps[`POSTROAD_STRAP_ABORT_THRESHOLD]        = EXPECT_ABORT_THRESHOLD;
        straps[`POSTROAD_STRAP_SITE_NUMBER]            = EXPECT_SITE_NUMBER;
        straps[`POSTROAD_STRAP_LINKS_CONNECTED]        = EXPECT_LINKS_CONNECTED;
        straps[`POSTROAD_STRAP_CLOCK_HZ]               = EXPECT_CLOCK_HZ;
        straps[`POSTROAD_STRAP_MESH_HASH]              = EXPECT_MESH_HASH;
        straps[`POSTROAD_STRAP_LINK_CLOCKS]            = EXPECT_LINK_CLOCKS;
        straps[`POSTROAD_STRAP_MAX_PACKET]             = EXPECT_MAX_PACKET;
        straps[`POSTROAD_STRAP_RETRY_LIMIT]            = EXPECT_RETRY_LIMIT;
        straps[`POSTROAD_STRAP_EPOCH]                  = EXPECT_EPOCH;
        straps[`POSTROAD_STRAP_RELIABLE]               = EXPECT_RELIABLE;
        straps[`POSTROAD_STRAP_OWN]                    = 32'd0;
    end

    site #(.RAM_BYTES(8192), .CPU("test"), .BOARD(1)) dut (
        .clk(clk), .fabric_clk(clk), .reset(reset), .core_reset(reset), .straps(straps), .now(now), .wake_time(),
        .link_in(76'd0), .link_in_wait(), .link_out(), .link_out_wait(4'd0), .link_down(4'd0),
        .uart_rx_valid(1'b0), .uart_rx(8'd0), .uart_rx_ready(), .uart_tx_valid(), .uart_tx(), .uart_tx_ready(tx_ready),
        .finished(finished), .finish_status(), .board_request(board_request), .board_we(board_we), .board_adr(board_adr),
        .board_wdata(board_wdata), .board_rdata(board_rdata), .rom_rdata(32'd0), .alive(),
        .handed_tag(), .handed_wait(), .quiet());

    localparam [31:0] BOARD_BASE = `POSTROAD_BOARD_BASE;
    wire        board_request, board_we;
    wire [15:2] board_adr;
    wire [31:0] board_wdata, board_rdata;

    board_registers registers (
        .clk(clk), .power_reset(reset), .core_reset(reset), .request(board_request && board_adr[15:12] == BOARD_BASE[15:12]),
        .we(board_we), .adr(board_adr[7:2]), .wdata(board_wdata), .rdata(board_rdata), .site_number(), .links_connected(),
        .site_address(), .epoch(), .fabric_runs(), .restart(), .watched(), .expired(1'b0), .flash_granted(1'b1),
        .flash_wanted(), .flash_select_n(), .flash_clock(), .flash_out(), .flash_in(1'b1));

    task complain(input [31:0] address, input [31:0] got, input [31:0] wanted, input [8*40-1:0] what);
        begin
            $display("%h: %0s: %h, expected %h", address, what, got, wanted);
            errors = errors + 1;
        end
    endtask

    // Reads a register; a byte register as the core's lb would, from its lane.
    task look(input [31:0] address, input byte_wide);
        begin
            dut.test.core.read(address);
            if (!dut.test.core.answered)
                complain(address, 0, 0, "a read is not acknowledged");
            if (byte_wide)
                value = dut.test.core.rdata[8*address[1:0] +: 8];
            else
                value = dut.test.core.rdata;
        end
    endtask

    reg [31:0] value, before, pattern;

    task put(input [31:0] address, input [31:0] data, input byte_wide);
        begin
            if (byte_wide)
                dut.test.core.write_byte(address, data[7:0]);
            else
                dut.test.core.write(address, data);
            if (!dut.test.core.answered)
                complain(address, 0, 0, "a write is not acknowledged");
        end
    endtask

    // A register's bits in `mask` take a pattern, the others stay.
    task check_mask(input [31:0] address, input [31:0] data, input [31:0] mask, input exact, input byte_wide);
        begin
            put(address, data, byte_wide);
            look(address, byte_wide);
            if (exact && value !== ((before & ~mask) | (data & mask)))
                complain(address, value, (before & ~mask) | (data & mask), "after a write");
        end
    endtask

    task check_stalls(input [31:0] address);
        begin
            dut.test.core.read(address);
            if (dut.test.core.answered)
                complain(address, 0, 0, "a read did not wait");
            dut.test.core.write(`POSTROAD_NI_BASE + `POSTROAD_NI_SEEN, 32'h00000101);
            look(address, 1'b0);
            if (value !== 32'd3)
                complain(address, value, 32'd3, "what ends the wait");
            dut.test.core.write(`POSTROAD_NI_BASE + `POSTROAD_NI_SEEN, 32'd0);
        end
    endtask

    task walk(input [31:0] address, input [31:0] expected, input exact, input [31:0] mask, input readable,
              input writable, input byte_wide, input stalls);
        begin
            walked = walked + 1;
            if (stalls)
                check_stalls(address);
            else if (readable) begin
                look(address, byte_wide);
                before = value;
                if (exact && value !== expected)
                    complain(address, value, expected, "after reset");
                if (^value === 1'bx)
                    complain(address, value, expected, "undefined bits");
                check_mask(address, 32'hffffffff, mask, exact, byte_wide);
                check_mask(address, 32'h00000000, mask, exact, byte_wide);
                pattern = $random(seed);
                check_mask(address, pattern, mask, exact, byte_wide);
                if (writable)
                    put(address, expected, byte_wide);
            end else begin
                put(address, 32'hffffffff, byte_wide);
                put(address, 32'ha5a5a5a5, byte_wide);
                put(address, expected, byte_wide);
                look(address, byte_wide);
                if (value !== 32'd0)
                    complain(address, value, 32'd0, "a write-only register reads something");
                repeat (64) @(posedge clk);  // a byte for the UART leaves, else LSR says so
            end
        end
    endtask

    task walk_map;
        begin
`include "register_walk.vh"
        end
    endtask

    // Addresses between the blocks: every access is answered, reads give 0.
    task walk_holes;
        integer i;
        begin
            for (i = 0; i < 64; i = i + 1) begin
                pattern = {1'b0, $random(seed)} & 32'h0ffffffc;
                put(pattern | 32'h40000000, 32'hffffffff, 1'b0);
                look(pattern | 32'h40000000, 1'b0);
                if (value !== 32'd0)
                    complain(pattern | 32'h40000000, value, 32'd0, "off the map");
            end
        end
    endtask

    task check_clocks;
        begin
            look(`POSTROAD_CLINT_BASE + `POSTROAD_CLINT_MTIME_LOW, 1'b0);
            before = value;
            look(`POSTROAD_CLINT_BASE + `POSTROAD_CLINT_MTIME_LOW, 1'b0);
            if (value - before > 32'd10 || value == before)
                complain(`POSTROAD_CLINT_BASE, value, before, "mtime does not run");
            if (now[31:0] - value > 32'd10)
                complain(`POSTROAD_CLINT_BASE, value, now[31:0], "mtime is not the clock");
        end
    endtask

    task check_finisher;
        begin
            if (finished)
                complain(`POSTROAD_FINISHER_BASE, 0, 0, "finished before its command");
            dut.test.core.write(`POSTROAD_FINISHER_BASE, {16'd7, `POSTROAD_FINISHER_FAIL});
            if (!finished || dut.finish_status !== 32'd7 || dut.test.core.answered)
                complain(`POSTROAD_FINISHER_BASE, dut.finish_status, 32'd7, "the finisher's command");
        end
    endtask

    initial begin
        if (!$value$plusargs("seed=%d", seed))
            seed = 1;
        first_seed = seed;
        repeat (4) @(posedge clk);
        reset <= 1'b0;
        @(posedge clk);
        check_clocks;
        walk_map;
        walk_map;  // what the first walk wrote has been put back, and the counters have been read only
        walk_holes;
        check_finisher;
        if (errors == 0 && walked > 200)
            $display("PASS: %0d registers walked, seed %0d", walked, first_seed);
        else
            $display("FAIL: %0d errors in %0d registers, seed %0d", errors, walked, first_seed);
        $finish;
    end
endmodule

`default_nettype wire
