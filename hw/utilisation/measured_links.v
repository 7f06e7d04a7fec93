// What is measured as `links`: the four board links of a site, each with a receiver and a sender of its own.
// SPDX-License-Identifier: ISC
`default_nettype none

module measured_links #(
    parameter WORD_WIDTH = 16,
    parameter FORWARDS   = 1,     // 0: they wait for whole words
    parameter IN  = 127,          // follow from the above: not to be set
    parameter OUT = 120
) (
    input  wire           clk,
    input  wire [IN-1:0]  in,
    output wire [OUT-1:0] out
);
    wire        reset = in[0], fabric_reset = in[1], request = in[2], we = in[3];
    wire [3:0]  line_in = in[7:4], link_in_wait = in[11:8];
    wire [75:0] link_out = in[87:12];
    wire [15:0] site_number = in[103:88];
    wire [13:0] site_address = in[117:104];
    wire [7:0]  wdata = in[125:118];
    wire [3:0]  hears;

    eager_links #(.FORWARDS(FORWARDS)) links (
        .clk(clk), .reset(reset), .fabric_reset(fabric_reset), .line_in(line_in), .line_out(out[3:0]), .link_out(link_out),
        .link_out_wait(out[7:4]), .link_in(out[83:8]), .link_in_wait(link_in_wait), .hears(hears), .link_down(out[87:84]),
        .site_number(site_number), .site_address(site_address), .request(request), .we(we), .wdata(wdata), .rdata(out[119:88]));

    wire unused = &{1'b0, in[126], hears} && WORD_WIDTH == 16;
endmodule

`default_nettype wire
