// fifo_buffer: the queue between the operator and its net_input or net_output (August paper 4.2, Figure 6; rules B1, B2,
// P4, M6). The input discards pads. A word appears at the output one clock after it was accepted. The throughput is one word
// per clock.
//
// States of the input: FREE between packets, OPEN within a packet, WAIT while back-pressure from a full queue stops a packet. In
// OPEN the input counts the null_transmissions that the router inserts while a multicast is blocked (M4). Beyond its limit it
// raises abort_request. A packet may be blocked before its first word has arrived, so such a pad opens the packet as well.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module fifo_buffer #(
    parameter WORD_WIDTH = 16,
    parameter TAG_WIDTH  = 3,    // 4 upstream of the operator, where local_end_of_packet exists
    parameter DEPTH      = 64    // words, a power of two; more depth absorbs longer pauses of the operator
) (
    input  wire                            clk,
    input  wire                            reset,

    // Straps. The time-out is abort_threshold plus a random part below abort_random + 1. The random part is drawn for each
    // packet from a pseudo-random sequence that starts at `seed`, so that no two sites time out in step (M6).
    input  wire [15:0]                     abort_threshold,
    input  wire [15:0]                     abort_random,
    input  wire [14:0]                     seed,

    // Upstream. A word is accepted in exactly the clocks in which one is shown and status is not `wait`. Status comes from
    // flops. It is `wait` whenever the queue cannot take the next word, in FREE as well. abort_request lasts one clock.
    input  wire [TAG_WIDTH+WORD_WIDTH-1:0] word_in,
    output wire [1:0]                      status,

    // Downstream, the same contract; word_out is still while wait_in is 1.
    output wire [TAG_WIDTH+WORD_WIDTH-1:0] word_out,
    input  wire                            wait_in,

    output wire                            quiet    // empty, between packets
);
    localparam WIDTH      = TAG_WIDTH + WORD_WIDTH;
    localparam INDEX_BITS = $clog2(DEPTH);

    localparam STATE_FREE = 2'd0, STATE_OPEN = 2'd1, STATE_WAIT = 2'd2;

    // Input words.
    wire [2:0] tag        = word_in[WORD_WIDTH +: 3];
    wire       shown      = |tag && tag != `POSTROAD_TAG_NULL_TARGET;          // P4
    wire       accept     = shown && !full;
    wire       terminator = tag == `POSTROAD_TAG_END_OF_PACKET || tag == `POSTROAD_TAG_ABORT_PACKET;
    wire       pad        = TAG_WIDTH == 4 && word_in[WIDTH-1 -: TAG_WIDTH] == {1'b1, {(TAG_WIDTH-1){1'b0}}};

    // Queue: memory, then an output register that the memory's read port or the input loads.
    (* no_rw_check *)                    // a word is read only after the clock of its write: no bypass is needed
    reg [WIDTH-1:0]    memory [0:DEPTH-1];
    reg [WIDTH-1:0]    from_memory, from_input;
    reg                use_memory, valid;
    reg [INDEX_BITS:0] write_index, read_index;
    reg                full;

    wire stored  = write_index != read_index;
    wire advance = !valid || !wait_in;
    wire read    = advance && stored;
    wire bypass  = advance && !stored && accept;
    wire write   = accept && !bypass;

    wire [INDEX_BITS:0] write_index_next = write_index + {{INDEX_BITS{1'b0}}, write};
    wire [INDEX_BITS:0] read_index_next  = read_index + {{INDEX_BITS{1'b0}}, read};

    assign word_out = !valid ? {WIDTH{1'b0}} : use_memory ? from_memory : from_input;

    always @(posedge clk) begin
        if (write) memory[write_index[INDEX_BITS-1:0]] <= word_in;
        if (read) from_memory <= memory[read_index[INDEX_BITS-1:0]];
        if (bypass) from_input <= word_in;
    end

    always @(posedge clk)
        if (reset) begin
            write_index <= {(INDEX_BITS+1){1'b0}};
            read_index  <= {(INDEX_BITS+1){1'b0}};
            use_memory  <= 1'b0;
            valid       <= 1'b0;
            full        <= 1'b1;  // status wait in reset; the first clock after it finds the queue empty
        end else begin
            write_index <= write_index_next;
            read_index  <= read_index_next;
            if (advance) begin
                use_memory <= stored;
                valid      <= stored || accept;
            end
            full <= write_index_next == (read_index_next ^ {1'b1, {INDEX_BITS{1'b0}}});
        end

    // Figure 6.
    reg [1:0] state, state_next;

    always @* begin
        state_next = state;
        case (state)
            STATE_FREE:
                if (shown && full) state_next = STATE_WAIT;                    // DF
                else if ((accept && !terminator) || pad) state_next = STATE_OPEN; // DNF
            STATE_OPEN:
                if (accept && terminator) state_next = STATE_FREE;             // TQ
                else if (full) state_next = STATE_WAIT;                        // F
            default:
                if (accept && terminator) state_next = STATE_FREE;             // TQ
                else if (!full) state_next = STATE_OPEN;                       // NF
        endcase
    end

    // The time-out. A real word restarts the count. Gaps that came from upstream do not count (M6).
    reg  [15:0] random, limit;
    reg  [16:0] blocked_clocks;
    reg         abort_request;
    wire        counts   = state == STATE_OPEN && pad;
    wire        over     = counts && blocked_clocks >= {1'b0, limit};
    wire        draws    = state == STATE_FREE && state_next != STATE_FREE;
    wire [15:0] random_a = random ^ (random << 7);
    wire [15:0] random_b = random_a ^ (random_a >> 9);
    wire [15:0] random_c = random_b ^ (random_b << 8);                         // xorshift, period 65535

    always @(posedge clk)
        if (reset) begin
            state          <= STATE_FREE;
            random         <= {1'b1, seed};
            limit          <= 16'd0;
            blocked_clocks <= 17'd0;
            abort_request  <= 1'b0;
        end else begin
            state         <= state_next;
            abort_request <= over;
            if (counts && !over) blocked_clocks <= blocked_clocks + 17'd1;
            else if (|tag || over) blocked_clocks <= 17'd0;
            if (draws) begin
                random <= random_c;
                limit  <= abort_threshold + (random_c & abort_random);
            end
        end

    assign status = full          ? `POSTROAD_LOCAL_STATUS_WAIT
                  : abort_request ? `POSTROAD_LOCAL_STATUS_ABORT_REQUEST
                  : `POSTROAD_LOCAL_STATUS_OPEN;
    assign quiet  = !valid && !stored && !full && state == STATE_FREE && !abort_request;
