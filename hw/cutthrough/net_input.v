// net_input: one word of storage at the end of a link (August paper 4.3; rules F2, F3).
//
// A skid buffer instead of the paper's two latches that open in alternate phases (Table D): one clock edge, a flop for the
// status, and a skid register for the word that was sent before that flop changed. README.md, "Choices", has the reason.
//
// The input falls through: the link's word reaches the router in the clock in which it arrives. A word that the router does
// not take is kept in `skid`. From the next clock on the flop `full` drives the status `wait` (back-pressure):
//
//   link ----+------------------> word          full = 0: the link passes through, status open
//            +--> skid --> word                 full = 1: the skid word is shown, status wait
//
// SPDX-License-Identifier: ISC
`default_nettype none

module net_input #(
    parameter LINK_WIDTH = 19  // tag and word; follows from the word width
) (
    input  wire                  clk,
    input  wire                  reset,

    // Upstream net_output or fifo_buffer. A word is transferred in exactly the clocks in which link shows one and
    // link_wait is 0; while link_wait is 1 the sender holds it still. link_wait is a flop, and 1 in reset.
    input  wire [LINK_WIDTH-1:0] link,
    output wire                  link_wait,

    // Router. `word` (tag 0: none) stays until `taken`, which may depend on it combinationally.
    output wire [LINK_WIDTH-1:0] word,
    input  wire                  taken
);
    reg                  full;
    reg [LINK_WIDTH-1:0] skid;

    wire word_present = |word[LINK_WIDTH-1 -: 3];

    assign word      = full ? skid : link;
    assign link_wait = full;

    always @(posedge clk)
        if (reset) begin
            full <= 1'b1;
            skid <= {LINK_WIDTH{1'b0}};  // an empty skid: `full` goes in the first clock after reset
        end else begin
            full <= word_present && !taken;
            skid <= word;
        end

`ifdef FORMAL
    // F3c: a held word is never overwritten; F3d: it leaves once, when taken.
    reg past_valid = 1'b0;
    always @(posedge clk) begin
        past_valid <= 1'b1;
        if (!past_valid) assume (reset);
        if (past_valid && !$past(reset) && !reset) begin
            if ($past(word_present && !taken)) assert (word == $past(word) && link_wait);
            if ($past(taken || !word_present)) assert (!link_wait);
        end
    end
`endif
endmodule

`default_nettype wire
