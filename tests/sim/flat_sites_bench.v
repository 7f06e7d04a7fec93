// Runs the firmware on a generated flat top of whole sites, with the console input that the engine of sim/engine had, and
// compares every link in every clock with the engine's trace. The flat top clocks every site always; the engine skips
// quiet ones: equal words show that skipping changes nothing.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module flat_sites_bench #(
    parameter SITES      = 4,  // of the flat top under test
    parameter LINKS      = 4,
    parameter LINK_WIDTH = 19
);
    localparam CONSOLE = 4096;  // bytes of console input a site has at most

    reg clk = 1'b0, reset = 1'b1;
    reg [SITES*LINKS*LINK_WIDTH-1:0] words;
    reg [SITES*LINKS-1:0]            waits;
    wire [SITES*LINKS*LINK_WIDTH-1:0] link_words;
    wire [SITES*LINKS-1:0]           link_waits;
    reg [SITES-1:0]    rx_valid = 0;
    reg [8*SITES-1:0]  rx = 0;
    wire [SITES-1:0]   rx_ready, tx_valid;

    flat_top dut (
        .clk(clk), .reset(reset), .site_reset({SITES{1'b0}}), .epoch({16*SITES{1'b0}}), .link_words(link_words),
        .link_waits(link_waits), .uart_rx_valid(rx_valid),
        .uart_rx(rx), .uart_rx_ready(rx_ready), .uart_tx_valid(tx_valid), .uart_tx(), .uart_tx_ready({SITES{1'b1}}),
        .finished(), .finish_status(), .quiet());

    // Console input: site s has bytes from s * CONSOLE on, up to the first that was not in the file (a ninth bit).
    reg [8:0] console [0:SITES*CONSOLE-1];
    reg [8*256-1:0] trace, input_file;
    integer next [0:SITES-1];
    integer file, clocks = 0, moved = 0, heard = 0, errors = 0, s;

    task show_bytes;
        for (s = 0; s < SITES; s = s + 1) begin
            rx_valid[s] = console[s*CONSOLE + next[s]][8];
            rx[8*s +: 8] = console[s*CONSOLE + next[s]][7:0];
        end
    endtask

    // Without what means nothing: the word beside no tag, and those of null_target and abort_packet (P2).
    function [SITES*LINKS*LINK_WIDTH-1:0] meaning(input [SITES*LINKS*LINK_WIDTH-1:0] shown);
        reg [2:0] tag;
        integer w;
        begin
            meaning = shown;
            for (w = 0; w < SITES * LINKS; w = w + 1) begin
                tag = shown[w*LINK_WIDTH + LINK_WIDTH - 3 +: 3];
                if (tag == `POSTROAD_TAG_NULL_TRANSMISSION || tag == `POSTROAD_TAG_NULL_TARGET ||
                    tag == `POSTROAD_TAG_ABORT_PACKET) meaning[w*LINK_WIDTH +: LINK_WIDTH-3] = 0;
            end
        end
    endfunction

    task compare;
        begin
            if ((link_words !== words || link_waits !== waits) &&
                (meaning(link_words) !== meaning(words) || link_waits !== waits)) begin
                if (errors < 3)
                    $display("clock %0d: words differ in bits %h, statuses in %h", clocks, meaning(link_words) ^ meaning(words),
                             link_waits ^ waits);
                errors = errors + 1;
            end
            for (s = 0; s < SITES * LINKS; s = s + 1)
                if (words[s*LINK_WIDTH +: LINK_WIDTH] != 0)
                    moved = moved + 1;
        end
    endtask

    initial begin
        if (!$value$plusargs("trace=%s", trace) || !$value$plusargs("console=%s", input_file)) $finish;
        for (s = 0; s < SITES * CONSOLE; s = s + 1) console[s] = 9'd0;
        for (s = 0; s < SITES; s = s + 1) next[s] = 0;
        $readmemh(input_file, console);
        file = $fopen(trace, "r");
        repeat (4) #5 clk = !clk;
        reset = 1'b0;
        show_bytes;
        #1;
        while ($fscanf(file, "%h %h\n", words, waits) == 2) begin
            #4 compare;
            for (s = 0; s < SITES; s = s + 1) begin
                if (rx_valid[s] && rx_ready[s]) next[s] = next[s] + 1;
                if (tx_valid[s]) heard = heard + 1;
            end
            #1 clk = 1'b1;
            #2 show_bytes;
            #3 clk = 1'b0;
            clocks = clocks + 1;
        end
        if (errors == 0 && moved > 60 && heard > 0)
            $display("PASS: %0d clocks, %0d words shown, %0d console bytes", clocks, moved, heard);
        else
            $display("FAIL: %0d of %0d clocks differ, %0d words shown, %0d console bytes", errors, clocks, moved,
                     heard);
        $finish;
    end
endmodule

`default_nettype wire
