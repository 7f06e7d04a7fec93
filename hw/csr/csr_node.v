// csr_node: the node of Figure 1 of the paper for any number of dimensions: a module for each of them in a ring, in descending
// order, the slot counter, and the coins.
//
// Link e = 2*l + o leaves module l, o = 1 forward to the neighbour over dimension l, o = 0 internal. Both lead to module
// (l - 1) mod DIMENSIONS, o = 1 that of the neighbour. Exit 2*m + s is that of module m, s = 1 what came over the forward link.
// SPDX-License-Identifier: ISC
`default_nettype none

module csr_node #(
    parameter WORD_WIDTH = 16,  // bits of a word: 2 * DIMENSIONS + 2 at least, MULTICAST: 3 * DIMENSIONS + 2
    parameter DIMENSIONS = 4,   // of the hypercube: 2 to 7
    parameter SLOT_WORDS = 24,  // words of a segment, 16 to 64
    parameter SERIAL     = 0,   // 1: flits, acknowledgements and words share the wires of a word
    parameter MULTICAST  = 0,   // 1: flits may go both ways
    parameter EXPRESS    = 0,   // 1: expresses pass where nothing is reserved (C13)
    parameter WORD_BITS  = $clog2(SLOT_WORDS),  // these are not to be set
    parameter LINK_WIDTH = WORD_WIDTH + 1,
    parameter ENDS       = 2 * DIMENSIONS
) (
    input  wire                             clk,
    input  wire                             reset,
    input  wire [63:0]                      now,
    input  wire                             rests,         // (csr_slot.v) the coins lie still
    input  wire [6:0]                       address,       // of the node, where its coins begin

    // Links, link l at [l*LINK_WIDTH]: {acknowledgement or mark of an express, word}. From flops; next: what they show after the
    // next edge.
    input  wire [DIMENSIONS*LINK_WIDTH-1:0] link_in,
    output wire [DIMENSIONS*LINK_WIDTH-1:0] link_out,
    output wire [DIMENSIONS*LINK_WIDTH-1:0] link_next,

    // Slot (csr_slot.v).
    output wire                             halted,
    output wire                             first,
    output wire                             finish,
    output wire                             answer,
    output wire                             last,
    output wire                             settle,
    output wire                             sure_to_arrive,  // (csr_slot.v) an express that goes on
    output wire                             retire,
    output wire                             choose,
    output wire                             tick,
    output wire                             tick_long,

    // Entries, one a link (csr_module.v). entry_first: the word of the next edge is the header.
    input  wire [ENDS-1:0]                  entry_valid,
    input  wire [ENDS*WORD_WIDTH-1:0]       entry_word,
    output wire [ENDS-1:0]                  taken,
    output wire [ENDS-1:0]                  reserved,
    output wire [WORD_BITS-1:0]             read_word,
    output wire                             entry_first,

    // Exits. exit_word: what the links into the modules show, in the clock `finish` flits, which may be
    // accepted in `answer`.
    output wire [ENDS*WORD_WIDTH-1:0]       exit_word,
    input  wire [ENDS-1:0]                  accept,
    output wire [ENDS-1:0]                  sure,          // in `settle`: what was accepted is confirmed. MULTICAST
    output wire [ENDS-1:0]                  exit_head,
    output wire                             arrives,
    output wire                             arrives_first,
    output wire                             arrives_last,
    output wire [WORD_BITS-1:0]             arrives_word,

    // EXPRESS: its source, whose words are those of the entries of the highest dimension; its exit, the inputs of that module
    // (csr_module.v). source_back: it goes on to its target, a clock ahead.
    input  wire                             source_mark,
    input  wire                             source_head,
    input  wire                             source_alive,
    input  wire                             source_symbol,
    input  wire [1:0]                       source_goes,
    output wire                             source_passes,
    output wire                             source_back,
    output wire [1:0]                       express_head,
    output wire [1:0]                       express_alive,
    output wire [1:0]                       express_end,
    input  wire [1:0]                       express_up,
    output wire [ENDS-1:0]                  exit_mark,     // of what exit_word shows
    output reg                              closed,        // there is reserved traffic at this node

    output wire                             source_coin,   // ends the pauses of a source
    output wire [ENDS-1:0]                  stale,
    output wire [DIMENSIONS-1:0]            clash,
    output wire                             quiet
);
    localparam D = DIMENSIONS, W = WORD_WIDTH;

    wire second, forward, backward, confirm, leaves, leaves_first;
    csr_slot #(.DIMENSIONS(D), .SLOT_WORDS(SLOT_WORDS), .SERIAL(SERIAL)) slot (
        .clk(clk), .reset(reset), .now(now), .rests(rests), .halted(halted), .first(first), .second(second), .forward(forward),
        .finish(finish), .answer(answer), .backward(backward), .last(last), .confirm(confirm),
        .settle(settle), .sure(sure_to_arrive), .retire(retire), .choose(choose), .tick(tick),
        .tick_long(tick_long), .read_word(read_word), .leaves(leaves), .leaves_first(leaves_first), .arrives(arrives),
        .arrives_first(arrives_first), .arrives_last(arrives_last), .arrives_word(arrives_word));
    assign entry_first = first || leaves_first;

    // One bit of the state for each link: x^17 + x^3 + 1, a step a clock in which the site does not rest.
    localparam [16:0] COINS_BEGIN = 17'h1e377;
    reg [16:0] coins;
    wire [ENDS-1:0] coin = coins[ENDS-1:0];
    assign source_coin = coin[0];
    always @(posedge clk)
        if (reset) coins <= COINS_BEGIN ^ {10'd0, address};
        else if (!rests) coins <= {coins[15:0], coins[16] ^ coins[2]};

    wire [ENDS*W-1:0] out, out_next;
    wire [ENDS-1:0]   acknowledge, acknowledge_next, confirmed_next;
    wire [D-1:0]      confirmed;

    wire [D-1:0] still;
    assign quiet = &still;

    // Reserved traffic closes the node to expresses until its acknowledgements have gone.
    wire [D-1:0]   flit_seen, speaks, source_backs, source_passed;
    wire [ENDS-1:0] on, marker, marker_next, heads, alive, ends;
    wire           flit_now = first ? |entry_valid : (forward || finish) && |flit_seen;
    always @(posedge clk) closed <= EXPRESS != 0 && !halted && (closed || flit_now) && !last;
    assign source_back   = source_backs[D-1];
    assign source_passes = source_passed[D-1];
    assign express_head  = heads[ENDS-1 -: 2];
    assign express_alive = alive[ENDS-1 -: 2];
    assign express_end   = ends[ENDS-1 -: 2];

    genvar l;
    generate
        if (D < 2 || D > 7 || W < (MULTICAST != 0 ? 3*D + 2 : 2*D + 2)) begin : dimensions
            dimensions_must_be_2_to_7_and_a_word_must_hold_a_header refused ();
        end
        if (EXPRESS != 0 && (SERIAL != 0 || MULTICAST != 0 || SLOT_WORDS < 2*D + 4)) begin : expresses
            expresses_need_the_speculative_schedule_and_unicasts_and_slots_of_2_dimensions_and_4_words refused ();
        end
        if (SLOT_WORDS < 16 || SLOT_WORDS > 64) begin : slot_words
            slot_words_must_be_16_to_64 refused ();
        end
        if (MULTICAST != 0 && (SERIAL != 0 || SLOT_WORDS < 2*D + 3)) begin : multicasts
            multicasts_need_the_speculative_schedule_and_slots_of_2_dimensions_and_3_words refused ();
        end
        for (l = 0; l < D; l = l + 1) begin : dimension
            localparam ABOVE = (l + 1) % D, BELOW = (l + D - 1) % D;
            wire [W-1:0] from_link = link_in[ABOVE*LINK_WIDTH +: W];
            wire acknowledged = SERIAL != 0 ? link_in[l*LINK_WIDTH] : link_in[l*LINK_WIDTH + W];

            assign sure[2*l +: 2] = {link_in[ABOVE*LINK_WIDTH + W], confirmed[ABOVE]};
            assign exit_mark[2*l +: 2] = {2{EXPRESS != 0}} & {link_in[ABOVE*LINK_WIDTH + W] && !speaks[ABOVE], marker[2*ABOVE]};

            csr_module #(.WORD_WIDTH(W), .DIMENSIONS(D), .SLOT_WORDS(SLOT_WORDS), .SERIAL(SERIAL), .MULTICAST(MULTICAST),
                .EXPRESS(EXPRESS), .DIMENSION(l)) switch (
                .clk(clk), .halted(halted), .first(first), .second(second), .forward(forward), .answer(answer),
                .backward(backward), .last(last), .confirm(confirm), .read_word(read_word), .leaves(leaves), .arrives(arrives),
                .arrives_first(arrives_first), .arrives_word(arrives_word), .coin(coin[2*l +: 2]),
                .in({from_link, out[2*ABOVE*W +: W]}), .acknowledge(acknowledge[2*l +: 2]),
                .acknowledge_next(acknowledge_next[2*l +: 2]), .out(out[2*l*W +: 2*W]), .out_next(out_next[2*l*W +: 2*W]),
                .acknowledge_in({acknowledged, acknowledge[2*BELOW]}), .confirm_in(sure[2*l +: 2]), .confirmed(confirmed[l]),
                .confirmed_next(confirmed_next[2*l +: 2]), .confirmed_above(confirmed_next[2*ABOVE+1]),
                .entry_valid(entry_valid[2*l +: 2]), .entry_word(entry_word[2*l*W +: 2*W]), .taken(taken[2*l +: 2]),
                .closed(closed), .mark(exit_mark[2*l +: 2]), .flit_seen(flit_seen[l]), .on(on[2*l +: 2]), .hears(on[2*BELOW+1]),
                .speaks(speaks[l]), .marker(marker[2*l +: 2]), .marker_next(marker_next[2*l +: 2]), .source_mark(source_mark),
                .source_head(source_head), .source_alive(source_alive), .source_symbol(source_symbol), .source_goes(source_goes),
                .source_back(source_backs[l]), .source_passes(source_passed[l]), .express_head(heads[2*l +: 2]),
                .express_alive(alive[2*l +: 2]), .express_end(ends[2*l +: 2]), .express_up(express_up),
                .reserved(reserved[2*l +: 2]), .accept(accept[2*l +: 2]), .exit_head(exit_head[2*l +: 2]),
                .stale(stale[2*l +: 2]), .clash(clash[l]), .quiet(still[l]));

            assign exit_word[2*l*W +: 2*W] = {from_link, out[2*ABOVE*W +: W]};

            // Module l acknowledges what came over the link of the dimension above, on that link.
            wire [W-1:0] word = out[(2*ABOVE+1)*W +: W], word_next = out_next[(2*ABOVE+1)*W +: W];
            wire back      = acknowledge[2*l+1] || marker[2*ABOVE+1];
            wire back_next = acknowledge_next[2*l+1] || marker_next[2*ABOVE+1];
            assign link_out[ABOVE*LINK_WIDTH +: LINK_WIDTH] =
                SERIAL != 0 ? {1'b0, word[W-1:1], word[0] || back} : {back, word};
            assign link_next[ABOVE*LINK_WIDTH +: LINK_WIDTH] =
                SERIAL != 0 ? {1'b0, word_next[W-1:1], word_next[0] || back_next} : {back_next, word_next};
        end
    endgenerate

    wire unused = &{1'b0, link_in, out_next, acknowledge_next, confirmed_next, source_backs, source_passed, marker_next, heads,
        alive, ends};
endmodule

`default_nettype wire
