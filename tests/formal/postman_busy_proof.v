// postman_node behind senders that obey R1 to R3, whatever its outputs, operators and neighbours do: no packet is dropped.
// SPDX-License-Identifier: ISC
`default_nettype none

module postman_busy_proof #(
    parameter FLIT       = 3,
    parameter DEPTH_LOG2 = 2,
    parameter PRIORITY   = 0
) (
    input wire            clk,
    input wire            any_reset,
    input wire            advance,
    input wire [1:0]      would_begin, value, noise, line_out_busy,
    input wire [1:0]      load_request, load_write, load_commit, arrival_taken,
    input wire [FLIT-1:0] load_flit,
    input wire            load_across, load_two
);
    localparam N = FLIT + 1, WIDTH = $clog2(N + 1);
    localparam [DEPTH_LOG2-1:0] LONGEST = {DEPTH_LOG2{1'b1}};
    (* anyconst *) reg [FLIT-2:0] own_x, own_y;
    (* anyconst *) reg vct, adaptive_routing, adaptive_sourcing;
    reg  started = 1'b0;
    wire reset = !started || any_reset;
    always @(posedge clk) started <= 1'b1;

    reg  [1:0] line;
    wire [1:0] busy, event_drop;
    postman_node #(.FLIT(FLIT), .DEPTH_LOG2(DEPTH_LOG2), .PRIORITY(PRIORITY)) node (
        .clk(clk), .reset(reset), .advance(advance), .own_x(own_x), .own_y(own_y), .vct(vct),
        .adaptive_routing(adaptive_routing), .adaptive_sourcing(adaptive_sourcing), .line_in(advance ? line : noise),
        .busy(busy), .line_out(), .line_out_busy(line_out_busy), .line_next(), .busy_next(), .load_request(load_request),
        .load_granted(), .load_write(load_write), .load_flit(load_flit), .load_commit(load_commit),
        .load_across(load_across), .load_two(load_two), .arrived(), .arrived_bad(), .arrived_flits(),
        .read_flit({DEPTH_LOG2{1'b0}}), .read_data(), .arrival_taken(arrival_taken), .event_dead(), .event_turn(),
        .event_adapt(), .event_buffer(), .event_source(), .event_drop(event_drop), .event_stall(), .quiet());

    genvar m;
    generate
        for (m = 0; m < 2; m = m + 1) begin : sender
            reg                  sends;
            reg [WIDTH-1:0]      place;
            reg [DEPTH_LOG2-1:0] flits;
            wire begins  = !sends && !busy[m] && would_begin[m];
            wire goes_on = sends && (place != 0 || (value[m] && flits != LONGEST));
            always @(posedge clk)
                if (reset) {line[m], sends, place, flits} <= 0;
                else if (advance) begin
                    line[m] <= begins || (goes_on && value[m]);
                    sends   <= begins || goes_on;
                    place   <= begins || goes_on ? (place == FLIT ? 0 : place + 1'b1) : 0;
                    flits   <= begins ? 1 : flits + {{(DEPTH_LOG2-1){1'b0}}, goes_on && place == 0};
                end
            always @(posedge clk) if (started && !reset) assert (!event_drop[m]);
        end
    endgenerate
endmodule

`default_nettype wire
