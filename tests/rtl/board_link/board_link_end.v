// One end for tests/rtl/board_link/bench.cpp: a board_link with the fabric's own net_outputs and net_inputs on its four links.
// Lane l (32 bits) of a word bus is link l.
// SPDX-License-Identifier: ISC
`default_nettype none

module board_link_end #(
    parameter RATIO = 1
) (
    input  wire         clk,
    input  wire         fabric_clk,   // its edges are edges of clk
    input  wire         reset,
    input  wire         fabric_reset,
    input  wire [3:0]   line_in,
    output wire [3:0]   line_out,
    input  wire [127:0] source_word,  // loaded in each edge of fabric_clk with source_ready
    output wire [3:0]   source_ready,
    output wire [127:0] sink_word,
    input  wire [3:0]   sink_taken,
    output wire [3:0]   link_down,
    input  wire [15:0]  site_number,
    input  wire         request,
    input  wire [7:0]   wdata,
    output wire [31:0]  rdata,
    output wire [3:0]   unstable,     // a word that the fabric did not take has changed (F3b)
    output wire [127:0] state         // of link l: {9'd0, flags, lost, down, left half of its row}: link_memory.v
);
    wire [75:0] link_out, link_in;
    wire [3:0]  link_out_wait, link_in_wait;

    board_link #(.RATIO(RATIO)) link (
        .clk(clk), .reset(reset), .fabric_reset(fabric_reset), .line_in(line_in), .line_out(line_out), .link_out(link_out),
        .link_out_wait(link_out_wait), .link_in(link_in), .link_in_wait(link_in_wait), .hears(), .link_down(link_down),
        .site_number(site_number), .request(request), .we(request), .wdata(wdata), .rdata(rdata));

    genvar l;
    generate
        for (l = 0; l < 4; l = l + 1) begin : links
            net_output sender (
                .clk(fabric_clk), .reset(fabric_reset), .word(source_word[32*l +: 19]), .abort(1'b0), .ready(source_ready[l]),
                .link(link_out[19*l +: 19]), .link_wait(link_out_wait[l]), .event_word(), .event_stall(), .quiet());
            net_input receiver (
                .clk(fabric_clk), .reset(fabric_reset), .link(link_in[19*l +: 19]), .link_wait(link_in_wait[l]), .fresh(),
                .word(sink_word[32*l +: 19]), .held(), .taken(sink_taken[l]), .link_wait_next());
            assign sink_word[32*l + 19 +: 13] = 13'd0;

            reg [19:0] kept;  // bit 19: it was shown and not taken
            always @(posedge fabric_clk)
                kept <= {link_in_wait[l] && |link_in[19*l + 16 +: 3] && !fabric_reset, link_in[19*l +: 19]};
            assign unstable[l] = kept[19] && kept[18:0] != link_in[19*l +: 19];
            assign state[32*l +: 32] = {9'd0, link.engine.link_memory.lefts[4 + l][4:0], link.engine.link_memory.rights[l][0],
                                        link_down[l], link.engine.link_memory.lefts[l]};
        end
    endgenerate
endmodule

`default_nettype wire
