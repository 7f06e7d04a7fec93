// site_fabric: discipline `csr` behind the ports that every discipline has (hw/README.md, "Disciplines").
//
//   send --> csr_inject --> csr_sender, two --entries--> csr_node --exits--> csr_exit --> csr_deliver --> receive
//                                                          |  ^
//                                                         links
//
// A hypercube of LINKS dimensions, 2 to 7. A link carries no words with tags, but the bits of csr_node.v, and link_in_wait is 0.
// A packet for this site itself goes round its internal links. A link that is down shows nothing: no flit over it is
// acknowledged. SPDX-License-Identifier: ISC
`default_nettype none
`include "csr.vh"
`include "protocol.vh"
`include "straps.vh"

module site_fabric #(
    parameter WORD_WIDTH       = 16,  // bits of a word: 16 or 32
    parameter LINKS            = 4,   // links of a site, one a dimension
    parameter LINK_WIDTH       = WORD_WIDTH + 1,  // bits of a link, from discipline.ini: not to be set
    parameter [31:0] OWN       = `CSR_OWN,        // SLOT_WORDS and SCHEDULE
    /* verilator lint_off UNUSEDPARAM */
    parameter HYPERCUBE        = 1,   // these have no use
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
    localparam D = LINKS, W = WORD_WIDTH, ENDS = 2 * LINKS;
    localparam [31:0] SLOT_WORDS = {25'd0, OWN[`CSR_OWN_SLOT_WORDS]};
    localparam SERIAL     = OWN[`CSR_OWN_SCHEDULE];
    localparam MULTICAST  = OWN[`CSR_OWN_MULTICAST];
    localparam EXPRESS    = OWN[`CSR_OWN_EXPRESS];
    localparam WORD_BITS  = $clog2(SLOT_WORDS);
    localparam ROW_BITS   = LINKS > 5 ? 4 : 3;
    localparam SENDERS    = 2;

    wire [31:0]  site_address = straps[`POSTROAD_STRAP_SITE_ADDRESS];
    wire [D-1:0] address = site_address[D-1:0];

    wire                  halted, first, finish, answer, last, settle, retire, choose, tick, tick_long, entry_first;
    wire                  arrives, arrives_first, arrives_last;
    wire [ENDS-1:0]       entry_valid, taken, reserved, accept, sure, exit_head, stale;
    wire                  coin;
    wire [ENDS*W-1:0]     exit_word;
    reg  [ENDS*W-1:0]     entry_word;
    wire [D-1:0]          clash;
    wire [WORD_BITS-1:0]  read_word, arrives_word;
    wire [D*LINK_WIDTH-1:0] link_next;
    wire                  node_quiet, inject_quiet, deliver_quiet;
    reg                   rests, rested;

    csr_node #(.WORD_WIDTH(W), .DIMENSIONS(D), .SLOT_WORDS(SLOT_WORDS), .SERIAL(SERIAL), .MULTICAST(MULTICAST),
        .EXPRESS(EXPRESS)) node (
        .clk(clk), .reset(reset), .now(now), .rests(rests), .address(site_address[6:0]), .link_in(link_in), .link_out(link_out),
        .link_next(link_next), .halted(halted), .first(first), .finish(finish), .answer(answer), .last(last),
        .settle(settle), .sure_to_arrive(sure_to_arrive), .retire(retire),
        .choose(choose), .tick(tick), .tick_long(tick_long), .entry_valid(entry_valid), .entry_word(entry_word), .taken(taken),
        .reserved(reserved),
        .read_word(read_word), .entry_first(entry_first), .accept(accept), .sure(sure), .exit_head(exit_head),
        .exit_word(exit_word), .arrives(arrives), .arrives_first(arrives_first), .arrives_last(arrives_last),
        .arrives_word(arrives_word), .source_mark(source_mark), .source_head(source_head),
        .source_alive(source_alive), .source_symbol(source_hold || source_last),
        .source_goes({tag_top, !tag_top}), .source_passes(source_passes), .source_back(source_back),
        .express_head(express_head), .express_alive(express_alive), .express_end(express_end), .express_up(express_up),
        .exit_mark(exit_mark), .closed(closed), .source_coin(coin), .stale(stale), .clash(clash), .quiet(node_quiet));

    // Expresses.
    wire                  tries, complete, express_failed, sure_to_arrive;
    wire                  source_active, source_head, source_hold, source_last, source_mark, source_alive, source_passes,
                          source_back;
    wire [WORD_BITS-1:0]  next_at, source_at, express_seen;
    wire [1:0]            express_head, express_alive, express_end, express_up;
    wire [ENDS-1:0]       exit_mark;
    wire                  closed, flits_seen, express_here, express_ended, express_whole;

    wire [SENDERS-1:0]    load_word, load_segment, room, empty, holds_tag, refused, sender_drop;
    wire [WORD_BITS-1:0]  load_at;
    wire [W-1:0]          load_data;
    wire [D-1:0]          load_tag, load_both;
    wire                  load_begins, load_ends, inject_drop;
    wire                  tag_top = load_tag[D-1];
    csr_inject #(.WORD_WIDTH(W), .DIMENSIONS(D), .SLOT_WORDS(SLOT_WORDS), .SENDERS(SENDERS), .MULTICAST(MULTICAST),
        .EXPRESS(EXPRESS)) inject (
        .clk(clk), .halted(halted), .address(address), .send(send), .send_wait(send_wait), .load_word(load_word),
        .load_at(load_at), .load_data(load_data), .load_segment(load_segment), .load_tag(load_tag),
        .load_both(load_both), .load_begins(load_begins), .load_ends(load_ends), .room(room), .empty(empty),
        .holds_tag(holds_tag), .tries(tries), .next_at(next_at), .complete(complete), .reserved(flits_seen),
        .express_done(source_last),
        .express_failed(express_failed), .event_drop(inject_drop), .quiet(inject_quiet));

    // Expresses leave over the highest dimension (C13).
    generate
        if (EXPRESS != 0) begin : expresses
            csr_source #(.DIMENSIONS(D), .WORD_BITS(WORD_BITS)) source (
                .clk(clk), .halted(halted), .tries(tries), .next_at(next_at), .complete(complete),
                .failed(express_failed), .reserved(flits_seen), .at(source_at), .active(source_active), .head(source_head),
                .hold(source_hold),
                .last(source_last), .coin(coin), .closed(closed), .sure(sure_to_arrive), .retire(retire), .passes(source_passes),
                .back(source_back), .mark(source_mark), .alive(source_alive));
        end else begin : segments
            assign {express_failed, flits_seen, source_at, source_active, source_head, source_hold, source_last,
                    source_mark, source_alive} = {WORD_BITS+8{1'b0}};
            wire unused_express = &{1'b0, tries, next_at, complete, sure_to_arrive, source_passes, source_back, coin};
        end
    endgenerate

    // A dimension belongs to one sender.
    wire [SENDERS*ENDS-1:0] valid;
    wire [SENDERS*W-1:0]    word;
    assign entry_valid = valid[ENDS-1:0] | valid[2*ENDS-1:ENDS];

    wire [D-1:0] event_word;
    genvar s, l;
    generate
        for (s = 0; s < SENDERS; s = s + 1) begin : send_from
            csr_sender #(.WORD_WIDTH(W), .DIMENSIONS(D), .WORD_BITS(WORD_BITS), .DIMENSION(s), .STEP(SENDERS),
                .MULTICAST(MULTICAST), .EXPRESS(EXPRESS && s == (D - 1) % SENDERS)) sender (
                .clk(clk), .halted(halted), .address(address), .load_word(load_word[s]), .load_at(load_at),
                .load_data(load_data), .load_segment(load_segment[s]), .load_tag(load_tag), .load_both(load_both),
                .load_begins(load_begins), .load_ends(load_ends), .room(room[s]),
                .empty(empty[s]), .holds_tag(holds_tag[s]), .retire(retire),
                .choose(choose), .tick(tick_long), .entry_first(entry_first), .read_word(read_word), .reserved(reserved),
                .taken(taken), .entry_valid(valid[s*ENDS +: ENDS]), .entry_word(word[s*W +: W]),
                .express(source_active), .express_head(source_head), .express_hold(source_hold), .express_last(source_last),
                .express_at(source_at), .refused(refused[s]),
                .event_drop(sender_drop[s]));
        end
        for (l = 0; l < D; l = l + 1) begin : dimension
            always @* entry_word[2*l*W +: 2*W] = {2{word[(l % SENDERS)*W +: W]}};
        end
    endgenerate

    wire                 exit_drop, deliver_drop, exit_miss, more, release_place;
    wire                 waits;
    wire [WORD_BITS-1:0] read_at;
    wire [W-1:0]         read_data;
    csr_exit #(.WORD_WIDTH(W), .DIMENSIONS(D), .WORD_BITS(WORD_BITS), .ROW_BITS(ROW_BITS), .MULTICAST(MULTICAST),
        .EXPRESS(EXPRESS)) exit (
        .clk(clk), .halted(halted), .finish(finish), .answer(answer), .settle(settle), .sure(sure), .tick(tick), .accept(accept),
        .exit_head(exit_head),
        .exit_word(exit_word), .arrives(arrives), .arrives_first(arrives_first), .arrives_last(arrives_last),
        .arrives_word(arrives_word), .closed(closed), .exit_mark(exit_mark), .express_head(express_head),
        .express_alive(express_alive), .express_end(express_end), .express_up(express_up), .express_here(express_here),
        .express_seen(express_seen), .express_ended(express_ended), .express_whole(express_whole),
        .waits(waits), .read_at(read_at), .read_data(read_data),
        .release_place(release_place), .more(more), .event_drop(exit_drop), .event_miss(exit_miss));

    csr_deliver #(.WORD_WIDTH(W), .DIMENSIONS(D), .WORD_BITS(WORD_BITS), .MULTICAST(MULTICAST), .EXPRESS(EXPRESS)) deliver (
        .clk(clk), .halted(halted), .address(address), .waits(waits), .read_at(read_at), .read_data(read_data),
        .release_place(release_place), .more(more), .express_here(express_here), .express_seen(express_seen),
        .express_ended(express_ended), .express_whole(express_whole), .receive(receive), .receive_wait(receive_wait),
        .event_drop(deliver_drop), .quiet(deliver_quiet));

    // At most one refusal a clock.
    reg refused_late;
    always @(posedge clk) refused_late <= &refused && !halted;

    reg in_reset;
    always @(posedge clk) in_reset <= reset;

    generate
        for (l = 0; l < D; l = l + 1) begin : ahead
            assign link_in_wait[l] = in_reset;
            assign event_word[l]   = |link_out[l*LINK_WIDTH +: W];
