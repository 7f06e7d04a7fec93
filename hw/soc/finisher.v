// finisher: the test finisher, with which firmware ends its run. It latches the exit status and stops the core until reset.
//
// A simulation ends when every finisher that it waits for has finished. A board can display `status`.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module finisher (
    input wire clk,
    input wire reset,

    // bus.v: request is 1 in one clock of an access. Reads give 0.
    input wire        request,
    input wire        we,
    input wire [31:0] wdata,

    // finished stays 1 until reset; bus.v acknowledges no further access meanwhile. status: the exit status from firmware.
    output reg        finished,
    output reg [31:0] status
);
    wire pass = wdata[15:0] == `POSTROAD_FINISHER_PASS;
    wire fail = wdata[15:0] == `POSTROAD_FINISHER_FAIL;

    always @(posedge clk)
        if (reset) begin
            finished <= 1'b0;
            status <= 32'd0;
        end else if (request && we && (pass || fail)) begin
            finished <= 1'b1;
            status <= pass ? 32'd0 : {16'd0, wdata[31:16]};
        end

endmodule

`default_nettype wire
