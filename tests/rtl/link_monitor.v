// link_monitor: watches one stream of words and its status; names the rule that is broken and raises `failed` for good.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module link_monitor #(
    parameter WORD_WIDTH = 16,
    parameter LOCAL      = 0,  // 1: the stream from the upstream fifo_buffer to the operator
    parameter EXISTS     = 1   // 0: an output over the edge of a grid, which must never carry a word
) (
    input wire                  clk,
    input wire                  reset,
    input wire [WORD_WIDTH+3:0] word,
    input wire                  status_wait,
    output reg                  failed
);
    initial failed = 1'b0;

    wire [3:0] tag = word[WORD_WIDTH +: 4];
    wire moves = |tag && !status_wait;

    reg in_packet, in_data;
    reg held;
    reg [WORD_WIDTH+3:0] held_word;

    task broken(input [8*64-1:0] rule);
        begin
            $display("error: %m: %0s (word %h)", rule, word);
            failed = 1'b1;
        end
    endtask

    wire site_word  = tag == `POSTROAD_TAG_UNICAST_SITE || tag == `POSTROAD_TAG_MULTICAST_SITE;
    wire terminator = tag == `POSTROAD_TAG_END_OF_PACKET || tag == `POSTROAD_TAG_ABORT_PACKET
                      || (LOCAL && tag == `POSTROAD_TAG_LOCAL_END_OF_PACKET);

    always @(posedge clk)
        if (reset) begin
            in_packet <= 1'b0;
            in_data <= 1'b0;
            held <= 1'b0;
        end else begin
            if (^word === 1'bx || status_wait === 1'bx) broken("unknown bits on a link");
            if (!EXISTS && |tag) broken("U1: a word over the edge");
            if (tag[3] && !(LOCAL && tag == `POSTROAD_TAG_LOCAL_END_OF_PACKET)) broken("P5: a local tag on a link");
            // What null_transmission, null_target and abort_packet carry besides their tag means nothing.
            if ((tag == `POSTROAD_TAG_END_OF_PACKET || tag == `POSTROAD_TAG_LOCAL_END_OF_PACKET) && |word[WORD_WIDTH-1:0])
                broken("P2: an end_of_packet with content");
            if (LOCAL && tag == `POSTROAD_TAG_NULL_TARGET) broken("P4: null_target passed a fifo_buffer");
            if (held && word !== held_word) broken("F3b: a word changed while the status was wait");
            held <= |tag && status_wait;
            held_word <= word;
            if (moves) begin
                // A branch that is aborted before it has carried a word shows its abort_packet alone (M7).
                if (!in_packet && !site_word && (LOCAL || tag != `POSTROAD_TAG_ABORT_PACKET))
                    broken("P3: a packet does not begin with a site word");
                if (in_packet && in_data && !terminator && tag != `POSTROAD_TAG_DATA)
                    broken("P1: a target word behind data");
                in_packet <= !terminator;
                in_data <= !terminator && tag == `POSTROAD_TAG_DATA;
            end
        end
endmodule

`default_nettype wire
