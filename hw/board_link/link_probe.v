// link_probe: the register of board_link, through which the core reads any row of link_memory.
// SPDX-License-Identifier: ISC
`default_nettype none

module link_probe (
    input  wire        clk,

    // bus.v: request is 1 in one clock of the fabric's, rdata is valid in that clock.
    input  wire        request,
    input  wire        we,
    input  wire [7:0]  wdata,       // row and half: 1 the right one
    output wire [31:0] rdata,
    input  wire [3:0]  up,

    // link_memory
    output wire [6:0]  row,
    input  wire        reads,       // the memory reads the row in this clock; its halves are there in the next one
    input  wire [15:0] left,
    input  wire [15:0] right
);
    reg [7:0]  chosen;
    reg [15:0] value;
    reg        ready, arrives;

    wire chooses = request && we;

    assign row   = chosen[6:0];
    assign rdata = {ready, 11'd0, up, value};

    always @(posedge clk) begin
        arrives <= reads && !chooses;
        if (chooses) chosen <= wdata;
        if (arrives) value <= chosen[7] ? right : left;
        ready <= !chooses && (ready || arrives);
    end
endmodule

`default_nettype wire
