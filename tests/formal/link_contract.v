// What both ends of a link may rely on (rules P1 to P3, F3). In a proof every link has one of these: the end under
// proof asserts its half, and the other half is assumed. Two proofs compose where one asserts what the other assumes;
// proofs has the pairs.
//
//   sender:   a shown word is still while it must wait (F3b); packets have their form (P1, P3, P5): end_of_packet's word
//             is 0, the words of null_transmission, null_target and abort_packet mean nothing and may be anything (P2)
//   receiver: wait is 1 in the clock after reset, so that nothing moves before it. No proof assumes that: behind a link_guard
//   the sender may see the status of a receiver that was not in reset
//
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module link_contract #(
    parameter WORD_WIDTH      = 16,
    parameter TAG_WIDTH       = 3,  // 4 between the local net_output and the operator
    parameter ASSUME_SENDER   = 0,  // 1: the sender is not the module under proof
    parameter FOREIGN_RECEIVER = 0, // 1: the receiver is not either
    parameter PACKETS         = 1   // 0: any words in any order
) (
    input wire                            clk,
    input wire                            reset,
    input wire [TAG_WIDTH+WORD_WIDTH-1:0] word,
    input wire                            waits,
    output wire                           multicast_open   // a multicast is under way
);
    wire [2:0] tag     = word[WORD_WIDTH +: 3];
    wire       local_bit   = TAG_WIDTH == 4 && word[TAG_WIDTH+WORD_WIDTH-1];
    wire       shown   = |tag;
    wire       moves   = shown && !waits;

    wire unicast   = tag == `POSTROAD_TAG_UNICAST_SITE;
    wire multicast = tag == `POSTROAD_TAG_MULTICAST_SITE;
    wire ends      = tag == `POSTROAD_TAG_END_OF_PACKET;
    wire terminates = ends || tag == `POSTROAD_TAG_ABORT_PACKET;

    // The packet that the word shown belongs to.
    reg in_packet, copied, data_seen;
    assign multicast_open = in_packet && copied;
    // A branch that is aborted before it has carried a word shows a lone abort_packet (M7).
    wire lone_abort  = tag == `POSTROAD_TAG_ABORT_PACKET && TAG_WIDTH == 3;
    wire inside_fits = terminates || tag == `POSTROAD_TAG_DATA ||
                       (!data_seen && (tag == `POSTROAD_TAG_TARGET_INFO ||
                                       (copied && (multicast || tag == `POSTROAD_TAG_NULL_TARGET))));
    wire local_fits  = !local_bit || (in_packet && copied && ends);
    wire form_fits   = (!shown || (in_packet ? inside_fits : multicast || unicast || lone_abort)) && local_fits;

    reg                            past_valid = 1'b0;
    reg                            held;
    reg [TAG_WIDTH+WORD_WIDTH-1:0] word_before;
    reg                            reset_before;
    wire still_fits = !past_valid || reset_before || !held || word == word_before;
    wire value_fits = !ends || word[WORD_WIDTH-1:0] == {WORD_WIDTH{1'b0}};
    wire sender_fits   = still_fits && (PACKETS == 0 || (value_fits && form_fits));
    wire receiver_fits = !past_valid || !reset_before || waits;

    always @(posedge clk) begin
        past_valid   <= 1'b1;
        reset_before <= reset;
        word_before  <= word;
        held         <= shown && waits;
        if (reset) begin
            in_packet <= 1'b0;
            copied    <= 1'b0;
            data_seen <= 1'b0;
        end else if (moves) begin
            in_packet <= !terminates;
            copied    <= in_packet ? copied : multicast;
            data_seen <= in_packet && !terminates && (data_seen || tag == `POSTROAD_TAG_DATA);
        end
    end

    generate
        if (ASSUME_SENDER != 0) begin : sender_assumed
            always @(posedge clk) if (past_valid && !reset) assume (sender_fits);
        end else begin : sender_asserted
            always @(posedge clk) if (past_valid && !reset) assert (sender_fits);
        end
        if (FOREIGN_RECEIVER == 0) begin : receiver_asserted
            always @(posedge clk) if (past_valid && !reset) assert (receiver_fits);
        end
    endgenerate
endmodule

`default_nettype wire
