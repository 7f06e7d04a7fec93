// postman_traffic: a square of sites of discipline `postman`. Their operators send packets and, between them, words in any order,
// with gaps and waits. The lines over the edge of a grid may carry any bits, as from a far end that is mad. Every whole packet
// arrives once and as it was sent, nothing of any other packet arrives, and all comes to rest (X1). `run` is called by a bench.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "postman.vh"
`include "protocol.vh"
`include "straps.vh"

module postman_traffic #(
    parameter WORD_WIDTH = 16,
    parameter INTERLEAVE = 1,
    parameter PHASES     = 1,
    parameter PRIORITY   = 0,
    parameter LATE_PASS  = 0,
    parameter SHARED_WIRE = 0,
    parameter SIDE       = 2,
    parameter TORUS      = 0
);
    `include "bench.vh"
    `include "tags.vh"

    localparam SITES = SIDE * SIDE, WIDTH = TORUS ? 8 : 4, TAGGED = WORD_WIDTH + 3, DEPTH = 32, PACKETS = 4096;
    localparam COORD_WIDTH = WORD_WIDTH == 32 ? `POSTROAD_SITE_COORD_WIDTH_32 : `POSTROAD_SITE_COORD_WIDTH_16;
    // Words of the longest packet with two addresses, three flits behind the words, and a flit of the buffer without use.
    localparam LONGEST = (DEPTH * WORD_WIDTH / 8 - 6) / (WORD_WIDTH / 8);
    localparam PATIENCE = 12000;   // clocks in which everything is served
    // Packets of others that are served before an own one: of each machine at which they arrive (four in the corner of a grid),
    // and one that is on its way.
    localparam MOST_PASSED = (TORUS ? 16 : 4) + 1;

    reg                   clk = 1'b0, reset = 1'b1, noise = 1'b0;
    reg  [2:0]            options;              // sourcing, routing, vct
    reg  [4*WIDTH*SITES-1:0] edge_bits = 0;
    wire [4*WIDTH*SITES-1:0] out, in;
    wire [SITES-1:0]      quiet, send_wait, refused;
    reg  [SITES*TAGGED-1:0] send;
    wire [SITES*(TAGGED+1)-1:0] receive;
    reg  [SITES-1:0]      receive_wait;
    wire [64*SITES-1:0]   events;

    // Links of a site: east, west, north, south. Site SIDE*y + x.
    genvar s, l;
    generate
        for (s = 0; s < SITES; s = s + 1) begin : site
            localparam X = s % SIDE, Y = s / SIDE;
            localparam EAST = SIDE*Y + (X + 1) % SIDE, WEST = SIDE*Y + (X + SIDE - 1) % SIDE;
            localparam NORTH = SIDE*((Y + 1) % SIDE) + X, SOUTH = SIDE*((Y + SIDE - 1) % SIDE) + X;
            localparam [3:0] OVER_EDGE = TORUS ? 4'd0 : {Y == 0, Y == SIDE-1, X == 0, X == SIDE-1};
            wire [`POSTROAD_STRAPS-1:0] straps;
            wire [31:0] address = (Y << COORD_WIDTH) + X;
            assign straps = place(address, options, TORUS ? cut_at(X, Y) : 8'd0);
            for (l = 0; l < 4; l = l + 1) begin : link
                localparam FAR = l == 0 ? EAST : l == 1 ? WEST : l == 2 ? NORTH : SOUTH;
                assign in[WIDTH*(4*s + l) +: WIDTH] =
                    OVER_EDGE[l] ? edge_bits[WIDTH*(4*s + l) +: WIDTH] : out[WIDTH*(4*FAR + (l ^ 1)) +: WIDTH];
            end
            assign refused[s] = events[64*s + `POSTROAD_COUNTER_DROPS];
            site_fabric #(
                .WORD_WIDTH(WORD_WIDTH), .LINKS(4), .LINK_WIDTH(WIDTH), .OWN(own_of(0)),
                .UPSTREAM_DEPTH(DEPTH)
            ) fabric (
                .clk(clk), .reset(reset), .now(64'd0), .straps(straps), .relief(1'b0), .link_down(4'd0),
                .link_in(in[4*WIDTH*s +: 4*WIDTH]), .link_in_wait(), .link_out(out[4*WIDTH*s +: 4*WIDTH]),
                .link_out_wait(4'd0), .links_next(),
                .send(send[TAGGED*s +: TAGGED]), .send_wait(send_wait[s]), .receive(receive[(TAGGED+1)*s +: TAGGED+1]),
                .receive_wait(receive_wait[s]), .events(events[64*s +: 64]), .observed(), .quiet(quiet[s]));
        end
    endgenerate

    // R17: of the planes (+X,+Y), (-X,+Y), (-X,-Y), (+X,-Y), the lines on which x + y, counted in the plane's directions, passes
    // a multiple of SIDE.
    function [7:0] cut_at(input integer x, input integer y);
        integer plane, sum;
        for (plane = 0; plane < 4; plane = plane + 1) begin
            sum = (plane == 1 || plane == 2 ? SIDE - 1 - x : x) + (plane >= 2 ? SIDE - 1 - y : y);
            cut_at[2*plane +: 2] = {2{sum % SIDE == SIDE - 1}};
        end
    endfunction

    function [31:0] straps_of(input [2:0] chosen, input [7:0] cut);
        begin
            straps_of = 32'd0;
            straps_of[`POSTMAN_STRAP_CUT]               = cut;
            straps_of[`POSTMAN_STRAP_STRATEGY]          = chosen[0];
            straps_of[`POSTMAN_STRAP_ADAPTIVE_ROUTING]  = chosen[1];
            straps_of[`POSTMAN_STRAP_ADAPTIVE_SOURCING] = chosen[2];
        end
    endfunction

    function [31:0] own_of(input integer unused);
        begin
            own_of = `POSTMAN_OWN;
            own_of[`POSTMAN_OWN_INTERLEAVE]  = $clog2(INTERLEAVE);
            own_of[`POSTMAN_OWN_PHASES]      = $clog2(PHASES);
            own_of[`POSTMAN_OWN_PRIORITY]    = PRIORITY;
            own_of[`POSTMAN_OWN_LATE_PASS]   = LATE_PASS;
            own_of[`POSTMAN_OWN_SHARED_WIRE] = SHARED_WIRE;
        end
    endfunction

    function [`POSTROAD_STRAPS-1:0] place(input [31:0] address, input [2:0] chosen, input [7:0] cut);
        begin
            place = {`POSTROAD_STRAPS{1'b0}};
            place[`POSTROAD_STRAP_SITE_ADDRESS]      = address;
            place[`POSTROAD_STRAP_SIZE_X]            = SIDE;
            place[`POSTROAD_STRAP_SIZE_Y]            = SIDE;
            place[`POSTROAD_STRAP_OWN]               = straps_of(chosen, cut);
        end
    endfunction

    function [WORD_WIDTH-1:0] address_of(input integer number);
        address_of = ((number / SIDE) << COORD_WIDTH) + number % SIDE;
    endfunction

    // Packets by number, which is their first word behind the head: what is due.
    integer   due_words [0:PACKETS-1], due_infos [0:PACKETS-1], due_site [0:PACKETS-1];
    reg [1:0] due [0:PACKETS-1];   // 0 not sent, 1 sent as a whole, 2 received
    integer   next_number, outstanding, whole, spoilt, aborted;

    function [WORD_WIDTH-1:0] content(input integer number, input integer index);
        content = index == 0 ? number : (number * 40503 + index * 30011) ^ ((number + index) << 16);
    endfunction

    // Senders. A spoilt packet has a word that cannot stand where index is `spoils`, or, with -1, a target that does not exist.
    integer number [0:SITES-1], words [0:SITES-1], infos [0:SITES-1], target [0:SITES-1], index [0:SITES-1], spoils [0:SITES-1];
    reg [SITES-1:0] sending, talking;
    integer gaps, waits, hot;     // per cent of the words, clocks, packets to site 0
    integer passed [0:SITES-1];   // packets of others that were delivered while one of the own operator stood at its first words

    task begin_packet(input integer from);
        begin
            number[from] = next_number;
            next_number  = next_number + 1;
            words[from]  = 1 + (percent(20) ? below(LONGEST) : below(6));
            infos[from]  = percent(50) ? 0 : below(words[from] + 1);
            target[from] = percent(hot) ? 0 : below(SITES);
            index[from]  = -1;
            passed[from] = 0;
            spoils[from] = percent(25) ? below(words[from] + 2) - 1 : -2;
            if (percent(3)) begin  // too long for a buffer
                words[from]  = LONGEST + 1 + below(4);
                spoils[from] = target[from] == from ? -2 : LONGEST;
            end
            sending[from] = 1'b1;
            due_words[number[from]] = words[from];
            due_infos[number[from]] = infos[from];
            due_site[number[from]]  = target[from];
        end
    endtask

    // Any word that cannot stand there: a head, target_info behind data, a multicast, or abort_packet.
    function [TAGGED-1:0] spoiler(input integer from);
        case (index[from] > infos[from] ? below(4) : below(3))
            3: spoiler = {INFO, content(number[from], index[from])};
            0: spoiler = {UNICAST, address_of(below(SITES))};
            1: spoiler = {MULTICAST, address_of(below(SITES))};
            default: spoiler = {ABORT_PACKET, {WORD_WIDTH{1'b0}}};
        endcase
    endfunction

    // Between packets.
    function [TAGGED-1:0] stray(input unused);
        stray = percent(90) ? {TAGGED{1'b0}} : {percent(50) ? DATA : END_OF_PACKET, address_of(below(SITES))};
    endfunction

    function [TAGGED-1:0] next_word(input integer from);
        if (index[from] >= 0 && index[from] == spoils[from] && words[from] <= LONGEST) next_word = spoiler(from);
        else if (percent(5)) next_word = {NULL_TARGET, {WORD_WIDTH{1'b1}}};
        else if (index[from] < 0)
            next_word = {UNICAST, address_of(spoils[from] == -1 ? SIDE * SIDE : target[from])};
        else if (index[from] == words[from]) next_word = {END_OF_PACKET, {WORD_WIDTH{1'b0}}};
        else next_word = {index[from] < infos[from] ? INFO : DATA, content(number[from], index[from])};
    endfunction

    task sent(input integer from, input [TAGGED-1:0] word);
        if (word[WORD_WIDTH +: 3] != NULL_TARGET) begin
            if (index[from] == spoils[from]) begin
                spoilt = spoilt + 1;
                sending[from] = 1'b0;
            end else if (index[from] == words[from]) begin
                due[number[from]] = 2'd1;
                outstanding = outstanding + 1;
                whole = whole + 1;
                sending[from] = 1'b0;
            end
            index[from] = index[from] + 1;
        end
    endtask

    // Receivers.
    integer got [0:SITES-1], got_infos [0:SITES-1], got_number [0:SITES-1];
    integer stalls, stall [0:SITES-1];   // per cent of the packets within which the receiver waits, and for how many clocks
    reg [SITES-1:0] open, matches;

    task received(input integer at, input [TAGGED:0] word);
        reg [2:0] tag;
        begin
            tag = word[WORD_WIDTH +: 3];
            check(!word[TAGGED], "no local tag");
            if (!open[at]) begin
                check(tag == UNICAST && word[WORD_WIDTH-1:0] == address_of(at), "P1: a packet begins with the own address");
                open[at] = 1'b1;
                matches[at] = 1'b1;
                got[at] = 0;
                got_infos[at] = 0;
                if (percent(stalls)) stall[at] = below(400);
            end else if (tag == DATA || tag == INFO) begin
                if (got[at] == 0) got_number[at] = word[WORD_WIDTH-1:0] % PACKETS;
                matches[at] = matches[at] && word[WORD_WIDTH-1:0] === content(got_number[at], got[at]) &&
                              (tag == DATA || got[at] == got_infos[at]);
                got[at] = got[at] + 1;
                if (tag == INFO) got_infos[at] = got_infos[at] + 1;
            end else begin
                open[at] = 1'b0;
                if (sending[at] && target[at] == at && index[at] >= 0 && index[at] < 2) begin
                    passed[at] = passed[at] + 1;
                    check(hot == 0 || passed[at] <= MOST_PASSED, "X1: what an operator sends to its own site has its turn");
                end
                if (tag == ABORT_PACKET) aborted = aborted + 1;
                else begin
                    check(tag == END_OF_PACKET, "a packet ends with a terminator");
                    check(got[at] > 0 && matches[at] && due[got_number[at]] == 2'd1 && due_site[got_number[at]] == at &&
                          got[at] == due_words[got_number[at]] && got_infos[at] == due_infos[got_number[at]],
                          "X1: what arrives as whole was sent as whole, to this site, and is there for the first time");
                    if (got[at] > 0) due[got_number[at]] = 2'd2;
                    outstanding = outstanding - 1;
                end
            end
        end
    endtask

    // With adaptive sourcing, a packet that ignores busy may overwrite the address that a source sends last: not with noise.
    //
    // Words and waits change behind the edge. What is shown without wait before it is transferred by it.
    reg [TAGGED-1:0] word;
    integer          i;
    task clock;
        begin
            #1 clk = 1'b1;
            for (i = 0; i < SITES; i = i + 1) begin
                taken[i]     = |send[TAGGED*i + WORD_WIDTH +: 3] && !send_wait[i];
                delivered[i] = |receive[(TAGGED+1)*i + WORD_WIDTH +: 3] && !receive_wait[i];
                if (delivered[i]) received(i, receive[(TAGGED+1)*i +: TAGGED+1]);
                if (taken[i] && sending[i]) sent(i, send[TAGGED*i +: TAGGED]);
            end
            #1;
            for (i = 0; i < SITES; i = i + 1) begin
                if (taken[i] || !(|send[TAGGED*i + WORD_WIDTH +: 3])) begin
                    if (!sending[i] && talking[i] && !percent(5)) begin_packet(i);
                    word = percent(gaps) ? {TAGGED{1'b0}} : sending[i] ? next_word(i) : stray(1'b0);
                    send[TAGGED*i +: TAGGED] = word;
                end
                receive_wait[i] = percent(waits) || stall[i] > 0;
                if (stall[i] > 0) stall[i] = stall[i] - 1;
            end
            if (noise) for (i = 0; i < WIDTH*SITES; i = i + 2) edge_bits[4*i +: 8] = percent(60) ? $random(seed) >> 8 : 8'd0;
            else edge_bits = 0;
            clk = 1'b0;
            #1;
        end
    endtask
    reg [SITES-1:0] taken, delivered;

    integer c;
    task configure;
        begin
            reset = 1'b1;
            options = below(8);
            {sending, talking, open} = {3*SITES{1'b0}};
            send = {SITES*TAGGED{1'b0}};
            receive_wait = {SITES{1'b0}};
            gaps = 0;
            waits = 0;
            stalls = 0;
            hot = 0;
            for (c = 0; c < SITES; c = c + 1) stall[c] = 0;
            repeat (4) clock;
            reset = 1'b0;
        end
    endtask

    task come_to_rest;
        begin
            {talking, noise} = {SITES+1{1'b0}};
            stalls = 0;
            for (c = 0; c < PATIENCE && !(&quiet && !(|sending)); c = c + 1) clock;
            check(&quiet && !(|sending) && !(|open), "X1: whatever has been sent, all comes to rest");
        end
    endtask

    task run(input integer rounds, input integer first_seed, output integer failures);
        begin
            seed = first_seed * 7919 + 17 * INTERLEAVE + WORD_WIDTH;
            {next_number, outstanding, whole, spoilt, aborted} = {5{32'd0}};
            for (c = 0; c < PACKETS; c = c + 1) due[c] = 2'd0;
            repeat (rounds) begin
                configure;
                repeat ($test$plusargs("long") ? 6 : TORUS ? 2 : 1) begin
                    gaps  = below(3) ? 0 : below(40);
                    waits = below(3) ? 0 : below(95);
                    talking = below(3) ? ~0 : below(1 << SITES);
                    repeat (500) clock;
                end
                // Most to one site, whose receiver waits for long again and again.
                {stalls, hot, talking} = {32'd30, 32'd90, {SITES{1'b1}}};
                repeat ($test$plusargs("long") || TORUS ? 1000 : 500) clock;
                come_to_rest;
                check(outstanding == 0, "every whole packet has arrived");
                if (!TORUS || $test$plusargs("long")) begin  // a torus has no edge: the same again
                    configure;
                    options[2] = 1'b0;
                    noise = 1'b1;
                    talking = below(1 << SITES);
                    repeat ($test$plusargs("long") ? 1000 : 500) clock;
                    come_to_rest;
                    check(outstanding == 0, "every whole packet has arrived, beside any bits on the lines over the edge");
                end
            end
            $display("%m: %0d whole packets, %0d spoilt, %0d aborted, %0d errors", whole, spoilt, aborted, errors);
            check(whole > 20 * rounds && spoilt > 5 * rounds && aborted > rounds && next_number < PACKETS, "enough was tried");
            failures = errors;
        end
    endtask
endmodule

`default_nettype wire
