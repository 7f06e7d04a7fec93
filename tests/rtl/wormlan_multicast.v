// wormlan_multicast: multicasts in the LAN of Figure 3 of Gerla, Palnati and Walton (1996): switches A to E, each with a host,
// and the figure's host b behind a switch of its own. D's own host is the figure's c.
// Multicasts and broadcasts that fork on their way down a tree, and unicasts, arrive once, whole and with the target_info of each
// target, under load (W10, W11); what is malformed, forged or damaged on the way is not taken for whole and leaves nothing
// behind. `tree`: unicasts keep to the tree. The figure's deadlock is there if one takes the cross link, and so is one of two
// multicasts that fork on their way up; both are not if all keep to W11. `flush`: unicasts take the cross link, no deadlock
// stands, each multicast arrives, and each unicast that does not is counted (W12). `interrupt`: unicasts take the cross link,
// multicasts begin at the root, no deadlock stands, and every packet arrives (W13 to W15). `run` is called by a bench.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"
`include "straps.vh"
`include "wormlan.vh"

module wormlan_multicast #(
    parameter WAY = 1  // by its place among the values of wormlan.multicast
);
    localparam FLUSH = WAY == 2, INTERRUPT = WAY == 3, FREE = FLUSH || INTERRUPT;  // FREE: unicasts may leave the tree
    `include "bench.vh"
    `include "tags.vh"

    // The cables are a ring, in which port 1 leads to the next site and port 2 to the one before, and E-b, port 3 of E and 1 of
    // b. The tree is without the cable E-D.
    localparam A = 0, B = 1, E = 2, D = 3, C = 4, RING = 5, LEAF = 5, SITES = 6, LINKS = 3, ALL = 16'hffff;
    localparam W = 16, S = W + 2, TAGGED = W + 3, ROOM = 512, PACKETS = 16384;
    // Long enough for a queue of worms that fork; with FLUSH longer than a settling, so that nothing but a flush drops a worm.
    localparam PATIENCE_LOG2 = 9, LOADED_PATIENCE_LOG2 = FREE ? 15 : 12;
    localparam [31:0] OWN = WAY << 4 | 4;  // multicast, a slack of 16 words

    reg                     clk = 1'b0, runs = 1'b0, reset = 1'b1;
    reg  [LINKS*SITES*S-1:0] damage = {LINKS*SITES*S{1'b0}};
    wire [LINKS*SITES*S-1:0] out, in;
    wire [SITES-1:0]        quiet, send_wait;
    reg  [SITES*TAGGED-1:0] send = {SITES*TAGGED{1'b0}};
    wire [SITES*(TAGGED+1)-1:0] receive;
    reg  [SITES-1:0]        receive_wait = {SITES{1'b0}}, cut = {SITES{1'b0}};  // cut: the cable to the next site, or of b
    wire [64*SITES-1:0]     events;
    integer                 patience_log2;
    reg                     never = 1'b0;  // INTERRUPT: nothing is interrupted

    always #5 if (runs) clk = !clk;

    genvar s;
    generate
        for (s = 0; s < SITES; s = s + 1) begin : site
            localparam NEXT = s == LEAF ? E : (s + 1) % RING, BEFORE = s == LEAF ? LEAF : (s + RING - 1) % RING;
            wire [LINKS-1:0]   down = {s == E && cut[LEAF], s != LEAF && cut[BEFORE], cut[s]};
            wire [LINKS*S-1:0] far  = s == LEAF ? {{2*S{1'b0}}, out[(LINKS*E+2)*S +: S]}
                                      : {out[LINKS*LEAF*S +: S] & {S{s == E}}, out[LINKS*BEFORE*S +: S],
                                         out[(LINKS*NEXT+1)*S +: S]};
            assign in[LINKS*s*S +: LINKS*S] = far & {{S{!down[2]}}, {S{!down[1]}}, {S{!down[0]}}} ^ damage[LINKS*s*S +: LINKS*S];
            site_fabric #(.LINKS(LINKS), .OWN(OWN)) fabric (
                .clk(clk), .reset(reset), .now(64'd0), .straps(place(s, patience_log2)), .relief(1'b0), .link_down(down),
                .link_in(in[LINKS*s*S +: LINKS*S]), .link_in_wait(), .link_out(out[LINKS*s*S +: LINKS*S]),
                .link_out_wait({LINKS{1'b0}}), .links_next(),
                .send(send[TAGGED*s +: TAGGED]), .send_wait(send_wait[s]), .receive(receive[(TAGGED+1)*s +: TAGGED+1]),
                .receive_wait(receive_wait[s]), .events(events[64*s +: 64]), .observed(), .quiet(quiet[s]));
            if (INTERRUPT) begin : whole
                always @(never)
                    if (never) force fabric.tree.fork_unit.tick_slack = 1'b0;
                    else release fabric.tree.fork_unit.tick_slack;
            end
        end
    endgenerate

    // The tree: a path b E B A C D with its root A.
    function [SITES-1:0] below_or_at(input integer node);
        below_or_at = node == A ? 6'b111111 : node == B ? 6'b100110 : node == E ? 6'b100100 : node == C ? 6'b011000
                      : 6'd1 << node;
    endfunction

    function integer parent(input integer node);
        parent = node == LEAF ? E : node == E ? B : node == D ? C : A;
    endfunction

    // The site itself at port 0, and where no cable is.
    function integer far_end(input integer from, input integer port);
        if (from == LEAF) far_end = port == 1 ? E : from;
        else far_end = port == 1 ? (from + 1) % RING : port == 2 ? (from + RING - 1) % RING
                       : port == 3 && from == E ? LEAF : from;
    endfunction

    function integer port_to(input integer from, input integer to);
        for (port_to = 1; far_end(from, port_to) != to; port_to = port_to + 1);
    endfunction

    function [`POSTROAD_STRAPS-1:0] place(input integer site, input integer patience);
        reg [31:0] own;
        begin
            own = 32'd0;
            own[`WORMLAN_STRAP_PATIENCE] = patience;
            own[`WORMLAN_STRAP_PLACE] = (site == A ? 3 : site == B ? 1 : site == C ? 2 : site == E ? 4 : 0) << 13 | 4097;
            place = {`POSTROAD_STRAPS{1'b0}};
            place[`POSTROAD_STRAP_OWN] = own;
            place[`POSTROAD_STRAP_LINKS_CONNECTED] = site == LEAF ? 16'd1 : site == E ? 16'd7 : 16'd3;
        end
    endfunction

    // Packets by number, which is their first word behind an address.
    reg [SITES-1:0] due [0:PACKETS-1];
    reg [PACKETS-1:0] spoilt, unicast, broadcast;
    integer length_of [0:PACKETS-1], infos_of [0:PACKETS-1], source_of [0:PACKETS-1];
    integer latest [0:2*SITES*SITES-1];  // from a site to a site: the last unicast, and multicast, that has arrived
    integer overtaken;  // by a packet that the same source has sent later to the same target
    integer next_number, arrived, dropped, lost_words, told, parted;

    // At a target, but for data; of a broadcast the same at all.
    function [W-1:0] content(input integer number, input integer at, input integer index);
        content = index == 0 ? number : (number * 40503 + (broadcast[number] ? ALL : at) * 7 + index * 30011) ^ (number << 3);
    endfunction

    // What a site sends: words with tags.
    reg [TAGGED-1:0] words [0:SITES*ROOM-1];
    integer length [0:SITES-1], index [0:SITES-1];

    task put(input integer from, input [2:0] tag, input [W-1:0] word);
        begin
            words[ROOM*from + length[from]] = {tag, word};
            length[from] = length[from] + 1;
        end
    endtask

    task automatic put_target(input integer from, input integer to, input integer number, input [2:0] tag);
        integer k;
        begin
            put(from, tag, to);
            for (k = 0; k < infos_of[number]; k = k + 1) put(from, INFO, content(number, to, k));
        end
    endtask

    // The route from a switch down to targets, as W10 has it.
    task automatic put_down(input integer from, input integer node, input [SITES-1:0] targets, input integer number,
                            input reg tree);
        integer port, place, next, ports;
        reg [SITES-1:0] there;
        begin
            ports = 0;
            for (port = 0; port <= LINKS; port = port + 1) begin
                next = far_end(node, port);
                there = port == 0 ? 6'd1 << node : next != node && next != A && parent(next) == node ? below_or_at(next) : 6'd0;
                if ((there & targets) != 6'd0) ports = ports + 1;
            end
            for (port = 0; port <= LINKS; port = port + 1) begin
                next = far_end(node, port);
                there = port == 0 ? 6'd1 << node : next != node && next != A && parent(next) == node ? below_or_at(next) : 6'd0;
                if ((there & targets) != 6'd0) begin
                    place = ROOM*from + length[from];
                    put(from, INFO, port | (ports > 1 ? `POSTROAD_TREE_ENTRY : tree ? `POSTROAD_TREE_PORT : 0));
                    if (port == 0) put_target(from, node, number, tree || ports > 1 ? MULTICAST : UNICAST);
                    else put_down(from, next, targets & there, number, tree || ports > 1);
                    if (ports > 1)
                        words[place] = words[place] | (ROOM*from + length[from] - place - 1) << `POSTROAD_TREE_COUNT_SHIFT;
                end
            end
            if (ports > 1) put(from, INFO, `POSTROAD_TREE_END);
        end
    endtask

    task put_rest(input integer from, input integer data);
        integer k;
        begin
            length_of[next_number] = infos_of[next_number] + data;
            for (k = infos_of[next_number]; k < length_of[next_number]; k = k + 1)
                put(from, DATA, content(next_number, SITES, k));
            put(from, END_OF_PACKET, 16'd0);
            next_number = next_number + 1;
        end
    endtask

    task begin_number(input integer from, input [SITES-1:0] targets, input integer infos);
        begin
            length[from] = 0;
            index[from]  = 0;
            due[next_number]      = targets;
            unicast[next_number]   = (targets & targets - 6'd1) == 6'd0;
            broadcast[next_number] = 1'b0;
            infos_of[next_number] = infos;
            source_of[next_number] = from;
        end
    endtask

    // Up to the lowest switch that has all targets below it, and down from there.
    task send_to(input integer from, input [SITES-1:0] targets, input integer infos, input integer data);
        integer node;
        begin
            begin_number(from, targets, infos);
            node = from;
            while ((targets & ~below_or_at(node)) != 6'd0 || INTERRUPT && !unicast[next_number] && node != A) begin
                put(from, INFO, port_to(node, parent(node)) | (unicast[next_number] ? 0 : `POSTROAD_TREE_PORT));
                node = parent(node);
            end
            put_down(from, node, targets, next_number, !unicast[next_number]);
            put_rest(from, data);
        end
    endtask

    // Up to the root, and to all that are below it.
    task send_to_all(input integer from, input integer infos, input integer data);
        integer node;
        begin
            begin_number(from, 6'b111111, infos);
            broadcast[next_number] = 1'b1;
            for (node = from; node != A; node = parent(node))
                put(from, INFO, port_to(node, parent(node)) | `POSTROAD_TREE_PORT);
            put(from, INFO, `POSTROAD_TREE_BROADCAST);
            put_target(from, ALL, next_number, UNICAST);
            put_rest(from, data);
        end
    endtask

    // Along the ring, between E or b and D or C: up links, then down ones, if E is below D.
    task send_across(input integer from, input integer to, input integer infos, input integer data);
        integer node, next;
        begin
            begin_number(from, 6'd1 << to, infos);
            for (node = from; node != to; node = next) begin
                next = node == LEAF ? E : node == E && to == LEAF ? LEAF : to == LEAF || node > to ? node - 1 : node + 1;
                put(from, INFO, port_to(node, next));
            end
            put(from, INFO, 16'd0);
            put_target(from, to, next_number, UNICAST);
            put_rest(from, data);
        end
    endtask

    // FREE: a way of its own, if there is one over the cross link, mostly.
    task send_unicast(input integer from, input integer to, input integer infos, input integer data);
        if (FREE && from >= E && to >= E && (from == E || from == LEAF) != (to == E || to == LEAF) && percent(70))
            send_across(from, to, infos, data);
        else send_to(from, 6'd1 << to, infos, data);
    endtask

    function [2:0] tag_of(input integer from, input integer k);
        tag_of = words[ROOM*from + k] >> W;
    endfunction

    // A word of the packet, but not its number, is another one, or its end comes early.
    task spoil(input integer from);
        integer k;
        begin
            k = below(length[from] - 1);
            spoilt[next_number - 1] = 1'b1;
            if (percent(40) && !(k > 0 && tag_of(from, k) == DATA && tag_of(from, k - 1) != DATA))
                words[ROOM*from + k] = {percent(50) ? END_OF_PACKET : ABORT_PACKET, 16'd0};
            else if (tag_of(from, k) != DATA && !(k > 0 && tag_of(from, k - 1) != INFO) && percent(50))
                words[ROOM*from + k] = {INFO, 16'd0} | below(64) | below(16) << 6;
            else words[ROOM*from + k] = {UNICAST, 16'd0} | below(4);
        end
    endtask

    integer busy, multicasts, gaps, waits, spoils, longest;
    reg [SITES-1:0] waited;

    task drive(input integer from, input reg running);
        begin
            if (send[TAGGED*from+W +: 3] != 3'd0 && !waited[from]) begin
                index[from] = send[TAGGED*from+W +: 3] == END_OF_PACKET || send[TAGGED*from+W +: 3] == ABORT_PACKET
                              ? length[from] : index[from] + 1;
                send[TAGGED*from +: TAGGED] = {TAGGED{1'b0}};
            end
            if (send[TAGGED*from+W +: 3] == 3'd0 && !percent(gaps)) begin
                if (running && index[from] == length[from] && percent(busy)) begin
                    if (!percent(multicasts)) send_unicast(from, below(SITES), below(4), 1 + below(longest));
                    else if (percent(20)) send_to_all(from, below(4), 1 + below(longest));
                    else send_to(from, 1 + below(63), below(4), 1 + below(longest));
                    if (percent(spoils)) spoil(from);
                end
                if (index[from] < length[from]) send[TAGGED*from +: TAGGED] = words[ROOM*from + index[from]];
            end
        end
    endtask

    localparam [8*2-1:0] FRAMED = "W9", SENT = "W3";
    `include "receivers.vh"

    function [W-1:0] due_word(input integer at, input integer number, input integer index, input info);
        due_word = content(number, info ? at : SITES, index);
    endfunction

    task finish_packet(input integer at);
        integer n, pair;
        begin
            n = got_number[at];
            if (!spoilt[n])
                right[at] = right[at] && got_words[at] == length_of[n] && got_infos[at] == infos_of[n]
                            && got_site[at] == (broadcast[n] ? ALL : at);
            // A spoilt packet may still be one, and its first word the number of another.
            if (!spoilt[n] && (right[at] || spoils == 0)) begin
                check(right[at], "W10 a packet is as it was sent to this target");
                check(due[n][at], "W10 each target gets a packet once");
                due[n][at] = 1'b0;
                pair = 2 * (source_of[n] * SITES + at);
                overtaken = overtaken + (n < latest[pair] || n < latest[pair + 1]);
                if (unicast[n]) pair = pair + 1;
                check(FREE == unicast[n] || FLUSH || n > latest[pair], "W9 packets of a route keep their order");
                latest[pair] = n;
            end
            arrived = arrived + 1;
        end
    endtask

    integer c, i, tries, hurts;
    task clocks(input integer count, input reg running);
        for (c = 0; c < count; c = c + 1) begin
            @(negedge clk);
            for (i = 0; i < SITES; i = i + 1) receive_wait[i] = percent(waits);
            #1;
            for (i = 0; i < SITES; i = i + 1) begin
                look(i);
                dropped    = dropped + events[64*i + `POSTROAD_COUNTER_DEAD_FLITS];
                told       = told + events[64*i + `POSTROAD_COUNTER_ABORTS];
                parted     = parted + events[64*i + `POSTROAD_COUNTER_DIVERSIONS];
                lost_words = lost_words + events[64*i + `POSTROAD_COUNTER_DROPS] + events[64*i + `POSTROAD_COUNTER_DROPS + 1]
                             + events[64*i + `POSTROAD_COUNTER_DROPS + 2] + events[64*i + `POSTROAD_COUNTER_DROPS + 3];
            end
            waited = send_wait;
            @(posedge clk);
            #1;
            damage = {LINKS*SITES*S{1'b0}};
            if (hurts != 0 && below(hurts) == 0) damage[below(LINKS*SITES*S)] = 1'b1;
            if (hurts != 0 && below(10 * hurts) == 0) cut = percent(50) ? 6'd0 : 6'd1 << below(SITES);
            for (i = 0; i < SITES; i = i + 1) drive(i, running);
        end
    endtask

    reg rests;
    task settle;
        begin
            hurts = 0;
            cut   = 6'd0;
            gaps  = 0;
            waits = 0;
            rests = 1'b0;
            for (tries = 0; tries < 400 && !rests; tries = tries + 1) begin
                clocks(64, 1'b0);
                rests = &quiet;
                for (i = 0; i < SITES; i = i + 1) if (index[i] != length[i]) rests = 1'b0;
            end
            check(rests, "all comes to rest");
        end
    endtask

    task forget;
        {arrived, aborted, dropped, told, parted, lost_words} = 192'd0;
    endtask

    // All have arrived, but for unicasts that were flushed.
    integer first, missing;
    task all_arrived;
        begin
            missing = 0;
            for (i = first; i < next_number; i = i + 1) begin
                check(due[i] == 6'd0 || FLUSH && unicast[i], "W10 each target gets every packet");
                missing = missing + (due[i] != 6'd0);
            end
            check(FLUSH == 0 || missing == dropped && told <= dropped, "W12 each unicast that is flushed is counted");
        end
    endtask

    task load(input integer count, input integer chosen_busy, input integer chosen_multicasts, input integer chosen_gaps,
              input integer chosen_waits);
        begin
            {busy, multicasts, gaps, waits} = {chosen_busy, chosen_multicasts, chosen_gaps, chosen_waits};
            clocks(count, 1'b1);
            settle;
        end
    endtask

    task sure_load(input integer count, input integer chosen_multicasts, input integer chosen_waits);
        begin
            forget;
            first = next_number;
            load(count, 100, chosen_multicasts, 0, chosen_waits);
            all_arrived;
            check(aborted == 0, "W11 what has begun at a target is whole");
            check(FLUSH || dropped == 0 && lost_words == 0, "W11 nothing is dropped, as nothing waits in a circle");
            all_flushed = all_flushed + dropped;
            all_parted  = all_parted + parted;
        end
    endtask

    // Two packets, of which the second one begins so many clocks later. `stood`: a worm was given up, as nothing moved.
    integer offset, stood, notices, parts, way, met, step;
    localparam MOST = INTERRUPT ? 40 : 20;  // its headers are stored at each switch
    localparam CROSS = 0, TREE = 1, FORKS_UP = 2, FORKS_DOWN = 3;
    task meet(input integer chosen_way);
        begin
            {stood, notices, parts, met} = 128'd0;
            step = $test$plusargs("long") ? 4 : INTERRUPT ? 32 : 8;
            for (offset = -MOST; offset <= MOST; offset = offset + step) begin
                forget;
                first = next_number;
                if (INTERRUPT && chosen_way == CROSS) send_across(D, LEAF, 0, 60);  // the unicast of the figure comes behind it
                for (way = 0; way < 2; way = way + 1) begin
                    if (way == (offset < 0 ? 1 : 0)) begin
                        if (chosen_way < FORKS_UP) send_to(A, 6'd1 << LEAF | 6'd1 << D, 0, 90);
                        else send_pair(B, C, chosen_way);
                    end else if (chosen_way == CROSS) send_across(C, LEAF, 0, 90);
                    else if (chosen_way == TREE) send_to(C, 6'd1 << LEAF, 0, 90);
                    else send_pair(C, B, chosen_way);
                    if (way == 0) clocks(offset < 0 ? -offset : offset, 1'b0);
                end
                settle;
                met   = met + 1;
                stood = stood + (dropped != 0);
                notices = notices + told;
                parts   = parts + parted;
                if (FREE && !never) all_arrived;
            end
        end
    endtask

    // From one switch to its host and that of the other one: it forks at once, or above both.
    task send_pair(input integer from, input integer other, input integer chosen_way);
        if (chosen_way == FORKS_DOWN) send_to(from, 6'd1 << from | 6'd1 << other, 0, 90);
        else begin
            begin_number(from, 6'd1 << from | 6'd1 << other, 0);
            put(from, INFO, 16'd2 << `POSTROAD_TREE_COUNT_SHIFT | `POSTROAD_TREE_ENTRY);
            words[ROOM*from] = {INFO, 16'd1 << `POSTROAD_TREE_COUNT_SHIFT | `POSTROAD_TREE_ENTRY};
            put_target(from, from, next_number, MULTICAST);
            put(from, INFO, 16'd3 << `POSTROAD_TREE_COUNT_SHIFT | `POSTROAD_TREE_ENTRY | port_to(from, A));
            put(from, INFO, port_to(A, other) | `POSTROAD_TREE_PORT);
            put(from, INFO, `POSTROAD_TREE_PORT);
            put_target(from, other, next_number, MULTICAST);
            put(from, INFO, `POSTROAD_TREE_END);
            put_rest(from, 90);
        end
    endtask

    // A branch that leads nowhere: the others are served, and soon.
    task dead_branch;
        begin
            forget;
            cut = 6'd1 << B;  // the cable B-E
            clocks(4, 1'b0);
            send_to(A, 6'd1 << B | 6'd1 << E | 6'd1 << D, 1, 20);
            clocks(200, 1'b0);
            check(due[next_number - 1] == 6'd1 << E && dropped == 0, "W10 a branch that leads nowhere stops no other");
            settle;
        end
    endtask

    task all_meet;
        begin
            if (INTERRUPT) begin
                never = 1'b1;
                patience_log2 = PATIENCE_LOG2;
                meet(CROSS);
                check(stood > 0, "Figure 3 stands if nothing is interrupted");
                $display("Figure 3: %0d stand without interruptions", stood);
                never = 1'b0;
                patience_log2 = LOADED_PATIENCE_LOG2;
            end
            meet(CROSS);
            if (FLUSH) begin
                check(stood > 0 && notices > 0, "W12 the unicast of Figure 3 is flushed, and its source is told");
                check(stood < met, "W12 a unicast that waits for less than a period is not");
            end else if (INTERRUPT)
                check(stood == 0 && parts > 0, "W14 the multicast of Figure 3 is interrupted, and does not stand");
            else check(stood > 0, "Figure 3 stands with a unicast over the cross link");
            if (FLUSH) $display("Figure 3: %0d of %0d are flushed, %0d sources are told", stood, met, notices);
            else if (INTERRUPT) $display("Figure 3: %0d stand, %0d interruptions", stood, parts);
            else $display("Figure 3: %0d stand", stood);
            if (!FREE) begin
                first = next_number;
                meet(TREE);
                all_arrived;
                check(stood == 0, "W11 Figure 3 does not stand on the tree");
                meet(FORKS_UP);
                check(stood > 0, "two multicasts that fork on their way up stand");
                $display("forks on the way up: %0d stand", stood);
            end
            meet(FORKS_DOWN);
            all_arrived;
            check(stood == 0, "W11 two multicasts that fork on their way down do not stand");
        end
    endtask

    integer rounds, clocks_a_load, all_flushed, all_parted;
    task run(input integer run_seed);
        begin
            seed = run_seed * 7919 + 17;
            runs = 1'b1;
            patience_log2 = FREE ? LOADED_PATIENCE_LOG2 : PATIENCE_LOG2;
            rounds = $test$plusargs("long") ? 4 : 1;
            clocks_a_load = $test$plusargs("long") ? 1500 : 400;
            {next_number, spoils, hurts, gaps, waits, busy, multicasts, all_flushed, all_parted} = 288'd0;
            {open, spoilt} = 0;
            longest = 50;
            for (i = 0; i < SITES; i = i + 1) {length[i], index[i]} = 64'd0;
            for (i = 0; i < 2 * SITES * SITES; i = i + 1) latest[i] = -1;
            overtaken = 0;
            forget;
            clocks(4, 1'b0);
            reset = 1'b0;
            clocks(4, 1'b0);
            all_meet;
            patience_log2 = LOADED_PATIENCE_LOG2;
            dead_branch;
            while (rounds > 0) begin
                rounds = rounds - 1;
                sure_load(clocks_a_load, 50, 0);
                sure_load(clocks_a_load, 100, 30);
                sure_load(clocks_a_load, 20, 60);
                forget;
                spoils = 40;
                load(2 * clocks_a_load, 100, 70, 10, 10);
                spoils = 0;
                check(aborted > 0 && lost_words > 0, "W9 what is malformed is not whole");
                sure_load(clocks_a_load, 60, 0);
                forget;
                hurts = 60;
                load(2 * clocks_a_load, 100, 70, 0, 10);
                check(aborted > 0, "W3 damage is seen at the targets");
                sure_load(clocks_a_load, 60, 0);
            end
            $display("%0d packets, %0d flushed, %0d interruptions, %0d overtaken", next_number, all_flushed, all_parted,
                     overtaken);
            check(!FLUSH || all_flushed > 0, "W12 some are flushed");
            runs = 1'b0;
        end
    endtask
endmodule

`default_nettype wire
