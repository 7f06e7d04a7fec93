// fifo_buffer: the queue between the operator and its net_input or net_output (August paper 4.2; rules B1, B2, P4). The input
// discards null_target. A word appears at the output one clock after it was accepted. The throughput is one word per clock.
//
// The paper's states of the input (Figure 6) only serve its time-out, which is in hw/cutthrough/split.v here.
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

    // Upstream. A word is accepted in exactly the clocks in which one is shown and wait_out is 0. wait_out is a flop. It is 1
    // whenever the queue cannot take the next word, and in reset.
    input  wire [TAG_WIDTH+WORD_WIDTH-1:0] word_in,
    output wire                            wait_out,

    // Downstream, the same contract; word_out is still while wait_in is 1.
    output wire [TAG_WIDTH+WORD_WIDTH-1:0] word_out,
    input  wire                            wait_in,

    output wire                            quiet    // empty
);
    localparam WIDTH      = TAG_WIDTH + WORD_WIDTH;
    localparam INDEX_BITS = $clog2(DEPTH);

    wire [2:0] tag    = word_in[WORD_WIDTH +: 3];
    wire       accept = |tag && tag != `POSTROAD_TAG_NULL_TARGET && !full;   // P4

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

    assign wait_out = full;
    assign quiet    = !valid && !stored && !full;

`ifdef FORMAL
    // Exactly once and in order (B2, F3d): the proof follows an arbitrary accepted word to the output. The counts of words in
    // and out wrap, so the proof covers every position of the queue.
    wire shown = |tag && tag != `POSTROAD_TAG_NULL_TARGET;
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

    always @(posedge clk) begin
        past_valid  <= 1'b1;
        after_reset <= reset;
        if (!past_valid) assume (reset);
        // Of the sender: `wait` holds its word.
        if (past_valid && !$past(reset) && $past(shown && full)) assume (word_in == $past(word_in));
        if (reset) begin
            words_in  <= {COUNT_BITS{1'b0}};
            words_out <= {COUNT_BITS{1'b0}};
        end else begin
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
            // P4: no held word is a pad. The output is stable under wait (F3b).
            if (in_flight) assert (|watched_word[WORD_WIDTH +: 3]
                                   && watched_word[WORD_WIDTH +: 3] != `POSTROAD_TAG_NULL_TARGET);
            if (!$past(reset) && $past(valid && wait_in)) assert (word_out == $past(word_out));
            cover (full && leaves);
            cover (!$past(reset) && $past(full) && !full && accept);
        end
    end
`endif
endmodule

`default_nettype wire
