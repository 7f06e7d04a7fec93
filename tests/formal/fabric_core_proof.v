// The fabric of a site with two links, in the middle of a row of three sites, by its ports alone. One arbitrary packet is
// followed: from the input where it enters, word by word, to every output that carries it.
//
// What a word carries is cut down so that the solver is done in time: two bits of address or data, and the bit that marks
// the packet that is followed, in a place where the fabric looks at nothing. All other bits are 0.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module fabric_core_proof #(
    parameter LINKS = 2   // 4: the same row in a grid; the links north and south are silent
) (
    input wire clk,
    input wire reset,

    // Free: what the neighbours and the fifo_buffers do. Tag, value, mark and path (M10) of the words; waits; levels.
    input wire [8:0] tags,
    input wire [5:0] values,
    input wire [2:0] marks,
    input wire [2:0] paths,
    input wire [1:0] link_out_wait,
    input wire       delivered_wait,
    input wire       relief,
    input wire [1:0] link_down
);
    localparam WORD_WIDTH = 16, LINK_WIDTH = 19, PORTS = 3, MARK = 14;
    localparam [1:0] HERE = 2'd1;                        // x of this site: 0 and 2 lie west and east of it
    localparam [15:0] TIME_OUT = 16'd4;                  // M6
    localparam LENGTH = 6;                               // words of the packet that is followed, at most

    (* anyconst *) reg never_diverts;
    (* anyconst *) reg [1:0] source;                     // input of the packet that is followed

    reg past_valid = 1'b0, reset_before;
    always @(posedge clk) begin
        past_valid   <= 1'b1;
        reset_before <= reset;
        if (!past_valid) assume (reset);
        else assume (!reset);
        assume (source != 2'd3);
    end

    // Port 0 is local, 1 east, 2 west.
    wire [PORTS*LINK_WIDTH-1:0] in;
    wire [PORTS-1:0]            in_wait, out_wait;
    wire [2*LINK_WIDTH-1:0]     link_out;
    wire [LINK_WIDTH:0]         delivered;
    wire [PORTS-1:0]            event_drop;
    wire                        quiet, aborts;
    assign out_wait = {link_out_wait, delivered_wait};

    wire [LINKS*LINK_WIDTH-1:0] all_out;
    wire [LINKS-1:0]            all_in_wait;
    wire [LINKS:0]              drops;
    assign link_out = all_out[2*LINK_WIDTH-1:0];
    assign in_wait[2:1] = all_in_wait[1:0];
    assign event_drop = drops[PORTS-1:0];
    generate
        if (LINKS > 2) begin : silent
            always @(posedge clk)
                if (past_valid && !reset) assert (all_out[LINKS*LINK_WIDTH-1:2*LINK_WIDTH] == 0 && drops[LINKS:PORTS] == 0);
        end
    endgenerate

    fabric_core #(.WORD_WIDTH(WORD_WIDTH), .LINKS(LINKS)) core (
        .clk(clk), .reset(reset), .site_address({7'd0, 5'd0, HERE}), .topology(`POSTROAD_TOPOLOGY_GRID),
        .size_x(7'd3), .size_y(7'd1), .own(32'd0), .divert_threshold(never_diverts ? 16'hffff : 16'd2),
        .abort_threshold(TIME_OUT), .relief_limit(16'd4), .relief(relief), .link_down({2'b00, link_down}),
        .link_in({{2*LINK_WIDTH{1'b0}}, in[LINK_WIDTH +: 2*LINK_WIDTH]}), .link_in_wait(all_in_wait),
        .link_out(all_out), .link_out_wait({2'b00, link_out_wait}),
        .entering(in[0 +: LINK_WIDTH]), .entering_wait(in_wait[0]),
        .delivered(delivered), .delivered_wait(delivered_wait),
        .event_word_out(), .event_stall(), .event_drop(drops), .event_divert(), .event_abort(aborts), .event_split(),
        .event_defer(), .connections(), .quiet(quiet));

    // Contracts of the three links in and out.
    link_contract #(.TAG_WIDTH(4), .FOREIGN_RECEIVER(1)) contract_delivered (
        .clk(clk), .reset(reset), .word(delivered), .waits(out_wait[0]), .multicast_open());

    wire [PORTS-1:0] in_moves, in_marked;
    reg              entered, finished, several;          // of the packet followed: head came, terminator came, multicast
    genvar p;
    generate
        for (p = 0; p < PORTS; p = p + 1) begin : input_link
            wire [2:0] tag    = tags[3*p +: 3];
            wire [1:0] value  = values[2*p +: 2];
            wire       mark   = marks[p];
            wire       site   = tag == `POSTROAD_TAG_UNICAST_SITE || tag == `POSTROAD_TAG_MULTICAST_SITE;
            // Words that say nothing: end_of_packet's is 0 (link_contract), the others may be anything (P2).
            wire       blank  = tag == 3'd0 || tag == `POSTROAD_TAG_NULL_TARGET || tag == `POSTROAD_TAG_END_OF_PACKET ||
                                tag == `POSTROAD_TAG_ABORT_PACKET;
            reg        in_packet, marked;                    // in a packet, in the one that is followed
            reg        path;                                 // M10: in one that leaves whole
            reg  [1:0] toward;                               // its last target that is not here; 3: none yet
            wire       path_now = in_packet ? path : paths[p];
            assign in[p*LINK_WIDTH +: LINK_WIDTH] = {tag, paths[p] && site, mark, 12'd0, value};
            link_contract #(.ASSUME_SENDER(1)) contract (
                .clk(clk), .reset(reset), .word(in[p*LINK_WIDTH +: LINK_WIDTH]), .waits(in_wait[p]), .multicast_open());
            assign in_moves[p]  = |tag && !in_wait[p];
            assign in_marked[p] = in_packet ? marked : site && mark;
            always @(posedge clk) begin
                if (reset) {in_packet, marked} <= 2'b00;
                else if (in_moves[p]) begin
                    in_packet <= !(tag == `POSTROAD_TAG_END_OF_PACKET || tag == `POSTROAD_TAG_ABORT_PACKET);
                    marked <= in_marked[p];
                    path <= path_now;
                    if (!site) toward <= in_packet ? toward : 2'd3;
                    else if (value != HERE) toward <= value;
                    else if (!in_packet) toward <= 2'd3;
                end
                if (site) assume (value != 2'd3);
                // A packet has not passed its targets, on a link or as a path: a neighbour asserts it below. The nearest comes
                // first: the operator sorts them.
                if (site && p == 1) assume (value <= HERE);
                if (site && p == 2) assume (value >= HERE);
                if (site && in_packet && toward != 2'd3 && (p != 0 || path)) assume (value == toward);
                if (|tag && in_packet && !blank) assume (mark == marked);
                if (site && !in_packet && mark) assume (source == p && !entered);
            end
        end
        for (p = 1; p < PORTS; p = p + 1) begin : output_link
            link_contract #(.FOREIGN_RECEIVER(1)) contract (
                .clk(clk), .reset(reset), .word(link_out[(p-1)*LINK_WIDTH +: LINK_WIDTH]), .waits(out_wait[p]),
                .multicast_open());
        end
    endgenerate

    // The packet as it entered: tags and values by index, and what the words before have said.
    reg [2:0]         length;
    reg [2:0]         sent_tag [0:7];
    reg [1:0]         sent_value [0:7];
    reg               sent_path [0:7];
    reg               ends_aborted;                         // its own terminator is abort_packet
    wire              arrives = |(in_moves & in_marked);
    wire [8:0]        tags_from   = tags >> 3 * source;
    wire [5:0]        values_from = values >> 2 * source;
    wire [2:0]        tag_in      = tags_from[2:0];
    wire              site_in     = tag_in == `POSTROAD_TAG_UNICAST_SITE || tag_in == `POSTROAD_TAG_MULTICAST_SITE;
    wire [3:0]        paths_from  = {1'b0, paths} >> source;
    reg               abort_seen;                           // while the packet was under way (M7)
    integer           k;

    function [1:0] port_of(input [1:0] x);
        port_of = x == HERE ? 2'd0 : x > HERE ? 2'd1 : 2'd2;
    endfunction

    always @(posedge clk) begin
        if (reset) begin
            {entered, finished, several, abort_seen} <= 4'd0;
            length <= 3'd0;
        end else begin
            if (arrives) begin
                entered <= 1'b1;
                if (!entered) several <= tag_in == `POSTROAD_TAG_MULTICAST_SITE;
                ends_aborted <= tag_in == `POSTROAD_TAG_ABORT_PACKET;
                sent_tag[length]   <= tag_in;
                sent_value[length] <= values_from[1:0];
                sent_path[length]  <= paths_from[0] && site_in;
                length <= length + 3'd1;
                if (tag_in == `POSTROAD_TAG_END_OF_PACKET || tag_in == `POSTROAD_TAG_ABORT_PACKET) finished <= 1'b1;
            end
            if (entered && aborts && !done[0]) abort_seen <= 1'b1;
        end
        if (arrives) assume (length != LENGTH);
    end

    // The outputs. A word is looked at in the clock in which it is first shown.
    reg  [PORTS-1:0] open, done, committed, aborted;              // of the packet that is followed, on each output
    wire [PORTS-1:0] loads, begins, shows_abort;
    wire [PORTS-1:0] ends_as_sent;
    wire [2:0]       now_local;                                   // index of the word that local shows
    wire             split_now = open[0] || done[0] || begins[0]; // local had its head when, or before, a branch opened
    reg              split, marked;                               // marked: a target left for local with the mark (M11)

    generate
        for (p = 0; p < PORTS; p = p + 1) begin : out
            wire [LINK_WIDTH-1:0] word = p == 0 ? delivered[LINK_WIDTH-1:0]
                                                : link_out[(p == 0 ? 0 : p-1)*LINK_WIDTH +: LINK_WIDTH];
            wire       local_bit = p == 0 && delivered[LINK_WIDTH];
            wire [2:0] tag   = word[WORD_WIDTH +: 3];
            wire [1:0] value = word[1:0];
            reg        held_before;
            reg        in_packet;                            // in some packet
            reg  [2:0] index;                             // of the packet's next word on this output
            reg        own;                               // the target entry that the next word belongs to is this branch's

            wire is_site = tag == `POSTROAD_TAG_UNICAST_SITE || tag == `POSTROAD_TAG_MULTICAST_SITE;
            wire is_end  = tag == `POSTROAD_TAG_END_OF_PACKET || tag == `POSTROAD_TAG_ABORT_PACKET;
            assign loads[p]  = past_valid && !reset && |tag && !held_before;
            wire is_marked = word[MARK] && !(is_end || tag == `POSTROAD_TAG_NULL_TARGET);   // the rest says nothing (P2)
            assign begins[p] = loads[p] && !in_packet && is_marked;
            assign shows_abort[p] = tag == `POSTROAD_TAG_ABORT_PACKET;

            // Where the branch begins: that of a split packet at the word that local shows in this clock (M5), any other at the
            // head.
            wire [2:0] start = p != 0 && several && split_now ? now_local : 3'd0;
            wire       copies = p != 0 && several && (begins[p] ? split_now : split);  // null_target for others' entries
            wire [2:0] now   = begins[p] ? start : index;
            wire [2:0] tag_due   = sent_tag[now];
            wire [1:0] value_due = sent_value[now];
            wire       end_due   = tag_due == `POSTROAD_TAG_END_OF_PACKET || tag_due == `POSTROAD_TAG_ABORT_PACKET;
            wire       site_due  = tag_due == `POSTROAD_TAG_UNICAST_SITE || tag_due == `POSTROAD_TAG_MULTICAST_SITE;
            wire       mark_due  = sent_path[now] && site_due;
            wire       own_due   = !copies || (site_due ? port_of(value_due) == p && !delivered[WORD_WIDTH-1]
                                             : tag_due != `POSTROAD_TAG_TARGET_INFO || own);
            wire       due       = now < length;
            wire       marks_local = p == 0 && several && site_due;                 // checked below
            wire       blank_due = end_due || tag_due == `POSTROAD_TAG_NULL_TARGET;
            wire       as_sent   = due && (own_due ? tag == tag_due && (blank_due || (value == value_due && word[MARK] &&
                                                                            (marks_local || word[WORD_WIDTH-1] == mark_due)))
                                                   : tag == `POSTROAD_TAG_NULL_TARGET);
            wire [PORTS-1:0] others = (open | begins) & ~(3'b001 << p);

            always @(posedge clk) begin
                held_before <= |tag && out_wait[p];
                if (reset) begin
                    {in_packet, index, own} <= 5'd0;
                    {open[p], done[p], committed[p], aborted[p]} <= 4'd0;
                end else if (loads[p]) begin
                    in_packet <= !is_end;
                    if (begins[p] || open[p]) begin
                        open[p] <= !is_end;
                        done[p] <= is_end;
                        index   <= now + 3'd1;
                        own     <= site_due ? own_due : own;
                        committed[p] <= is_end && as_sent;
                        aborted[p]   <= is_end && !as_sent && p != 0;
                    end
                end

                if (past_valid && !reset) begin
                    // Heads lead on, towards their target, never back past it; the neighbour relies on that.
                    if (loads[p] && is_site && p == 1) assert (value > HERE);
                    if (loads[p] && is_site && p == 2) assert (value < HERE);
                    // A marked word only on a branch of its packet, and that only once.
                    if (loads[p] && !open[p] && is_marked) assert (begins[p] && !done[p] && is_site);
                    if (begins[p]) assert (entered && as_sent && own_due);
                    // U3, M10: a head diverts only if packets may, and never an operator's own, which splits unless it is a path.
                    if (begins[p] && p == 0 && sent_value[0] != HERE)
                        assert (source != 2'd0 ? !never_diverts : several && !sent_path[0]);
                end
            end

            if (p != 0) begin : remote
                always @(posedge clk) if (past_valid && !reset && loads[p] && open[p])
                    // In order, each once; or M7: an abort_packet in the place of any word of a split packet.
                    assert (as_sent || (copies && split && abort_seen && shows_abort[p]));
                // M5: what a branch gets, local gets in the same clock.
                always @(posedge clk) if (past_valid && !reset && loads[p] && (open[p] || begins[p]) && copies && as_sent)
                    assert ((loads[0] && (open[0] || begins[0]) && now_local == now) || (end_due && abort_seen));
            end else begin : local_end
                assign now_local = now;
                wire rewritten = marked ? local_bit && tag == `POSTROAD_TAG_END_OF_PACKET : !local_bit && shows_abort[0];
                wire plain_end = !local_bit && tag == `POSTROAD_TAG_END_OF_PACKET;
                wire commits   = |((open | begins) & 3'b110 & loads & ends_as_sent);
                wire moves     = loads[0] && (open[0] || begins[0]);
                wire mark      = delivered[WORD_WIDTH-1];
                wire [PORTS-1:0] way = 3'b001 << port_of(value_due);
                always @(posedge clk)
                    if (reset) marked <= 1'b0;
                    else if (moves && several && site_due && mark) marked <= 1'b1;
                always @(posedge clk) if (past_valid && !reset && moves && several && !abort_seen) begin
                    // M5: all branches.
                    assert ((open & ~loads) == 3'b000);
                    // M11: a target at home has the mark, and one that no branch takes; never one whose branch is open.
                    if (site_due)
                        assert (mark ? (way & open & 3'b110) == 3'b000 : (way & loads & (open | begins) & 3'b110) != 3'b000);
                    cover (site_due && mark && value_due != HERE && source != 2'd0);
                end
                always @(posedge clk) if (past_valid && !reset && loads[0] && open[0]) begin
                    if (!end_due || !due)
                        assert (as_sent && !local_bit);
                    else if (tag_due == `POSTROAD_TAG_ABORT_PACKET || !several)
                        assert (as_sent && !local_bit);       // M8
                    else if (|(aborted & 3'b110) || (|(open & 3'b110) && !commits))
                        assert (plain_end);               // M7: aborted, the rest follows as if unicast
                    else if (commits || !abort_seen)
                        assert (rewritten);               // M8
                    else
                        assert (rewritten || plain_end);  // aborted perhaps, without a remote branch
                end
            end
            assign ends_as_sent[p] = is_end && as_sent;
        end
    endgenerate

    always @(posedge clk)
        if (reset) split <= 1'b0;
        else if (|begins[2:1] && !(|open[2:1]) && !(|done[2:1])) split <= split_now;

    always @(posedge clk)
        if (past_valid && !reset) begin
            assert (event_drop == {PORTS{1'b0}});         // P6: packets that have their form lose nothing
            // M5: the terminator enters all branches in one clock.
            if (|(loads[2:1] & open[2:1] & ends_as_sent[2:1]) && !(ends_aborted && abort_seen))
                assert ((open[2:1] & ~(loads[2:1] & ends_as_sent[2:1])) == 2'b00);
            // Nothing is left inside.
            if (quiet && finished) assert (entered && |done && open == 3'd0);
            if (quiet && finished && !several) assert (done == 3'b001 || done == (3'b001 << port_of(sent_value[0])));
            if (quiet && finished && several && !done[0]) assert (done == (3'b001 << port_of(sent_value[0])));
            if (quiet && |aborted && !ends_aborted) assert ((done[2:1] & ~aborted[2:1]) == 2'b00);
        end

    // M6: no abort before a branch has waited for the time-out; and then always one: a split packet whose local copy may move
    // stands for no more than RELEASE clocks.
    localparam RELEASE = 9, PROGRESS = 6;
    reg [3:0] waited, stood;
    always @(posedge clk)
        if (reset) {waited, stood} <= 8'd0;
        else begin
            waited <= !(|link_out_wait) ? 4'd0 : &waited ? waited : waited + 4'd1;
            stood  <= !(open[0] && several && in_wait[source]) || delivered_wait || loads[0] ? 4'd0 : stood + 4'd1;
            if (past_valid && aborts) assert (waited >= TIME_OUT);
            if (past_valid) assert (stood < RELEASE);
        end

    // Whatever else is under way, something moves within PROGRESS clocks in which nothing waits and no packet has gaps.
    wire [PORTS-1:0] shows_word, in_gap;
    reg  [3:0]       stands;
    generate
        for (p = 0; p < PORTS; p = p + 1) begin : progress
            assign shows_word[p] = |tags[3*p +: 3] || in_wait[p];
            assign in_gap[p]     = input_link[p].in_packet && !shows_word[p];
        end
    endgenerate
    wire stuck = !(|in_moves) && |shows_word && in_gap == 3'd0 && out_wait == 3'd0 &&
                 !(|loads);
    always @(posedge clk) begin
        stands <= reset || !stuck ? 4'd0 : stands == PROGRESS ? stands : stands + 4'd1;
        if (past_valid && !reset) assert (stands != PROGRESS);
    end

    // Reached: each kind of end.
    always @(posedge clk)
        if (past_valid && !reset) begin
            cover (quiet && finished && !several && done == 3'b001 && sent_value[0] != HERE);     // diverted
            cover (quiet && finished && several && committed == 3'b111);                          // split to both links
            cover (several && |aborted);
            cover (quiet && finished && several && !done[0]);                                     // passed
            cover (quiet && finished && several && done == 3'b011 && marked && !abort_seen);
            cover (stands == 4'd1);
        end
endmodule

`default_nettype wire
