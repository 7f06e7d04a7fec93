// net_output: the register that drives a link (August paper 4.4, Table D; rules F2, F3, U4, M7).
//
// Loads when it holds nothing or when what it holds leaves in this clock. An aborted branch owes an abort_packet, which is
// sent behind what the latch holds; until it has been loaded the router gets no access.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module net_output #(
    parameter WORD_WIDTH = 16,
    parameter TAG_WIDTH  = 3   // 4 on the local net_output, whose words carry the bit `local`
) (
    input  wire                            clk,
    input  wire                            reset,

    // Router. `word` is loaded in every clock in which `ready` is 1 (tag 0: nothing to send). `abort` for one clock: the
    // branch was aborted; the router shows no word then. `ready` depends on flops and on link_wait only.
    input  wire [TAG_WIDTH+WORD_WIDTH-1:0] word,
    input  wire                            abort,
    output wire                            ready,
    output wire                            terminated,   // holds a terminator, which ends the connection (U4)

    // Downstream net_input or fifo_buffer. `link` is a flop and still while link_wait is 1.
    output reg  [TAG_WIDTH+WORD_WIDTH-1:0] link,
    input  wire                            link_wait,

    output wire                            event_word,   // a word leaves
    output wire                            event_stall,  // a word is held by `wait`
    output wire                            quiet         // holds and owes nothing
);
    localparam WIDTH = TAG_WIDTH + WORD_WIDTH;

    reg  owes_abort;

    // null_transmission, with or without the bit `local`, holds nothing and never blocks (P2).
    wire holds   = |link[WORD_WIDTH +: 3];
    wire empties = !holds || !link_wait;
    wire owed    = owes_abort || abort;

    wire [WIDTH-1:0] abort_packet = {{(TAG_WIDTH-3){1'b0}}, `POSTROAD_TAG_ABORT_PACKET, {WORD_WIDTH{1'b0}}};

    assign ready       = empties && !owes_abort;
    assign terminated  = link[WORD_WIDTH +: 3] == `POSTROAD_TAG_END_OF_PACKET ||
                         link[WORD_WIDTH +: 3] == `POSTROAD_TAG_ABORT_PACKET;
    assign event_word  = holds && !link_wait;
    assign event_stall = holds && link_wait;
    assign quiet       = link[WIDTH-1:WORD_WIDTH] == {TAG_WIDTH{1'b0}} && !owes_abort;

    always @(posedge clk)
        if (reset) begin
            link       <= {WIDTH{1'b0}};
            owes_abort <= 1'b0;
        end else begin
            owes_abort <= owed && !empties;
            if (empties) link <= owed ? abort_packet : word;
        end

`ifdef FORMAL
    reg past_valid = 1'b0;
    always @(posedge clk) begin
        past_valid <= 1'b1;
        if (!past_valid) assume (reset);
        if (past_valid && !$past(reset) && !reset) begin
            // F3b: a word is stable while the status is wait.
            if ($past(event_stall)) assert (link == $past(link));
            // M7: an owed abort_packet appears as soon as the latch is free, and nothing before it.
            if ($past(owed && empties)) assert (link == abort_packet);
            if ($past(owed && !empties)) assert (owes_abort && !ready);
        end
    end
`endif
endmodule

`default_nettype wire
