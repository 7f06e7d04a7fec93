// postman_event: the pulses of machines as pulses of one counter, one a clock. Exact for events of packets at eight machines: a
// machine has one per packet, which takes 10 clocks at least, and the eight pulses of one clock leave within 8. The sixteen
// of a torus need 16 clocks: a real packet takes 19, but a dead flit behind another may be counted as one with it.
// SPDX-License-Identifier: ISC
`default_nettype none

module postman_event #(
    parameter MACHINES = 8  // of a site: 8 or 16
) (
    input  wire                clk,
    input  wire                reset,
    input  wire [MACHINES-1:0] pulses,
    output wire                event_one,
    output wire                quiet       // none is left over
);
    localparam [MACHINES-1:0] NONE = 0, ONE = 1;

    reg  [MACHINES-1:0] left;
    wire [MACHINES-1:0] all = left | pulses;

    assign event_one = |all;
    assign quiet     = left == NONE;

    always @(posedge clk)
        left <= reset ? NONE : all & (all - ONE);
endmodule

`default_nettype wire
