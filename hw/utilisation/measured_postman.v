// What is measured as `postman`: the node of one virtual plane, without what a site has around it. Coordinates and the options
// are inputs.
// SPDX-License-Identifier: ISC
`default_nettype none

module measured_postman #(
    parameter WORD_WIDTH = 16,  // of a site: a node has no words
    parameter PLANES = 1,
    parameter IN  = 18 + 26 * PLANES,  // follow from the above: not to be set
    parameter OUT = 53 * PLANES
) (
    input  wire           clk,
    input  wire [IN-1:0]  in,
    output wire [OUT-1:0] out
);
    genvar p;
    generate
        for (p = 0; p < PLANES; p = p + 1) begin : plane
            wire [25:0] i = in[18+26*p +: 26];
            wire [1:0] line_next, busy_next;
            postman_node node (
                .clk(clk), .reset(in[0]), .advance(1'b1), .own_x(in[1 +: 7]), .own_y(in[8 +: 7]), .vct(in[15]),
                .adaptive_routing(in[16]), .adaptive_sourcing(in[17]), .waits(2'b00), .line_in(i[1:0]), .busy(out[53*p +: 2]),
                .line_out(out[53*p+2 +: 2]), .line_out_busy(i[3:2]), .line_next(line_next), .busy_next(busy_next),
                .load_request(i[5:4]), .load_granted(out[53*p+4 +: 2]), .load_write(i[7:6]), .load_flit(i[15:8]),
                .load_commit(i[17:16]), .load_across(i[18]), .load_two(i[19]),
                .arrived(out[53*p+6 +: 2]), .arrived_bad(out[53*p+8 +: 2]), .arrived_flits(out[53*p+10 +: 12]),
                .read_flit(i[24:20]), .read_data(out[53*p+22 +: 16]),
                .arrival_taken({2{i[25]}}), .event_dead(out[53*p+38 +: 2]), .event_turn(out[53*p+40 +: 2]),
                .event_adapt(out[53*p+42 +: 2]), .event_buffer(out[53*p+44 +: 2]), .event_source(out[53*p+46 +: 2]),
                .event_drop(out[53*p+48 +: 2]), .event_stall(out[53*p+50 +: 2]), .quiet(out[53*p+52]));
            wire unused = &{1'b0, line_next, busy_next};
        end
    endgenerate

    wire unused = WORD_WIDTH != 0;
endmodule

`default_nettype wire
