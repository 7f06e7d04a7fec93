// fifo_buffer_tb: random packets, gaps, pads and waits against a model of queue, states and time-out (Figure 6,
// Table B, B1, B2, P4, M6, F1, F3). Every transition of Figure 6 is counted, and must have been taken.
// +clocks=N: shorter than 100000.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module fifo_buffer_tb;
    `include "bench.vh"

    localparam WORD_WIDTH = 16, WIDTH = 20, DEPTH = 8;
    localparam HIDDEN = -2;
    localparam FREE = 0, OPEN = 1, WAIT = 2;
    localparam [19:0] NONE = 20'd0, PAD = {1'b1, 19'd0};
    localparam [19:0] NULL_TARGET = {1'b0, `POSTROAD_TAG_NULL_TARGET, 16'd0};

    reg clk = 1'b0, reset = 1'b1;
    reg [15:0]      abort_threshold = 16'd6, abort_random = 16'd7;
    reg [WIDTH-1:0] word_in = NONE;
    reg             wait_in = 1'b1;
    wire [1:0]       status, twin_status;
    wire [WIDTH-1:0] word_out;
    wire             quiet;

    fifo_buffer #(.WORD_WIDTH(WORD_WIDTH), .TAG_WIDTH(4), .DEPTH(DEPTH)) dut (
        .clk(clk), .reset(reset), .abort_threshold(abort_threshold), .abort_random(abort_random), .seed(15'h1234),
        .word_in(word_in), .status(status), .word_out(word_out), .wait_in(wait_in), .quiet(quiet));

    // The same traffic at a neighbouring site: its time-outs must differ.
    fifo_buffer #(.WORD_WIDTH(WORD_WIDTH), .TAG_WIDTH(4), .DEPTH(DEPTH)) twin (
        .clk(clk), .reset(reset), .abort_threshold(abort_threshold), .abort_random(abort_random), .seed(15'h1235),
        .word_in(word_in), .status(twin_status), .word_out(), .wait_in(wait_in), .quiet());

    // The one towards the network: three tag bits.
    wire [1:0]       narrow_status;
    wire [WIDTH-2:0] narrow_out;
    fifo_buffer #(.WORD_WIDTH(WORD_WIDTH), .TAG_WIDTH(3), .DEPTH(DEPTH)) narrow (
        .clk(clk), .reset(reset), .abort_threshold(16'd0), .abort_random(16'd0), .seed(15'd0),
        .word_in(word_in[WIDTH-2:0]), .status(narrow_status), .word_out(narrow_out), .wait_in(wait_in), .quiet());

    always #5 clk = !clk;

    // ---- Model ----------------------------------------------------------------------------------------------------
    reg [WIDTH-1:0] sent [0:131071];
    integer accepted = 0, left = 0, state = FREE, next_state, c;
    integer pads = 0;                 // consecutive ones made by M4, in OPEN
    integer limit = -1;               // of this packet: unknown until its first time-out
    integer spread_seen, twins_differ = 0, timeouts = 0, gaps_in_count = 0, begun_with_pads = 0;
    reg [15:0] limits_seen = 16'd0;
    reg     request_expected, request_known, full, terminator;
    integer taken [0:15];             // transitions, by {state, next_state}; 15: the time-out, open to open

    wire [2:0] tag   = word_in[WORD_WIDTH +: 3];
    wire       shown = |tag && tag != `POSTROAD_TAG_NULL_TARGET;

    // M6: the sequence of the random parts, a word a packet: xorshift by 7, 9 and 8, of period 65535.
    reg [15:0] random = 16'h9234;
    task draw;
        begin
            random = random ^ (random << 7);
            random = random ^ (random >> 9);
            random = random ^ (random << 8);
        end
    endtask

    integer wait_chance, gap_chance, pad_chance, position, length;
    reg     refused, begun;

    // The sender, a net_output: a word that met `wait` stays; pads and gaps do not. A packet may begin with pads.
    task next_word;
        if (!refused) begin
            if (!begun && percent(gap_chance)) word_in = NONE;
            else if ((begun || below(2)) && percent(pad_chance)) begin
                word_in = PAD;
                begun = 1'b1;
            end else if (begun && percent(gap_chance)) word_in = NONE;
            else begin
                if (position == 0) word_in = {1'b0, `POSTROAD_TAG_MULTICAST_SITE, 16'd0} | below(65536);
                else if (position == length)
                    case (below(3))
                        0: word_in = {1'b0, `POSTROAD_TAG_END_OF_PACKET, 16'd0};
                        1: word_in = {`POSTROAD_TAG_LOCAL_END_OF_PACKET, 16'd0};
                        default: word_in = {1'b0, `POSTROAD_TAG_ABORT_PACKET, 16'd0};
                    endcase
                else if (below(4) == 0) word_in = NULL_TARGET;
                else word_in = {1'b0, below(2) ? `POSTROAD_TAG_TARGET_INFO : `POSTROAD_TAG_DATA, 16'd0} | below(65536);
                position = position == length ? 0 : position + 1;
                begun = position != 0;
                if (!begun) length = 1 + below(12);
            end
        end
    endtask

    task transition(input integer from, input integer to);
        taken[4*from + to] = taken[4*from + to] + 1;
    endtask

    reg [1:0]       status_before;
    reg [WIDTH-1:0] word_saved, out_before;
    task one_clock;
        begin
            #1;
            full = status == `POSTROAD_LOCAL_STATUS_WAIT;
            status_before = status;
            check(full == (accepted - left - |word_out[WORD_WIDTH +: 3] == DEPTH),
                  "B1: wait whenever the queue cannot take the next word, in free too, and only then");
            check(narrow_status === {1'b0, full},
                  "B1, M6: both directions behave alike, and only the upstream one times out");
            check(dut.state == state, "B1: the states of Figure 6");
            check(dut.random == random, "M6: the random part's sequence");
            check(quiet === (accepted == left && state == FREE && status == `POSTROAD_LOCAL_STATUS_OPEN),
                  "quiet when empty, between packets, and only then");
            check(accepted - left <= DEPTH + 1, "B2: never more words than the queue holds");
            check(accepted == left ? word_out === NONE : word_out === NONE || word_out === sent[left],
                  "B2, P4: words leave once, in order, without pads");
            check(narrow_out === word_out[WIDTH-2:0], "B2: both directions carry the same words");
            if (request_known)
                check((status == `POSTROAD_LOCAL_STATUS_ABORT_REQUEST) == (request_expected && !full),
                      "M6: abort_request when more pads than the limit came in a row, for one clock");
            else if (limit == HIDDEN) pads = 0;
            else if (status == `POSTROAD_LOCAL_STATUS_ABORT_REQUEST) begin
                // The first time-out of a packet tells its limit.
                limit = pads - 1;
                limits_seen[limit - abort_threshold] = 1'b1;
                check(limit >= abort_threshold && limit <= abort_threshold + abort_random,
                      "M6: the limit is the threshold plus a random part within its mask");
                pads = 0;
                timeouts = timeouts + 1;
            end else check(pads <= abort_threshold + abort_random + 1, "M6: a time-out in time");
            if (status == `POSTROAD_LOCAL_STATUS_ABORT_REQUEST) begin
                check(state == OPEN || state == FREE, "M6: only the open state asks for an abort");
                transition(3, 3);
            end
            twins_differ = twins_differ + (status != twin_status);
            next_word;
            out_before = word_out;
            wait_in = percent(wait_chance);
            // F3a: nothing that changes within a clock reaches status or word within it.
            word_saved = word_in;
            #1 word_in = ~word_in;
            wait_in = !wait_in;
            #1 check(status === status_before && word_out === out_before, "F3a: status and word come from flops");
            word_in = word_saved;
            wait_in = !wait_in;
            #1;

            // The clock edge in the model.
            terminator = shown && !full && (tag == `POSTROAD_TAG_END_OF_PACKET || tag == `POSTROAD_TAG_ABORT_PACKET);
            next_state = state;
            case (state)
                FREE: if (shown && full) next_state = WAIT;                    // DF
                      else if ((shown && !terminator) || word_in == PAD) next_state = OPEN;  // DNF, or pads first
                OPEN: if (terminator) next_state = FREE;                       // TQ
                      else if (full) next_state = WAIT;                        // F
                default: if (terminator) next_state = FREE;                    // TQ
                      else if (!full) next_state = OPEN;                       // NF
            endcase
            request_expected = 1'b0;
            request_known = limit >= 0 || state != OPEN;
            if (state == OPEN && word_in == PAD) begin
                pads = pads + 1;
                if (limit >= 0 && pads > limit) begin
                    request_expected = 1'b1;
                    pads = 0;
                    timeouts = timeouts + 1;
                end
                // A time-out hidden by a queue just full tells no limit: this packet is not judged.
                if (limit < 0 && full) limit = HIDDEN;
            end else if (|tag) pads = 0;
            else if (word_in == NONE && pads > 0) gaps_in_count = gaps_in_count + 1;
            begun_with_pads = begun_with_pads + (state == FREE && word_in == PAD);
            if (state == FREE && next_state != FREE) begin
                draw;
                limit = -1;
                pads = 0;
            end
            if (state != next_state) transition(state, next_state);
            state = next_state;
            if (shown && !full) begin
                sent[accepted] = word_in;
                accepted = accepted + 1;
            end
            if (|word_out[WORD_WIDTH +: 3] && !wait_in) left = left + 1;
            refused = |tag && full;
            @(posedge clk);
        end
    endtask

    integer i, before, clocks;
    initial begin
        begin_bench;
        if (!$value$plusargs("clocks=%d", clocks)) clocks = 100000;
        for (i = 0; i < 16; i = i + 1) taken[i] = 0;
        position = 0;
        length = 5;
        refused = 1'b0;
        begun = 1'b0;
        request_known = 1'b1;
        request_expected = 1'b0;
        @(posedge clk);
        #1 check(status === `POSTROAD_LOCAL_STATUS_WAIT, "the status is wait in reset");
        @(negedge clk) reset = 1'b0;
        @(posedge clk);
        for (c = 0; c < clocks; c = c + 1) begin
            if (c % 400 == 0) begin
                wait_chance = below(3) ? below(100) : 0;
                gap_chance = below(2) ? below(60) : 0;
                pad_chance = below(2) ? 80 + below(20) : below(2) ? 20 : 0;
            end
            one_clock;
        end

        // One word in and one out per clock, and one clock from the one to the other.
        wait_chance = 0; gap_chance = 100; pad_chance = 0;
        repeat (2 * DEPTH + 40) one_clock;
        while (begun) begin
            gap_chance = 0;
            one_clock;
        end
        gap_chance = 100;
        repeat (4) one_clock;
        check(quiet === 1'b1 && accepted == left, "quiet when empty, between packets");
        gap_chance = 0;
        before = left;
        i = accepted;
        repeat (400) one_clock;
        check(left - before >= accepted - i - 1, "B1: one word in and one out per clock");

        check(taken[4*FREE + OPEN] > 0, "B1: Figure 6, free to open was taken");
        check(taken[4*FREE + WAIT] > 0, "B1: Figure 6, free to wait was taken");
        check(taken[4*OPEN + WAIT] > 0, "B1: Figure 6, open to wait was taken");
        check(taken[4*WAIT + OPEN] > 0, "B1: Figure 6, wait to open was taken");
        check(taken[4*OPEN + FREE] > 0, "B1: Figure 6, open to free was taken");
        check(taken[4*WAIT + FREE] > 0, "B1: Figure 6, wait to free was taken");
        check(taken[15] > 0, "B1: Figure 6, open to open with abort_request was taken");
        $display("FREE to OPEN %0d, WAIT %0d; OPEN to WAIT %0d, FREE %0d, time-out %0d; WAIT to OPEN %0d, FREE %0d",
                 taken[4*FREE + OPEN], taken[4*FREE + WAIT], taken[4*OPEN + WAIT], taken[4*OPEN + FREE], taken[15],
                 taken[4*WAIT + OPEN], taken[4*WAIT + FREE]);
        check(limits_seen[7:0] == 8'hff && limits_seen[15:8] == 8'd0, "M6: every random part is drawn, none beyond");
        check(twins_differ > 100, "M6: neighbouring sites do not time out in step");
        check(timeouts > 100 && gaps_in_count > 100, "M6: gaps that arrive from upstream are not counted");
        check(begun_with_pads > clocks / 1000, "M4: packets that begin with pads were exercised");
        verdict;
    end
endmodule

`default_nettype wire
