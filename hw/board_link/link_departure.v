// link_departure: the words that leave a site by one link, as the fabric sees them. It makes `wait`, follows the packets, and
// breaks off those that cannot go on: their rest is accepted and discarded (rules F3, X1, R4).
//
// A word stays in its net_output while its frame is sent, and leaves it with the frame's last byte. The link is open for a clock
// now and then while no word is shown, because a net_output loads only when it is not to wait.
//
//              word shown, wait = 1           claim               release
//   waiting ---------------------> shown ------------> claimed ------------> word leaves: wait = 0 for a clock
//                                     \                   |
//                                      \  down            | down or reset: the word is gone, `intact` is 0
//                                       '--> word leaves, rest of the packet is discarded
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module link_departure (
    input  wire       clk,
    input  wire       step,       // the edge at the end of this clock is one of the fabric's clock
    input  wire       reset,      // the fabric's, or the link's; as long as at least one step

    // Fabric: tag of the word that is shown.
    input  wire [2:0] tag,
    output reg        waits,

    // Engine. A word that is claimed stays until it is released. claim and release are evaluated with step.
    input  wire       down,       // no word can go: words are accepted and discarded
    input  wire       cut,        // the far end has lost a word: the rest of the packet under way is discarded
    input  wire       claim,
    input  wire       release_word,
    output wire       ready,      // a word is shown and waits for a frame
    output wire       first,      // the far end has no packet open from this link, or is to end it
    output reg        intact      // the word that was claimed is still shown
);
    reg begun;     // the fabric has begun a packet and not ended it
    reg discards;   // its rest is not for the far end

    wire shown         = |tag;
    wire moves         = shown && !waits;
    wire ends          = tag == `POSTROAD_TAG_END_OF_PACKET || tag == `POSTROAD_TAG_ABORT_PACKET;
    wire begun_next   = moves ? !ends : begun;
    wire discards_next = begun_next && (discards || down || cut || (moves && !intact));
    wire opens         = down || discards_next || release_word || (waits && !shown);

    assign ready = shown && waits && !down && !discards;
    assign first = !begun || discards;

    always @(posedge clk)
        if (reset) begin
            waits    <= 1'b1;
            begun   <= 1'b0;
            discards <= 1'b0;
            intact   <= 1'b0;
        end else if (step) begin
            waits    <= !opens;
            begun   <= begun_next;
            discards <= discards_next;
            intact   <= (intact || claim) && waits && shown;
        end
endmodule

`default_nettype wire
