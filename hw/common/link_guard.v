// link_guard: one direction of a link between two sites that are not always reset together (rules X1, F3, U4). A fabric assumes
// that its links deliver complete packets: a packet without a terminator would own its outputs for ever. Whatever fault hits the
// sender or the link, the guard passes on either whole packets or truncated packets that end with abort_packet.
//
//                        +------------+
//   sender  -- word_in ->| link_guard |-- word_out -> receiver        no fault: two wires, no clock is added
//           <--- wait_in-|            |<- wait_out --
//                        +------------+
//
// A fault is a clock in which an end is in reset, or the link is down, or a damaged word arrives:
//
//   packet that the fault hits          towards the receiver                       status towards the sender
//   head not yet shown to the receiver  nothing of the packet                      `open` up to the packet's terminator
//   head shown to the receiver          a waiting word stays until it is taken,    `open` up to the packet's terminator
//                                       then abort_packet, at once
//   next packet, before the receiver    follows the abort_packet                   `wait` until then
//   has taken the abort_packet
//
//   clock       0    1    2    3    4    5
//   link_down   0    0    1    1    0    0
//   word_in     H    D1   D2   D3   E    H'     the packet H D1 D2 D3 E is broken off, H' is the next one
//   word_out    H    D1   A    -    -    H'     A: abort_packet
//
// Each direction has one guard on chip, between the two sites. A board link has two: one behind its receiver (which is then the
// sender of this module) and one in front of its transmitter. The guard needs no reset: at power-on both ends are in reset.
// Cost: a bit of memory and a look-up table for each bit of the link, seven flags, and their logic (hw/utilisation/report.csv).
// sim/engine/link_fault_model.c is the same function in C; tests/sim/test_link_guard.sh proves them equal.
//
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module link_guard #(
    parameter WORD_WIDTH = 16  // as the fabric's
) (
    input  wire                  clk,

    // Sender: a net_output, or the receiver of a board link. A word is transferred in exactly the clocks in which word_in shows
    // one and wait_in is 0; it is stable while wait_in is 1. sender_reset: the sender drops the packet that it was sending and
    // begins again with a head; word_in is ignored in such a clock. On a board: the sender's site or the link's far end restarts.
    input  wire                  sender_reset,
    input  wire [WORD_WIDTH+2:0] word_in,
    output wire                  wait_in,

    // Faults of the link, or 0. link_down: no word passes, but each end keeps its state. damaged: the word on word_in differs
    // from the word that was sent; the signal is evaluated in the first clock in which the word is shown.
    input  wire                  link_down,
    input  wire                  damaged,

    // Receiver: a net_input, or the transmitter of a board link. The same contract. receiver_reset: the receiver drops its
    // incomplete packet; word_out shows no word in such a clock.
    input  wire                  receiver_reset,
    output wire [WORD_WIDTH+2:0] word_out,
    input  wire                  wait_out
);
    reg [WORD_WIDTH+2:0] kept;  // word_out of the clock before
    reg holds;                  // kept is still shown: the receiver has not taken it, and the sender no longer shows it
    reg pending;                // the receiver has not taken kept, and the sender still shows it
    reg owes;                   // an abort_packet follows the held word
    reg receiver_within;        // the receiver has the beginning of a packet, but not its terminator
    reg sender_within;          // the sender has sent the beginning of a packet, but not its terminator
    reg swallows;               // the guard discards the rest of the sender's packet
    reg seen;                   // the sender showed the same word in the clock before

    function ends(input [2:0] tag);
        ends = tag == `POSTROAD_TAG_END_OF_PACKET || tag == `POSTROAD_TAG_ABORT_PACKET;
    endfunction

    // A fault truncates the packet in flight. The guard owes the receiver an abort_packet, unless the receiver has no packet or
    // is being shown its terminator. The guard discards the rest of the packet that the sender has begun or begins now.
    wire       cut          = link_down || sender_reset || receiver_reset;
    wire       shown        = |word_in[WORD_WIDTH +: 3] && !sender_reset;
    wire       begun        = sender_within && !sender_reset;
    wire       swallowing   = swallows && !sender_reset;
    wire       breaks       = !swallowing && (cut || (damaged && shown && !seen));
    wire       vanishes     = breaks ? shown || begun : swallowing;
    wire       holding      = !receiver_reset && (holds || (breaks && pending));
    wire       owing        = !receiver_reset && (owes || (breaks && (holding ? !ends(kept[WORD_WIDTH +: 3]) : receiver_within)));
    wire       aborting     = owing && !holding;

    // Outputs to both ends. The word beside abort_packet has no meaning (P2).
    wire       passes       = !cut && !vanishes && !holding && !owing;
    wire [2:0] instead      = aborting ? `POSTROAD_TAG_ABORT_PACKET : holding ? kept[WORD_WIDTH +: 3] : 3'd0;
    assign     word_out     = passes ? word_in : {instead, kept[WORD_WIDTH-1:0]};
    assign     wait_in      = !cut && !vanishes && (wait_out || holding || owing);

    wire       leaves       = shown && !wait_in;
    wire       takes        = |word_out[WORD_WIDTH +: 3] && !wait_out;
    wire       begun_next   = leaves ? !ends(word_in[WORD_WIDTH +: 3]) : begun;

    always @(posedge clk) begin
        kept            <= word_out;
        holds           <= (holding || aborting) && wait_out;
        pending         <= passes && shown && wait_out;
        owes            <= owing && holding;
        receiver_within <= !receiver_reset && (takes ? !ends(word_out[WORD_WIDTH +: 3]) : receiver_within);
        sender_within   <= begun_next;
        swallows        <= vanishes && (begun_next || !leaves);
        seen            <= shown && wait_in;
    end
endmodule

`default_nettype wire
