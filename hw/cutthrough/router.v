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
    parameter EAGER       = 0,
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
    output wire [PORTS-1:0]              may_load,       // 0: no word for this net_output in this clock; 1: maybe

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
    wire [PORTS-1:0] straight, goes_straight, right, wrong, dead, multicast, strays, diverts, connected;
    wire [PORTS-1:0] owned, copy, granted_copy, asked_by_owner;
    wire [PORTS-1:0] whole_word_moves;                         // of a packet that is not split, if there is a word
    /* verilator lint_off UNUSEDSIGNAL */  // no head goes straight on to the operator
    wire [PORTS-1:0] passes;
    /* verilator lint_on UNUSEDSIGNAL */

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
    wire [PORTS-1:1] own;
    wire [LINK_WIDTH-1:0] word;                                // the word at the source of the local net_output
    wire [2:0] tag        = word[WORD_WIDTH +: 3];
    wire       site_word  = tag == `POSTROAD_TAG_MULTICAST_SITE;

    split #(.PORTS(PORTS)) split (
        .clk(clk), .reset(reset), .tag(tag), .held(|(master & held)), .copy(copy), .ready(ready), .asked(asked_by_owner),
        .granted(granted_copy), .expires(branch_expires), .active(is_split), .target_found(target_found),
        .branches_ready(branches_ready), .own(own), .marks(marks), .any_marked(any_marked), .aborts(aborts),
        .defers(event_defer));

    genvar i, o, k;
    generate
        for (i = 0; i < PORTS; i = i + 1) begin : net_input
            heading #(
                .WORD_WIDTH(WORD_WIDTH), .COORD_WIDTH(COORD_WIDTH), .LINKS(LINKS), .HYPERCUBE(HYPERCUBE),
                .ADAPTIVE(ADAPTIVE), .EAGER(EAGER), .PORT(i)
            ) heading (
                .clk(clk), .reset(reset), .site_address(site_address), .topology(topology), .size_x(size_x),
                .size_y(size_y), .unicast_lists(unicast_lists), .down({link_down, 1'b0}), .expires(head_expires),
                .link(links[i*LINK_WIDTH +: LINK_WIDTH]), .held(held[i]), .connected(connected[i]), .master(master[i]),
                .available(ready & ~owned), .passes(goes_straight[i]), .asks(asks[i*PORTS +: PORTS]),
                .straight(straight[i]), .stray(strays[i]), .diverts(diverts[i]), .right(right[i]), .wrong(wrong[i]),
                .dead(dead[i]));
            if (opposite(i) != 0) assign goes_straight[i] = passes[opposite(i)];
            else assign goes_straight[i] = 1'b0;
            assign connected_to[i*PORTS +: PORTS] = selects[i*PORTS +: PORTS] & owned & {PORTS{!wrong[i]}};
            assign connected[i] = |connected_to[i*PORTS +: PORTS];
            assign master[i]    = connected_to[i*PORTS] && is_split;
            wire [2:0] own_tag = words[i*LINK_WIDTH + WORD_WIDTH +: 3];
            assign multicast[i] = own_tag == `POSTROAD_TAG_MULTICAST_SITE;
            wire master_word_moves = branches_ready && (!multicast[i] || target_found);
            assign taken[i] = |(connected_to[i*PORTS +: PORTS] & ready & ~copy) || strays[i] ||
                              (EAGER == 0 ? goes_straight[i] : right[i] || dead[i]) || (master[i] && master_word_moves);
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
                .clk(clk), .reset(reset), .asks(asked), .straight(opposite(o) != 0 && straight[opposite(o)]),
                .copying(copying), .ready(ready[o]), .ends(ends), .unsplits(aborts), .select(select), .owned(owned[o]),
                .copy(copy[o]), .grants_copy(granted_copy[o]), .passes(passes[o]));
            crossbar_column #(.LINK_WIDTH(LINK_WIDTH), .SOURCES(SOURCES)) mux (
                .words(columns), .select(select), .word(column));

            wire [2:0] column_tag = column[WORD_WIDTH +: 3];
            wire ended = column_tag == `POSTROAD_TAG_END_OF_PACKET || column_tag == `POSTROAD_TAG_ABORT_PACKET;
            assign whole_word_moves[o] = owned[o] && ready[o] && !copy[o];
            assign may_load[o] = owned[o] || (o != 0 && |columns[WORD_WIDTH +: 3]);
            assign asked_by_owner[o] = asked[select];

            if (o == 0) begin : to_operator
                assign ends = ended && (whole_word_moves[0] || branches_ready);
                assign word = column;
            end else begin : to_link
                // EAGER: a head that was kept does not leave twice.
                wire kept = opposite(o) != 0 && (right[opposite(o)] || wrong[opposite(o)]);
                assign ends = (ended && (whole_word_moves[o] || copy[o] && branches_ready)) || (copy[o] && aborts) ||
                              (opposite(o) != 0 && wrong[opposite(o)]);
                // Entries of other branches become null_target: the tag codes are chosen so that the upper bit of the tag alone
                // makes one (split.v has the table).
                wire upper_tag = column[WORD_WIDTH+2];
                wire target    = upper_tag && column[WORD_WIDTH];
                wire sends     = (whole_word_moves[o] && !kept) || passes[o];
                wire all_bits  = sends || (copy[o] && branches_ready && (!upper_tag || own[o] && (!target || target_found)));
                wire upper_bit = sends || (copy[o] && branches_ready && (!target || target_found));
                assign remote_words[(o-1)*LINK_WIDTH +: LINK_WIDTH] =
                    {column[LINK_WIDTH-1] && upper_bit, column[LINK_WIDTH-2 -: 2] & {2{all_bits}}, column[WORD_WIDTH-1:0]};
            end
        end
    endgenerate

    // M8, M11. The tag codes are chosen so that end_of_packet becomes abort_packet or local_end_of_packet by a change of one bit.
    wire local_word_moves = whole_word_moves[0] || (branches_ready && (!site_word || target_found));
    wire commits          = is_split && tag == `POSTROAD_TAG_END_OF_PACKET;
    assign local_word = {commits && any_marked && local_word_moves,
                         tag[2] && local_word_moves,
                         tag[1] && local_word_moves && !(commits && !any_marked),
                         tag[0] && local_word_moves,
                         is_split && site_word ? marks : word[WORD_WIDTH-1],
                         word[WORD_WIDTH-2:0]};

    assign abort = {copy[PORTS-1:1], 1'b0} & {PORTS{aborts}};

    reg was_split;
    always @(posedge clk) was_split <= is_split;

    generate
        for (i = 0; i < PORTS; i = i + 1) begin : event_of_input
            // A branch that was opened and aborted before it carried a word shows a lone abort_packet, which is no violation (M7).
            assign event_drop[i] = strays[i] && words[i*LINK_WIDTH + WORD_WIDTH +: 3] != `POSTROAD_TAG_ABORT_PACKET;
        end
    endgenerate

    assign event_abort  = aborts;
    assign event_split  = is_split && !was_split;
    assign event_divert = |diverts;
    assign connections  = asks | connected_to;
    assign quiet        = owned == {PORTS{1'b0}};
endmodule

`default_nettype wire
