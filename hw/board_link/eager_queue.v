// eager_queue: words between a link that receives and the fabric, or the opposite link. The oldest word is shown in the clock
// behind that in which it entered (LUT-RAM). It holds fifteen. With one more it would look empty: the writer looks at `level`.
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

`ifdef FORMAL
    // Any one word, followed from where it enters: it is shown behind those before it, and leaves as it came.
    (* anyseq *) reg follow;
    reg             started = 1'b0;
    reg             followed = 1'b0;
    reg [3:0]       before;         // words in front of it
    reg [WIDTH-1:0] expected;

    wire [3:0] place = read_place + before;

    always @(posedge clk) begin
        started <= 1'b1;
        if (!started) assume (reset);
        if (push) assume (level != 4'd15 || pop);
        if (pop) assume (level != 4'd0);
        if (!followed) begin
            followed <= follow && push && !reset;
            before   <= level - {3'd0, pop};
            expected <= word;
        end else begin
            before <= before - {3'd0, pop};
            if (reset || (pop && before == 4'd0)) followed <= 1'b0;
            assert (before < level);
            assert (memory[place] == expected);
            if (before == 4'd0) assert (oldest == expected);
        end
        if (started && !reset) begin
            cover (level == 4'd15 && push);
            cover (followed && pop && before == 4'd0);
        end
    end
`endif
endmodule

`default_nettype wire
