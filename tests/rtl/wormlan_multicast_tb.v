// wormlan_multicast_tb: multicasts in the LAN of Figure 3 of Gerla, Palnati and Walton (1996): switches A to E, each with a host.
// Multicasts that fork on their way down a tree, and unicasts that keep to it, arrive once, whole and with the target_info of
// each target, under load (W10, W11); what is malformed, forged or damaged on the way is not taken for whole and leaves nothing
// behind. The figure's deadlock is there if a unicast takes the cross link, and so is one of two multicasts that fork on their
// way up; both are not if all keep to W11. +long: more rounds.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"
`include "straps.vh"
`include "wormlan.vh"

module wormlan_multicast_tb;
    `include "bench.vh"
    `include "tags.vh"

    // The cables are a ring. Port 1 leads to the next site, port 2 to the one before. The tree is without the cable E-D.
    localparam A = 0, B = 1, E = 2, D = 3, C = 4, SITES = 5;
    localparam W = 16, S = W + 2, TAGGED = W + 3, ROOM = 512, PACKETS = 16384;
    localparam PATIENCE_LOG2 = 9, LOADED_PATIENCE_LOG2 = 12;  // the second one is long enough for a queue of worms that fork
    localparam [31:0] OWN = 1 << 4 | 4;  // multicast, a slack of 16 words

    reg                     clk = 1'b0, reset = 1'b1;
    reg  [2*SITES*S-1:0]    damage = {2*SITES*S{1'b0}};
    wire [2*SITES*S-1:0]    out, in;
    wire [SITES-1:0]        quiet, send_wait;
    reg  [SITES*TAGGED-1:0] send = {SITES*TAGGED{1'b0}};
    wire [SITES*(TAGGED+1)-1:0] receive;
    reg  [SITES-1:0]        receive_wait = {SITES{1'b0}}, cut = {SITES{1'b0}};
    wire [64*SITES-1:0]     events;
    reg  [`POSTROAD_STRAPS-1:0] straps = {`POSTROAD_STRAPS{1'b0}};
    reg  [31:0]             own = 32'd0;

    always #5 clk = !clk;

    genvar s;
    generate
        for (s = 0; s < SITES; s = s + 1) begin : site
            localparam NEXT = (s + 1) % SITES, BEFORE = (s + SITES - 1) % SITES;
            assign in[2*s*S +: 2*S] = {out[2*BEFORE*S +: S] & {S{!cut[BEFORE]}}, out[(2*NEXT+1)*S +: S] & {S{!cut[s]}}}
                                      ^ damage[2*s*S +: 2*S];
            site_fabric #(.LINKS(2), .OWN(OWN)) fabric (
                .clk(clk), .reset(reset), .now(64'd0), .straps(straps), .relief(1'b0), .link_down({cut[BEFORE], cut[s]}),
                .link_in(in[2*s*S +: 2*S]), .link_in_wait(), .link_out(out[2*s*S +: 2*S]), .link_out_wait(2'b00), .links_next(),
                .send(send[TAGGED*s +: TAGGED]), .send_wait(send_wait[s]), .receive(receive[(TAGGED+1)*s +: TAGGED+1]),
                .receive_wait(receive_wait[s]), .events(events[64*s +: 64]), .observed(), .quiet(quiet[s]));
        end
    endgenerate

    // The tree: a path E B A C D with its root in the middle.
    function [SITES-1:0] below_or_at(input integer node);
        below_or_at = node == A ? 5'b11111 : node == B ? 5'b00110 : node == C ? 5'b11000 : 5'd1 << node;
    endfunction

    function integer parent(input integer node);
        parent = node == E ? B : node == D ? C : A;
    endfunction

    function integer port_to(input integer from, input integer to);
        port_to = to == (from + 1) % SITES ? 1 : 2;
    endfunction

    // Packets by number, which is their first data word.
    reg [SITES-1:0] due [0:PACKETS-1];
    reg [PACKETS-1:0] spoilt;
    integer length_of [0:PACKETS-1], infos_of [0:PACKETS-1];
    integer next_number, arrived, expected, aborted, dropped, lost_words;

    function [W-1:0] content(input integer number, input integer at, input integer index);
        content = (number * 40503 + at * 7 + index * 30011) ^ (number << 3);
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
            for (k = 0; k < infos_of[number]; k = k + 1) put(from, INFO, content(number, 64 + to, k));
        end
    endtask

    // The route from a switch down to targets, as W10 has it.
    task automatic put_down(input integer from, input integer node, input [SITES-1:0] targets, input integer number,
                            input reg tree);
        integer port, place, next, ports;
        reg [SITES-1:0] there;
        begin
            ports = 0;
            for (port = 0; port <= 2; port = port + 1) begin
                next = port == 0 ? node : port == 1 ? (node + 1) % SITES : (node + SITES - 1) % SITES;
                there = port == 0 ? 5'd1 << node : next != A && parent(next) == node ? below_or_at(next) : 5'd0;
                if ((there & targets) != 5'd0) ports = ports + 1;
            end
            for (port = 0; port <= 2; port = port + 1) begin
                next = port == 0 ? node : port == 1 ? (node + 1) % SITES : (node + SITES - 1) % SITES;
                there = port == 0 ? 5'd1 << node : next != A && parent(next) == node ? below_or_at(next) : 5'd0;
                if ((there & targets) != 5'd0) begin
                    place = ROOM*from + length[from];
                    put(from, INFO, port | (ports > 1 ? `POSTROAD_TREE_ENTRY : 0));
                    if (port == 0) put_target(from, node, number, tree || ports > 1 ? MULTICAST : UNICAST);
                    else put_down(from, next, targets & there, number, tree || ports > 1);
                    if (ports > 1)
                        words[place] = words[place] | (ROOM*from + length[from] - place - 1) << `POSTROAD_TREE_COUNT_SHIFT;
                end
            end
            if (ports > 1) put(from, INFO, `POSTROAD_TREE_END);
        end
    endtask

    task put_rest(input integer from, input integer number, input integer data);
        integer k;
        begin
            length_of[number] = data;
            put(from, DATA, number);
            for (k = 1; k < data; k = k + 1) put(from, DATA, content(number, 0, k));
            put(from, END_OF_PACKET, 16'd0);
        end
    endtask

    task begin_number(input integer from, input [SITES-1:0] targets, input integer infos);
        begin
            length[from] = 0;
            index[from]  = 0;
            due[next_number]      = targets;
            infos_of[next_number] = infos;
        end
    endtask

    // Up to the lowest switch that has all targets below it, and down from there.
    task send_to(input integer from, input [SITES-1:0] targets, input integer infos, input integer data);
        integer node;
        begin
            begin_number(from, targets, infos);
            node = from;
            while ((targets & ~below_or_at(node)) != 5'd0) begin
                put(from, INFO, port_to(node, parent(node)));
                node = parent(node);
            end
            put_down(from, node, targets, next_number, 1'b0);
            put_rest(from, next_number, data);
            next_number = next_number + 1;
        end
    endtask

    // A word of the packet is another one, or its end comes early.
    task spoil(input integer from);
        integer k;
        begin
            k = below(length[from]);
            spoilt[next_number - 1] = 1'b1;
            if (percent(40)) words[ROOM*from + k] = {percent(50) ? END_OF_PACKET : ABORT_PACKET, 16'd0};
            else if (words[ROOM*from + k] >> W != DATA && percent(50))
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
                    if (percent(multicasts)) send_to(from, 1 + below(31), below(3), 1 + below(longest));
                    else send_to(from, 5'd1 << below(SITES), below(3), 1 + below(longest));
                    if (percent(spoils)) spoil(from);
                end
                if (index[from] < length[from]) send[TAGGED*from +: TAGGED] = words[ROOM*from + index[from]];
            end
        end
    endtask

    // Receivers.
    integer got [0:SITES-1], got_infos [0:SITES-1], got_site [0:SITES-1], got_number [0:SITES-1];
    reg [W-1:0] info_seen [0:SITES*4-1];
    reg [SITES-1:0] open, right;

    task finish_packet(input integer at);
        integer n, k;
        begin
            n = got_number[at];
            if (n >= next_number) check(1'b0, "W3 a packet is one that was sent");
            else if (!spoilt[n]) begin
                for (k = 0; k < got_infos[at] && k < 4; k = k + 1)
                    if (info_seen[4*at + k] != content(n, 64 + at, k)) right[at] = 1'b0;
                right[at] = right[at] && got[at] == length_of[n] && got_infos[at] == infos_of[n] && got_site[at] == at;
            end
            // A spoilt packet may still be one, and its first word the number of another.
            if (n < next_number && !spoilt[n] && (right[at] || spoils == 0)) begin
                check(right[at], "W10 a packet is as it was sent to this target");
                check(due[n][at], "W10 each target gets a packet once");
                due[n][at] = 1'b0;
            end
            arrived = arrived + 1;
        end
    endtask

    task look(input integer at);
        reg [TAGGED:0] shown;
        reg [2:0] tag;
        begin
            shown = receive[(TAGGED+1)*at +: TAGGED+1];
            tag   = shown[W +: 3];
            if (tag != 3'd0 && !receive_wait[at]) begin
                if (tag == UNICAST) begin
                    check(!open[at], "W9 a packet begins behind the end of another");
                    {open[at], right[at]} = 2'b11;
                    got_site[at] = shown[W-1:0];
                    {got[at], got_infos[at], got_number[at]} = 96'd0;
                end else if (tag == INFO) begin
                    if (got[at] != 0) right[at] = 1'b0;
                    if (got_infos[at] < 4) info_seen[4*at + got_infos[at]] = shown[W-1:0];
                    got_infos[at] = got_infos[at] + 1;
                end else if (tag == DATA) begin
                    if (got[at] == 0) got_number[at] = shown[W-1:0];
                    else if (shown[W-1:0] != content(got_number[at], 0, got[at])) right[at] = 1'b0;
                    got[at] = got[at] + 1;
                end else begin
                    check(open[at], "W9 words stand in packets");
                    open[at] = 1'b0;
                    if (tag == END_OF_PACKET) finish_packet(at);
                    else aborted = aborted + 1;
                end
            end
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
                lost_words = lost_words + events[64*i + `POSTROAD_COUNTER_DROPS] + events[64*i + `POSTROAD_COUNTER_DROPS + 1]
                             + events[64*i + `POSTROAD_COUNTER_DROPS + 2];
            end
            waited = send_wait;
            @(posedge clk);
            #1;
            damage = {2*SITES*S{1'b0}};
            if (hurts != 0 && below(hurts) == 0) damage[below(2*SITES*S)] = 1'b1;
            if (hurts != 0 && below(10 * hurts) == 0) cut = percent(50) ? 5'd0 : 5'd1 << below(SITES);
            for (i = 0; i < SITES; i = i + 1) drive(i, running);
        end
    endtask

    reg rests;
    task settle;
        begin
            hurts = 0;
            cut   = 5'd0;
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
        {arrived, aborted, dropped, lost_words} = 128'd0;
    endtask

    integer first;
    task all_arrived;
        for (i = first; i < next_number; i = i + 1) check(due[i] == 5'd0, "W10 each target gets every packet");
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
            check(aborted == 0 && dropped == 0 && lost_words == 0, "W11 nothing is dropped, as nothing waits in a circle");
        end
    endtask

    // Two packets, of which the second one begins so many clocks later. `stood`: a worm was given up, as nothing moved.
    integer offset, stood, way;
    localparam CROSS = 0, TREE = 1, FORKS_UP = 2, FORKS_DOWN = 3;
    task meet(input integer chosen_way);
        begin
            stood = 0;
            for (offset = -20; offset <= 20; offset = offset + 4) begin
                forget;
                for (way = 0; way < 2; way = way + 1) begin
                    if (way == (offset < 0 ? 1 : 0)) begin
                        if (chosen_way < FORKS_UP) send_to(A, 5'd1 << E | 5'd1 << D, 0, 90);
                        else send_pair(B, C, chosen_way);
                    end else if (chosen_way == CROSS) begin
                        begin_number(C, 5'd1 << E, 0);
                        put(C, INFO, port_to(C, D));
                        put(C, INFO, port_to(D, E));
                        put(C, INFO, 16'd0);
                        put_target(C, E, next_number, UNICAST);
                        put_rest(C, next_number, 90);
                        next_number = next_number + 1;
                    end else if (chosen_way == TREE) send_to(C, 5'd1 << E, 0, 90);
                    else send_pair(C, B, chosen_way);
                    if (way == 0) clocks(offset < 0 ? -offset : offset, 1'b0);
                end
                settle;
                stood = stood + (dropped != 0);
            end
        end
    endtask

    // From one switch to its host and that of the other one: it forks at once, or above both.
    task send_pair(input integer from, input integer other, input integer chosen_way);
        if (chosen_way == FORKS_DOWN) send_to(from, 5'd1 << from | 5'd1 << other, 0, 90);
        else begin
            begin_number(from, 5'd1 << from | 5'd1 << other, 0);
            put(from, INFO, 16'd2 << `POSTROAD_TREE_COUNT_SHIFT | `POSTROAD_TREE_ENTRY);
            words[ROOM*from] = {INFO, 16'd1 << `POSTROAD_TREE_COUNT_SHIFT | `POSTROAD_TREE_ENTRY};
            put_target(from, from, next_number, MULTICAST);
            put(from, INFO, 16'd3 << `POSTROAD_TREE_COUNT_SHIFT | `POSTROAD_TREE_ENTRY | port_to(from, A));
            put(from, INFO, port_to(A, other));
            put(from, INFO, 16'd0);
            put_target(from, other, next_number, MULTICAST);
            put(from, INFO, `POSTROAD_TREE_END);
            put_rest(from, next_number, 90);
            next_number = next_number + 1;
        end
    endtask

    // A branch that leads nowhere: the others are served, and soon.
    task dead_branch;
        begin
            forget;
            cut = 5'd1 << B;  // the cable B-E
            clocks(4, 1'b0);
            send_to(A, 5'd1 << B | 5'd1 << E | 5'd1 << D, 1, 20);
            clocks(200, 1'b0);
            check(due[next_number - 1] == 5'd1 << E && dropped == 0, "W10 a branch that leads nowhere stops no other");
            settle;
        end
    endtask

    integer rounds, clocks_a_load;
    initial begin
        begin_bench;
        own[`WORMLAN_STRAP_PLACE]    = 13'd4097;
        own[`WORMLAN_STRAP_PATIENCE] = PATIENCE_LOG2;
        straps[`POSTROAD_STRAP_OWN] = own;
        straps[`POSTROAD_STRAP_LINKS_CONNECTED] = 16'd3;
        rounds = $test$plusargs("long") ? 4 : 1;
        clocks_a_load = $test$plusargs("long") ? 1500 : 700;
        {next_number, spoils, hurts, gaps, waits, busy, multicasts} = 224'd0;
        {open, spoilt} = 0;
        longest = 50;
        for (i = 0; i < SITES; i = i + 1) {length[i], index[i]} = 64'd0;
        forget;
        clocks(4, 1'b0);
        reset = 1'b0;
        clocks(4, 1'b0);

        meet(CROSS);
        check(stood > 0, "Figure 3 stands with a unicast over the cross link");
        $display("Figure 3: %0d of 11 stand", stood);
        first = next_number;
        meet(TREE);
        all_arrived;
        check(stood == 0, "W11 Figure 3 does not stand on the tree");
        meet(FORKS_UP);
        check(stood > 0, "two multicasts that fork on their way up stand");
        $display("forks on the way up: %0d of 11 stand", stood);
        first = next_number;
        meet(FORKS_DOWN);
        all_arrived;
        check(stood == 0, "W11 two multicasts that fork on their way down do not stand");

        own[`WORMLAN_STRAP_PATIENCE] = LOADED_PATIENCE_LOG2;
        straps[`POSTROAD_STRAP_OWN] = own;
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
            check(aborted > 0 && dropped > 0, "W3 damage is seen at the targets");
            sure_load(clocks_a_load, 60, 0);
        end
        $display("%0d packets", next_number);
        verdict;
    end
endmodule

`default_nettype wire
