// word_departure: what becomes of the word that the fabric shows for a link, in an operation that sends a byte there.
// Combinational: the state of the packet, and the state behind the operation. It breaks off packets
// that cannot go on: their rest is accepted and discarded (rules X1, R4).
//
// A word stays in its net_output until the third byte of its frame is sent, and the check byte follows without it:
// link_schedule.v has why it may not stay longer. Words to discard leave one an operation.
//
//              place of a frame               third byte
//   shown --------------------------> in frame ---------> accepted
//     |   not down, not stopped                              ^
//     '--------------- down, or the packet is broken off ----'
//
// A packet is broken off when the link is down or the far end has lost a frame. The far end then sees `first` in the next frame
// and ends its half with abort_packet.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module word_departure (
    input  wire [2:0] tag,            // of the word shown
    input  wire       leads,          // the operation may begin a frame
    input  wire       ends_word,      // it sends the last byte of one that needs the word
    input  wire       pauses,         // with leads: the place of the frame stays empty
    input  wire       down,           // no word can go
    input  wire       lost,           // the far end has lost a frame
    input  wire       stopped,        // back-pressure
    input  wire       flushes,        // the fabric is or was in reset: it has no packet begun

    input  wire       in_frame,       // the frame that is being sent carries the word
    input  wire       begun,          // the fabric has begun a packet and not ended it
    input  wire       discards,       // its rest is not for the far end

    output wire       in_frame_next,
    output wire       begun_next,
    output wire       discards_next,
    output wire       first,          // the frame continues no packet: the far end ends what it has open
    output wire       accepts         // the word leaves its net_output
);
    wire shown   = |tag;
    wire ends    = tag == `POSTROAD_TAG_END_OF_PACKET || tag == `POSTROAD_TAG_ABORT_PACKET;
    wire inside_packet  = begun && !flushes;
    wire breaks  = inside_packet && (discards || (leads && (down || lost)));
    wire removes = shown && !in_frame_next && (breaks || down);

    assign in_frame_next = leads ? shown && !pauses && !breaks && !down && !stopped && !flushes : in_frame;
    assign accepts       = !flushes && (removes || (in_frame_next && ends_word));
    assign begun_next    = accepts ? !ends : inside_packet;
    assign discards_next = accepts ? removes && !ends : breaks;
    assign first         = !inside_packet || breaks;
endmodule

`default_nettype wire
