// january_net_output_tb: random words, aborts, waits and abort_requests at the states of Table H, Figure 9, and the register that
// they control (J1, J3, J11). Every arc must be taken, and no other.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module january_net_output_tb;
    `include "bench.vh"

    localparam FREE = 0, FIRST = 1, OPEN = 2, WAIT = 3, DONE = 4, LAST = 5;

    reg         clk = 1'b0, reset = 1'b1;
    reg  [18:0] word = 0;
    reg         abort = 1'b0, link_wait = 1'b1, abort_request = 1'b0;
    wire [18:0] link;
    wire [1:0]  status;
    wire        ready, breaks, free, event_word, event_stall, quiet;
    january_net_output dut (
        .clk(clk), .reset(reset), .tag(word[18:16]), .abort(abort), .status(status), .ready(ready), .breaks(breaks),
        .link_wait(link_wait), .abort_request(abort_request), .free(free));
    net_output #(.WORD_WIDTH(16)) register (
        .clk(clk), .reset(reset), .word(word), .abort(breaks), .ready(ready), .link(link), .link_wait(link_wait),
        .event_word(event_word), .event_stall(event_stall), .quiet(quiet));
    always #5 clk = !clk;

    reg [18:0] queue [0:65535];
    integer entered, left, c, wait_chance, abort_chance, gap_chance, before;
    reg     in_packet, ending, terminator;
    reg [63:0] taken_arcs;

    function allowed(input integer from, input integer to);
        case (from)
            FREE:    allowed = to == FREE || to == FIRST || to == DONE;
            FIRST:   allowed = to == FIRST || to == OPEN || to == DONE || to == LAST;
            OPEN:    allowed = to == OPEN || to == WAIT || to == DONE || to == LAST;
            WAIT:    allowed = to == WAIT || to == OPEN || to == DONE || to == LAST;
            DONE:    allowed = to == LAST || to == FREE;
            default: allowed = to == LAST || to == DONE || to == FREE;
        endcase
    endfunction

    // in_packet: a word of a packet has entered; ending: its terminator has, or is owed, and has not left.
    task one_clock;
        begin
            #1;
            link_wait = percent(wait_chance);
            abort_request = percent(30);
            abort = 1'b0;
            word = 0;
            #1;
            check(status === (link_wait || ending ? `POSTROAD_JANUARY_STATUS_WAIT : !in_packet ? `POSTROAD_JANUARY_STATUS_FREE
                              : abort_request ? `POSTROAD_JANUARY_STATUS_ABORT_REQUEST : `POSTROAD_JANUARY_STATUS_OPEN),
                  "Table B: free before a packet, open in it, wait behind its terminator and under back-pressure");
            check(free === (!in_packet && !ending), "Table H: free");
            if (!ending && percent(abort_chance)) abort = 1'b1;
            else if (status != `POSTROAD_JANUARY_STATUS_WAIT && !percent(gap_chance))
                word = {!in_packet ? (below(8) ? `POSTROAD_TAG_UNICAST_SITE : `POSTROAD_TAG_ABORT_PACKET)
                        : below(5) ? `POSTROAD_TAG_DATA : `POSTROAD_TAG_END_OF_PACKET, 16'd0} | below(65536);
            #1;
            check(breaks === (abort && in_packet), "J11: only a branch that has carried a word owes an abort_packet");
            if (|link[18:16])
                check(left < entered && link[18:16] === queue[left][18:16] &&
                      (link[18:16] == `POSTROAD_TAG_ABORT_PACKET || link === queue[left]),
                      "J11: words leave in order, the owed abort_packet behind them");
            else check(left == entered || (ending && left == entered - 1), "J11: no word is lost; an abort_packet may be owed");
            terminator = word[18:16] == `POSTROAD_TAG_END_OF_PACKET || word[18:16] == `POSTROAD_TAG_ABORT_PACKET;
            if (left < entered && !link_wait && |link[18:16]) begin
                left = left + 1;
                if (left == entered && ending) {ending, in_packet} = 2'b00;
            end
            if (|word[18:16]) begin
                queue[entered] = word;
                entered = entered + 1;
                in_packet = 1'b1;
                ending = terminator;
            end
            if (breaks) begin
                queue[entered] = {`POSTROAD_TAG_ABORT_PACKET, 16'd0};
                entered = entered + 1;
                ending = 1'b1;
            end
            before = dut.state;
            @(posedge clk) #1;
            check(allowed(before, dut.state), "Figure 9: no other arc");
            taken_arcs[before*8 + dut.state] = 1'b1;
        end
    endtask

    integer from, to;
    initial begin
        begin_bench;
        {entered, left} = 0;
        {in_packet, ending} = 0;
        taken_arcs = 0;
        @(posedge clk);
        @(negedge clk) reset = 1'b0;
        @(posedge clk);
        for (c = 0; c < 30000; c = c + 1) begin
            if (c % 200 == 0) begin
                wait_chance  = below(3) ? below(90) : 0;
                abort_chance = below(2) ? below(30) : 0;
                gap_chance   = below(3) ? below(80) : 0;
            end
            one_clock;
        end
        {wait_chance, abort_chance} = 0;
        gap_chance = 100;
        repeat (4) one_clock;
        check(left == entered, "J11: nothing is owed in the end");
        for (from = 0; from <= LAST; from = from + 1)
            for (to = 0; to <= LAST; to = to + 1)
                if (allowed(from, to)) check(taken_arcs[from*8 + to], "every arc of Figure 9 was taken");
        check(left > 3000, "words were sent");
        verdict;
    end
endmodule

`default_nettype wire
