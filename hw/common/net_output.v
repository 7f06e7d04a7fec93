// net_output: the register that drives a link (August paper 4.4; rules F2, F3, U4, M7). One clock edge instead of the two
// phases of the paper's Table D, as in net_input.
//
// The register loads in every clock in which the status is not `wait`; the word that it holds leaves in that clock. An aborted
// branch owes an abort_packet, which follows the held word. Until the abort_packet has been loaded, `ready` is 0.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module net_output #(
    parameter WORD_WIDTH = 16,
    parameter TAG_WIDTH  = 3   // 4 on the local net_output, for local_end_of_packet
) (
    input  wire                            clk,
    input  wire                            reset,

    // Router. A word is loaded in every clock in which `ready` is 1 (tag 0: none). `abort` is 1 for one clock when the branch is
    // aborted; the router shows tag 0 in that clock. `ready` depends on flops and on link_wait only.
    input  wire [TAG_WIDTH+WORD_WIDTH-1:0] word,
    input  wire                            abort,
    output wire                            ready,

    // Downstream net_input or fifo_buffer. `link` is a flop and still while link_wait is 1.
    output reg  [TAG_WIDTH+WORD_WIDTH-1:0] link,
    input  wire                            link_wait,

    output wire                            event_word,   // a word leaves
    output wire                            event_stall,  // back-pressure (`wait`) holds a word
    output wire                            quiet         // no word held, no abort_packet owed
);
    localparam WIDTH = TAG_WIDTH + WORD_WIDTH;

    reg owes_abort;

    // null_transmission is not a word to hold and never blocks (P2).
    wire holds = |link[WORD_WIDTH +: 3];
    wire owed  = owes_abort || abort;

    // Next state of the flops. A word without a tag has no meaning (P2), nor has that of an abort_packet.
    wire [TAG_WIDTH-1:0]  abort_tag = {{(TAG_WIDTH-3){1'b0}}, `POSTROAD_TAG_ABORT_PACKET};
    wire [TAG_WIDTH-1:0]  tag_next  = link_wait ? link[WIDTH-1:WORD_WIDTH]
                                                : word[WIDTH-1:WORD_WIDTH] | (abort_tag & {TAG_WIDTH{owed}});
    wire [WORD_WIDTH-1:0] word_next = !link_wait ? word[WORD_WIDTH-1:0] : link[WORD_WIDTH-1:0];

    assign ready       = !link_wait && !owes_abort;
    assign event_word  = holds && !link_wait;
    assign event_stall = holds && link_wait;
    assign quiet       = link[WIDTH-1:WORD_WIDTH] == {TAG_WIDTH{1'b0}} && !owes_abort;

    always @(posedge clk)
        if (reset) begin
            link       <= {WIDTH{1'b0}};
            owes_abort <= 1'b0;
        end else begin
            link       <= {tag_next, word_next};
            owes_abort <= owed && link_wait;
        end

`ifdef FORMAL
    reg past_valid = 1'b0;
    always @(posedge clk) begin
        past_valid <= 1'b1;
        if (!past_valid) assume (reset);
        if (past_valid && !$past(reset) && !reset) begin
            // F3b: the output is stable while the status is wait.
            if ($past(link_wait)) assert (link == $past(link));
            // M7: an owed abort_packet appears as soon as the register is free, before any other word.
            if ($past(owed && !link_wait)) assert (link[WIDTH-1:WORD_WIDTH] == abort_tag);
            if ($past(owed && link_wait)) assert (owes_abort && !ready);
        end
    end
`endif
endmodule

`default_nettype wire
