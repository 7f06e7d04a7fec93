// router_pair: two fabric_cores, one with a mutant of the router, between the same neighbours. These may do anything that the
// contract of links allows. For tests/planted/mutate, which makes an AIGER of it.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module router_pair #(
    parameter TRAFFIC_ONLY = 0   // 1: events, and what observers see, may differ
) (
    input wire        clk,
    input wire [84:0] straps_in,
    input wire        relief,
    input wire [3:0]  link_down,
    input wire [75:0] link_in,
    input wire [3:0]  link_out_wait,
    input wire [18:0] entering,
    input wire        delivered_wait
);
    // Two clocks of reset, in which the straps are drawn.
    reg [1:0]  clocks = 2'd0;
    reg [84:0] straps = 85'd0;
    wire       reset  = !clocks[1];
    always @(posedge clk) begin
        if (!clocks[1]) clocks <= clocks + 2'd1;
        if (clocks == 2'd0) straps <= straps_in;
    end

    localparam TRAFFIC = 4 + 76 + 1 + 20, OBSERVED = 15 + 4 + 25 + 1;
    wire [TRAFFIC-1:0]  traffic, mutant_traffic;
    wire [OBSERVED-1:0] observed, mutant_observed;

    original original (
        .clk(clk), .reset(reset), .site_address(straps[13:0]), .topology({1'b0, straps[14]}), .size_x(straps[21:15]),
        .size_y(straps[28:22]), .unicast_lists(straps[36:29]), .divert_threshold(straps[52:37]),
        .abort_threshold(straps[68:53]), .relief_limit(straps[84:69]), .relief(relief),
        .link_down(link_down), .link_in(link_in), .link_in_wait(traffic[3:0]), .link_out(traffic[79:4]),
        .link_out_wait(link_out_wait), .entering(entering), .entering_wait(traffic[80]), .delivered(traffic[100:81]),
        .delivered_wait(delivered_wait), .event_word_out(observed[4:0]), .event_stall(observed[9:5]),
        .event_drop(observed[14:10]), .event_divert(observed[15]), .event_abort(observed[16]), .event_split(observed[17]),
        .event_defer(observed[18]), .connections(observed[43:19]), .quiet(observed[44]));
    mutant mutant (
        .clk(clk), .reset(reset), .site_address(straps[13:0]), .topology({1'b0, straps[14]}), .size_x(straps[21:15]),
        .size_y(straps[28:22]), .unicast_lists(straps[36:29]), .divert_threshold(straps[52:37]),
        .abort_threshold(straps[68:53]), .relief_limit(straps[84:69]), .relief(relief),
        .link_down(link_down), .link_in(link_in), .link_in_wait(mutant_traffic[3:0]), .link_out(mutant_traffic[79:4]),
        .link_out_wait(link_out_wait), .entering(entering), .entering_wait(mutant_traffic[80]),
        .delivered(mutant_traffic[100:81]), .delivered_wait(delivered_wait), .event_word_out(mutant_observed[4:0]),
        .event_stall(mutant_observed[9:5]), .event_drop(mutant_observed[14:10]), .event_divert(mutant_observed[15]),
        .event_abort(mutant_observed[16]), .event_split(mutant_observed[17]), .event_defer(mutant_observed[18]),
        .connections(mutant_observed[43:19]), .quiet(mutant_observed[44]));

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

    always @*
        if (!reset) assert (told(traffic) == told(mutant_traffic) && (TRAFFIC_ONLY || observed == mutant_observed));
endmodule

`default_nettype wire
