// SPDX-License-Identifier: ISC
// fabric_bench.vh: a fabric of four links, driven clock by clock. Included in a bench's module, which says what is built:
// ADAPTIVE, HYPERCUBE, INPUT_DEPTH, ABORT_THRESHOLD.
//
// A bench sets what it wants changed, calls `start`, shows words to one side or to several, and reads what every output showed
// since `watch`: how many words, and in which clock the first and the last.
`include "bench.vh"
`include "own_of.vh"

localparam LW = 19, HERE = 0, EAST = 1, WEST = 2, NORTH = 3, SOUTH = 4;  // HERE: `send` and `receive`

reg         clk = 1'b0, reset = 1'b1;
reg  [13:0] site_address = {7'd1, 7'd1};
reg  [1:0]  topology = `POSTROAD_TOPOLOGY_GRID;
reg  [6:0]  size_x = 7'd4, size_y = 7'd4;
reg  [7:0]  unicast_lists = 8'b10101010;
reg  [3:0]  link_down = 4'd0, link_out_wait = 4'd0;

reg  [5*LW-1:0] into = 0;
wire [4:0]      into_wait, event_word_out, event_stall, event_drop;
wire [4*LW-1:0] link_out;
wire [LW:0]     receive;
wire event_divert, event_abort, event_split, event_defer, quiet;

fabric #(.HYPERCUBE(HYPERCUBE), .OWN(own_of(ADAPTIVE, INPUT_DEPTH))) dut (
    .clk(clk), .reset(reset), .site_address(site_address), .topology(topology), .size_x(size_x), .size_y(size_y),
    .own({24'd0, unicast_lists}), .divert_threshold(16'd16), .abort_threshold(ABORT_THRESHOLD), .relief_limit(16'd64),
    .relief(1'b0), .link_down(link_down), .link_in(into[5*LW-1:LW]), .link_in_wait(into_wait[4:1]), .link_out(link_out),
    .link_out_wait(link_out_wait), .send(into[LW-1:0]), .send_wait(into_wait[0]), .receive(receive), .receive_wait(1'b0),
    .event_word_out(event_word_out), .event_stall(event_stall), .event_drop(event_drop), .event_divert(event_divert),
    .event_abort(event_abort), .event_split(event_split), .event_defer(event_defer), .connections(), .quiet(quiet));

function [LW-1:0] out_word(input integer port);
    out_word = port == HERE ? receive[LW-1:0] : link_out[(port-1)*LW +: LW];
endfunction

function integer opposite(input integer port);
    opposite = ((port - 1) ^ 1) + 1;
endfunction

integer now, first [0:4], last [0:4], count [0:4];

task watch;
    integer p;
    begin
        now = 0;
        for (p = 0; p < 5; p = p + 1) begin
            first[p] = 0;
            count[p] = 0;
        end
    end
endtask

task one_clock;
    integer p;
    begin
        #5 clk = 1'b1;
        #1 now = now + 1;
        for (p = 0; p < 5; p = p + 1)
            if (out_word(p) >> 16 != 0) begin
                if (count[p] == 0) first[p] = now;
                last[p] = now;
                count[p] = count[p] + 1;
            end
        #4 clk = 1'b0;
    end
endtask

// A word is shown to one side until it is taken.
task send_word(input integer from, input [LW-1:0] word);
    reg waits;
    begin
        into[from*LW +: LW] = word;
        waits = 1'b1;
        while (waits) begin
            #1 waits = into_wait[from];
            one_clock;
        end
    end
endtask

task start;
    begin
        reset = 1'b1;
        one_clock;
        reset = 1'b0;
        one_clock;
    end
endtask
