// frame_verdict with the state that the engine keeps for it: whatever a cable carries, what enters the queue is whole packets or
// beginnings that end with abort_packet, and the link neither locks up nor trusts noise for long (X1).
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module frame_verdict_proof #(
    parameter PORT_FLIP = 1
) (
    input wire       clk,
    input wire       arrived,
    input wire [7:0] header,
    input wire       check_fits,
    input wire       rest_fits,
    input wire [1:0] link,
    input wire       checks,
    input wire       taken       // the fabric takes the oldest word of the queue
);
    reg       open, alive, stopped, lost, down;
    reg [1:0] proof;
    reg [3:0] level;
    wire      pushes, aborts, open_next, alive_next, stopped_next, lost_next, down_known, down_next;
    wire [1:0] proof_next;

    frame_verdict #(.PORT_FLIP(PORT_FLIP)) verdict (
        .arrived(arrived), .header(header), .check_fits(check_fits), .rest_fits(rest_fits), .link(link), .checks(checks),
        .room(level[3:2] != 2'b11), .open(open), .alive(alive), .proof(proof), .stopped(stopped), .lost(lost),
        .down(down), .lost_next(lost_next), .pushes(pushes), .aborts(aborts), .open_next(open_next), .alive_next(alive_next),
        .proof_next(proof_next), .stopped_next(stopped_next), .down_known(down_known), .down_next(down_next));

    wire [2:0] tag   = aborts ? `POSTROAD_TAG_ABORT_PACKET : header[7:5];
    wire       ends  = tag == `POSTROAD_TAG_ABORT_PACKET || tag == `POSTROAD_TAG_END_OF_PACKET;
    wire       pops  = taken && level != 4'd0;
    wire       whole = arrived && check_fits && header[1:0] == (link ^ PORT_FLIP[1:0]) &&
                       (rest_fits || !(header[7:5] == `POSTROAD_TAG_ABORT_PACKET || header[7:5] == `POSTROAD_TAG_END_OF_PACKET));

    reg       started = 1'b0;
    reg       in_packet;          // the queue ends within a packet
    reg       good_before;     // the frame before was good
    reg [2:0] good_in_a_row;   // up to 5, without the end of a period between them
    reg       heard;           // a good frame has come in this period, on a link that was alive
    reg [1:0] quiet_periods;   // ends of periods since the last good frame, up to 2
    always @(posedge clk) begin
        started <= 1'b1;
        if (!started) begin
            {open, alive, stopped, lost, proof, level, in_packet, good_before, good_in_a_row} <= 0;
            quiet_periods <= 2'd2;
            {down, heard} <= 2'b10;
        end else begin
            {open, alive, stopped, lost, proof} <= {open_next, alive_next, stopped_next, lost_next, proof_next};
            level <= level + {3'd0, pushes} - {3'd0, pops};
            if (down_known) down <= down_next;
            if (pushes) in_packet <= !ends;
            if (arrived) good_before <= whole;
            good_in_a_row <= checks || (arrived && !whole) ? 3'd0 : good_in_a_row + {2'd0, whole && good_in_a_row != 3'd5};
            quiet_periods <= whole && !(checks && alive && !proof[0]) ? 2'd0
                           : quiet_periods + {1'b0, checks && quiet_periods != 2'd2};

            // The queue holds packets in their form, and does not overflow.
            assert (in_packet == open);
            if (pushes) assert (open || !ends);
            if (aborts) assert (pushes && open);
            assert (level <= 4'd13 && (!pushes || level <= 4'd12));
            // A word that enters comes from a good frame; the first of a packet behind a good frame, on a link that is trained.
            if (pushes && !aborts) assert (whole && (header[4] == !open));
            if (pushes && !open) assert (good_before && alive);
            // A damaged frame, or the end of a second period without a good one, leaves no packet open; then the link is down.
            if (arrived && !whole) assert (!open_next);
            if (quiet_periods == 2'd2) assert (!open && !alive && down);
            // Five good frames in a row make any link live, and the fifth says whether the far end hears. A link that is down
            // stays so until the far end takes words.
            if (good_in_a_row == 3'd5) assert (alive && proof == 2'd3);
            if (good_in_a_row == 3'd5 && whole && !checks) begin
                assert (down_known && down_next == (header[3:2] == 2'd0 || (down && header[3])));
            end
            // A link lives on where a good frame comes in each period.
            heard <= !checks && (heard || (whole && alive));
            if (alive && heard) assert (alive_next);
            // A link that is not alive accepts nothing, and is down.
            if (!alive) assert (!open && down);
            cover (pushes && aborts && level == 4'd12);
            cover (quiet_periods == 2'd2 && !alive && $past(alive));
            cover (pushes && ends && !aborts);
        end
    end
endmodule

`default_nettype wire
