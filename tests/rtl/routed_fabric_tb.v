// routed_fabric_tb: a switch of tests/disciplines/routed between neighbours that send and stop as they like. Each packet leaves
// by the port that its first word names, without that word, whole and in order; one without such a word is dropped.
// +clocks=N: other than 20000.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"
`include "straps.vh"
`include "routed.vh"

module routed_fabric_tb;
    `include "bench.vh"

    localparam LINKS = 4, PORTS = LINKS + 1, W = 19;

    reg                clk = 1'b0, reset = 1'b1;
    reg  [PORTS*W-1:0] in = {PORTS*W{1'b0}};
    reg  [PORTS-1:0]   stop = {PORTS{1'b0}};
    wire [PORTS-1:0]   in_wait;
    wire [PORTS*W-1:0] out;
    wire               receive_local;

    reg  [`POSTROAD_STRAPS-1:0] straps = {`POSTROAD_STRAPS{1'b0}};
    reg  [31:0]        own;
    wire [63:0]        events;

    site_fabric #(.LINKS(LINKS)) switch (
        .clk(clk), .reset(reset), .now(64'd0), .straps(straps), .events(events), .relief(1'b0), .link_down({LINKS{1'b0}}),
        .link_in(in[PORTS*W-1:W]), .link_in_wait(in_wait[PORTS-1:1]), .link_out(out[PORTS*W-1:W]),
        .link_out_wait(stop[PORTS-1:1]), .send(in[W-1:0]), .send_wait(in_wait[0]), .receive({receive_local, out[W-1:0]}),
        .receive_wait(stop[0]));

    always #5 clk = !clk;

    // What is behind a packet's first word: {input, output, count of words between these two}. A stray has no output.
    localparam STRAY = 7;
    integer left [0:PORTS-1], goes_to [0:PORTS-1], body [0:PORTS-1];
    integer sent [0:63], arrived [0:63], from [0:PORTS-1];
    integer clocks, c, p, o, pair, words, strays, counted, free [0:PORTS-1];
    reg [3:0] gap;
    reg [PORTS-1:0] held;
    reg [2:0] tag;
    reg [15:0] word;

    function [15:0] next_of(input integer i, input integer to);
        next_of = {i[2:0], to[2:0], sent[8*i+to][9:0]};
    endfunction

    task begin_packet(input integer i);
        begin
            goes_to[i] = percent(10) ? STRAY : below(PORTS);
            body[i]    = 1 + below(12);
            left[i]    = body[i] + 1;
            strays     = strays + (goes_to[i] == STRAY);
            in[W*i +: W] = goes_to[i] != STRAY ? {`POSTROAD_TAG_TARGET_INFO, 13'd0, goes_to[i][2:0]}
                         : percent(50) ? {`POSTROAD_TAG_TARGET_INFO, 10'd0, below(2) ? 6'd5 : 6'd16}
                                       : {`POSTROAD_TAG_UNICAST_SITE, 13'd0, 3'd1};
        end
    endtask

    task next_word(input integer i);
        begin
            word = next_of(i, goes_to[i]);
            sent[8*i+goes_to[i]] = sent[8*i+goes_to[i]] + 1;
            tag = left[i] == 1 ? `POSTROAD_TAG_END_OF_PACKET : left[i] < body[i] ? `POSTROAD_TAG_DATA
                : percent(50) ? `POSTROAD_TAG_TARGET_INFO : `POSTROAD_TAG_UNICAST_SITE;
            in[W*i +: W] = {tag, word};
        end
    endtask

    task drive(input integer i, input reg running);
        if (in[W*i+16 +: 3] == 3'd0 || !held[i]) begin
            if (in[W*i+16 +: 3] != 3'd0) left[i] = left[i] - 1;
            in[W*i +: W] = {3'd0, below(2) ? 16'd0 : 16'd3};   // no word, whatever stands beside its tag
            if (!percent(20)) begin
                if (left[i] > 0) next_word(i);
                else if (running) begin_packet(i);
            end
        end
    endtask

    // free: clocks that an output has shown nothing, since nobody stops words.
    task look(input integer o);
        if (out[W*o +: W] != {W{1'b0}} && !stop[o]) begin
            tag  = out[W*o+16 +: 3];
            word = out[W*o +: 16];
            pair = {word[15:13], word[12:10]};
            check(word[12:10] == o[2:0], "a packet leaves by the port that its first word names");
            check(arrived[pair] % 1024 == word[9:0], "words arrive once, in order, and the route word does not");
            check(from[o] < 0 || from[o] == word[15:13], "an output stays with a packet until its end");
            check(from[o] >= 0 || free[o] < 0 || free[o] >= gap, "an output rests behind a packet");
            arrived[pair] = arrived[pair] + 1;
            from[o] = tag == `POSTROAD_TAG_END_OF_PACKET ? -1 : {29'd0, word[15:13]};
            words = words + 1;
            free[o] = c < clocks / 2 + 100 ? -1 : 0;
        end else if (free[o] >= 0)
            free[o] = free[o] + 1;
    endtask

    initial begin
        begin_bench;
        if (!$value$plusargs("clocks=%d", clocks)) clocks = 20000;
        words   = 0;
        strays  = 0;
        counted = 0;
        gap     = 6 + below(8);
        own     = 32'd0;
        own[`ROUTED_STRAP_GAP] = gap;
        straps[`POSTROAD_STRAP_OWN] = own;
        for (p = 0; p < 64; p = p + 1) {sent[p], arrived[p]} = 64'd0;
        for (p = 0; p < PORTS; p = p + 1) begin
            left[p] = 0;
            from[p] = -1;
            free[p] = -1;
        end
        repeat (4) @(negedge clk);
        reset = 1'b0;
        for (c = 0; c < clocks + 2000; c = c + 1) begin
            @(negedge clk);
            for (o = 0; o < PORTS; o = o + 1) stop[o] = c < clocks / 2 && percent(30);
            #1;
            for (o = 0; o < PORTS; o = o + 1) look(o);
            counted = counted + events[`POSTROAD_COUNTER_DEAD_FLITS];
            held = in_wait;
            @(posedge clk);
            #1;
            for (p = 0; p < PORTS; p = p + 1) drive(p, c < clocks);
        end
        for (p = 0; p < PORTS; p = p + 1)
            for (o = 0; o < PORTS; o = o + 1)
                check(arrived[8*p+o] == sent[8*p+o], "all words arrive");
        check(words > clocks / 20 * 17 && strays > clocks / 500, "no packet stands for long");
        check(counted == strays, "each stray is counted");
        $display("gap %0d, %0d words, %0d strays", gap, words, strays);
        verdict;
    end
endmodule

`default_nettype wire
