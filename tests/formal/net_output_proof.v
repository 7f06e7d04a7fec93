// net_output by its ports alone (F2, F3, U4, M7): what the link carries is what the router loaded, each word once and in
// order, and behind an aborted branch one abort_packet before anything else. An abort counts as a word that is loaded. The
// word of an abort_packet means nothing.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module net_output_proof #(
    parameter WORD_WIDTH = 2,
    parameter TAG_WIDTH  = 3    // 4: the local one
) (
    input wire                            clk,
    input wire                            reset,
    input wire [TAG_WIDTH+WORD_WIDTH-1:0] word,
    input wire                            abort,
    input wire                            link_wait
);
    localparam WIDTH = TAG_WIDTH + WORD_WIDTH;
    wire [WIDTH-1:0] link;
    wire             ready, event_word, event_stall, quiet;

    net_output #(.WORD_WIDTH(WORD_WIDTH), .TAG_WIDTH(TAG_WIDTH)) net_output (
        .clk(clk), .reset(reset), .word(word), .abort(abort), .ready(ready), .link(link),
        .link_wait(link_wait), .event_word(event_word), .event_stall(event_stall), .quiet(quiet));
    link_contract #(.WORD_WIDTH(WORD_WIDTH), .TAG_WIDTH(TAG_WIDTH), .FOREIGN_RECEIVER(1), .PACKETS(0)) downstream (
        .clk(clk), .reset(reset), .word(link), .waits(link_wait), .multicast_open());

    (* anyconst *) reg [2:0] watched;
    reg              past_valid = 1'b0, owed;             // an abort_packet is still to be loaded
    reg [2:0]        loaded, left;
    reg [WIDTH-1:0]  watched_word;
    reg              watched_abort;
    wire [TAG_WIDTH-1:0] tag = word[WIDTH-1:WORD_WIDTH];
    wire             loads  = ready && |tag[2:0];
    wire             enters = loads || abort;
    wire             shown  = |link[WORD_WIDTH +: 3];
    wire             leaves = shown && !link_wait;
    wire [2:0]       held   = loaded - left;
    wire             is_abort = link[WIDTH-1:WORD_WIDTH] == {{(TAG_WIDTH-3){1'b0}}, `POSTROAD_TAG_ABORT_PACKET};

    always @(posedge clk) begin
        past_valid <= 1'b1;
        if (!past_valid) assume (reset);
        // The router: it shows a word only while `ready`, and none with an abort; it aborts no branch that is aborted already.
        if (past_valid && !reset) begin
            assume (!abort || !owed);
            assume (tag == {TAG_WIDTH{1'b0}} || (|tag[2:0] && ready && !abort));
        end
        if (reset) {loaded, left, owed} <= 7'd0;
        else begin
            if (enters) loaded <= loaded + 3'd1;
            if (leaves) left <= left + 3'd1;
            if (enters && loaded == watched) {watched_abort, watched_word} <= {abort, word};
            owed <= (abort || owed) && link_wait;
        end

        if (past_valid && !reset) begin
            assert (held == {2'd0, owed} + {2'd0, shown});                                // none lost, none invented
            if (shown && left == watched) assert (watched_abort ? is_abort : link == watched_word);   // in order, each once
            assert (ready == (!owed && !link_wait));                                      // U4: nothing before what it owes
            assert (event_word == leaves && event_stall == (shown && link_wait));
            assert (quiet == (held == 3'd0));
            if (!shown) assert (link[WIDTH-1:WORD_WIDTH] == {TAG_WIDTH{1'b0}});              // P2: nothing but a word
            cover (leaves && owed && left == 3'd1);
            cover (leaves && is_abort && loads);
            cover (abort && !shown);
            cover (owed && !shown);
        end
    end
endmodule

`default_nettype wire
