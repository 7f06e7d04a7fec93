// frame_verdict: what a frame that has arrived does to its link. Combinational: the state of the link, as the engine keeps it in
// RAM, the frame, and the state behind it.
//
//             good frame      two more        good frame
//   proof = 0 ----------> 1 ----------> 3 ----------------> alive, proof = 3
//      ^  ^               |             |                     |         ^
//      |  '---------------'-------------'                     | damaged | good frame
//      |             damaged frame                            v         |
//      '------------------------------------------------ alive, proof[1] = 0: no packet begins
//                  no good frame in a period
//
// proof[0] of a link that is alive: there was a good frame in this period. A frame is good if its check byte fits, if the CRC of
// a terminator fits, and if it comes from the port that lies opposite. The packet under way ends with abort_packet at a damaged
// frame, at a word that finds no room, and at a frame which shows that the end of the packet was lost.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module frame_verdict #(
    parameter PORT_FLIP = 1  // link l is cabled to link l ^ PORT_FLIP of the far end: 1 for a grid, 0 for a hypercube
) (
    input  wire       arrived,       // a frame has arrived whole
    input  wire [7:0] header,        // its first byte: tag, first, report, port
    input  wire       check_fits,    // its last byte fits
    input  wire       rest_fits,     // the CRC in a terminator fits
    input  wire [1:0] link,
    input  wire       checks,        // a period ends
    input  wire       room,          // a word and an abort_packet have room in the queue

    input  wire       open,          // a packet is under way into the queue
    input  wire       alive,
    input  wire [1:0] proof,
    input  wire       stopped,       // the far end wants no words
    input  wire       lost,
    input  wire       down,          // no word can go

    output wire       pushes,        // the word, or abort_packet in its place, enters the queue
    output wire       aborts,        // with `pushes`
    output wire       open_next,
    output wire       alive_next,
    output wire [1:0] proof_next,
    output wire       stopped_next,
    output wire       down_known,    // down_next is valid
    output wire       down_next,     // one of both ends does not hear the other; a link comes up when the far end takes words
    output wire       lost_next      // the far end has lost a frame: the packet on its way there is to be broken off
);
    localparam [1:0] FLIP = PORT_FLIP;

    wire [2:0] tag      = header[7:5];
    wire       first    = header[4];
    wire [1:0] report   = header[3:2];
    wire       ends     = tag == `POSTROAD_TAG_END_OF_PACKET || tag == `POSTROAD_TAG_ABORT_PACKET;
    wire       word     = |tag;
    wire       whole    = check_fits && (!ends || rest_fits) && header[1:0] == (link ^ FLIP);
    wire       good     = arrived && whole;
    wire       bad      = arrived && !whole;
    wire       times_out = checks && alive && !proof[0];

    // Training and life.
    wire       trained  = good && proof == 2'd3;
    assign alive_next   = alive ? !times_out : trained;
    assign proof_next   = times_out ? 2'd0 :
                          bad       ? {1'b0, alive && proof[0] && !checks} :
                          good      ? (alive || proof == 2'd3 ? 2'd3 : proof + 2'd1) :
                                      {proof[1], proof[0] && !(alive && checks)};
    assign down_known   = times_out || (good && alive);
    assign down_next    = times_out || report == `POSTROAD_LINK_REPORT_DEAF || (down && report[1]);
    assign stopped_next = good ? report[1] : stopped;
    assign lost_next    = good ? report == `POSTROAD_LINK_REPORT_LOST : lost;

    // The packet. A first word opens one only behind a good frame.
    wire       enters   = good && alive && word && !ends && first && proof[1] && room && !times_out;
    wire       breaks   = times_out || bad || (good && (first || (word && !room)));
    assign pushes       = open ? breaks || (good && word) : enters;
    assign aborts       = open && breaks;
    assign open_next    = open ? !(breaks || (good && ends)) : enters;
endmodule

`default_nettype wire
