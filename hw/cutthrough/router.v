// router: connects net_inputs and net_outputs (August paper 4.5).
//
//   net_input --word--> heading --wants--> access --select--> crossbar_column --word--> net_output
//      (one a net_input: where to?)   (one a net_output: whose turn?)
//
// A word crosses in the clock in which its net_input shows it, if its net_output listens to that input already. A net_output that
// nobody owns listens straight on, so a head that does not turn crosses at once; any other waits for its look-up and for
// the net_output to turn to it.
//
// A site splits one packet at a time (M1), the one that owns the local net_output: whatever only a split packet needs exists
// once. Its input is the master; its branches are the net_outputs with `copy` set.
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
    input  wire [PORTS*LINK_WIDTH-1:0]   words,
    output wire [PORTS-1:0]              taken,

    // net_outputs load in the clocks in which they are ready. The local one has a fourth tag bit: local_end_of_packet, and
    // the null_transmission that M4 makes, have it set.
    output wire [LINKS*LINK_WIDTH-1:0]   remote_words,
    output wire [LINK_WIDTH:0]           local_word,
    output wire [PORTS-1:0]              abort,
    input  wire [PORTS-1:0]              ready,
    input  wire [PORTS-1:0]              terminated,     // net_outputs that hold a terminator
    input  wire                          abort_request,  // local fifo_buffer's status

    // One-clock pulses.
    output wire [PORTS-1:0]              event_drop,
    output wire                          event_divert,
    output wire                          event_abort,
    output wire                          event_split,
    output wire                          event_pass,
    output wire                          event_single,
    output wire [PORTS*PORTS-1:0]        connections,    // i*PORTS + o: connected, or wanted by the word shown
    output wire                          quiet           // no connection
);
    // Source k of net_output o, local last. No packet goes back where it came from (U1). Source 0 is straight on.
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
    wire [PORTS*PORTS-1:0] wants, listens, connected_to;
    wire [PORTS-1:0] straight, goes_on, right, wrong, dead, multicast, strays, waiting;
    wire [PORTS-1:0] owned, wanted, takes, by_master, flows, passing;
    /* verilator lint_off UNUSEDSIGNAL */  // nothing goes straight on to the operator
    wire [PORTS-1:0] passes;
    /* verilator lint_on UNUSEDSIGNAL */

    // How long a head has waited is counted in periods, by one counter for all (U3, R3). parameter_check.v keeps the sum below
    // 65535.
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
        end else if (|waiting) begin
            clocks <= clocks + 3'd1;
            eights <= !long || tick ? 13'd0 : eights + {12'd0, &clocks};
            ticks  <= ticks + {6'd0, tick};
        end

    // The split packet. It ends with the terminator that the local net_output gets (M8, M9), or by an abort.
    reg              split, single_branch, some_local, local_has_word, opening, local_free, abort_pending;
    reg  [PORTS-1:0] copy;
    reg  [PORTS-1:1] entry;
    wire             multicast_waits;                          // the head that asks for local is a multicast's
    wire [PORTS-1:0] listeners;                                // one-hot: the net_input that the local net_output listens to
    wire [PORTS-1:0] master = listeners & {PORTS{split}};

    wire [LINK_WIDTH-1:0] word;                                // and what that shows
    wire [2:0] tag        = word[WORD_WIDTH +: 3];
    wire       site_word  = tag == `POSTROAD_TAG_MULTICAST_SITE;
    wire       aborted    = tag == `POSTROAD_TAG_ABORT_PACKET;
    wire       terminator = aborted || tag == `POSTROAD_TAG_END_OF_PACKET;

    // All of these come from flops and statuses. An input asks only while it shows a site word that was looked up, so
    // `addressed` says that there is one, and where it goes.
    wire [PORTS-1:0] branches       = owned & copy & {PORTS{split}};                // remote ones
    wire [PORTS-1:0] hits           = branches & wanted;                            // M3: the branch of a further target
    wire [PORTS-1:0] opened         = hits & {PORTS{opening}};                      // and which has carried nothing yet
    wire             addressed      = |hits || (split && wanted[0]);
    wire             branches_ready = (branches & ~ready) == {PORTS{1'b0}} && (ready[0] || local_has_word);
    wire             aborts         = split && abort_pending;                       // excludes a commit (M5)
    wire             clear          = split && !abort_pending && branches_ready;
    wire             splits         = takes[0] && multicast_waits;                  // M1

    wire             advances       = clear && |tag && (!site_word || addressed);
    wire             blocked        = split && !aborts && |tag && !advances;        // M4
    wire             singles        = clear && single_branch && !some_local && tag == `POSTROAD_TAG_DATA;   // M9

    always @(posedge clk)
        if (reset) begin
            split          <= 1'b0;
            abort_pending  <= 1'b0;
            local_has_word <= 1'b0;
            opening        <= 1'b0;
            local_free     <= 1'b0;
            copy           <= {PORTS{1'b0}};
        end else begin
            split          <= splits || (split && !aborts && !(clear && terminator) && !singles);
            abort_pending  <= split && !aborts && (abort_pending || abort_request);
            local_has_word <= splits || (local_has_word && !(clear && addressed) && !aborts);
            opening        <= |(takes & by_master) || (opening && split && !(clear && addressed));
            local_free     <= !owned[0] && !takes[0] && ready[0];
            copy           <= (copy | (takes & by_master)) & {PORTS{split}};
        end

    always @(posedge clk) begin
        some_local <= split && (some_local || wanted[0]);
        if (clear && addressed) entry <= hits[PORTS-1:1];
        single_branch <= release_single && |branches && (branches & (branches - 1'b1)) == {PORTS{1'b0}};
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
                .word(words[i*LINK_WIDTH +: LINK_WIDTH]), .taken(taken[i]), .passes(goes_on[i]),
                .master(master[i]), .splits(splits && listeners[i]), .local_free(local_free),
                .available(ready & ~owned), .tick(tick), .slow_tick(tick && &ticks), .wants(wants[i*PORTS +: PORTS]),
                .straight(straight[i]), .right(right[i]), .wrong(wrong[i]), .dead(dead[i]), .stray(strays[i]),
                .waits(waiting[i]), .multicast(multicast[i]));
            if (LINKS == 4 && i != 0) assign goes_on[i] = passes[((i - 1) ^ 1) + 1];
            else assign goes_on[i] = 1'b0;
            assign listeners[i] = listens[i*PORTS];
            assign connected_to[i*PORTS +: PORTS] = listens[i*PORTS +: PORTS] & owned;
            // `advances` as this input sees it, before the crossbar.
            wire [2:0] own_tag = words[i*LINK_WIDTH + WORD_WIDTH +: 3];
            wire       advance = clear && |own_tag && (own_tag != `POSTROAD_TAG_MULTICAST_SITE || addressed);
            assign taken[i] = |(listens[i*PORTS +: PORTS] & flows) || strays[i] ||
                              (EAGER == 0 ? goes_on[i] : right[i] || dead[i]) ||
                              (master[i] && (advance || (aborts && local_has_word)));
        end

        for (o = 0; o < PORTS; o = o + 1) begin : net_output
            localparam SOURCES = o == 0 ? PORTS : LINKS;
            localparam SELECT  = $clog2(SOURCES);
            wire [SOURCES-1:0] asks, copying;
            wire [SOURCES*LINK_WIDTH-1:0] columns;
            wire [SELECT-1:0] select;
            wire [LINK_WIDTH-1:0] column;

            for (k = 0; k < SOURCES; k = k + 1) begin : from
                localparam I = source(o, k);
                assign asks[k]    = wants[I*PORTS + o];
                assign copying[k] = o == 0 ? multicast[I] : master[I];
                assign columns[k*LINK_WIDTH +: LINK_WIDTH] = words[I*LINK_WIDTH +: LINK_WIDTH];
                assign listens[I*PORTS + o] = select == k;
            end
            if (o != 0) assign listens[o*PORTS + o] = 1'b0;

            wire release_now = aborts && (opened[o] || takes[o] && by_master[o]);
            access #(.SOURCES(SOURCES), .EAGER(EAGER)) access (
                .clk(clk), .reset(reset), .asks(asks), .straight(o != 0 && straight[source(o, 0)]),
                .wrong(o != 0 && wrong[source(o, 0)]), .ready(ready[o]), .terminated(terminated[o]),
                .release_now(release_now),
                .select(select), .owned(owned[o]), .wanted(wanted[o]), .takes(takes[o]), .passes(passes[o]));
            crossbar_column #(.LINK_WIDTH(LINK_WIDTH), .SOURCES(SOURCES)) mux (
                .words(columns), .select(select), .word(column));

            if (o == 0) begin : to_operator
                assign by_master[0] = 1'b0;
                assign multicast_waits = copying[select];
                assign flows[0]     = owned[0] ? ready[0] && !split : takes[0] && !splits;
                assign passing[0]   = 1'b0;
                assign word         = column;
            end else begin : to_link
                assign by_master[o] = copying[select];
                assign flows[o]     = owned[o] ? ready[o] && !branches[o] : takes[o] && !by_master[o];
                assign passing[o]   = column[WORD_WIDTH +: 3] == `POSTROAD_TAG_MULTICAST_SITE;
                // A branch gets addresses that are its own, and of others what the codes of the tags make null_target: the
                // upper bit of the tag alone.
                wire upper_tag = column[WORD_WIDTH+2];
                wire target    = upper_tag && column[WORD_WIDTH];
                wire own       = !upper_tag || (target ? hits[o] : entry[o]);
                wire sends     = flows[o] && !right[source(o, 0)] || passes[o];
                wire whole     = sends || (branches[o] && clear && own);
                wire upper     = sends || (branches[o] && clear && (!target || addressed));
                assign remote_words[(o-1)*LINK_WIDTH +: LINK_WIDTH] =
                    {column[LINK_WIDTH-1] && upper, column[LINK_WIDTH-2:0] & {LINK_WIDTH-1{whole}}};
            end

`ifdef FORMAL
            // What access assumes: the source of a branch that was released does not ask for it again at once.
            reg was_released = 1'b0;
            always @(posedge clk) begin
                was_released <= !reset && release_now;
                if (was_released && !reset) assert (!asks[select]);
            end
`endif
        end
    endgenerate

    // M4, M8, M9: what local gets of the split packet.
    wire discards = split && ((terminator && !some_local) || singles);
    wire gets     = flows[0] || splits || (clear && !local_has_word && (!site_word || addressed));
    assign local_word = blocked ? {1'b1, {LINK_WIDTH{1'b0}}}
                      : gets && discards ? {1'b0, `POSTROAD_TAG_ABORT_PACKET, {WORD_WIDTH{1'b0}}}
                      : {gets && split && terminator && !aborted && some_local, word & {LINK_WIDTH{gets}}};

    assign abort = branches & ~opened & {PORTS{aborts}};

    assign event_drop   = strays;
    assign event_abort  = aborts;
    assign event_split  = splits;
    assign event_single = singles;
    assign event_divert = takes[0] && !splits && word[2*COORD_WIDTH-1:0] != site_address;
    assign event_pass   = |(takes & ~by_master & passing);
    assign connections  = wants | connected_to;
    assign quiet        = owned == {PORTS{1'b0}} && waiting == {PORTS{1'b0}} && !split;
endmodule

`default_nettype wire
