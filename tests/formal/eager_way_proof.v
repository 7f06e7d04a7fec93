// eager_way between a link that receives whatever a cable carries (frame_verdict with its state, a queue) and a line whose
// far end stops, loses frames and goes down at any time. A packet that goes straight on has one end, and a good word leaves
// in one way.
//
// A frame is five steps here: the two bits that eager_way looks at, the bits whose values are not known yet, those behind the
// last address bit, and the clock in which it has arrived.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module eager_way_proof #(
    parameter PORT_FLIP = 1
) (
    input wire        clk,
    input wire        goes_on,       // the frame takes its next step
    input wire [23:0] bits,          // of the frame: those that have come
    input wire        check_fits,
    input wire        rest_fits,
    input wire        dead,          // the check byte has the mark
    input wire        checks,
    input wire        fabric_reset,
    input wire        loads,         // the fabric takes the oldest word
    input wire        clear,
    input wire        free,
    input wire        stopped,
    input wire        broken,
    input wire        takes
);
    (* anyconst *) reg [1:0] link;
    (* anyconst *) reg [6:0] here;

    localparam [2:0] FIRST = 3'd0, SECOND = 3'd1, MIDDLE = 3'd2, DECIDED = 3'd3, ARRIVED = 3'd4;
    reg  [2:0]  state;
    reg         started = 1'b0;
    reg  [23:0] before;
    wire        reset   = !started;
    wire        strobe  = goes_on && state != ARRIVED;
    wire        arrived = state == ARRIVED;
    wire [5:0]  place   = state == FIRST ? 6'd0 : state == SECOND ? 6'd1 : state == MIDDLE ? 6'd24 : 6'd25;
    wire        value   = state == FIRST ? bits[23] : bits[22];
    wire [2:0]  tag     = bits[23:21];

    // The link that receives: its verdict, and a queue of four tags.
    reg         open, alive, lost, far_stopped;
    reg  [1:0]  proof;
    reg  [11:0] queue;               // the oldest is at the bottom
    reg  [2:0]  level;
    wire        pushes, aborts, open_next, alive_next, stopped_next, lost_next, down_known, down_next;
    wire [1:0]  proof_next;
    wire        connected, keeps, gone, pop, forwards, abandons, spoils, holds, offers, owes;
    wire        queued   = level != 3'd0;
    wire        ignored  = dead && tag == `POSTROAD_TAG_UNICAST_SITE && bits[20] && !open;
    wire        accepted = pushes && !aborts;
    wire        flushes  = fabric_reset && !keeps;
    wire        leaves   = pop || (loads && queued && !connected && !fabric_reset);
    wire        enters   = pushes && !gone;

    frame_verdict #(.PORT_FLIP(PORT_FLIP)) verdict (
        .arrived(arrived && !ignored), .header(bits[23:16]), .check_fits(check_fits), .rest_fits(rest_fits), .link(link),
        .checks(checks), .room(level < 3'd3), .open(open), .alive(alive), .proof(proof), .stopped(far_stopped), .lost(lost),
        .down(1'b0), .lost_next(lost_next), .pushes(pushes), .aborts(aborts), .open_next(open_next), .alive_next(alive_next),
        .proof_next(proof_next), .stopped_next(stopped_next), .down_known(down_known), .down_next(down_next));

    eager_way #(.PORT_FLIP(PORT_FLIP)) way (
        .clk(clk), .reset(reset), .link(link), .here(here), .strobe(strobe), .place(place), .value(value), .frame(bits),
        .may_begin(!open && alive && proof[1] && !queued && !fabric_reset), .arrived(arrived), .fits(check_fits),
        .accepted(accepted), .begins(!open), .gone(gone), .connected(connected), .keeps(keeps), .queued(queued),
        .oldest(queue[2:0]), .pop(pop),
        .clear(clear), .free(free), .stopped(stopped), .broken(broken), .forwards(forwards), .abandons(abandons),
        .spoils(spoils), .holds(holds), .offers(offers), .takes(takes), .owes(owes));

    function ends(input [2:0] of);
        ends = of == `POSTROAD_TAG_END_OF_PACKET || of == `POSTROAD_TAG_ABORT_PACKET;
    endfunction

    reg  leaving, guess;             // the frame leaves bit by bit; it was begun without a connection
    reg  decided_spoils, was_decided;
    reg  far_open;                   // the far end has a packet of this way that has not ended
    reg  last_ends;                  // the newest word of the queue is a terminator
    wire [6:0] there    = link[1] ? bits[13:7] : bits[6:0];
    wire       straight = tag == `POSTROAD_TAG_UNICAST_SITE && bits[20] && bits[17:16] == (link ^ PORT_FLIP[1:0]) &&
                          there != here;

    wire [11:0] rest = leaves ? queue >> 3 : queue;
    wire [2:0]  left = level - {2'd0, leaves};

    always @(posedge clk) begin
        started <= 1'b1;
        before  <= bits;
        if (!started) begin
            {state, open, alive, lost, far_stopped, proof, queue, level} <= 0;
            {leaving, guess, was_decided, far_open, last_ends} <= 0;
        end else begin
            // Bits that have come stay.
            if (state != FIRST) assume (bits[23] == before[23]);
            if (state != FIRST && state != SECOND) assume (bits[22] == before[22]);
            if (state == DECIDED || state == ARRIVED) assume (bits == before);
            if (dead) assume (!check_fits);
            if (takes) assume (offers);

            if (state == ARRIVED) state <= FIRST;
            else if (goes_on) state <= state + 3'd1;
            {open, alive, lost, far_stopped, proof} <= {open_next && !flushes, alive_next, lost_next, stopped_next, proof_next};
            if (enters) last_ends <= aborts || ends(tag);
            queue <= flushes ? 12'd0 : rest | {9'd0, aborts ? `POSTROAD_TAG_ABORT_PACKET : tag} << 3 * left & {12{enters}};
            level <= flushes ? 3'd0 : left + {2'd0, enters};

            if (strobe && state == FIRST) {leaving, guess} <= {forwards, !connected};
            else if (abandons || arrived) leaving <= 1'b0;
            was_decided    <= state == DECIDED;
            decided_spoils <= spoils;
            far_open <= gone && !open ? 1'b1 : far_open && !owes && !(gone && ends(tag)) && !(takes && ends(queue[2:0]));

            // A good word leaves bit by bit, or enters the queue; in the order in which the words came.
            if (arrived) assert (gone == (accepted && leaving && !spoils));
            if (gone) assert (arrived && level == 3'd0 && !takes);
            // A guess leaves as a good frame exactly if it is the head of a unicast that goes straight on, else as a dead one.
            // That is decided before the first bit of the check byte.
            if (arrived && leaving && guess) assert (spoils == !straight);
            if (leaving && was_decided && (guess || holds)) assert (spoils == decided_spoils);
            if (abandons) assert (leaving && guess && !value);
            if (arrived && leaving && guess) assert (bits[22]);
            // The far end has a packet of this way open exactly while the way holds the line. The packet ends with one
            // terminator, or is broken off and the sender owes a frame that ends it. No word of it leaves behind that.
            assert (far_open == holds);
            if (takes || (gone && open)) assert (far_open);
            if (gone && !open) assert (!far_open);
            if (arrived && leaving && guess && !spoils && check_fits) assert (gone || owes);
            if (holds && broken) assert (owes);
            // It has an end: the rest of it is still to come, or a terminator is in the queue. What is discarded does not wait.
            if (connected) assert (open || queued);
            if (connected && !open) assert (last_ends || level > 3'd1);
            if (connected && queued && !holds) assert (pop);
            if (holds && queued && !stopped) assert (offers);
            cover (gone && open && ends(tag));
            cover (takes && ends(queue[2:0]));
            cover (owes && queued);
            cover (arrived && leaving && guess && spoils);
        end
    end

    wire unused = &{1'b0, down_known, down_next};
endmodule

`default_nettype wire
