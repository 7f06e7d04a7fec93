// router_release_tb: words in an order that no packet has (against P1), clock by clock: what was opened is released (X1).
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module router_release_tb;
    `include "router_bench.vh"

    integer clocks_of_wait, round, i, aborts, deferred;
    reg [PORTS-1:0] talks, terminated, stands;
    reg [2:0] tag;

    task ends_released(input [2:0] terminator);
        begin
            moves(WEST, terminator, 16'd0, "X1: a terminator is taken, whatever came before it");
            tick;
            ended("X1: and leaves no output owned");
        end
    endtask

    // A packet whose sender is reset behind its first data word, and another multicast's head behind that, while local waits.
    task head_behind_data(input integer waits, input [2:0] terminator);
        begin
            start;
            moves(WEST, MULTICAST, at(1, 3), "the head splits");
            moves(WEST, DATA, 16'd1, "its data follow");
            shows(WEST, MULTICAST, at(3, 1));
            fill(5'b00001);
            repeat (waits) one_clock;
            fill(5'd0);
            repeat (SOON) one_clock;
            ends_released(terminator);
        end
    endtask

    task unicast_inside;
        begin
            start;
            moves(WEST, MULTICAST, at(1, 1), "the head splits");
            moves(WEST, MULTICAST, at(3, 1), "and has a branch");
            moves(WEST, UNICAST, at(1, 3), "X1: a unicast's head inside is a word like any other");
            moves(WEST, MULTICAST, at(1, 3), "a further branch opens");
            ends_released(END_OF_PACKET);
        end
    endtask

    task clock;
        begin
            deferred = deferred + event_defer;
            aborts = aborts + event_abort;
            tick;
        end
    endtask

    function shown(input integer from);
        shown = |words[from*LINK_WIDTH+WORD_WIDTH +: 3];
    endfunction

    // Any words in any order; more often what a multicast has, as there is most to be got wrong.
    task any_words;
        begin
            stands = 0;
            talks = below(2) ? 5'd1 << below(PORTS) : below(32);
            repeat (60) begin
                for (i = 0; i < PORTS; i = i + 1)
                    if (talks[i] && !shown(i) && percent(80)) begin
                        tag = below(3) == 0 ? below(8) : below(2) ? MULTICAST : below(4) ? DATA : END_OF_PACKET;
                        shows(i, tag, at(below(4), below(4)) | (below(2) ? MARK : 16'd0));
                    end
                if (percent(4)) stands = below(2) ? 0 : below(32);  // for long enough to abort a packet
                fill(percent(20) ? stands | below(32) : stands);
                clock;
            end
        end
    endtask

    // Nothing waits, each input shows a terminator behind what it holds, and then nothing.
    task all_terminate;
        begin
            fill(5'd0);
            terminated = 5'd0;
            for (clocks = 0; clocks < 400 && !(&terminated && quiet && words == 0); clocks = clocks + 1) begin
                for (i = 0; i < PORTS; i = i + 1)
                    if (!shown(i) && !terminated[i]) begin
                        shows(i, below(2) ? END_OF_PACKET : ABORT_PACKET, 16'd0);
                        terminated[i] = 1'b1;
                    end
                clock;
            end
            check(&terminated && words == 0, "X1: every word is taken in the end");
            ended("X1: whatever has arrived, every output is released in the end");
        end
    endtask

    task random_words;
        begin
            aborts = 0;
            deferred = 0;
            for (round = 0; round < 400; round = round + 1) begin
                start;
                divert_threshold = below(4) ? 1 << below(5) : 16'hffff;
                abort_threshold = 4 << below(3);
                topology = below(2) ? `POSTROAD_TOPOLOGY_GRID : `POSTROAD_TOPOLOGY_TORUS;
                any_words;
                all_terminate;
            end
            check(aborts > 10 && deferred > 100, "every way a split packet ends was taken");
        end
    endtask

    initial begin
        begin_bench;
        for (clocks_of_wait = 0; clocks_of_wait < 8; clocks_of_wait = clocks_of_wait + 1) begin
            head_behind_data(clocks_of_wait, END_OF_PACKET);
            head_behind_data(clocks_of_wait, ABORT_PACKET);
        end
        unicast_inside;
        random_words;
        $display("%0d aborts, %0d deferrals", aborts, deferred);
        verdict;
    end
endmodule

`default_nettype wire
