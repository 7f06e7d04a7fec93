// board_registers_tb: what firmware writes is what the site gets; what lives from power-on to power-on outlives a restart of the
// core, the rest does not; the flags of STATE; the shifter waits for a flash that is not granted, and only for that; only a core
// that runs no image orders the start of one, and unlocks the board.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module board_registers_tb;
    `include "bench.vh"

    localparam [7:0] STATE = `POSTROAD_BOARD_STATE, SITE = `POSTROAD_BOARD_SITE, ADDRESS = `POSTROAD_BOARD_ADDRESS;
    localparam [7:0] EPOCH = `POSTROAD_BOARD_EPOCH, CONTROL = `POSTROAD_BOARD_CONTROL, FLASH = `POSTROAD_BOARD_FLASH;
    localparam [7:0] SHIFT = `POSTROAD_BOARD_SHIFT;
    localparam RUNS = 0, WATCHED = 1, LOADS = 2, EXPIRED = 3, BUSY = 5, START = 6, LOCKED = 7, INDEX = 17, PRESENT = 31;
    localparam [31:0] RESTART = 32'd4, ORDER = 32'd12, UNLOCK = 32'd16;

    reg         clk = 1'b0, power_reset = 1'b1, core_reset = 1'b1, request = 1'b0, we = 1'b0, expired = 1'b0;
    reg         flash_granted = 1'b1;
    reg  [7:2]  adr = 6'd0;
    reg  [31:0] wdata = 32'd0;
    wire [31:0] rdata;
    wire [15:0] site_number, epoch;
    wire [3:0]  links_connected;
    wire [13:0] site_address;
    wire        fabric_runs, restart, watched, flash_wanted, flash_select_n, flash_clock, flash_out;

    board_registers #(.INDEX(3'd5)) dut (
        .clk(clk), .power_reset(power_reset), .core_reset(core_reset), .request(request), .we(we), .adr(adr), .wdata(wdata),
        .rdata(rdata), .site_number(site_number), .links_connected(links_connected), .site_address(site_address),
        .epoch(epoch), .fabric_runs(fabric_runs), .restart(restart), .watched(watched), .expired(expired),
        .flash_granted(flash_granted), .flash_wanted(flash_wanted), .flash_select_n(flash_select_n), .flash_clock(flash_clock),
        .flash_out(flash_out),
        .flash_in(flash_out));

    always #5 clk = !clk;

    reg [31:0] value;
    reg        restarted;

    task access(input writes, input [7:0] address, input [31:0] word);
        begin
            {request, we, adr, wdata} = {1'b1, writes, address[7:2], word};
            #1 value = rdata;
            restarted = restart;
            @(posedge clk) #1 {request, we} = 2'b00;
            #1 check(rdata === 32'd0 && !restart, "nothing without a request");
        end
    endtask

    task put(input [7:0] address, input [31:0] word);
        access(1'b1, address, word);
    endtask

    task expect_state(input runs, input is_watched, input loads);
        begin
            access(1'b0, STATE, 32'd0);
            check(value[RUNS] === runs && fabric_runs === runs, "the fabric runs once it was released");
            check(value[WATCHED] === is_watched && watched === is_watched, "the watchdog is on until the core restarts");
            check(value[LOADS] === loads, "LOADS: the last restart was requested");
            check(value[EXPIRED] === expired && value[PRESENT] && value[INDEX +: 3] === 3'd5, "the other flags of STATE");
        end
    endtask

    task reset_core;
        begin
            core_reset = 1'b1;
            repeat (2) @(posedge clk);
            #1 core_reset = 1'b0;
        end
    endtask

    task expect_order(input ordered, input locked);
        begin
            access(1'b0, STATE, 32'd0);
            check(value[START] === ordered, "START: the last reset ordered the start of an image");
            check(value[LOCKED] === locked, "LOCKED: the boot program has not unlocked the board");
            access(1'b0, STATE, 32'd0);
            check(!value[START], "START is 0 behind its first read");
        end
    endtask

    // The core writes this, and is reset.
    task restart_by(input [31:0] control);
        begin
            put(CONTROL, control);
            check(restarted, "a restart on request");
            core_reset = 1'b1;
            {request, we, adr, wdata} = {2'b11, CONTROL[7:2], ORDER | UNLOCK};
            #1 check(!restart, "nothing is written during a reset");
            @(posedge clk) #1 {request, we} = 2'b00;
            reset_core;
        end
    endtask

    task expect_orders;
        begin
            reset_power;
            expect_order(1'b0, 1'b1);
            restart_by(RESTART | UNLOCK);
            expect_order(1'b0, 1'b0);
            reset_power;
            expect_order(1'b0, 1'b1);
            put(CONTROL, ORDER & ~RESTART);
            restart_by(RESTART);
            expect_order(1'b0, 1'b1);
            for (clocks = 0; clocks < 4; clocks = clocks + 1) begin
                restart_by(ORDER);
                if (clocks != 2) expect_order(1'b1, 1'b1);  // else nobody reads STATE
                put(CONTROL, UNLOCK);
                if (clocks == 3) begin
                    expired = 1'b1;
                    reset_core;
                    expect_order(1'b0, 1'b1);
                    expired = 1'b0;
                end else begin
                    restart_by(clocks == 1 ? RESTART : ORDER | UNLOCK);
                    expect_order(1'b0, 1'b1);
                end
            end
            put(CONTROL, UNLOCK);
            expect_order(1'b0, 1'b0);
        end
    endtask

    task reset_power;
        begin
            power_reset = 1'b1;
            reset_core;
            power_reset = 1'b0;
        end
    endtask

    reg [31:0] site, address, word;
    task expect_record;
        begin
            check({links_connected, site_number} === site[19:0], "number and links are those of the record");
            check(site_address === address[13:0] && epoch === word[15:0], "address and epoch are those of the record");
        end
    endtask

    integer clocks;
    task shift(input integer stall);
        begin
            flash_granted = stall == 0;
            put(SHIFT, word);
            for (clocks = 0; clocks < stall; clocks = clocks + 1) begin
                check(!flash_clock, "no clock for a flash that is not granted");
                @(posedge clk) #1;
            end
            flash_granted = 1'b1;
            value = 32'd0;
            value[BUSY] = 1'b1;
            for (clocks = 0; clocks < 100 && value[BUSY]; clocks = clocks + 1) access(1'b0, STATE, 32'd0);
            check(clocks > 60 && clocks < 70, "a word takes 64 clocks");
            access(1'b0, SHIFT, 32'd0);
            check(value === word, "the word that has come");
            repeat (70) @(posedge clk);
            #1;
        end
    endtask

    integer i;
    initial begin
        begin_bench;
        for (i = 0; i < 20; i = i + 1) begin
            reset_power;
            expect_state(1'b0, 1'b0, 1'b0);
            {site, address, word} = {$random(seed), $random(seed), $random(seed)};
            put(SITE, site);
            put(ADDRESS, address);
            put(EPOCH, word);
            put(CONTROL, 32'd1);
            expect_record;
            expect_state(1'b1, 1'b0, 1'b0);
            put(CONTROL, 32'd2);
            expect_state(1'b1, 1'b1, 1'b0);
            put(FLASH, 32'd1);
            check(!flash_select_n && flash_wanted && !restarted, "the flash is selected");
            shift(below(30));
            put(FLASH, 32'd5);
            put(SHIFT, word);
            repeat (17) @(posedge clk);
            #1 access(1'b0, STATE, 32'd0);
            check(!value[BUSY], "the first shift has 8 bits");
            put(FLASH, 32'd0);
            check(flash_select_n && !flash_wanted, "the flash is not wanted");
            put(FLASH, 32'd2);
            check(flash_select_n && flash_wanted, "the flash is kept, deselected");
            put(FLASH, 32'd1 + i[0]);
            put(CONTROL, 32'd4);
            check(restarted, "a restart on request");
            reset_core;
            check(flash_select_n && !flash_wanted, "a restart deselects the flash");
            expect_state(1'b1, 1'b0, 1'b1);
            expect_record;
            flash_granted = 1'b0;
            put(SHIFT, word);
            repeat (70) @(posedge clk);
            #1 access(1'b0, STATE, 32'd0);
            check(!value[BUSY], "words for the CRC alone wait for no flash");
            expired = 1'b1;
            reset_core;
            expect_state(1'b1, 1'b0, 1'b0);
            expired = 1'b0;
            put(EPOCH, word + 1);
            check(epoch === word[15:0] + 16'd1, "the epoch can change");
        end
        expect_orders;
        verdict;
    end
endmodule

`default_nettype wire
