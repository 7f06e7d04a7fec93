// star_queue: 64 words, of which the last 44 are for what comes after `full`.
// SPDX-License-Identifier: ISC
`default_nettype none

module star_queue #(
    parameter WIDTH = 19  // tag and word; all zeroes is no word
) (
    input  wire             clk,
    input  wire             reset,
    input  wire [WIDTH-1:0] word_in,   // is taken in every clock
    output reg              full,
    output wire             full_next, // `full` after the next edge
    output wire [WIDTH-1:0] word_out,
    output wire             empty,
    input  wire             take
);
    localparam ROOM = 20;

    reg [WIDTH-1:0] words[0:63];
    reg [5:0]       first, next;
    wire            put   = !reset && word_in != {WIDTH{1'b0}};
    wire [5:0]      first_next = reset ? 6'd0 : first + {5'd0, take};
    wire [5:0]      next_next  = reset ? 6'd0 : next + {5'd0, put};
    wire [5:0]      count_next = next_next - first_next;

    assign full_next = reset || count_next >= ROOM;
    assign word_out  = words[first];
    assign empty     = first == next;

    always @(posedge clk) begin
        first <= first_next;
        next  <= next_next;
        full  <= full_next;
        if (put)
            words[next] <= word_in;
    end
endmodule

`default_nettype wire
