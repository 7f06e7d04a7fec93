// any_receiver: line_receiver.v on a line that carries anything: any byte at any time.
// SPDX-License-Identifier: ISC
`default_nettype none

module line_receiver (
    input  wire       clk,
    input  wire       line,
    output wire [7:0] value,
    output wire [1:0] progress
);
    (* anyseq *) reg [9:0] drawn;
    assign {value, progress} = drawn;
endmodule

`default_nettype wire
