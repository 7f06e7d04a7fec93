// any_storage: net_input.v, but what it holds: any word at any time, which stays until it is taken. And dimension_order.v, any
// way, and january_time_out.v, any clock. What is proved with these holds for all lists, sites and time-outs.
// SPDX-License-Identifier: ISC
`default_nettype none

module net_input #(
    parameter LINK_WIDTH = 19,
    parameter DEPTH      = 1
) (
    input  wire                  clk,
    input  wire                  reset,
    input  wire [LINK_WIDTH-1:0] link,
    output wire                  link_wait,
    output wire [LINK_WIDTH-1:0] fresh,
    output wire [LINK_WIDTH-1:0] word,
    output wire                  held,
    input  wire                  taken,
    output wire                  link_wait_next
);
    (* anyseq *) reg [LINK_WIDTH-1:0] drawn;
    (* anyseq *) reg                  waits;
    reg [LINK_WIDTH-1:0] kept;
    reg                  stood;
    assign word           = stood ? kept : drawn;
    assign fresh          = word;
    assign held           = stood;
    assign link_wait      = waits;
    assign link_wait_next = waits;
    always @(posedge clk) begin
        kept  <= word;
        stood <= !reset && |word[LINK_WIDTH-1 -: 3] && !taken;
    end
endmodule

module dimension_order #(
    parameter COORD_WIDTH = 7,
    parameter LINKS       = 4,
    parameter HYPERCUBE   = 0,
    parameter PORT        = 0,
    parameter PORTS       = LINKS + 1
) (
    input  wire [2*COORD_WIDTH-1:0] target,
    input  wire                     unicast,
    input  wire [2*COORD_WIDTH-1:0] site_address,
    input  wire                     torus,
    input  wire [COORD_WIDTH-1:0]   size_x,
    input  wire [COORD_WIDTH-1:0]   size_y,
    input  wire [PORTS-1:0]         down,
    output wire [PORTS-1:0]         list
);
    (* anyseq *) reg [PORTS-1:0] drawn;
    assign list = |drawn ? drawn & (~drawn + 1'b1) : {{(PORTS-1){1'b0}}, 1'b1};
endmodule

module january_time_out (
    input  wire        clk,
    input  wire        reset,
    input  wire [13:0] seed,
    input  wire [15:0] abort_threshold,
    input  wire        connected,
    input  wire        stands,
    output wire        abort_request
);
    (* anyseq *) reg drawn;
    assign abort_request = drawn;
endmodule

`default_nettype wire