`ifdef SYNTHESIS
            assign links_next[64*l +: 64] = 64'd0;
`else
            assign links_next[64*l +: 64] = {reset, {63-LINK_WIDTH{1'b0}}, link_next[l*LINK_WIDTH +: LINK_WIDTH]};
`endif
        end
    endgenerate

    always @* begin
        events = 64'd0;
        events[`POSTROAD_COUNTER_DEFERRALS]  = |refused || refused_late;
        events[`POSTROAD_COUNTER_DEAD_FLITS] = |stale || |clash || exit_miss;
        events[`POSTROAD_COUNTER_DROPS +: 2] = {exit_drop || deliver_drop, inject_drop || |sender_drop};
        events[`POSTROAD_COUNTER_STALLS]     = |receive[W +: 3] && receive_wait;
        events[`POSTROAD_COUNTER_WORDS_OUT +: D + 1] = {event_word, |receive[W +: 3] && !receive_wait};
    end

    assign observed = {128*(LINKS+1){1'b0}};

    // A site that rests counts no more than the clocks of a slot: a simulator may leave out whole slots of it.
    wire still = !halted && node_quiet && inject_quiet && deliver_quiet && empty == {SENDERS{1'b1}} && !more &&
                 entry_valid == {ENDS{1'b0}};
    always @(posedge clk) {rested, rests} <= {rests, still};
    assign quiet = still && rests && rested;

    wire unused = &{1'b0, site_address, straps, relief, link_down, link_out_wait, first, last, link_next};
endmodule

`default_nettype wire
