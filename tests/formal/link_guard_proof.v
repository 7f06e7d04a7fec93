// link_guard by its ports alone (X1, F3). Both ends keep the contract of a link, each from its own reset on; both may be in
// reset, the link down, and words damaged, at any time. A packet is `hit` if a fault comes while the sender shows or sends it.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module link_guard_proof #(
    parameter WORD_WIDTH = 2
) (
    input wire                  clk,
    input wire                  sender_reset,
    input wire                  receiver_reset,
    input wire                  link_down,
    input wire                  damaged,
    input wire [WORD_WIDTH+2:0] word_in,
    input wire                  wait_out
);
    wire [WORD_WIDTH+2:0] word_out;
    wire                  wait_in;

    link_guard #(.WORD_WIDTH(WORD_WIDTH)) guard (
        .clk(clk), .sender_reset(sender_reset), .word_in(word_in), .wait_in(wait_in), .link_down(link_down),
        .damaged(damaged), .receiver_reset(receiver_reset), .word_out(word_out), .wait_out(wait_out));
    link_contract #(.WORD_WIDTH(WORD_WIDTH), .ASSUME_SENDER(1), .FOREIGN_RECEIVER(1)) upstream (
        .clk(clk), .reset(sender_reset), .word(word_in), .waits(wait_in), .multicast_open());
    // Whole packets, or beginnings that end with abort_packet, in their form; a word that waits is still (F3b).
    link_contract #(.WORD_WIDTH(WORD_WIDTH), .FOREIGN_RECEIVER(1)) downstream (
        .clk(clk), .reset(receiver_reset), .word(word_out), .waits(wait_out), .multicast_open());

    function ends(input [WORD_WIDTH+2:0] word);
        ends = word[WORD_WIDTH +: 3] == `POSTROAD_TAG_END_OF_PACKET || word[WORD_WIDTH +: 3] == `POSTROAD_TAG_ABORT_PACKET;
    endfunction

    reg  past_valid = 1'b0;
    reg  sending, seen;                 // the sender is within a packet; it showed its word in the clock before, too
    reg  hit;                           // a fault has hit the packet that the sender is within
    reg  receiving, received_hit;       // the receiver is within a packet; it is one that was hit
    reg  faulty;                        // there has been a fault since power-on
    reg  waited;
    reg  [WORD_WIDTH+2:0] word_before;
    reg  [1:0] taken_since;             // words that the receiver has taken, or could have, since the last fault; 2: or more

    wire power_on  = sender_reset && receiver_reset;
    wire shows     = |word_in[WORD_WIDTH +: 3] && !sender_reset;
    wire gets      = |word_out[WORD_WIDTH +: 3] && !receiver_reset;
    wire leaves    = shows && !wait_in;
    wire arrives   = gets && !wait_out;
    wire cut       = link_down || sender_reset || receiver_reset;
    wire fault     = cut || (damaged && shows && !seen);
    wire new_packet = shows && !sending && !seen;
    wire hit_now   = (sending || shows) && !sender_reset && (fault || (hit && !new_packet));
    wire wire_like = word_out == word_in && wait_in == wait_out;
    wire waits_on  = waited && !receiver_reset;
    wire aborts    = word_out[WORD_WIDTH +: 3] == `POSTROAD_TAG_ABORT_PACKET;

    always @(posedge clk) begin
        past_valid <= 1'b1;
        if (!past_valid) assume (power_on);
        sending      <= !sender_reset && (leaves ? !ends(word_in) : sending);
        seen         <= shows && wait_in;
        hit          <= hit_now;
        receiving    <= !receiver_reset && (arrives ? !ends(word_out) : receiving);
        received_hit <= fault || (received_hit && receiving);
        faulty       <= past_valid && !power_on && (faulty || fault);
        waited       <= gets && wait_out;
        word_before  <= word_out;
        taken_since  <= fault ? 2'd0 : taken_since + {1'b0, !wait_out && taken_since != 2'd2};

        if (past_valid) begin
            // Without a fault since power-on it is two wires.
            if (!faulty && !fault) assert (wire_like);
            // A packet that no fault has hit leaves the sender and reaches the receiver word by word, in the same clock.
            if (shows && !hit_now && leaves) assert (arrives && word_out == word_in);
            // It is late only behind the rest of a packet that was hit.
            if (shows && !hit_now) assert (wire_like || (wait_in && gets && ((waits_on && word_out == word_before) || aborts)));
            // What the receiver gets meanwhile is the rest of what was hit before: the word that it has seen, then abort_packet.
            if (gets && (hit_now || !shows)) assert ((waits_on && word_out == word_before) || aborts);
            // The sender of a packet that was hit gets rid of it.
            if (hit_now) assert (!wait_in);
            // No packet stays open: what the receiver is within is what the sender is within, unhit, or its end is shown, and no
            // more than a word before it. Two words that are taken make an end of it, and then it is two wires again.
            if (receiving && !receiver_reset && !(sending && !hit_now)) assert (gets);
            if (!fault && taken_since == 2'd2 && !hit_now) assert (wire_like);
            cover (arrives && aborts && waited && faulty);
            cover (leaves && arrives && faulty && received_hit && ends(word_in));
            cover (shows && !hit_now && arrives && aborts);
        end
    end
endmodule

`default_nettype wire
