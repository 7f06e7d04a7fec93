// wormlan_traffic: three sites of discipline `wormlan` in a ring of cables with delays. Their operators send packets by up/down
// routes, with gaps and waits. Every whole packet arrives once, as it was sent, and those of one route in order (W9). Then
// packets are malformed or have routes that lead anywhere, also round the ring; then links are damaged and cut, and sites are
// reset alone: what arrives as a whole is still right, what does not arrive is counted, and once all is well again every packet
// arrives (W6, W7, W8). `run` is called by a bench.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"
`include "straps.vh"
`include "wormlan.vh"

module wormlan_traffic #(
    parameter WORD_WIDTH = 16,
    parameter SLACK_LOG2 = 4,
    parameter DELAY_0    = 1,   // of the cable from site 0 to site 1, and so on; at most 4 with a slack of 16
    parameter DELAY_1    = 1,
    parameter DELAY_2    = 1
);
    `include "bench.vh"
    `include "tags.vh"

    localparam SITES = 3, W = WORD_WIDTH, S = W + 2, TAGGED = W + 3, PACKETS = 16384, LONGEST = 60, MOST_PORTS = 8;
    localparam PATIENCE_LOG2 = 9, SILENCE = 6 << PATIENCE_LOG2;
    localparam [31:0] OWN = SLACK_LOG2;

    reg                     clk = 1'b0, runs = 1'b0;
    reg  [SITES-1:0]        reset = {SITES{1'b1}}, cut = {SITES{1'b0}};   // cut: the cable from this site to the next one
    reg  [2*SITES*S-1:0]    damage = {2*SITES*S{1'b0}};
    wire [2*SITES*S-1:0]    out, carried, in;
    wire [SITES-1:0]        quiet, send_wait;
    reg  [SITES*TAGGED-1:0] send;
    wire [SITES*(TAGGED+1)-1:0] receive;
    reg  [SITES-1:0]        receive_wait;
    wire [64*SITES-1:0]     events;

    always #5 if (runs) clk = !clk;

    function integer delay(input integer cable);
        delay = cable == 0 ? DELAY_0 : cable == 1 ? DELAY_1 : DELAY_2;
    endfunction

    // Link 0 leads to the next site, whose link 1 leads back.
    genvar s;
    generate
        for (s = 0; s < SITES; s = s + 1) begin : site
            localparam NEXT = (s + 1) % SITES, BEFORE = (s + SITES - 1) % SITES;
            wire down = cut[s] || reset[s] || reset[NEXT], down_before = cut[BEFORE] || reset[s] || reset[BEFORE];
            wire [1:0] unused;
            cable_delay #(.WIDTH(S), .DELAY(s == 0 ? DELAY_0 : s == 1 ? DELAY_1 : DELAY_2), .WORDS(0)) there (
                .clk(clk), .reset(&reset), .word_in(out[2*s*S +: S]), .word_out(carried[(2*NEXT+1)*S +: S]), .wait_in(1'b0),
                .wait_out(unused[0]));
            cable_delay #(.WIDTH(S), .DELAY(s == 0 ? DELAY_0 : s == 1 ? DELAY_1 : DELAY_2), .WORDS(0)) back (
                .clk(clk), .reset(&reset), .word_in(out[(2*NEXT+1)*S +: S]), .word_out(carried[2*s*S +: S]), .wait_in(1'b0),
                .wait_out(unused[1]));
            assign in[2*s*S +: 2*S] = {{S{!down_before}} & (carried[(2*s+1)*S +: S] ^ damage[(2*s+1)*S +: S]),
                                       {S{!down}} & (carried[2*s*S +: S] ^ damage[2*s*S +: S])};
            site_fabric #(.WORD_WIDTH(W), .LINKS(2), .LINK_WIDTH(S), .OWN(OWN)) fabric (
                .clk(clk), .reset(reset[s]), .now(64'd0), .straps(place(s)), .relief(1'b0), .link_down({down_before, down}),
                .link_in(in[2*s*S +: 2*S]), .link_in_wait(), .link_out(out[2*s*S +: 2*S]), .link_out_wait(2'b00), .links_next(),
                .send(send[TAGGED*s +: TAGGED]), .send_wait(send_wait[s]), .receive(receive[(TAGGED+1)*s +: TAGGED+1]),
                .receive_wait(receive_wait[s]), .events(events[64*s +: 64]), .observed(), .quiet(quiet[s]));
        end
    endgenerate

    function [`POSTROAD_STRAPS-1:0] place(input integer number);
        reg [31:0] own;
        integer longest;
        begin
            longest = delay(number) > delay((number + 2) % SITES) ? delay(number) : delay((number + 2) % SITES);
            own     = 32'd0;
            own[`WORMLAN_STRAP_PLACE]    = 4096 + longest;
            own[`WORMLAN_STRAP_PATIENCE] = PATIENCE_LOG2;
            place = {`POSTROAD_STRAPS{1'b0}};
            place[`POSTROAD_STRAP_OWN] = own;
            place[`POSTROAD_STRAP_LINKS_CONNECTED] = 16'd3;
        end
    endfunction

    // Routes: four bits a port, the first one lowest. Up leads to a lower number.
    function integer port_to(input integer from, input integer to);
        port_to = to == (from + 1) % SITES ? 1 : 2;
    endfunction

    function [4*MOST_PORTS-1:0] route(input integer from, input integer to, input integer over);
        if (over == from || over == to || over > from && over > to)  // the straight way; a way down and up again is none
            route = from == to ? 0 : port_to(from, to);
        else
            route = port_to(from, over) | port_to(over, to) << 4;
    endfunction

    function integer ports_of(input integer from, input integer to, input integer over);
        ports_of = over == from || over == to || over > from && over > to ? (from == to ? 1 : 2) : 3;
    endfunction

    // Packets by number, which is their first data or info word: what is due.
    integer   due_words [0:PACKETS-1], due_infos [0:PACKETS-1], due_site [0:PACKETS-1], due_way [0:PACKETS-1];
    reg [1:0] due [0:PACKETS-1];   // 0 not sent, 1 sent as a whole, 2 received
    integer   next_number, whole, arrived, spoilt, dropped, lost_words, stalls;

    function [W-1:0] content(input integer number, input integer index);
        content = index == 0 ? number : (number * 40503 + index * 30011) ^ ((number + index) << 16);
    endfunction

    // Senders. A spoilt packet has a wrong word at `spoils`.
    integer number [0:SITES-1], words [0:SITES-1], infos [0:SITES-1], target [0:SITES-1], index [0:SITES-1], spoils [0:SITES-1],
            ports [0:SITES-1];
    reg [4*MOST_PORTS-1:0] way [0:SITES-1];
    reg [SITES-1:0] sending, waited;
    integer gaps, waits, hot, busy, wild, forging;

    task begin_packet(input integer from);
        integer over;
        begin
            number[from] = next_number;
            next_number  = next_number + 1;
            words[from]  = 1 + below(percent(20) ? LONGEST : 12);
            infos[from]  = percent(50) ? 0 : below(words[from] + 1);
            target[from] = percent(hot) ? 0 : below(SITES);
            over         = below(SITES);
            ports[from]  = ports_of(from, target[from], over);
            way[from]    = route(from, target[from], over);
            spoils[from] = percent(wild) ? below(words[from] + 2) - 2 : -MOST_PORTS - 2;
            if (percent(forging)) begin
                ports[from]  = below(MOST_PORTS + 1);
                way[from]    = {below(1 << 16), below(1 << 16)} & 32'h33333333;
                if (percent(20)) way[from] = way[from] | 32'h4 << 4 * below(3);
            end
            if (percent(forging) && percent(50)) begin  // round the ring, and again
                ports[from]  = 3 + below(MOST_PORTS - 2);
                way[from]    = 32'h11111111;
            end
            index[from]  = -1 - ports[from];
            sending[from] = 1'b1;
            due_words[number[from]] = words[from];
            due_infos[number[from]] = infos[from];
            due_site[number[from]]  = target[from];
            due_way[number[from]]   = ((from * SITES + target[from]) * 16 + ports[from]) * 4 + way[from][1:0];
            due[number[from]]       = 2'd0;
        end
    endtask

    function [TAGGED-1:0] word_of(input integer from);
        if (index[from] == spoils[from])
            word_of = {percent(50) ? ABORT_PACKET : percent(50) || index[from] == -1 ? MULTICAST : UNICAST, {W{1'b1}}};
        else if (index[from] < -1)
            word_of = {INFO, {W{1'b0}}} | way[from][4*(index[from] + 1 + ports[from]) +: 4];
        else if (index[from] == -1)
            word_of = {UNICAST, {W{1'b0}}} | target[from];
        else if (index[from] == words[from])
            word_of = {END_OF_PACKET, {W{1'b0}}};
        else
            word_of = {index[from] < infos[from] ? INFO : DATA, content(number[from], index[from])};
    endfunction

    // What was shown and not refused has been taken.
    task drive(input integer from, input reg running);
        begin
            if (send[TAGGED*from+W +: 3] != 3'd0 && !waited[from] && !reset[from]) begin
                stirs = 1'b1;
                if (index[from] == spoils[from]) begin
                    spoilt = spoilt + 1;
                    due[number[from]] = 2'd3;
                end
                if (send[TAGGED*from+W +: 3] == ABORT_PACKET)
                    sending[from] = 1'b0;
                else if (index[from] == words[from]) begin
                    sending[from] = 1'b0;
                    if (due[number[from]] == 2'd0) begin
                        due[number[from]] = 2'd1;
                        whole = whole + 1;
                    end
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
    localparam [8*2-1:0] FRAMED = "W9", SENT = "W3";
    integer last_number [0:1023];
    `include "receivers.vh"

    function [W-1:0] due_word(input integer at, input integer number, input integer index, input info);
        due_word = content(number, index);
    endfunction

    task finish_packet(input integer at);
        integer n;
        begin
            n = got_number[at];
            check(right[at] && got_words[at] == due_words[n] && got_infos[at] == due_infos[n] && got_site[at] == due_site[n],
                  "W3 a packet is as it was sent");
            check(due[n] == 2'd1, "W9 a packet arrives once, and none that was malformed");
            check(forging != 0 || due_site[n] == at, "W1 a packet is at its target");
            check(forging != 0 || n > last_number[due_way[n]], "W9 packets of a route keep their order");
            last_number[due_way[n]] = n;
            due[n]  = 2'd2;
            arrived = arrived + 1;
        end
    endtask

    integer c, i, tries, silent, left [0:SITES-1];
    reg     faults;

    // Packets are out, and for so many clocks no operator has given a word to its site, or got one.
    task watch;
        begin
            silent = stirs || &quiet && sending == {SITES{1'b0}} ? 0 : silent + 1;
            stirs  = 1'b0;
            if (silent == SILENCE) begin
                check(1'b0, "W7 nothing stands still");
                verdict;
            end
        end
    endtask

    // Faults: some bit of some link, a cable that is cut, a site in reset.
    task harm;
        begin
            damage = {2*SITES*S{1'b0}};
            if (faults && below(40) == 0) damage[below(2*SITES*S)] = 1'b1;
            for (i = 0; i < SITES; i = i + 1) begin
                if (reset[i]) open[i] = 1'b0;
                if (left[i] > 0) left[i] = left[i] - 1;
                else begin
                    {reset[i], cut[i]} = 2'b00;
                    if (faults && below(1000 * SITES) == 0) begin
                        {reset[i], cut[i]} = percent(50) ? 2'b10 : 2'b01;
                        left[i] = 1 + below(100);
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
                dropped    = dropped + events[64*i + `POSTROAD_COUNTER_DEAD_FLITS];
                lost_words = lost_words + events[64*i + `POSTROAD_COUNTER_DROPS] + events[64*i + `POSTROAD_COUNTER_DROPS + 1]
                             + events[64*i + `POSTROAD_COUNTER_DROPS + 2];
                stalls     = stalls + events[64*i + `POSTROAD_COUNTER_STALLS + 1];
            end
            waited = send_wait;
            @(posedge clk);
            #1;
            harm;
            for (i = 0; i < SITES; i = i + 1) drive(i, running);
            watch;
        end
    endtask

    // One load, until all has come to rest.
    task load(input integer count, input integer chosen_busy, input integer chosen_hot, input integer chosen_gaps,
              input integer chosen_waits);
        begin
            {busy, hot, gaps, waits} = {chosen_busy, chosen_hot, chosen_gaps, chosen_waits};
            clocks(count, 1'b1);
            faults = 1'b0;
            gaps   = 0;
            waits  = 0;
            for (tries = 0; tries < 400 && !(&quiet && sending == {SITES{1'b0}}); tries = tries + 1) clocks(64, 1'b0);
            check(&quiet, "all comes to rest");
        end
    endtask

    task all_arrived(input integer from);
        for (i = from; i < next_number; i = i + 1)
            check(due[i] != 2'd1, "W9 every packet arrives");
    endtask

    task forget;
        {whole, arrived, spoilt, aborted, dropped, lost_words} = 192'd0;
    endtask

    integer first_sure;
    task run(input integer length, input integer run_seed, input reg with_faults);
        begin
            seed = run_seed * 7919 + 17;
            runs = 1'b1;
            {next_number, wild, forging, silent, stalls} = 160'd0;
            forget;
            faults = 1'b0;
            stirs  = 1'b0;
            {send, receive_wait, sending, open} = 0;
            reset  = {SITES{1'b1}};
            for (i = 0; i < 1024; i = i + 1) last_number[i] = -1;
            for (i = 0; i < SITES; i = i + 1) left[i] = 7;
            clocks(20, 1'b0);
            load(length, 100, 0, 0, 0);
            load(length, 100, 0, 30, 40);
            load(length, 100, 80, 0, 70);
            load(length, 3, 0, 0, 0);
            all_arrived(0);
            check(aborted == 0 && dropped == 0 && lost_words == 0, "W6 nothing is dropped without a fault");
            check(stalls > length / 50, "W4 links were stopped");
            forget;
            wild = 25;
            load(length, 100, 20, 20, 20);
            wild = 0;
            all_arrived(0);
            check(aborted > 0 && aborted + dropped <= spoilt && lost_words > 0, "W9 what is malformed ends with abort_packet");
            forget;
            forging = 30;
            load(4 * length, 100, 20, 0, 20);
            check(dropped > 0 && whole > arrived && whole - arrived <= dropped + aborted + lost_words,
                  "W7 what does not arrive is counted");
            forging = 0;
            forget;
            first_sure = next_number;
            load(length, 100, 0, 0, 10);
            all_arrived(first_sure);
            check(aborted == 0 && dropped == 0 && lost_words == 0, "W7 what was forged leaves nothing behind");
            if (with_faults) begin
                faults = 1'b1;
                load(4 * length, 100, 10, 0, 10);
                check(aborted > 0, "W3 damage is seen at the target");
                forget;
                first_sure = next_number;
                load(length, 100, 0, 0, 10);
                all_arrived(first_sure);
                check(aborted == 0 && dropped == 0, "W8 faults leave nothing behind");
            end
            $display("delays %0d, %0d, %0d: %0d packets, %0d stalls", DELAY_0, DELAY_1, DELAY_2, next_number, stalls);
            runs = 1'b0;
        end
    endtask
endmodule

`default_nettype wire
