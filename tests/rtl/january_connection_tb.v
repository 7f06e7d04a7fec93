// january_connection_tb: the connection of one packet in an idle site of discipline `january`, against its list (J5, J6, J12).
// If all its targets are at one site it takes one net_output, and no copy is made. Else it is split, unless its list fills the
// net_input or the operator has no room: then it passes whole.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module january_connection_tb;
    `include "bench.vh"
    `include "tags.vh"

    localparam LINKS = 4, PORTS = LINKS + 1, WORD_WIDTH = 16, LW = WORD_WIDTH + 3, LIST_WORDS = 16, WORDS_MOST = 24;
    localparam COORD_WIDTH = `POSTROAD_SITE_COORD_WIDTH_16;
    localparam LOCAL = 0, EAST = 1, WEST = 2, NORTH = 3, SOUTH = 4;

    reg clk = 1'b0, reset = 1'b1;
    reg  [LINKS*LW-1:0] link_in = 0;
    wire [LINKS-1:0]    link_in_wait;
    wire [LINKS*LW-1:0] link_out;
    reg  [LW-1:0]       entering = 0;
    wire                entering_wait;
    wire [LW:0]         delivered;
    reg                 delivered_wait;
    wire event_divert, event_abort, event_split, quiet;

    // Site (1, 1) of a grid of 4x4; nothing diverts.
    fabric_core #(.WORD_WIDTH(WORD_WIDTH), .LINKS(LINKS)) dut (
        .clk(clk), .reset(reset), .site_address(site(1, 1)), .topology(2'd0), .size_x(7'd4), .size_y(7'd4),
        .own(32'd0), .divert_threshold(16'hffff), .abort_threshold(16'd64), .relief_limit(16'd0), .relief(1'b0),
        .link_down(4'd0), .link_in(link_in), .link_in_wait(link_in_wait), .link_out(link_out), .link_out_wait(4'd0),
        .entering(entering), .entering_wait(entering_wait), .delivered(delivered), .delivered_wait(delivered_wait),
        .event_word_out(), .event_stall(), .event_drop(), .event_divert(event_divert), .event_abort(event_abort),
        .event_split(event_split), .event_defer(), .connections(), .quiet(quiet));
    always #5 clk = !clk;

    function [2*COORD_WIDTH-1:0] site(input integer x, input integer y);
        site = {y[COORD_WIDTH-1:0], x[COORD_WIDTH-1:0]};
    endfunction

    // Dimension order from (1, 1).
    function integer way_to(input [2*COORD_WIDTH-1:0] target);
        way_to = target[COORD_WIDTH-1:0] > 1 ? EAST : target[COORD_WIDTH-1:0] < 1 ? WEST
               : target[2*COORD_WIDTH-1:COORD_WIDTH] > 1 ? NORTH : target[2*COORD_WIDTH-1:COORD_WIDTH] < 1 ? SOUTH : LOCAL;
    endfunction

    // ---- A packet ------------------------------------------------------------------------------------------------
    reg [LW-1:0]            packet [0:WORDS_MOST-1];
    reg [2*COORD_WIDTH-1:0] first, other;
    reg [PORTS-1:0]         wanted, used, expected;
    reg                     several, too_long, whole;
    integer words, entries, site_chance, from, at, n, i, splits, copies, one_site, split_up, passed, clocks;

    task add(input [2:0] tag, input [WORD_WIDTH-1:0] word);
        begin
            packet[words] = {tag, word};
            words = words + 1;
        end
    endtask

    // null_target and target_info are no targets, whatever they hold.
    task draw_packet;
        begin
            words = 0;
            first = site(below(4), below(4));
            wanted = 1 << way_to(first);
            several = 1'b0;
            add(MULTICAST, {below(2) ? 2'b10 : 2'b00, first});
            entries = below(4) ? below(4) : below(20);
            site_chance = below(3) ? 40 : 0;
            for (n = 0; n < entries; n = n + 1)
                if (percent(site_chance)) begin
                    other = site(below(4), below(4));
                    add(MULTICAST, {below(2) ? 2'b10 : 2'b00, other});
                    wanted = wanted | 1 << way_to(other);
                    several = 1'b1;
                end else add(below(2) ? INFO : NULL_TARGET, below(65536));
            too_long = words >= LIST_WORDS;
            if (below(2)) add(DATA, below(65536));
            add(END_OF_PACKET, 0);
        end
    endtask

    // What leaves the site, until it is quiet. The operator, if it has no room, gets some behind the connection.
    task send_packet;
        begin
            at = 0;
            used = 0;
            {splits, copies} = 0;
            for (clocks = 0; clocks < 100 && (at < words || !quiet || clocks < 3); clocks = clocks + 1) begin
                entering = from == LOCAL && at < words ? packet[at] : 0;
                link_in = 0;
                if (from != LOCAL && at < words) link_in[(from-1)*LW +: LW] = packet[at];
                if (clocks == 60) delivered_wait = 1'b0;
                #1;
                if (!(from == LOCAL ? entering_wait : link_in_wait[from-1])) at = at + 1;
                splits = splits + event_split;
                for (i = 0; i < PORTS; i = i + 1)
                    if (i == LOCAL ? |delivered[LW-1 -: 3] && !delivered_wait : |link_out[(i-1)*LW + WORD_WIDTH +: 3])
                        used[i] = 1'b1;
                copies = copies + (delivered[LW-1 -: 3] == ABORT_PACKET && !delivered_wait);
                check(!event_divert && !event_abort, "a packet that nothing holds is neither diverted nor aborted");
                @(posedge clk) #1;
            end
            check(at >= words && quiet, "the site has passed the packet on");
        end
    endtask

    initial begin
        begin_bench;
        {one_site, split_up, passed} = 0;
        repeat (2) @(posedge clk);
        #1 reset = 1'b0;
        delivered_wait = 1'b0;
        repeat (3) @(posedge clk);
        #1;
        repeat (1000) begin
            draw_packet;
            from = below(PORTS);
            delivered_wait = below(3) == 0;
            whole = too_long || (delivered_wait && way_to(first) != LOCAL);  // one for local waits for it anyway
            expected = several && !whole ? wanted | 1 << LOCAL : 1 << way_to(first);
            send_packet;
            check(splits == (several && !whole), "J6: a packet is split if its targets are at several sites, and local has room");
            check(used === expected, "J6: a packet takes its net_output alone, or local and all that its targets lead to");
            check(copies == (several && !whole && !wanted[LOCAL]), "J12: only the copy of an all_remote packet is discarded");
            one_site = one_site + (!several && !too_long && words > 2);
            split_up = split_up + (several && !whole);
            passed   = passed + (several && whole);
        end
        check(one_site > 50 && split_up > 50 && passed > 50, "every type of connection was seen");
        verdict;
    end
endmodule

`default_nettype wire
