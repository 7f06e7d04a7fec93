// postman_shared_wire: one end of a link on which data and busy of a virtual plane share one wire (Figure 7 of the paper). The
// data are not needed while the next node is busy. Both ends are the same circuit; `sends` gives its sense.
//
// Both ends follow the turns of the wire by what is on it. For a clock between two turns nothing drives it, so that a driver that
// switches off late never meets one that switches on early. (S: the sender drives, R: the receiver, -: neither)
//
//   wire       S0 S1 Sx .. Sx S0  -  R0  -  S0           a packet: header 1, its bits, validity 0; then the receiver's turn
//   position    0  0  1 ..  8  9  0   0  0   0
//   wire       S0  -  R1 R1 R1 R0  -  S0                 the receiver is busy for a while, and keeps the wire as long
//
// The wire also turns in an idle line, at phase N-4 of N = FLIT + 1, so that a receiver whose buffer is to be reserved shows it:
//
//   phase   0   1   2   3   4   5   6   7   8   0   1        FLIT = 8; the receiver becomes busy in phase 2
//   idle    S0  S0  S0  S0  S0  S0  -   R1  R1  R1  R1       line_out_busy is 1 in phases 5 to 7, then as long as R drives 1
//   packet  S0  S1  Sx  Sx  Sx  Sx  Sx  Sx  Sx  Sx  S0  -  R1  R1  R0  -  S0
//
// A header bit stands on the wire only in its phases 0 to N-4. The phase of the wire ahead is one clock later. So a packet finds
// each wire ahead in the phase in which it began, and behind a junction, N clocks later, too: it meets none that turns.
// shared_wire.md has the rules, and what they cost.
// SPDX-License-Identifier: ISC
`default_nettype none

module postman_shared_wire #(
    parameter FLIT  = 8,                 // bits of a flit, at least 4
    parameter WIDTH = $clog2(FLIT + 2)   // follows from FLIT: not to be set
) (
    input  wire             clk,
    input  wire             reset,
    input  wire             sends,         // 1: data leave by this end, 0: they arrive. Constant out of reset
    input  wire [WIDTH-1:0] phase,         // of the wire: counts clocks from 0 to N-1, the same at both ends

    // The wire. Its driver is enabled by a flop.
    input  wire             wire_in,       // what is on it; anything while nothing drives it
    output wire             wire_out,
    output wire             wire_drive,
    output wire             drive_next,    // wire_drive of the next clock

    // The sending node.
    input  wire             line_out,
    output wire             line_out_busy, // no header bit may be loaded into line_out in this clock

    // The receiving node.
    output wire             line_in,
    input  wire             busy,
    output reg              busy_shown     // no packet begins as long as busy stays
);
    localparam [WIDTH-1:0] N = FLIT + 1, LAST_HEADER = FLIT - 3, NONE = 0;

    reg             of_sender, of_receiver; // whose turn it is
    reg             returns;                // from the receiver to the sender
    reg [WIDTH-1:0] position;               // in a packet; 0: idle, or its first header bit; N: a header bit or validity 0

    wire packet_ends = position == N && !wire_in;
    wire idle_ends   = position == NONE && !wire_in && phase == LAST_HEADER;
    wire at_header   = position == NONE || position == N;

    wire of_sender_next   = reset || (of_sender && !packet_ends && !idle_ends) || returns;
    wire of_receiver_next = !reset && (of_receiver ? wire_in : !of_sender && !returns);

    assign wire_drive = sends ? of_sender : of_receiver;
    assign drive_next = sends ? of_sender_next : of_receiver_next;
    assign wire_out   = sends ? line_out : busy;
    assign line_in    = of_sender && wire_in;

    // A header bit that is loaded now is on the wire in the next clock.
    wire in_phase        = phase < LAST_HEADER || phase == N - 1'b1;
    assign line_out_busy = !(in_phase && (returns || of_sender && position == NONE));

    always @(posedge clk) {of_sender, of_receiver} <= {of_sender_next, of_receiver_next};

    always @(posedge clk)
        if (reset) begin
            {returns, busy_shown} <= 2'b00;
            position <= NONE;
        end else begin
            returns     <= of_receiver && !wire_in;
            busy_shown  <= of_receiver && busy;
            if (!of_sender || at_header) position <= of_sender && wire_in ? NONE + 1'b1 : NONE;
            else position <= position + 1'b1;
        end
endmodule

`default_nettype wire
