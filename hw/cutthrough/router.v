// router: connects net_inputs and net_outputs (August paper 4.5).
//
//   net_input --word--> heading --asks--> access --select--> crossbar_column --word--> net_output
//      (one for each net_input:       (one for each net_output:
//       route computation)             arbitration)
//                                  split: the packet that goes to several net_outputs
//
// Timing. A word of an open connection, and a head that goes straight on, cross in the clock in which they are shown. Any other
// head is looked up in clock 0, requests its net_output in clock 1, and crosses in clock 2. Requests, grants and the state of a
// connection are flops. A net_output without a request selects straight on.
//
// States of a net_input:
//
//   IDLE --head goes straight on-----------------------------> CONNECTED --terminator--> IDLE
//     '----any other head--> ASKS --granted a link, or local for a unicast--> CONNECTED
//                              '----granted local for a multicast--> MASTER --terminator--> IDLE
//                                                                      '--abort--> CONNECTED to local
//
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module router #(
    parameter WORD_WIDTH  = 16,
    parameter COORD_WIDTH = 7,
    parameter LINKS       = 4,
    parameter HYPERCUBE   = 0,
    parameter ADAPTIVE    = 0,
    parameter LINK_WIDTH  = WORD_WIDTH + 3,
    parameter PORTS       = LINKS + 1
) (
    input  wire                          clk,
    input  wire                          reset,

    // Straps, constant out of reset. Thresholds are powers of two (parameter_check.v).
    input  wire [2*COORD_WIDTH-1:0]      site_address,
    input  wire [1:0]                    topology,
    input  wire [COORD_WIDTH-1:0]        size_x,
    input  wire [COORD_WIDTH-1:0]        size_y,
    input  wire [7:0]                    unicast_lists,
    input  wire [15:0]                   divert_threshold,
    input  wire [15:0]                   abort_threshold,
    input  wire [15:0]                   relief_limit,

    // Levels, may change at any time.
    input  wire                          relief,
    input  wire [LINKS-1:0]              link_down,

    // net_inputs, port p at [p*LINK_WIDTH +: LINK_WIDTH]; a word stays until taken. links: the same word as `words` in the clock
    // in which it is shown for the first time, earlier in the clock; without meaning while `held`.
    input  wire [PORTS*LINK_WIDTH-1:0]   links,
    input  wire [PORTS*LINK_WIDTH-1:0]   words,
    input  wire [PORTS-1:0]              held,           // the last clock showed the same word
    output wire [PORTS-1:0]              taken,

    // net_outputs load in the clocks in which they are ready. The local one has a fourth tag bit, for local_end_of_packet.
    output wire [LINKS*LINK_WIDTH-1:0]   remote_words,
    output wire [LINK_WIDTH:0]           local_word,
    output wire [PORTS-1:0]              abort,
    input  wire [PORTS-1:0]              ready,

    // One-clock pulses: P6, U3, M7, M1, M11.
    output wire [PORTS-1:0]              event_drop,
    output wire                          event_divert,
    output wire                          event_abort,
    output wire                          event_split,
    output wire                          event_defer,
    output wire [PORTS*PORTS-1:0]        connections,    // i*PORTS + o: connected, or requested by the word shown
    output wire                          quiet           // no connection
);
    // The port ahead of net_input or net_output p, 0 if there is none.
    function integer opposite(input integer p);
        opposite = HYPERCUBE != 0 || p == 0 ? 0 : ((p - 1) ^ 1) + 1;
    endfunction

    // Does a packet from net_input i ever leave by net_output o? None returns to its link (U1). In dimension order a packet only
    // turns into a higher dimension.
    function feeds(input integer i, input integer o);
        if (i == 0 || o == 0) feeds = 1'b1;
        else if (i == o) feeds = 1'b0;
        else if (ADAPTIVE != 0 || i == opposite(o)) feeds = 1'b1;
        else feeds = HYPERCUBE != 0 ? i < o : (i - 1) / 2 < (o - 1) / 2;
    endfunction

    function integer sources(input integer o);
        integer i;
        begin
            sources = 0;
            for (i = 0; i <= LINKS; i = i + 1) if (feeds(i, o)) sources = sources + 1;
        end
    endfunction

    // Source k of net_output o: first straight on, then the other links, local last.
    function integer source(input integer o, input integer k);
        integer i, n;
        begin
            source = opposite(o);
            n = opposite(o) == 0 ? 0 : 1;
            for (i = 1; i <= LINKS + 1; i = i + 1)
                if (i % PORTS != opposite(o) || i % PORTS == 0)
                    if (feeds(i % PORTS, o)) begin
                        if (n == k) source = i % PORTS;
                        n = n + 1;
                    end
        end
    endfunction

    // Index i*PORTS + o: net_input i, net_output o.
    wire [PORTS*PORTS-1:0] asks, selects, connected_to;
    wire [PORTS-1:0] straight, goes_straight, multicast, shows, strays, diverts, connected;
    wire [PORTS-1:0] owned, copy, at_home;
    wire [PORTS*LINKS-1:0] leads;                              // i*LINKS + o-1: the last site word of i leads to link o
    wire [PORTS-1:1] leads_here;                               // that of the input which net_output o selects leads to o
    wire [PORTS-1:0] whole_word_moves;                         // of a packet that is not split, if there is a word
    /* verilator lint_off UNUSEDSIGNAL */  // no head goes straight on to the operator
    wire [PORTS-1:0] passes;
    /* verilator lint_on UNUSEDSIGNAL */

    // Dimension order leaves rings on a torus alone.
    wire rings = ADAPTIVE != 0 || topology == `POSTROAD_TOPOLOGY_TORUS;

    // One counter paces all time-outs. Its bit k-1 falls every 2^k clocks (U3, R3, M6).
    wire        never_diverts = &divert_threshold;
    wire        relieved      = relief && |relief_limit;
    reg  [14:0] pace;
    wire [14:0] pace_next     = pace + 15'd1;
    wire [14:0] falls         = pace & ~pace_next & {15{|held}};
    wire [14:0] period        = relieved ? relief_limit[15:1] : divert_threshold[15:1];
    wire        head_expires  = !never_diverts && (period == 15'd0 || |(falls & period));
    wire        branch_expires = |(falls & {1'b0, abort_threshold[15:2]});
    wire        unused        = &{1'b0, abort_threshold[1:0]};

    always @(posedge clk)
        if (reset) pace <= 15'd0;
        else if (|held) pace <= pace_next;

    // The split packet.
    wire             is_split, target_found, branches_ready, marks, any_marked, aborts;
    wire [PORTS-1:0] master;                                   // one-hot: its net_input
    wire [PORTS-1:1] reached, entry;
    wire             target_shown = |(master & shows);

    split #(.PORTS(PORTS)) split (
        .clk(clk), .reset(reset), .held(|(master & held)), .shown(target_shown), .leads(leads_here),
        .at_home(|(master & at_home)), .copy(copy), .ready(ready), .expires(branch_expires), .active(is_split),
        .target_found(target_found), .branches_ready(branches_ready), .reached(reached), .entry(entry), .marks(marks),
        .any_marked(any_marked), .aborts(aborts), .defers(event_defer));

    genvar i, o, k;
    generate
        for (i = 0; i < PORTS; i = i + 1) begin : net_input
            heading #(
                .WORD_WIDTH(WORD_WIDTH), .COORD_WIDTH(COORD_WIDTH), .LINKS(LINKS), .HYPERCUBE(HYPERCUBE),
                .ADAPTIVE(ADAPTIVE), .PORT(i)
            ) heading (
                .clk(clk), .reset(reset), .site_address(site_address), .topology(topology), .size_x(size_x),
                .size_y(size_y), .unicast_lists(unicast_lists), .down({link_down, 1'b0}), .expires(head_expires),
                .link(links[i*LINK_WIDTH +: LINK_WIDTH]), .held(held[i]), .connected(connected[i]), .master(master[i]),
                .available(ready & ~owned), .asks(asks[i*PORTS +: PORTS]), .multicast(multicast[i]), .shows(shows[i]),
                .leads(leads[i*LINKS +: LINKS]), .straight(straight[i]), .stray(strays[i]), .diverts(diverts[i]));
            if (opposite(i) != 0) assign goes_straight[i] = passes[opposite(i)];
            else assign goes_straight[i] = 1'b0;
            assign connected_to[i*PORTS +: PORTS] = selects[i*PORTS +: PORTS] & owned;
            assign at_home[i]   = asks[i*PORTS];
            assign connected[i] = |connected_to[i*PORTS +: PORTS];
            assign master[i]    = selects[i*PORTS] && is_split;
            wire is_site_word = words[i*LINK_WIDTH + WORD_WIDTH + 2] && words[i*LINK_WIDTH + WORD_WIDTH];
            wire master_word_moves = branches_ready && (!is_site_word || target_found);
            assign taken[i] = |(connected_to[i*PORTS +: PORTS] & ready & ~copy) || strays[i] ||
                              goes_straight[i] || (master[i] && master_word_moves);
        end

        for (o = 0; o < PORTS; o = o + 1) begin : net_output
            localparam SOURCES = sources(o);
            localparam SELECT  = SOURCES < 2 ? 1 : $clog2(SOURCES);
            wire [SOURCES-1:0] asked, copying;
            wire [SOURCES*LINK_WIDTH-1:0] columns;
            wire [SELECT-1:0] select;
            wire [LINK_WIDTH-1:0] column;
            wire ends;

            for (i = 0; i < PORTS; i = i + 1) begin : unconnected
                if (!feeds(i, o)) assign selects[i*PORTS + o] = 1'b0;
            end
            for (k = 0; k < SOURCES; k = k + 1) begin : from
                localparam I = source(o, k);
                assign asked[k]   = asks[I*PORTS + o];
                assign copying[k] = o == 0 ? multicast[I] : master[I];
                assign columns[k*LINK_WIDTH +: LINK_WIDTH] = words[I*LINK_WIDTH +: LINK_WIDTH];
                assign selects[I*PORTS + o] = select == k;
            end

            access #(.SOURCES(SOURCES)) access (
                .clk(clk), .reset(reset), .rings(rings), .expires(head_expires), .asks(asked),
                .straight(opposite(o) != 0 && straight[opposite(o)]), .copying(copying), .ready(ready[o]), .ends(ends),
                .unsplits(o == 0 && aborts), .select(select), .owned(owned[o]), .copy(copy[o]), .passes(passes[o]));
            crossbar_column #(.LINK_WIDTH(LINK_WIDTH), .SOURCES(SOURCES)) mux (
                .words(columns), .select(select), .word(column));

            wire upper = column[WORD_WIDTH+2], middle = column[WORD_WIDTH+1], lower = column[WORD_WIDTH];
            wire terminator = lower && !upper;
            wire branch     = copy[o] && branches_ready;
            assign whole_word_moves[o] = owned[o] && ready[o] && !copy[o];

            // What the tag becomes (split.v has the table). The codes are chosen so that each bit of it depends on two bits of
            // the tag shown, which come late, and on no more than two conditions, which come early: a word that is no site word
            // crosses (any), a site word does (site), and with all of its bits (own_site), target_info with all (own_info).
            if (o == 0) begin : to_operator
                wire any  = whole_word_moves[0] || branch;
                wire site = whole_word_moves[0] || (branch && target_found);
                wire ends_whole = whole_word_moves[0] || (branch && any_marked);   // else with abort_packet (M8)
                assign ends = terminator && any;
                assign local_word = {middle && terminator && branch && any_marked,
                                     upper && (lower ? site : any),
                                     middle && (lower ? ends_whole : any),
                                     lower && (upper ? site : any),
                                     target_shown ? marks : column[WORD_WIDTH-1],  // M11
                                     column[WORD_WIDTH-2:0]};
            end else begin : to_link
                wire [SOURCES-1:0] leading;
                for (k = 0; k < SOURCES; k = k + 1) begin : leading_from
                    assign leading[k] = leads[source(o, k)*LINKS + o-1];
                end
                assign leads_here[o] = leading[select];

                wire any      = whole_word_moves[o] || branch;
                wire site     = whole_word_moves[o] || (branch && target_found);
                wire own_site = whole_word_moves[o] || (branch && reached[o]);
                wire own_info = whole_word_moves[o] || (branch && entry[o]);
                // A head that goes straight on does so alone: the net_output has no owner, so none of these conditions holds.
                wire unicast_passes = passes[o] && links[opposite(o)*LINK_WIDTH + WORD_WIDTH + 1];
                assign ends = (terminator && any) || (copy[o] && aborts);
                assign remote_words[(o-1)*LINK_WIDTH +: LINK_WIDTH] = {
                    (upper && (lower ? site : any)) || passes[o],
                    (middle && (upper ? own_info : any)) || unicast_passes,
                    (lower && (upper ? own_site : any)) || passes[o],
                    column[WORD_WIDTH-1:0]};
            end
        end
    endgenerate

    assign abort = {copy[PORTS-1:1], 1'b0} & {PORTS{aborts}};

    reg was_split;
    always @(posedge clk) was_split <= is_split;

    generate
        for (i = 0; i < PORTS; i = i + 1) begin : event_of_input
            // A branch that was opened and aborted before it carried a word shows a lone abort_packet: no violation (M7).
            assign event_drop[i] = strays[i] && words[i*LINK_WIDTH + WORD_WIDTH +: 3] != `POSTROAD_TAG_ABORT_PACKET;
        end
    endgenerate

    assign event_abort  = aborts;
    assign event_split  = is_split && !was_split;
    assign event_divert = |diverts;
    assign connections  = asks | connected_to;
    assign quiet        = owned == {PORTS{1'b0}};

`ifdef FORMAL
    // For ever (tests/formal/router_proof.v), whatever words come in whatever order (X1).
    reg              past_valid = 1'b0;
    reg              marked_before;          // a target of the split packet left for local with the mark
    reg              aborted, after_foreign;
    reg  [PORTS-1:0] used;                   // branches that have carried a word
    reg  [PORTS-1:0] target_on;              // those that carried the last target
    reg  [PORTS-1:0] owned_before, ended;
    wire [PORTS-1:0] sent_any, sent_end, sent_target, sent_info, stood_twice;
    reg  [LINK_WIDTH-1:0] split_word;       // the word that the split packet shows
    wire [2:0]       split_tag    = split_word[WORD_WIDTH +: 3];
    wire             split_target = split_tag == `POSTROAD_TAG_MULTICAST_SITE;
    wire             foreign      = is_split && split_tag == `POSTROAD_TAG_UNICAST_SITE;
    wire             master_moves = |(master & taken) && |split_tag && !foreign;
    wire [PORTS-1:0] branches     = {copy[PORTS-1:1], 1'b0};
    wire [PORTS-1:0] own_branches = sent_target & branches;

    integer n;
    always @* begin
        split_word = {LINK_WIDTH{1'b0}};
        for (n = 0; n < PORTS; n = n + 1) if (master[n]) split_word = split_word | words[n*LINK_WIDTH +: LINK_WIDTH];
    end

    always @(posedge clk) begin
        past_valid    <= 1'b1;
        used          <= copy & (used | sent_any) & {PORTS{!reset}};
        aborted       <= !reset && aborts;
        marked_before <= !reset && is_split && (marked_before || (|(master & taken) && (split_target || foreign) &&
                                                                local_word[WORD_WIDTH-1]));
        if (master_moves && split_target) target_on <= own_branches;
        after_foreign <= is_split && (foreign || (after_foreign && !(master_moves && split_target)));
        owned_before  <= owned & {PORTS{!reset}};
        ended         <= sent_end | abort;
        if (past_valid && !reset) begin
            assert (is_split == |master && (master & (master - 1'b1)) == {PORTS{1'b0}});
            // M5, M7: every word of the split packet enters local. An abort moves nothing, and releases the branches, all of them
            // and nothing else. The rest goes to local alone.
            if (is_split && !foreign) assert (sent_any[0] == master_moves);
            if (is_split && aborts) assert (!master_moves && abort == branches && (sent_any & copy) == {PORTS{1'b0}});
            else assert (abort == {PORTS{1'b0}});
            if (aborted) assert (copy == {PORTS{1'b0}} && owned[0]);
            // M11: each target of the split packet leaves in one way: on one branch, or to local with the mark. Its target_info
            // follows it. No other word has the mark.
            if (master_moves && split_target) begin
                assert ((own_branches & (own_branches - 1'b1)) == {PORTS{1'b0}});
                assert (local_word[WORD_WIDTH-1] == (own_branches == {PORTS{1'b0}}));
            end
            if (master_moves && split_tag == `POSTROAD_TAG_TARGET_INFO && !after_foreign)
                assert ((sent_info & branches) == (target_on & branches));
            // P3: a branch begins with its own target.
            if (master_moves) assert ((branches & ~used & ~sent_target) == {PORTS{1'b0}});
            // M8: the terminator of a split packet, for local.
            if (master_moves && split_tag == `POSTROAD_TAG_END_OF_PACKET)
                assert (local_word[LINK_WIDTH -: 4] == (marked_before ? `POSTROAD_TAG_LOCAL_END_OF_PACKET
                                                                      : {1'b0, `POSTROAD_TAG_ABORT_PACKET}));
            else assert (!local_word[LINK_WIDTH]);
            // U4: a connection ends with its terminator, with an abort, or when its first clock was lost (access.v).
            assert ((owned_before & ended & owned) == {PORTS{1'b0}});
            cover (|stood_twice);
            cover (|(abort & used));
            cover (|(abort & ~used));
            cover (|(owned_before & ~ended & ~owned));
            cover (master_moves && sent_end[0] && marked_before && &copy[2:1]);
            cover (master_moves && sent_end[0] && !marked_before && &copy[2:1]);
        end
    end

    generate
        for (i = 0; i < PORTS; i = i + 1) begin : proof_of_input
            wire [PORTS-1:0] asking = asks[i*PORTS +: PORTS];
            wire [PORTS-1:0] has    = connected_to[i*PORTS +: PORTS];
            wire [2:0]       shows  = words[i*LINK_WIDTH + WORD_WIDTH +: 3];
            wire             site   = shows == `POSTROAD_TAG_UNICAST_SITE || shows == `POSTROAD_TAG_MULTICAST_SITE;
            wire             ending = shows == `POSTROAD_TAG_END_OF_PACKET || shows == `POSTROAD_TAG_ABORT_PACKET;
            // X1: a word whose outputs are all ready is taken in the third clock at the latest, and at once unless it is a target
            // of the split packet, or an abort comes between.
            wire             passable = |shows && |has && (has & ~ready) == {PORTS{1'b0}};
            reg  [1:0]       stood;
            reg              was_ended, was_head;
            wire             head   = held[i] ? was_head : !connected[i];
            assign           stood_twice[i] = stood == 2'd2;

            // Where the word shown leads (dimension order), as it was looked up.
            wire [PORTS-1:0] leads;
            reg  [PORTS-1:0] led;
            if (ADAPTIVE == 0) begin : ordered
                dimension_order #(.COORD_WIDTH(COORD_WIDTH), .LINKS(LINKS), .HYPERCUBE(HYPERCUBE), .PORT(i)) look_up (
                    .target(words[i*LINK_WIDTH +: 2*COORD_WIDTH]), .unicast(shows == `POSTROAD_TAG_UNICAST_SITE),
                    .site_address(site_address), .torus(topology == `POSTROAD_TOPOLOGY_TORUS), .size_x(size_x), .size_y(size_y),
                    .down({link_down, 1'b0}), .list(leads));
            end else begin : any
                assign leads = {PORTS{1'b1}};
            end
            wire [PORTS-1:0] list = held[i] ? led : leads;
            integer          other;

            always @(posedge clk) begin
                stood     <= passable && !taken[i] && !reset ? stood + 2'd1 : 2'd0;
                was_ended <= taken[i] && ending && !reset;
                was_head  <= head;
                led       <= list;
                if (past_valid && !reset) begin
                    if (passable && stood_twice[i]) assert (taken[i]);
                    if (passable && !taken[i]) assert (aborts || (master[i] && site));
                    if (was_ended) assert (has == {PORTS{1'b0}} && asking == {PORTS{1'b0}});
                    // Connections exclude each other: an input has one net_output, or local and branches of the packet that the
                    // site splits.
                    assert ((has & (has - 1'b1)) == {PORTS{1'b0}} || (master[i] && (has & ~copy) == {PORTS{1'b0}}));
                    if (|has) assert (!goes_straight[i] && (master[i] || (has & copy) == {PORTS{1'b0}}));
                    // A word that waits without a connection is a head (P6), and only heads and targets request anything.
                    if (held[i] && |shows && !connected[i]) assert (site && head);
                    if (held[i] && |asking) assert (site && (head || master[i] || (asking & ~has) == {PORTS{1'b0}}));
                    if (!held[i]) assert ((asking & ~has) == {PORTS{1'b0}});
                    // P6: strays are taken at once.
                    if (|shows && !site && !connected[i]) assert (taken[i] && strays[i]);
                    if (taken[i] && |shows) assert (strays[i] ? !connected[i] && !site : |has || goes_straight[i]);
                    // An input requests only what it has a column for.
                    for (other = 0; other < PORTS; other = other + 1) if (!feeds(i, other)) assert (!asking[other]);
                    // U1: a head that leaves by a link leaves by the one it leads to; an operator's own takes local only at home.
                    if (taken[i] && head && !master[i] && site && !has[0])
                        assert (((has | ({{LINKS{1'b0}}, goes_straight[i]} << opposite(i))) & list) != {PORTS{1'b0}});
                    if (i == 0 && taken[i] && head && shows == `POSTROAD_TAG_UNICAST_SITE && has[0]) assert (list[0]);
                end
            end
            for (o = 0; o < PORTS; o = o + 1) begin : to
                wire [LINK_WIDTH-1:0] sent  = o == 0 ? local_word[LINK_WIDTH-1:0]
                                                     : remote_words[(o == 0 ? 0 : o-1)*LINK_WIDTH +: LINK_WIDTH];
                wire [2:0]            sends = sent[WORD_WIDTH +: 3];
                wire                  null_target = copy[o] && sends == `POSTROAD_TAG_NULL_TARGET && o != 0 &&
                                                    (shows == `POSTROAD_TAG_MULTICAST_SITE || shows == `POSTROAD_TAG_TARGET_INFO);
                // Against P1: a unicast's site word inside a split packet. It may become any word but a terminator.
                wire                  foreign = copy[o] && shows == `POSTROAD_TAG_UNICAST_SITE;
                wire                  discarded = copy[o] && o == 0 && sends == `POSTROAD_TAG_ABORT_PACKET && ending;   // M8
                wire                  mark = copy[o] && o == 0 && shows == `POSTROAD_TAG_MULTICAST_SITE;
                always @(posedge clk) if (past_valid && !reset && selects[i*PORTS + o]) begin
                    if (copy[o]) assert (master[i]);
                    // A net_output loads the word that its input shows, in the clock in which that word is taken. The word enters
                    // all of the input's branches in this clock (M5).
                    if (taken[i] && |shows && has[o] && !foreign) assert (|sends);
                    if (|sends) assert (ready[o] && !abort[o]);
                    if (foreign) assert (!sent_end[o]);
                    if (|sends && !foreign) begin
                        assert (taken[i] && (has[o] || passes[o]));
                        assert (sends == shows || null_target || discarded);
                        assert (sent[WORD_WIDTH-2:0] == words[i*LINK_WIDTH +: WORD_WIDTH-1]);
                        if (!mark) assert (sent[WORD_WIDTH-1] == words[i*LINK_WIDTH + WORD_WIDTH-1]);
                        // M3: a target takes the branch that it leads to.
                        if (copy[o] && o != 0 && sends == `POSTROAD_TAG_MULTICAST_SITE) assert (list[o]);
                        if (ADAPTIVE == 0 && copy[o] && o != 0 && list[o] && shows == `POSTROAD_TAG_MULTICAST_SITE)
                            assert (!null_target);
                    end
                end
            end
        end
        for (o = 0; o < PORTS; o = o + 1) begin : proof_of_output
            wire [2:0] sends = o == 0 ? local_word[WORD_WIDTH +: 3]
                                      : remote_words[(o == 0 ? 0 : o-1)*LINK_WIDTH + WORD_WIDTH +: 3];
            // X1: an output that is owned has one owner, and that input's connection is alive: its only one, or a branch of the
            // packet that the site splits (above).
            wire [PORTS-1:0] owners;
            for (i = 0; i < PORTS; i = i + 1) begin : from
                assign owners[i] = connected_to[i*PORTS + o];
            end
            always @(posedge clk) if (past_valid && !reset)
                assert ((owners & (owners - 1'b1)) == {PORTS{1'b0}} && owned[o] == |owners);
            assign sent_any[o]    = |sends;
            assign sent_end[o]    = sends == `POSTROAD_TAG_END_OF_PACKET || sends == `POSTROAD_TAG_ABORT_PACKET;
            assign sent_target[o] = sends == `POSTROAD_TAG_MULTICAST_SITE;
            assign sent_info[o]   = sends == `POSTROAD_TAG_TARGET_INFO;
        end
    endgenerate
`endif
endmodule

`default_nettype wire
