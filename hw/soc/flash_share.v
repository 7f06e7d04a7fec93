// flash_share: one SPI flash for the sites of an FPGA. A site has the flash from the clock in which it is granted until it no
// longer wants it; of those that wait, the one with the lowest number is next. A site that wants the flash may deselect it in
// between: no other site comes between two commands that belong together, nor while the flash is busy with what they have begun.
//
//   wanted[0]       _/------------------\________________
//   wanted[1]       _____/------------------------------
//   granted[0]      __/------------------\_______________
//   granted[1]      __________________________/----------
//   select_n[0]     -\______/---\_______/---------------
//   select_n[1]     -----\______________________________
//   flash_select_n  --\_____/---\_______/-----\__________    a pause, in which the flash ends one command before the next
//
// SPDX-License-Identifier: ISC
`default_nettype none

module flash_share #(
    parameter SITES = 4
) (
    input wire clk,

    // Sites: board_site, whose shifter waits until it is granted
    input  wire [SITES-1:0] wanted,   // 1 while select_n is 0
    input  wire [SITES-1:0] select_n,
    input  wire [SITES-1:0] clocks,
    input  wire [SITES-1:0] outs,
    output reg  [SITES-1:0] granted,

    output wire flash_select_n,
    output wire flash_clock,
    output wire flash_out
);
    localparam [1:0] PAUSE = 2'd3;

    reg [1:0] pause;

    wire [SITES-1:0] first  = wanted & (~wanted + {{SITES-1{1'b0}}, 1'b1});
    wire             used   = |(granted & wanted);

    initial begin
        granted = {SITES{1'b0}};
        pause = PAUSE;
    end

    always @(posedge clk)
        if (|granted && !used) begin
            granted <= {SITES{1'b0}};
            pause <= PAUSE;
        end else if (pause != 2'd0)
            pause <= pause - 2'd1;
        else if (!used)
            granted <= first;

    assign flash_select_n = !(|(granted & ~select_n));
    assign flash_clock = |(granted & clocks);
    assign flash_out = |(granted & outs);
endmodule

`default_nettype wire
