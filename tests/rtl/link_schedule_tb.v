// link_schedule_tb: in each round each link sends its four bytes 8 bit times apart, and its receiver never waits longer than 8
// bit times, which is as long as line_receiver keeps a byte; each link is checked once in 16 rounds.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module link_schedule_tb;
    `include "bench.vh"

    reg        clk = 1'b0, reset = 1'b1;
    wire [1:0] phase, link, byte_sent;
    wire       sends, checks, round_ends, starting;

    link_schedule dut (
        .clk(clk), .reset(reset), .phase(phase), .sends(sends), .link(link), .byte_sent(byte_sent), .checks(checks),
        .round_ends(round_ends), .starting(starting));

    always #5 clk = !clk;

    integer now, l, rounds;
    integer sent_at [0:3], asked_at [0:3], next_byte [0:3], asked [0:3], checked [0:3];

    task one_operation;
        begin
            check(phase == 2'd0, "an operation begins with phase 0");
            if (sends) begin
                if (byte_sent == 2'd0) check(now < 36 || now == sent_at[link] + 36 - 24, "a frame each 36 bit times");
                else if (now > 36) check(now == sent_at[link] + 8 && byte_sent == next_byte[link], "bytes are 8 bit times apart");
                sent_at[link] = now;
                next_byte[link] = byte_sent + 1;
                check(!checks, "a link is checked while its receiver is asked");
            end else begin
                check(now < 36 || now - asked_at[link] <= 8, "a receiver is asked each 8 bit times");
                asked_at[link] = now;
                asked[link] = asked[link] + 1;
                checked[link] = checked[link] + checks;
            end
            check(starting == (now < 36), "the first round is marked");
            repeat (3) begin
                @(posedge clk) #1;
                check(!round_ends || phase == 2'd3, "a round ends with an operation");
            end
            check(round_ends == (now % 36 == 35), "a round has 36 operations");
            @(posedge clk) #1;
            now = now + 1;
        end
    endtask

    initial begin
        begin_bench;
        now = 0;
        for (l = 0; l < 4; l = l + 1) {asked[l], checked[l], sent_at[l], asked_at[l], next_byte[l]} = 0;
        repeat (1 + below(10)) @(posedge clk);
        #1 reset = 1'b0;
        for (rounds = 0; rounds < 64; rounds = rounds + 1) begin
            repeat (36) one_operation;
            for (l = 0; l < 4; l = l + 1) check(asked[l] == 5 * (rounds + 1), "five times a round");
        end
        check(4 * 36 == `POSTROAD_LINK_WORD_CLOCKS, "a word takes the clocks that the protocol states");
        for (l = 0; l < 4; l = l + 1) check(checked[l] == 4, "each link is checked once a period");
        verdict;
    end
endmodule

`default_nettype wire
