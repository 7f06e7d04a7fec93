// wormlan_fork: the multicast that goes down the tree at this switch, one at a time (W13, W14).
//
//   crossbar --> two words --> [ COLLECT ] --header's end--> [ ACQUIRE ] --all its outputs--> [ REPEAT ] --> [ PAYLOAD ] --end-->
//                                 | header                       ^                               | stands       | stands
//                                 v                              '-------------------------------'--------------'
//                             header store                         its outputs get the end of a fragment
//
// Its header, and what is in front of the data behind it, is stored before the first output is asked for, and goes to each output
// from the store: once, and again behind an interruption.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module wormlan_fork #(
    parameter WORD_WIDTH = 16,
    parameter PORTS      = 5
) (
    input  wire                  clk,
    input  wire                  reset,

    // From the crossbar: {kind, word}. One is shown only in the clock behind one in which go_in is 1, and is taken.
    input  wire                  shown_in,
    input  wire [WORD_WIDTH+1:0] word_in,
    output wire                  go_in,
    input  wire                  fed,        // some input's worm is the one that comes
    input  wire                  abandoned,  // it was given up there, and its forward reset is on its way

    // As an input of the crossbar. Bit 0 of a vector is not the operator's output, but the reassembly.
    output wire [WORD_WIDTH+1:0] entry,
    input  wire [PORTS-1:0]      usable,
    input  wire [PORTS-1:0]      below,
    output reg  [PORTS-1:0]      asks,
    input  wire [PORTS-1:0]      moved,
    input  wire [PORTS-1:0]      owned,
    input  wire [PORTS-1:0]      go,
    input  wire [PORTS-1:0]      ending,     // a forward reset, or the end of a fragment, has still to leave there
    output wire [PORTS-1:0]      leaves,
    output wire [PORTS*WORD_WIDTH-1:0] change,  // by what the signature is wrong at each of them
    output reg                   gives_up,   // in this clock no word leaves, and the outputs belong to the worm no more;
    output reg                   interrupts, // they are asked for again

    // To the reassembly: the next word is the first one of a fragment; of a packet that has begun before; the packet is cut.
    input  wire                  own_go,     // as `go`
    output wire                  begins,
    output reg                   again,
    output wire                  own_cut,

    input  wire                  tick,       // of patience
    input  wire                  tick_slack,
    output reg                   stray,      // as of a wormlan_input
    input  wire                  chosen,
    output reg                   moves,      // something did in the clock before
    output wire                  event_drop,
    output wire                  busy
);
    localparam W = WORD_WIDTH, DEPTH_LOG2 = 8;
    localparam [W-1:0] START = {W{1'b1}};
    localparam [2:0] COLLECT = 3'd0;
    localparam [2:0] ACQUIRE = 3'd1;
    localparam [2:0] REPEAT  = 3'd2;
    localparam [2:0] PAYLOAD = 3'd3;
    localparam [2:0] DROP    = 3'd4;

    reg  [2:0] state;
    wire [W+1:0] held;
    wire         full, held_word, take_held;
    wormlan_queue #(.WIDTH(W + 2)) queue (
        .clk(clk), .reset(reset), .shown_in(shown_in), .word_in(word_in), .wait_out(full), .shown_out(held_word), .word_out(held),
        .wait_in(!take_held));
    assign go_in = !full && !(held_word && !take_held);
    wire held_info = held[W +: 2] == `POSTROAD_WORM_INFO;
    wire held_data = held[W +: 2] == `POSTROAD_WORM_DATA;
    wire held_ends = !held_info && !held_data;
    wire held_part = held[W +: 2] == `POSTROAD_WORM_CONTROL && held[5:0] == `POSTROAD_WORM_CONTROL_FRAGMENT;

    // The header store. What is read again is shown a clock later, as of a slack buffer.
    reg  [W:0]            store[0:(1<<DEPTH_LOG2)-1];  // {info, word}
    reg  [DEPTH_LOG2-1:0] stored, at;
    reg  [W:0]            read;
    reg                   read_shown, read_first;
    wire                  keep, take_read;
    wire repeats  = state == REPEAT;
    wire fetch    = repeats && at != stored && (!read_shown || take_read);
    wire read_last = at == stored;
    always @(posedge clk) begin
        if (keep) store[stored] <= {held_info, held[W-1:0]};
        if (fetch) read <= store[at];
    end

    // One reader of headers: of what comes, then of what is repeated.
    reg  first, prefix, addressed;   // the next word is the first one; or a port of a route; the address has come
    reg  tree, all;                  // it forks here by entries; or is a broadcast
    wire [W-1:0] word = repeats ? read[W-1:0] : held[W-1:0];
    wire info   = repeats ? read[W] : held_info;
    wire routes, names, last, wrong, in_header;
    wormlan_header header (
        .clk(clk), .reset(reset), .step(keep || take_read), .head(repeats ? read_first : prefix), .info(info), .word(word[13:0]),
        .routes(routes), .entry(names), .last(last), .wrong(wrong), .in_header(in_header));
    wire to_all = routes && word[5:0] == `POSTROAD_TREE_BROADCAST;

    // COLLECT. The store is full with one place left.
    wire collects = state == COLLECT && held_word;
    wire fits     = prefix ? info ? names || routes : !first : in_header ? !wrong : addressed ? info : !info;
    wire known    = !held_ends && fits && !(&stored);
    wire complete = collects && (addressed && !prefix && !in_header && !info || keep && in_header && last);
    wire broken   = collects && !complete && !held_ends && !known;
    assign keep   = collects && !held_ends && known;

    // Outputs of the worm.
    reg  [PORTS-1:0] outputs, current, seen;  // all; that of the subtree; those whose subtree has been met
    wire [PORTS-1:0] named;
    genvar o;
    generate
        for (o = 0; o < PORTS; o = o + 1) begin : output_of
            assign named[o] = {28'd0, word[3:0]} == o && usable[o] && below[o];
        end
    endgenerate

    // REPEAT: the words of a subtree go to its output, those of another header to all.
    wire marks    = tree ? names || last : read_first && !all;   // it is for this switch
    wire [PORTS-1:0] links = {{PORTS-1{1'b1}}, 1'b0};
    wire [PORTS-1:0] to    = !repeats ? outputs : tree ? current : all && read_first ? outputs & links : outputs;
    wire skips    = repeats && read_shown && (marks || to == {PORTS{1'b0}});
    wire shows    = repeats ? read_shown && !marks : state == PAYLOAD && held_word;
    reg  may, branch_first;
    wire leaving  = shows && may && !gives_up && to != {PORTS{1'b0}};
    assign take_read = skips || repeats && leaving;
    assign take_held = keep || state == DROP || collects && held_ends && !complete || state == PAYLOAD && leaving;
    assign leaves    = to & {PORTS{leaving}};
    wire   ready     = (to & links & ~(owned & go)) == {PORTS{1'b0}} && (own_go || !to[0]);
    wire   begin_now = state == ACQUIRE && may && !gives_up && asks == (outputs & links);
    wire   repeated  = take_read && read_last && (!tree || last);
    assign begins    = begin_now && outputs[0];
    assign own_cut   = gives_up && !interrupts && outputs[0];

    // The first word of a fragment at each output says that it is none of a new packet.
    localparam [W-1:0] AGAIN = {{W-1{1'b0}}, 1'b1} << `POSTROAD_TREE_AGAIN_BIT;
    wire [1:0] read_kind = read[W] ? `POSTROAD_WORM_INFO : `POSTROAD_WORM_DATA;
    assign entry = repeats ? {read_kind, read[W-1:0] | AGAIN & {W{again && branch_first}}} : held;

    // What a copy has of the header is its subtree. Fragments behind the first one leave this as it is: the signature is that of
    // the packet.
    reg  [W-1:0] sum, whole;
    wire [W-1:0] sum_next;
    wire         counts = take_read && !marks && !(all && read_first);
    word_signature #(.WORD_WIDTH(W)) signature (
        .sum(repeats ? sum : first ? START : whole), .word(word), .info(info), .next(sum_next));
    wire [PORTS-1:0] branch_ends = {PORTS{take_read && !again}} & (tree ? current & {PORTS{marks}} : outputs & {PORTS{repeated}});
    wire [W-1:0] branch_sum = tree ? sum : sum_next;
    always @(posedge clk) begin
        if (keep) whole <= sum_next;
        if (counts) sum <= sum_next;
        else if (!repeats || marks) sum <= START;
    end
    wire steps = state == PAYLOAD && leaving && !held_ends;
    generate
        for (o = 0; o < PORTS; o = o + 1) begin : copy
            reg  [W-1:0] by;
            wire [W-1:0] stepped;
            word_signature #(.WORD_WIDTH(W)) step (.sum(by), .word({W{1'b0}}), .info(1'b0), .next(stepped));
            always @(posedge clk)
                if (branch_ends[o]) by <= o > 0 && all ? {W{1'b0}} : whole ^ branch_sum;
                else if (steps && to[o]) by <= stepped;
            assign change[W*o +: W] = by & {W{state == PAYLOAD && held[W +: 2] == `POSTROAD_WORM_END}};
        end
    endgenerate

    // What stands from one tick to the next but one: of patience, it is given up, where no input does that; of the slack, it is
    // interrupted, if an output might be of use to another worm.
    wire active  = state == ACQUIRE || repeats || state == PAYLOAD;
    wire moving  = keep || take_read || state == PAYLOAD && leaving || |(asks & moved);
    reg  stale, stuck;
    wire dead    = |(asks & ~usable) || abandoned || tick && stale && !moving && !fed;
    wire stands  = tick_slack && stuck && (repeats || state == PAYLOAD) && |(asks & go);
    wire done    = state == PAYLOAD && leaving && held_ends;
    wire nowhere = state == ACQUIRE && outputs == {PORTS{1'b0}};
    assign busy  = state != COLLECT || held_word || full || !first;
    assign event_drop = collects && held_ends && !held_part && !complete && !first || state == DROP && held_word;

    always @(posedge clk)
        if (reset) begin
            state <= COLLECT;
            asks  <= {PORTS{1'b0}};
            {first, prefix, addressed} <= 3'b110;
            {gives_up, interrupts, may, stale, stuck, stray, moves, read_shown} <= 8'd0;
            stored <= {DEPTH_LOG2{1'b0}};
            at     <= {DEPTH_LOG2{1'b0}};
        end else begin
            moves <= moving;
            stale <= active && !moving && (stale || tick);
            stuck <= shows && !leaving && !gives_up && (stuck || tick_slack);
            may   <= active && !skips && !begin_now && !gives_up && !(repeats && leaving && (read_first || read_last)) && ready
                     && (state != ACQUIRE || asks == (outputs & links) && outputs != {PORTS{1'b0}});
            gives_up   <= active && !gives_up && !done && (dead || stands && !leaving);
            interrupts <= active && !gives_up && !dead;
            stray      <= (nowhere || broken || active && !gives_up && !done && dead && !abandoned || stray) && !chosen;
            asks <= done || gives_up ? {PORTS{1'b0}}
                  : state == ACQUIRE && (outputs & ending) == {PORTS{1'b0}} ? outputs & links : asks;
            if (gives_up) state <= interrupts ? ACQUIRE : DROP;
            else if (broken || nowhere) state <= DROP;
            else if (complete) state <= ACQUIRE;
            else if (begin_now) state <= REPEAT;
            else if (repeated) state <= PAYLOAD;
            else if (done || state == DROP && held_word && held_ends) state <= COLLECT;
            // What is collected begins behind the end of a worm.
            if (take_held && held_ends) {first, prefix, addressed} <= 3'b110;
            else if (keep) begin
                first     <= 1'b0;
                prefix    <= prefix && info && routes && !to_all;
                addressed <= addressed || !info && !in_header;
            end
            stored <= take_held && held_ends ? {DEPTH_LOG2{1'b0}} : stored + {{DEPTH_LOG2-1{1'b0}}, keep};
            at     <= !repeats ? {DEPTH_LOG2{1'b0}} : at + {{DEPTH_LOG2-1{1'b0}}, fetch};
            read_shown <= repeats && !gives_up && !repeated && (fetch || read_shown && !take_read);
        end

    always @(posedge clk) begin
        if (collects && first) begin
            {tree, all, again} <= {names, to_all, |(word & AGAIN)};
            outputs <= to_all ? usable & below : named;
        end else begin
            if (keep && tree && names) outputs <= outputs | named;
            // What is interrupted within its header begins once more.
            if (gives_up && state == PAYLOAD) again <= 1'b1;
        end
        read_first   <= !repeats || read_first && !take_read;
        branch_first <= !repeats || marks || branch_first && !leaving;
        if (!repeats) {current, seen} <= {2*PORTS{1'b0}};
        else if (take_read && names) begin
            current <= named & outputs & ~seen;
            seen    <= seen | named;
        end
    end
endmodule

`default_nettype wire
