// fabric_timing_tb: clocks from a word on a link or `send` to the same word on a link or `receive`, over an idle fabric, and one
// word per clock after it. hw/cutthrough/README.md quotes what is printed. +charts prints its cycle charts.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module fabric_timing_tb;
    localparam ADAPTIVE = 0, HYPERCUBE = 0, INPUT_DEPTH = 1;
    localparam [15:0] ABORT_THRESHOLD = 16'd4;
    `include "fabric_bench.vh"
    `include "tags.vh"

    // Clocks to the first word, and those that a further target takes, the second word of its packet: on a branch that is open,
    // and on one that it opens, or that another packet has. Local gets a split packet's words with its branches.
    localparam STRAIGHT = 1, TURN = 3, ENTERING = 4, LEAVING = 4, TO_ITSELF = 5, SPLIT_LINK = 5,
               FURTHER = 2, FURTHER_OPENS = 3;

    localparam WORDS = 40;
    localparam [15:0] MARK = 16'h8000;

    integer p, k;

    function [15:0] at(input integer x, input integer y);
        at = {2'b00, y[6:0], x[6:0]};
    endfunction

    task check_output(input integer port, input integer clocks, input integer words, input integer extra);
        begin
            check(first[port] == clocks, "clocks of the first word");
            check(count[port] == words && last[port] - first[port] == words - 1 + extra, "one clock more per further word");
        end
    endtask

    // A packet of one or two targets, data and a terminator; clock 0 shows its first word, and a word that must wait is shown
    // again.
    task send_packet(input integer from, input [2:0] tag, input [15:0] target, input [15:0] second);
        begin
            watch;
            for (k = 0; k < WORDS; k = k + 1)
                send_word(from, k == 0 ? {tag, target} : k == 1 && second != 0 ? {tag, second} :
                                k == WORDS-1 ? {END_OF_PACKET, 16'd0} : {DATA, 16'd0} | k);
            into = 0;
            repeat (12) one_clock;
            check(quiet, "quiet after the last word");
        end
    endtask

    task report(input [4:0] outputs, input [8*60-1:0] what);
        for (p = 0; p < 5; p = p + 1)
            if (outputs[p])
                $display("%0s: first word after %0d, %0d words, last after %0d", what, first[p], count[p], last[p]);
            else check(count[p] == 0, "no other output shows a word");
    endtask

    // Whole, to one output.
    task whole(input integer from, input integer to, input [2:0] tag, input [15:0] target, input integer clocks,
               input [8*60-1:0] what);
        begin
            send_packet(from, tag, target, 16'd0);
            check_output(to, clocks, WORDS, 0);
            if (what != 0) report(5'd1 << to, what);
        end
    endtask

    // Split, its first target to the north; the second on the same branch or to the east. `late`: the second one's clocks.
    task split(input integer from, input [15:0] second, input integer link, input integer late, input [8*60-1:0] what);
        reg opens;
        begin
            opens = second[6:0] != 7'd1;
            send_packet(from, MULTICAST, at(1, 3), second);
            check_output(NORTH, link, WORDS, late - 1);
            check_output(HERE, link + 1, WORDS, late - 1);
            if (opens) check_output(EAST, link + late, WORDS - 1, 0);
            report(opens ? 5'b01011 : 5'b01001, what);
        end
    endtask

    // A target further on in the direction of a link's port.
    function [15:0] beyond(input integer port);
        beyond = at(1 + 2 * (port == EAST) - (port == WEST), 1 + 2 * (port == NORTH) - (port == SOUTH));
    endfunction

    // Every way that dimension order has.
    task all_ways(input [1:0] new_topology);
        integer from, to;
        begin
            topology = new_topology;
            start;
            for (to = EAST; to <= SOUTH; to = to + 1) begin
                whole(HERE, to, UNICAST, beyond(to), ENTERING, 0);
                whole(to, HERE, UNICAST, at(1, 1), LEAVING, 0);
                for (from = EAST; from <= SOUTH; from = from + 1)
                    if (from == opposite(to) || (from <= WEST && to >= NORTH))
                        whole(from, to, UNICAST, beyond(to), from == opposite(to) ? STRAIGHT : TURN, 0);
            end
            topology = `POSTROAD_TOPOLOGY_GRID;
        end
    endtask

    // ---- Charts ---------------------------------------------------------------------------------------------------
    reg [LW-1:0] shown [0:15];
    integer      position, row, c;
    reg [8*16-1:0] names [0:5];
    reg [LW:0]     chart [0:5*64-1];
    reg [63:0]     waits;

    function [8*4-1:0] symbol(input [LW:0] word);
        case (word[LW:16])
            0: symbol = ".";
            UNICAST: symbol = "H";
            MULTICAST: symbol = word[15:0] == at(1, 3) ? "N" : word[15:0] == at(3, 1) ? "E" :
                                word[15:0] == (at(3, 1) | MARK) ? "E*" : word[15:0] == (at(1, 1) | MARK) ? "L*" : "L";
            DATA: symbol = {"d", 8'h30 + word[7:0]};
            NULL_TARGET: symbol = "null";
            END_OF_PACKET: symbol = "T";
            ABORT_PACKET: symbol = "A";
            LOCAL_END: symbol = "LEP";
            default: symbol = "?";
        endcase
    endfunction

    // `count` words of `shown` from the west; `busy`: these links wait, from clock 6 on.
    task draw(input integer words, input integer clocks, input [3:0] busy);
        begin
            position = 0;
            for (c = 0; c < clocks; c = c + 1) begin
                into[WEST*LW +: LW] = position < words ? shown[position] : {LW{1'b0}};
                if (c == 6) link_out_wait = busy;
                #1 waits[c] = into_wait[WEST];
                chart[c] = {1'b0, into[WEST*LW +: LW]};
                for (row = 1; row < 4; row = row + 1)
                    chart[64*row + c] = row == 3 ? receive : {1'b0, out_word(row == 1 ? EAST : NORTH)};
                position = position + (!waits[c] && position < words);
                one_clock;
            end
            for (row = 0; row < 5; row = row + 1) begin
                $write("%0s", row == 0 ? "  west in    " : row == 1 ? "  east out   " : row == 2 ? "  north out  " :
                       row == 3 ? "  receive    " : "  status     ");
                for (c = 0; c < clocks; c = c + 1)
                    $write("%s ", row == 4 ? (waits[c] ? "   w" : "   -") : symbol(chart[64*row + c]));
                $display("");
            end
            link_out_wait = 4'd0;
            into = 0;
            repeat (20) one_clock;
        end
    endtask

    task charts;
        begin
            start;
            shown[0] = {MULTICAST, at(1, 3)};
            shown[1] = {MULTICAST, at(3, 1)};
            shown[2] = {DATA, 16'd1};
            shown[3] = {DATA, 16'd2};
            shown[4] = {END_OF_PACKET, 16'd0};
            $display("split");
            draw(5, 16, 4'd0);
            $display("abort: north waits");
            start;
            draw(5, 26, 4'b0100);
            $display("deferral: another packet has east");
            start;
            send_word(HERE, {UNICAST, at(3, 1)});
            into = 0;
            repeat (8) one_clock;
            draw(5, 16, 4'd0);
        end
    endtask

    initial begin
        begin_bench;
        start;
        whole(WEST, EAST, UNICAST, at(3, 1), STRAIGHT, "straight, link to link");
        whole(WEST, NORTH, UNICAST, at(1, 3), TURN, "turn, link to link");
        whole(HERE, EAST, UNICAST, at(3, 1), ENTERING, "entering, send to link");
        whole(SOUTH, HERE, UNICAST, at(1, 1), LEAVING, "leaving, link to receive");
        whole(HERE, HERE, UNICAST, at(1, 1), TO_ITSELF, "to itself, send to receive");
        whole(WEST, EAST, MULTICAST, at(3, 1), STRAIGHT, "multicast straight, link to link");
        whole(WEST, NORTH, MULTICAST, at(1, 3) | MARK, TURN, "path, turn");
        whole(HERE, EAST, MULTICAST, at(3, 1) | MARK, ENTERING, "path, entering");
        all_ways(`POSTROAD_TOPOLOGY_GRID);
        all_ways(`POSTROAD_TOPOLOGY_TORUS);
        split(WEST, at(1, 2), SPLIT_LINK, FURTHER, "split, a further target");
        split(WEST, at(3, 1), SPLIT_LINK, FURTHER_OPENS, "split, a further target opens a branch");
        split(HERE, at(1, 2), SPLIT_LINK + 1, FURTHER, "split at its source, a further target");
        if ($test$plusargs("charts")) charts;
        verdict;
    end
endmodule

`default_nettype wire
