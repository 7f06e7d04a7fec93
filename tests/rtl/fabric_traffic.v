// fabric_traffic: one fabric, random packets on all its inputs, random gaps and waits on every stream, and a scoreboard
// that knows every packet and judges from the outside what the rules made of it. `run` is called by a bench.
//
// Every remote target address is used by one packet at a time, so the first site word of a branch tells its packet. The
// outcome of each must be one of: passed whole by one output (unicast, M10, U3); split and committed, each target on one
// branch or marked for local (M8, M11); aborted (M7). Anything else has lost, doubled or changed something.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module fabric_traffic #(
    parameter TOPOLOGY   = 0,
    parameter WORD_WIDTH = 16,
    parameter LINKS      = 4,
    parameter ADAPTIVE   = 0,
    parameter INPUT_DEPTH = 1,
    parameter SLEEPS     = 0   // 1: little traffic, and a second fabric whose clock stands still while it is quiet
);
    `include "bench.vh"
    `include "own_of.vh"

    localparam PORTS = LINKS + 1, LW = WORD_WIDTH + 3;
    localparam COORD_WIDTH = WORD_WIDTH == 32 ? `POSTROAD_SITE_COORD_WIDTH_32 : `POSTROAD_SITE_COORD_WIDTH_16;
    localparam PACKETS = 4096, MAX_WORDS = 32, MAX_ENTRIES = 6, SPACE = 1 << 14;
    localparam DATA_ENTRY = 98, NULL_ENTRY = 99;
    localparam GRID = 0, TORUS = 1, HYPERCUBE = 2;

    reg clk = 1'b0, reset = 1'b1;
    reg [2*COORD_WIDTH-1:0] site_address;
    reg [COORD_WIDTH-1:0]   size;
    reg [7:0]  unicast_lists;
    reg [15:0] divert_threshold, abort_threshold, relief_limit;
    reg        relief = 1'b0;
    reg [LINKS-1:0] link_down = {LINKS{1'b0}};
    reg  [PORTS*LW-1:0] into = 0;          // port 0: `send`
    wire [PORTS-1:0]    into_wait;
    wire [LINKS*LW-1:0] link_out;
    wire [LW:0]         receive;
    reg  [PORTS-1:0]    out_wait = {PORTS{1'b1}};
    wire [PORTS-1:0]    event_word_out, event_stall, event_drop, monitor_failed;
    wire event_divert, event_abort, event_split, event_defer, quiet;

    fabric #(
        .WORD_WIDTH(WORD_WIDTH), .LINKS(LINKS), .HYPERCUBE(TOPOLOGY == HYPERCUBE),
        .OWN(own_of(ADAPTIVE, INPUT_DEPTH)), .DOWNSTREAM_DEPTH(4), .UPSTREAM_DEPTH(8)
    ) dut (
        .clk(clk), .reset(reset), .site_address(site_address), .topology(TOPOLOGY[1:0]), .size_x(size), .size_y(size),
        .own({24'd0, unicast_lists}), .divert_threshold(divert_threshold), .abort_threshold(abort_threshold),
        .relief_limit(relief_limit), .relief(relief), .link_down(link_down), .link_in(into[PORTS*LW-1:LW]),
        .link_in_wait(into_wait[PORTS-1:1]), .link_out(link_out),
        .link_out_wait(out_wait[PORTS-1:1]), .send(into[LW-1:0]), .send_wait(into_wait[0]), .receive(receive),
        .receive_wait(out_wait[0]), .event_word_out(event_word_out), .event_stall(event_stall),
        .event_drop(event_drop), .event_divert(event_divert), .event_abort(event_abort), .event_split(event_split),
        .event_defer(event_defer), .connections(), .quiet(quiet));

    // What stands beside a tag of 0 has no meaning (P2).
    function [LINKS*LW-1:0] meant(input [LINKS*LW-1:0] links);
        integer l;
        for (l = 0; l < LINKS; l = l + 1)
            meant[l*LW +: LW] = links[l*LW + WORD_WIDTH +: 3] == 3'd0 ? {LW{1'b0}} : links[l*LW +: LW];
    endfunction

    function [LW:0] meant_local(input [LW:0] word);
        meant_local = word[WORD_WIDTH +: 3] == 3'd0 ? {(LW+1){1'b0}} : word;
    endfunction

    // The contract of `quiet`: while it is 1 and nothing is shown to the fabric, no word and no status changes.
    reg     asleep = 1'b0;
    integer slept = 0;
    wire    same, twin_quiet;
    generate
        if (SLEEPS) begin : twin
            wire [LINKS*LW-1:0] out;
            wire [LW:0]         received;
            wire [PORTS-1:0]    in_wait, left, stalled, dropped;
            wire [3:0]          events;
            fabric #(
                .WORD_WIDTH(WORD_WIDTH), .LINKS(LINKS), .HYPERCUBE(TOPOLOGY == HYPERCUBE),
        .OWN(own_of(ADAPTIVE, INPUT_DEPTH)), .DOWNSTREAM_DEPTH(4), .UPSTREAM_DEPTH(8)
            ) fabric (
                .clk(clk && !asleep), .reset(reset), .site_address(site_address), .topology(TOPOLOGY[1:0]),
                .size_x(size), .size_y(size), .own({24'd0, unicast_lists}), .divert_threshold(divert_threshold),
                .abort_threshold(abort_threshold), .relief_limit(relief_limit), .relief(relief), .link_down(link_down),
                .link_in(into[PORTS*LW-1:LW]), .link_in_wait(in_wait[PORTS-1:1]),
                .link_out(out), .link_out_wait(out_wait[PORTS-1:1]), .send(into[LW-1:0]), .send_wait(in_wait[0]),
                .receive(received), .receive_wait(out_wait[0]), .event_word_out(left), .event_stall(stalled),
                .event_drop(dropped), .event_divert(events[0]), .event_abort(events[1]), .event_split(events[2]),
                .event_defer(events[3]), .connections(), .quiet(twin_quiet));
            assign same = meant(out) === meant(link_out) && meant_local(received) === meant_local(receive)
                          && in_wait === into_wait && left === event_word_out
                          && stalled === event_stall && dropped === event_drop && twin_quiet === quiet
                          && events === {event_defer, event_split, event_abort, event_divert};
        end else begin : no_twin
            assign same = 1'b1;
            assign twin_quiet = 1'b0;
        end
    endgenerate

    genvar p;
    generate
        for (p = 0; p < PORTS; p = p + 1) begin : output_of
            wire [LW:0] word;
            if (p == 0) assign word = receive;
            else assign word = {1'b0, link_out[(p-1)*LW +: LW]};
            link_monitor #(.WORD_WIDTH(WORD_WIDTH), .LOCAL(p == 0)) monitor (
                .clk(clk), .reset(reset), .word(word), .status_wait(out_wait[p]), .failed(monitor_failed[p]));
        end
    endgenerate

    // ---- Packets --------------------------------------------------------------------------------------------------
    integer        packets;
    reg [LW-1:0]   word_of  [0:PACKETS*MAX_WORDS-1];
    integer        entry_of [0:PACKETS*MAX_WORDS-1];  // entry a target word belongs to, or DATA_ENTRY, NULL_ENTRY
    integer        size_of  [0:PACKETS-1], entries_of [0:PACKETS-1], from_of [0:PACKETS-1];
    reg [PORTS-1:0] lists_of [0:PACKETS*MAX_ENTRIES-1];  // outputs its entry may take; {local} for this site
    reg            served   [0:PACKETS*MAX_ENTRIES*PORTS-1];
    reg            marked   [0:PACKETS*MAX_ENTRIES-1];     // in local's copy
    integer        owner    [0:SPACE-1];              // packet that used an address last
    // What came out: nothing, the packet whole, a branch (some entries null_target or begun late), and how it ended.
    localparam ABSENT = 0, WHOLE = 1, BRANCH = 2;
    integer        form     [0:PACKETS*PORTS-1];
    reg [3:0]      ended    [0:PACKETS*PORTS-1];
    reg            cut      [0:PACKETS*PORTS-1];      // ended before its last data word

    // Outputs on a minimal path.
    function [PORTS-1:0] minimal(input [2*COORD_WIDTH-1:0] target);
        integer x, y, i, around;  // signed, as the differences are
        begin
            minimal = {PORTS{1'b0}};
            if (TOPOLOGY == HYPERCUBE) begin
                for (i = 0; i < LINKS; i = i + 1) minimal[i+1] = target[i] ^ site_address[i];
            end else begin
                x = target[COORD_WIDTH-1:0];
                y = target[2*COORD_WIDTH-1:COORD_WIDTH];
                x = x - site_address[COORD_WIDTH-1:0];
                y = y - site_address[2*COORD_WIDTH-1:COORD_WIDTH];
                if (TOPOLOGY == TORUS) begin
                    around = size;
                    if (2*x > around) x = x - around;
                    if (2*x <= -around) x = x + around;
                    if (2*y > around) y = y - around;
                    if (2*y <= -around) y = y + around;
                end
                minimal = (x > 0) << 1 | (x < 0) << 2 | (y > 0) << 3 | (y < 0) << 4;
            end
        end
    endfunction

    function integer ahead(input integer from);
        ahead = TOPOLOGY == HYPERCUBE || from == 0 ? 0 : ((from - 1) ^ 1) + 1;
    endfunction

    // Outputs that a packet's target may take, whatever is down or busy. Dimension order: the lowest; a unicast that goes round a
    // dead link: a later one.
    function [PORTS-1:0] list(input [2*COORD_WIDTH-1:0] target, input unicast, input integer from);
        reg [PORTS-1:0] ways;
        integer i;
        begin
            ways = minimal(target);
            list = {PORTS{1'b0}};
            for (i = LINKS; i >= 1; i = i - 1) if (ways[i]) list = {{(PORTS-1){1'b0}}, 1'b1} << i;
            if (unicast) list = ways;
            if (ways == {PORTS{1'b0}}) list = 1;
        end
    endfunction

    // A packet comes on a minimal path, and in dimension order unless it is an adaptive unicast.
    function comes_by(input [2*COORD_WIDTH-1:0] target, input unicast, input integer from);
        reg [PORTS-1:0] ways;
        integer i;
        begin
            ways = minimal(target);
            comes_by = from == 0 || !ways[from];
            if (from != 0 && !(ADAPTIVE && unicast))
                for (i = 1; i < PORTS; i = i + 1)
                    if (ways[i]) begin
                        if (TOPOLOGY == HYPERCUBE) comes_by = comes_by && i > from;
                        else comes_by = comes_by && (i == ahead(from) || (i - 1) / 2 > (from - 1) / 2);
                    end
        end
    endfunction

    // An address that no packet near this one has used, and that some output leads to.
    task fresh_target(input integer from, input unicast, output [2*COORD_WIDTH-1:0] target);
        reg [13:0] place;
        reg ok;
        begin
            ok = 1'b0;
            while (!ok) begin
                place = below(SPACE);
                if (TOPOLOGY == HYPERCUBE) begin
                    if (from != 0) place = place & ~14'd0 << from | site_address & ~(~14'd0 << from);
                    target = place;
                end else begin
                    if (from > 2) place[6:0] = site_address[6:0];
                    target = {place[13:7], {(COORD_WIDTH-7){1'b0}}, place[6:0]};
                end
                ok = packets - owner[place] > 40;
                if (TOPOLOGY == HYPERCUBE) ok = ok && (target[LINKS-1:0] != site_address[LINKS-1:0]);
                else ok = ok && place[13:7] < size && place[6:0] < size && target != site_address;
                ok = ok && comes_by(target, unicast, from);
            end
            owner[place] = packets;
        end
    endtask

    // The next target of a path: further on in the same column, or behind a hypercube's site; itself if there is none.
    task next_of_path(input integer from, input [2*COORD_WIDTH-1:0] last, output [2*COORD_WIDTH-1:0] target);
        reg [PORTS-1:0] ways;
        reg [13:0] place;
        begin
            target = last;
            ways = minimal(last);
            place = TOPOLOGY == HYPERCUBE ? last[13:0] : {last[COORD_WIDTH +: 7], last[6:0]};
            if (TOPOLOGY == HYPERCUBE) place[13] = !place[13];
            else if (ways[3]) place[13:7] = place[13:7] + 7'd1 + below(3);
            else if (ways[4]) place[13:7] = place[13:7] - 7'd1 - below(3);
            if (packets - owner[place] > 40 && (TOPOLOGY == HYPERCUBE || TOPOLOGY == GRID && place[13:7] < size)) begin
                target = TOPOLOGY == HYPERCUBE ? place : {place[13:7], {(COORD_WIDTH-7){1'b0}}, place[6:0]};
                owner[place] = packets;
            end
        end
    endtask

    // Distance in x, then in y: the order of a tree's targets.
    function integer rank(input [2*COORD_WIDTH-1:0] target);
        integer x, y;
        begin
            x = target[COORD_WIDTH-1:0] - site_address[COORD_WIDTH-1:0];
            y = target[2*COORD_WIDTH-1:COORD_WIDTH] - site_address[2*COORD_WIDTH-1:COORD_WIDTH];
            if (x > 2047) x = x - 4096;
            if (y > 2047) y = y - 4096;
            if (x < 0) x = -x;
            if (y < 0) y = -y;
            if (TOPOLOGY == TORUS && 2*x > size) x = size - x;
            if (TOPOLOGY == TORUS && 2*y > size) y = size - y;
            rank = TOPOLOGY == HYPERCUBE ? 0 : 1024 * x + y;
        end
    endfunction

    function integer packet_at(input [2*COORD_WIDTH-1:0] target);
        packet_at = TOPOLOGY == HYPERCUBE ? owner[target[13:0]] : owner[{target[COORD_WIDTH +: 7], target[6:0]}];
    endfunction

    task put(input [2:0] tag, input [WORD_WIDTH-1:0] word, input integer entry);
        begin
            word_of[packets*MAX_WORDS + size_of[packets]] = {tag, word};
            entry_of[packets*MAX_WORDS + size_of[packets]] = entry;
            size_of[packets] = size_of[packets] + 1;
        end
    endtask

    // What comes over the last dimension of a hypercube is for this site.
    localparam last_dimension = TOPOLOGY == HYPERCUBE ? LINKS : -1;
    reg [2*COORD_WIDTH-1:0] chosen [0:MAX_ENTRIES-1];

    task compose(input integer from);
        integer entries, wanted, e, k, info, o;
        reg unicast, mark, stop;
        reg [2*COORD_WIDTH-1:0] target;
        begin
            size_of[packets] = 0;
            from_of[packets] = from;
            unicast = percent(40);
            mark = percent(40);
            wanted = unicast ? 1 : 1 + below(5);
            entries = 0;
            stop = 1'b0;
            for (e = 0; e < wanted && !stop; e = e + 1) begin
                if (e == 0 && (from == last_dimension || percent(25))) target = site_address;
                else if (from == last_dimension) stop = 1'b1;
                else if (mark && !unicast && e > 0 && chosen[e-1] != site_address) begin
                    next_of_path(from, chosen[e-1], target);
                    stop = target == chosen[e-1];
                end else fresh_target(from, unicast, target);
                if (!stop) begin
                    chosen[e] = target;
                    entries = entries + 1;
                    // A tree: nearest first.
                    for (k = e; k > 0 && !mark; k = k - 1)
                        if (rank(chosen[k]) < rank(chosen[k-1])) begin
                            target = chosen[k];
                            chosen[k] = chosen[k-1];
                            chosen[k-1] = target;
                        end
                end
            end
            entries_of[packets] = entries;
            for (e = 0; e < entries; e = e + 1) begin
                lists_of[packets*MAX_ENTRIES + e] = chosen[e] == site_address ? 1 : list(chosen[e], unicast, from);
                put(unicast ? `POSTROAD_TAG_UNICAST_SITE : `POSTROAD_TAG_MULTICAST_SITE,
                    chosen[e] | (mark << (WORD_WIDTH - 1)), e);
                info = percent(50) ? 0 : 1 + below(2);
                for (k = 0; k < info; k = k + 1) put(`POSTROAD_TAG_TARGET_INFO, below(65536), e);
                if (!unicast && from != 0)
                    while (percent(25)) put(`POSTROAD_TAG_NULL_TARGET, 0, NULL_ENTRY);
                marked[packets*MAX_ENTRIES + e] = 1'b0;
                for (o = 0; o < PORTS; o = o + 1) served[(packets*MAX_ENTRIES + e)*PORTS + o] = 1'b0;
            end
            // The first data word is the packet's number; a packet for this site alone is known by it.
            info = entries == 1 && chosen[0] == site_address ? 1 + below(4) : percent(20) ? 0 : below(8);
            for (k = 0; k < info; k = k + 1) put(`POSTROAD_TAG_DATA, k == 0 ? packets : below(65536), DATA_ENTRY);
            put(from != 0 && percent(10) ? `POSTROAD_TAG_ABORT_PACKET : `POSTROAD_TAG_END_OF_PACKET, 0, DATA_ENTRY);
            for (o = 0; o < PORTS; o = o + 1) form[packets*PORTS + o] = ABSENT;
            packets = packets + 1;
        end
    endtask

    // ---- Streams --------------------------------------------------------------------------------------------------
    integer sending [0:PORTS-1], position [0:PORTS-1], held_for [0:PORTS-1];
    reg [LW:0] captured [0:PORTS*MAX_WORDS-1];
    integer    captured_size [0:PORTS-1];
    integer    limit, gap_chance, wait_chance, long_chance;

    task drive;
        integer i;
        reg moved;
        begin
            for (i = 0; i < PORTS; i = i + 1) begin
                moved = !(|into[i*LW + WORD_WIDTH +: 3] && into_wait[i]);
                if (moved) begin
                    if (sending[i] < 0 && packets < limit && !percent(gap_chance) && (!SLEEPS || below(200) == 0)) begin
                        compose(i);
                        sending[i] = packets - 1;
                        position[i] = 0;
                    end
                    into[i*LW +: LW] <= {LW{1'b0}};
                    if (sending[i] >= 0 && !percent(gap_chance)) begin
                        into[i*LW +: LW] <= word_of[sending[i]*MAX_WORDS + position[i]];
                        position[i] = position[i] + 1;
                        if (position[i] == size_of[sending[i]]) sending[i] = -1;
                    end
                end
                if (held_for[i] > 0) held_for[i] = held_for[i] - 1;
                else if (below(1000) < long_chance) held_for[i] = 1 + below(80);
                out_wait[i] <= held_for[i] > 0 || percent(wait_chance);
            end
        end
    endtask

    function [LW:0] out_word(input integer o);
        out_word = o == 0 ? receive : {1'b0, link_out[(o-1)*LW +: LW]};
    endfunction

    function [2:0] tag_of(input [LW:0] word);
        tag_of = word[WORD_WIDTH +: 3];
    endfunction

    function is_end(input [LW:0] word);
        is_end = tag_of(word) == `POSTROAD_TAG_END_OF_PACKET || tag_of(word) == `POSTROAD_TAG_ABORT_PACKET;
    endfunction

    function is_site(input [LW:0] word);
        is_site = tag_of(word) == `POSTROAD_TAG_UNICAST_SITE || tag_of(word) == `POSTROAD_TAG_MULTICAST_SITE;
    endfunction

    task capture;
        integer o;
        reg [LW:0] word;
        for (o = 0; o < PORTS; o = o + 1) begin
            word = out_word(o);
            if (|tag_of(word) && !out_wait[o]) begin
                if (captured_size[o] < MAX_WORDS) begin
                    captured[o*MAX_WORDS + captured_size[o]] = word;
                    captured_size[o] = captured_size[o] + 1;
                end else check(1'b0, "a packet longer than any that was sent");
                if (is_end(word)) begin
                    // A branch that is aborted before it has carried a word shows its abort_packet alone (M7).
                    if (o == 0 || captured_size[o] > 1 || tag_of(word) != `POSTROAD_TAG_ABORT_PACKET) identify(o);
                    captured_size[o] = 0;
                end
            end
        end
    endtask

    // Which packet this is: by its first target elsewhere, or else by its first data word.
    task identify(input integer o);
        integer k, id;
        reg [LW:0] word;
        begin
            id = -1;
            for (k = captured_size[o] - 1; k >= 0; k = k - 1) begin
                word = captured[o*MAX_WORDS + k];
                if (tag_of(word) == `POSTROAD_TAG_DATA) id = word[WORD_WIDTH-1:0];
            end
            for (k = captured_size[o] - 1; k >= 0; k = k - 1) begin
                word = captured[o*MAX_WORDS + k];
                if (is_site(word) && word[2*COORD_WIDTH-1:0] != site_address) id = packet_at(word[2*COORD_WIDTH-1:0]);
            end
            check(id >= 0 && id < packets, "a packet that nobody sent");
            if (id >= 0 && id < packets) begin
                check(form[id*PORTS + o] == ABSENT, "F3d: a packet left twice by one output");
                if (o == 0) compare_local(id);
                else compare_remote(id, o);
            end
        end
    endtask

    // The local output has the words of the packet without null_targets; the top bit of a site word is the mark for local.
    task compare_local(input integer id);
        integer k, c;
        reg [LW:0] is, was, last;
        begin
            last = captured[captured_size[0] - 1];
            c = 0;
            for (k = 0; k < size_of[id] - 1 && c < captured_size[0] - 1; k = k + 1) begin
                was = {1'b0, word_of[id*MAX_WORDS + k]};
                if (tag_of(was) != `POSTROAD_TAG_NULL_TARGET) begin
                    is = captured[c];
                    if (is_site(was)) begin
                        marked[id*MAX_ENTRIES + entry_of[id*MAX_WORDS + k]] = is[WORD_WIDTH-1];
                        is[WORD_WIDTH-1] = was[WORD_WIDTH-1];
                    end
                    check(is === was, "M1: local gets a full copy, in order");
                    c = c + 1;
                end
            end
            while (k < size_of[id] - 1 && entry_of[id*MAX_WORDS + k] == NULL_ENTRY) k = k + 1;
            check(c == captured_size[0] - 1 && k == size_of[id] - 1, "M1: local gets the whole packet");
            form[id*PORTS] = WHOLE;
            ended[id*PORTS] = last[WORD_WIDTH +: 4];
            cut[id*PORTS] = 1'b0;
        end
    endtask

    task compare_remote(input integer id, input integer o);
        integer k, c, e, begun;
        reg [LW:0] was, is, last;
        reg whole, foreign;
        begin
            begun = -1;
            for (k = 0; k < size_of[id]; k = k + 1)
                if (begun < 0 && {1'b0, word_of[id*MAX_WORDS + k]} === captured[o*MAX_WORDS]) begun = k;
            check(begun >= 0, "P3: a branch begins with a target of its packet");
            whole = begun == 0;
            foreign = 1'b0;
            last = captured[o*MAX_WORDS + captured_size[o] - 1];
            for (c = 0; c < captured_size[o] - 1 && begun >= 0; c = c + 1) begin
                is = captured[o*MAX_WORDS + c];
                was = begun + c < size_of[id] ? {1'b0, word_of[id*MAX_WORDS + begun + c]} : 0;
                e = begun + c < size_of[id] ? entry_of[id*MAX_WORDS + begun + c] : DATA_ENTRY;
                if (is_site(was)) begin
                    foreign = is !== was;
                    if (!foreign) served[(id*MAX_ENTRIES + e)*PORTS + o] = 1'b1;
                    if (foreign) whole = 1'b0;
                end
                if (e < MAX_ENTRIES && foreign)
                    check(tag_of(is) === `POSTROAD_TAG_NULL_TARGET,
                          "P1, P3: every word of a foreign entry is null_target");
                else check(is === was, "P1, P3: own entries, null_targets and data pass as they are, in their slots");
            end
            form[id*PORTS + o] = whole ? WHOLE : BRANCH;
            ended[id*PORTS + o] = last[WORD_WIDTH +: 4];
            cut[id*PORTS + o] = begun + captured_size[o] < size_of[id];
            check(begun < 0 || begun + captured_size[o] <= size_of[id], "P1: no word more than the packet had");
        end
    endtask

    // ---- The verdict on each packet -------------------------------------------------------------------------------
    integer unicasts, diverted, passed, all_remote, with_local, deferred, aborted, abort_events;

    task judge(input integer id);
        integer o, e, outputs, only, times;
        reg unicast, mark, any_marked, local;
        reg [3:0] received;
        reg [PORTS-1:0] may;
        begin
            unicast = tag_of({1'b0, word_of[id*MAX_WORDS]}) == `POSTROAD_TAG_UNICAST_SITE;
            mark = word_of[id*MAX_WORDS][WORD_WIDTH-1];
            received = {1'b0, tag_of({1'b0, word_of[id*MAX_WORDS + size_of[id] - 1]})};
            local = form[id*PORTS] != ABSENT;
            outputs = 0;
            only = 0;
            for (o = 0; o < PORTS; o = o + 1)
                if (form[id*PORTS + o] != ABSENT) begin
                    outputs = outputs + 1;
                    only = o;
                end
            may = lists_of[id*MAX_ENTRIES];
            check(outputs > 0, "a packet was lost");

            if (outputs > 0 && (unicast || !local)) begin
                // One connection, everything as it came.
                check(outputs == 1, "U1, M10: one connection");
                check(form[id*PORTS + only] == WHOLE && !cut[id*PORTS + only] && ended[id*PORTS + only] == received,
                      "U1, M10: a packet passes one connection whole, with its terminator");
                if (unicast && only == 0 && !may[0]) begin
                    check(from_of[id] != 0 && divert_threshold != 16'hffff, "U3: only packets from other sites divert");
                    diverted = diverted + 1;
                end else check(may[only], "U1, M3: the output is on the list of the first target");
                if (unicast) unicasts = unicasts + 1;
                else passed = passed + 1;
                check(unicast || mark || only == ahead(from_of[id]), "M10: only a path, or a head straight on, passes whole");
            end else if (outputs > 0 && ended[id*PORTS] == received && received == `POSTROAD_TAG_END_OF_PACKET) begin
                // Local has the whole packet, to be resent: every other branch was aborted.
                for (o = 1; o < PORTS; o = o + 1)
                    if (form[id*PORTS + o] != ABSENT)
                        check(ended[id*PORTS + o] == `POSTROAD_TAG_ABORT_PACKET,
                              "M5, M7: abort and commit exclude each other");
                aborted = aborted + 1;
            end else if (outputs > 0) begin
                // Committed, or aborted with an abort_packet coming down anyway.
                any_marked = 1'b0;
                for (e = 0; e < entries_of[id]; e = e + 1) any_marked = any_marked || marked[id*MAX_ENTRIES + e];
                check(ended[id*PORTS] == (received == `POSTROAD_TAG_ABORT_PACKET ? received
                      : any_marked ? `POSTROAD_TAG_LOCAL_END_OF_PACKET : {1'b0, `POSTROAD_TAG_ABORT_PACKET}),
                      "M8: the terminator of the local copy");
                if (any_marked) with_local = with_local + 1;
                else all_remote = all_remote + 1;
                for (o = 1; o < PORTS; o = o + 1)
                    if (form[id*PORTS + o] != ABSENT)
                        check(ended[id*PORTS + o] == received
                              && (!cut[id*PORTS + o] || received == `POSTROAD_TAG_ABORT_PACKET),
                              "M8: every remote branch is complete and gets the terminator received");
                if (received == `POSTROAD_TAG_END_OF_PACKET)
                    for (e = 0; e < entries_of[id]; e = e + 1) begin
                        times = 0;
                        for (o = 1; o < PORTS; o = o + 1)
                            if (served[(id*MAX_ENTRIES + e)*PORTS + o]) begin
                                times = times + 1;
                                check(lists_of[id*MAX_ENTRIES + e][o], "M3: a target goes by its output in dimension order");
                            end
                        check(times + marked[id*MAX_ENTRIES + e] == 1,
                              "M11: every target leaves on one branch, or marked for local");
                        deferred = deferred + (times == 0 && !lists_of[id*MAX_ENTRIES + e][0]);
                    end
            end
        end
    endtask

    // ---- One run --------------------------------------------------------------------------------------------------
    integer c, i, calm, waited;

    // Words are captured before the edge; `drive` assigns without blocking, so what it shows changes behind it.
    task clock;
        begin
            #5;
            if (!reset) begin
                abort_events = abort_events + event_abort;
                check(event_drop == {PORTS{1'b0}}, "P6: no word of these packets is dropped");
                check(same, "quiet: a fabric that is quiet and sees nothing needs no clock");
                asleep = twin_quiet && into == 0;
                slept = slept + asleep;
                capture;
            end
            clk = 1'b1;
            if (!reset) drive;
            #5 clk = 1'b0;
        end
    endtask

    task run(input integer number, input integer first_seed, output integer failures);
        begin
            seed = first_seed * 7919 + 17 * LINKS + WORD_WIDTH + TOPOLOGY;
            reset = 1'b1;
            asleep = 1'b0;
            packets = 0;
            limit = number;
            for (i = 0; i < SPACE; i = i + 1) owner[i] = -1000;
            for (i = 0; i < PORTS; i = i + 1) begin
                sending[i] = -1;
                held_for[i] = 0;
                captured_size[i] = 0;
            end
            into = 0;
            size = TOPOLOGY == TORUS ? 100 : 120;
            site_address = below(SPACE);
            if (TOPOLOGY != HYPERCUBE) begin
                // So far from an edge that fresh_target finds one ahead, in one column, that the last 40 packets have not used.
                site_address[COORD_WIDTH-1:0] = 40 + below(40);
                site_address[2*COORD_WIDTH-1:COORD_WIDTH] = 40 + below(40);
            end
            unicast_lists = below(2) ? 8'b10101010 : below(256);
            divert_threshold = below(4) ? 1 << below(5) : 16'hffff;
            if (divert_threshold == 16'hffff) unicast_lists = 8'h00;
            abort_threshold = 4 << below(3);
            relief_limit = below(4) ? 1 << below(6) : 16'd0;
            repeat (3) clock;
            reset = 1'b0;
            calm = 0;
            waited = 0;
            for (c = 0; calm < 20 && waited < 20000; c = c + 1) begin
                if (c % 200 == 0) begin
                    gap_chance = below(3) ? below(70) : 0;
                    wait_chance = below(2) ? below(80) : 0;
                    long_chance = below(2) ? below(30) : 0;
                    relief = below(2);
                    link_down = below(2) ? below(1 << LINKS) : 0;
                end
                clock;
                waited = packets == limit ? waited + 1 : 0;
                calm = packets == limit && quiet && into == 0 ? calm + 1 : 0;
            end
            check(calm >= 20, "hung: not quiet after the last packet");
            check(monitor_failed == {PORTS{1'b0}}, "a link broke a rule (above)");
            for (i = 0; i < PORTS; i = i + 1) check(captured_size[i] == 0, "a packet without end");
            for (i = 0; i < packets; i = i + 1) judge(i);
            check(aborted <= abort_events, "M5, M7: only a packet that is aborted goes to local with its end_of_packet");
            $display("%m: %0d packets, %0d clocks: %0d unicasts, %0d diverted, %0d passed", packets, c, unicasts,
                     diverted, passed);
            $display("    %0d all remote, %0d with marks, %0d targets deferred, %0d aborted, %0d errors", all_remote,
                     with_local, deferred, aborted, errors);
            if (SLEEPS) check(slept > 1000, "a fabric slept");
            failures = errors;
        end
    endtask

    // All runs together: one alone may draw no packet of a rare type.
    task check_types(output integer failures);
        begin
            check(unicasts > 0 && passed > 0 && all_remote > 0 && with_local > 0 && deferred > 0 && aborted > 0,
                  "every type of connection was exercised");
            failures = errors;
        end
    endtask

    initial begin
        unicasts = 0; diverted = 0; passed = 0; all_remote = 0; with_local = 0; deferred = 0; aborted = 0;
        abort_events = 0;
    end
endmodule

`default_nettype wire
