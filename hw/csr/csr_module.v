// csr_module: what a node has for one dimension, `module` of Figures 1 and 6 of the paper: a 2:2 switch, the forward and the
// internal buffer behind it, their reservation lists, and the way back of acknowledgements.
//
//   link of the neighbour over the dimension above --in 1--+        +--> out 1: link to the neighbour (forward)
//   internal link of the module above ---------------in 0--+ switch |
//                                entry 1, entry 0 ---------+        +--> out 0: to the module below (internal)
//
// Links carry flits in the forward steps, then words (csr_slot.v). A flit has the form of a packet's first word, the header: bits
// DIMENSIONS-1:0 are the route, a 1 above the tag bits that are not yet used, the next of them lowest; a 1 alone has arrived.
// Of a multicast the bits 2*DIMENSIONS+2 and on are the dimensions in which it goes both ways. The rest is for the site at the
// end. All zeroes is no flit, and no packet.
//
//   flit    in --> ask --> grant --> on the link, route shifted; grant and source are pushed, row 0 of the list is set
//   packet  in --> buffer, route shifted --(next slot, if the link was reserved)--> on the link
//
// A list has a row for each slot to come. One row comes to the front a forward step, and goes back a backward step, so that the
// row at hand is always at one end. The stack of grants and sources is pushed and popped in step with it. With MULTICAST it turns
// like the list, and both go forward once more: what a multicast has won is confirmed from its entry on (C11).
// SPDX-License-Identifier: ISC
`default_nettype none

module csr_module #(
    parameter WORD_WIDTH = 16,  // bits of a word
    parameter DIMENSIONS = 4,   // of the hypercube: 2 to 7
    parameter SLOT_WORDS = 24,  // words of a segment
    parameter SERIAL     = 0,   // 1: words follow the backward phase
    parameter MULTICAST  = 0,   // 1: flits may go both ways
    parameter EXPRESS    = 0,   // 1: expresses pass where nothing is reserved (C13)
    parameter DIMENSION  = 0,   // of this module
    parameter WORD_BITS  = $clog2(SLOT_WORDS)  // not to be set
) (
    input  wire                    clk,
    input  wire                    halted,

    // csr_slot.
    input  wire                    first,
    input  wire                    second,
    input  wire                    forward,
    input  wire                    answer,
    input  wire                    backward,
    input  wire                    last,
    input  wire                    confirm,
    input  wire [WORD_BITS-1:0]    read_word,
    input  wire                    leaves,
    input  wire                    arrives,
    input  wire                    arrives_first,
    input  wire [WORD_BITS-1:0]    arrives_word,

    input  wire [1:0]              coin,         // of the two flits for this link the one from in 1 wins

    // Links, [0] internal, [1] forward, from flops. acknowledge_in: of what went out; acknowledge: of what came in. next: what
    // these show after the next edge.
    input  wire [2*WORD_WIDTH-1:0] in,
    output reg  [1:0]              acknowledge,
    output wire [1:0]              acknowledge_next,
    output reg  [2*WORD_WIDTH-1:0] out,
    output wire [2*WORD_WIDTH-1:0] out_next,
    input  wire [1:0]              acknowledge_in,

    // The same on the way forward: of what came in, and of what went out. MULTICAST.
    input  wire [1:0]              confirm_in,
    output reg                     confirmed,        // internal
    output wire [1:0]              confirmed_next,
    input  wire                    confirmed_above,  // of the module above, forward: on the wire of acknowledge[1]

    // Entries of the two links. `entry_word` is the header in the first clock of a slot, and what was read at read_word a clock
    // behind it; `taken` is shown in the clock `last`. reserved: the link is so for the slot that begins.
    input  wire [1:0]              entry_valid,
    input  wire [2*WORD_WIDTH-1:0] entry_word,
    output wire [1:0]              taken,
    output wire [1:0]              reserved,

    // EXPRESS. mark: of what `in` shows. The module of the highest dimension has the source, whose words come from the entry, and
    // the exit; express_up: an express is accepted there.
    input  wire                    closed,
    input  wire [1:0]              mark,
    output wire                    flit_seen,        // `in` shows something that is not marked, and has a route
    output reg  [1:0]              on,               // `in` has shown an express
    input  wire                    hears,
    output wire                    speaks,
    output wire [1:0]              marker,
    output wire [1:0]              marker_next,
    input  wire                    source_mark,
    input  wire                    source_head,
    input  wire                    source_alive,
    input  wire                    source_symbol,
    input  wire [1:0]              source_goes,
    output wire                    source_passes,
    output wire                    source_back,
    output wire [1:0]              express_head,
    output wire [1:0]              express_alive,
    output wire [1:0]              express_end,
    input  wire [1:0]              express_up,

    // Exits, of in 0 and in 1. `in` shows a flit that has arrived in the clock `finish`, and `accept` acknowledges it in
    // `answer`.
    input  wire [1:0]              accept,
    output wire [1:0]              exit_head,    // `in` shows the header of a packet that has arrived

    output wire [1:0]              stale,        // a reserved slot began without a packet
    output wire                    clash,        // two packets for one buffer: the one from in 0 is lost
    output wire                    quiet
);
    localparam D = DIMENSIONS, W = WORD_WIDTH;
    localparam BOTH = MULTICAST != 0 ? 2 * D + 2 + DIMENSION : 0;  // in a flit: it goes both ways here
    localparam HEADER = MULTICAST != 0 ? 3 * D + 2 : 2 * D + 2;  // bits of a flit

    // Of the flit or header that a link shows: arrived, goes forward, goes on inside.
    function [2:0] ways(input [D-1:0] route, input both);
        ways = {route == {{D-1{1'b0}}, 1'b1}, |route[D-1:1] && (route[0] || both), |route[D-1:1] && (!route[0] || both)};
    endfunction
    wire       both_1 = MULTICAST != 0 && in[W+BOTH], both_0 = MULTICAST != 0 && in[BOTH];
    wire [2:0] shown_1 = ways(in[W +: D], both_1), shown_0 = ways(in[0 +: D], both_0);
    wire [2:0] way_1 = shown_1 & {3{!mark[1]}}, way_0 = shown_0 & {3{!mark[0]}};

    // Of two flits one that continues a packet wins, else a coin decides (C4).
    wire begins_1 = in[W+2*D], begins_0 = in[2*D];

    // Reservations. forks: the flits from in 1 and in 0 go both ways.
    reg  [2*D-1:0] list, granted, source, forks;
    wire [1:0]     grant, from_1, ok;
    wire [1:0]     row  = list[1:0], tail = list[2*D-1 -: 2];
    assign reserved = row;
    assign ok       = granted[1:0] & acknowledge_in & {2{backward}};
    assign taken    = ok & {2{last}};

    // Of flits that went on. A fork has to get through on both ways.
    wire [1:0] fork_now = MULTICAST != 0 ? forks[1:0] : 2'b00;
    wire [1:0] back = {fork_now[1] ? &(ok & source[1:0]) : |(ok & source[1:0]),
                       fork_now[0] ? &(ok & ~source[1:0]) : |(ok & ~source[1:0])};
    wire [1:0]     good = {source[1] ? back[1] : back[0], source[0] ? back[1] : back[0]};  // its flit is acknowledged
    wire [1:0]     kept = tail & ~(granted[1:0] & ~(ok & good));  // no acknowledgement frees what was reserved

    // A multicast that failed somewhere is not confirmed: what it has won behind a node where a part of it came through.
    wire [1:0] won_step = granted[2*D-1 -: 2], source_step = source[2*D-1 -: 2];
    wire [1:0] sure = won_step & row & {|(confirm_in & {source_step[1], !source_step[1]}),
                                        |(confirm_in & {source_step[0], !source_step[0]})};
    assign confirmed_next = MULTICAST == 0 || halted ? 2'b00 : last ? ok : confirm ? sure : 2'b00;
    always @(posedge clk) confirmed <= confirmed_next[0];

    always @(posedge clk)
        if (halted) begin
            list    <= {2*D{1'b0}};
            granted <= {2*D{1'b0}};
        end else begin
            if (forward) begin
                list    <= {row | grant, list[2*D-1:2]};
                granted <= {granted[2*D-3:0], grant};
            end else if (backward) begin
                list    <= {list[2*D-3:0], kept};
                granted <= {MULTICAST != 0 ? granted[1:0] : 2'b00, granted[2*D-1:2]};
            end else if (MULTICAST != 0 && confirm) begin
                list    <= {row & ~(won_step & ~sure), list[2*D-1:2]};
                granted <= {granted[2*D-3:0], 2'b00};
            end
            // Row 0 was of this slot: it becomes the row of the last one.
            if (last) begin
                list    <= {2'b00, list[2*D-3:0]};
                granted <= {granted[2*D-1:2], 2'b00} & {2*D{MULTICAST != 0}};
            end
        end
    always @(posedge clk)
        if (forward) begin
            source <= {source[2*D-3:0], from_1};
            forks  <= {forks[2*D-3:0], first ? 2'b00 : {&way_1[1:0], &way_0[1:0]}};
        end else if (backward) begin
            source <= MULTICAST != 0 && last ? {source[2*D-1:2], 2'b00} :
                      {MULTICAST != 0 ? source[1:0] : 2'b00, source[2*D-1:2]};
            forks  <= {2'b00, forks[2*D-1:2]};
        end else if (MULTICAST != 0 && confirm) source <= {source[2*D-3:0], 2'b00};

    // Acknowledgements: of flits that have arrived, and of those that went on.
    wire [1:0] express_back;
    assign acknowledge_next = halted ? 2'b00 : (answer ? accept : back & {2{!last}}) | {confirmed_above, 1'b0} | express_back;
    always @(posedge clk) acknowledge <= acknowledge_next;

    // Packets. A new one in the speculative schedule comes before it is acknowledged. If its flit has lost here, the winner's
    // words come to the same buffer: they are dropped. If it fails later, nobody reads them.
    reg  [1:0] lost;
    reg  [3:0] held;  // of in 1, of in 0: to link 1, to link 0
    wire [5:0] heads = {way_1 & {3{!lost[1]}}, way_0 & {3{!lost[0]}}};
    wire [3:0] to    = (arrives_first ? {heads[4:3], heads[1:0]} : held) & {4{arrives}};
    assign exit_head = {heads[5], heads[2]};
    assign clash     = arrives && arrives_first && |(heads[4:3] & heads[1:0]);

    reg  [1:0] loaded, transit, fresh;
    assign stale = row & ~loaded & {2{first && !halted}};
    wire express_quiet;
    assign quiet = {list, loaded, transit, fresh} == {2*D+6{1'b0}} && express_quiet;

    // Expresses. Behind its header an express shows a word or a symbol in each clock: with a route of 0, and not marked.
    localparam TOP = DIMENSION == D - 1;
    wire [1:0] needed, express_passes, express_from_1, express_word;
    generate
        if (EXPRESS != 0) begin : express
            wire [1:0] routed = {|in[W +: D], |in[0 +: D]};
            wire [1:0] symbol = ~mark & ~routed;
            wire [1:0] alive  = mark | on & symbol & {in[W+D], in[D]};
            wire [1:0] head   = mark & ~on;
            wire [1:0] path_back;
            wire       still;
            csr_express paths (
                .clk(clk), .halted(halted), .closed(closed), .mark(TOP ? {1'b0, source_mark} : mark),
                .head(TOP ? {1'b0, source_head} : head), .alive(TOP ? {1'b0, source_alive} : alive),
                .symbol(TOP ? {1'b0, source_symbol} : symbol),
                .goes(TOP ? {2'b00, source_goes} : {shown_1[1:0], shown_0[1:0]}), .busy(transit | fresh), .needed(needed),
                .hears(hears), .acknowledge_in(acknowledge_in), .passes(express_passes), .from_1(express_from_1),
                .marker_next(marker_next), .marker(marker), .back(path_back), .speaks(speaks), .quiet(still));
            assign flit_seen     = |(~mark & routed);
            assign express_word  = mark & on;
            assign express_back  = TOP ? express_up & {2{!closed}} : path_back;
            assign source_back   = path_back[0];
            assign source_passes = |express_passes;
            assign express_head  = head & {shown_1[2], shown_0[2]};
            assign express_alive = alive;
            assign express_end   = on & symbol & {in[W+D+1], in[D+1]};
            assign express_quiet = still && on == 2'b00;
            always @(posedge clk) on <= halted ? 2'b00 : alive;
        end else begin : reserved_alone
            assign {flit_seen, speaks, source_back, source_passes, express_quiet} = 5'b00001;
            assign {marker, marker_next, express_passes, express_from_1, express_word, express_back} = 12'd0;
            assign {express_head, express_alive, express_end} = 6'd0;
            always @(posedge clk) on <= 2'b00;
            wire unused_express = &{1'b0, closed, hears, source_mark, source_head, source_alive, source_symbol, source_goes,
                express_up, needed};
        end
    endgenerate

    always @(posedge clk) begin
        if (arrives_first) held <= {heads[4:3], heads[1:0]};
        if (second) lost <= {|(way_1[1:0] & ~(grant & from_1)), |(way_0[1:0] & ~(grant & ~from_1))};
        if (halted) begin
            loaded  <= 2'b00;
            transit <= 2'b00;
            fresh   <= 2'b00;
            lost    <= 2'b00;
        end else begin
            if (first) begin
                transit <= row & loaded;
                loaded  <= 2'b00;
            end else if (arrives && arrives_first)
                loaded <= heads[4:3] | heads[1:0];
            if (SERIAL != 0) begin
                if (last) fresh <= taken;
                lost <= 2'b00;
            end else if (first) fresh <= grant;
        end
    end

    genvar o, i;
    generate
        for (o = 0; o < 2; o = o + 1) begin : link
            wire ask_1 = way_1[o], ask_0 = way_0[o];
            assign from_1[o] = ask_1 && (!ask_0 || (begins_1 == begins_0 ? coin[o] : begins_0));
            assign grant[o]  = forward && !row[o] && (first ? entry_valid[o] : ask_1 || ask_0);

            reg [W-1:0] buffer [0:(1<<WORD_BITS)-1];
            reg [W-1:0] buffered;
            wire [W-1:0] comes = to[2+o] ? in[W +: W] : in[0 +: W];
            always @(posedge clk) begin
                buffered <= buffer[read_word];
                if (to[2+o] || to[o])
                    buffer[arrives_word] <= {comes[W-1:D], arrives_first ? {1'b0, comes[D-1:1]} : comes[D-1:0]};
            end

            // What the link shows next: nothing, or one of four.
            localparam [1:0] BUFFERED = 2'b00, ENTRY = 2'b01, FLIT_0 = 2'b10, FLIT_1 = 2'b11;
            wire         old_word = leaves && transit[o];
            wire         new_word = leaves && fresh[o] || first && entry_valid[o] && !row[o];
            wire         none     = !(forward && !first ? grant[o] : old_word || new_word);
            assign       needed[o] = !none;
            wire [1:0]   sort = EXPRESS != 0 && none ? (TOP ? ENTRY : express_from_1[o] ? FLIT_1 : FLIT_0)
                              : forward && !first ? (from_1[o] ? FLIT_1 : FLIT_0) : !first && transit[o] ? BUFFERED : ENTRY;
            wire [W-1:0] entry    = entry_word[o*W +: W];
            wire [W:0]   in_1  = {1'b0, in[W +: W]}, in_0 = {1'b0, in[0 +: W]};
            wire [W-1:0] word;
            for (i = 0; i < W; i = i + 1) begin : bits
                // The route of a flit is shifted, and there are no bits above those of a header. Words of an express have other
                // bits there: their lowest D-1 turn, and have turned once at the exit.
                localparam WORDS = i == D - 1 || i >= HEADER;  // the bit is 0 in a flit
                localparam FROM  = i < D - 1 ? i + 1 : WORDS && (EXPRESS == 0 || TOP) ? W : i;
                wire zero;
                if (WORDS) begin : of_words
                    assign zero = halted || !new_word && !old_word && !express_passes[o];
                end else begin : of_flits
                    assign zero = halted || none && !express_passes[o];
                end
                if (FROM == W) begin : of_entries
                    assign word[i] = sort[0] ? entry[i] : buffered[i];
                end else if (EXPRESS != 0 && !TOP && i == D - 2) begin : turned
                    assign word[i] = sort[1] ? (sort[0] ? (express_word[1] ? in_1[0] : in_1[FROM])
                                                        : (express_word[0] ? in_0[0] : in_0[FROM]))
                                             : sort[0] ? entry[i] : buffered[i];
                end else if (i == D - 1) begin : of_express_words
                    assign word[i] = sort[1] ? (sort[0] ? in_1[FROM] && express_word[1] : in_0[FROM] && express_word[0])
                                             : sort[0] ? entry[i] : buffered[i];
                end else begin : of_all
                    assign word[i] = sort[1] ? (sort[0] ? in_1[FROM] : in_0[FROM]) : sort[0] ? entry[i] : buffered[i];
                end
                assign out_next[o*W + i] = !zero && word[i];
                always @(posedge clk)
                    if (zero) out[o*W + i] <= 1'b0;
                    else out[o*W + i] <= word[i];
            end
        end
    endgenerate

    wire unused = &{1'b0, express_word};
endmodule

`default_nettype wire
