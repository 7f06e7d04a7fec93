// mesh_model: a mesh of fabrics with behavioural operators, a scoreboard and a monitor on every link. Benches
// instantiate it, set its knobs and call its tasks: restart, packet_begin, packet_add, packet_submit, run, check.
//
// The operators follow O1-O7 of rules.md. A packet to several sites goes as one tree, or sorted and marked as paths (M10). Every
// packet carries its number in its first data word, or is anonymous (no data words), in which case only deliveries a site are
// counted.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module mesh_model #(
    parameter TOPOLOGY         = 0,
    parameter SIZE_X           = 3,   // hypercube: number of sites
    parameter SIZE_Y           = 3,   // hypercube: 1
    parameter LINKS            = 4,
    parameter WORD_WIDTH       = 16,
    parameter ADAPTIVE         = 0,
    parameter INPUT_DEPTH      = 1,
    parameter DOWNSTREAM_DEPTH = 8,
    parameter UPSTREAM_DEPTH   = 16,
    parameter POOL             = 64,   // buffers a site
    parameter PACKETS          = 4096, // most packets between two calls of `restart`
    parameter MAX_WORDS        = 64    // words of a packet, terminator included
) (
    input wire clk
);
    `include "own_of.vh"

    localparam SITES       = SIZE_X * SIZE_Y;
    localparam PORTS       = LINKS + 1;
    localparam COORD_WIDTH = WORD_WIDTH == 32 ? `POSTROAD_SITE_COORD_WIDTH_32 : `POSTROAD_SITE_COORD_WIDTH_16;
    localparam LW          = WORD_WIDTH + 3;
    localparam MAX_TARGETS = SITES;
    localparam MARK        = WORD_WIDTH - 1;   // top bit of a site word: path, deferred (M10, M11)
    localparam HYPERCUBE   = TOPOLOGY == 2;
    localparam RECEIVE_RESERVE = 2;

    // Straps and knobs, set while in reset.
    reg        reset = 1'b1;
    reg [7:0]  unicast_lists = 8'b10101010;        // with ADAPTIVE
    reg [15:0] divert_threshold = 16'd32, abort_threshold = 16'd64;
    reg [15:0] relief_limit = 16'd0;
    reg [SITES-1:0] relief = {SITES{1'b0}};        // R1-R3; may change at any time
    reg [SITES*LINKS-1:0] link_down = {SITES*LINKS{1'b0}};  // R4: what is shown to the routers; words pass all the same
    integer    change_every = 0;                   // clocks after which both are drawn anew; 0: never
    integer    send_stall = 0, receive_stall = 0;  // percent of clocks
    integer    retry_limit = 8;
    integer    paths = 50;                         // percent of the packets to several sites that go as paths
    reg        hold_until_resent = 1'b0;           // breaks O4: `wait` until a foreign packet has left
    reg        verbose = 1'b0;
    integer    seed = 1;

    integer    errors = 0;
    integer    clock = 0;                          // since the end of reset

    // ---- Fabrics and wires ----------------------------------------------------------------------------------------
    wire [SITES*LINKS*LW-1:0] out;
    wire [SITES*LINKS-1:0]    in_wait;
    reg  [SITES*LW-1:0]       send;
    wire [SITES-1:0]          send_wait;
    wire [SITES*(LW+1)-1:0]   receive;
    reg  [SITES-1:0]          receive_wait;
    wire [SITES*PORTS-1:0]    event_drop, event_word_out, event_stall;
    wire [SITES*PORTS-1:0]    monitor_failed;
    wire [SITES-1:0]          event_divert, event_abort, event_split, event_defer, quiet;

    function [2*COORD_WIDTH-1:0] address(input integer site);
        begin
            if (TOPOLOGY == 2) address = site;
            else begin
                address = site % SIZE_X;
                address = address | ((site / SIZE_X) << COORD_WIDTH);
            end
        end
    endfunction

    genvar s, l;
    generate
        for (s = 0; s < SITES; s = s + 1) begin : site
            wire [LINKS*LW-1:0] link_in;
            wire [LINKS-1:0]    link_out_wait;
            for (l = 0; l < LINKS; l = l + 1) begin : link
                localparam integer DX = l == 0 ? 1 : l == 1 ? -1 : 0;
                localparam integer DY = l == 2 ? 1 : l == 3 ? -1 : 0;
                localparam integer NX = s % SIZE_X + DX;
                localparam integer NY = s / SIZE_X + DY;
                localparam integer INSIDE = NX >= 0 && NX < SIZE_X && NY >= 0 && NY < SIZE_Y;
                localparam integer CONNECTED = TOPOLOGY == 0 ? INSIDE : TOPOLOGY == 1 ? l < 4 : 1;
                localparam integer AROUND = (NX + SIZE_X) % SIZE_X + (NY + SIZE_Y) % SIZE_Y * SIZE_X;
                localparam integer NEIGHBOUR = !CONNECTED ? s : TOPOLOGY == 2 ? s ^ (1 << l) : AROUND;
                localparam integer FACING = !CONNECTED ? l : TOPOLOGY == 2 ? l : l ^ 1;
                assign link_in[l*LW +: LW] = CONNECTED ? out[(NEIGHBOUR*LINKS + FACING)*LW +: LW] : {LW{1'b0}};
                assign link_out_wait[l] = CONNECTED ? in_wait[NEIGHBOUR*LINKS + FACING] : 1'b0;
                link_monitor #(.WORD_WIDTH(WORD_WIDTH), .EXISTS(CONNECTED)) monitor (
                    .clk(clk), .reset(reset), .word({1'b0, out[(s*LINKS + l)*LW +: LW]}),
                    .status_wait(link_out_wait[l]), .failed(monitor_failed[s*PORTS + l + 1]));
            end
            fabric #(
                .WORD_WIDTH(WORD_WIDTH), .LINKS(LINKS), .HYPERCUBE(HYPERCUBE),
                .OWN(own_of(ADAPTIVE, INPUT_DEPTH)), .DOWNSTREAM_DEPTH(DOWNSTREAM_DEPTH), .UPSTREAM_DEPTH(UPSTREAM_DEPTH)
            ) fabric (
                .clk(clk), .reset(reset), .site_address(address(s)), .topology(TOPOLOGY[1:0]),
                .size_x(SIZE_X[COORD_WIDTH-1:0]), .size_y(SIZE_Y[COORD_WIDTH-1:0]), .own({24'd0, unicast_lists}),
                .divert_threshold(divert_threshold), .abort_threshold(abort_threshold),
                .relief_limit(relief_limit), .relief(relief[s]), .link_down(link_down[s*LINKS +: LINKS]),
                .link_in(link_in), .link_in_wait(in_wait[s*LINKS +: LINKS]), .link_out(out[s*LINKS*LW +: LINKS*LW]),
                .link_out_wait(link_out_wait), .send(send[s*LW +: LW]), .send_wait(send_wait[s]),
                .receive(receive[s*(LW+1) +: LW+1]), .receive_wait(receive_wait[s]),
                .event_word_out(event_word_out[s*PORTS +: PORTS]), .event_stall(event_stall[s*PORTS +: PORTS]),
                .event_drop(event_drop[s*PORTS +: PORTS]), .event_divert(event_divert[s]), .event_abort(event_abort[s]),
                .event_split(event_split[s]), .event_defer(event_defer[s]), .connections(), .quiet(quiet[s]));
            link_monitor #(.WORD_WIDTH(WORD_WIDTH), .LOCAL(1)) receive_monitor (
                .clk(clk), .reset(reset), .word(receive[s*(LW+1) +: LW+1]), .status_wait(receive_wait[s]),
                .failed(monitor_failed[s*PORTS]));
        end
    endgenerate

    // ---- Events ---------------------------------------------------------------------------------------------------
    integer diversions, aborts, splits, deferrals, drops, resent, fallbacks, link_words;
    integer e;
    always @(posedge clk)
        if (!reset)
            for (e = 0; e < SITES; e = e + 1) begin
                diversions = diversions + event_divert[e];
                aborts     = aborts + event_abort[e];
                splits     = splits + event_split[e];
                deferrals  = deferrals + event_defer[e];
                if (|event_drop[e*PORTS +: PORTS]) begin
                    drops = drops + 1;
                    $display("%0d: error: P6: site %0d dropped a word (ports %b)", clock, e,
                             event_drop[e*PORTS +: PORTS]);
                    errors = errors + 1;
                end
            end

    // ---- Packets and scoreboard -----------------------------------------------------------------------------------
    integer packets;
    integer packet_targets [0:PACKETS-1];                  // number of targets
    integer packet_words   [0:PACKETS-1];                  // number of data words
    integer packet_start   [0:PACKETS-1];                  // clock from which it may be sent
    reg [15:0] packet_target [0:PACKETS*MAX_TARGETS-1];    // site
    reg [3:0]  packet_info   [0:PACKETS*MAX_TARGETS-1];    // number of target_info words, by position
    reg        expected      [0:PACKETS*SITES-1];          // not yet delivered, by site
    integer anonymous_expected [0:SITES-1];
    integer outstanding;                                   // deliveries to come
    integer last_delivery;                                 // clock
    integer latency;                                       // sum over the deliveries of packets with data, from packet_start
    integer queue_head [0:SITES-1], queue_tail [0:SITES-1];
    integer source_queue [0:SITES*PACKETS-1];

    function [WORD_WIDTH-1:0] content(input integer packet, input integer position);
        content = packet * 40503 + position * 2654435 + 13;
    endfunction

    // A packet is announced by its source and data words, then its targets one by one, then submitted.
    integer new_source;
    task packet_begin(input integer source, input integer words, input integer start);
        begin
            new_source = source;
            packet_targets[packets] = 0;
            packet_words[packets] = words;
            packet_start[packets] = start;
        end
    endtask

    task packet_add(input integer target, input integer info_words);
        integer at;
        begin
            at = packets*MAX_TARGETS + packet_targets[packets];
            packet_target[at] = target;
            packet_info[at] = info_words;
            packet_targets[packets] = packet_targets[packets] + 1;
            outstanding = outstanding + 1;
            if (packet_words[packets] == 0) anonymous_expected[target] = anonymous_expected[target] + 1;
            else expected[packets*SITES + target] = 1'b1;
        end
    endtask

    task packet_submit;
        begin
            source_queue[new_source*PACKETS + queue_tail[new_source]] = packets;
            queue_tail[new_source] = queue_tail[new_source] + 1;
            packets = packets + 1;
        end
    endtask

    // ---- Operators ------------------------------------------------------------------------------------------------
    reg [LW:0] buffer      [0:SITES*POOL*MAX_WORDS-1];  // {4-bit tag, word}
    integer    buffer_size [0:SITES*POOL-1];
    reg        buffer_used [0:SITES*POOL-1];
    integer    free_buffers [0:SITES-1];
    integer    to_send      [0:SITES*(POOL+1)-1];       // ring of buffers
    integer    send_first [0:SITES-1], send_count [0:SITES-1];
    integer    sending [0:SITES-1], send_position [0:SITES-1];
    integer    receiving [0:SITES-1];
    integer    holding [0:SITES-1];                     // hold_until_resent: the buffer that must leave first

    function [2:0] tag_of(input [LW:0] word);
        tag_of = word[WORD_WIDTH +: 3];
    endfunction

    function is_site_word(input [LW:0] word);
        is_site_word = tag_of(word) == `POSTROAD_TAG_UNICAST_SITE || tag_of(word) == `POSTROAD_TAG_MULTICAST_SITE;
    endfunction

    task allocate(input integer at, output integer taken);
        integer b;
        begin
            taken = -1;
            for (b = 0; b < POOL && taken < 0; b = b + 1)
                if (!buffer_used[at*POOL + b]) taken = b;
            if (taken >= 0) begin
                buffer_used[at*POOL + taken] = 1'b1;
                buffer_size[at*POOL + taken] = 0;
                free_buffers[at] = free_buffers[at] - 1;
            end
        end
    endtask

    task release_buffer(input integer at, input integer which);
        begin
            buffer_used[at*POOL + which] = 1'b0;
            free_buffers[at] = free_buffers[at] + 1;
        end
    endtask

    task append(input integer at, input integer which, input [3:0] tag, input [WORD_WIDTH-1:0] word);
        if (buffer_size[at*POOL + which] == MAX_WORDS) begin
            $display("%0d: error: site %0d: a packet longer than %0d words", clock, at, MAX_WORDS);
            errors = errors + 1;
            $finish;
        end else begin
            buffer[(at*POOL + which)*MAX_WORDS + buffer_size[at*POOL + which]] = {tag, word};
            buffer_size[at*POOL + which] = buffer_size[at*POOL + which] + 1;
        end
    endtask

    task enqueue(input integer at, input integer which);
        begin
            to_send[at*(POOL+1) + (send_first[at] + send_count[at]) % (POOL+1)] = which;
            send_count[at] = send_count[at] + 1;
        end
    endtask

    // The packet as its source sends it first.
    task compose(input integer at, input integer packet, input integer which);
        integer t, k;
        reg [3:0] tag;
        begin
            tag = packet_targets[packet] == 1 ? `POSTROAD_TAG_UNICAST_SITE : `POSTROAD_TAG_MULTICAST_SITE;
            for (t = 0; t < packet_targets[packet]; t = t + 1) begin
                append(at, which, tag, address(packet_target[packet*MAX_TARGETS + t]));
                for (k = 0; k < packet_info[packet*MAX_TARGETS + t]; k = k + 1)
                    append(at, which, `POSTROAD_TAG_TARGET_INFO,
                           content(packet, 1000 + 10 * packet_target[packet*MAX_TARGETS + t] + k));
            end
            for (k = 0; k < packet_words[packet]; k = k + 1)
                append(at, which, `POSTROAD_TAG_DATA, k == 0 ? packet : k == 1 ? 0 : content(packet, k));
            append(at, which, `POSTROAD_TAG_END_OF_PACKET, 0);
        end
    endtask

    task wrong(input integer at, input [8*48-1:0] what, input integer packet);
        begin
            $display("%0d: error: site %0d, packet %0d: %0s", clock, at, packet, what);
            errors = errors + 1;
        end
    endtask

    // O1, O2: gives the packet to the evaluator if this site is a target, and compares it with what was submitted.
    task deliver(input integer at, input integer which);
        integer k, own, info, words, packet, t, base;
        reg [LW:0] word;
        reg mine;
        begin
            base = (at*POOL + which)*MAX_WORDS;
            own = 0; words = 0; packet = -1; mine = 1'b0;
            for (k = 0; k < buffer_size[at*POOL + which]; k = k + 1) begin
                word = buffer[base + k];
                if (is_site_word(word)) own = own + (word[2*COORD_WIDTH-1:0] == address(at));
                if (tag_of(word) == `POSTROAD_TAG_DATA) begin
                    if (words == 0) packet = word[WORD_WIDTH-1:0];
                    words = words + 1;
                end
            end
            if (own > 1) wrong(at, "own target twice", packet);
            if (own == 1 && packet < 0) begin
                anonymous_expected[at] = anonymous_expected[at] - 1;
                if (anonymous_expected[at] < 0) wrong(at, "an anonymous packet too many", packet);
            end
            if (own == 1 && packet >= packets) wrong(at, "unknown packet", packet);
            else if (own == 1 && packet >= 0) begin
                if (!expected[packet*SITES + at]) wrong(at, "duplicated or not for this site", packet);
                expected[packet*SITES + at] = 1'b0;
                if (words != packet_words[packet]) wrong(at, "number of data words", packet);
                t = -1;
                for (k = 0; k < packet_targets[packet]; k = k + 1)
                    if (packet_target[packet*MAX_TARGETS + k] == at) t = k;
                info = 0; words = 0;
                for (k = 0; k < buffer_size[at*POOL + which]; k = k + 1) begin
                    word = buffer[base + k];
                    if (is_site_word(word)) mine = word[2*COORD_WIDTH-1:0] == address(at);
                    else if (tag_of(word) == `POSTROAD_TAG_TARGET_INFO) begin
                        if (mine && word[WORD_WIDTH-1:0] != content(packet, 1000 + 10*at + info))
                            wrong(at, "content of target_info", packet);
                        info = info + mine;
                    end else if (tag_of(word) == `POSTROAD_TAG_DATA) begin
                        if (words > 1 && word[WORD_WIDTH-1:0] != content(packet, words))
                            wrong(at, "content of a data word", packet);
                        words = words + 1;
                    end
                end
                if (t >= 0 && info != packet_info[packet*MAX_TARGETS + t]) wrong(at, "number of target_info", packet);
            end
            if (own == 1) begin
                outstanding = outstanding - 1;
                last_delivery = clock;
                if (packet >= 0) latency = latency + clock - packet_start[packet];
                if (verbose) $display("%0d: site %0d delivers packet %0d", clock, at, packet);
            end
        end
    endtask

    // The next site on the way in dimension order.
    function integer next_site(input integer from, input integer to);
        integer d, x, y, tx, ty, step;
        begin
            next_site = from;
            if (HYPERCUBE) begin
                for (d = LINKS - 1; d >= 0; d = d - 1) if (from[d] != to[d]) next_site = from ^ (1 << d);
            end else begin
                x = from % SIZE_X; y = from / SIZE_X; tx = to % SIZE_X; ty = to / SIZE_X;
                if (x != tx) x = one_step(x, tx, SIZE_X);
                else if (y != ty) y = one_step(y, ty, SIZE_Y);
                next_site = y * SIZE_X + x;
            end
        end
    endfunction

    function integer one_step(input integer from, input integer to, input integer size);
        if (TOPOLOGY == 1) one_step = (from + (2 * ((to - from + size) % size) <= size ? 1 : size - 1)) % size;
        else one_step = to > from ? from + 1 : from - 1;
    endfunction

    // Hops from `from` to `to`; to -1 if `via` is not a site on the way.
    function integer hops_by(input integer from, input integer via, input integer to);
        integer site;
        reg     seen;
        begin
            site = from;
            seen = site == via;
            for (hops_by = 0; site != to; hops_by = hops_by + 1) begin
                site = next_site(site, to);
                seen = seen || site == via;
            end
            if (!seen) hops_by = -1;
        end
    endfunction

    // ---- Groups of targets: what is left of a packet, sent as a tree, as paths, or as unicasts -----------------------------
    integer group_of [0:MAX_WORDS-1];                   // by place of the entry's site word; -1: not to be sent
    integer order_of [0:MAX_WORDS-1];                   // place in its group
    reg [LW:0] scratch [0:MAX_WORDS-1];

    function integer site_of(input [LW:0] word);
        site_of = HYPERCUBE ? word[2*COORD_WIDTH-1:0] :
                  word[COORD_WIDTH +: COORD_WIDTH] * SIZE_X + word[0 +: COORD_WIDTH];
    endfunction

    // Paths: the nearest target that is left begins one; the next is the nearest on whose way the last one lies.
    task form_paths(input integer at, input integer base, input integer size, output integer groups);
        integer k, last, nearest, hops, place;
        begin
            groups = 0;
            nearest = 0;
            while (nearest >= 0) begin
                last = at;
                place = 0;
                nearest = 0;
                while (nearest >= 0) begin
                    nearest = -1;
                    for (k = 0; k < size; k = k + 1)
                        if (is_site_word(buffer[base + k]) && group_of[k] == 0) begin
                            hops = hops_by(at, last, site_of(buffer[base + k]));
                            if (hops >= 0 && (nearest < 0 || hops < hops_by(at, last, site_of(buffer[base + nearest]))))
                                nearest = k;
                        end
                    if (nearest >= 0) begin
                        if (place == 0) groups = groups + 1;
                        group_of[nearest] = groups;
                        order_of[nearest] = place;
                        place = place + 1;
                        last = site_of(buffer[base + nearest]);
                    end
                end
                if (place > 0) nearest = 0;
            end
        end
    endtask

    // A tree: nearest first, by the way in x and then in y, so that no target lies behind another on a branch.
    function integer rank(input integer at, input integer site);
        integer row;
        begin
            row = at / SIZE_X * SIZE_X + site % SIZE_X;   // where the way turns
            rank = HYPERCUBE ? site : hops_by(at, row, row) * SITES + hops_by(row, site, site);
        end
    endfunction

    task sort_tree(input integer at, input integer base, input integer size);
        integer k, i, own;
        for (k = 0; k < size; k = k + 1)
            if (is_site_word(buffer[base + k]) && group_of[k] >= 0) begin
                group_of[k] = 1;
                order_of[k] = 0;
                own = rank(at, site_of(buffer[base + k])) * MAX_WORDS + k;
                for (i = 0; i < size; i = i + 1)
                    if (is_site_word(buffer[base + i]) && group_of[i] >= 0)  // only then is there a site to rank
                        if (rank(at, site_of(buffer[base + i])) * MAX_WORDS + i < own) order_of[k] = order_of[k] + 1;
            end
    endtask

    // The words of one group, in its order, behind them the rest of the packet: into another buffer or the same.
    task extract(input integer at, input integer from, input integer to, input integer group, input marked);
        integer k, i, size, place, targets;
        reg     more, copies;
        begin
            size = 0;
            targets = 0;
            more = 1'b1;
            for (place = 0; more; place = place + 1) begin
                more = 1'b0;
                copies = 1'b0;
                for (k = 0; k < buffer_size[at*POOL + from]; k = k + 1) begin
                    scratch[size] = buffer[(at*POOL + from)*MAX_WORDS + k];
                    if (is_site_word(scratch[size])) begin
                        copies = group_of[k] == group && order_of[k] == place;
                        more = more || (group_of[k] == group && order_of[k] > place);
                        targets = targets + copies;
                        scratch[size][MARK] = marked;
                    end else if (tag_of(scratch[size]) != `POSTROAD_TAG_TARGET_INFO) copies = 1'b0;
                    size = size + copies;
                end
            end
            if (targets == 1) scratch[0][WORD_WIDTH +: 4] = `POSTROAD_TAG_UNICAST_SITE;
            for (k = 0; k < buffer_size[at*POOL + from]; k = k + 1) begin
                scratch[size] = buffer[(at*POOL + from)*MAX_WORDS + k];
                size = size + !(is_site_word(scratch[size]) || tag_of(scratch[size]) == `POSTROAD_TAG_TARGET_INFO);
            end
            buffer_size[at*POOL + to] = 0;
            for (i = 0; i < size; i = i + 1) append(at, to, scratch[i][WORD_WIDTH +: 4], scratch[i][WORD_WIDTH-1:0]);
            enqueue(at, to);
        end
    endtask

    // A packet in a buffer is sent on to the `left` entries whose group is 0.
    task send_groups(input integer at, input integer which, input integer left, input integer tries);
        integer k, base, size, groups, copy, g;
        reg     marked;
        begin
            base = (at*POOL + which)*MAX_WORDS;
            size = buffer_size[at*POOL + which];
            groups = 1;
            marked = left > 1 && percent(paths);
            if (left > 1 && tries > retry_limit && free_buffers[at] > left + RECEIVE_RESERVE) begin      // O6
                fallbacks = fallbacks + 1;
                groups = 0;
                for (k = 0; k < size; k = k + 1)
                    if (is_site_word(buffer[base + k]) && group_of[k] == 0) begin
                        groups = groups + 1;
                        group_of[k] = groups;
                        order_of[k] = 0;
                    end
            end else if (marked && free_buffers[at] > left + RECEIVE_RESERVE) form_paths(at, base, size, groups);
            else begin
                marked = 1'b0;
                sort_tree(at, base, size);
            end
            for (g = 1; g < groups; g = g + 1) begin
                allocate(at, copy);
                extract(at, which, copy, g, marked);
            end
            extract(at, which, which, groups, marked);
        end
    endtask

    // O1, O2: sends on what is left of a packet that was received: all targets but this site, or the marked ones.
    task resend(input integer at, input integer which, input marked_only);
        integer k, base, left, d, tries;
        reg [LW:0] word;
        reg many;
        begin
            base = (at*POOL + which)*MAX_WORDS;
            left = 0; many = 1'b0; tries = 0; d = 0;
            for (k = 0; k < buffer_size[at*POOL + which]; k = k + 1) begin
                word = buffer[base + k];
                group_of[k] = -1;
                if (is_site_word(word)) begin
                    if (word[2*COORD_WIDTH-1:0] != address(at) && (word[MARK] || !marked_only)) group_of[k] = 0;
                    left = left + (group_of[k] == 0);
                    many = many || tag_of(word) == `POSTROAD_TAG_MULTICAST_SITE;
                end
                if (tag_of(word) == `POSTROAD_TAG_DATA) begin
                    if (d == 1 && many) begin
                        tries = word[WORD_WIDTH-1:0] + 1;
                        buffer[base + k][WORD_WIDTH-1:0] = tries;
                    end
                    d = d + 1;
                end
            end
            if (left == 0) release_buffer(at, which);
            else begin
                // A packet from the middle of its way, local_end_of_packet or not, goes on as any other.
                buffer[base + buffer_size[at*POOL + which] - 1] = {1'b0, `POSTROAD_TAG_END_OF_PACKET, {WORD_WIDTH{1'b0}}};
                resent = resent + 1;
                if (verbose) $display("%0d: site %0d sends a packet on to %0d", clock, at, left);
                send_groups(at, which, left, tries);
                if (hold_until_resent) holding[at] = which;
            end
        end
    endtask

    task receive_word(input integer at, input [LW:0] word);
        begin
            append(at, receiving[at], word[WORD_WIDTH +: 4], word[WORD_WIDTH-1:0]);
            if (tag_of(word) == `POSTROAD_TAG_ABORT_PACKET) begin                      // O3
                release_buffer(at, receiving[at]);
                receiving[at] = -1;
            end else if (word[WORD_WIDTH +: 4] == `POSTROAD_TAG_LOCAL_END_OF_PACKET) begin  // O2
                deliver(at, receiving[at]);
                resend(at, receiving[at], 1'b1);
                receiving[at] = -1;
            end else if (tag_of(word) == `POSTROAD_TAG_END_OF_PACKET) begin            // O1
                deliver(at, receiving[at]);
                resend(at, receiving[at], 1'b0);
                receiving[at] = -1;
            end
        end
    endtask

    function integer percent(input integer chance);
        percent = chance > 0 && ($unsigned($random(seed)) >> 10) % 100 < chance;
    endfunction

    task next_to_send(input integer at);
        integer which, k, targets;
        begin
            if (send_count[at] == 0 && queue_head[at] != queue_tail[at] && free_buffers[at] > RECEIVE_RESERVE
                && packet_start[source_queue[at*PACKETS + queue_head[at]]] <= clock) begin
                allocate(at, which);
                compose(at, source_queue[at*PACKETS + queue_head[at]], which);
                targets = packet_targets[source_queue[at*PACKETS + queue_head[at]]];
                queue_head[at] = queue_head[at] + 1;
                for (k = 0; k < MAX_WORDS; k = k + 1) group_of[k] = 0;
                send_groups(at, which, targets, 0);
            end
            if (send_count[at] > 0) begin
                sending[at] = to_send[at*(POOL+1) + send_first[at]];
                send_first[at] = (send_first[at] + 1) % (POOL+1);
                send_count[at] = send_count[at] - 1;
                send_position[at] = 0;
            end
        end
    endtask

    integer o;
    reg [LW:0] moving;
    always @(posedge clk)
        if (reset) begin
            send <= {SITES*LW{1'b0}};
            receive_wait <= {SITES{1'b1}};
        end else begin
            for (o = 0; o < SITES; o = o + 1) begin
                moving = receive[o*(LW+1) +: LW+1];
                if (tag_of(moving) != 3'd0 && !receive_wait[o]) receive_word(o, moving);
                if (receiving[o] < 0) allocate(o, receiving[o]);
                receive_wait[o] <= receiving[o] < 0 || holding[o] >= 0 || percent(receive_stall);

                if (!(|send[o*LW + WORD_WIDTH +: 3] && send_wait[o])) begin
                    if (sending[o] < 0) next_to_send(o);
                    if (sending[o] >= 0 && !percent(send_stall)) begin
                        send[o*LW +: LW] <= buffer[(o*POOL + sending[o])*MAX_WORDS + send_position[o]][LW-1:0];
                        send_position[o] = send_position[o] + 1;
                        if (send_position[o] == buffer_size[o*POOL + sending[o]]) begin
                            if (holding[o] == sending[o]) holding[o] = -1;
                            release_buffer(o, sending[o]);
                            sending[o] = -1;
                        end
                    end else send[o*LW +: LW] <= {LW{1'b0}};
                end
            end
            clock = clock + 1;
            if (change_every != 0 && clock % change_every == 0)
                for (o = 0; o < SITES; o = o + 1) begin
                    relief[o] <= percent(50);
                    link_down[o*LINKS +: LINKS] <= percent(30) ? $random(seed) : 0;
                end
        end

    // ---- Tasks for benches ----------------------------------------------------------------------------------------
    task restart;
        integer k;
        begin
            reset = 1'b1;
            packets = 0; outstanding = 0; last_delivery = 0; latency = 0; clock = 0;
            diversions = 0; aborts = 0; splits = 0; deferrals = 0; drops = 0; resent = 0; fallbacks = 0;
            for (k = 0; k < PACKETS*SITES; k = k + 1) expected[k] = 1'b0;
            for (k = 0; k < SITES*POOL; k = k + 1) buffer_used[k] = 1'b0;
            for (k = 0; k < SITES; k = k + 1) begin
                anonymous_expected[k] = 0;
                queue_head[k] = 0; queue_tail[k] = 0;
                free_buffers[k] = POOL;
                send_first[k] = 0; send_count[k] = 0;
                sending[k] = -1; receiving[k] = -1; holding[k] = -1;
            end
            repeat (3) @(posedge clk);
            #1;
        end
    endtask

    // Runs until everything submitted has been delivered and the mesh is quiet. `hung` when nothing was delivered for
    // `patience` clocks.
    task run(input integer patience, output reg hung);
        integer calm;
        begin
            reset = 1'b0;
            hung = 1'b0;
            calm = 0;
            while (!hung && calm < 4) begin
                @(posedge clk);
                #1;
                calm = outstanding == 0 && &quiet && idle(0) ? calm + 1 : 0;
                if (clock - last_delivery > patience) hung = 1'b1;
            end
        end
    endtask

    function idle(input integer unused);
        integer k;
        begin
            idle = 1'b1;
            for (k = 0; k < SITES; k = k + 1)
                if (sending[k] >= 0 || send_count[k] != 0 || queue_head[k] != queue_tail[k]
                    || |send[k*LW + WORD_WIDTH +: 3])
                    idle = 1'b0;
        end
    endfunction

    task check;
        integer k;
        begin
            for (k = 0; k < SITES*PORTS; k = k + 1)
                if (monitor_failed[k]) wrong(k / PORTS, "a link broke a rule (above)", -1);
            if (outstanding != 0) begin
                $display("%0d: error: %0d deliveries outstanding", clock, outstanding);
                errors = errors + 1;
            end
            for (k = 0; k < packets*SITES; k = k + 1)
                if (expected[k]) wrong(k % SITES, "never delivered", k / SITES);
            for (k = 0; k < SITES; k = k + 1) begin
                if (anonymous_expected[k] != 0) wrong(k, "anonymous packets never delivered", -1);
                if (free_buffers[k] + (receiving[k] >= 0) != POOL) wrong(k, "a buffer was never freed", -1);
                if (receiving[k] >= 0 && buffer_size[k*POOL + receiving[k]] != 0) wrong(k, "a packet without end", -1);
            end
        end
    endtask
endmodule

`default_nettype wire
