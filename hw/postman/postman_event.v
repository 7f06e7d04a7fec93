// postman_event: the pulses of eight machines as pulses of one counter, one a clock. Exact for events of packets: a machine has
// one per packet, which takes 10 clocks at least, and the eight pulses of one clock leave within 8.
// SPDX-License-Identifier: ISC
`default_nettype none

module postman_event (
    input  wire       clk,
    input  wire       reset,
    input  wire [7:0] pulses,
    output wire       event_one,
    output wire       quiet       // none is left over
);
    reg  [7:0] left;
    wire [7:0] all = left | pulses;

    assign event_one = |all;
    assign quiet     = left == 8'd0;

    always @(posedge clk)
        left <= reset ? 8'd0 : all & (all - 8'd1);
endmodule

`default_nettype wire
