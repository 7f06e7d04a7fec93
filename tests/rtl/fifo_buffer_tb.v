// fifo_buffer_tb: random words, gaps, pads and waits against a model of the queue (B1, B2, P4, F1, F3), for the queue towards
// the operator, with its fourth tag bit, and for the one towards the network.
// +clocks=N: shorter than 40000.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module fifo_buffer_tb;
    `include "bench.vh"

    localparam WORD_WIDTH = 16, WIDTH = 20, DEPTH = 8;
    localparam [19:0] NONE = 20'd0;

    reg clk = 1'b0, reset = 1'b1;
    reg [WIDTH-1:0]  word_in = NONE;
    reg              wait_in = 1'b1;
    wire [WIDTH-1:0] word_out;
    wire [WIDTH-2:0] narrow_out;
    wire             wait_out, narrow_wait, quiet, narrow_quiet;

    fifo_buffer #(.WORD_WIDTH(WORD_WIDTH), .TAG_WIDTH(4), .DEPTH(DEPTH)) upstream (
        .clk(clk), .reset(reset), .word_in(word_in), .wait_out(wait_out), .word_out(word_out), .wait_in(wait_in), .quiet(quiet));
    fifo_buffer #(.WORD_WIDTH(WORD_WIDTH), .TAG_WIDTH(3), .DEPTH(DEPTH)) downstream (
        .clk(clk), .reset(reset), .word_in(word_in[WIDTH-2:0]), .wait_out(narrow_wait), .word_out(narrow_out),
        .wait_in(wait_in), .quiet(narrow_quiet));

    always #5 clk = !clk;

    // ---- Model ----------------------------------------------------------------------------------------------------
    reg [WIDTH-1:0] sent [0:131071];
    integer accepted = 0, left = 0, fulls = 0, pads = 0, c, i;
    integer wait_chance, gap_chance, pad_chance;
    reg     refused, shown, was_held;

    wire [2:0] tag = word_in[WORD_WIDTH +: 3];

    // The sender, a net_output: a word that met `wait` stays. What stands beside the tag of a gap has no meaning.
    task next_word;
        if (!refused) begin
            word_in = below(65536);
            if (percent(gap_chance)) word_in[19:16] = 4'd0;
            else if (percent(pad_chance)) word_in[19:16] = `POSTROAD_TAG_NULL_TARGET;
            else
                case (below(8))
                    0: word_in[19:16] = `POSTROAD_TAG_END_OF_PACKET;
                    1: word_in[19:16] = `POSTROAD_TAG_LOCAL_END_OF_PACKET;
                    2: word_in[19:16] = `POSTROAD_TAG_ABORT_PACKET;
                    3: word_in[19:16] = `POSTROAD_TAG_MULTICAST_SITE;
                    4: word_in[19:16] = `POSTROAD_TAG_UNICAST_SITE;
                    5: word_in[19:16] = `POSTROAD_TAG_TARGET_INFO;
                    default: word_in[19:16] = `POSTROAD_TAG_DATA;
                endcase
        end
    endtask

    reg             status_before;
    reg [WIDTH-1:0] word_saved, out_before;
    task one_clock;
        begin
            #1;
            status_before = wait_out;
            check(wait_out === (accepted - left - |word_out[WORD_WIDTH +: 3] == DEPTH),
                  "B1: wait whenever the queue cannot take the next word, and only then");
            check(quiet === (accepted == left && !wait_out), "quiet when empty, and only then");
            check(narrow_wait === wait_out && narrow_quiet === quiet && narrow_out === word_out[WIDTH-2:0],
                  "B2: both directions carry the same words");
            check(accepted - left <= DEPTH + 1, "B2: never more words than the queue holds");
            check(accepted == left ? word_out === NONE : word_out === NONE || word_out === sent[left],
                  "B2, P4: words leave once, in order, without pads");
            if (was_held) check(word_out === out_before, "F3b: a word is still while it must wait");
            next_word;
            out_before = word_out;
            wait_in = percent(wait_chance);
            // F3a: nothing that changes within a clock reaches status or word within it.
            word_saved = word_in;
            #1 word_in = ~word_in;
            wait_in = !wait_in;
            #1 check(wait_out === status_before && word_out === out_before, "F3a: status and word come from flops");
            word_in = word_saved;
            wait_in = !wait_in;
            #1;

            // The clock edge in the model.
            shown = tag != 3'd0 && tag != `POSTROAD_TAG_NULL_TARGET;
            pads = pads + (tag == `POSTROAD_TAG_NULL_TARGET);
            fulls = fulls + (shown && wait_out);
            if (shown && !wait_out) begin
                sent[accepted] = word_in;
                accepted = accepted + 1;
            end
            was_held = |word_out[WORD_WIDTH +: 3] && wait_in;
            if (|word_out[WORD_WIDTH +: 3] && !wait_in) left = left + 1;
            refused = |tag && wait_out;
            @(posedge clk);
        end
    endtask

    integer before, clocks;
    initial begin
        begin_bench;
        if (!$value$plusargs("clocks=%d", clocks)) clocks = 40000;
        {refused, was_held} = 2'b00;
        @(posedge clk);
        #1 check(wait_out === 1'b1 && narrow_wait === 1'b1, "the status is wait in reset");
        @(negedge clk) reset = 1'b0;
        @(posedge clk);
        for (c = 0; c < clocks; c = c + 1) begin
            if (c % 400 == 0) begin
                wait_chance = below(3) ? below(100) : 0;
                gap_chance = below(2) ? below(60) : 0;
                pad_chance = below(2) ? below(60) : 0;
            end
            one_clock;
        end

        // One word in and one out a clock, and one clock from the one to the other.
        {wait_chance, gap_chance, pad_chance} = {32'd0, 32'd100, 32'd0};
        repeat (2 * DEPTH + 40) one_clock;
        check(quiet === 1'b1 && accepted == left, "quiet when empty");
        gap_chance = 0;
        before = left;
        i = accepted;
        repeat (400) one_clock;
        check(left - before >= accepted - i - 1 && accepted - i == 400, "B1: one word in and one out a clock");
        check(fulls > clocks / 20 && pads > clocks / 20, "full queues and pads were exercised");
        $display("%0d words, %0d refused, %0d pads", accepted, fulls, pads);
        verdict;
    end
endmodule

`default_nettype wire
