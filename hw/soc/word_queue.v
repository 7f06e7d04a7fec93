// word_queue: a FIFO of two words, the minimum for one word per clock without a combinational path between the handshakes of its
// two sides. The network_interface has one for each of its streams.
// SPDX-License-Identifier: ISC
`default_nettype none

module word_queue #(
    parameter WIDTH = 19     // of a word with its tag
) (
    input wire clk,
    input wire reset,

    // In: push is allowed only if count, less a pop in this clock, leaves room.
    input wire             push,
    input wire [WIDTH-1:0] word_in,

    // Out: head stays until pop and is 0 while the queue is empty. A word appears one clock after its push.
    input wire             pop,
    output reg [WIDTH-1:0] head,
    output reg [1:0]       count
);

    reg [WIDTH-1:0] second;

    wire [1:0] kept = count - {1'b0, pop};

    always @(posedge clk)
        if (reset) begin
            head <= {WIDTH{1'b0}};
            count <= 2'd0;
        end else begin
            if (kept == 2'd0)
                head <= push ? word_in : {WIDTH{1'b0}};
            else if (pop)
                head <= second;
            count <= kept + {1'b0, push};
        end

    always @(posedge clk)
        if (push)
            second <= word_in;

endmodule

`default_nettype wire
