// Replays on a generated flat top what the engine of sim/rtl did, and compares every link in every clock.
// A line of the trace: the operators' words and waits, then all link words and statuses, as the engine had them.
// SPDX-License-Identifier: ISC
`default_nettype none

module fabric_bench #(
    parameter SITES      = 16,  // of the flat top under test
    parameter LINKS      = 4,
    parameter LINK_WIDTH = 19
);

    reg clk = 1'b0, reset = 1'b1;
    reg [SITES*LINK_WIDTH-1:0]       send = 0;
    reg [SITES-1:0]                  receive_wait = 0;
    reg [SITES*LINKS*LINK_WIDTH-1:0] words;
    reg [SITES*LINKS-1:0]            waits;
    wire [SITES*LINKS*LINK_WIDTH-1:0] link_words;
    wire [SITES*LINKS-1:0]           link_waits;

    flat_top dut (
        .clk(clk), .reset(reset), .link_words(link_words), .link_waits(link_waits), .send(send), .send_wait(),
        .receive(), .receive_wait(receive_wait), .counter_select(6'd0), .counter_value(), .quiet());

    reg [8*256-1:0] trace;
    integer file, clocks = 0, moved = 0, errors = 0, i;

    task compare;
        begin
            if (link_words !== words || link_waits !== waits) begin
                if (errors < 3)
                    $display("clock %0d: words differ in bits %h, statuses in %h", clocks, link_words ^ words,
                             link_waits ^ waits);
                errors = errors + 1;
            end
            for (i = 0; i < SITES * LINKS; i = i + 1)
                if (words[i*LINK_WIDTH +: LINK_WIDTH] != 0)
                    moved = moved + 1;
        end
    endtask

    initial begin
        if (!$value$plusargs("trace=%s", trace)) $finish;
        file = $fopen(trace, "r");
        repeat (4) #5 clk = !clk;
        reset = 1'b0;
        #1;
        while ($fscanf(file, "%h %h %h %h\n", send, receive_wait, words, waits) == 4) begin
            #4 compare;
            #1 clk = 1'b1;
            #5 clk = 1'b0;
            clocks = clocks + 1;
        end
        if (errors == 0 && moved > 1000)
            $display("PASS: %0d clocks, %0d words shown", clocks, moved);
        else
            $display("FAIL: %0d of %0d clocks differ, %0d words shown", errors, clocks, moved);
        $finish;
    end
endmodule

`default_nettype wire
