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

    net_input #(.LINK_WIDTH(WORD_WIDTH + 3)) net_input (
        .clk(clk), .reset(reset), .link(link), .link_wait(link_wait), .word(word), .taken(taken));
    link_contract #(.WORD_WIDTH(WORD_WIDTH), .ASSUME_SENDER(1), .PACKETS(0)) upstream (
        .clk(clk), .reset(reset), .word(link), .waits(link_wait), .multicast_open());

    (* anyconst *) reg [2:0] watched;
    reg                  past_valid = 1'b0, kept;
    reg [2:0]            arrived, left;
    reg [WORD_WIDTH+2:0] watched_word, word_before;
    wire                 arrives = |link[WORD_WIDTH +: 3] && !link_wait;
    wire                 shown   = |word[WORD_WIDTH +: 3];
    wire                 leaves  = shown && taken;
    wire [2:0]           held    = arrived - left;

    always @(posedge clk) begin
        past_valid  <= 1'b1;
        word_before <= word;
        kept        <= !reset && shown && !taken;
        if (!past_valid) assume (reset);
        if (reset) {arrived, left} <= 6'd0;
        else begin
            if (arrives) arrived <= arrived + 3'd1;
            if (leaves) left <= left + 3'd1;
            if (arrives && arrived == watched) watched_word <= link;
        end

        if (past_valid && !reset) begin
            assert (held <= 3'd1 && shown == (held == 3'd1 || arrives));                  // F2: none lost, none invented
            if (shown && left == watched) assert (word == (held == 3'd0 ? link : watched_word));
            if (kept) assert (word == word_before && link_wait);                          // F3c: never latched over
            if (held == 3'd1) assert (!arrives);
            cover (leaves && held == 3'd1 && left == 3'd2);
            cover (leaves && arrives && left == 3'd2);
        end
    end
endmodule

`default_nettype wire
