// What is measured as `board_link`: four links to other boards.
// SPDX-License-Identifier: ISC
`default_nettype none

module measured_board_link #(
    parameter WORD_WIDTH = 16,
    parameter LINKS = 4,
    parameter IN  = 21 * LINKS + 28,   // follow from the above: not to be set
    parameter OUT = 22 * LINKS + 32
) (
    input  wire           clk,
    input  wire [IN-1:0]  in,
    output wire [OUT-1:0] out
);
    wire [21*LINKS-1:0] link = in[IN-1:28];

    wire [LINKS-1:0] hears;

    board_link #(.LINKS(LINKS)) board_link (
        .clk(clk), .reset(in[0]), .fabric_reset(in[1]), .line_in(link[LINKS-1:0]), .line_out(out[32 +: LINKS]),
        .link_out(link[LINKS +: 19*LINKS]), .link_out_wait(out[32+LINKS +: LINKS]), .link_in(out[32+2*LINKS +: 19*LINKS]),
        .link_in_wait(link[20*LINKS +: LINKS]), .hears(hears), .link_down(out[32+21*LINKS +: LINKS]),
        .site_number(in[27:12]), .request(in[2]),
        .we(in[3]), .wdata(in[11:4]), .rdata(out[31:0]));

    wire unused = &{1'b0, WORD_WIDTH[0], hears};
endmodule

`default_nettype wire
