// fabric_timing_tb: clocks from a word on a link or `send` to the same word on a link or `receive`, over an idle
// fabric, and one word per clock after it. hw/cutthrough/README.md quotes what is printed.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module fabric_timing_tb;
    `include "fabric_bench.vh"

    // Clocks to the first word, and those that a further target takes, the second word of its packet: on a branch that is
    // open, and on one that it opens. Local gets a split packet's words with its branches; its release (M9) takes a clock more.
    localparam STRAIGHT = 1, TURN = 3, ENTERING = 4, LEAVING = 4, TO_ITSELF = 5, SPLIT_LINK = 5, SPLIT_LOCAL = SPLIT_LINK + 1,
               FURTHER = 2, FURTHER_OPENS = 3, RELEASE = 1;

    localparam WORDS = 40;

    integer p, k, code;

    // A packet of one or two targets, data and a terminator; clock 0 shows its first word, and a word that must wait is shown
    // again. Every output in `outputs` must show its first word after `link` or `operator` clocks (one opened by a further
    // target: when that has come so far), and the words that follow one a clock, but for those of the further target.
    task packet(input integer from, input [15:0] target, input [15:0] second, input [4:0] outputs,
                input integer link, input integer operator, input integer further, input [8*60-1:0] what);  // 0: not printed
        reg [2:0] tag;
        begin
            watch;
            for (k = 0; k < WORDS; k = k + 1) begin
                tag = second == 0 ? `POSTROAD_TAG_UNICAST_SITE : `POSTROAD_TAG_MULTICAST_SITE;
                send_word(from, k == 0 ? {tag, target}
                              : k == 1 && second != 0 ? {`POSTROAD_TAG_MULTICAST_SITE, second}
                              : k == WORDS-1 ? {`POSTROAD_TAG_END_OF_PACKET, 16'd0}
                              : {`POSTROAD_TAG_DATA, 16'd0} | k);
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

    // Every way that a unicast may take.
    task all_ways(input [1:0] new_topology, input [7:0] new_lists);
        integer from, to;
        begin
            topology = new_topology;
            unicast_lists = new_lists;
            start;
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
        start;
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
