// word_departure with the state that the engine keeps for it, and a fabric whose words stay until they are accepted. A frame that
// continues a packet follows the frame with the word before it, and no word is lost between them.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module word_departure_proof (
    input wire       clk,
    input wire [2:0] tag,       // in each operation of this link
    input wire       pauses,
    input wire       down,
    input wire       lost,
    input wire       stopped,
    input wire       reset      // the fabric's
);
    reg [1:0] place;            // byte of the frame
    reg       in_frame, begun, discards;
    reg [2:0] flush_left;       // operations in which the engine forgets, at least a frame
    wire      flushes = flush_left != 3'd0;
    wire      in_frame_next, begun_next, discards_next, first, accepts;

    word_departure departure (
        .tag(tag), .leads(place == 2'd0), .ends_word(place == 2'd2), .pauses(pauses), .down(down), .lost(lost),
        .stopped(stopped), .flushes(flushes), .in_frame(in_frame), .begun(begun), .discards(discards),
        .in_frame_next(in_frame_next), .begun_next(begun_next), .discards_next(discards_next), .first(first), .accepts(accepts));

    wire shown = |tag;
    wire ends  = tag == `POSTROAD_TAG_END_OF_PACKET || tag == `POSTROAD_TAG_ABORT_PACKET;

    reg       started = 1'b0;
    reg       in_packet;           // the fabric has begun a packet and not ended it
    reg       held;             // the word was shown in the operation before and has not left
    reg [2:0] tag_before;
    reg       carried;          // the fabric's word before this one left in a frame
    reg       flushed;          // ... a flush has come behind that frame, or behind its beginning
    reg [1:0] idle_frames;
    always @(posedge clk) begin
        started <= 1'b1;
        if (!started) begin
            {place, in_frame, begun, discards, in_packet, held, carried} <= 0;
            flush_left <= 3'd5;
            flushed    <= 1'b1;
            idle_frames <= 2'd0;
        end else begin
            place      <= place + 2'd1;
            in_frame   <= in_frame_next;
            begun      <= begun_next;
            discards   <= discards_next;
            flush_left <= reset ? 3'd5 : flush_left - {2'd0, flushes};
            tag_before <= tag;
            held       <= shown && !accepts && !reset;
            in_packet     <= !reset && (accepts ? !ends : in_packet);
            if (accepts) carried <= in_frame_next;
            flushed    <= reset || flushes || (flushed && !accepts);
            // The fabric: a word that waits is still; a reset of the fabric takes it away.
            if (held) assume (tag == tag_before);
            if (flush_left == 3'd5) assume (!shown);

            // A word that leaves was sent, or is discarded: on a link that is down, or with the rest of a broken packet.
            if (accepts && !in_frame_next) assert (down || discards || lost);
            // A frame that continues a packet follows the frame with the word before. A packet's first word has `first`.
            if (place == 2'd0 && in_frame_next) assert (first == !in_packet);
            if (place == 2'd0 && in_frame_next && !first) assert (carried && !flushed);
            // A broken packet is ended at the far end: every frame until the next packet has `first`.
            if (in_packet && !carried && place == 2'd0) assert (first);
            // No word is sent that may not be, and no word of a packet of which the far end has lost a frame.
            if (place == 2'd0 && (down || stopped || pauses)) assert (!in_frame_next);
            if (place == 2'd0 && in_packet && lost) assert (first && !in_frame_next);
            // What the fabric has begun is followed exactly out of a flush.
            if (!flushes) assert (begun == in_packet);
            // A word is accepted with the third byte of its frame, or at once where it is discarded; never twice.
            if (accepts) assert (shown && (!in_frame_next || place == 2'd2));
            if (place == 2'd2 && in_frame && !flushes) assert (shown && accepts);
            if (shown && !flushes && !in_frame_next && (down || discards)) assert (accepts);
            if (shown && !flushes && place == 2'd0 && !down && !discards && !lost && !stopped && !pauses) assert (in_frame_next);
            cover (accepts && !in_frame_next && discards && ends);
            cover (place == 2'd0 && in_frame_next && !first && carried);
        end
    end
endmodule

`default_nettype wire
