// What is measured as `fifo_buffer`: the one towards the operator, as deep as in a site.
// SPDX-License-Identifier: ISC
`default_nettype none

module measured_fifo_buffer #(
    parameter WORD_WIDTH = 16,
    parameter DEPTH = 64,
    parameter TAG_WIDTH = 4,
    parameter IN  = WORD_WIDTH + TAG_WIDTH + 2,   // follow from the above: not to be set
    parameter OUT = WORD_WIDTH + TAG_WIDTH + 1
) (
    input  wire           clk,
    input  wire [IN-1:0]  in,
    output wire [OUT-1:0] out
);
    localparam WIDTH = WORD_WIDTH + TAG_WIDTH;

    wire             wait_out;
    wire [WIDTH-1:0] word_out;
    wire             quiet;

    fifo_buffer #(.WORD_WIDTH(WORD_WIDTH), .TAG_WIDTH(TAG_WIDTH), .DEPTH(DEPTH)) fifo_buffer (
        .clk(clk), .reset(in[0]), .wait_in(in[1]), .word_in(in[2 +: WIDTH]), .wait_out(wait_out), .word_out(word_out),
        .quiet(quiet));

    wire unused = &{1'b0, quiet};
    assign out = {wait_out, word_out};
endmodule

`default_nettype wire
