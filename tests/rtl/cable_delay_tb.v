// cable_delay_tb: random words and waits on cables of 1, 2 and 7 clocks, with words and with lines, against what was put in so
// many clocks before: a word comes out once, a word that waits does not go in, and nothing outlives a reset.
// SPDX-License-Identifier: ISC
`default_nettype none

module cable_delay_tb;
    `include "bench.vh"

    localparam WIDTH = 19, DEEPEST = 7, CLOCKS = 4000;

    reg clk = 1'b0, reset = 1'b1, wait_in = 1'b0;
    reg  [WIDTH-1:0] word_in = 0;
    wire [WIDTH-1:0] out_1, out_2, out_7, out_lines;
    wire             wait_1, wait_2, wait_7, wait_lines;

    cable_delay #(.WIDTH(WIDTH), .DELAY(1), .WORDS(1)) cable_1 (
        .clk(clk), .reset(reset), .word_in(word_in), .word_out(out_1), .wait_in(wait_in), .wait_out(wait_1));
    cable_delay #(.WIDTH(WIDTH), .DELAY(2), .WORDS(1)) cable_2 (
        .clk(clk), .reset(reset), .word_in(word_in), .word_out(out_2), .wait_in(wait_in), .wait_out(wait_2));
    cable_delay #(.WIDTH(WIDTH), .DELAY(DEEPEST), .WORDS(1)) cable_7 (
        .clk(clk), .reset(reset), .word_in(word_in), .word_out(out_7), .wait_in(wait_in), .wait_out(wait_7));
    cable_delay #(.WIDTH(WIDTH), .DELAY(DEEPEST), .WORDS(0)) cable_lines (
        .clk(clk), .reset(reset), .word_in(word_in), .word_out(out_lines), .wait_in(wait_in), .wait_out(wait_lines));

    always #5 clk = !clk;

    // ---- What was at the near ends, by clock; a clock of reset clears all before it ----------------------------------
    reg [WIDTH-1:0] words [0:CLOCKS-1];
    reg             waits [0:CLOCKS-1];
    integer c, since, held = 0;

    function [WIDTH-1:0] word_before(input integer clocks);
        word_before = c - clocks < since ? {WIDTH{1'b0}} : words[c-clocks];
    endfunction

    function wait_before(input integer clocks);
        wait_before = c - clocks >= since && waits[c-clocks];
    endfunction

    // What a cable of so many flops shows, its sender having seen its status.
    task check_cable(input integer flops, input lines, input [WIDTH-1:0] word, input status);
        reg blocked;
        begin
            blocked = !lines && wait_before(2 * flops);
            if (flops > 0 && c - 2 * flops < since) blocked = 1'b0;
            check(status === wait_before(flops), "the status comes back as many clocks late");
            check(word === (blocked ? {WIDTH{1'b0}} : word_before(flops)), "a word comes out once, as many clocks late");
            if (blocked && word_before(flops) != 0) held = held + 1;
        end
    endtask

    initial begin
        begin_bench;
        since = 0;
        repeat (2) @(posedge clk);
        #1;
        for (c = 0; c < CLOCKS; c = c + 1) begin
            reset = below(400) == 0;
            word_in = percent(60) ? below(1 << WIDTH) : 0;
            wait_in = percent(40);
            words[c] = word_in;
            waits[c] = wait_in;
            #1;
            check_cable(0, 1'b0, out_1, wait_1);
            check_cable(1, 1'b0, out_2, wait_2);
            check_cable(DEEPEST - 1, 1'b0, out_7, wait_7);
            check_cable(DEEPEST - 1, 1'b1, out_lines, wait_lines);
            @(posedge clk);
            if (reset) since = c + 1;
            #1;
        end
        check(held > CLOCKS / 5, "words were held back");
        verdict;
    end
endmodule

`default_nettype wire
