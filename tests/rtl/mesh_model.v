// mesh_model: a mesh of fabrics with behavioural operators, a scoreboard and a monitor on every link. Benches
// instantiate it, set its knobs and call its tasks: restart, packet_begin, packet_add, packet_submit, run, check.
//
// The operators follow O1-O7 of rules.md. Every packet carries its number in its first data word, or is
// anonymous (no data words), in which case only deliveries a site are counted.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module mesh_model #(
    parameter TOPOLOGY         = 0,
    parameter SIZE_X           = 3,   // hypercube: number of sites
    parameter SIZE_Y           = 3,   // hypercube: 1
    parameter LINKS            = 4,
    parameter WORD_WIDTH       = 16,
    parameter EAGER            = 0,
    parameter DOWNSTREAM_DEPTH = 8,
    parameter UPSTREAM_DEPTH   = 16,
    parameter POOL             = 64,   // buffers a site
    parameter PACKETS          = 4096, // most packets between two calls of `restart`
    parameter MAX_WORDS        = 64    // words of a packet, terminator included
) (
    input wire clk
);
    localparam SITES       = SIZE_X * SIZE_Y;
    localparam PORTS       = LINKS + 1;
    localparam COORD_WIDTH = WORD_WIDTH == 32 ? `POSTROAD_SITE_COORD_WIDTH_32 : `POSTROAD_SITE_COORD_WIDTH_16;
    localparam LW          = WORD_WIDTH + 3;
    localparam MAX_TARGETS = SITES;
    localparam STRICT      = WORD_WIDTH - 1;
    localparam RECEIVE_RESERVE = 2;

    // Straps and knobs, set while in reset.
    reg        reset = 1'b1;
    reg [7:0]  unicast_lists = 8'b10101010, multicast_lists = 8'h00;
    reg [15:0] divert_threshold = 16'd24, abort_threshold = 16'd48, abort_random = 16'd127;
    reg        release_single = 1'b1;
    reg [15:0] relief_limit = 16'd0;
    reg [SITES-1:0] relief = {SITES{1'b0}};        // R1-R3; may change at any time
    reg [SITES*LINKS-1:0] link_down = {SITES*LINKS{1'b0}};  // R4: what is shown to the routers; words pass all the same
    integer    change_every = 0;                   // clocks after which both are drawn anew; 0: never
    integer    send_stall = 0, receive_stall = 0;  // percent of clocks
    integer    retry_limit = 8;
    reg        strict = 1'b0;                      // sources set the strict bit (U5)
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
    wire [SITES-1:0]          event_divert, event_abort, event_split, event_pass, event_single, quiet;

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
                .WORD_WIDTH(WORD_WIDTH), .LINKS(LINKS), .EAGER(EAGER), .DOWNSTREAM_DEPTH(DOWNSTREAM_DEPTH),
                .UPSTREAM_DEPTH(UPSTREAM_DEPTH)
            ) fabric (
                .clk(clk), .reset(reset), .site_address(address(s)), .topology(TOPOLOGY[1:0]),
                .size_x(SIZE_X[COORD_WIDTH-1:0]), .size_y(SIZE_Y[COORD_WIDTH-1:0]), .unicast_lists(unicast_lists),
                .multicast_lists(multicast_lists), .divert_threshold(divert_threshold),
                .abort_threshold(abort_threshold), .abort_random(abort_random), .release_single(release_single),
                .relief_limit(relief_limit), .relief(relief[s]), .link_down(link_down[s*LINKS +: LINKS]),
                .link_in(link_in), .link_in_wait(in_wait[s*LINKS +: LINKS]), .link_out(out[s*LINKS*LW +: LINKS*LW]),
                .link_out_wait(link_out_wait), .send(send[s*LW +: LW]), .send_wait(send_wait[s]),
                .receive(receive[s*(LW+1) +: LW+1]), .receive_wait(receive_wait[s]),
                .event_word_out(event_word_out[s*PORTS +: PORTS]), .event_stall(event_stall[s*PORTS +: PORTS]),
                .event_drop(event_drop[s*PORTS +: PORTS]), .event_divert(event_divert[s]), .event_abort(event_abort[s]),
                .event_split(event_split[s]), .event_pass(event_pass[s]), .event_single(event_single[s]),
                .quiet(quiet[s]));
            link_monitor #(.WORD_WIDTH(WORD_WIDTH), .LOCAL(1)) receive_monitor (
                .clk(clk), .reset(reset), .word(receive[s*(LW+1) +: LW+1]), .status_wait(receive_wait[s]),
                .failed(monitor_failed[s*PORTS]));
        end
    endgenerate

    // ---- Events ---------------------------------------------------------------------------------------------------
    integer diversions, aborts, splits, passes, singles, drops, resent, fallbacks, link_words;
    integer e;
    always @(posedge clk)
        if (!reset)
            for (e = 0; e < SITES; e = e + 1) begin
                diversions = diversions + event_divert[e];
                aborts     = aborts + event_abort[e];
                splits     = splits + event_split[e];
                passes     = passes + event_pass[e];
                singles    = singles + event_single[e];
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
                append(at, which, tag, address(packet_target[packet*MAX_TARGETS + t]) | (strict << STRICT));
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

    // O1, O6: strips the local target in place and sends what is left, as unicasts after too many tries.
    task resend(input integer at, input integer which);
        integer k, size, base, left, copy, d, tries;
        reg [LW:0] word;
        reg mine, many, again;
        begin
            base = (at*POOL + which)*MAX_WORDS;
            size = 0; left = 0; mine = 1'b0; many = 1'b0; tries = 0; d = 0;
            for (k = 0; k < buffer_size[at*POOL + which]; k = k + 1) begin
                word = buffer[base + k];
                if (is_site_word(word)) begin
                    mine = word[2*COORD_WIDTH-1:0] == address(at);
                    left = left + !mine;
                    many = many || tag_of(word) == `POSTROAD_TAG_MULTICAST_SITE;
                end
                if (tag_of(word) == `POSTROAD_TAG_DATA) begin
                    if (d == 1 && many) begin
                        word[WORD_WIDTH-1:0] = word[WORD_WIDTH-1:0] + 1;
                        tries = word[WORD_WIDTH-1:0];
                    end
                    d = d + 1;
                end
                if (!(mine && (is_site_word(word) || tag_of(word) == `POSTROAD_TAG_TARGET_INFO))) begin
                    buffer[base + size] = word;
                    size = size + 1;
                end
            end
            buffer_size[at*POOL + which] = size;
            if (left == 0) release_buffer(at, which);
            else begin
                resent = resent + 1;
                if (verbose) $display("%0d: site %0d sends a packet on to %0d", clock, at, left);
                again = left > 1 && tries > retry_limit && free_buffers[at] > left + RECEIVE_RESERVE;
                if (again) begin
                    fallbacks = fallbacks + 1;
                    for (k = 0; k < size; k = k + 1)
                        if (is_site_word(buffer[base + k])) begin
                            allocate(at, copy);
                            copy_for_one(at, which, copy, k);
                            enqueue(at, copy);
                        end
                    release_buffer(at, which);
                end else begin
                    if (left == 1 && many) buffer[base][WORD_WIDTH +: 4] = `POSTROAD_TAG_UNICAST_SITE;
                    enqueue(at, which);
                    if (hold_until_resent) holding[at] = which;
                end
            end
        end
    endtask

    task copy_for_one(input integer at, input integer from, input integer to, input integer entry);
        integer k, base;
        reg in_entry;
        begin
            base = (at*POOL + from)*MAX_WORDS;
            in_entry = 1'b0;
            for (k = 0; k < buffer_size[at*POOL + from]; k = k + 1) begin
                if (is_site_word(buffer[base + k])) in_entry = k == entry;
                if (k == entry)
                    append(at, to, `POSTROAD_TAG_UNICAST_SITE, buffer[base + k][WORD_WIDTH-1:0] | (1 << STRICT));
                else if (!is_site_word(buffer[base + k])
                         && (in_entry || tag_of(buffer[base + k]) != `POSTROAD_TAG_TARGET_INFO))
                    append(at, to, buffer[base + k][WORD_WIDTH +: 4], buffer[base + k][WORD_WIDTH-1:0]);
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
                release_buffer(at, receiving[at]);
                receiving[at] = -1;
            end else if (tag_of(word) == `POSTROAD_TAG_END_OF_PACKET) begin            // O1
                deliver(at, receiving[at]);
                resend(at, receiving[at]);
                receiving[at] = -1;
            end
        end
    endtask

    function integer percent(input integer chance);
        percent = chance > 0 && ($unsigned($random(seed)) >> 10) % 100 < chance;
    endfunction

    task next_to_send(input integer at);
        integer which;
        begin
            if (send_count[at] == 0 && queue_head[at] != queue_tail[at] && free_buffers[at] > RECEIVE_RESERVE
                && packet_start[source_queue[at*PACKETS + queue_head[at]]] <= clock) begin
                allocate(at, which);
                compose(at, source_queue[at*PACKETS + queue_head[at]], which);
                queue_head[at] = queue_head[at] + 1;
                enqueue(at, which);
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
            diversions = 0; aborts = 0; splits = 0; passes = 0; singles = 0; drops = 0; resent = 0; fallbacks = 0;
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
