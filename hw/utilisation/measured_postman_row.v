// What is measured as `postman_row`: PHASES nodes of a virtual plane that a bit crosses in one clock in dimension X
// (hw/postman/phases.md), for the speed of a mesh of any size. Each bit begins and ends in the flop of an output: that of the row
// before is a register around this design, and the last node of the row has one. The other lines and what belongs to operators
// are in registers.
// SPDX-License-Identifier: ISC
`default_nettype none

module measured_postman_row #(
    parameter WORD_WIDTH = 16,   // of a row of the table, as all have one: no line of a plane depends on it
    parameter PHASES = 1,
    parameter DEPTH_LOG2 = 5,
    parameter IN_NODE = 10, IN_SHARED = 15 + DEPTH_LOG2, OUT_NODE = 24 + 2*DEPTH_LOG2 + 2,  // follow: not to be set
    parameter IN  = PHASES*IN_NODE + IN_SHARED,
    parameter OUT = PHASES*OUT_NODE + 2
) (
    input  wire           clk,
    input  wire [IN-1:0]  in,
    output wire [OUT-1:0] out
);
    wire unused_width = &{1'b0, WORD_WIDTH == 0};

    // The line between nodes n-1 and n.
    wire [PHASES:0] line, busy;
    wire [7:0]            load_flit;
    wire [DEPTH_LOG2-1:0] read_flit;
    wire reset, load_across, load_two, adaptive_routing, adaptive_sourcing;

    assign {line[0], busy[PHASES], reset, load_across, load_two, adaptive_routing, adaptive_sourcing, load_flit, read_flit} =
        in[0 +: IN_SHARED];
    assign out[PHASES*OUT_NODE +: 2] = {line[PHASES], busy[0]};

    genvar n;
    generate
        for (n = 0; n < PHASES; n = n + 1) begin : row
            wire line_y, busy_y;
            wire [1:0] request, write, commit, taken, dead, turn, adapt, buffer, source, drop, stall, line_next, busy_next;
            wire quiet;

            assign {line_y, busy_y, request, write, commit, taken} = in[IN_SHARED + n*IN_NODE +: IN_NODE];
            postman_node #(.DEPTH_LOG2(DEPTH_LOG2), .THROUGH(1)) node (
                .clk(clk), .reset(reset), .advance(1'b1), .own_x(n), .own_y(7'd5), .vct(1'b0),
                .adaptive_routing(adaptive_routing), .adaptive_sourcing(adaptive_sourcing),
                .waits({1'b1, n == PHASES - 1}), .line_in({line_y, line[n]}),
                .busy({out[n*OUT_NODE], busy[n]}), .line_out({out[n*OUT_NODE + 1], line[n + 1]}),
                .line_out_busy({busy_y, busy[n + 1]}), .line_next(line_next), .busy_next(busy_next), .load_request(request),
                .load_granted(out[n*OUT_NODE + 2 +: 2]), .load_write(write), .load_flit(load_flit), .load_commit(commit),
                .load_across(load_across), .load_two(load_two), .arrived(out[n*OUT_NODE + 4 +: 2]),
                .arrived_bad(out[n*OUT_NODE + 6 +: 2]), .read_data(out[n*OUT_NODE + 8 +: 16]),
                .arrived_flits(out[n*OUT_NODE + 24 +: 2*DEPTH_LOG2 + 2]), .read_flit(read_flit), .arrival_taken(taken),
                .event_dead(dead), .event_turn(turn), .event_adapt(adapt), .event_buffer(buffer), .event_source(source),
                .event_drop(drop), .event_stall(stall), .quiet(quiet));

            wire unused = &{1'b0, dead, turn, adapt, buffer, source, drop, stall, quiet, line_next, busy_next};
        end
    endgenerate
endmodule

`default_nettype wire
