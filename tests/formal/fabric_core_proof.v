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

    // Free: what the neighbours and the fifo_buffers do. Tag, value and mark of the words; waits; levels.
    input wire [8:0] tags,
    input wire [5:0] values,
    input wire [2:0] marks,
    input wire [1:0] link_out_wait,
    input wire [1:0] delivered_status,
    input wire       relief,
    input wire [1:0] link_down
);
    localparam WORD_WIDTH = 16, LINK_WIDTH = 19, PORTS = 3, MARK = 14;
    localparam [1:0] HERE = 2'd1;                        // x of this site: 0 and 2 lie west and east of it
    localparam LENGTH = 6;                               // words of the packet that is followed, at most

    (* anyconst *) reg release_single, never_diverts;
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
    wire                        quiet;
    assign out_wait = {link_out_wait, delivered_status == `POSTROAD_LOCAL_STATUS_WAIT};

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
        .size_x(7'd3), .size_y(7'd1), .unicast_lists(8'h00), .multicast_lists(8'h00),
        .divert_threshold(never_diverts ? 16'hffff : 16'd1), .release_single(release_single), .relief_limit(16'd1),
        .relief(relief), .link_down({2'b00, link_down}),
        .link_in({{2*LINK_WIDTH{1'b0}}, in[LINK_WIDTH +: 2*LINK_WIDTH]}), .link_in_wait(all_in_wait),
        .link_out(all_out), .link_out_wait({2'b00, link_out_wait}),
        .entering(in[0 +: LINK_WIDTH]), .entering_wait(in_wait[0]),
        .delivered(delivered), .delivered_status(delivered_status),
        .event_word_out(), .event_stall(), .event_drop(drops), .event_divert(), .event_abort(), .event_split(),
        .event_pass(), .event_single(), .connections(), .quiet(quiet));

    // Contracts of the three links in and out.
    wire local_splits;
    link_contract #(.TAG_WIDTH(4), .FOREIGN_RECEIVER(1)) contract_delivered (
        .clk(clk), .reset(reset), .word(delivered), .waits(out_wait[0]), .multicast_open(local_splits));
    always @(posedge clk) assume (delivered_status != 2'd3);

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
            assign in[p*LINK_WIDTH +: LINK_WIDTH] = {tag, 1'b0, mark, 12'd0, value};
            link_contract #(.ASSUME_SENDER(1)) contract (
                .clk(clk), .reset(reset), .word(in[p*LINK_WIDTH +: LINK_WIDTH]), .waits(in_wait[p]), .multicast_open());
            assign in_moves[p]  = |tag && !in_wait[p];
            assign in_marked[p] = in_packet ? marked : site && mark;
            always @(posedge clk) begin
                if (reset) {in_packet, marked} <= 2'b00;
                else if (in_moves[p]) begin
                    in_packet <= !(tag == `POSTROAD_TAG_END_OF_PACKET || tag == `POSTROAD_TAG_ABORT_PACKET);
                    marked <= in_marked[p];
                end
                if (site) assume (value != 2'd3);
                // A packet has not passed its first target: a neighbour asserts `head_leads_on` below.
                if (site && !in_packet && p == 1) assume (value <= HERE);
                if (site && !in_packet && p == 2) assume (value >= HERE);
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
    reg               ends_aborted;                         // its own terminator is abort_packet
    wire              arrives = |(in_moves & in_marked);
    wire [8:0]        tags_from   = tags >> 3 * source;
    wire [5:0]        values_from = values >> 2 * source;
    wire [2:0]        tag_in      = tags_from[2:0];
    reg               abort_requested;
    integer           k;

    function [1:0] port_of(input [1:0] x);
        port_of = x == HERE ? 2'd0 : x > HERE ? 2'd1 : 2'd2;
    endfunction

    always @(posedge clk) begin
        if (reset) begin
            {entered, finished, several, abort_requested} <= 4'd0;
            length <= 3'd0;
        end else begin
            if (arrives) begin
                entered <= 1'b1;
                if (!entered) several <= tag_in == `POSTROAD_TAG_MULTICAST_SITE;
                ends_aborted <= tag_in == `POSTROAD_TAG_ABORT_PACKET;
                sent_tag[length]   <= tag_in;
                sent_value[length] <= values_from[1:0];
                length <= length + 3'd1;
                if (tag_in == `POSTROAD_TAG_END_OF_PACKET || tag_in == `POSTROAD_TAG_ABORT_PACKET) finished <= 1'b1;
            end
            if (entered && delivered_status == `POSTROAD_LOCAL_STATUS_ABORT_REQUEST) abort_requested <= 1'b1;
        end
        if (arrives) assume (length != LENGTH);
    end

    // The outputs. A word is looked at in the clock in which it is first shown.
    reg  [PORTS-1:0] open, done, committed, aborted, released;    // of the packet that is followed, on each output
    wire [PORTS-1:0] loads, begins, shows_abort;
    wire [PORTS-1:0] ends_as_sent;
    wire             releases;                                    // M9
    wire             split_now = open[0] || done[0] || begins[0]; // local had its head when, or before, a branch opened
    reg              split;
    wire [PORTS-1:0] ended_remote = committed & 3'b110;

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

            // Where the branch begins: a remote branch of a split packet at its first own target, any other at the head.
            reg [2:0] first;
            reg       any_own;
            always @* begin
                first = 3'd0;
                any_own = 1'b0;
                for (k = LENGTH - 1; k >= 0; k = k - 1)
                    if (k < length && sent_tag[k] == `POSTROAD_TAG_MULTICAST_SITE && port_of(sent_value[k]) == p) begin
                        first = k;
                        any_own = 1'b1;
                    end
            end
            wire [2:0] start = p != 0 && several && split_now ? first : 3'd0;
            wire       copies = p != 0 && several && (begins[p] ? split_now : split);  // null_target for others' entries
            wire [2:0] now   = begins[p] ? start : index;
            wire [2:0] tag_due   = sent_tag[now];
            wire [1:0] value_due = sent_value[now];
            wire       end_due   = tag_due == `POSTROAD_TAG_END_OF_PACKET || tag_due == `POSTROAD_TAG_ABORT_PACKET;
            wire       site_due  = tag_due == `POSTROAD_TAG_UNICAST_SITE || tag_due == `POSTROAD_TAG_MULTICAST_SITE;
            wire       own_due   = !copies || (site_due ? port_of(value_due) == p
                                             : tag_due != `POSTROAD_TAG_TARGET_INFO || own);
            wire       due       = now < length;
            wire       blank_due = end_due || tag_due == `POSTROAD_TAG_NULL_TARGET;
            wire       as_sent   = due && (own_due ? tag == tag_due && (blank_due || (value == value_due && word[MARK]))
                                                   : tag == `POSTROAD_TAG_NULL_TARGET);
            wire [PORTS-1:0] others = (open | begins) & ~(3'b001 << p);

            always @(posedge clk) begin
                held_before <= |tag && out_wait[p];
                if (reset) begin
                    {in_packet, index, own} <= 5'd0;
                    {open[p], done[p], committed[p], aborted[p], released[p]} <= 5'd0;
                end else if (loads[p]) begin
                    in_packet <= !is_end;
                    if (begins[p] || open[p]) begin
                        open[p] <= !is_end;
                        done[p] <= is_end;
                        index   <= now + 3'd1;
                        own     <= site_due ? own_due : own;
                        committed[p] <= is_end && as_sent;
                        aborted[p]   <= is_end && !as_sent && p != 0;
                        released[p]  <= releases && p == 0;
                    end
                end

                if (past_valid && !reset) begin
                    // Heads lead on, towards their target, never back past it; the neighbour relies on that.
                    if (loads[p] && !in_packet && p == 1) assert (value > HERE);
                    if (loads[p] && !in_packet && p == 2) assert (value < HERE);
                    // A marked word only on a branch of its packet, and that only once.
                    if (loads[p] && !open[p] && is_marked) assert (begins[p] && !done[p] && is_site);
                    if (begins[p]) assert (entered && as_sent && (!several || p == 0 || !split_now || any_own));
                    // U3: a unicast diverts only if packets may, and never an operator's own.
                    if (begins[p] && p == 0 && !several && sent_value[0] != HERE) assert (!never_diverts && source != 2'd0);
                end
            end

            if (p != 0) begin : remote
                always @(posedge clk) if (past_valid && !reset && loads[p] && open[p])
                    // In order, each once; or M7: an abort_packet in the place of any word of a split packet.
                    assert (as_sent || (copies && split && abort_requested && shows_abort[p] && !released[0]));
            end else begin : local_end
                reg some_local;                           // a target before the word due was this site
                always @* begin
                    some_local = 1'b0;
                    for (k = 0; k < LENGTH; k = k + 1)
                        if (k < now && (sent_tag[k] == `POSTROAD_TAG_MULTICAST_SITE ||
                                        sent_tag[k] == `POSTROAD_TAG_UNICAST_SITE) && sent_value[k] == HERE)
                            some_local = 1'b1;
                end
                wire rewritten = some_local ? local_bit && tag == `POSTROAD_TAG_END_OF_PACKET : !local_bit && shows_abort[0];
                wire plain_end = !local_bit && tag == `POSTROAD_TAG_END_OF_PACKET;
                wire commits   = |((open | begins) & 3'b110 & loads & ends_as_sent);
                // M9: abort_packet behind the first data word, if one remote branch is all.
                wire first_data = now > 3'd1 && sent_tag[now - 3'd1] == `POSTROAD_TAG_DATA &&
                                  sent_tag[now - 3'd2] != `POSTROAD_TAG_DATA;
                wire one_branch = (open[2:1] == 2'b01 || open[2:1] == 2'b10) && !(|(loads[2:1] & open[2:1]));
                wire own_abort  = due && tag_due == `POSTROAD_TAG_ABORT_PACKET;      // perhaps
                assign releases = loads[0] && open[0] && shows_abort[0] && !local_bit && release_single && several &&
                                  first_data && one_branch && !some_local && !own_abort;
                always @(posedge clk) if (past_valid && !reset && loads[0] && open[0] && !releases) begin
                    if (!end_due || !due)
                        assert (as_sent && !local_bit);
                    else if (tag_due == `POSTROAD_TAG_ABORT_PACKET || !several)
                        assert (as_sent && !local_bit);       // M8
                    else if (|(aborted & 3'b110) || (|(open & 3'b110) && !commits))
                        assert (plain_end);               // M7: aborted, the rest follows as if unicast
                    else if (commits || !abort_requested)
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

    wire [PORTS-1:0] carried = open | done;
    wire [PORTS-1:0] targets;
    generate
        for (p = 0; p < PORTS; p = p + 1) begin : targeted
            assign targets[p] = p == 0 ? out[0].local_end.some_local : out[p].any_own;
        end
    endgenerate

    always @(posedge clk)
        if (past_valid && !reset) begin
            assert (event_drop == {PORTS{1'b0}});         // P6: packets that have their form lose nothing
            // M5: the terminator enters all branches in one clock.
            if (|(loads[2:1] & open[2:1] & ends_as_sent[2:1]) && !(ends_aborted && abort_requested))
                assert ((open[2:1] & ~(loads[2:1] & ends_as_sent[2:1])) == 2'b00);
            // Nothing is left inside.
            if (quiet && finished) assert (entered && |done && open == 3'd0);
            if (quiet && finished && !several) assert (done == 3'b001 || done == (3'b001 << port_of(sent_value[0])));
            if (quiet && finished && several && !done[0]) assert (done == (3'b001 << port_of(sent_value[0])));
            if (quiet && finished && several && done[0] && !abort_requested) assert ((targets & ~done & 3'b110) == 3'b000);
            if (quiet && |aborted && !ends_aborted) assert (!released[0] && (done[2:1] & ~aborted[2:1]) == 2'b00);
        end

    // M7: an abort always releases. From the clock in which local asks for it, and while nothing waits, the packet has left
    // all of its links and flows to local alone within RELEASE clocks.
    localparam RELEASE = 5, PROGRESS = 4;
    reg       asked;
    reg [2:0] calm;
    wire      asks = delivered_status == `POSTROAD_LOCAL_STATUS_ABORT_REQUEST && open[0] && several;
    always @(posedge clk)
        if (reset || !open[0]) {asked, calm} <= 4'd0;
        else begin
            asked <= asked || asks;
            calm  <= !asked || |out_wait ? 3'd0 : calm == RELEASE ? calm : calm + 3'd1;
            if (past_valid && calm == RELEASE) assert (open[2:1] == 2'b00 && !in_wait[source]);
        end

    // Whatever else is under way, something moves within PROGRESS clocks in which nothing waits and no packet has gaps; but
    // for a split packet, which an abort releases.
    wire [PORTS-1:0] shows_word, in_gap;
    reg  [3:0]       stands;
    generate
        for (p = 0; p < PORTS; p = p + 1) begin : progress
            assign shows_word[p] = |tags[3*p +: 3] || in_wait[p];
            assign in_gap[p]     = input_link[p].in_packet && !shows_word[p];
        end
    endgenerate
    wire stuck = !(|in_moves) && |shows_word && in_gap == 3'd0 && out_wait == 3'd0 &&
                 !local_splits && !(|loads);
    always @(posedge clk) begin
        stands <= reset || !stuck ? 4'd0 : stands == PROGRESS ? stands : stands + 4'd1;
        if (past_valid && !reset) assert (stands != PROGRESS);
    end

    // Reached: each kind of end.
    always @(posedge clk)
        if (past_valid && !reset) begin
            cover (quiet && finished && !several && done == 3'b001 && sent_value[0] != HERE);     // diverted
            cover (quiet && finished && several && committed == 3'b111);                          // split to both links
            cover (quiet && finished && several && |aborted);
            cover (quiet && finished && several && released[0]);
            cover (quiet && finished && several && !done[0]);                                     // passed
            cover (quiet && finished && several && done == 3'b011 && targets[0]);
            cover (calm == RELEASE && |aborted);
            cover (stands == 4'd1);
        end
endmodule

`default_nettype wire
