// connection_tb: one connection against arbiters and net_outputs that refuse at random. Whatever they do, a word enters
// each branch exactly once, on all in one clock or on none; grants that are lost cost nothing but time (F3, U1, M1-M9).
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module connection_tb;
    `include "bench.vh"

    localparam PORTS = 5, MAX_WORDS = 24, ENTRIES = 5, NULL_ENTRY = 99;

    reg clk = 1'b0, reset = 1'b1;
    reg  [18:0] word = 0;
    reg  [4:0]  ready = 0, available = 0, grant = 0;
    reg         abort_request = 1'b0, release_single = 1'b1, relieved = 1'b0;
    reg  [4:0]  down = 5'd0;
    wire        taken, local_ends, local_discards, blocked;
    wire [4:0]  request, branches, send_word, send_null_target, abort_branches;
    wire        event_drop, event_divert, event_abort, event_split, event_pass, event_single;

    connection #(.WORD_WIDTH(16), .COORD_WIDTH(7), .LINKS(4), .FROM_LOCAL(0)) dut (
        .clk(clk), .reset(reset), .site_address({7'd5, 7'd5}), .topology(`POSTROAD_TOPOLOGY_GRID), .size_x(7'd11),
        .size_y(7'd11), .unicast_lists(8'b10101010), .multicast_lists(8'h00), .never_diverts(1'b0),
        .release_single(release_single), .tries_limit(relieved ? 16'd14 : 16'd6), .relieved(relieved), .down(down),
        .word(word), .taken(taken), .ready(ready), .available(available),
        .request(request), .grant(grant), .branches(branches), .send_word(send_word),
        .send_null_target(send_null_target), .local_ends(local_ends), .local_discards(local_discards),
        .blocked(blocked), .abort_request(abort_request), .abort_branches(abort_branches), .event_drop(event_drop),
        .event_divert(event_divert), .event_abort(event_abort), .event_split(event_split), .event_pass(event_pass),
        .event_single(event_single));

    // ---- The packet -----------------------------------------------------------------------------------------------
    reg [18:0] words [0:MAX_WORDS-1];
    integer    entry [0:MAX_WORDS-1], way [0:MAX_WORDS-1];  // entry and wanted output of each target word
    integer    size, position;
    reg        unicast;

    task put(input [2:0] tag, input [15:0] value, input integer of_entry, input integer wanted);
        begin
            words[size] = {tag, value};
            entry[size] = of_entry;
            way[size] = wanted;
            size = size + 1;
        end
    endtask

    task compose;
        integer e, count, k, wanted;
        begin
            size = 0;
            position = 0;
            unicast = percent(30);
            count = unicast ? 1 : 1 + below(ENTRIES);
            for (e = 0; e < count; e = e + 1) begin
                wanted = below(5);
                put(unicast ? `POSTROAD_TAG_UNICAST_SITE : `POSTROAD_TAG_MULTICAST_SITE,
                    wanted == 0 ? {2'd0, 7'd5, 7'd5}
                    : wanted == 1 ? {2'd0, 7'd5, 7'd7}
                    : wanted == 2 ? {2'd0, 7'd5, 7'd2}
                    : wanted == 3 ? {2'd0, 7'd9, 7'd5} : {2'd0, 7'd1, 7'd5}, e, wanted);
                for (k = below(3); k > 0; k = k - 1) put(`POSTROAD_TAG_TARGET_INFO, below(65536), e, wanted);
                if (!unicast && percent(20)) put(`POSTROAD_TAG_NULL_TARGET, 0, NULL_ENTRY, 0);
            end
            for (k = below(5); k > 0; k = k - 1) put(`POSTROAD_TAG_DATA, below(65536), NULL_ENTRY, 0);
            put(percent(15) ? `POSTROAD_TAG_ABORT_PACKET : `POSTROAD_TAG_END_OF_PACKET, 0, NULL_ENTRY, 0);
        end
    endtask

    // ---- The model: which outputs are owned and which of them have had the word now shown ---------------------------
    reg [4:0] owned, had, expected_words, expected_nulls;
    reg       split, some_local, plain, held, head_word, target_word, last;
    integer   p, c, counts [0:5], refuse, density, failed;
    localparam UNICAST = 0, ALL_REMOTE = 1, SOME_LOCAL = 2, PASSING = 3, ABORTED = 4, SINGLE = 5;

    task one_clock;
        reg [4:0] sent;
        begin
            #1;
            word = percent(density) ? words[position] : 19'd0;
            // A word shown once and not taken stays (net_input).
            if (had != 5'd0 || held) word = words[position];
            ready = below(32) | (percent(refuse) ? 5'd0 : 5'b11111);
            available = ready & ~owned & (below(32) | (percent(refuse) ? 5'd0 : 5'b11111));
            abort_request = percent(4);
            grant = 5'd0;
            #1;
            check((request & ~available) == 5'd0, "U1: only available outputs are asked for");
            check((request[4:1] & (request[4:1] - 4'd1)) == 4'd0, "U1: one remote output at a time");
            check(branches === owned, "the outputs owned");
            if (word != 19'd0 && owned == 5'd0 && way[0] != 0 && failed <= (relieved ? 14 : 6) && (unicast || relieved))
                check(!request[0], "U3, R1, R2: local is not asked for before the limit");
            grant = request & (below(32) | (percent(refuse) ? 5'd0 : 5'b11111));
            #1;
            head_word = owned == 5'd0;
            target_word = word[18:16] == `POSTROAD_TAG_UNICAST_SITE || word[18:16] == `POSTROAD_TAG_MULTICAST_SITE
                          || word[18:16] == `POSTROAD_TAG_TARGET_INFO;
            last = position == size - 1;
            sent = send_word | send_null_target;
            check((sent & ~ready) == 5'd0, "F3d: nothing is sent to an output that is not ready");
            check((sent & ~(owned | grant)) == 5'd0, "U1: nothing is sent to an output not owned");
            check((send_word & send_null_target) == 5'd0, "P3: the word or null_target, not both");
            check((sent & had) == 5'd0, "F3d: a word enters each branch once");
            check(!(|abort_branches && |sent), "M5: abort and commit exclude each other");
            check(!event_drop, "P6: nothing of a whole packet is dropped");
            check(abort_branches === (split && event_abort ? owned & 5'b11110 : 5'd0),
                  "M7: every remote branch owes an abort_packet, and only then");
            check(!event_abort || abort_request && split, "F1: only a split connection aborts, and only when asked");
            if (word == 19'd0) check(sent == 5'd0 && !taken && !blocked, "P2: null_transmission moves nothing");
            else if (head_word) begin
                check(send_word === grant && send_null_target === 5'd0, "M1: the head goes to what was granted");
                check(taken == (unicast || way[0] == 0 ? |grant : |grant[4:1]),
                      "M1: the head moves when its remote opens");
                check(!(way[0] == 0 && |grant[4:1]), "M1: a local target goes to local alone");
            end else if (plain) begin
                check(sent === (taken ? owned : 5'd0) && send_null_target === 5'd0
                      && taken == ((owned & ~ready) == 5'd0),
                      "U1, M2: the words of an open connection pass as they are");
                check(!blocked, "M4: no pads outside a split connection");
            end else if (!event_abort) begin
                // Where the word must go, and in which form; nothing at all unless everywhere.
                expected_words = target_word ? (way[position] == 0 ? 5'd0 : 5'd1 << way[position]) : owned & 5'b11110;
                expected_nulls = target_word ? owned & 5'b11110 & ~expected_words : 5'd0;
                expected_words = (expected_words | 5'd1) & ~had;
                check(taken ? send_word === expected_words && send_null_target === expected_nulls : sent === 5'd0,
                      "M5, P3: a word and its null_targets move on all branches in one clock or on none");
                check((expected_words & ~owned & ~grant) == 5'd0 || !taken, "M3: a target waits for its branch");
                check(taken == (((expected_words | expected_nulls) & ~ready) == 5'd0
                                && (expected_words & ~owned & ~grant) == 5'd0), "M5: a word moves as soon as it can");
                check(blocked == !taken, "M4: null_transmission to local in every clock without a move");
            end else check(sent == 5'd0 && taken == had[0], "M7: a word that local has is not given again");
            if (split && taken && last && !event_abort) begin
                check(local_ends == (some_local && word[18:16] == `POSTROAD_TAG_END_OF_PACKET),
                      "M8: local_end_of_packet");
                check(local_discards == !some_local, "M8: abort_packet to local if all targets were remote");
            end
            if (event_single)
                check(split && release_single && !some_local && word[18:16] == `POSTROAD_TAG_DATA && local_discards,
                      "M9: only all-remote packets on one branch, at a data word");
            update(sent);
            #1 clk = 1'b1;
            #1 clk = 1'b0;
        end
    endtask

    task count(input integer kind);
        counts[kind] = counts[kind] + 1;
    endtask

    // The clock edge in the model.
    task update(input [4:0] sent);
        begin
            if (word != 19'd0 && head_word) begin
                if (grant[0] && !unicast) begin
                    split = 1'b1;
                    some_local = way[0] == 0;
                end else if (|grant) begin
                    plain = 1'b1;
                    count(unicast ? UNICAST : PASSING);
                end
            end else if (split && taken && way[position] == 0 && entry[position] != NULL_ENTRY) some_local = 1'b1;
            failed = word != 19'd0 && head_word && !taken ? failed + 1 : 0;
            owned = owned | grant;
            had = taken ? 5'd0 : had | sent;
            held = word != 19'd0 && !taken;
            if (event_abort) begin
                owned = 5'd1;
                had = 5'd0;
                split = 1'b0;
                plain = 1'b1;
                count(ABORTED);
            end else if (event_single) begin
                owned = owned & 5'b11110;
                split = 1'b0;
                plain = 1'b1;
                count(SINGLE);
            end
            if (taken) begin
                position = position + 1;
                if (position == size) begin
                    if (split) count(some_local ? SOME_LOCAL : ALL_REMOTE);
                    owned = 5'd0;
                    split = 1'b0;
                    plain = 1'b0;
                    compose;
                end
            end
        end
    endtask

    initial begin
        begin_bench;
        for (p = 0; p < 6; p = p + 1) counts[p] = 0;
        owned = 5'd0; had = 5'd0; split = 1'b0; plain = 1'b0; some_local = 1'b0; held = 1'b0; failed = 0;
        #1 clk = 1'b1;
        #1 clk = 1'b0;
        reset = 1'b0;
        compose;
        for (c = 0; c < 100000; c = c + 1) begin
            if (c % 500 == 0) begin
                refuse = below(2) ? 10 : 70;
                density = 30 + below(71);
                release_single = below(2);
                relieved = below(2);
            end
            down = below(32) & 5'b11110;  // lists of one output: it is used, up or down (R4)
            one_clock;
        end
        $display("unicast %0d, all remote %0d, some local %0d, passing %0d, aborted %0d, single %0d",
                 counts[UNICAST], counts[ALL_REMOTE], counts[SOME_LOCAL], counts[PASSING], counts[ABORTED],
                 counts[SINGLE]);
        for (p = 0; p < 6; p = p + 1) check(counts[p] > 50, "every connection type was exercised");
        verdict;
    end
endmodule

`default_nettype wire
