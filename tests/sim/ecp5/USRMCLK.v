// USRMCLK: the clock pin of an ECP5's configuration flash, as a cell without a function, for the RTL of a board.
// SPDX-License-Identifier: ISC
`default_nettype none

module USRMCLK (
    input  wire USRMCLKI,
    input  wire USRMCLKTS,
    output wire USRMCLKO
);
    assign USRMCLKO = USRMCLKI && !USRMCLKTS;
endmodule

`default_nettype wire
