// What is measured as `link_guard`: one direction of a link between two sites on a chip, or behind a board link.
// SPDX-License-Identifier: ISC
`default_nettype none

module measured_link_guard #(
    parameter WORD_WIDTH = 16,
    parameter WITH_LINK = 0,           // 1: the link may be down, and words damaged
    parameter IN  = WORD_WIDTH + 8,    // follow from the above: not to be set
    parameter OUT = WORD_WIDTH + 4
) (
    input  wire           clk,
    input  wire [IN-1:0]  in,
    output wire [OUT-1:0] out
);
    wire [1:0] link = WITH_LINK != 0 ? in[4:3] : 2'd0;

    link_guard #(.WORD_WIDTH(WORD_WIDTH)) link_guard (
        .clk(clk), .sender_reset(in[0]), .word_in(in[5 +: WORD_WIDTH+3]), .wait_in(out[0]), .link_down(link[0]),
        .damaged(link[1]), .receiver_reset(in[1]), .word_out(out[1 +: WORD_WIDTH+3]), .wait_out(in[2]));

    wire unused = &{1'b0, in[4:3]};
endmodule

`default_nettype wire
