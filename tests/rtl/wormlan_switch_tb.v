// wormlan_switch_tb: a switch of discipline `wormlan` without an operator, between three neighbours that send worms and say STOP
// as they like; one link is not connected. Each worm leaves by the port that its first word names, without that word, whole, in
// order and with its signature, right or wrong as it was; one whose first word names nothing that leads anywhere is dropped and
// counted (W1 to W4, W7). +clocks=N: other than 20000.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"
`include "straps.vh"
`include "wormlan.vh"

module wormlan_switch_tb;
    `include "bench.vh"

    localparam LINKS = 4, SENDERS = 3, W = 16, S = W + 2, REPEAT = 24;
    localparam [1:0] CONTROL = `POSTROAD_WORM_CONTROL, DATA = `POSTROAD_WORM_DATA, INFO = `POSTROAD_WORM_INFO,
                     END = `POSTROAD_WORM_END;
    localparam [W-1:0] STOP = `POSTROAD_WORM_CONTROL_STOP, GO = `POSTROAD_WORM_CONTROL_GO,
                       FILL = `POSTROAD_WORM_CONTROL_FILL;

    reg                clk = 1'b0, reset = 1'b1;
    reg  [LINKS*S-1:0] in = {LINKS*S{1'b0}};
    wire [LINKS*S-1:0] out;
    wire [63:0]        events;
    wire               quiet;
    reg  [`POSTROAD_STRAPS-1:0] straps = {`POSTROAD_STRAPS{1'b0}};
    reg  [31:0]        own;

    site_fabric #(.LINKS(LINKS), .OWN(4)) switch (
        .clk(clk), .reset(reset), .now(64'd0), .straps(straps), .events(events), .relief(1'b0), .link_down({LINKS{1'b0}}),
        .link_in(in), .link_out(out), .link_out_wait({LINKS{1'b0}}), .send({W+3{1'b0}}), .receive_wait(1'b0), .quiet(quiet));

    always #5 clk = !clk;

    // The signature, bit by bit.
    function [W-1:0] signed_by(input [W-1:0] sum, input [S-1:0] symbol);
        integer k;
        begin
            signed_by = sum ^ symbol[W-1:0] ^ (symbol[W +: 2] == INFO ? 16'haaaa : 16'd0);
            for (k = 0; k < W; k = k + 1)
                signed_by = {signed_by[W-2:0], 1'b0} ^ (signed_by[W-1] ? 16'h002d : 16'd0);
        end
    endfunction

    // Sender l: words left of its worm, the end included; where it goes, STRAY: nowhere; by what its signature is wrong.
    localparam STRAY = 7;
    integer left [0:SENDERS-1], goes_to [0:SENDERS-1], sent [0:63], arrived [0:63], from [0:SENDERS-1];
    integer clocks, c, l, pair, worms, strays, counted, words, stops;
    reg [W-1:0] sum [0:SENDERS-1], sum_out [0:SENDERS-1], wrong [0:SENDERS-1], due_wrong [0:64*64-1];
    integer worms_in [0:63], worms_out [0:63];
    reg [SENDERS-1:0] halted, stopped;             // by the switch; by us
    reg [2:0] stopped_for [0:SENDERS-1];            // by us, for the last clocks
    integer since [0:SENDERS-1];
    reg [1:0] kind;
    reg [W-1:0] word;

    task put(input integer i, input [S-1:0] symbol);
        begin
            in[S*i +: S] = symbol;
            sum[i]  = signed_by(sum[i], symbol);
            left[i] = left[i] - 1;
        end
    endtask

    task begin_worm(input integer i);
        begin
            goes_to[i] = percent(15) ? STRAY : below(SENDERS);
            left[i]    = 3 + below(14);
            sum[i]     = 16'hffff;
            wrong[i]   = percent(20) ? below(65536) : 0;
            strays     = strays + (goes_to[i] == STRAY);
            if (goes_to[i] != STRAY) put(i, {INFO, 16'd1 + goes_to[i][15:0]});
            else if (percent(30)) put(i, {DATA, 16'd1});
            else begin
                word = percent(30) ? 0 : percent(30) ? 4 : percent(50) ? 5 + below(11) : 17;
                put(i, {INFO, word});
            end
        end
    endtask

    task next_word(input integer i);
        begin
            pair = 8*i + goes_to[i];
            if (left[i] == 1) begin
                put(i, {END, ~sum[i] ^ wrong[i]});
                if (goes_to[i] != STRAY) begin
                    due_wrong[64*pair + worms_in[pair] % 64] = wrong[i];
                    worms_in[pair] = worms_in[pair] + 1;
                end
            end else begin
                put(i, {percent(30) ? INFO : DATA, i[2:0], goes_to[i][2:0], sent[pair][9:0]});
                sent[pair] = sent[pair] + 1;
            end
        end
    endtask

    task drive(input integer i, input reg running);
        begin
            in[S*i +: S] = left[i] > 0 ? {CONTROL, FILL} : {S{1'b0}};
            since[i] = since[i] + 1;
            stopped_for[i] = {stopped_for[i][1:0], stopped[i]};
            if (c < clocks && percent(stopped[i] ? 3 : 2)) begin
                stopped[i] = !stopped[i];
                since[i]   = 0;
                stops      = stops + 1;
                in[S*i +: S] = {CONTROL, stopped[i] ? STOP : GO};
            end else if (stopped[i] && (since[i] == REPEAT || c >= clocks)) begin
                since[i]   = 0;
                stopped[i] = c < clocks;
                in[S*i +: S] = {CONTROL, stopped[i] ? STOP : GO};
            end else if (!halted[i] && !percent(10)) begin
                if (left[i] > 0) next_word(i);
                else if (running) begin_worm(i);
            end
        end
    endtask

    task look(input integer o);
        begin
            {kind, word} = out[S*o +: S];
            if (kind == CONTROL) begin
                check(word == 0 || word == STOP || word == GO || word == FILL, "W2 control symbols are STOP, GO and fill");
                check(word != 0 || from[o] < 0, "W2 a worm without a word is filled");
                if (word == STOP) halted[o] = 1'b1;
                if (word == GO) halted[o] = 1'b0;
            end else begin
                words = words + 1;
                check(!stopped_for[o][2], "W4 no word leaves under STOP");
                if (kind != END) begin
                    pair = 8*word[15:13] + word[12:10];
                    check(word[12:10] == o, "W1 a worm leaves by the port that its first word names");
                    check(from[o] < 0 || from[o] == word[15:13], "W1 an output stays with a worm until its end");
                    check(arrived[pair] % 1024 == word[9:0], "W6 words arrive once, in order");
                    if (from[o] < 0) sum_out[o] = 16'hffff;
                    arrived[pair] = arrived[pair] + 1;
                    from[o] = {29'd0, word[15:13]};
                    sum_out[o] = signed_by(sum_out[o], {kind, word});
                end else if (from[o] >= 0) begin
                    pair = 8*from[o] + o;
                    check((word ^ ~sum_out[o]) == due_wrong[64*pair + worms_out[pair] % 64],
                          "W3 a signature is right, or wrong by what it was");
                    worms_out[pair] = worms_out[pair] + 1;
                    from[o] = -1;
                end
            end
        end
    endtask

    initial begin
        begin_bench;
        if (!$value$plusargs("clocks=%d", clocks)) clocks = 20000;
        {words, strays, counted, stops} = 128'd0;
        {halted, stopped} = 6'd0;
        own = 32'd0;
        own[`WORMLAN_STRAP_PLACE]    = 13'd1;   // a switch, with cables of a clock
        own[`WORMLAN_STRAP_PATIENCE] = 4'd11;
        straps[`POSTROAD_STRAP_OWN] = own;
        straps[`POSTROAD_STRAP_LINKS_CONNECTED] = 16'b0111;
        for (l = 0; l < 64; l = l + 1) {sent[l], arrived[l], worms_in[l], worms_out[l]} = 128'd0;
        for (l = 0; l < SENDERS; l = l + 1) begin
            left[l]  = 0;
            from[l]  = -1;
            since[l] = 0;
            stopped_for[l] = 3'd0;
        end
        repeat (4) @(negedge clk);
        reset = 1'b0;
        for (c = 0; c < clocks + 2000; c = c + 1) begin
            @(negedge clk);
            for (l = 0; l < SENDERS; l = l + 1) look(l);
            counted = counted + events[`POSTROAD_COUNTER_DEAD_FLITS];
            check(out[S*SENDERS +: S] == {S{1'b0}}, "W7 nothing leaves by a link that is not connected");
            @(posedge clk);
            #1;
            for (l = 0; l < SENDERS; l = l + 1) drive(l, c < clocks);
        end
        for (l = 0; l < 64; l = l + 1)
            if (l % 8 != STRAY) check(arrived[l] == sent[l], "W6 all words arrive");
        check(quiet, "the switch rests");
        check(counted == strays, "W7 each stray is counted");
        check(words > clocks / 2 && strays > clocks / 200 && stops > clocks / 50, "no worm stands for long");
        $display("%0d words, %0d strays, %0d stops", words, strays, stops);
        verdict;
    end
endmodule

`default_nettype wire
