// golden_select_tb: the golden image beside a flash that is in power-down at first. It boots for a slot with a right CRC, and for
// no other: each single wrong bit, erased bytes, zeroes, a flash that does not answer. Then it repeats its line on the console.
// It reads the slot, no more, and never writes.
// SPDX-License-Identifier: ISC
`default_nettype none

module golden_select_tb;
    `include "bench.vh"

    localparam SLOT = 24'h040302, BYTES = 24, DIVIDER = 3, PAUSE = 63;
    localparam LETTERS = 56;
    localparam [8*LETTERS-1:0] TEXT = "golden image: the bitstream is damaged (postroad flash)\n";

    reg  clk = 1'b0;
    wire flash_select_n, flash_clock, flash_out, uart_tx, boots, damaged;
    reg  flash_in = 1'b1;
    always #5 clk = !clk;

    golden_select #(.SLOT(SLOT), .BYTES(BYTES), .PAUSE(PAUSE), .DIVIDER(DIVIDER)) dut (
        .clk(clk), .flash_select_n(flash_select_n), .flash_clock(flash_clock), .flash_out(flash_out),
        .flash_in(flash_in), .uart_tx(uart_tx), .boots(boots), .damaged(damaged));

    // The flash: hears 0xab alone until 3 us (36 clocks) after it.
    reg  [7:0]  slot[0:BYTES-1];
    reg         awake, answers;
    integer     bits, reads, woken;
    reg  [31:0] heard;
    always @(negedge flash_select_n) bits = 0;
    always @(posedge flash_select_n) if (bits == 8 && heard[7:0] == 8'hab) begin
        awake = 1'b1;
        woken = $time;
    end else
        check(bits == 0 || bits == 32 + 8 * BYTES, "a command is whole: wake, or read with all bytes of the slot");
    always @(posedge flash_clock) begin
        check(!flash_select_n, "the clock moves while the flash is selected");
        if (bits < 32) heard = {heard[30:0], flash_out};
        bits = bits + 1;
        if (bits == 8)
            check(heard[7:0] == 8'hab || awake && heard[7:0] == 8'h03 && $time - woken > 360, "wakes, then reads");
        if (bits == 32) check(heard == {8'h03, SLOT}, "reads at the slot");
        if (bits > 32) reads = reads + 1;
    end
    always @(negedge flash_clock) #2
        flash_in = !answers || bits < 32 || bits >= 32 + 8 * BYTES || slot[(bits - 32) / 8][7 - (bits - 32) % 8];

    // The console.
    integer     letters;
    reg  [7:0]  byte_in;
    reg         listens = 1'b0;
    integer     k;
    always @(negedge uart_tx) if (listens) begin
        repeat (DIVIDER / 2) @(posedge clk);
        for (k = 0; k < 8; k = k + 1) begin
            repeat (DIVIDER) @(posedge clk);
            byte_in[k] = uart_tx;
        end
        repeat (DIVIDER) @(posedge clk);
        check(uart_tx, "a stop bit");
        check(byte_in === TEXT[8 * (LETTERS - 1 - letters % LETTERS) +: 8], "the line of text");
        letters = letters + 1;
    end

    function [31:0] crc_of(input integer count);
        integer i;
        reg [31:0] crc;
        begin
            crc = 32'hffffffff;
            for (i = 0; i < 8 * count; i = i + 1)
                crc = {crc[30:0], 1'b0} ^ (crc[31] ^ slot[i / 8][7 - i % 8] ? 32'h04c11db7 : 32'd0);
            crc_of = crc;
        end
    endfunction

    integer i, clocks;
    task fill;
        begin
            for (i = 0; i < BYTES - 4; i = i + 1) slot[i] = $random(seed);
            {slot[BYTES-4], slot[BYTES-3], slot[BYTES-2], slot[BYTES-1]} = crc_of(BYTES - 4);
        end
    endtask

    // From power-on to the verdict.
    task start(input right, input [8*40-1:0] what);
        begin
            {awake, letters, reads, bits} = 0;
            @(posedge clk) #1;
            force dut.phase = 3'd0;
            force dut.left = PAUSE;
            force dut.letter = 6'd0;
            @(posedge clk) #1;
            release dut.phase;
            release dut.left;
            release dut.letter;
            for (clocks = 0; !boots && !damaged && clocks < 2000; clocks = clocks + 1) @(posedge clk) #1;
            check(boots == right && damaged == !right, what);
            check(clocks > 2 * PAUSE && reads == 8 * BYTES, "reads the slot, all of it, after two rests");
        end
    endtask

    integer wrong;
    initial begin
        begin_bench;
        answers = 1'b1;
        fill;
        start(1'b1, "boots");
        repeat (3000) @(posedge clk) #1 check(boots && flash_select_n && uart_tx, "and does nothing else");
        for (wrong = 0; wrong < 8 * BYTES; wrong = wrong + 1) begin
            fill;
            slot[wrong / 8][7 - wrong % 8] = !slot[wrong / 8][7 - wrong % 8];
            start(1'b0, "a wrong bit");
        end
        for (i = 0; i < BYTES; i = i + 1) slot[i] = 8'hff;
        start(1'b0, "erased");
        for (i = 0; i < BYTES; i = i + 1) slot[i] = 8'h00;
        start(1'b0, "zeroes");
        fill;
        answers = 1'b0;
        start(1'b0, "no answer");
        listens = 1'b1;
        repeat (LETTERS * 10 * DIVIDER + 100) @(posedge clk);
        check(letters == LETTERS, "the line, once");
        repeat (256 * PAUSE) @(posedge clk);
        check(letters > LETTERS && letters < 2 * LETTERS, "and again after a silence");
        verdict;
    end
endmodule

`default_nettype wire
