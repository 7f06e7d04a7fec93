// january_heading: the targets of the packet at one net_input, known as a list before it is connected, and its tries (January
// paper 4.6; rules J5, J6, J8, J9).
//
//   words arrive --> wanted: all net_outputs that targets lead to --> requests, once the list is known
//
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module january_heading #(
    parameter PORTS   = 5,
    parameter FOREIGN = 1  // the packets come from other sites: they may be diverted
) (
    input  wire             clk,
    input  wire             reset,

    // Straps; relief may change at any time.
    input  wire [15:0]           divert_threshold,  // tries, a power of two; 0: at once; 16'hffff: never
    input  wire [15:0]           relief_limit,      // the same in relief, a power of two; 0: no relief
    input  wire             relief,

    // net_input. tag, way: of the link; the way is the net_output that a site word leads to.
    input  wire [2:0]            tag,
    input  wire [PORTS-1:0]      way,
    input  wire             arrives,
    input  wire             full,
    input  wire             free,
    input  wire             seeks,

    // Access, flops: net_outputs, all of which this packet needs for the connection. whole: for one that does not split it;
    // split: for one that does. None: no such connection is wanted.
    output wire [PORTS-1:0]      whole,
    output wire [PORTS-1:0]      split,
    output wire [2:0]            whole_type,
    output wire [2:0]            split_type,
    output wire             diverts            // `whole` is local only because the tries are over
);
    wire       site_word = tag[2] && tag[0];
    wire       in_list   = tag[2];               // targets, target_info, pads

    reg  [PORTS-1:0] wanted, first;
    reg              known, several, too_long;     // several: targets, so far
    always @(posedge clk)
        if (free) begin
            known    <= tag == `POSTROAD_TAG_UNICAST_SITE;
            several  <= 1'b0;
            too_long <= 1'b0;
            wanted   <= way;
            first    <= way;
        end else if (!known) begin
            if (arrives && site_word) wanted <= wanted | way;
            several  <= several || (arrives && site_word);
            known    <= full || (arrives && !in_list);
            too_long <= full;
        end

    // Tries are clocks in which the packet could not be connected.
    wire        never   = &divert_threshold;
    wire [15:0] limit   = relief && |relief_limit ? relief_limit : divert_threshold;
    reg  [15:0] tries;
    wire        overdue = !never && (|(tries & limit) || limit == 16'd0);
    always @(posedge clk)
        if (reset || !seeks) tries <= 16'd0;
        else if (known && !overdue) tries <= tries + 16'd1;

    wire one_site = !several && !too_long;
    wire gives_up = overdue && FOREIGN != 0;
    wire splits   = several && !too_long && !overdue;

    assign diverts    = gives_up && !first[0];
    assign whole      = (gives_up ? {{(PORTS-1){1'b0}}, 1'b1} : first) & {PORTS{seeks && known}};
    assign split      = (wanted | {{(PORTS-1){1'b0}}, 1'b1}) & {PORTS{seeks && known && splits}};
    assign whole_type = one_site || gives_up ? `POSTROAD_JANUARY_CONNECTION_UNICAST : `POSTROAD_JANUARY_CONNECTION_PASSTHRU;
    assign split_type = wanted[0] ? `POSTROAD_JANUARY_CONNECTION_SOME_LOCAL : `POSTROAD_JANUARY_CONNECTION_ALL_REMOTE;
endmodule

`default_nettype wire
