// round_robin: fair arbiter. Combinational grant; after a grant the requesters behind the granted one go first, so that
// none waits for more than N-1 others (DESIGN rule U1, "arbitration among net_inputs is fair").
// SPDX-License-Identifier: ISC
`default_nettype none

module round_robin #(
    parameter N = 5  // requesters
) (
    input  wire         clk,
    input  wire         reset,

    // A request that is granted counts as served in the same clock.
    input  wire [N-1:0] request,
    output wire [N-1:0] grant     // one-hot, or zero when nobody asks
);
    reg  [N-1:0] behind;          // requesters with a higher index than the one granted last
    wire [N-1:0] preferred = request & behind;
    wire [N-1:0] candidates = |preferred ? preferred : request;

    assign grant = candidates & (~candidates + 1'b1);

    always @(posedge clk)
        if (reset) behind <= {N{1'b0}};
        else if (|request) behind <= ~(grant | (grant - 1'b1));
endmodule

`default_nettype wire
