// net_input_tb: random words, gaps and refusals against a queue of one word (Table D, F2, F3).
// SPDX-License-Identifier: ISC
`default_nettype none

module net_input_tb;
    `include "bench.vh"

    localparam LINK_WIDTH = 19;

    reg clk = 1'b0, reset = 1'b1;
    reg  [LINK_WIDTH-1:0] link = 0;
    wire                  link_wait;
    wire [LINK_WIDTH-1:0] word;
    reg                   taken = 1'b0;

    net_input #(.LINK_WIDTH(LINK_WIDTH)) dut (
        .clk(clk), .reset(reset), .link(link), .link_wait(link_wait), .word(word), .taken(taken));

    always #5 clk = !clk;

    reg [LINK_WIDTH-1:0] sent [0:65535];
    integer words_in = 0, words_out = 0, straight = 0, stalls = 0, both = 0;
    reg     status, present, refused;
    integer gap_chance, refuse_chance, c;

    function is_word(input [LINK_WIDTH-1:0] value);
        is_word = |value[LINK_WIDTH-1 -: 3];
    endfunction

    function [LINK_WIDTH-1:0] some_word(input integer unused);
        some_word = {3'd1 + below(7), 16'd0} | below(65536);
    endfunction

    task one_clock;
        begin
            #1;
            status = link_wait;
            // The sender: a word that met wait stays.
            if (!refused)
                link = percent(gap_chance) ? {LINK_WIDTH{1'b0}} : some_word(0);
            #1;
            present = is_word(word);
            check(status == (words_in > words_out), "F2: the status is wait while a word is held, and only then");
            check(status || word === link, "a word falls through while the status is open");
            if (present) begin
                check(!status || word === sent[words_out],
                      "F3c: a held word is not changed by what the link shows");
                taken = !percent(refuse_chance);
            end else taken = percent(50);
            // F3a: nothing that changes within a clock reaches the status within it.
            #1 taken = !taken;
            #1 check(link_wait === status, "F3a: the status comes from a flop");
            taken = !taken;
            #1;
            if (is_word(link) && !status) begin
                sent[words_in] = link;
                words_in = words_in + 1;
            end
            if (present && taken) begin
                check(words_out < words_in && word === sent[words_out], "F3d: words leave once and in order");
                words_out = words_out + 1;
                straight = straight + !status;
                both = both + status;
            end
            refused = is_word(link) && status;
            stalls = stalls + (present && !taken);
            @(posedge clk);
        end
    endtask

    initial begin
        begin_bench;
        gap_chance = 0;
        refuse_chance = 0;
        refused = 1'b0;
        @(posedge clk);
        #1 check(link_wait === 1'b1, "the status is wait in reset");
        @(negedge clk) reset = 1'b0;
        @(posedge clk);
        for (c = 0; c < 20000; c = c + 1) begin
            if (c % 500 == 0) begin
                gap_chance = below(3) ? below(80) : 0;
                refuse_chance = below(3) ? below(80) : 0;
            end
            one_clock;
        end
        gap_chance = 0;
        refuse_chance = 0;
        one_clock;
        one_clock;
        begin : sustained
            integer before;
            before = words_out;
            for (c = 1; c <= 100; c = c + 1) one_clock;
            check(words_out - before == 100, "one word per clock, sustained");
        end
        check(straight > 1000 && both > 1000 && stalls > 1000, "both paths and stalls were exercised");
        verdict;
    end
endmodule

`default_nettype wire
