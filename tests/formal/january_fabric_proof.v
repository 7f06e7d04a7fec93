// The connections of a january site, whatever words its net_inputs hold and whatever its links do (X1). The storage of the
// net_inputs, the ways of targets and the time-out may be anything (any_storage.v); the rest is the fabric as it is. The
// properties stand under FORMAL in january_router.v.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module january_fabric_proof #(
    parameter LINKS = 2
) (
    input wire               clk,
    input wire               reset,
    input wire [LINKS*5-1:0] link_in,
    input wire [LINKS-1:0]   link_out_wait,
    input wire [4:0]         entering,
    input wire               delivered_wait,
    input wire               relief
);
    (* anyconst *) reg [15:0] divert_threshold, relief_limit;

    fabric_core #(.WORD_WIDTH(2), .COORD_WIDTH(1), .LINKS(LINKS)) fabric_core (
        .clk(clk), .reset(reset), .site_address(2'd0), .topology(2'd0), .size_x(1'b0), .size_y(1'b0), .own(32'd0),
        .divert_threshold(divert_threshold), .abort_threshold(16'd8), .relief_limit(relief_limit), .relief(relief),
        .link_down({LINKS{1'b0}}), .link_in(link_in), .link_in_wait(), .link_out(), .link_out_wait(link_out_wait),
        .entering(entering), .entering_wait(), .delivered(), .delivered_wait(delivered_wait),
        .event_word_out(), .event_stall(), .event_drop(), .event_divert(), .event_abort(), .event_split(), .event_defer(),
        .connections(), .quiet());
endmodule

`default_nettype wire
