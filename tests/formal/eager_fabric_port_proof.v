// eager_fabric_port with a fabric whose words stay until they are accepted, and a sender that takes words at any time: each word
// is sent once, or discarded with the rest of a packet that was broken off.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module eager_fabric_port_proof (
    input wire       clk,
    input wire       step,
    input wire       fabric_reset,
    input wire [2:0] tag,
    input wire       lost,
    input wire       down,
    input wire       takes
);
    reg  started = 1'b0;
    reg  in_reset;                   // as long as at least one step
    wire waits, first;

    eager_fabric_port fabric_port (
        .clk(clk), .step(step), .reset(in_reset), .tag(tag), .waits(waits), .broken(lost || down), .down(down), .takes(takes),
        .first(first));

    wire shown = |tag;
    wire ends  = tag == `POSTROAD_TAG_END_OF_PACKET || tag == `POSTROAD_TAG_ABORT_PACKET;
    wire moves = step && shown && !waits;

    reg [2:0] tag_before;
    reg       held;                  // the word was shown in the clock before, and has not moved
    reg       sent;                  // the word shown was sent
    reg       in_packet;             // the fabric has begun a packet and not ended it
    reg       whole;                 // all of its words so far were sent
    reg       broken;                // it was broken off
    reg       down_before;           // in the last step
    reg       shown_before;          // the same word
    always @(posedge clk) begin
        started    <= 1'b1;
        tag_before <= tag;
        if (!started) begin
            in_reset <= 1'b1;
            {held, sent, in_packet, broken, down_before, shown_before} <= 0;
            whole <= 1'b1;
        end else begin
            in_reset <= fabric_reset || (in_reset && !step);
            if (in_reset) assume (!shown && !takes);
            if (held) assume (tag == tag_before);
            if (takes) assume (step && waits && !down);

            held <= shown && !moves;
            if (step) begin
                sent         <= takes;
                shown_before <= shown && !moves;
                down_before  <= down && !in_reset;
            end
            if (in_reset || fabric_reset) {in_packet, broken, whole} <= 3'b001;
            else if (moves) begin
                in_packet <= !ends;
                whole     <= ends || (whole && sent);
                broken    <= !ends && (broken || !sent || lost || down);
            end else if (step && in_packet) broken <= broken || lost || down;

            if (!in_reset && !fabric_reset) begin
                // A word is sent at most once, and moves in the next step.
                if (takes) assert (!sent || !shown_before);
                if (step && shown_before && sent) assert (moves);
                // A word that moves was sent, or is discarded: the link is down, or its packet is broken off.
                if (moves && !sent) assert (down_before || broken);
                // Of a packet that is broken off nothing is sent any more. A word that continues one follows all words before it.
                if (takes && in_packet) assert (!broken && !first && whole);
                if (takes && !in_packet) assert (first);
                // Nothing waits behind a link that is down, nor the rest of a packet that is broken off.
                if (step && shown && (down_before || broken)) assert (moves);
                cover (moves && !sent && broken && ends);
                cover (takes && in_packet && ends);
            end
        end
    end
endmodule

`default_nettype wire
