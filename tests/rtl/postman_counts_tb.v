// postman_counts_tb: postman_event gives each pulse of eight and of sixteen machines once, and postman_link_words counts flits of
// two and of four lines in words.
// SPDX-License-Identifier: ISC
`default_nettype none

module postman_counts_tb;
    `include "bench.vh"

    localparam FLIT_CLOCKS = 9;

    reg        clk = 1'b0, reset = 1'b1;
    reg  [7:0] pulses = 8'd0;
    reg [15:0] more_pulses = 16'd0;
    reg  [3:0] line = 4'd0, moves = 4'd0;
    wire       event_one, rests, two_bytes, four_bytes, torus_one, torus_rests, torus_two_bytes;
    integer    left [0:3];
    integer    rest [0:7];
    integer    more_rest [0:15];
    integer    i, clocks, given = 0, counted = 0, flits = 0, words_16 = 0, words_32 = 0;
    integer    torus_given = 0, torus_counted = 0, torus_flits = 0, torus_words = 0;

    postman_event pulse (.clk(clk), .reset(reset), .pulses(pulses), .event_one(event_one), .quiet(rests));
    postman_link_words #(.WORD_WIDTH(16)) narrow (
        .clk(clk), .reset(reset), .moves(moves[1:0]), .line(line[1:0]), .event_word(two_bytes));
    postman_link_words #(.WORD_WIDTH(32)) wide (
        .clk(clk), .reset(reset), .moves(moves[1:0]), .line(line[1:0]), .event_word(four_bytes));
    postman_event #(.MACHINES(16)) torus_pulse (
        .clk(clk), .reset(reset), .pulses(more_pulses), .event_one(torus_one), .quiet(torus_rests));
    postman_link_words #(.LINES(4)) torus (.clk(clk), .reset(reset), .moves(moves), .line(line), .event_word(torus_two_bytes));

    // A machine has an event in 10 clocks at most once; sixteen of them have for a time more of them than there are clocks. The
    // bits of a flit behind its header bit are any.
    task clock(input busy);
        begin
            for (i = 0; i < 8; i = i + 1) begin
                pulses[i] = busy && rest[i] == 0 && percent(60);
                if (pulses[i]) given = given + 1;
                rest[i] = pulses[i] ? 9 : rest[i] - (rest[i] > 0);
            end
            for (i = 0; i < 16; i = i + 1) begin
                more_pulses[i] = busy && clocks % 600 < 300 && more_rest[i] == 0 && percent(60);
                if (more_pulses[i]) torus_given = torus_given + 1;
                more_rest[i] = more_pulses[i] ? 9 : more_rest[i] - (more_rest[i] > 0);
            end
            for (i = 0; i < 4; i = i + 1) begin
                moves[i] = percent(70);
                line[i]  = left[i] > 0 ? $random(seed) >> 8 : busy && percent(50);
                if (moves[i]) begin
                    if (left[i] == 0 && line[i]) begin
                        torus_flits = torus_flits + 1;
                        if (i < 2) flits = flits + 1;
                        left[i] = FLIT_CLOCKS;
                    end
                    if (left[i] > 0) left[i] = left[i] - 1;
                end
            end
            #1 clk = 1'b1;
            counted  = counted + event_one;
            words_16 = words_16 + two_bytes;
            words_32 = words_32 + four_bytes;
            torus_counted = torus_counted + torus_one;
            torus_words   = torus_words + torus_two_bytes;
            #1 clk = 1'b0;
        end
    endtask

    initial begin
        begin_bench;
        {left[0], left[1], left[2], left[3]} = 128'd0;
        for (i = 0; i < 8; i = i + 1) rest[i] = 0;
        for (i = 0; i < 16; i = i + 1) more_rest[i] = 0;
        #1 clk = 1'b1;
        #1 clk = 1'b0;
        reset = 1'b0;
        for (clocks = 0; clocks < 5000; clocks = clocks + 1) clock(1'b1);
        for (clocks = 0; clocks < 250; clocks = clocks + 1) clock(1'b0);
        check(rests && given > 1000 && counted == given, "each pulse is counted once");
        check(torus_rests && torus_given > 1000 && torus_counted == torus_given, "each pulse of sixteen is counted once");
        check(torus_flits > 1000 && torus_words == torus_flits / 2, "each flit of four lines is a byte of a word");
        check(flits > 500 && words_16 == flits / 2 && words_32 == flits / 4, "each flit is a byte of a word");
        verdict;
    end
endmodule

`default_nettype wire
