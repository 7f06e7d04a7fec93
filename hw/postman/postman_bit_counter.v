// postman_bit_counter: which bit of a flit this clock has (R1). It stands at the header bit until a flit begins there, and comes
// back to the header bit with the next flit.
//
//   clock    0     1     2    ...  FLIT   FLIT+1
//   left     FLIT  FLIT-1          0      FLIT        bits of the flit that follow this one
//   header   1     0     0         0      1
//
// SPDX-License-Identifier: ISC
`default_nettype none

module postman_bit_counter #(
    parameter FLIT = 8  // bits of a flit, without its header bit
) (
    input  wire                      clk,
    input  wire                      reset,
    input  wire                      advance,
    input  wire                      goes_on,  // in the clock of the header bit: there is one, and its flit follows
    output wire                      header,   // this clock has the place of the header bit
    output reg  [$clog2(FLIT+1)-1:0] left
);
    localparam [$clog2(FLIT+1)-1:0] HEADER = FLIT;

    assign header = left == HEADER;

    always @(posedge clk)
        if (reset) left <= HEADER;
        else if (advance) begin
            if (header && !goes_on || left == 0) left <= HEADER;
            else left <= left - 1'b1;
        end
endmodule

`default_nettype wire
