// net_input_tb: random words, gaps and refusals against a queue of one, four and sixteen words (Table D, F2, F3).
// SPDX-License-Identifier: ISC
`default_nettype none

module net_input_tb;
    `include "bench.vh"

    localparam LINK_WIDTH = 19;

    reg clk = 1'b0, reset = 1'b1;
    always #5 clk = !clk;

    integer gap_chance, refuse_chance, c;
    reg     counts;               // throughput is judged
    wire [0:2] done;

    function is_word(input [LINK_WIDTH-1:0] value);
        is_word = |value[LINK_WIDTH-1 -: 3];
    endfunction

    genvar n;
    generate
        for (n = 0; n < 3; n = n + 1) begin : queue
            localparam DEPTH = n == 0 ? 1 : n == 1 ? 4 : 16;

            reg  [LINK_WIDTH-1:0] link = 0;
            wire [LINK_WIDTH-1:0] word, fresh;
            wire                  link_wait, held, wait_next;
            reg                   taken = 1'b0;
            net_input #(.LINK_WIDTH(LINK_WIDTH), .DEPTH(DEPTH)) dut (
                .clk(clk), .reset(reset), .link(link), .link_wait(link_wait), .fresh(fresh), .word(word), .held(held),
                .taken(taken), .link_wait_next(wait_next));

            reg [LINK_WIDTH-1:0] sent [0:65535];
            integer words_in, words_out, counted, straight, stalls, fulls;
            reg     status, present, refused, stood, told;
            initial begin
                {words_in, words_out, counted, straight, stalls, fulls} = 0;
                {refused, stood, told} = 3'b011;
            end
            assign done[n] = straight > 1000 && stalls > 1000 && fulls > 1000;

            // Behind the edge: the sender and the router decide; then judge; the edge in the model.
            always @(posedge clk)
                if (!reset) begin
                    #1;
                    status = link_wait;
                    check(status === (words_in - words_out == DEPTH), "F2: the status is wait when no word fits, and only then");
                    check(status === told, "the status that was announced for this clock");
                    check(held === stood, "held: the last clock showed the same word");
                    if (!refused) link = percent(gap_chance) ? below(65536) : {3'd1 + below(7), 16'd0} | below(65536);
                    #1;
                    present = is_word(word);
                    if (words_in > words_out)
                        check(present && word === sent[words_out], "F3c: a stored word is not changed by what the link shows");
                    else begin
                        check(present === (is_word(link) && !status), "a word falls through while nothing is stored");
                        check(!present || word === link, "a word falls through while nothing is stored");
                    end
                    if (!held && present) check(fresh === word, "fresh: the word, where it is shown for the first time");
                    taken = present && !percent(refuse_chance);
                    if (!present) taken = percent(50);
                    // F3a: nothing that changes within a clock reaches the status within it.
                    #1 taken = !taken;
                    link = ~link;
                    #1 check(link_wait === status && held === stood, "F3a: the status comes from a flop");
                    taken = !taken;
                    link = ~link;
                    #1 told = wait_next;
                    if (is_word(link) && !status) begin
                        sent[words_in] = link;
                        words_in = words_in + 1;
                    end
                    if (present && taken) begin
                        check(words_out < words_in && word === sent[words_out], "F3d: words leave once and in order");
                        straight = straight + (words_in == words_out + 1 && !stood);
                        words_out = words_out + 1;
                        counted = counted + counts;
                    end
                    stood = present && !taken;
                    stalls = stalls + stood;
                    refused = is_word(link) && status;
                    fulls = fulls + refused;
                end else begin
                    #1 check(link_wait === 1'b1 && held === 1'b1, "the status is wait in reset");
                    told = 1'b0;
                    stood = 1'b0;
                end
        end
    endgenerate

    integer before [0:2];
    initial begin
        begin_bench;
        gap_chance = 0;
        refuse_chance = 0;
        counts = 1'b0;
        repeat (2) @(posedge clk);
        // The first clock out of reset still shows `wait`, and takes nothing.
        @(negedge clk) reset = 1'b0;
        for (c = 0; c < 20000; c = c + 1) begin
            if (c % 500 == 0) begin
                gap_chance = below(3) ? below(80) : 0;
                refuse_chance = below(3) ? below(80) : 0;
            end
            @(negedge clk);
        end
        gap_chance = 0;
        refuse_chance = 0;
        repeat (20) @(negedge clk);
        counts = 1'b1;
        repeat (100) @(negedge clk);
        check(queue[0].counted == 100 && queue[1].counted == 100 && queue[2].counted == 100, "one word a clock, sustained");
        check(&done, "both paths, stalls and full queues were exercised");
        verdict;
    end
endmodule

`default_nettype wire
