// fabric_timing_tb: clocks from a word on a link or `send` to the same word on a link or `receive`, over an idle
// fabric, and one word per clock after it. hw/cutthrough/README.md quotes what is printed.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module fabric_timing_tb;
    `include "bench.vh"

    // Clocks to the first word, and those that a further target takes, the second word of its packet: on a branch that is
    // open, and on one that it opens. Local gets a split packet's words with its branches; its release (M9) takes a clock more.
    localparam STRAIGHT = 1, TURN = 3, ENTERING = 4, LEAVING = 4, TO_ITSELF = 5, SPLIT_LINK = 5, SPLIT_LOCAL = SPLIT_LINK + 1,
               FURTHER = 2, FURTHER_OPENS = 3, RELEASE = 1;

    localparam LW = 19, HERE = 0, EAST = 1, WEST = 2, NORTH = 3, SOUTH = 4, WORDS = 40;

    reg clk = 1'b0, reset = 1'b1;
    reg [1:0] topology = `POSTROAD_TOPOLOGY_GRID;
    reg [7:0] lists = 8'b10101010;
    reg  [5*LW-1:0] into = 0;
    wire [4:0]      into_wait, event_word_out, event_stall, event_drop;
    wire [4*LW-1:0] link_out;
    wire [LW:0]     receive;
    wire event_divert, event_abort, event_split, event_pass, event_single, quiet;

    fabric dut (
        .clk(clk), .reset(reset), .site_address({7'd1, 7'd1}), .topology(topology), .size_x(7'd4),
        .size_y(7'd4), .unicast_lists(lists), .multicast_lists(8'h00), .divert_threshold(16'd20),
        .abort_threshold(16'd40), .abort_random(16'd127), .release_single(1'b1),
        .relief_limit(16'd64), .relief(1'b0), .link_down(4'd0), .link_in(into[5*LW-1:LW]),
        .link_in_wait(into_wait[4:1]), .link_out(link_out), .link_out_wait(4'd0), .send(into[LW-1:0]),
        .send_wait(into_wait[0]), .receive(receive), .receive_wait(1'b0), .event_word_out(event_word_out),
        .event_stall(event_stall), .event_drop(event_drop), .event_divert(event_divert), .event_abort(event_abort),
        .event_split(event_split), .event_pass(event_pass), .event_single(event_single), .quiet(quiet));

    integer first [0:4], last [0:4], count [0:4];
    integer now, p, k, code;

    function [LW-1:0] out_word(input integer port);
        out_word = port == HERE ? receive[LW-1:0] : link_out[(port-1)*LW +: LW];
    endfunction

    task one_clock;
        begin
            #5 clk = 1'b1;
            #1 now = now + 1;
            for (p = 0; p < 5; p = p + 1)
                if (out_word(p) >> 16 != 0) begin
                    if (count[p] == 0) first[p] = now;
                    last[p] = now;
                    count[p] = count[p] + 1;
                end
            #4 clk = 1'b0;
        end
    endtask

    // A packet of one or two targets, data and a terminator; clock 0 shows its first word, and a word that must wait is shown
    // again. Every output in `outputs` must show its first word after `link` or `operator` clocks (one opened by a further
    // target: when that has come so far), and the words that follow one a clock, but for those of the further target.
    task packet(input integer from, input [15:0] target, input [15:0] second, input [4:0] outputs,
                input integer link, input integer operator, input integer further, input [8*60-1:0] what);  // 0: not printed
        reg [2:0] tag;
        reg waits;
        begin
            now = 0;
            for (p = 0; p < 5; p = p + 1) begin
                first[p] = 0;
                count[p] = 0;
            end
            for (k = 0; k < WORDS; k = k + 1) begin
                tag = second == 0 ? `POSTROAD_TAG_UNICAST_SITE : `POSTROAD_TAG_MULTICAST_SITE;
                into[from*LW +: LW] = k == 0 ? {tag, target}
                                    : k == 1 && second != 0 ? {`POSTROAD_TAG_MULTICAST_SITE, second}
                                    : k == WORDS-1 ? {`POSTROAD_TAG_END_OF_PACKET, 16'd0}
                                    : {`POSTROAD_TAG_DATA, 16'd0} | k;
                waits = 1'b1;
                while (waits) begin
                    #1 waits = into_wait[from];
                    one_clock;
                end
            end
            into = 0;
            repeat (12) one_clock;
            check(quiet, "quiet after the last word");
            for (p = 0; p < 5; p = p + 1)
                if (!outputs[p]) check(count[p] == 0, "no other output shows a word");
                else if (second == 0) begin
                    check(first[p] == (p == HERE ? operator : link), "clocks of the first word");
                    check(count[p] == WORDS && last[p] - first[p] == WORDS - 1, "one clock more per further word");
                end else if (p == NORTH) begin
                    check(first[p] == link + further, "clocks of a branch that a further target opens");
                    check(count[p] == WORDS - 1 && last[p] - first[p] == WORDS - 2, "one clock more per further word");
                end else if (p != HERE || outputs[NORTH]) begin
                    check(first[p] == (p == HERE ? operator : link), "clocks of the first word of a split");
                    check(count[p] == WORDS &&
                          last[p] == link + further + WORDS - 2 + (p == HERE ? 1 : outputs[NORTH] ? 0 : RELEASE),
                          "clocks of a further target, of the release (M9), then one more per further word");
                end else check(first[p] == operator && count[p] == 4 && last[p] == operator + further + 1 + RELEASE,
                               "M9: local is released behind the first data word");
            for (p = 0; p < 5; p = p + 1)
                if (outputs[p] && what != 0)
                    $display("%0s: first word after %0d, %0d words, last after %0d", what, first[p], count[p], last[p]);
        end
    endtask

    // A target further on in the direction of a link's port.
    function [15:0] beyond(input integer port);
        beyond = {2'd0, 7'd1 + 7'd2 * (port == NORTH) - (port == SOUTH), 7'd1 + 7'd2 * (port == EAST) - (port == WEST)};
    endfunction

    function integer opposite(input integer port);
        opposite = ((port - 1) ^ 1) + 1;
    endfunction

    // Every way that a unicast may take.
    task all_ways(input [1:0] new_topology, input [7:0] new_lists);
        integer from, to;
        begin
            topology = new_topology;
            lists = new_lists;
            reset = 1'b1;
            one_clock;
            reset = 1'b0;
            one_clock;
            for (to = EAST; to <= SOUTH; to = to + 1) begin
                packet(HERE, beyond(to), 16'd0, 5'd1 << to, ENTERING, 0, 0, 0);
                packet(to, {2'd0, 7'd1, 7'd1}, 16'd0, 5'b00001, 0, LEAVING, 0, 0);
                for (from = EAST; from <= SOUTH; from = from + 1)
                    if (from != to)
                        packet(from, beyond(to), 16'd0, 5'd1 << to, from == opposite(to) ? STRAIGHT : TURN, 0, 0, 0);
            end
        end
    endtask

    initial begin
        begin_bench;
        repeat (3) one_clock;
        reset = 1'b0;
        repeat (3) one_clock;
        packet(WEST, {2'd0, 7'd1, 7'd3}, 16'd0, 5'b00010, STRAIGHT, 0, 0, "straight, link to link");
        packet(WEST, {2'd0, 7'd3, 7'd1}, 16'd0, 5'b01000, TURN, 0, 0, "turn, link to link");
        packet(HERE, {2'd0, 7'd1, 7'd3}, 16'd0, 5'b00010, ENTERING, 0, 0, "entering, send to link");
        packet(SOUTH, {2'd0, 7'd1, 7'd1}, 16'd0, 5'b00001, 0, LEAVING, 0, "leaving, link to receive");
        packet(HERE, {2'd0, 7'd1, 7'd1}, 16'd0, 5'b00001, 0, TO_ITSELF, 0, "to itself, send to receive");
        for (code = 0; code < 4; code = code + 1) begin
            all_ways(`POSTROAD_TOPOLOGY_GRID, {4{code[1:0]}});
            all_ways(`POSTROAD_TOPOLOGY_TORUS, {4{code[1:0]}});
        end
        topology = `POSTROAD_TOPOLOGY_GRID;
        packet(WEST, {2'd0, 7'd1, 7'd3}, {2'd0, 7'd1, 7'd2}, 5'b00011, SPLIT_LINK, SPLIT_LOCAL, FURTHER,
               "split, a further target");
        packet(WEST, {2'd0, 7'd1, 7'd3}, {2'd0, 7'd3, 7'd1}, 5'b01011, SPLIT_LINK, SPLIT_LOCAL, FURTHER_OPENS,
               "split, a further target opens a branch");
        verdict;
    end
endmodule

`default_nettype wire
