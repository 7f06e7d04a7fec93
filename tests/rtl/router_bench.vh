// router_bench.vh: a router at site (1,1) of a 4x4 grid, driven by hand clock by clock. Included in a bench's module.
//
// In a clock a bench says what the net_inputs show and which net_outputs are ready, then checks what moves; `tick` ends
// the clock and clears everything shown. Words that were not taken must be shown again.
`include "bench.vh"

localparam WORD_WIDTH = 16, LINK_WIDTH = 19, PORTS = 5;
localparam HERE = 0, EAST = 1, WEST = 2, NORTH = 3, SOUTH = 4;  // HERE: the local port
localparam [PORTS-1:0] ALL = 5'b11111;
localparam [2:0] UNICAST = `POSTROAD_TAG_UNICAST_SITE, MULTICAST = `POSTROAD_TAG_MULTICAST_SITE,
                 INFO = `POSTROAD_TAG_TARGET_INFO, NULL_TARGET = `POSTROAD_TAG_NULL_TARGET,
                 DATA = `POSTROAD_TAG_DATA, END_OF_PACKET = `POSTROAD_TAG_END_OF_PACKET,
                 ABORT_PACKET = `POSTROAD_TAG_ABORT_PACKET;
localparam [3:0] PAD = 4'd8;                                    // null_transmission made by M4

reg  clk = 1'b0, reset = 1'b1;
reg  [1:0]  topology = `POSTROAD_TOPOLOGY_GRID;
reg  [7:0]  unicast_lists = 8'b10101010, multicast_lists = 8'h00;
reg  [15:0] divert_threshold = 16'd5;
reg         release_single = 1'b0, relief = 1'b0;
reg  [15:0] relief_limit = 16'd7;
reg  [3:0]  link_down = 4'd0;
reg  [PORTS*LINK_WIDTH-1:0] words = 0;
reg  [PORTS-1:0]            ready = ALL;
reg                         abort_request = 1'b0;
wire [PORTS-1:0]              taken, abort, event_drop;
wire [4*LINK_WIDTH-1:0]       remote_words;
wire [LINK_WIDTH:0]           local_word;
wire event_divert, event_abort, event_split, event_pass, event_single, quiet;

router #(.WORD_WIDTH(WORD_WIDTH), .COORD_WIDTH(7), .LINKS(4)) dut (
    .clk(clk), .reset(reset), .site_address({7'd1, 7'd1}), .topology(topology), .size_x(7'd4),
    .size_y(7'd4), .unicast_lists(unicast_lists), .multicast_lists(multicast_lists),
    .divert_threshold(divert_threshold), .release_single(release_single), .relief_limit(relief_limit), .relief(relief),
    .link_down(link_down), .words(words), .taken(taken),
    .remote_words(remote_words), .local_word(local_word), .abort(abort), .ready(ready), .abort_request(abort_request),
    .event_drop(event_drop), .event_divert(event_divert), .event_abort(event_abort), .event_split(event_split),
    .event_pass(event_pass), .event_single(event_single), .quiet(quiet));

function [15:0] at(input integer x, input integer y);
    at = {2'b00, y[6:0], x[6:0]};
endfunction

// One word that a net_input shows in this clock.
task shows(input integer port, input [2:0] tag, input [15:0] word);
    begin
        words[port*LINK_WIDTH +: LINK_WIDTH] = {tag, word};
        #1;
    end
endtask

task tick;
    begin
        #1 clk = 1'b1;
        #1 clk = 1'b0;
        words = 0;
        ready = ALL;
        abort_request = 1'b0;
        #1;
    end
endtask

function [LINK_WIDTH:0] loaded(input integer port);
    loaded = port == HERE ? local_word : {1'b0, remote_words[(port-1)*LINK_WIDTH +: LINK_WIDTH]};
endfunction

// What a net_output loads in this clock (for one that is not ready: is shown, which changes nothing).
task gets(input integer port, input [3:0] tag, input [15:0] word, input [8*100-1:0] name);
    begin
        #1 check(loaded(port) === {tag, word}, name);
        check(ready[port], "a word is given only to an output that is ready");
    end
endtask

// These outputs load nothing: null_transmission from upstream, or not ready.
task nothing(input [PORTS-1:0] ports, input [8*100-1:0] name);
    integer p;
    begin
        #1;
        for (p = 0; p < PORTS; p = p + 1)
            if (ports[p]) check(loaded(p) === 20'd0, name);
    end
endtask

task takes(input [PORTS-1:0] inputs, input [8*100-1:0] name);
    #1 check(taken === inputs, name);
endtask

// A unicast or the rest of a packet through an open connection, one word.
task passes(input integer from, input integer to, input [2:0] tag, input [15:0] word, input [8*100-1:0] name);
    begin
        shows(from, tag, word);
        gets(to, {1'b0, tag}, word, name);
        nothing(ALL & ~(5'd1 << to), name);
        takes(5'd1 << from, name);
        tick;
    end
endtask

task start;
    begin
        reset = 1'b1;
        tick;
        reset = 1'b0;
        unicast_lists = 8'b10101010;
        multicast_lists = 8'h00;
        divert_threshold = 16'd5;
        release_single = 1'b0;
        relief = 1'b0;
        relief_limit = 16'd7;
        link_down = 4'd0;
        #1;
    end
endtask

// Every packet ends, and leaves no connection behind.
task ended(input [8*100-1:0] name);
    #1 check(quiet, name);
endtask
