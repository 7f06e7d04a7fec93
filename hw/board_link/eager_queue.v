// eager_queue: sixteen words between a link that receives and the fabric, or the opposite link. The oldest word is shown in
// the clock behind that in which it entered (LUT-RAM). More than fifteen words lose the oldest: the writer looks at `level`.
// SPDX-License-Identifier: ISC
`default_nettype none

module eager_queue #(
    parameter WIDTH = 19
) (
    input  wire             clk,
    input  wire             reset,
    input  wire             push,
    input  wire [WIDTH-1:0] word,
    output wire [3:0]       level,
    input  wire             pop,     // only with level != 0
    output wire [WIDTH-1:0] oldest   // valid with level != 0
);
    reg [WIDTH-1:0] memory [0:15];
    reg [3:0]       write_place, read_place;

    assign level  = write_place - read_place;
    assign oldest = memory[read_place];

    always @(posedge clk) begin
        if (push) memory[write_place] <= word;
        if (reset) {write_place, read_place} <= 8'd0;
        else begin
            write_place <= write_place + {3'd0, push};
            read_place  <= read_place + {3'd0, pop};
        end
    end
endmodule

`default_nettype wire
