// january_net_output and the register that it controls by their ports (J1, J3, J11; Table B, Table H): what the link carries is
// what the router loaded, each word once and in order; behind an aborted branch that has carried a word comes one abort_packet.
// The next packet enters when the last word has left. The word of an abort_packet means nothing.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module january_net_output_proof #(
    parameter WORD_WIDTH = 2,
    parameter WIDTH      = WORD_WIDTH + 3  // follows
) (
    input wire             clk,
    input wire             reset,
    input wire [WIDTH-1:0] word,
    input wire             abort,
    input wire             link_wait,
    input wire             abort_request
);
    wire [WIDTH-1:0] link;
    wire [1:0]       status;
    wire             ready, breaks, free, event_word, event_stall, quiet;
    january_net_output states (
        .clk(clk), .reset(reset), .tag(word[WIDTH-1 -: 3]), .abort(abort), .status(status), .ready(ready), .breaks(breaks),
        .link_wait(link_wait), .abort_request(abort_request), .free(free));
    net_output #(.WORD_WIDTH(WORD_WIDTH)) register (
        .clk(clk), .reset(reset), .word(word), .abort(breaks), .ready(ready), .link(link), .link_wait(link_wait),
        .event_word(event_word), .event_stall(event_stall), .quiet(quiet));

    (* anyconst *) reg [2:0] watched;
    reg              past_valid = 1'b0;
    reg              in_packet, ending;       // a word has entered; so has the terminator, or it is owed, and has not left
    reg [2:0]        loaded, left;
    reg [1:0]        answered;                // clocks in which the far end answered since the packet ended
    reg [WIDTH-1:0]  watched_word;
    reg              watched_abort;
    wire [2:0]       tag      = word[WIDTH-1 -: 3];
    wire             ends     = tag == `POSTROAD_TAG_END_OF_PACKET || tag == `POSTROAD_TAG_ABORT_PACKET;
    wire             owes     = abort && in_packet;
    wire             enters   = |tag || owes;
    wire             shown    = |link[WIDTH-1 -: 3];
    wire             leaves   = shown && !link_wait;
    wire [2:0]       held     = loaded - left;
    wire             is_abort = link[WIDTH-1 -: 3] == `POSTROAD_TAG_ABORT_PACKET;
    wire             is_last  = ending && held == 3'd1;

    always @(posedge clk) begin
        past_valid <= 1'b1;
        if (!past_valid) assume (reset);
        // The router: it loads a word while the status is not `wait`, and none with an abort; it ends a packet once.
        if (past_valid && !reset) assume (tag == 3'd0 || (status != `POSTROAD_JANUARY_STATUS_WAIT && !abort));
        if (past_valid && !reset) assume (!abort || !ending);
        if (reset) {loaded, left, in_packet, ending, answered} <= 10'd0;
        else begin
            if (enters) loaded <= loaded + 3'd1;
            if (leaves) left <= left + 3'd1;
            if (enters && loaded == watched) {watched_abort, watched_word} <= {owes, word};
            if (leaves && is_last) {in_packet, ending} <= 2'b00;
            else if (enters) {in_packet, ending} <= {1'b1, ends || owes};
            answered <= ending && !(leaves && is_last) ? answered + {1'b0, !link_wait} : 2'd0;
        end

        if (past_valid && !reset) begin
            assert (held <= 3'd2 && (held == 3'd0) == quiet);                              // none lost, none invented
            if (shown) assert (held != 3'd0);
            if (held != 3'd0 && !shown) assert (ending);                                   // J11: an abort_packet is owed
            if (shown && left == watched) assert (watched_abort ? is_abort : link == watched_word);   // each once, in order
            assert (status == `POSTROAD_JANUARY_STATUS_WAIT || ready);                     // what is loaded is kept
            assert (breaks == owes);                                                       // J11
            assert (free == !in_packet);                                                   // Table H
            assert (status == (link_wait || ending ? `POSTROAD_JANUARY_STATUS_WAIT         // J1, Table B
                               : !in_packet       ? `POSTROAD_JANUARY_STATUS_FREE
                               : abort_request    ? `POSTROAD_JANUARY_STATUS_ABORT_REQUEST : `POSTROAD_JANUARY_STATUS_OPEN));
            assert (answered < 2'd2);                        // J11: the end leaves, at the latest when the far end answers again
            cover (ending && held == 3'd2 && left == 3'd3);
            cover (abort && !in_packet);
            cover (leaves && is_last && left == 3'd4);
        end
    end
endmodule

`default_nettype wire
