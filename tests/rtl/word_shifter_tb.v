// word_shifter_tb: a flash's end of SPI mode 0 gets the words that were sent and sends others; both arrive whole, low half
// first, with the shifter held in between; the CRC is that of the words sent, and 0 behind words that end with it. A shift behind
// first_byte has 8 bits, the next one 32.
// SPDX-License-Identifier: ISC
`default_nettype none

module word_shifter_tb;
    `include "bench.vh"

    reg         clk = 1'b0, reset = 1'b1, start = 1'b0, load = 1'b0, begins = 1'b0, first_byte = 1'b0, hold = 1'b0;
    reg  [31:0] word_out = 32'd0;
    wire [31:0] word_in;
    wire        busy, crc_zero, flash_clock, flash_out;
    reg         flash_in = 1'b1;

    word_shifter dut (
        .clk(clk), .reset(reset), .start(start), .load(load), .word_out(word_out), .word_in(word_in), .busy(busy),
        .hold(hold), .begins(begins), .first_byte(first_byte), .crc_zero(crc_zero),
        .flash_clock(flash_clock), .flash_out(flash_out), .flash_in(flash_in));

    always #5 clk = !clk;

    always @(posedge clk) #1 hold = !flash_clock && below(4) == 0;

    // The flash: takes a bit when its clock rises, shows the next one when it falls.
    reg [31:0] taken, shown;
    integer    rises = 0;

    always @(posedge flash_clock) begin
        taken <= {taken[30:0], flash_out};
        rises = rises + 1;
    end
    always @(negedge flash_clock) begin
        #2 shown = {shown[30:0], 1'b0};
        flash_in = shown[31];
    end

    function [31:0] swapped(input [31:0] word);
        swapped = {word[15:0], word[31:16]};
    endfunction

    reg [15:0] crc;
    task count_crc(input [31:0] word);
        integer k;
        for (k = 31; k >= 0; k = k - 1)
            crc = {crc[14:0], 1'b0} ^ (crc[15] ^ word[k] ? 16'h1021 : 16'd0);
    endtask

    integer clocks;
    reg     held;
    task shift(input writes, input [31:0] word, input [31:0] answer);
        begin
            #1 shown = swapped(answer);
            flash_in = shown[31];
            rises = 0;
            {start, load, word_out} = {1'b1, writes, word};
            @(posedge clk);
            #1 {start, load} = 2'b00;
            word_out = $random(seed);
            clocks = 0;
            while (busy && clocks < 100) begin
                @(negedge clk) held = hold;
                @(posedge clk);
                #1 clocks = clocks + !held;
            end
            check(clocks == 64 && rises == 32, "a word takes 32 clocks of the flash");
            check(word_in === answer, "the word from the flash arrives");
            if (writes) check(taken === swapped(word), "the word for the flash arrives");
            repeat (below(3)) @(posedge clk);
            #1 check(!flash_clock && !busy && word_in === answer, "nothing moves by itself");
        end
    endtask

    task begin_crc(input byte_first);
        begin
            {begins, first_byte} = {1'b1, byte_first};
            @(posedge clk);
            #1 begins = 1'b0;
            first_byte = $random(seed);
            crc = 16'hffff;
        end
    endtask

    task shift_byte(input [31:0] word);
        begin
            rises = 0;
            {start, load, word_out} = {2'b11, word};
            @(posedge clk);
            #1 {start, load} = 2'b00;
            for (clocks = 0; busy && clocks < 100; clocks = clocks + !held) begin
                @(negedge clk) held = hold;
                @(posedge clk) #1;
            end
            check(clocks == 16 && rises == 8, "a byte takes 8 clocks of the flash");
            check(taken[7:0] === word[15:8], "the byte for the flash arrives");
        end
    endtask

    integer    i, k;
    reg [31:0] word, before;
    initial begin
        begin_bench;
        repeat (3) @(posedge clk);
        #1 reset = 1'b0;
        @(posedge clk);
        before = 32'd0;
        for (i = 0; i < 300; i = i + 1) begin
            if (percent(30)) begin
                begin_crc(1'b1);
                shift_byte($random(seed));
            end
            if (percent(20)) shift(1'b1, $random(seed), $random(seed));
            begin_crc(1'b0);
            for (k = below(6); k > 0; k = k - 1) begin
                word = $random(seed);
                count_crc(swapped(word));
                before = $random(seed);
                shift(1'b1, word, before);
                check(crc_zero == (crc == 16'd0), "the CRC is that of the words sent");
            end
            word = {16'd0, crc};
            if (percent(50)) begin
                shift(1'b1, word, $random(seed));
                check(crc_zero, "words that end with their CRC have CRC 0");
            end else begin
                word[below(16)] = !word[below(16)];
                count_crc(swapped(word));
                shift(1'b1, word, $random(seed));
                check(crc_zero == (crc == 16'd0), "words that end with another CRC have not");
            end
            if (percent(20)) shift(1'b0, $random(seed), $random(seed));
        end
        verdict;
    end
endmodule

`default_nettype wire
