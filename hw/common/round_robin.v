// round_robin: fair arbiter. Combinational grant; after a grant the requesters behind the granted one go first, so that
// none waits for more than N-1 others (rule U1, "arbitration among net_inputs is fair").
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
`ifdef FORMAL
    // Whoever keeps asking is served after at most N-1 others.
    (* anyconst *) reg [N-1:0] watched;
    reg [N-1:0] overtaken;        // requesters served since the watched one began to ask
    reg         past_valid = 1'b0;
    wire        asks   = |(request & watched);
    wire        served = |(grant & watched);

    always @(posedge clk) begin
        past_valid <= 1'b1;
        if (!past_valid) assume (reset);
        assume ((watched & (watched - 1'b1)) == {N{1'b0}} && |watched);
        overtaken <= reset || served || !asks ? {N{1'b0}} : overtaken | grant;
        if (past_valid && !reset) begin
            assert ((grant & ~request) == {N{1'b0}} && (grant & (grant - 1'b1)) == {N{1'b0}});
            assert (|grant == |request);
            if (asks) assert ((grant & overtaken) == {N{1'b0}});
            cover (served && overtaken == ~watched);
        end
    end
`endif
endmodule

`default_nettype wire
