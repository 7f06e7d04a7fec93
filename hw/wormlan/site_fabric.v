// site_fabric: discipline `wormlan` behind the ports that every discipline has (hw/README.md, "Disciplines").
//
//   send --> wormlan_inject --------> input 0 --.            .--> output 0 --> wormlan_deliver --> receive
//                                               +--crossbar--+
//   link l --> wormlan_receiver --> input l+1 --'            '--> output l+1 --> wormlan_sender --> link l
//                     |    '------- STOP, GO of the other direction ---------------------^
//
// With `multicast = interrupt` the crossbar has one input and one output more, and there is a second way to the operator:
//
//   last output --> wormlan_fork --> last input
//                        '---------> wormlan_reassembly --> wormlan_deliver
//
// A site is a host and its switch. A switch without a host is the same with nothing at port 0. A link carries a symbol a clock,
// {kind, word} (WORM_* of protocol.vh), and link_in_wait is 0.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"
`include "straps.vh"
`include "wormlan.vh"

module site_fabric #(
    parameter WORD_WIDTH       = 16,  // bits of a word: 16 or 32
    parameter LINKS            = 4,   // links of a site, 1 to 15
    parameter LINK_WIDTH       = WORD_WIDTH + 2,  // bits of a link, from discipline.ini: not to be set
    parameter [31:0] OWN       = `WORMLAN_OWN,    // slack, multicast
    /* verilator lint_off UNUSEDPARAM */
    parameter HYPERCUBE        = 0,   // these have no use
    parameter DOWNSTREAM_DEPTH = 32,
    parameter UPSTREAM_DEPTH   = 64,
    parameter OBSERVED         = 0
    /* verilator lint_on UNUSEDPARAM */
) (
    input  wire                        clk,
    input  wire                        reset,
    input  wire [63:0]                 now,
    input  wire [`POSTROAD_STRAPS-1:0] straps,
    input  wire                        relief,
    input  wire [LINKS-1:0]            link_down,
    input  wire [LINKS*LINK_WIDTH-1:0] link_in,
    output wire [LINKS-1:0]            link_in_wait,
    output wire [LINKS*LINK_WIDTH-1:0] link_out,
    input  wire [LINKS-1:0]            link_out_wait,
    output wire [64*LINKS-1:0]         links_next,
    input  wire [WORD_WIDTH+2:0]       send,
    output wire                        send_wait,
    output wire [WORD_WIDTH+3:0]       receive,
    input  wire                        receive_wait,
    output reg  [63:0]                 events,
    output wire [128*(LINKS+1)-1:0]    observed,
    output wire                        quiet
);
    localparam W = WORD_WIDTH, S = LINK_WIDTH;
    localparam [31:0] SLACK_LOG2 = {28'd0, OWN[`WORMLAN_OWN_SLACK]};
    localparam [31:0] SLACK = 32'd1 << SLACK_LOG2;
    localparam [31:0] WAY = {30'd0, OWN[`WORMLAN_OWN_MULTICAST]};  // by its place among the values of discipline.ini
    localparam FLUSH      = WAY == 32'd2;
    localparam INTERRUPT  = WAY == 32'd3;
    localparam MULTICAST  = INTERRUPT ? 32'd0 : WAY;  // inputs and outputs make copies
    localparam PORTS      = LINKS + 1;
    localparam WAYS       = INTERRUPT ? PORTS + 1 : PORTS;  // inputs, and outputs, of the crossbar

    wire [31:0] own       = straps[`POSTROAD_STRAP_OWN];
    wire [15:0] connected = straps[`POSTROAD_STRAP_LINKS_CONNECTED];
    wire [27:0] place     = own[`WORMLAN_STRAP_PLACE];
    wire [PORTS-1:0] below = {place[13 +: LINKS], 1'b1};  // outputs of a broadcast
    wire [31:0] stop_level = SLACK - 32'd6 - {19'd0, place[11:0], 1'b0};   // K_s (W4)

    reg  [PORTS-1:0] usable;  // outputs that lead somewhere
    reg  [LINKS-1:0] down;
    wire [PORTS:0]   all_usable = {1'b1, usable};
    always @(posedge clk) begin
        usable <= {connected[LINKS-1:0] & ~link_down, place[12]};
        down   <= link_down;
    end

    // The clock of repeated STOPs and of patience, which runs while anything is going on.
    reg  [14:0] clocks;
    wire        still;
    reg         rested;
    wire [14:0] patience   = ~(15'h7fff << own[`WORMLAN_STRAP_PATIENCE]);
    wire        tick       = &clocks[4:0];
    wire        tick_worms = &(clocks | ~patience);
    wire        tick_slack = &clocks[SLACK_LOG2-1:0];
    always @(posedge clk) begin
        rested <= still;
        clocks <= reset || rested ? 15'd0 : clocks + 15'd1;
    end

    // Inputs.
    wire [WAYS*S-1:0]      entry;
    wire [PORTS-1:0]       shown, take, receiver_quiet;
    wire [WAYS-1:0]        last, end_shown, copies;
    wire [WAYS-1:0]        gives_up, stray, chosen, busy, way_drop;
    wire [PORTS-1:0]       input_drop;
    wire [WAYS*WAYS-1:0]   asks, asked, leaves, left;  // by input, by output
    wire [WAYS*WAYS-1:0]   owner, owned;   // by output, by input
    wire [WAYS*WAYS-1:0]   takes;          // by output
    wire [PORTS-1:0]       flushed, backs;
    wire [WAYS-1:0]        idles, moved, resets, holds, stalls, go, output_quiet, fragments, ending;
    wire [PORTS-1:0]       sender_quiet;
    wire [WAYS*S-1:0]      leaving;        // of each output: {kind, word}, 0: none
    wire [LINKS*S-1:0]     symbol_next;
    wire                   deliver_drop, interrupts, interrupted;
    wire                   whole_shown, whole_take;
    wire [S-1:0]           whole_word;
    wire [PORTS:0]         all_below = {1'b0, below}, all_backs = {1'b0, backs};
    wire [WAYS-1:0]        way_moved;  // wormlan_fork moves if anything does for its worm
    wire [W*PORTS-1:0]     fork_change;
    wire                   fork_drop, fork_quiet;

    assign chosen = stray & (~stray + 1'b1);

    genvar p, q;
    generate
        for (p = 0; p < WAYS; p = p + 1) begin : port
            wire [1:0] kind = entry[S*p+W +: 2];
            assign end_shown[p] = kind == `POSTROAD_WORM_END;
            assign last[p]  = kind == `POSTROAD_WORM_END || kind == `POSTROAD_WORM_CONTROL;

            if (p < PORTS) begin : from
                wormlan_input #(.PORTS(WAYS), .MULTICAST(MULTICAST), .FLUSH(FLUSH), .INTERRUPT(INTERRUPT)) way (
                    .clk(clk), .reset(reset), .kind(kind), .code(entry[S*p +: 6]), .shown(shown[p]), .take(take[p]),
                    .usable(all_usable[WAYS-1:0]), .asks(asks[WAYS*p +: WAYS]), .moved(way_moved), .owned(owned[WAYS*p +: WAYS]),
                    .go(go), .below(all_below[WAYS-1:0]), .idles(idles), .backs(all_backs[WAYS-1:0]),
                    .leaves(leaves[WAYS*p +: WAYS]), .copies(copies[p]),
                    .tick(tick_worms), .gives_up(gives_up[p]), .flushed(flushed[p]),
                    .stray(stray[p]), .chosen(chosen[p]),
                    .event_drop(way_drop[p]), .busy(busy[p]));
            end
            wormlan_output #(.PORTS(WAYS), .FLUSH(FLUSH), .INTERRUPT(INTERRUPT)) turns (
                .clk(clk), .reset(reset), .asks(asked[WAYS*p +: WAYS]), .leaves(left[WAYS*p +: WAYS]),
                .last(last), .gives_up(gives_up), .interrupts(interrupts),
                .usable(all_usable[p]), .go(go[p]), .owner(owner[WAYS*p +: WAYS]), .takes(takes[WAYS*p +: WAYS]),
                .resets(resets[p]), .fragment(fragments[p]), .ending(ending[p]), .holds(holds[p]), .moved(moved[p]),
                .stalls(stalls[p]), .tick_slack(tick_slack), .idles(idles[p]), .quiet(output_quiet[p]));

            for (q = 0; q < WAYS; q = q + 1) begin : other
                assign asked[WAYS*p + q] = asks[WAYS*q + p];
                assign left[WAYS*p + q]  = leaves[WAYS*q + p];
                assign owned[WAYS*p + q] = owner[WAYS*q + p];
            end

            reg [S-1:0] chosen_word;
            integer i;
            always @* begin
                chosen_word = {S{1'b0}};
                for (i = 0; i < WAYS; i = i + 1)
                    chosen_word = chosen_word | entry[S*i +: S] & {S{takes[WAYS*p + i]}};
            end

            // What this output did not get of the header of a tree is gone from its signature (W10).
            if (MULTICAST != 0) begin : branch
                wire [WAYS-1:0] belongs = owner[WAYS*p +: WAYS];
                wire            free    = belongs == {WAYS{1'b0}}, branches = |(belongs & copies);
                wire [W-1:0]    change, unused_change;
                // A word counts in the clock behind the one in which it leaves.
                reg  [S-1:0] held;
                reg          stepped, counts;
                always @(posedge clk) begin
                    held    <= chosen_word;
                    stepped <= |takes[WAYS*p +: WAYS];
                    counts  <= branches;
                end
                wormlan_change #(.WORD_WIDTH(W)) added (
                    .clk(clk), .begins(free), .steps(free || stepped), .counts(counts && !free), .word(held[W-1:0]),
                    .info(held[W +: 2] == `POSTROAD_WORM_INFO), .change(unused_change), .changed(change));
                assign leaving[S*p +: S] = chosen_word ^ {2'b00, change & {W{|(takes[WAYS*p +: WAYS] & end_shown)}}};
            end else if (INTERRUPT && p < PORTS) begin : forked
                assign leaving[S*p +: S] = chosen_word ^ {2'b00, fork_change[W*p +: W] & {W{takes[WAYS*p + WAYS-1]}}};
            end else begin : whole
                assign leaving[S*p +: S] = chosen_word;
            end

            if (p > 0 && p < PORTS) begin : link
                wire heard_stop, heard_go, say_stop, say_go, say_back, says_next;
                wormlan_receiver #(
                    .WORD_WIDTH(W), .SLACK_LOG2(SLACK_LOG2), .MULTICAST(MULTICAST), .FLUSH(FLUSH), .INTERRUPT(INTERRUPT),
                    .PORTS(PORTS)
                ) receiver (
                    .clk(clk), .reset(reset), .symbol(link_in[S*(p-1) +: S]), .down(down[p-1]),
                    .stop_level(stop_level[SLACK_LOG2:0]), .tick(tick), .heard_stop(heard_stop), .heard_go(heard_go),
                    .heard_back(backs[p]), .tick_slack(tick_slack), .flushed(flushed[p]),
                    .say_stop(say_stop), .say_go(say_go), .say_back(say_back), .says_next(says_next), .leads_down(below),
                    .entry(entry[S*p +: S]), .shown(shown[p]), .take(take[p]), .event_drop(input_drop[p]),
                    .quiet(receiver_quiet[p]));
                wormlan_sender #(.WORD_WIDTH(W)) sender (
                    .clk(clk), .reset(reset), .heard_stop(heard_stop), .heard_go(heard_go), .say_stop(say_stop),
                    .say_go(say_go), .say_back(say_back), .says_next(says_next), .tick(tick), .go(go[p]),
                    .word(leaving[S*p +: S]),
                    .resets(resets[p]), .fragment(fragments[p]), .holds(holds[p]), .symbol(link_out[S*(p-1) +: S]),
                    .symbol_next(symbol_next[S*(p-1) +: S]), .quiet(sender_quiet[p]));
            end
        end
    endgenerate

    assign backs[0] = 1'b0;
    wormlan_inject #(.WORD_WIDTH(W), .MULTICAST(WAY), .INTERRUPT(INTERRUPT), .PORTS(PORTS)) inject (
        .clk(clk), .reset(reset), .send(send), .send_wait(send_wait), .below(below), .entry(entry[S-1:0]),
        .shown(shown[0]), .take(take[0]),
        .event_drop(input_drop[0]), .quiet(receiver_quiet[0]));

    localparam [S-1:0] RESET = {`POSTROAD_WORM_CONTROL, {W-6{1'b0}}, `POSTROAD_WORM_CONTROL_RESET};
    wormlan_deliver #(.WORD_WIDTH(W), .INTERRUPT(INTERRUPT)) deliver (
        .clk(clk), .reset(reset), .shown(|takes[WAYS-1:0] || resets[0]), .word(leaving[S-1:0] | RESET & {S{resets[0]}}),
        .go(go[0]), .whole_shown(whole_shown), .whole_word(whole_word), .whole_take(whole_take), .receive(receive),
        .receive_wait(receive_wait), .event_drop(deliver_drop), .quiet(sender_quiet[0]));

    // Multicasts that go down the tree.
    generate
        if (INTERRUPT) begin : tree
            localparam F = PORTS;
            wire [PORTS-1:0] fork_asks, fork_leaves;  // bit 0: the reassembly
            wire begins, again, cut, own_go, moves, reassembly_drop, reassembly_quiet, fork_word_drop;
            wormlan_fork #(.WORD_WIDTH(W), .PORTS(PORTS)) fork_unit (
                .clk(clk), .reset(reset), .shown_in(|takes[WAYS*F +: WAYS] || resets[F]),
                .word_in(leaving[S*F +: S] | RESET & {S{resets[F]}}), .go_in(go[F]),
                .fed(|owner[WAYS*F +: WAYS]), .abandoned(ending[F]), .entry(entry[S*F +: S]),
                .usable(usable), .below(below), .asks(fork_asks), .moved(moved[PORTS-1:0]), .owned(owned[WAYS*F +: PORTS]),
                .go(go[PORTS-1:0]), .ending(ending[PORTS-1:0]), .leaves(fork_leaves), .change(fork_change),
                .gives_up(gives_up[F]), .interrupts(interrupts), .own_go(own_go), .begins(begins), .again(again), .own_cut(cut),
                .tick(tick_worms), .tick_slack(tick_slack), .stray(stray[F]), .chosen(chosen[F]), .moves(moves),
                .event_drop(fork_word_drop), .busy(busy[F]));
            wormlan_reassembly #(.WORD_WIDTH(W)) reassembly (
                .clk(clk), .reset(reset), .put(fork_leaves[0]), .word_in(entry[S*F +: S] ^ {2'b00, fork_change[W-1:0]}),
                .go(own_go), .begins(begins), .again(again), .cut(cut), .shown(whole_shown), .word(whole_word), .take(whole_take),
                .event_drop(reassembly_drop), .quiet(reassembly_quiet));
            assign asks[WAYS*F +: WAYS]   = {1'b0, fork_asks[PORTS-1:1], 1'b0};
            assign leaves[WAYS*F +: WAYS] = {1'b0, fork_leaves[PORTS-1:1], 1'b0};
            assign {copies[F], way_drop[F]} = {1'b0, fork_word_drop || reassembly_drop};
            assign way_moved   = {moves, moved[PORTS-1:0]};
            assign fork_quiet  = reassembly_quiet;
            assign fork_drop   = way_drop[F];
            wire unused_own    = fork_asks[0];
            assign interrupted = gives_up[F] && interrupts;
        end else begin : whole_ways
            assign way_moved   = moved;
            assign fork_change = {W*PORTS{1'b0}};
            assign {interrupts, interrupted, fork_drop, whole_shown, whole_word} = {4'd0, {S{1'b0}}};
            assign fork_quiet = 1'b1;
        end
    endgenerate

    wire [LINKS-1:0] words_out;
    reg              in_reset;
    always @(posedge clk) in_reset <= reset;
    generate
        for (p = 0; p < LINKS; p = p + 1) begin : ahead
            assign link_in_wait[p] = in_reset;
            assign words_out[p]    = link_out[S*p+W +: 2] != `POSTROAD_WORM_CONTROL;
`ifdef SYNTHESIS
            assign links_next[64*p +: 64] = 64'd0;
`else
            assign links_next[64*p +: 64] = {reset, {63-S{1'b0}}, symbol_next[S*p +: S]};
`endif
        end
    endgenerate

    // A simulator looks at the events before it changes the inputs: those that depend on inputs come a clock later.
    reg [PORTS-1:0] dropped;
    reg             told_back;  // of a packet that the operator sends
    reg             parted;     // a multicast was interrupted
    always @(posedge clk) told_back <= flushed[0] && !reset;
    always @(posedge clk) parted <= interrupted && !reset;
    always @(posedge clk)
        dropped <= {PORTS{!reset}} & (input_drop | way_drop[PORTS-1:0] | {{LINKS{1'b0}}, deliver_drop || fork_drop});

    wire arrives = |receive[W +: 3];
    always @* begin
        events = 64'd0;
        events[`POSTROAD_COUNTER_WORDS_OUT +: PORTS] = {words_out, arrives && !receive_wait};
        events[`POSTROAD_COUNTER_STALLS +: PORTS]    = {stalls[PORTS-1:1], arrives && receive_wait};
        events[`POSTROAD_COUNTER_DROPS +: PORTS]     = dropped;
        events[`POSTROAD_COUNTER_DEAD_FLITS]         = |stray;
        events[`POSTROAD_COUNTER_ABORTS]             = told_back;
        events[`POSTROAD_COUNTER_DIVERSIONS]         = parted;
    end

    assign observed = {128*PORTS{1'b0}};
    assign still    = !in_reset && dropped == {PORTS{1'b0}} && !told_back && !parted && &receiver_quiet && &sender_quiet
                      && &output_quiet && fork_quiet && !(|busy);
    assign quiet    = still && clocks == 15'd0;

    wire unused = &{1'b0, now, straps, relief, link_out_wait, connected, stop_level, stalls, holds[0], symbol_next,
                    own, place, copies, end_shown, below, flushed, fragments, ending, way_moved, all_usable, all_below, all_backs,
                    interrupts, whole_take, fork_change, owned, moved, holds};
endmodule

`default_nettype wire
