// link_ports_tb: what the engine does to one link reaches that link and no other: words that leave and arrive, `down`, and bytes
// for the line; three links, and a fourth place without one.
// SPDX-License-Identifier: ISC
`default_nettype none

module link_ports_tb;
    `include "bench.vh"
    localparam LINKS = 3;

    reg         clk = 1'b0, reset = 1'b1;
    reg  [1:0]  phase = 2'd0;
    reg  [2:0]  line_in = 3'd0, link_in_wait = 3'd0;
    reg  [56:0] link_out = 57'd0;
    wire [2:0]  line_out, link_out_wait;
    wire [56:0] link_in;
    wire [3:0]  down;
    reg  [1:0]  link = 2'd0, link_before = 2'd0;
    wire [7:0]  value;
    wire [1:0]  progress;
    wire [18:0] word;
    reg         accepts = 1'b0, load = 1'b0, start = 1'b0, shows = 1'b0, down_known = 1'b0, down_next = 1'b0;
    reg  [7:0]  byte_out = 8'd0;
    reg  [18:0] head = 19'd0;
    wire        accepted;
    wire        step = phase[0], operation_ends = phase == 2'd3;  // the fabric's clock is half of clk

    link_ports #(.LINKS(LINKS)) dut (
        .clk(clk), .reset(reset), .step(step), .operation_ends(operation_ends), .line_in(line_in), .line_out(line_out),
        .link_out(link_out), .link_out_wait(link_out_wait), .link_in(link_in), .link_in_wait(link_in_wait), .down(down),
        .link(link), .value(value), .progress(progress), .word(word), .accepts(accepts), .load(load), .start(start),
        .byte_out(byte_out), .shows(shows), .head(head), .link_before(link_before), .accepted(accepted), .down_known(down_known),
        .down_next(down_next));

    always #5 clk = !clk;

    reg  [2:0] opens, shown;      // expected
    reg  [3:0] down_expected;
    reg  [7:0] bits [0:2];        // of each line_sender
    reg  [2:0] lines;
    integer    l;

    task inputs;
        begin
            if (phase == 2'd0) begin
                link = below(4);
                link_before = below(4);
                {accepts, load, start, shows} = below(16);
                byte_out = below(256);
            end
            if (phase == 2'd0 || phase == 2'd2) begin
                for (l = 0; l < LINKS; l = l + 1) link_out[19*l +: 19] = percent(50) ? {3'd0, 16'd7} : below(1 << 19);
                link_in_wait = below(8);
            end
            head = below(1 << 19);
            {down_known, down_next} = below(4);
        end
    endtask

    task outputs;
        begin
            for (l = 0; l < LINKS; l = l + 1) begin
                check(link_out_wait[l] === (link_out[19*l + 16 +: 3] != 3'd0 && !opens[l]), "wait, unless the word may leave");
                check(link_in[19*l +: 19] === {shown[l] ? head[18:16] : 3'd0, head[15:0]}, "a word for the fabric");
            end
            check(accepted === |(shown & ~link_in_wait), "the word that is shown is taken");
            if (link != 2'd3) check(word === link_out[19*link +: 19], "the word of the link in turn");
            else check(word === 19'd0 && value === 8'd0 && progress === 2'd0, "a place without a link");
            check(down === down_expected, "down");
            check(line_out === lines, "lines");
        end
    endtask

    task one_clock;
        begin
            inputs;
            #1 outputs;
            if (step) begin
                opens = operation_ends && accepts ? 4'd1 << link : 4'd0;
                shown = operation_ends && shows ? (4'd1 << link) & {1'b0, ~link_in_wait} : 4'd0;
            end
            if (operation_ends)
                for (l = 0; l < LINKS; l = l + 1) begin
                    lines[l] = bits[l][7] || (load && start && link == l);
                    bits[l] = load && link == l ? byte_out : {bits[l][6:0], 1'b0};
                end
            if (down_known && link_before != 2'd3) down_expected[link_before] = down_next;
            @(posedge clk) #1;
            phase = phase + 2'd1;
        end
    endtask

    initial begin
        begin_bench;
        repeat (4) @(posedge clk);
        #1 {opens, shown, lines, down_expected} = {3'd0, 3'd0, 3'd0, 4'b1111};
        for (l = 0; l < LINKS; l = l + 1) bits[l] = 8'd0;
        reset = 1'b0;
        repeat (20000) one_clock;
        verdict;
    end
endmodule

`default_nettype wire
