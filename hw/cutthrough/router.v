// router: connects net_inputs and net_outputs (August paper 4.5).
//
//   net_input --word--> heading --asks--> access --select--> crossbar_column --word--> net_output
//      (one for each net_input:       (one for each net_output:
//       route computation)             arbitration)
//
// A word crosses in the clock in which its net_input shows it if its net_output selects that input already. A net_output
// without a request selects straight on, so a head that does not turn crosses at once. Any other head takes three clocks:
// route computation in the clock in which it is shown, the request in the next, the crossing in the one after that. Requests
// (`asks`), grants and the state of a connection are flops.
//
// A site splits one packet at a time (M1): the one that owns the local net_output. The logic for split packets therefore exists
// once. The input of that packet is the master; its branches are the net_outputs with `copy` set.
//
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module router #(
    parameter WORD_WIDTH  = 16,
    parameter COORD_WIDTH = 7,
    parameter LINKS       = 4,
    parameter EAGER       = 0,
    parameter LINK_WIDTH  = WORD_WIDTH + 3,
    parameter PORTS       = LINKS + 1
) (
    input  wire                          clk,
    input  wire                          reset,

    // Straps, constant out of reset.
    input  wire [2*COORD_WIDTH-1:0]      site_address,
    input  wire [1:0]                    topology,
    input  wire [COORD_WIDTH-1:0]        size_x,
    input  wire [COORD_WIDTH-1:0]        size_y,
    input  wire [7:0]                    unicast_lists,
    input  wire [7:0]                    multicast_lists,
    input  wire [15:0]                   divert_threshold,
    input  wire                          release_single,
    input  wire [15:0]                   relief_limit,

    // Levels, may change at any time.
    input  wire                          relief,
    input  wire [LINKS-1:0]              link_down,

    // net_inputs, port p at [p*LINK_WIDTH +: LINK_WIDTH]; a word stays until taken.
    input  wire [PORTS*LINK_WIDTH-1:0]   links,
    input  wire [PORTS*LINK_WIDTH-1:0]   words,
    input  wire [PORTS-1:0]              held,           // the last clock showed the same word
    output wire [PORTS-1:0]              taken,

    // net_outputs load in the clocks in which they are ready. The local one has a fourth tag bit: local_end_of_packet, and
    // the null_transmission that M4 makes, have it set.
    output wire [LINKS*LINK_WIDTH-1:0]   remote_words,
    output wire [LINK_WIDTH:0]           local_word,
    output wire [PORTS-1:0]              abort,
    input  wire [PORTS-1:0]              ready,
    output wire [PORTS-1:0]              present,        // 0: no word for this net_output in this clock; 1: maybe
    input  wire                          abort_request,  // local fifo_buffer's status

    // One-clock pulses.
    output wire [PORTS-1:0]              event_drop,
    output wire                          event_divert,
    output wire                          event_abort,
    output wire                          event_split,
    output wire                          event_pass,
    output wire                          event_single,
    output wire [PORTS*PORTS-1:0]        connections,    // i*PORTS + o: connected, or requested by the word shown
    output wire                          quiet           // no connection
);
    // Source k of net_output o, local last. No packet returns to the link that it came from (U1). Source 0 is straight on.
    function integer source(input integer o, input integer k);
        integer opposite, port, n;
        begin
            opposite = o == 0 || ((o - 1) ^ 1) + 1 > LINKS ? 0 : ((o - 1) ^ 1) + 1;
            source = 0;
            n = 0;
            if (opposite != 0) begin
                if (k == 0) source = opposite;
                n = 1;
            end
            for (port = 1; port <= LINKS; port = port + 1)
                if (port != o && port != opposite) begin
                    if (n == k) source = port;
                    n = n + 1;
                end
        end
    endfunction

    // Index i*PORTS + o: net_input i, net_output o.
    wire [PORTS*PORTS-1:0] asks, listens, connected_to;
    wire [PORTS-1:0] straight, goes_on, right, wrong, dead, multicast, strays, connected, at_home, elsewhere;
    wire [PORTS-1:0] owned, copy, granted_copy, asked_by_owner;
    wire [PORTS-1:0] moves;                                    // whole packets: the word crosses, if there is one
    /* verilator lint_off UNUSEDSIGNAL */  // no head goes straight on to the operator
    wire [PORTS-1:0] passes;
    /* verilator lint_on UNUSEDSIGNAL */

    // The waiting time of a head is counted in periods, by one counter for all heads (U3, R3). parameter_check.v keeps the sum
    // below 65535.
    wire        never_diverts = &divert_threshold;
    wire        relieved      = relief && |relief_limit;
    wire [15:0] period        = (never_diverts ? 16'd0 : divert_threshold) + (relieved ? relief_limit : 16'd0);
    wire [12:0] last          = period[15:3] - {12'd0, period[2:0] == 3'd0 && |period};  // in clocks of eight
    wire        long          = |last;
    reg  [2:0]  clocks;
    reg  [12:0] eights;
    reg  [6:0]  ticks;
    wire        tick          = &clocks && eights >= last;

    always @(posedge clk)
        if (reset) begin
            clocks <= 3'd0;
            eights <= 13'd0;
            ticks  <= 7'd0;
        end else if (|held) begin
            clocks <= clocks + 3'd1;
            eights <= !long || tick ? 13'd0 : eights + {12'd0, &clocks};
            ticks  <= ticks + {6'd0, tick};
        end

    // The split packet. It ends with the terminator that the local net_output gets (M8, M9), or by an abort.
    wire             split    = copy[0];
    wire [PORTS-1:0] branches = {copy[PORTS-1:1], 1'b0};       // remote ones
    wire [PORTS-1:0] master;                                   // one-hot: the net_input that the split packet comes from
    reg  [PORTS-1:0] unused_branches;                          // branches that have carried no word yet
    reg              single, some_local, abort_pending, aborts;
    reg  [PORTS-1:1] entry;

    wire [LINK_WIDTH-1:0] word;                                // the word at the source of the local net_output
    wire [2:0] tag        = word[WORD_WIDTH +: 3];
    wire       site_word  = tag == `POSTROAD_TAG_MULTICAST_SITE;

    // From flops and statuses, but for the tag of the word shown.
    wire             looked_up      = |(master & held);                             // the request belongs to the word shown
    wire [PORTS-1:0] hits           = branches & asked_by_owner & {PORTS{looked_up}};  // M3: the branch of a further target
    wire             local_target   = |(master & held & at_home);
    wire             addressed      = |hits || local_target;
    wire             singles        = split && single && ready[0] && !abort_pending;   // M9
    wire             clear          = split && !abort_pending && !singles && (copy & ~ready) == {PORTS{1'b0}};
    wire             goes           = clear && (!site_word || addressed);           // the word crosses, if there is one (M5)
    wire             blocked        = split && !aborts && !singles && |tag && !goes;   // M4

    always @(posedge clk)
        if (reset) begin
            abort_pending   <= 1'b0;
            aborts          <= 1'b0;
            unused_branches <= {PORTS{1'b0}};
        end else begin
            abort_pending   <= split && (abort_pending || abort_request);
            aborts          <= split && !aborts && abort_pending;
            unused_branches <= granted_copy | (unused_branches & {PORTS{split && !clear}});
        end

    always @(posedge clk) begin
        some_local <= split && (some_local || local_target);
        if (clear && addressed) entry <= hits[PORTS-1:1];
        single <= split && release_single && !some_local && |branches && (branches & (branches - 1'b1)) == {PORTS{1'b0}} &&
                  (single || (clear && tag == `POSTROAD_TAG_DATA));
    end

    genvar i, o, k;
    generate
        for (i = 0; i < PORTS; i = i + 1) begin : net_input
            heading #(
                .WORD_WIDTH(WORD_WIDTH), .COORD_WIDTH(COORD_WIDTH), .LINKS(LINKS), .PORT(i), .EAGER(EAGER)
            ) heading (
                .clk(clk), .reset(reset), .site_address(site_address), .topology(topology), .size_x(size_x),
                .size_y(size_y), .unicast_lists(unicast_lists), .multicast_lists(multicast_lists),
                .never_diverts(never_diverts), .relieved(relieved), .down({link_down, 1'b0}),
                .word(words[i*LINK_WIDTH +: LINK_WIDTH]), .link(links[i*LINK_WIDTH +: LINK_WIDTH]), .held(held[i]),
                .connected(connected[i]), .passes(goes_on[i]), .master(master[i]), .aborting(abort_pending || single),
                .local_free(ready[0] && !owned[0]), .available(ready & ~owned),
                .tick(tick), .slow_tick(tick && &ticks), .asks(asks[i*PORTS +: PORTS]),
                .at_home(at_home[i]), .elsewhere(elsewhere[i]), .straight(straight[i]), .right(right[i]), .wrong(wrong[i]),
                .dead(dead[i]), .stray(strays[i]), .multicast(multicast[i]));
            if (LINKS == 4 && i != 0) assign goes_on[i] = passes[((i - 1) ^ 1) + 1];
            else assign goes_on[i] = 1'b0;
            assign connected_to[i*PORTS +: PORTS] = listens[i*PORTS +: PORTS] & owned & {PORTS{!wrong[i]}};
            assign connected[i] = |connected_to[i*PORTS +: PORTS];
            assign master[i]    = connected_to[i*PORTS] && split;
            // `goes` for this input, computed before the crossbar.
            wire [2:0] own_tag = words[i*LINK_WIDTH + WORD_WIDTH +: 3];
            wire       advance = clear && (own_tag != `POSTROAD_TAG_MULTICAST_SITE || addressed);
            assign taken[i] = |(connected_to[i*PORTS +: PORTS] & ready & ~copy) || strays[i] ||
                              (EAGER == 0 ? goes_on[i] : right[i] || dead[i]) || (master[i] && advance);
        end

        for (o = 0; o < PORTS; o = o + 1) begin : net_output
            localparam SOURCES = o == 0 ? PORTS : LINKS;
            localparam SELECT  = SOURCES < 2 ? 1 : $clog2(SOURCES);
            wire [SOURCES-1:0] asked, copying;
            wire [SOURCES*LINK_WIDTH-1:0] columns;
            wire [SELECT-1:0] select;
            wire [LINK_WIDTH-1:0] column;
            wire ends;

            for (k = 0; k < SOURCES; k = k + 1) begin : from
                localparam I = source(o, k);
                assign asked[k]   = asks[I*PORTS + o];
                assign copying[k] = o == 0 ? multicast[I] : master[I];
                assign columns[k*LINK_WIDTH +: LINK_WIDTH] = words[I*LINK_WIDTH +: LINK_WIDTH];
                assign listens[I*PORTS + o] = select == k;
            end
            if (o != 0) assign listens[o*PORTS + o] = 1'b0;

            access #(.SOURCES(SOURCES)) access (
                .clk(clk), .reset(reset), .asks(asked), .straight(o != 0 && straight[source(o, 0)]), .copying(copying),
                .ready(ready[o]), .ends(ends), .singles(o == 0 ? aborts : singles),
                .select(select), .owned(owned[o]), .copy(copy[o]), .grants_copy(granted_copy[o]), .passes(passes[o]));
            crossbar_column #(.LINK_WIDTH(LINK_WIDTH), .SOURCES(SOURCES)) mux (
                .words(columns), .select(select), .word(column));

            wire [2:0] column_tag = column[WORD_WIDTH +: 3];
            wire ended = column_tag == `POSTROAD_TAG_END_OF_PACKET || column_tag == `POSTROAD_TAG_ABORT_PACKET;
            assign moves[o] = owned[o] && ready[o] && !copy[o];
            assign present[o] = owned[o] || (o != 0 && |columns[WORD_WIDTH +: 3]);

            if (o == 0) begin : to_operator
                assign asked_by_owner[0] = 1'b0;
                assign ends = (ended && (moves[0] || clear)) || singles;
                assign word = column;
            end else begin : to_link
                assign asked_by_owner[o] = asked[select];
                assign ends = (ended && (moves[o] || copy[o] && clear)) || (copy[o] && aborts) || wrong[source(o, 0)];
                // A branch receives its own targets' addresses. Other targets become null_target: the tag codes are chosen so
                // that the upper bit of the tag alone makes one.
                wire upper_tag = column[WORD_WIDTH+2];
                wire target    = upper_tag && column[WORD_WIDTH];
                wire own       = !upper_tag || (target ? hits[o] : entry[o]);
                wire sends     = (moves[o] && !right[source(o, 0)] && !wrong[source(o, 0)]) || passes[o];
                wire whole     = sends || (copy[o] && clear && own);
                wire upper     = sends || (copy[o] && clear && (!target || addressed));
                assign remote_words[(o-1)*LINK_WIDTH +: LINK_WIDTH] =
                    {column[LINK_WIDTH-1] && upper, column[LINK_WIDTH-2 -: 2] & {2{whole}}, column[WORD_WIDTH-1:0]};
            end
        end
    endgenerate

    // M4, M8, M9: the words of the split packet for local. The tag codes are chosen so that end_of_packet becomes abort_packet or
    // local_end_of_packet by a change of one bit.
    wire gets     = moves[0] || goes;
    wire commits  = split && tag == `POSTROAD_TAG_END_OF_PACKET;
    assign local_word[WORD_WIDTH-1:0] = word[WORD_WIDTH-1:0];
    assign local_word[LINK_WIDTH -: 4] = {blocked || (gets && commits && some_local), tag[2] && gets,
                                          tag[1] && gets && !(commits && !some_local), (tag[0] && gets) || singles};

    assign abort = branches & ~unused_branches & {PORTS{aborts}};

    reg was_split;
    always @(posedge clk) was_split <= split;

    wire [PORTS-1:0] passing, diverting;
    generate
        for (i = 0; i < PORTS; i = i + 1) begin : event_of_input
            assign diverting[i] = listens[i*PORTS] && held[i] && elsewhere[i];
            assign passing[i] = connected[i] && !master[i] && multicast[i] && |asks[i*PORTS + 1 +: LINKS];
        end
    endgenerate

    assign event_drop   = strays;
    assign event_abort  = aborts;
    assign event_split  = split && !was_split;
    assign event_single = singles;
    assign event_divert = |(diverting & {PORTS{moves[0]}});
    assign event_pass   = |passing;
    assign connections  = asks | connected_to;
    assign quiet        = owned == {PORTS{1'b0}};
`ifdef FORMAL
    // For ever (tests/formal/router_proof.v), without EAGER, whatever words come in whatever order (X1).
    reg             past_valid = 1'b0;
    reg [PORTS-1:0] used;                    // branches that have carried a word
    reg             home_seen;               // the split packet had a target here
    reg             requested, requested_twice, released;
    reg [PORTS-1:0] owned_before, ended;
    wire [PORTS-1:0] sent_any, sent_end, stood_twice;

    always @(posedge clk) begin
        past_valid      <= 1'b1;
        used            <= copy & (used | sent_any) & ~granted_copy & {PORTS{!reset}};
        home_seen       <= !reset && split && (home_seen || (goes && site_word && word[2*COORD_WIDTH-1:0] == site_address));
        requested       <= !reset && split && abort_request;
        requested_twice <= !reset && requested && split;
        released        <= !reset && requested_twice;
        owned_before    <= owned & {PORTS{!reset}};
        ended           <= sent_end | (branches & {PORTS{aborts}}) | {{LINKS{1'b0}}, singles};
        if (past_valid && !reset) begin
            // M7: an abort never waits. Branches that have carried a word owe abort_packet, and local has the rest.
            if (released) assert (copy == {PORTS{1'b0}});
            assert (abort == (branches & used & {PORTS{aborts}}));
            // M4: local receives a pad in each clock in which a word of the split packet is blocked. M8, M9: its terminator.
            if (split && |tag && !(|sent_any) && !aborts) assert (local_word[LINK_WIDTH -: 4] == 4'b1000);
            if (local_word[LINK_WIDTH]) assert (split && (!sent_any[0] || commits));
            if (sent_any[0] && commits)
                assert (local_word[LINK_WIDTH -: 4] == (home_seen ? `POSTROAD_TAG_LOCAL_END_OF_PACKET
                                                                 : {1'b0, `POSTROAD_TAG_ABORT_PACKET}));
            // Meaning of the flops of the split packet.
            assert ((branches & ~(used ^ unused_branches)) == {PORTS{1'b0}});
            if (!abort_pending) assert ((branches & unused_branches & ~hits) == {PORTS{1'b0}});
            if (split) assert (some_local ? home_seen || local_target : !home_seen);
            // U4: a connection ends with its terminator, or is released.
            assert ((owned_before & ended & owned) == {PORTS{1'b0}});
            assert ((owned_before & ~ended & ~owned) == {PORTS{1'b0}});
            cover (singles);
            cover (|stood_twice);
            cover (|abort);
            cover (aborts && |(branches & ~used));
            cover (commits && goes && some_local);
            cover (commits && goes && !some_local && &branches[2:1]);
            cover (goes && site_word && |held && |unused_branches && &branches[2:1]);    // a second branch opens
        end
    end

    generate
        for (i = 0; i < PORTS; i = i + 1) begin : proof_of_input
            wire [PORTS-1:0] asking = asks[i*PORTS +: PORTS];
            wire [PORTS-1:0] has    = connected_to[i*PORTS +: PORTS];
            wire [2:0]       shows  = words[i*LINK_WIDTH + WORD_WIDTH +: 3];
            wire             target = shows == `POSTROAD_TAG_UNICAST_SITE || shows == `POSTROAD_TAG_MULTICAST_SITE;
            wire             ending = shows == `POSTROAD_TAG_END_OF_PACKET || shows == `POSTROAD_TAG_ABORT_PACKET;
            // X1: a word whose outputs are all ready, and that requests no branch, is taken in the third clock at the latest. A
            // terminator leaves no connection behind.
            wire             passable = |shows && |has && (has & ~ready) == {PORTS{1'b0}} && !(master[i] && multicast[i]);
            reg  [1:0]       stood;
            reg              was_ended;
            assign           stood_twice[i] = stood == 2'd2;
            always @(posedge clk) begin
                stood     <= passable && !taken[i] && !reset ? stood + 2'd1 : 2'd0;
                was_ended <= taken[i] && ending && !reset;
                if (past_valid && !reset) begin
                    if (passable && stood_twice[i]) assert (taken[i]);
                    if (was_ended) assert (has == {PORTS{1'b0}} && asking == {PORTS{1'b0}});
                    // Connections exclude each other: an input has one net_output, or the branches of the split packet.
                    assert ((has & (has - 1'b1)) == {PORTS{1'b0}} || (has & ~copy) == {PORTS{1'b0}});
                    // An input requests one output at a time, for the word that it holds; otherwise a branch that it has.
                    assert ((asking & (asking - 1'b1)) == {PORTS{1'b0}});
                    if (!held[i]) assert ((asking & ~(has & copy)) == {PORTS{1'b0}});
                    else if (|asking) assert (target);
                    if (held[i] && |shows) assert (at_home[i] == (shows == `POSTROAD_TAG_MULTICAST_SITE &&
                                                        words[i*LINK_WIDTH +: 2*COORD_WIDTH] == site_address));
                    if (taken[i] && |shows) assert (strays[i] || |has || goes_on[i]);
                end
            end
            for (o = 0; o < PORTS; o = o + 1) begin : to
                wire [LINK_WIDTH-1:0] sent  = o == 0 ? local_word[LINK_WIDTH-1:0]
                                                     : remote_words[(o == 0 ? 0 : o-1)*LINK_WIDTH +: LINK_WIDTH];
                wire [2:0]            sends = sent[WORD_WIDTH +: 3];
                wire                  null_target = copy[o] && sends == `POSTROAD_TAG_NULL_TARGET && o != 0 &&
                                                    (shows == `POSTROAD_TAG_MULTICAST_SITE || shows == `POSTROAD_TAG_TARGET_INFO);
                wire                  foreign = copy[o] && o != 0 && shows == `POSTROAD_TAG_UNICAST_SITE;   // against P1
                wire                  discarded = copy[o] && o == 0 && sends == `POSTROAD_TAG_ABORT_PACKET && ending;   // M8
                always @(posedge clk) if (past_valid && !reset && listens[i*PORTS + o]) begin
                    if (copy[o]) assert (split && listens[i*PORTS]);
                    // A net_output loads the word that its input shows, in the clock in which that word is taken. The word enters
                    // all of the input's branches in this clock (M5).
                    if (taken[i] && |shows && has[o] && !foreign) assert (|sends);
                    if (|sends && !(o == 0 && singles)) begin
                        assert (taken[i] && ready[o] && present[o] && (has[o] || passes[o]));
                        assert (sends == shows || null_target || discarded);
                        assert (sent[WORD_WIDTH-1:0] == words[i*LINK_WIDTH +: WORD_WIDTH]);
                    end
                    if (o == 0 && singles) assert (sends == `POSTROAD_TAG_ABORT_PACKET && !taken[i] && ready[0]);       // M9
                    if (abort[o]) assert (sends == 3'd0 && has[o]);                                                    // M7
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
            assign sent_any[o] = |sends;
            assign sent_end[o] = sends == `POSTROAD_TAG_END_OF_PACKET || sends == `POSTROAD_TAG_ABORT_PACKET;
        end
    endgenerate
`endif
endmodule

`default_nettype wire
