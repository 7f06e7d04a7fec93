// eager_fabric_port: the words that the fabric sends by a link. It makes `wait`, follows the packets, and breaks off those
// that cannot go on: their rest is accepted and discarded (rules F3, X1, R4). word_departure.v is the same for the shared
// engine.
//
//   clock     0    1    2          while no word is shown, `wait` is 0: the net_output may load at any time (U1)
//   tag       H    H    -
//   takes     1                    eager_sender has a copy of the word from here on
//   waits     1    0    0
//
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module eager_fabric_port (
    input  wire       clk,
    input  wire       step,    // the edge at the end of this clock is one of the fabric's clock
    input  wire       reset,   // the fabric's, or the link's; as long as at least one step
    input  wire [2:0] tag,     // of the word that the fabric shows
    output wire       waits,
    input  wire       broken,  // the link is down, or the far end has lost a frame: the packet under way is broken off
    input  wire       down,    // words are accepted and discarded
    input  wire       takes,   // with waits and step: the word is sent
    output wire       first    // the far end has no packet of the fabric open, or is to end it
);
    reg opens;     // the word that is shown leaves
    reg taken;     // it has been sent
    reg begun;     // the fabric has begun a packet and not ended it
    reg discards;  // its rest is not for the far end

    wire moves         = |tag && opens;
    wire ends          = tag == `POSTROAD_TAG_END_OF_PACKET || tag == `POSTROAD_TAG_ABORT_PACKET;
    wire begun_next    = moves ? !ends : begun;
    wire discards_next = begun_next && (discards || broken || (moves && !taken));

    assign waits = |tag && !opens;
    assign first = !begun || discards;

    always @(posedge clk)
        if (reset) begin
            opens    <= 1'b0;
            taken    <= 1'b0;
            begun    <= 1'b0;
            discards <= 1'b0;
        end else if (step) begin
            opens    <= down || discards_next || takes;
            taken    <= takes;
            begun    <= begun_next;
            discards <= discards_next;
        end
endmodule

`default_nettype wire
