// net_input by its ports alone (F2, F3): what is taken is what was transferred on the link, each word once, in order. Words
// are numbered as they are transferred and as they are taken; an arbitrary one is compared.
// SPDX-License-Identifier: ISC
`default_nettype none

module net_input_proof #(
    parameter WORD_WIDTH = 2
) (
    input wire                  clk,
    input wire                  reset,
    input wire [WORD_WIDTH+2:0] link,
    input wire                  taken
);
    wire                  link_wait;
    wire [WORD_WIDTH+2:0] word;

    wire [WORD_WIDTH+2:0] fresh;
    wire                  held, link_wait_next;
    net_input #(.LINK_WIDTH(WORD_WIDTH + 3)) net_input (
        .clk(clk), .reset(reset), .link(link), .link_wait(link_wait), .fresh(fresh), .word(word), .held(held), .taken(taken),
        .link_wait_next(link_wait_next));
    link_contract #(.WORD_WIDTH(WORD_WIDTH), .ASSUME_SENDER(1), .PACKETS(0)) upstream (
        .clk(clk), .reset(reset), .word(link), .waits(link_wait), .multicast_open());

    (* anyconst *) reg [2:0] watched;
    reg                  past_valid = 1'b0, kept, after_reset, wait_due;
    reg [2:0]            arrived, left;
    reg [WORD_WIDTH+2:0] watched_word, word_before;
    wire                 arrives = |link[WORD_WIDTH +: 3] && !link_wait;
    wire                 shown   = |word[WORD_WIDTH +: 3];
    wire                 leaves  = shown && taken;
    wire [2:0]            stored  = arrived - left;

    always @(posedge clk) begin
        past_valid  <= 1'b1;
        word_before <= word;
        kept        <= !reset && shown && !taken;
        after_reset <= reset;
        wait_due    <= link_wait_next;
        if (!past_valid) assume (reset);
        if (reset) {arrived, left} <= 6'd0;
        else begin
            if (arrives) arrived <= arrived + 3'd1;
            if (leaves) left <= left + 3'd1;
            if (arrives && arrived == watched) watched_word <= link;
        end

        if (past_valid && !reset) begin
            // F2: none lost, none invented. The word that arrives is shown at once if no other is stored.
            assert (stored <= 1 && shown == (stored != 0 || arrives));
            if (shown && left == watched) assert (word == (stored == 0 ? link : watched_word));
            assert (held == (kept || after_reset));
            if (kept) assert (word == word_before);                                       // F3c: never latched over
            if (shown && !held) assert (fresh == word);
            // `wait` exactly while there is no room, and after a reset.
            assert (link_wait == (after_reset || stored == 1));
            if (!after_reset) assert (link_wait == wait_due);
            cover (leaves && stored == 1 && left == 3);
            cover (leaves && arrives && left == 3);
        end
    end
endmodule

`default_nettype wire
