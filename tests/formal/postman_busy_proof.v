// postman_node behind senders that obey R1 to R3, whatever its outputs, operators and neighbours do: no packet is dropped. With
// THROUGH the bits of a sender are on the line a clock earlier: in that in which it looks at busy (hw/postman/phases.md). Then a
// load must have two flits: one of a single flit, committed as two addresses, could leave with them exchanged, and a packet that
// comes close behind it would find no room.
// SPDX-License-Identifier: ISC
`default_nettype none

module postman_busy_proof #(
    parameter FLIT       = 3,
    parameter DEPTH_LOG2 = 2,
    parameter PRIORITY   = 0,
    parameter THROUGH    = 0,
    parameter LATE_PASS  = 0,
    parameter ARRIVALS_APART = 0
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

    wire [1:0] line;
    wire [1:0] busy, event_drop, load_granted, arrived;
    postman_node #(.FLIT(FLIT), .DEPTH_LOG2(DEPTH_LOG2), .PRIORITY(PRIORITY), .THROUGH(THROUGH), .LATE_PASS(LATE_PASS),
        .ARRIVALS_APART(ARRIVALS_APART)) node (
        .clk(clk), .reset(reset), .advance(advance), .own_x(own_x), .own_y(own_y), .vct(vct),
        .adaptive_routing(adaptive_routing), .adaptive_sourcing(adaptive_sourcing), .waits(2'b00),
        .line_in(advance ? line : noise), .busy(busy),
        .line_out(), .line_out_busy(line_out_busy), .line_next(), .busy_next(), .load_request(load_request),
        .load_granted(load_granted), .load_write(load_write), .load_flit(load_flit), .load_commit(load_commit),
        .load_across(load_across), .load_two(load_two), .arrived(arrived), .arrived_bad(), .arrived_flits(),
        .read_flit({DEPTH_LOG2{1'b0}}), .read_data(), .arrival_taken(arrival_taken), .event_dead(), .event_turn(),
        .event_adapt(), .event_buffer(), .event_source(), .event_drop(event_drop), .event_stall(), .quiet());

    genvar m;
    generate
        for (m = 0; m < 2; m = m + 1) begin : sender
            reg                  sends, flop;
            reg [WIDTH-1:0]      place;
            reg [DEPTH_LOG2-1:0] flits;
            wire begins  = !sends && !busy[m] && would_begin[m];
            wire goes_on = sends && (place != 0 || (value[m] && flits != LONGEST));
            wire next    = begins || (goes_on && value[m]);
            assign line[m] = THROUGH != 0 ? next : flop;
            always @(posedge clk)
                if (reset) {flop, sends, place, flits} <= 0;
                else if (advance) begin
                    flop    <= next;
                    sends   <= begins || goes_on;
                    place   <= begins || goes_on ? (place == FLIT ? 0 : place + 1'b1) : 0;
                    flits   <= begins ? 1 : flits + {{(DEPTH_LOG2-1){1'b0}}, goes_on && place == 0};
                end
            always @(posedge clk) if (started && !reset) assert (!event_drop[m]);

            reg [1:0] loaded;  // flits of a load, up to 2
            always @(posedge clk)
                if (!load_granted[m]) loaded <= 2'd0;
                else if (load_write[m] && loaded != 2'd2) loaded <= loaded + 1'b1;
            always @(*)
                if (THROUGH != 0 && load_granted[m] && load_commit[m])
                    assume (loaded == 2'd2 || (loaded == 2'd1 && load_write[m]));

            // ARRIVALS_APART: an arrival is taken in one of the first N clocks in which bits move and it is shown.
            reg [WIDTH-1:0] shown;
            always @(posedge clk)
                if (reset || !arrived[m] || arrival_taken[m]) shown <= 0;
                else if (advance) shown <= shown + 1'b1;
            always @(*)
                if (ARRIVALS_APART != 0 && arrived[m] && advance && shown == N - 1) assume (arrival_taken[m]);
        end
    endgenerate
endmodule

`default_nettype wire
