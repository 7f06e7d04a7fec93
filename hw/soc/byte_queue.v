// byte_queue: a FIFO of bytes in one memory with a registered read port, which tools map to block RAM or to look-up tables.
//
// A byte that comes while the queue is full is lost. The byte that is shown has left the memory, so the queue holds one more.
// Timing: a byte is shown two clocks after its push.
// SPDX-License-Identifier: ISC
`default_nettype none

module byte_queue #(
    parameter DEPTH = 512  // a power of two: 512 bytes are one block RAM of an iCE40
) (
    input wire clk,
    input wire reset,

    input wire       push,
    input wire [7:0] byte_in,

    // A byte moves in each clock with valid and ready; valid and the byte hold until then.
    output reg       valid,
    output reg [7:0] byte_out,
    input  wire      ready
);
    localparam BITS = $clog2(DEPTH);

    (* no_rw_check *)                 // no clock reads and writes the same byte
    reg [7:0]      memory [0:DEPTH-1];
    reg [BITS-1:0] written, fetched;  // bytes, modulo DEPTH: one place stays empty

    wire [BITS-1:0] written_next = written + 1'b1;
    wire            full         = written_next == fetched;
    wire            fetch        = written != fetched && (!valid || ready);

    always @(posedge clk)
        if (push)
            memory[written] <= byte_in;

    always @(posedge clk)
        if (fetch)
            byte_out <= memory[fetched];

    always @(posedge clk)
        if (reset) begin
            written <= {BITS{1'b0}};
            fetched <= {BITS{1'b0}};
            valid <= 1'b0;
        end else begin
            if (push && !full)
                written <= written_next;
            if (fetch)
                fetched <= fetched + 1'b1;
            valid <= fetch || (valid && !ready);
        end
endmodule

`default_nettype wire
