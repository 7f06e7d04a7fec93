// net_input: storage at the end of a link (August paper 4.3; rules F2, F3).
//
// A skid buffer instead of the paper's two latches that open in alternate phases (Table D): one clock edge, a flop for the
// status, and a skid register for the word that was sent before that flop changed. hw/cutthrough/README.md,
// "Against the paper", has the reason.
//
// The input falls through: the link's word reaches the router in the clock in which it arrives. A word that the router does
// not take is kept. With one word of storage, the flop `full` drives the status `wait` (back-pressure) from the next clock on:
//
//   link ----+------------------> word          full = 0: the link passes through, status open
//            +--> skid --> word                 full = 1: the skid word is shown, status wait
//
// With more, the words queue in a small memory that is read in the same clock (LUT-RAM), and `wait` comes when it is full.
// SPDX-License-Identifier: ISC
`default_nettype none

module net_input #(
    parameter LINK_WIDTH = 19, // tag and word; follows from the word width
    parameter DEPTH      = 1   // words: 1, or a power of two from 4 on
) (
    input  wire                  clk,
    input  wire                  reset,

    // Upstream net_output or fifo_buffer. A word is transferred in exactly the clocks in which link shows one and
    // link_wait is 0; while link_wait is 1 the sender holds it still. link_wait is a flop, and 1 in reset.
    input  wire [LINK_WIDTH-1:0] link,
    output wire                  link_wait,

    // Router. `word` (tag 0: none) stays until `taken`, which may depend on it combinationally. held: the last clock showed the
    // same word, or there was a reset. fresh: equal to `word` unless held, and earlier in the clock.
    output wire [LINK_WIDTH-1:0] fresh,
    output wire [LINK_WIDTH-1:0] word,
    output wire                  held,
    input  wire                  taken,

    // For a simulation that exchanges links one clock ahead: link_wait after the next edge, out of reset.
    output wire                  link_wait_next
);
    wire word_present = |word[LINK_WIDTH-1 -: 3];
    wire stays        = word_present && !taken;

    reg stood;
    assign held = stood;
    always @(posedge clk) stood <= reset || stays;

    generate
        if (DEPTH == 1) begin : skid_buffer
            reg [LINK_WIDTH-1:0] skid;

            assign fresh          = link;
            assign word           = stood ? skid : link;
            assign link_wait      = stood;
            assign link_wait_next = stays;

            always @(posedge clk)
                if (reset) skid <= {LINK_WIDTH{1'b0}};  // an empty skid: `stood` goes in the first clock after reset
                else skid <= word;
        end else begin : queue
            localparam INDEX_BITS = $clog2(DEPTH);
            reg [LINK_WIDTH-1:0] memory [0:DEPTH-1];
            reg [INDEX_BITS:0]   write_index, read_index;
            reg                  full;

            wire stored   = write_index != read_index;
            wire arrives  = |link[LINK_WIDTH-1 -: 3] && !full;
            wire enqueues = arrives && (stored || !taken);
            wire [INDEX_BITS:0] write_next = write_index + {{INDEX_BITS{1'b0}}, enqueues};
            wire [INDEX_BITS:0] read_next  = read_index + {{INDEX_BITS{1'b0}}, stored && taken};

            assign word           = stored ? memory[read_index[INDEX_BITS-1:0]] : link & {LINK_WIDTH{!full}};
            assign fresh          = word;
            assign link_wait      = full;
            assign link_wait_next = write_next == (read_next ^ {1'b1, {INDEX_BITS{1'b0}}});

            always @(posedge clk) begin
                if (enqueues) memory[write_index[INDEX_BITS-1:0]] <= link;
                if (reset) begin
                    write_index <= {(INDEX_BITS+1){1'b0}};
                    read_index  <= {(INDEX_BITS+1){1'b0}};
                    full        <= 1'b1;  // `wait` in reset; the first clock after it finds the queue empty
                end else begin
                    write_index <= write_next;
                    read_index  <= read_next;
                    full        <= link_wait_next;
                end
            end

`ifdef FORMAL
            // The proof follows an arbitrary word that arrives until it is taken. The counts wrap, so that it covers every
            // position of the memory.
            localparam COUNT_BITS = INDEX_BITS + 2;
            (* anyconst *) reg [COUNT_BITS-1:0] watched;
            reg  [COUNT_BITS-1:0] words_in, words_out;
            reg  [LINK_WIDTH-1:0] watched_word;
            reg                   started = 1'b0, after_reset;
            wire [COUNT_BITS-1:0] inside    = words_in - words_out;
            wire [COUNT_BITS-1:0] ahead     = watched - words_out;
            wire [INDEX_BITS:0]   in_memory = write_index - read_index;
            wire [INDEX_BITS:0]   place     = read_index + ahead[INDEX_BITS:0];
            wire                  leaves    = word_present && taken;
            integer               k;
            always @(posedge clk) begin
                started     <= 1'b1;
                after_reset <= reset;
                if (reset) {words_in, words_out} <= {2*COUNT_BITS{1'b0}};
                else begin
                    if (arrives) words_in <= words_in + 1'b1;
                    if (leaves) words_out <= words_out + 1'b1;
                    if (arrives && words_in == watched) watched_word <= link;
                end
                if (started && !reset) begin
                    assert (in_memory <= DEPTH && inside == in_memory);
                    assert (full == (in_memory == DEPTH || after_reset) && (!after_reset || in_memory == 0));
                    // F2, F3d: each word once and in order, at once if none stands before it.
                    assert (word_present == (stored || arrives));
                    if (ahead < inside) assert (memory[place[INDEX_BITS-1:0]] == watched_word);
                    for (k = 0; k < DEPTH; k = k + 1)
                        if (((k - read_index) & (DEPTH - 1)) < in_memory) assert (|memory[k][LINK_WIDTH-1 -: 3]);
                    if (leaves && ahead == 0) assert (word == (stored ? watched_word : link));
                    if (!after_reset) assert (full == $past(link_wait_next));
                    cover (leaves && full && words_out == 3);
                    cover (leaves && arrives && !stored);
                end
            end
`endif
        end
    endgenerate

`ifdef FORMAL
    // F3c: a held word is never overwritten; F3d: it leaves once, when taken.
    reg past_valid = 1'b0;
    always @(posedge clk) begin
        past_valid <= 1'b1;
        if (!past_valid) assume (reset);
        if (past_valid && !$past(reset) && !reset) begin
            assert (held == $past(word_present && !taken));
            if (held) assert (word == $past(word));
            if (!held) assert (fresh == word);
            if (DEPTH == 1) assert (link_wait == held);
        end
    end
`endif
endmodule

`default_nettype wire
