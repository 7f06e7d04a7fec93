// router_pair: two fabric_cores, one with a mutant of the router, between the same neighbours. These may do anything that the
// contract of links allows. For tests/faults/mutate, which makes an AIGER of it.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module router_pair #(
    parameter TRAFFIC_ONLY = 0   // 1: events, and what observers see, may differ
) (
    input wire        clk,
    input wire [78:0] straps_in,
    input wire        relief,
    input wire [3:0]  link_down,
    input wire [75:0] link_in,
    input wire [3:0]  link_out_wait,
    input wire [18:0] entering,
    input wire [1:0]  delivered_status
);
    // Two clocks of reset, in which the straps are drawn.
    reg [1:0]  clocks = 2'd0;
    reg [78:0] straps = 79'd0;
    wire       reset  = !clocks[1];
    always @(posedge clk) begin
        if (!clocks[1]) clocks <= clocks + 2'd1;
        if (clocks == 2'd0) straps <= straps_in;
    end

    localparam TRAFFIC = 4 + 76 + 1 + 20, OBSERVED = 15 + 5 + 25 + 1;
    wire [TRAFFIC-1:0]  traffic, mutant_traffic;
    wire [OBSERVED-1:0] observed, mutant_observed;

    original original (
        .clk(clk), .reset(reset), .site_address(straps[13:0]), .topology(straps[15:14]), .size_x(straps[22:16]),
        .size_y(straps[29:23]), .unicast_lists(straps[37:30]), .multicast_lists(straps[45:38]),
        .divert_threshold(straps[61:46]), .release_single(straps[62]), .relief_limit(straps[78:63]), .relief(relief),
        .link_down(link_down), .link_in(link_in), .link_in_wait(traffic[3:0]), .link_out(traffic[79:4]),
        .link_out_wait(link_out_wait), .entering(entering), .entering_wait(traffic[80]), .delivered(traffic[100:81]),
        .delivered_status(delivered_status), .event_word_out(observed[4:0]), .event_stall(observed[9:5]),
        .event_drop(observed[14:10]), .event_divert(observed[15]), .event_abort(observed[16]), .event_split(observed[17]),
        .event_pass(observed[18]), .event_single(observed[19]), .connections(observed[44:20]), .quiet(observed[45]));
    mutant mutant (
        .clk(clk), .reset(reset), .site_address(straps[13:0]), .topology(straps[15:14]), .size_x(straps[22:16]),
        .size_y(straps[29:23]), .unicast_lists(straps[37:30]), .multicast_lists(straps[45:38]),
        .divert_threshold(straps[61:46]), .release_single(straps[62]), .relief_limit(straps[78:63]), .relief(relief),
        .link_down(link_down), .link_in(link_in), .link_in_wait(mutant_traffic[3:0]), .link_out(mutant_traffic[79:4]),
        .link_out_wait(link_out_wait), .entering(entering), .entering_wait(mutant_traffic[80]),
        .delivered(mutant_traffic[100:81]), .delivered_status(delivered_status), .event_word_out(mutant_observed[4:0]),
        .event_stall(mutant_observed[9:5]), .event_drop(mutant_observed[14:10]), .event_divert(mutant_observed[15]),
        .event_abort(mutant_observed[16]), .event_split(mutant_observed[17]), .event_pass(mutant_observed[18]),
        .event_single(mutant_observed[19]), .connections(mutant_observed[44:20]), .quiet(mutant_observed[45]));

    // What stands beside null_transmission, null_target and abort_packet means nothing (P2): where both have such a tag, it may
    // differ.
    function [18:0] meant(input [18:0] word);
        meant = word[18:16] == `POSTROAD_TAG_NULL_TRANSMISSION || word[18:16] == `POSTROAD_TAG_NULL_TARGET ||
                word[18:16] == `POSTROAD_TAG_ABORT_PACKET ? {word[18:16], 16'd0} : word;
    endfunction
    function [TRAFFIC-1:0] told(input [TRAFFIC-1:0] all);
        told = {all[100], meant(all[99:81]), all[80], meant(all[79:61]), meant(all[60:42]), meant(all[41:23]), meant(all[22:4]),
                all[3:0]};
    endfunction

    always @* begin
        assume (straps[15:14] != 2'd3 && delivered_status != 2'd3);
        if (!reset) assert (told(traffic) == told(mutant_traffic) && (TRAFFIC_ONLY || observed == mutant_observed));
    end
endmodule

`default_nettype wire
