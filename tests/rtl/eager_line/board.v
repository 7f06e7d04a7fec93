// board: a site without a core and its board links, for eager_line/bench.cpp.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"
`include "straps.vh"

module board #(
    parameter KIND      = 2,  // 0: the shared engine of board_link; 1: a receiver and sender a link, words go whole; 2: eager
    parameter RATIO     = 1,  // clk / fabric_clk
    parameter HYPERCUBE = 0
) (
    input  wire        clk,         // of the links, four times the bit rate
    input  wire        fabric_clk,  // its edges are edges of clk
    input  wire        reset,
    input  wire        fabric_reset,
    input  wire [13:0] address,
    input  wire [6:0]  size_x,
    input  wire [6:0]  size_y,
    input  wire        torus,
    input  wire [3:0]  line_in,
    output wire [3:0]  line_out,
    output wire [3:0]  link_down,
    input  wire [18:0] send,
    output wire        send_wait,
    output wire [19:0] receive,
    input  wire        receive_wait,
    input  wire        request,
    input  wire [7:0]  wdata,
    output wire [31:0] rdata,
    output wire        quiet
);
    wire [75:0] link_in, link_out;
    wire [3:0]  link_in_wait, link_out_wait;
    reg  [`POSTROAD_STRAPS-1:0] straps;
    wire [31:0] counter_value;

    always @* begin
        straps = {`POSTROAD_STRAPS{1'b0}};
        straps[`POSTROAD_STRAP_SITE_ADDRESS]     = {18'd0, address};
        straps[`POSTROAD_STRAP_TOPOLOGY]         = HYPERCUBE != 0 ? `POSTROAD_TOPOLOGY_HYPERCUBE :
                                                   torus ? `POSTROAD_TOPOLOGY_TORUS : `POSTROAD_TOPOLOGY_GRID;
        straps[`POSTROAD_STRAP_SIZE_X]           = {9'd0, size_x};
        straps[`POSTROAD_STRAP_SIZE_Y]           = {9'd0, size_y};
        straps[`POSTROAD_STRAP_DIVERT_THRESHOLD] = torus ? 16'h1000 : 16'hffff;
        straps[`POSTROAD_STRAP_ABORT_THRESHOLD]  = 16'h8000;
    end

    fabric_site #(.HYPERCUBE(HYPERCUBE)) site (
        .clk(fabric_clk), .reset(reset || fabric_reset), .now(64'd0), .straps(straps), .relief(1'b0), .link_down(link_down),
        .link_in(link_in), .link_in_wait(link_in_wait), .link_out(link_out), .link_out_wait(link_out_wait),
        .send(send), .send_wait(send_wait), .receive(receive), .receive_wait(receive_wait),
        .counter_select(6'd0), .counter_value(counter_value), .quiet(quiet));

    generate
        if (KIND == 0) begin : engine
            board_link #(.RATIO(RATIO), .PORT_FLIP(HYPERCUBE == 0)) links (
                .clk(clk), .reset(reset), .fabric_reset(fabric_reset), .line_in(line_in), .line_out(line_out),
                .link_out(link_out), .link_out_wait(link_out_wait), .link_in(link_in), .link_in_wait(link_in_wait),
                .hears(), .link_down(link_down), .site_number({2'd0, address}), .request(request), .we(request), .wdata(wdata),
                .rdata(rdata));
        end else begin : separate
            eager_links #(.RATIO(RATIO), .PORT_FLIP(HYPERCUBE == 0), .FORWARDS(KIND == 2)) links (
                .clk(clk), .reset(reset), .fabric_reset(fabric_reset), .line_in(line_in), .line_out(line_out),
                .link_out(link_out), .link_out_wait(link_out_wait), .link_in(link_in), .link_in_wait(link_in_wait),
                .hears(), .link_down(link_down), .site_number({2'd0, address}), .site_address(address), .request(request),
                .we(request),
                .wdata(wdata), .rdata(rdata));
        end
    endgenerate

    wire unused = &{1'b0, counter_value};
endmodule

`default_nettype wire
