// january_net_input_tb: random packets, connections and statuses against the states of Table F, Figure 8, and the words in their
// order (J2, J5, J9, J10). Every arc of the figure must be taken, and no other.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module january_net_input_tb;
    `include "bench.vh"

    localparam LW = 19, PORTS = 5, LIST_WORDS = 4;
    localparam FREE = 0, FIRST = 1, OPEN = 2, WAIT = 3, DONE = 4, LAST = 5, ABORT = 6, FIN_ABORT = 7;

    reg             clk = 1'b0, reset = 1'b1;
    reg  [LW-1:0]   link = 0;
    reg  [PORTS-1:0] way = 0;
    reg  [2:0]      offer = 0;
    reg  [1:0]      status = 0;
    wire            link_wait, link_wait_next, arrives, full, free, seeks, moves, aborts, aborting, stands, stray;
    wire [LW-1:0]   word;
    wire [PORTS-1:0] word_way;
    wire [2:0]      connection;
    january_net_input #(.WORD_WIDTH(16), .PORTS(PORTS), .LIST_WORDS(LIST_WORDS)) dut (
        .clk(clk), .reset(reset), .link(link), .way(way), .link_wait(link_wait), .link_wait_next(link_wait_next),
        .arrives(arrives), .full(full), .free(free), .seeks(seeks), .offer(offer), .status(status), .word(word),
        .word_way(word_way), .connection(connection), .moves(moves), .aborts(aborts), .aborting(aborting), .stands(stands),
        .stray(stray));
    always #5 clk = !clk;

    reg [LW-1:0]    sent [0:65535];
    reg [PORTS-1:0] ways [0:65535];
    reg [PORTS-1:0] entry_way;
    integer words_in, words_out, c, wait_chance, abort_chance, seek_chance, gap_chance, state, before;
    reg     ended, told, is_split, waits, requested, refused, terminator, head;
    reg [63:0] taken_arcs;

    // Table F and Figure 8; stray words leave FREE as it is.
    function allowed(input integer from, input integer to);
        case (from)
            FREE:      allowed = to == FREE || to == FIRST;
            FIRST:     allowed = to == FIRST || to == OPEN;
            OPEN:      allowed = to == OPEN || to == WAIT || to == DONE || to == LAST || to == ABORT;
            WAIT:      allowed = to == WAIT || to == OPEN || to == DONE || to == LAST || to == ABORT;
            DONE:      allowed = to == FREE || to == LAST || to == FIN_ABORT;
            LAST:      allowed = to == LAST || to == DONE || to == FIN_ABORT;
            ABORT:     allowed = to == ABORT || to == FIN_ABORT;
            default:   allowed = to == FIN_ABORT || to == FREE;
        endcase
    endfunction

    // Mostly whole packets; a terminator is one word of six.
    function [LW-1:0] any_word(input integer unused);
        any_word = {below(6) == 0 ? (below(3) ? `POSTROAD_TAG_END_OF_PACKET : `POSTROAD_TAG_ABORT_PACKET)
                  : below(2) ? `POSTROAD_TAG_MULTICAST_SITE : 3'd1 + below(7), 16'd0} | below(65536);
    endfunction

    task one_clock;
        begin
            #1;
            check(link_wait === told, "the status that was announced for this clock");
            check(link_wait === (words_in - words_out == LIST_WORDS || ended),
                  "J2: wait while no word fits, and from the terminator until it has left");
            if (!refused) begin
                link = percent(gap_chance) ? 0 : any_word(0);
                way = 1 << below(PORTS);
            end
            offer = percent(seek_chance) ? `POSTROAD_JANUARY_CONNECTION_SEEK : 1 + below(4);
            waits = percent(wait_chance);
            requested = !waits && percent(abort_chance);
            status = waits ? `POSTROAD_JANUARY_STATUS_WAIT
                   : requested ? `POSTROAD_JANUARY_STATUS_ABORT_REQUEST : `POSTROAD_JANUARY_STATUS_OPEN;
            #1;
            state = dut.state;
            if (arrives) begin
                if (link[18] && link[16]) entry_way = way;
                sent[words_in] = link;
                ways[words_in] = entry_way;
            end
            refused = |link[18:16] && link_wait;
            check(arrives === (|link[18:16] && !link_wait), "a word is transferred when it is shown and the status is open");
            if (words_in + arrives > words_out) begin
                check(word === sent[words_out], "words stand in their order");
                if (word[18] && words_out > 0 && !stray) check(word_way === ways[words_out], "J5: with the way of its target");
            end else check(word[18:16] === 3'd0, "no word where none is left");
            terminator = word[18:16] == `POSTROAD_TAG_END_OF_PACKET || word[18:16] == `POSTROAD_TAG_ABORT_PACKET;
            head = word[18] && word[16];
            is_split = connection == `POSTROAD_JANUARY_CONNECTION_ALL_REMOTE ||
                       connection == `POSTROAD_JANUARY_CONNECTION_SOME_LOCAL;
            check(aborts === (requested && is_split && (state == OPEN || state == WAIT || state == DONE || state == LAST)),
                  "J10: an abort_request aborts a split packet, once, and no other");
            check(stray === (state == FREE && |word[18:16] && !head), "a word without a packet is dropped at once");
            check(moves === (|word[18:16] && !waits && !aborts &&
                             (terminator ? state == DONE || state == FIN_ABORT
                                         : state == OPEN || state == WAIT || state == ABORT)),
                  "words move while the connection is open; a terminator in done and fin-abort alone");
            check(free === (state == FREE) && seeks === (state == FIRST) && aborting === (state >= ABORT) &&
                  stands === (state == WAIT || state == LAST), "outputs of the states");
            told = link_wait_next;
            if (arrives) begin
                if (link[18:16] == `POSTROAD_TAG_END_OF_PACKET || link[18:16] == `POSTROAD_TAG_ABORT_PACKET) ended = 1'b1;
                words_in = words_in + 1;
            end
            if (moves || stray) begin
                words_out = words_out + 1;
                if (terminator) ended = 1'b0;
            end
            before = state;
            @(posedge clk) #1;
            check(allowed(before, dut.state), "Figure 8: no other arc");
            check(before != FIRST || (dut.state == OPEN) === (offer != `POSTROAD_JANUARY_CONNECTION_SEEK),
                  "Table F: first ends with a connection");
            check(before != FIRST || dut.state != OPEN || connection === offer, "the type of the connection is kept");
            check(before != ABORT || (dut.state == FIN_ABORT) === terminator, "Table F: abort mode ends with the terminator");
            check(!waits || before != OPEN || dut.state == WAIT || dut.state == LAST, "open ends with a wait");
            taken_arcs[before*8 + dut.state] = 1'b1;
        end
    endtask

    integer from, to;
    initial begin
        begin_bench;
        {words_in, words_out} = 0;
        {ended, refused} = 0;
        told = 1'b0;
        taken_arcs = 0;
        entry_way = 0;
        repeat (2) @(posedge clk);
        #1 check(link_wait === 1'b1, "the status is wait in reset");
        @(negedge clk) reset = 1'b0;
        // The first clock out of reset still shows `wait`.
        @(posedge clk);
        for (c = 0; c < 30000; c = c + 1) begin
            if (c % 200 == 0) begin
                wait_chance  = below(3) ? below(90) : 0;
                abort_chance = below(2) ? below(30) : 0;
                seek_chance  = below(90);
                gap_chance   = below(3) ? below(80) : 0;
            end
            one_clock;
        end
        for (from = 0; from < 8; from = from + 1)
            for (to = 0; to < 8; to = to + 1)
                if (allowed(from, to)) check(taken_arcs[from*8 + to], "every arc of Figure 8 was taken");
        verdict;
    end
endmodule

`default_nettype wire
