// postman_event: the pulses of machines as pulses of one counter, one a clock. Those for which there is no clock yet are counted.
//
// A machine has a pulse in 10 clocks at most, since dead flits may follow each other in so many. So of the eight machines of a
// grid seven pulses wait at most. The sixteen of a torus may for a time have 16 pulses in 10 clocks: while no more than 255 wait,
// none is lost.
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
    localparam WIDTH = MACHINES == 8 ? 3 : 8;
    localparam [WIDTH-1:0] NONE = 0, MOST = ~NONE;

    reg  [WIDTH-1:0] left;
    reg  [WIDTH:0]   all;   // with the pulses of this clock
    wire [WIDTH:0]   rest = all - {{WIDTH{1'b0}}, event_one};
    integer          m;

    always @* begin
        all = {1'b0, left};
        for (m = 0; m < MACHINES; m = m + 1) all = all + {{WIDTH{1'b0}}, pulses[m]};
    end

    assign event_one = |all;
    assign quiet     = left == NONE;

    always @(posedge clk)
        left <= reset ? NONE : rest[WIDTH] ? MOST : rest[WIDTH-1:0];
endmodule

`default_nettype wire
