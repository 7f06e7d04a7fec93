// csr_slot: where in a slot this clock is, the same at every site (C1): the strobes of control and words.
//
//   clock     0 .. D-1   D       D+1     D+2 .. 2D+1   2D+2 .. 3D+1   speculative: D+1 .. P+D, serial: 2D+3 .. P+2D+2
//   control   forward    finish  answer  backward      confirm
//   words                                                             word 0 .. P-1 on the links
//
// The clock in the slot is the remainder of `now`, so that a site that was reset alone rejoins in phase. It is counted, since a
// remainder is large: the count begins where the mesh does, and a reset of the site leaves it alone.
// SPDX-License-Identifier: ISC
`default_nettype none

module csr_slot #(
    parameter DIMENSIONS = 4,   // of the hypercube
    parameter SLOT_WORDS = 24,  // words of a segment, at least DIMENSIONS + 3
    parameter SERIAL     = 0,   // 1: words follow the backward phase
    parameter WORD_BITS  = $clog2(SLOT_WORDS)  // not to be set
) (
    input  wire                 clk,
    input  wire                 reset,
    input  wire [63:0]          now,      // clocks of the mesh since its reset
    input  wire                 rests,    // no packet is here, nor on its way to here: ticks begin anew

    output wire                 halted,   // in reset, and behind it until a slot begins

    output reg                  first,    // forward step 0: the entries ask
    output reg                  second,   // forward step 1
    output reg                  forward,  // forward step c
    output reg                  finish,   // flits have come through
    output reg                  answer,   // and are acknowledged
    output reg                  backward, // backward step 2D + 1 - c
    output reg                  last,     // backward step 0: the entries learn
    output reg                  confirm,  // confirming step c - 2D - 1: for multicasts
    output reg                  settle,   // the last of them: the exits learn
    output reg                  sure,     // what still goes on as an express will arrive in this slot (C14)
    output reg                  retire,   // the last clock but one of a slot: acknowledged entries are given up
    output reg                  choose,   // the last clock: the entries of the next slot are chosen
    output reg                  tick,     // one slot of 2**TICK_BITS
    output reg                  tick_long,  // one slot of 2**LONG_BITS

    // A word: read from a buffer; what was read is there and goes to a link; is on the link.
    output reg  [WORD_BITS-1:0] read_word,
    output reg                  leaves,
    output reg                  leaves_first,
    output reg                  arrives,
    output reg                  arrives_first,
    output reg                  arrives_last,
    output reg  [WORD_BITS-1:0] arrives_word
);
    localparam [31:0] CLOCKS  = SLOT_WORDS + (SERIAL != 0 ? 2 * DIMENSIONS + 2 : DIMENSIONS);
    localparam [31:0] READ_AT = SERIAL != 0 ? 2 * DIMENSIONS + 1 : DIMENSIONS - 1;
    localparam [6:0]  LAST_CLOCK = CLOCKS[6:0] - 7'd1;
    localparam [6:0]  D = DIMENSIONS[6:0];
    localparam [31:0] LAST_WORD = SLOT_WORDS - 1;

    // How long a packet may stand still. One that has begun to arrive is favoured wherever it meets others (C4), and is refused
    // by old reservations alone. A new one may wait for all other sites to send to the same one, each several times.
    localparam TICK_BITS = 7, LONG_BITS = 12;
    reg [LONG_BITS-1:0] slots;
    always @(posedge clk)
        if (reset || rests) {slots, tick, tick_long} <= {{LONG_BITS-1{1'b0}}, 3'b100};
        else if (choose) begin
            slots     <= slots + 1'b1;
            tick      <= slots[TICK_BITS-1:0] == {TICK_BITS{1'b0}};
            tick_long <= slots == {LONG_BITS{1'b0}};
        end

    reg held;
    assign halted = reset || held;

    reg  [6:0] clock;  // of this clock, modulo CLOCKS
    wire       begins = now[63:1] == 63'd0;  // the mesh
    wire [6:0] next   = begins ? {5'd0, now[0], !now[0]} : clock == LAST_CLOCK ? 7'd0 : clock + 7'd1;

    always @(posedge clk) begin
        clock    <= next;
        first    <= next == 7'd0;
        second   <= next == 7'd1;
        forward  <= next < D;
        finish   <= next == D;
        answer   <= next == D + 7'd1;
        backward <= next > D + 7'd1 && next <= 2 * D + 7'd1;
        last     <= next == 2 * D + 7'd1;
        confirm  <= next > 2 * D + 7'd1 && next <= 3 * D + 7'd1;
        settle   <= next == 3 * D + 7'd1;
        sure     <= next > 2 * D + 7'd2 && next < CLOCKS[6:0] - D;
        retire   <= next == LAST_CLOCK - 7'd1;
        choose   <= next == LAST_CLOCK;
        held     <= reset || held && !choose;
    end

    reg                 reads, read_first;
    reg [WORD_BITS-1:0] leaves_word;
    wire read_last = read_word == LAST_WORD[WORD_BITS-1:0];
    always @(posedge clk) begin
        if (reset) {reads, leaves, arrives} <= 3'd0;
        else begin
            reads <= next == READ_AT[6:0] || reads && !read_last;
            {leaves, arrives} <= {reads, leaves};
        end
        read_word  <= next == READ_AT[6:0] ? {WORD_BITS{1'b0}} : read_word + 1'b1;
        read_first <= next == READ_AT[6:0];
        {leaves_first, arrives_first} <= {read_first, leaves_first};
        {leaves_word, arrives_word}   <= {read_word, leaves_word};
        arrives_last <= leaves_word == LAST_WORD[WORD_BITS-1:0];
    end
endmodule

`default_nettype wire
