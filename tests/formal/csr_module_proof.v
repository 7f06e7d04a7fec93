// csr_module between links that show whatever they like, whenever its site is reset. A link is granted if it is not reserved for
// that slot, and to one of those that ask (C2, C4). Of a flit that is not acknowledged nothing is left when the slot ends (C3),
// and no reservation outlives its slot (C5). In a slot a link shows words of one packet alone: of the one in its buffer if it is
// reserved, else of the entry that has got it in step 0 (C6). A multicast keeps what it has won if both its ways are
// acknowledged, and if that is confirmed (C11). Expresses, and whatever else is marked, change nothing of it (C13): a link that
// shows what is reserved is not marked, and in a slot with flits none passes.
// SPDX-License-Identifier: ISC
`default_nettype none

module csr_module_proof #(
    parameter SERIAL    = 0,
    parameter MULTICAST = 0,
    parameter EXPRESS   = 0,
    parameter W         = 7 + 2 * MULTICAST  // not to be set
) (
    input wire       clk,
    input wire       any_reset,
    input wire [1:0] coin,
    input wire [2*W-1:0] links,
    input wire [1:0] acknowledge_in,
    input wire [1:0] entry_valid,
    input wire [2*W-1:0] entries,
    input wire [1:0] accept,
    input wire [1:0] confirm_in,
    input wire       confirmed_above,
    input wire [1:0] marks,
    input wire       any_closed,
    input wire       hears
);
    localparam D = 2, P = 8, WORD_BITS = 3, ENTRY = W - 1;  // bit ENTRY of a word: it comes from an entry
    localparam S = SERIAL != 0 ? P + 2 * D + 2 : P + D, ANSWER = D + 1, LAST = 2 * D + 1;

    reg  started = 1'b0;
    wire reset = !started || any_reset;
    always @(posedge clk) started <= 1'b1;

    // C1, but for the remainder: the mesh begins once.
    reg [4:0] c;
    always @(posedge clk) c <= !started ? 5'd1 : c == S - 1 ? 5'd0 : c + 5'd1;

    wire halted, first, second, forward, finish, answer, backward, last, confirm, settle, retire, choose, tick, tick_long, leaves,
         leaves_first,
         arrives, arrives_first, arrives_last;
    wire [WORD_BITS-1:0] read_word, arrives_word;
    csr_slot #(.DIMENSIONS(D), .SLOT_WORDS(P), .SERIAL(SERIAL)) slot (
        .clk(clk), .reset(reset), .now({62'd0, started, 1'b0}), .halted(halted), .first(first), .second(second),
        .forward(forward), .finish(finish), .answer(answer), .backward(backward), .last(last), .confirm(confirm), .settle(settle),
        .retire(retire),
        .choose(choose), .tick(tick), .tick_long(tick_long), .read_word(read_word), .leaves(leaves),
        .leaves_first(leaves_first), .arrives(arrives), .arrives_first(arrives_first), .arrives_last(arrives_last),
        .arrives_word(arrives_word));

    // Words of links do not have the mark of an entry; a header of an entry has a route.
    wire [2*W-1:0] in = links & ~({{2*W-1{1'b0}}, 1'b1} << ENTRY | {{2*W-1{1'b0}}, 1'b1} << (W + ENTRY));
    wire [2*W-1:0] entry_word = entries | {{2*W-1{1'b0}}, 1'b1} << ENTRY | {{2*W-1{1'b0}}, 1'b1} << (W + ENTRY);
    wire [1:0]     acknowledge, acknowledge_next, taken, reserved, exit_head, stale;
    wire [2*W-1:0] out, out_next;
    wire [1:0]     confirmed_next;
    wire           clash, quiet, confirmed, flit_seen;
    wire [1:0]     mark = marks & {2{EXPRESS != 0}};
    wire [1:0]     marker, marker_next, on;

    // A node is closed from the clock behind its first flit on.
    reg            flits, was_closed;
    wire           sees_flit = first ? |entry_valid : (forward || finish) && |{!mark[1] && |in[W +: D], !mark[0] && |in[0 +: D]};
    wire           closed = EXPRESS != 0 && (flits || any_closed);
    always @(posedge clk) begin
        flits      <= started && !halted && (flits || sees_flit) && !last;
        was_closed <= closed;
    end
    csr_module #(.WORD_WIDTH(W), .DIMENSIONS(D), .SLOT_WORDS(P), .SERIAL(SERIAL), .MULTICAST(MULTICAST),
        .EXPRESS(EXPRESS)) switch (
        .clk(clk), .halted(halted), .first(first), .second(second), .forward(forward), .answer(answer),
        .backward(backward), .last(last), .confirm(confirm), .confirm_in(confirm_in), .confirmed(confirmed),
        .confirmed_next(confirmed_next), .confirmed_above(confirmed_above), .read_word(read_word), .leaves(leaves),
        .arrives(arrives),
        .arrives_first(arrives_first), .arrives_word(arrives_word), .coin(coin), .in(in), .acknowledge(acknowledge),
        .acknowledge_next(acknowledge_next), .out(out), .out_next(out_next), .acknowledge_in(acknowledge_in),
        .closed(closed), .mark(mark), .flit_seen(flit_seen), .on(on), .hears(hears), .marker(marker), .marker_next(marker_next),
        .source_mark(1'b0), .source_head(1'b0), .source_alive(1'b0), .source_symbol(1'b0), .source_goes(2'b00),
        .express_up(2'b00),
        .entry_valid(entry_valid), .entry_word(entry_word), .taken(taken), .reserved(reserved), .accept(accept),
        .exit_head(exit_head), .stale(stale), .clash(clash), .quiet(quiet));

    always @(posedge clk) if (started) begin
        assert (first == (c == 0) && second == (c == 1) && forward == (c < D));
        assert (finish == (c == D) && answer == (c == ANSWER) && backward == (c > ANSWER && c <= LAST) && last == (c == LAST));
        assert (confirm == (c > LAST && c <= LAST + D) && settle == (c == LAST + D));
        assert (retire == (c == S - 2) && choose == (c == S - 1));
    end

    // What is reserved, slot by slot, and what was granted in this one: bit 2*i + o, for the i-th slot from this one.
    reg [2*D-1:0] booked, wanted, from_1;
    reg [1:0]     own;         // the packet on the link is a new one
    reg [1:0]     keeps;       // the link was reserved when the slot began, and a packet had come for it
    reg [1:0]     fed;         // one has come in this slot
    reg           lost_1, lost_0;  // the flit over this link has lost, and its packet is dropped
    wire [4:0]    back = LAST - c;
    wire [1:0]    step_back = backward ? back[1:0] : 2'd0;

    // Multicasts: of each step, which flits went both ways.
    wire          both_1 = MULTICAST != 0 && in[W+6], both_0 = MULTICAST != 0 && in[6];
    reg [2*D-1:0] forked;

    genvar o;
    generate
        for (o = 0; o < 2; o = o + 1) begin : link
            wire ask_1 = in[W+1] && (in[W] == o || both_1) && !mark[1];
            wire ask_0 = in[1] && (in[0] == o || both_0) && !mark[0];
            wire asks  = first ? entry_valid[o] : ask_1 || ask_0;
            wire free  = !booked[2*c[0] + o];
            wire grant = forward && asks && free && !halted;
            wire favours_1 = in[W+4] == in[4] ? coin[o] : in[4];
            wire wins_1 = !first && ask_1 && (!ask_0 || favours_1);
            wire [W-1:0] winner = wins_1 ? in[W +: W] : in[0 +: W];
            wire [W-1:0] shown = out[o*W +: W];
            wire answered = wanted[2*step_back + o] && acknowledge_in[o] && backward;

            reg         was_forward, was_grant, was_first, was_halted, was_leaves;
            reg [W-1:0] was_winner, was_entry;
            always @(posedge clk) begin
                was_forward <= forward && started;
                was_halted  <= halted;
                was_grant   <= grant;
                was_leaves  <= leaves && (keeps[o] || own[o]);
                was_first   <= first;
                was_winner  <= {1'b0, winner[W-2:D], 1'b0, winner[1]};
                was_entry   <= entry_word[o*W +: W];
                if (started && was_halted) assert (shown == 0);
                if (started && !was_halted && !halted && (was_leaves || was_forward && was_grant)) begin
                    assert (!marker[o]);
                    if (was_leaves) assert (shown[ENTRY] == !keeps[o]);
                end
                if (started && was_forward && (EXPRESS == 0 || was_grant)) begin
                    assert (shown == (was_halted || !was_grant ? 0 : was_first ? was_entry : was_winner));
                    cover (was_grant && !was_first && !halted);
                end
                if (started && !halted && !was_forward && shown != 0) begin
                    if (EXPRESS == 0) assert ((keeps[o] || own[o]) && shown[ENTRY] == !keeps[o]);
                    cover (keeps[o]);
                    cover (own[o]);
                end
                if (started && !halted) assert (taken[o] == (answered && last));
            end
            always @(*) if (started && c == 0 && !halted) assert (reserved[o] == booked[o]);
        end
    endgenerate

    wire [1:0] grants  = {link[1].grant, link[0].grant};
    wire [1:0] asks_1  = {link[1].ask_1, link[0].ask_1}, asks_0 = {link[1].ask_0, link[0].ask_0};
    wire [1:0] shows   = asks_1 & {2{!lost_1}} | asks_0 & {2{!lost_0}};
    wire [1:0] wins    = {link[1].wins_1, link[0].wins_1};
    wire [1:0] answers = {link[1].answered, link[0].answered};
    reg  [1:0] returns;
    wire [1:0] by_1 = from_1[2*step_back +: 2], forked_now = forked[2*step_back +: 2];
    wire [1:0] good = {forked_now[1] ? &(answers & by_1) : |(answers & by_1),
                       forked_now[0] ? &(answers & ~by_1) : |(answers & ~by_1)};
    wire [1:0] kept = {answers[1] && good[by_1[1]], answers[0] && good[by_1[0]]};
    wire [1:0] sure = wanted[3:2] & booked[3:2] & {confirm_in[from_1[3]], confirm_in[from_1[2]]};
    reg  [1:0] confirms;  // what was confirmed of the last step
    reg  [2*D-1:0] booked_next, wanted_next;
    always @* begin
        booked_next = booked;
        wanted_next = wanted;
        if (forward) wanted_next = c[0] ? {grants, wanted[1:0]} : {wanted[3:2], grants};
        if (backward) booked_next = booked | {2*D{1'b0}} | (last ? answers : kept) << (2 * step_back);
        if (MULTICAST != 0 && c == LAST + 1) booked_next[3:2] = booked[3:2] & ~wanted[3:2] | sure;
        if (c == S - 1) begin
            booked_next = booked >> 2;
            wanted_next = 0;
        end
        if (halted || !started) begin
            booked_next = 0;
            wanted_next = 0;
        end
    end
    always @(posedge clk) begin
        booked <= booked_next;
        wanted <= wanted_next;
        if (forward) from_1 <= c[0] ? {wins, from_1[1:0]} : {from_1[3:2], wins};
        if (forward) forked <= {{2{c[0]}} & {in[W+1] && both_1, in[1] && both_0}, 2'b00};
        confirms <= halted || MULTICAST == 0 ? 2'b00 : last ? answers : c == LAST + 1 ? sure : 2'b00;
        if (halted || !started) begin
            own     <= 0;
            keeps   <= 0;
            fed     <= 0;
            {lost_1, lost_0} <= 2'b00;
            returns <= 0;
        end else begin
            if (second && SERIAL == 0)
                {lost_1, lost_0} <= {|(asks_1 & ~(grants & wins)), |(asks_0 & ~(grants & ~wins))};
            if (first) fed <= 0;
            else if (arrives && arrives_first) fed <= shows;
            if (first) begin
                keeps <= booked[1:0] & fed;
                own   <= SERIAL != 0 ? 2'b00 : grants;
            end
            if (SERIAL != 0 && last) own <= answers;
            returns <= (answer ? accept : good & {2{!last}}) | {confirmed_above, 1'b0};
        end
        if (started && !halted) begin
            if (EXPRESS == 0 || was_closed) assert (acknowledge == returns);
            cover (EXPRESS == 0 || |(marker & on));
            assert (confirmed == confirms[0]);
            cover (MULTICAST == 0 || c == LAST + 2 && confirms == 2'b01);
            cover (|(reserved & ~stale) && first);
        end
    end
endmodule

`default_nettype wire
