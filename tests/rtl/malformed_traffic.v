// malformed_traffic: one fabric whose inputs get any words in any order, as from a far end that is reset, unplugged or mad,
// with gaps and waits on every stream. Then each input ends with one terminator, and the fabric has to come to rest: whatever
// has arrived, every output is released in the end (X1). `run` is called by a bench.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module malformed_traffic #(
    parameter TOPOLOGY   = 0,
    parameter WORD_WIDTH = 16,
    parameter LINKS      = 4,
    parameter ADAPTIVE   = 0,
    parameter INPUT_DEPTH = 1,
    parameter DEFERS     = 1,  // 1: the fabric defers targets (M11)
    parameter ONWARD     = 1   // of four site words of a multicast so many are not the last one for sure
);
    `include "bench.vh"
    `include "own_of.vh"
    `include "tags.vh"

    localparam PORTS = LINKS + 1, LW = WORD_WIDTH + 3;
    localparam COORD_WIDTH = WORD_WIDTH == 32 ? `POSTROAD_SITE_COORD_WIDTH_32 : `POSTROAD_SITE_COORD_WIDTH_16;
    // Clocks in which everything is served.
    localparam PATIENCE = 5000;
    localparam [WORD_WIDTH-1:0] zero = 0;

    reg clk = 1'b0, reset = 1'b1;
    reg [7:0]       unicast_lists;
    reg [15:0]      divert_threshold, abort_threshold;
    reg             relief;
    reg [LINKS-1:0] link_down;
    reg  [PORTS*LW-1:0] into;              // port 0: `send`
    wire [PORTS-1:0]    into_wait;
    reg  [PORTS-1:0]    out_wait;
    wire event_abort, event_split, event_defer, quiet;
    wire [PORTS-1:0] event_drop;

    wire [2*COORD_WIDTH-1:0] site_address = TOPOLOGY == `POSTROAD_TOPOLOGY_HYPERCUBE ? {2*COORD_WIDTH{1'b0}} : place(1, 1);
    wire [COORD_WIDTH-1:0]   size = 4;

    fabric #(
        .WORD_WIDTH(WORD_WIDTH), .LINKS(LINKS), .HYPERCUBE(TOPOLOGY == `POSTROAD_TOPOLOGY_HYPERCUBE),
        .OWN(own_of(ADAPTIVE, INPUT_DEPTH)), .DOWNSTREAM_DEPTH(4), .UPSTREAM_DEPTH(4)
    ) dut (
        .clk(clk), .reset(reset), .site_address(site_address), .topology(TOPOLOGY[1:0]), .size_x(size), .size_y(size),
        .own({24'd0, unicast_lists}), .divert_threshold(divert_threshold),
        .abort_threshold(abort_threshold), .relief_limit(16'd8), .relief(relief), .link_down(link_down),
        .link_in(into[PORTS*LW-1:LW]), .link_in_wait(into_wait[PORTS-1:1]),
        .link_out(), .link_out_wait(out_wait[PORTS-1:1]), .send(into[LW-1:0]), .send_wait(into_wait[0]), .receive(),
        .receive_wait(out_wait[0]), .event_word_out(), .event_stall(), .event_drop(event_drop), .event_divert(),
        .event_abort(event_abort), .event_split(event_split), .event_defer(event_defer), .connections(),
        .quiet(quiet));

    function [2*COORD_WIDTH-1:0] place(input integer x, input integer y);
        place = {y[COORD_WIDTH-1:0], x[COORD_WIDTH-1:0]};
    endfunction

    // Any tag; more often what a multicast has next, or a head too early: there is most to be got wrong. Targets are
    // near, most of them in this row.
    function [LW-1:0] any_word(input [2:0] tag_before, input integer nothing);
        reg [2:0]            tag;
        reg [WORD_WIDTH-1:0] word;
        begin
            word = TOPOLOGY == `POSTROAD_TOPOLOGY_HYPERCUBE ? below(1 << LINKS) : place(below(4), below(3) ? 1 : below(4));
            word[WORD_WIDTH-1] = below(4) == 0;  // M10
            tag = below(4) == 0 ? below(8) : tag_before == MULTICAST && below(4) >= ONWARD ? DATA
                : below(3) ? MULTICAST : END_OF_PACKET;
            any_word = below(20) < nothing ? {LW{1'b0}} : {tag, word};
        end
    endfunction

    // ---- One run --------------------------------------------------------------------------------------------------
    integer gaps, waits, local_waits, i, c, drops, aborts, splits, deferrals;
    reg [PORTS-1:0] moved, ended, talks;
    reg ending;

    // What is shown and must wait stays. In the end each input shows one terminator, and nothing behind it.
    task clock;
        begin
            #4 moved = ~into_wait;
            if (!reset) begin
                drops = drops + |event_drop;
                aborts = aborts + event_abort;
                splits = splits + event_split;
                deferrals = deferrals + event_defer;
            end
            #1 clk = 1'b1;
            #1;
            for (i = 0; i < PORTS; i = i + 1)
                if (moved[i] || into[i*LW + WORD_WIDTH +: 3] == 3'd0) begin
                    if (ending) into[i*LW +: LW] = ended[i] ? {LW{1'b0}} : {below(2) ? END_OF_PACKET : ABORT_PACKET, zero};
                    else into[i*LW +: LW] = any_word(into[i*LW + WORD_WIDTH +: 3], talks[i] ? gaps : 20);
                    ended[i] = ending;
                end
            for (i = 0; i < PORTS; i = i + 1) out_wait[i] = !ending && below(20) < (i == 0 ? local_waits : waits);
            #4 clk = 1'b0;
        end
    endtask

    task configure;
        begin
            unicast_lists = below(256);
            relief = 1'b0;
            link_down = {LINKS{1'b0}};
            divert_threshold = below(4) ? below(4) ? 1 << below(4) : 0 : 16'hffff;
            abort_threshold = 4 << below(4);
            ending = 1'b0;
            ended = {PORTS{1'b0}};
            into = {PORTS*LW{1'b0}};
            out_wait = {PORTS{1'b0}};
            reset = 1'b1;
            repeat (2) clock;
            into = {PORTS*LW{1'b0}};
            reset = 1'b0;
        end
    endtask

    task run(input integer rounds, input integer first_seed, output integer failures);
        begin
            seed = first_seed * 7919 + 17 * LINKS + WORD_WIDTH + TOPOLOGY;
            drops = 0;
            aborts = 0;
            splits = 0;
            deferrals = 0;
            gaps = 0;
            waits = 0;
            local_waits = 0;
            repeat (rounds) begin
                configure;
                repeat (40) begin
                    gaps = below(3) ? 0 : below(20);
                    waits = below(3) ? 0 : below(20);
                    local_waits = below(20);
                    talks = below(3) ? 1 : below(1 << PORTS);  // nothing lies behind what comes from here
                    relief = below(4) == 0;
                    link_down = below(4) ? 0 : below(1 << LINKS);
                    repeat (10) clock;
                end
                ending = 1'b1;
                for (c = 0; c < PATIENCE && !(quiet && &ended && into == 0); c = c + 1) clock;
                check(quiet && &ended, "X1: whatever has arrived, every output is released in the end");
            end
            $display("%m: %0d drops, %0d splits, %0d deferrals, %0d aborts, %0d errors", drops, splits, deferrals, aborts,
                     errors);
            check(drops > 0 && splits > 0 && ((deferrals > 0 || !DEFERS) && aborts > 0 || LINKS == 1),
                  "every kind of connection was exercised");
            failures = errors;
        end
    endtask
endmodule

`default_nettype wire
