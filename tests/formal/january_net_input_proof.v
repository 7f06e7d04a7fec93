// january_net_input by its ports (J2, J5, J10; Table F): as many words leave as were transferred, and no more; what a split
// packet does when it is aborted, and that it ends. The status and the type of the connection may be any. That each word leaves
// once and in order is the proof of its storage, `net_input_queue`; here is what enters it and when a word is taken.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module january_net_input_proof #(
    parameter WORD_WIDTH = 1,
    parameter PORTS      = 2,
    parameter LIST_WORDS = 4,
    parameter LINK_WIDTH = WORD_WIDTH + 3  // follows
) (
    input wire                  clk,
    input wire                  reset,
    input wire [LINK_WIDTH-1:0] link,
    input wire [PORTS-1:0]      way,
    input wire [2:0]            offer,
    input wire [1:0]            status
);
    wire                  link_wait, link_wait_next, arrives, full, free, seeks, moves, aborts, aborting, stands, stray;
    wire [LINK_WIDTH-1:0] word;
    wire [PORTS-1:0]      word_way;
    wire [2:0]            connection;
    january_net_input #(.WORD_WIDTH(WORD_WIDTH), .PORTS(PORTS), .LIST_WORDS(LIST_WORDS)) net_input (
        .clk(clk), .reset(reset), .link(link), .way(way), .link_wait(link_wait), .link_wait_next(link_wait_next),
        .arrives(arrives), .full(full), .free(free), .seeks(seeks), .offer(offer), .status(status), .word(word),
        .word_way(word_way), .connection(connection), .moves(moves), .aborts(aborts), .aborting(aborting), .stands(stands),
        .stray(stray));
    link_contract #(.WORD_WIDTH(WORD_WIDTH), .ASSUME_SENDER(1), .PACKETS(0)) upstream (
        .clk(clk), .reset(reset), .word(link), .waits(link_wait), .multicast_open());

    function is_end(input [2:0] tag);
        is_end = tag == `POSTROAD_TAG_END_OF_PACKET || tag == `POSTROAD_TAG_ABORT_PACKET;
    endfunction

    wire [2:0] link_tag = link[LINK_WIDTH-1 -: 3];
    wire [2:0] tag      = word[LINK_WIDTH-1 -: 3];
    wire       shown    = |tag;
    wire       head     = tag[2] && tag[0];
    wire       waits    = status == `POSTROAD_JANUARY_STATUS_WAIT;
    wire       split    = connection == `POSTROAD_JANUARY_CONNECTION_ALL_REMOTE ||
                          connection == `POSTROAD_JANUARY_CONNECTION_SOME_LOCAL;
    wire       connected = !free && !seeks;
    wire       leaves   = moves || stray;

    reg                  past_valid = 1'b0, after_reset, wait_due, ended, aborted, entry_seen;
    reg [3:0]            arrived, left;
    reg [PORTS-1:0]      entry_way;        // of the last site word that was transferred
    reg [2:0]            made;             // the type that was offered to this packet
    reg [1:0]            answered;         // in abort mode: clocks with the terminator in front and a far end that answers
    reg                  stood;            // the last clock had a word in front, a connection that does not wait, and no move
    wire [3:0]           stored = arrived - left;
    wire                 may_leave = connected && shown && !waits && !aborts;

    always @(posedge clk) begin
        past_valid  <= 1'b1;
        after_reset <= reset;
        wait_due    <= link_wait_next;
        if (!past_valid) assume (reset);
        if (reset) {arrived, left, ended, aborted, answered, stood} <= 13'd0;
        else begin
            if (arrives) arrived <= arrived + 4'd1;
            if (leaves) left <= left + 4'd1;
            ended    <= (ended || (arrives && is_end(link_tag))) && !(leaves && is_end(tag));
            aborted  <= (aborted || aborts) && !(moves && is_end(tag));
            answered <= aborting && is_end(tag) && !moves ? answered + {1'b0, !waits} : 2'd0;
            stood    <= may_leave && !moves;
        end
        if (seeks) made <= offer;
        if (arrives && link_tag[2] && link_tag[0]) {entry_seen, entry_way} <= {1'b1, way};
        if (reset) entry_seen <= 1'b0;

        if (past_valid && !reset) begin
            // None lost, none invented. J2: the next packet enters when this one has left.
            assert (arrives == (|link_tag && !link_wait));
            assert (shown == (stored != 4'd0 || arrives));
            if (shown && stored == 4'd0) assert (word == link);
            if (shown && stored == 4'd0 && (head || entry_seen)) assert (word_way == (head ? way : entry_way));   // J5
            assert (link_wait == (after_reset || ended || stored == LIST_WORDS));
            if (!after_reset) assert (link_wait == wait_due);

            // Words leave through a connection, or as strays of no packet.
            assert (stray == (free && shown && !head));
            if (moves) assert (connected && shown && !waits && !aborts);
            if (connected) assert (connection == made);
            if (stood) assert (!may_leave || moves);          // a terminator stays for one clock more, any other word for none
            if (may_leave && !is_end(tag) && !stood) assert (moves);

            // J10: an abort_request aborts a split packet, once; any other connection goes on.
            assert (aborts == (connected && split && !aborted && status == `POSTROAD_JANUARY_STATUS_ABORT_REQUEST));
            assert (aborting == aborted);
            if (aborted) assert (connected);
            assert (answered < 2'd2);                         // abort mode ends with the second clock in which local answers
            cover (moves && is_end(tag) && aborted && left == 4'd5);
            cover (aborts && stands);
            cover (stored == LIST_WORDS && seeks);
            cover (moves && is_end(tag) && !aborted && left == 4'd9);
        end
    end
endmodule

`default_nettype wire
