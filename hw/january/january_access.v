// january_access: makes at most one connection in a clock (January paper 4.6, Table G; rules J6, J7). All net_outputs of a
// connection are taken in one clock, or none is, so no partial find ever holds one.
//
//   turn --> that net_input first, then the others in order --> the first whose net_outputs are all available
//
// The turn stays with a net_input that seeks until it is connected. A packet that needs one net_output gets it so the first time
// that it is available in its turn.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module january_access #(
    parameter PORTS = 5
) (
    input  wire                   clk,
    input  wire                   reset,

    // Headings, net_input p at [p*PORTS +: PORTS] and [3*p +: 3].
    input  wire [PORTS*PORTS-1:0] whole,
    input  wire [PORTS*PORTS-1:0] split,
    input  wire [3*PORTS-1:0]     whole_type,
    input  wire [3*PORTS-1:0]     split_type,

    input  wire [PORTS-1:0]       available,   // net_outputs that have no owner and are free

    output reg  [3*PORTS-1:0]     offer,       // types of the connections, of one net_input at most
    output reg  [PORTS-1:0]       grants,      // one-hot: that net_input
    output reg  [PORTS-1:0]       outputs      // its net_outputs
);
    localparam            BITS      = $clog2(PORTS);
    localparam [31:0]     LAST_PORT = PORTS - 1;
    localparam [BITS-1:0] LAST_TURN = LAST_PORT[BITS-1:0];

    reg  [PORTS-1:0] seeks, whole_fits, split_fits;
    reg  [BITS-1:0]  turn;
    wire [BITS-1:0]  after_turn = turn == LAST_TURN ? {BITS{1'b0}} : turn + 1'b1;

    // A packet is split wherever local is available: only where it is not does it pass whole (J6).
    integer         p, k;
    reg  [BITS-1:0] at;
    always @* begin
        for (p = 0; p < PORTS; p = p + 1) begin
            seeks[p]      = |whole[p*PORTS +: PORTS];
            split_fits[p] = |split[p*PORTS +: PORTS] && (split[p*PORTS +: PORTS] & ~available) == {PORTS{1'b0}};
            whole_fits[p] = seeks[p] && (whole[p*PORTS +: PORTS] & ~available) == {PORTS{1'b0}} &&
                            !(|split[p*PORTS +: PORTS] && available[0]);
        end
        grants  = {PORTS{1'b0}};
        at      = turn;
        for (k = 0; k < PORTS; k = k + 1) begin
            if (grants == {PORTS{1'b0}} && (whole_fits[at] || split_fits[at])) grants[at] = 1'b1;
            at = at == LAST_TURN ? {BITS{1'b0}} : at + 1'b1;
        end
        offer   = {PORTS{`POSTROAD_JANUARY_CONNECTION_SEEK}};
        outputs = {PORTS{1'b0}};
        for (p = 0; p < PORTS; p = p + 1)
            if (grants[p]) begin
                offer[3*p +: 3] = split_fits[p] ? split_type[3*p +: 3] : whole_type[3*p +: 3];
                outputs         = split_fits[p] ? split[p*PORTS +: PORTS] : whole[p*PORTS +: PORTS];
            end
    end

    always @(posedge clk)
        if (reset) turn <= {BITS{1'b0}};
        else if (|seeks && (grants[turn] || !seeks[turn])) turn <= after_turn;
endmodule

`default_nettype wire
