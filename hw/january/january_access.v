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

`ifdef FORMAL
    wire [PORTS-1:0] is_split, is_whole, is_offered;
    wire [PORTS*PORTS-1:0] needs;
    genvar q;
    generate
        for (q = 0; q < PORTS; q = q + 1) begin : made
            assign is_split[q]   = offer[3*q +: 3] == split_type[3*q +: 3];
            assign is_whole[q]   = offer[3*q +: 3] == whole_type[3*q +: 3];
            assign is_offered[q] = offer[3*q +: 3] != `POSTROAD_JANUARY_CONNECTION_SEEK;
            assign needs[q*PORTS +: PORTS] = is_split[q] ? split[q*PORTS +: PORTS] : whole[q*PORTS +: PORTS];
            always @(posedge clk) begin
                // The headings: types of connections; a packet to several sites needs local, and a packet that seeks an output.
                assume (whole_type[3*q +: 3] == `POSTROAD_JANUARY_CONNECTION_UNICAST ||
                        whole_type[3*q +: 3] == `POSTROAD_JANUARY_CONNECTION_PASSTHRU);
                assume (split_type[3*q +: 3] == `POSTROAD_JANUARY_CONNECTION_ALL_REMOTE ||
                        split_type[3*q +: 3] == `POSTROAD_JANUARY_CONNECTION_SOME_LOCAL);
                assume (!(|split[q*PORTS +: PORTS]) || (split[q*PORTS] && |whole[q*PORTS +: PORTS]));

                // J7: all net_outputs of the connection are taken, and all of them were available; or none is.
                assert (is_offered[q] == grants[q]);
                if (grants[q]) assert (|needs[q*PORTS +: PORTS] && outputs == needs[q*PORTS +: PORTS]);
                if (grants[q]) assert ((outputs & ~available) == {PORTS{1'b0}});
                // J6: a packet that may be split passes whole only where local is not available.
                if (grants[q] && is_whole[q] && |split[q*PORTS +: PORTS]) assert (!available[0]);
                // J7: in its turn a packet gets what it needs when it is there.
                if (turn == q && |split[q*PORTS +: PORTS] && (split[q*PORTS +: PORTS] & ~available) == {PORTS{1'b0}})
                    assert (grants[q] && is_split[q]);
                if (turn == q && |whole[q*PORTS +: PORTS] && !(|split[q*PORTS +: PORTS]) &&
                    (whole[q*PORTS +: PORTS] & ~available) == {PORTS{1'b0}})
                    assert (grants[q]);
            end
        end
    endgenerate

    reg past_valid = 1'b0;
    always @(posedge clk) begin
        past_valid <= 1'b1;
        if (!past_valid) assume (reset);
        assert ((grants & (grants - 1'b1)) == {PORTS{1'b0}});                     // one connection in a clock
        if (grants == {PORTS{1'b0}}) assert (outputs == {PORTS{1'b0}});
        if (past_valid && !reset) begin
            assert (turn <= LAST_TURN);
            // J7: the turn stays with a packet that seeks, and leaves the net_inputs that do not.
            if (!$past(reset) && $past(|seeks))
                assert (turn == ($past(seeks[turn] && !grants[turn]) ? $past(turn) : $past(after_turn)));
            cover (|grants && is_split[turn] && grants[turn] && $past(seeks[turn] && !grants[turn]));
            cover (|grants && !grants[turn]);
        end
    end
`endif
endmodule

`default_nettype wire