`ifdef FORMAL
    // Exactly once and in order (B2, F3d): the proof follows an arbitrary accepted word to the output. The counts of words in
    // and out wrap, so the proof covers every position of the queue.
    localparam COUNT_BITS = INDEX_BITS + 2;
    (* anyconst *) reg [COUNT_BITS-1:0] watched;
    reg  [COUNT_BITS-1:0] words_in, words_out;
    reg  [WIDTH-1:0]      watched_word;
    wire [COUNT_BITS-1:0] held      = words_in - words_out;
    wire [COUNT_BITS-1:0] ahead     = watched - words_out;    // words that leave before the watched one
    wire                  in_flight = ahead < held;
    wire [COUNT_BITS-1:0] behind    = ahead - {{(COUNT_BITS-1){1'b0}}, valid};
    wire [INDEX_BITS:0]   place     = read_index + behind[INDEX_BITS:0];
    wire [INDEX_BITS:0]   in_memory = write_index - read_index;
    wire                  leaves    = valid && !wait_in;
    reg                   past_valid = 1'b0, after_reset = 1'b0;
    reg                   in_packet;                          // at the input
    reg  [16:0]           pads;                               // since the last word

    always @(posedge clk) begin
        past_valid  <= 1'b1;
        after_reset <= reset;
        if (!past_valid) assume (reset);
        // Assumed of parameter_check: the time-out fits 16 bits, abort_random is a mask. Of the sender: `wait` holds its word.
        assume (abort_threshold != 16'd0 && {1'b0, abort_threshold} + {1'b0, abort_random} < 17'd65536);
        assume (((abort_random + 16'd1) & abort_random) == 16'd0);
        if (past_valid && !$past(reset)) begin
            assume (abort_threshold == $past(abort_threshold) && abort_random == $past(abort_random));
            if ($past(shown && full)) assume (word_in == $past(word_in));
        end
        if (reset) begin
            words_in  <= {COUNT_BITS{1'b0}};
            words_out <= {COUNT_BITS{1'b0}};
            in_packet <= 1'b0;
            pads      <= 17'd0;
        end else begin
            if (accept) in_packet <= !terminator;
            else if (pad) in_packet <= 1'b1;
            if (|tag || (state == STATE_OPEN && pad && pads == {1'b0, limit})) pads <= 17'd0;
            else if (state == STATE_OPEN && pad) pads <= pads + 17'd1;
            if (accept) words_in <= words_in + 1'b1;
            if (leaves) words_out <= words_out + 1'b1;
            if (accept && words_in == watched) watched_word <= word_in;
        end

        if (past_valid && !reset) begin
            assert (in_memory <= DEPTH);
            assert (held == {{(COUNT_BITS-INDEX_BITS-1){1'b0}}, in_memory} + {{(COUNT_BITS-1){1'b0}}, valid});
            if (in_flight && ahead < {{(COUNT_BITS-1){1'b0}}, valid}) assert (word_out == watched_word);
            if (in_flight && ahead >= {{(COUNT_BITS-1){1'b0}}, valid})
                assert (memory[place[INDEX_BITS-1:0]] == watched_word);
            if (!valid) assert (!stored);
            // The status is exact: `wait` whenever the queue cannot take a word, and never otherwise.
            assert (full == (in_memory == DEPTH || after_reset));
            if (after_reset) assert (held == 0 && !valid && !stored);
            // P4: no held word is a pad of either kind. The output is stable under wait (F3b).
            if (in_flight) assert (|watched_word[WORD_WIDTH +: 3]
                                   && watched_word[WORD_WIDTH +: 3] != `POSTROAD_TAG_NULL_TARGET);
            if (!$past(reset) && $past(valid && wait_in)) assert (word_out == $past(word_out));
            // Figure 6: OPEN within a packet, FREE between packets, WAIT only while a word is shown.
            if (state == STATE_FREE) assert (!in_packet);
            if (state == STATE_OPEN) assert (in_packet);
            if (state == STATE_WAIT && !in_packet) assert (shown);
            assert (state != 2'd3 && blocked_clocks == pads && (pads == 17'd0 || in_packet));
            // M6: an abort_request for every limit + 1 pads without a word between them, in the clock behind the last of
            // them, for one clock; the limit is drawn once a packet and lies between its bounds.
            assert (abort_request == (!after_reset && $past(pad && state == STATE_OPEN && pads == {1'b0, limit})));
            assert (pads <= {1'b0, limit} || state == STATE_FREE || !in_packet);
            assert (!abort_request || pads == 17'd0);
            if (status == `POSTROAD_LOCAL_STATUS_ABORT_REQUEST) assert (!full && !$past(abort_request));
            if (state != STATE_FREE) assert (limit >= abort_threshold &&
                                             ((limit - abort_threshold) & ~abort_random) == 16'd0);
            if (in_packet && $past(in_packet)) assert (limit == $past(limit));
            cover (abort_request && limit == abort_threshold + 16'd1);
            cover (full && leaves);
            cover (abort_request);
            cover (!$past(reset) && $past(full) && !full && accept);
        end
    end
`endif
endmodule

`default_nettype wire
