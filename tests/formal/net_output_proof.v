// net_output by its ports alone (F2, F3, U4, M7): what the link carries is what the router loaded, each word once and in
// order, and behind an aborted branch one abort_packet before anything else. An abort counts as a word that is loaded.
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
        .clk(clk), .reset(reset), .word(word), .abort(abort), .ready(ready), .link(link), .link_wait(link_wait),
        .event_word(event_word), .event_stall(event_stall), .quiet(quiet));
    link_contract #(.WORD_WIDTH(WORD_WIDTH), .TAG_WIDTH(TAG_WIDTH), .ASSUME_RECEIVER(1), .PACKETS(0)) downstream (
        .clk(clk), .reset(reset), .word(link), .waits(link_wait), .multicast_open());

    (* anyconst *) reg [2:0] watched;
    reg              past_valid = 1'b0, owed, padded;     // an abort_packet is still to be shown; a pad was loaded
    reg [2:0]        loaded, left;
    reg [WIDTH-1:0]  watched_word;
    wire             loads  = ready && |word[WORD_WIDTH +: 3];
    wire             enters = loads || abort;
    wire             shown  = |link[WORD_WIDTH +: 3];
    wire             leaves = shown && !link_wait;
    wire [2:0]       held   = loaded - left;
    wire [WIDTH-1:0] abort_packet = {{(TAG_WIDTH-3){1'b0}}, `POSTROAD_TAG_ABORT_PACKET, {WORD_WIDTH{1'b0}}};

    always @(posedge clk) begin
        past_valid <= 1'b1;
        if (!past_valid) assume (reset);
        // The router: with an abort it shows no word, and it aborts no branch that is aborted already. Without a tag the rest
        // of a word is 0. fabric_core_proof shows what depends on it: no abort_packet is lost or doubled.
        if (past_valid && !reset) begin
            assume (!abort || (word == {WIDTH{1'b0}} && !owed));
            assume (|word[WORD_WIDTH +: 3] || word[WORD_WIDTH-1:0] == {WORD_WIDTH{1'b0}});
        end
        if (reset) {loaded, left, owed, padded} <= 8'd0;
        else begin
            if (enters) loaded <= loaded + 3'd1;
            if (leaves) left <= left + 3'd1;
            if (enters && loaded == watched) watched_word <= abort ? abort_packet : word;
            owed   <= abort ? shown && !leaves : owed && !leaves;
            padded <= TAG_WIDTH == 4 && ready && word == {1'b1, {WIDTH-1{1'b0}}};
        end

        if (past_valid && !reset) begin
            assert (held <= 3'd1 + owed && shown == (held != 3'd0));                     // none lost, none invented
            if (shown && left == watched) assert (link == watched_word);                 // in order, each once
            assert (ready == (!owed && (!shown || !link_wait)));                          // U4: nothing before what it owes
            assert (event_word == leaves && event_stall == (shown && link_wait));
            assert (quiet == (held == 3'd0 && !padded));
            if (!shown) assert (link == {padded, {WIDTH-1{1'b0}}});                       // M4: a pad lasts a clock
            cover (leaves && owed && left == 3'd1);
            cover (leaves && link == abort_packet && loads);
            cover (abort && !shown);
        end
    end
endmodule

`default_nettype wire
