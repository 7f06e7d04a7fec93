// link_guard: one direction of a link between two sites that are not always reset together (rules X1, F3, U4). A fabric trusts
// its links: a packet whose tail never comes keeps its outputs for ever. The guard sees to it that what the receiver gets is
// whole packets, or beginnings that end with abort_packet, whatever happens to the sender or to the link.
//
//                        +------------+
//   sender  -- word_in ->| link_guard |-- word_out -> receiver        no fault: two wires, no clock is added
//           <--- wait_in-|            |<- wait_out --
//                        +------------+
//
// A fault is a clock in which an end is in reset, or the link is down, or a damaged word arrives:
//
//   the packet that the fault hits      receiver                                   sender
//   it has not seen its head            sees nothing of the packet                 is `open` up to its terminator
//   it has seen its head                a word that waits stays until it is taken, is `open` up to its terminator
//                                       then comes abort_packet, as soon as may be
//   the next packet, before the         gets it behind the abort_packet            sees `wait` until then
//   receiver has taken that
//
//   clock       0    1    2    3    4    5
//   link_down   0    0    1    1    0    0
//   word_in     H    D1   D2   D3   E    H'     the packet H D1 D2 D3 E is broken off, H' is the next one
//   word_out    H    D1   A    -    -    H'     A: abort_packet
//
// One guard a direction: on chip between the two sites; at a board link one behind its receiver (that is the sender here), and
// one in front of its transmitter. The guard has no reset of its own: at power-on both ends are in reset.
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
    // one and wait_in is 0; it is still while wait_in is 1. sender_reset: the sender forgets the packet that it was sending,
    // and begins with a head; what it shows in such a clock is no word. On a board: its site, or the link's far end, starts anew.
    input  wire                  sender_reset,
    input  wire [WORD_WIDTH+2:0] word_in,
    output wire                  wait_in,

    // The link, or 0. link_down: nothing gets through, but each end goes on where it was. damaged: the word that word_in shows
    // is not what was sent; counts in the first clock in which it is shown.
    input  wire                  link_down,
    input  wire                  damaged,

    // Receiver: a net_input, or the transmitter of a board link. The same contract. receiver_reset: the receiver forgets what
    // it had of a packet; it is shown nothing in such a clock.
    input  wire                  receiver_reset,
    output wire [WORD_WIDTH+2:0] word_out,
    input  wire                  wait_out
);
    reg [WORD_WIDTH+2:0] kept;  // what was shown to the receiver in the clock before
    reg holds;                  // it goes on being shown: the receiver has not taken it, and the sender does not show it any more
    reg pending;                // the receiver has not taken it, and the sender still shows it
    reg owes;                   // an abort_packet follows what is held
    reg receiver_within;        // the receiver has the beginning of a packet, and no terminator yet
    reg sender_within;          // the sender has got rid of the beginning of a packet, and of no terminator yet
    reg swallows;               // the rest of the sender's packet vanishes
    reg seen;                   // the word that the sender shows was shown in the clock before, too

    function ends(input [2:0] tag);
        ends = tag == `POSTROAD_TAG_END_OF_PACKET || tag == `POSTROAD_TAG_ABORT_PACKET;
    endfunction

    // A fault hits what is under way: the receiver is owed an abort_packet, unless it has no packet, or sees the end of its own;
    // and the rest of what the sender has begun, or begins now, is swallowed.
    wire       cut          = link_down || sender_reset || receiver_reset;
    wire       shown        = |word_in[WORD_WIDTH +: 3] && !sender_reset;
    wire       begun        = sender_within && !sender_reset;
    wire       swallowing   = swallows && !sender_reset;
    wire       breaks       = !swallowing && (cut || (damaged && shown && !seen));
    wire       vanishes     = breaks ? shown || begun : swallowing;
    wire       holding      = !receiver_reset && (holds || (breaks && pending));
    wire       owing        = !receiver_reset && (owes || (breaks && (holding ? !ends(kept[WORD_WIDTH +: 3]) : receiver_within)));
    wire       aborting     = owing && !holding;

    // What the two are shown. The word beside abort_packet means nothing (P2).
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
