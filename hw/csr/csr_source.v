// csr_source: a packet goes as an express, while the operator still gives it to csr_inject (C13, C14).
//
//   csr_inject --words--> RAM of a sender --header, words, symbols--> module of the highest dimension
//
//             tries                     no way, or it was cut            a coin
//    [ IDLE ] -----> [ HEADER ] --> [ WORDS ] ------> [ PAUSE ] -----------------> IDLE
//       ^                              | the last symbol: all of it will arrive
//       +------------------------------+
//
// It begins again until it gets through. Where a slot ends, the packet is complete and not on its way, and there were flits, it
// is given up, and at the latest in the eighth slot: the sender offers it in the next one as any other segment.
// SPDX-License-Identifier: ISC
`default_nettype none

module csr_source #(
    parameter DIMENSIONS = 4,
    parameter WORD_BITS  = 5
) (
    input  wire                 clk,
    input  wire                 halted,

    // csr_inject. tries: a packet may go as an express. next_at: where its next word will be in the sender's RAM; complete:
    // there will be none.
    input  wire                 tries,
    input  wire [WORD_BITS-1:0] next_at,
    input  wire                 complete,
    output wire                 failed,      // it is to be sent in a slot
    output wire                 reserved,    // there are flits in this slot, or were in the last one

    // csr_sender: the header, a symbol, or the word that was read at `at` a clock before.
    output reg  [WORD_BITS-1:0] at,
    output wire                 active,
    output wire                 head,
    output wire                 hold,
    output wire                 last,        // all of it will arrive

    // csr_node. closed: there is reserved traffic; passes: what the source shows goes out; back: it goes on to its target, a
    // clock ahead.
    input  wire                 coin,
    input  wire                 closed,
    input  wire                 sure,
    input  wire                 retire,
    input  wire                 passes,
    input  wire                 back,
    output wire                 mark,
    output wire                 alive
);
    localparam [31:0] ROUND_TRIP = 2 * DIMENSIONS + 1;

    localparam [1:0] STATE_IDLE   = 2'd0;
    localparam [1:0] STATE_HEADER = 2'd1;
    localparam [1:0] STATE_WORDS  = 2'd2;
    localparam [1:0] STATE_PAUSE  = 2'd3;

    reg  [1:0] state;
    reg        shows;          // what was read is a word
    reg        up;             // an express is accepted by its target
    reg  [4:0] clocks;         // since the header
    reg  [2:0] slots;          // that have ended since the packet was complete
    reg        flits, flits_before;
    wire       answered = clocks == ROUND_TRIP[4:0];
    wire       flows    = state == STATE_WORDS;
    wire       reads    = (state == STATE_HEADER || flows) && at != next_at;
    wire       cut      = flows && (answered && !up || !tries) || failed;

    assign last   = flows && answered && up && tries && complete && !shows && at == next_at && sure;
    assign failed = tries && complete && retire && !(flows && answered && up) && (flits || &slots);
    assign active = state == STATE_HEADER || flows;
    assign head   = state == STATE_HEADER;
    assign mark   = head || flows && shows && !cut;
    assign alive  = head || flows && !cut && !last;
    assign hold   = flows && !shows && !cut && !last;
    assign reserved = flits || flits_before;

    always @(posedge clk)
        if (halted) state <= STATE_IDLE;
        else case (state)
            STATE_IDLE:   if (tries && !failed) state <= STATE_HEADER;
            STATE_HEADER: state <= passes ? STATE_WORDS : STATE_PAUSE;
            STATE_WORDS:  if (last) state <= STATE_IDLE;
                          else if (cut || !passes) state <= STATE_PAUSE;
            default:      if (coin) state <= STATE_IDLE;
        endcase

    always @(posedge clk) begin
        if (halted) {flits, flits_before} <= 2'b00;
        else begin
            flits <= closed || flits && !retire;
            if (retire) flits_before <= flits;
        end
        if (!complete) slots <= 3'd0;
        else if (retire) slots <= slots + 3'd1;
        {up, shows} <= {back, reads};
        if (reads) at <= at + 1'b1;
        else if (!head && !flows) at <= {{WORD_BITS-2{1'b0}}, 2'd2};
        if (head) clocks <= 5'd0;
        else if (!answered) clocks <= clocks + 5'd1;
    end
endmodule

`default_nettype wire
