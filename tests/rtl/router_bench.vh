// SPDX-License-Identifier: ISC
// router_bench.vh: a router in dimension order at site (1,1) of a 4x4 grid, driven by hand clock by clock. Included in a
// bench's module.
//
// A bench says what the net_inputs show and which net_outputs are ready; a word stays until it is taken, as in a net_input.
// How many clocks the router needs is its own affair (fabric_timing_tb counts them): `moves` shows a word until it is taken and
// notes what every net_output got in the meantime, `stays` shows one that must not move. Only waits and periods are limits.
`include "bench.vh"
`include "tags.vh"

localparam WORD_WIDTH = 16, LINK_WIDTH = 19, PORTS = 5;
localparam HERE = 0, EAST = 1, WEST = 2, NORTH = 3, SOUTH = 4;  // HERE: the local port
localparam [PORTS-1:0] ALL = 5'b11111;
localparam [15:0] MARK = 16'h8000;                              // of a site word: path, deferred (M10, M11)

// The most clocks from the clock in which nothing is in a word's way to that in which it is taken, and a little more than any
// word needs to be looked up and found an output.
localparam SOON = 7, SETTLED = 12;

reg  clk = 1'b0, reset = 1'b1;
reg  [1:0]  topology = `POSTROAD_TOPOLOGY_GRID;
reg  [15:0] divert_threshold = 16'd8, abort_threshold = 16'd1024, relief_limit = 16'd16;
reg         relief = 1'b0;
reg  [3:0]  link_down = 4'd0;
reg  [PORTS*LINK_WIDTH-1:0] words = 0;
wire [PORTS*LINK_WIDTH-1:0] links;              // behind a word that is held: a head that would go straight on
reg  [PORTS-1:0]            held = 0;           // shown in the last clock, too
reg  [PORTS-1:0]            ready = ALL;
reg  [PORTS-1:0]            full = 0;        // net_outputs that are not ready clock after clock
reg  [PORTS-1:0]            owed = 0;
wire [PORTS-1:0]              taken, abort, event_drop;
wire [4*LINK_WIDTH-1:0]       remote_words;
wire [LINK_WIDTH:0]           local_word;
wire [PORTS*PORTS-1:0]        connections;
wire event_divert, event_abort, event_split, event_defer, quiet;

router #(.WORD_WIDTH(WORD_WIDTH), .COORD_WIDTH(7), .LINKS(4)) dut (
    .clk(clk), .reset(reset), .site_address({7'd1, 7'd1}), .topology(topology), .size_x(7'd4),
    .size_y(7'd4), .unicast_lists(8'h00), .divert_threshold(divert_threshold),
    .abort_threshold(abort_threshold), .relief_limit(relief_limit), .relief(relief),
    .link_down(link_down), .links(links), .words(words), .held(held), .taken(taken),
    .remote_words(remote_words), .local_word(local_word), .abort(abort), .ready(ready & ~owed),
    .event_drop(event_drop), .event_divert(event_divert), .event_abort(event_abort), .event_split(event_split),
    .event_defer(event_defer), .connections(connections), .quiet(quiet));

genvar port;
generate
    for (port = 0; port < PORTS; port = port + 1) begin : link
        assign links[port*LINK_WIDTH +: LINK_WIDTH] = held[port] ? {UNICAST, 16'h0183} : words[port*LINK_WIDTH +: LINK_WIDTH];
    end
endgenerate

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

// These net_outputs are not ready, from this clock on.
task fill(input [PORTS-1:0] ports);
    begin
        full = ports;
        ready = ~full;
        #1;
    end
endtask

// The edge: what was taken is gone, and the net_outputs hold what they loaded.
task tick;
    integer p;
    reg [PORTS-1:0] was_taken, now_owed;
    begin
        #1;
        was_taken = taken;
        for (p = 0; p < PORTS; p = p + 1)
            now_owed[p] = (owed[p] || abort[p]) && !ready[p];
        #1 clk = 1'b1;
        #1 clk = 1'b0;
        for (p = 0; p < PORTS; p = p + 1) begin
            held[p] = |words[p*LINK_WIDTH+WORD_WIDTH +: 3] && !was_taken[p];
            if (was_taken[p]) words[p*LINK_WIDTH +: LINK_WIDTH] = {LINK_WIDTH{1'b0}};
        end
        owed = now_owed;
        ready = ~full;
        #1;
    end
endtask

// What a net_output loads in this clock, if it is ready.
function [LINK_WIDTH:0] loaded(input integer port);
    loaded = port == HERE ? local_word : {1'b0, remote_words[(port-1)*LINK_WIDTH +: LINK_WIDTH]};
endfunction

function [3:0] tag_of(input [LINK_WIDTH:0] word);
    tag_of = word[LINK_WIDTH:WORD_WIDTH];
endfunction

// ---- What net_outputs got, and which events there were, since `watch` ----------------------------------------------
reg [LINK_WIDTH:0] got_word [0:PORTS-1];
integer got_count [0:PORTS-1];
integer splits, deferrals, diversions, drops, aborts_seen, clocks;
reg [PORTS-1:0] aborted_branches;

task watch;
    integer p;
    begin
        for (p = 0; p < PORTS; p = p + 1) got_count[p] = 0;
        splits = 0; deferrals = 0; diversions = 0; drops = 0; aborts_seen = 0; clocks = 0;
        aborted_branches = 0;
    end
endtask

// In dimension order, index input*PORTS + output: no packet returns to its link (U1), or turns from y into x.
localparam [PORTS*PORTS-1:0] NEVER = {5'b10110, 5'b01110, 5'b00100, 5'b00010, 5'b00000};

// One clock, noted.
task one_clock;
    integer p;
    begin
        #1 check((connections & NEVER) == 0, "U1: nobody waits for an output that it never takes");
        for (p = 0; p < PORTS; p = p + 1)
            if (ready[p] && !owed[p] && |tag_of(loaded(p))) begin
                got_word[p] = loaded(p);
                got_count[p] = got_count[p] + 1;
            end
        splits = splits + event_split;
        deferrals = deferrals + event_defer;
        diversions = diversions + event_divert;
        drops = drops + |event_drop;
        aborts_seen = aborts_seen + event_abort;
        aborted_branches = aborted_branches | abort;
        clocks = clocks + 1;
        tick;
    end
endtask

reg [PORTS*PORTS-1:0] connections_before;

// A word is shown until it is taken, for no more than so many clocks.
task moves_within(input integer most, input integer from, input [2:0] tag, input [15:0] word, input [8*100-1:0] name);
    reg moved;
    begin
        watch;
        connections_before = connections;
        shows(from, tag, word);
        moved = 1'b0;
        while (!moved && clocks < most) begin
            #1 moved = taken[from];
            one_clock;
        end
        check(moved, name);
    end
endtask

task moves(input integer from, input [2:0] tag, input [15:0] word, input [8*100-1:0] name);
    moves_within(SOON, from, tag, word, name);
endtask

// A net_output got this word since `watch`, once. Nobody reads what null_target and abort_packet carry (P2).
task got(input integer port, input [3:0] tag, input [15:0] word, input [8*100-1:0] name);
    check(got_count[port] == 1 && tag_of(got_word[port]) === tag &&
          (tag == NULL_TARGET || tag == ABORT_PACKET || got_word[port][WORD_WIDTH-1:0] === word), name);
endtask

task got_nothing(input [PORTS-1:0] ports, input [8*100-1:0] name);
    integer p;
    for (p = 0; p < PORTS; p = p + 1)
        if (ports[p]) check(got_count[p] == 0, name);
endtask

// A word is shown for so many clocks and not taken; no net_output gets anything, and nothing happens.
task stays(input integer number, input integer from, input [2:0] tag, input [15:0] word, input [8*100-1:0] name);
    begin
        watch;
        shows(from, tag, word);
        repeat (number) begin
            #1 check(!taken[from], name);
            one_clock;
        end
        got_nothing(ALL, name);
        check(splits + deferrals + diversions + drops + aborts_seen == 0, name);
    end
endtask

// A unicast or the rest of a packet through an open connection, one word.
task passes(input integer from, input integer to, input [2:0] tag, input [15:0] word, input [8*100-1:0] name);
    integer p;
    begin
        moves(from, tag, word, name);
        got(to, {1'b0, tag}, word, name);
        got_nothing(ALL & ~(5'd1 << to), name);
        check(aborts_seen == 0 && aborted_branches == 5'd0, "M7: what is not split is not aborted");
        check(connections[from*PORTS +: PORTS] === (tag == END_OF_PACKET || tag == ABORT_PACKET ? 5'd0 : 5'd1 << to),
              "U4: observers see the connection, until it ends");
        for (p = 0; p < PORTS; p = p + 1)
            if (p != from && words[p*LINK_WIDTH+WORD_WIDTH +: 3] == 3'd0)
                check(connections[p*PORTS +: PORTS] === connections_before[p*PORTS +: PORTS], "U4: and no other");
    end
endtask

task start;
    begin
        reset = 1'b1;
        words = 0;
        held = 0;
        full = 0;
        tick;
        reset = 1'b0;
        owed = 0;
        divert_threshold = 16'd8;
        abort_threshold = 16'd1024;
        relief = 1'b0;
        relief_limit = 16'd16;
        link_down = 4'd0;
        tick;
        tick;
    end
endtask

// Every packet ends, and leaves no connection behind.
task ended(input [8*100-1:0] name);
    #1 check(quiet, name);
endtask
