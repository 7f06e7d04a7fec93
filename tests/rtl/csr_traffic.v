// csr_traffic: a hypercube of sites of discipline `csr`. Their operators send packets and, between them, words in any order, with
// gaps and waits; with SUBCUBES some to a subcube. Every whole packet arrives once at each of its targets, as it was sent, and
// those from one site to another in order (C7). Then links
// are damaged and cut, and sites are reset alone: what arrives as a whole is still right, and once all is well again, every
// packet arrives (C9, C10). `run` is called by a bench.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "csr.vh"
`include "protocol.vh"
`include "straps.vh"

module csr_traffic #(
    parameter WORD_WIDTH = 16,
    parameter DIMENSIONS = 2,
    parameter SLOT_WORDS = 16,
    parameter SERIAL     = 0,
    parameter SUBCUBES   = 0,  // 1: some packets go to one
    parameter EXPRESS    = 0   // 1: packets may go as expresses
);
    `include "bench.vh"
    `include "tags.vh"

    localparam D = DIMENSIONS, W = WORD_WIDTH, SITES = 1 << D, LINK = W + 1, TAGGED = W + 3, PACKETS = 16384, LONGEST = 60;
    localparam SILENCE = 320;  // slots: a packet that does not go on is given up before (C9)
    localparam CALM = 400;     // slots until all has arrived; or until it was given up, in two ticks (C9), of each source:
    localparam REST = 2 * 128 * SITES;
    localparam SLOT = SLOT_WORDS + (SERIAL ? 2 * D + 2 : D);
    localparam [31:0] OWN = SLOT_WORDS | SERIAL << 7 | SUBCUBES << 8 | EXPRESS << 9;

    reg                      clk = 1'b0, runs = 1'b0;
    reg                      faults, harmed;
    reg  [63:0]              now = 64'd0;
    reg  [SITES-1:0]         reset = {SITES{1'b1}}, cut = {SITES{1'b0}};
    reg  [SITES*D*LINK-1:0]  damage = {SITES*D*LINK{1'b0}};
    wire [SITES*D*LINK-1:0]  out, in;
    wire [SITES-1:0]         quiet, send_wait;
    reg  [SITES*TAGGED-1:0]  send;
    wire [SITES*(TAGGED+1)-1:0] receive;
    reg  [SITES-1:0]         receive_wait;
    wire [64*SITES-1:0]      events;

    genvar s, l;
    generate
        for (s = 0; s < SITES; s = s + 1) begin : site
            wire [`POSTROAD_STRAPS-1:0] straps = place(s);
            for (l = 0; l < D; l = l + 1) begin : link
                assign in[(s*D + l)*LINK +: LINK] =
                    cut[s] || cut[s ^ 1 << l] ? {LINK{1'b0}} :
                    out[((s ^ 1 << l)*D + l)*LINK +: LINK] ^ damage[(s*D + l)*LINK +: LINK];
            end
            // A damaged count leads to words of RAM that nobody has written. What such a packet ends with is X here; from any
            // value in its place the site makes abort_packet, but for one of 2**W.
            wire [TAGGED:0] got;
            assign receive[(TAGGED+1)*s +: TAGGED+1] =
                harmed && ^got[W +: 3] === 1'bx ? {1'b0, `POSTROAD_TAG_ABORT_PACKET, {W{1'b0}}} : got;
            site_fabric #(.WORD_WIDTH(W), .LINKS(D), .LINK_WIDTH(LINK), .OWN(OWN)) fabric (
                .clk(clk), .reset(reset[s]), .now(now), .straps(straps), .relief(1'b0), .link_down({D{1'b0}}),
                .link_in(in[s*D*LINK +: D*LINK]), .link_in_wait(), .link_out(out[s*D*LINK +: D*LINK]),
                .link_out_wait({D{1'b0}}), .links_next(),
                .send(send[TAGGED*s +: TAGGED]), .send_wait(send_wait[s]), .receive(got),
                .receive_wait(receive_wait[s]), .events(events[64*s +: 64]), .observed(), .quiet(quiet[s]));
        end
    endgenerate

    function [`POSTROAD_STRAPS-1:0] place(input integer address);
        begin
            place = {`POSTROAD_STRAPS{1'b0}};
            place[`POSTROAD_STRAP_SITE_ADDRESS] = address;
        end
    endfunction

    // Packets by number, which is their first word behind the head: what is due.
    integer   due_words [0:PACKETS-1], due_infos [0:PACKETS-1], due_site [0:PACKETS-1], due_from [0:PACKETS-1],
              due_both [0:PACKETS-1];
    reg [1:0] due [0:PACKETS*SITES-1];   // of each target: 0 not sent, 1 sent as a whole, 2 received
    integer   due_since [0:PACKETS-1];
    integer   next_number, first_sure, whole, spoilt, counted, dropped;
    integer   early;  // packets that arrived sooner than a flight takes
    integer   strange = 0;  // what was counted while there were faults

    function [W-1:0] content(input integer number, input integer index);
        content = index == 0 ? number : (number * 40503 + index * 30011) ^ ((number + index) << 16);
    endfunction

    // The bits of a number, in the places that a mask has.
    function integer spread(input integer bits, input integer mask);
        integer k;
        begin
            spread = 0;
            for (k = 0; k < D; k = k + 1)
                if (mask >> k & 1) begin
                    spread = spread | (bits & 1) << k;
                    bits = bits >> 1;
                end
        end
    endfunction

    // Sites of the subcube of a packet.
    function integer copies(input integer mask);
        integer k;
        begin
            copies = 1;
            for (k = 0; k < D; k = k + 1) copies = copies << (mask >> k & 1);
        end
    endfunction

    // Senders. A spoilt packet has a word that cannot stand where index is `spoils`, or, with -1, a target that does not exist.
    integer number [0:SITES-1], words [0:SITES-1], infos [0:SITES-1], target [0:SITES-1], index [0:SITES-1], spoils [0:SITES-1],
            both [0:SITES-1];
    reg [SITES-1:0] sending, waited;  // waited: send_wait before the edge
    integer gaps, waits, hot, busy, wild;

    task begin_packet(input integer from);
        integer k;
        begin
            number[from] = next_number;
            next_number  = next_number + 1;
            words[from]  = 1 + (percent(20) ? below(LONGEST) : below(SLOT_WORDS - 2));
            infos[from]  = percent(50) ? 0 : below(words[from] + 1);
            target[from] = percent(hot) ? 0 : below(SITES);
            both[from]   = SUBCUBES && percent(30) ? below(SITES) : 0;
            index[from]  = -copies(both[from]);
            spoils[from] = percent(wild) ? below(words[from] + 2) - 1 : -SITES - 1;
            sending[from] = 1'b1;
            due_words[number[from]] = words[from];
            due_since[number[from]] = now;
            due_infos[number[from]] = infos[from];
            due_site[number[from]]  = target[from];
            due_from[number[from]]  = from;
            due_both[number[from]]  = both[from];
            for (k = 0; k < SITES; k = k + 1) due[number[from]*SITES + k] = 2'd0;
        end
    endtask

    // The word at `index`, or one that spoils the packet there.
    function [TAGGED-1:0] word_of(input integer from);
        if (index[from] == spoils[from])
            word_of = index[from] < 0 ? {`POSTROAD_TAG_UNICAST_SITE, {W{1'b0}}} | SITES
                    : {below(2) ? `POSTROAD_TAG_ABORT_PACKET : `POSTROAD_TAG_MULTICAST_SITE, {W{1'b0}}} | SITES;
        else if (index[from] < 0)
            word_of = {both[from] != 0 ? `POSTROAD_TAG_MULTICAST_SITE : `POSTROAD_TAG_UNICAST_SITE, {W{1'b0}}} |
                      target[from] & ~both[from] | spread(index[from] + copies(both[from]), both[from]);
        else if (index[from] == words[from])
            word_of = {`POSTROAD_TAG_END_OF_PACKET, {W{1'b0}}};
        else
            word_of = {index[from] < infos[from] ? `POSTROAD_TAG_TARGET_INFO : `POSTROAD_TAG_DATA,
                       content(number[from], index[from])};
    endfunction

    // What was shown and not refused has been taken.
    task drive(input integer from, input reg running);
        integer k;
        begin
            if (send[TAGGED*from+W +: 3] != 3'd0 && !waited[from] && !reset[from]) begin
                stirs = 1'b1;
                if (index[from] == spoils[from]) begin
                    sending[from] = 1'b0;
                    spoilt = spoilt + copies(both[from]);
                end else if (index[from] == words[from]) begin
                    sending[from] = 1'b0;
                    for (k = 0; k < copies(both[from]); k = k + 1)
                        due[number[from]*SITES + (target[from] & ~both[from] | spread(k, both[from]))] = 2'd1;
                    whole = whole + 1;
                end
                index[from] = index[from] + 1;
                send[TAGGED*from +: TAGGED] = {TAGGED{1'b0}};
            end
            if (reset[from]) begin
                sending[from] = 1'b0;
                send[TAGGED*from +: TAGGED] = {TAGGED{1'b0}};
            end else if (send[TAGGED*from+W +: 3] == 3'd0 && !percent(gaps)) begin
                if (!sending[from] && running && percent(busy) && next_number < PACKETS) begin_packet(from);
                if (sending[from]) send[TAGGED*from +: TAGGED] = word_of(from);
            end
        end
    endtask

    // Receivers.
    localparam [8*2-1:0] FRAMED = "C8";
    localparam [8*3-1:0] SENT = "C10";
    integer last_number [0:SITES*SITES-1];
    `include "receivers.vh"

    function [W-1:0] due_word(input integer at, input integer number, input integer index, input info);
        due_word = content(number, index);
    endfunction

    task finish_packet(input integer at);
        integer n, pair, copy;
        begin
            n    = got_number[at];
            copy = n*SITES + at;
            pair = at*SITES + due_from[n];
            check(right[at] && got_words[at] == due_words[n] && got_infos[at] == due_infos[n], "C10 a packet is as it was sent");
            check(got_site[at] == at, "C8 a packet begins with the site");
            check(((due_site[n] ^ at) & ~due_both[n]) == 0, "C10 a packet is at its target");
            if (!(harmed && due[copy] == 2'd2)) begin  // a damaged acknowledgement repeats a packet (C10)
                check(due[copy] == 2'd1, "C10 a packet arrives once, and none that was not sent as a whole");
                check(n > last_number[pair], "C7 packets keep their order");
            end
            last_number[pair] = n;
            if (now - due_since[n] < D * SLOT) early = early + 1;
            due[copy] = 2'd2;
        end
    endtask

    integer c, i, tries, left [0:SITES-1];

    // Packets are out, and for so many clocks no operator has given a word to its site, or got one.
    integer silent;
    task watch;
        begin
            silent = stirs || &quiet && sending == {SITES{1'b0}} ? 0 : silent + 1;
            stirs  = 1'b0;
            if (silent == SILENCE * SLOT) begin
                check(1'b0, "C9 nothing stands still");
                verdict;
            end
        end
    endtask

    // Faults: some bit of some link, a link of a site without signal, a site in reset.
    task harm;
        begin
            damage = {SITES*D*LINK{1'b0}};
            if (faults && below(4) == 0) damage[below(SITES*D*LINK)] = 1'b1;
            for (i = 0; i < SITES; i = i + 1) begin
                if (reset[i]) open[i] = 1'b0;
                if (left[i] > 0) left[i] = left[i] - 1;
                else begin
                    {reset[i], cut[i]} = 2'b00;
                    if (faults && below(1000 * SITES) == 0) begin
                        {reset[i], cut[i]} = percent(50) ? 2'b10 : 2'b01;
                        left[i] = 1 + below(3 * SLOT);
                    end
                end
            end
        end
    endtask

    task clocks(input integer count, input reg running);
        for (c = 0; c < count; c = c + 1) begin
            @(negedge clk);
            for (i = 0; i < SITES; i = i + 1) receive_wait[i] = percent(waits);
            #1;
            for (i = 0; i < SITES; i = i + 1) if (!reset[i]) begin
                look(i);
                counted = counted + events[64*i + `POSTROAD_COUNTER_DEAD_FLITS] + events[64*i + `POSTROAD_COUNTER_DROPS + 1];
                dropped = dropped + events[64*i + `POSTROAD_COUNTER_DROPS];
            end
            waited = send_wait;
            @(posedge clk);
            #1;
            now = now + 64'd1;
            harm;
            for (i = 0; i < SITES; i = i + 1) drive(i, running);
            watch;
        end
    endtask

    // One load: what is sent in `count` clocks, with faults or without, has arrived or is given up some time later.
    task load(input integer count, input integer chosen_busy, input integer chosen_hot, input integer chosen_gaps,
              input integer chosen_waits);
        begin
            {busy, hot, gaps, waits} = {chosen_busy, chosen_hot, chosen_gaps, chosen_waits};
            clocks(count, 1'b1);
            faults = 1'b0;
            gaps  = 0;
            waits = 0;
            for (tries = 0; tries < (harmed ? REST : CALM) && !(&quiet && sending == {SITES{1'b0}}); tries = tries + 1)
                clocks(SLOT, 1'b0);
            check(&quiet, "all comes to rest");
        end
    endtask

    task all_arrived(input integer from);
        for (i = from * SITES; i < next_number * SITES; i = i + 1)
            check(due[i] != 2'd1, "every packet arrives");
    endtask

    task run(input integer length, input integer run_seed);
        begin
            seed = run_seed * 7919 + 17;
            runs = 1'b1;
            {next_number, whole, spoilt, aborted, counted, dropped, wild, early} = 256'd0;
            faults = 1'b0;
            harmed = 1'b0;
            {send, receive_wait, sending, open} = 0;
            reset  = {SITES{1'b1}};
            silent = 0;
            stirs  = 1'b0;
            for (i = 0; i < SITES*SITES; i = i + 1) last_number[i] = -1;
            for (i = 0; i < SITES; i = i + 1) left[i] = 7;
            clocks(20, 1'b0);
            load(length, 100, 0, 0, 0);
            load(length, 100, 0, 30, 40);
            load(length, 100, 80, 0, 30);
            load(EXPRESS ? 800 : length, EXPRESS ? 1 : 3, 0, 0, 0);
            all_arrived(0);
            check((EXPRESS || aborted == 0) && counted == 0 && dropped == 0, "C10 nothing is dropped without a fault");
            check(EXPRESS ? early > 0 : early == 0, "C13 expresses arrive before a flight would, and nothing else");
            wild = 25;
            load(length, 100, 20, 20, 20);
            wild = 0;
            all_arrived(0);
            check((EXPRESS || aborted <= spoilt) && counted == 0 && dropped > 0, "C9 what is malformed ends with abort_packet");
            faults = 1'b1;
            harmed = 1'b1;
            load(3 * length, 100, 10, 0, 10);
            strange = strange + counted;
            harmed  = 1'b0;
            first_sure = next_number;
            counted = 0;
            load(length, 100, 0, 0, 10);
            all_arrived(first_sure);
            check(counted == 0, "C10 no reservation is left of what was damaged");
            $display("%0d dimensions, %0d words of %0d bits, serial %0d: %0d packets, %0d spoilt, %0d aborted", D, SLOT_WORDS, W,
                     SERIAL, whole, spoilt, aborted);
            runs     = 1'b0;
        end
    endtask

    always #5 if (runs) clk = !clk;
endmodule

`default_nettype wire
