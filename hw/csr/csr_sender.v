// csr_sender: two segments that wait for the node's entries, the one loaded first in front.
//
//   csr_inject --words--> RAM, two halves --> header, words --> the entries of its dimensions
//
// The segment in front is offered in each slot until it is acknowledged, at one of the dimensions DIMENSION, DIMENSION + STEP,
// ... Which one is chosen anew: one whose link is not reserved already, and they take turns. The other segment is offered after
// that, so that segments arrive in the order in which they were loaded (C7). One that is refused from one tick to the next is
// given up, and with it the rest of its packet (C9).
//
// A multicast goes to a subcube: both ways in the dimensions `both`. Its half over the internal link and that over the forward
// link of the dimension where it is offered are accepted or refused each by itself. What is left of it after that slot goes to
// one site after the other, in ascending order, and so does from the beginning what begins a packet that goes on (C12).
// SPDX-License-Identifier: ISC
`default_nettype none

module csr_sender #(
    parameter WORD_WIDTH = 16,
    parameter DIMENSIONS = 4,
    parameter WORD_BITS  = 5,
    parameter DIMENSION  = 0,  // the first of its dimensions
    parameter STEP       = 2,  // senders of the site
    parameter MULTICAST  = 0,
    parameter EXPRESS    = 0,  // 1: expresses leave from here
    parameter ENDS       = 2 * DIMENSIONS  // not to be set
) (
    input  wire                      clk,
    input  wire                      halted,
    input  wire [DIMENSIONS-1:0]     address,     // of this site

    // csr_inject. load_segment gives the segment over; room: another one may be loaded.
    input  wire                      load_word,
    input  wire [WORD_BITS-1:0]      load_at,
    input  wire [WORD_WIDTH-1:0]     load_data,
    input  wire                      load_segment,
    input  wire [DIMENSIONS-1:0]     load_tag,    // own address ^ target
    input  wire [DIMENSIONS-1:0]     load_both,   // dimensions in which it goes both ways; MULTICAST
    input  wire                      load_begins, // it is the first of its packet
    input  wire                      load_ends,   // it is the last
    output wire                      room,
    output wire                      empty,
    output wire                      holds_tag,   // a segment waits that goes to one of these sites

    // csr_node.
    input  wire                      retire,
    input  wire                      choose,
    input  wire                      tick,        // a slot now and then
    input  wire                      entry_first,
    input  wire [WORD_BITS-1:0]      read_word,
    input  wire [ENDS-1:0]           reserved,
    input  wire [ENDS-1:0]           taken,
    output reg  [ENDS-1:0]           entry_valid,
    output wire [WORD_WIDTH-1:0]     entry_word,

    // csr_source. The segment that is being loaded, over the highest dimension.
    input  wire                      express,
    input  wire                      express_head,
    input  wire                      express_hold,
    input  wire                      express_last,
    input  wire [WORD_BITS-1:0]      express_at,

    output wire                      refused,     // in the clock `retire`: what was offered in this slot was not acknowledged
    output wire                      event_drop   // a segment was given up
);
    localparam D = DIMENSIONS, MINE = (D - DIMENSION + STEP - 1) / STEP;

    reg  [1:0]     full, begins, ends;
    reg  [2*D-1:0] tags, boths;
    reg            front, back;   // half that is offered, and loaded
    reg            accepted;      // the segment in front, in this slot,
    reg            gone, frees;   // for all its targets; its half may be loaded again, behind the words that leave
    wire [D-1:0]   tag_held  = front ? tags[2*D-1:D] : tags[D-1:0];
    wire [D-1:0]   both_held = MULTICAST == 0 ? {D{1'b0}} : front ? boths[2*D-1:D] : boths[D-1:0];

    // One site after the other: `number` has their bits in the dimensions of the subcube.
    reg            was_refused;
    reg  [D-1:0]   number;
    wire [D-1:0]   counted = both_held & {D{was_refused || begins[front] && !ends[front]}};
    wire [D-1:0]   both = both_held & ~counted;
    wire [D-1:0]   tag  = tag_held & ~counted | (number ^ address) & counted;
    wire [D-1:0]   number_next = ((number | ~counted) + 1'b1) & counted;

    assign room      = !full[back];
    assign empty     = full == 2'b00 && !accepted;
    wire [D-1:0] any_1 = MULTICAST != 0 ? boths[2*D-1:D] | load_both : {D{1'b0}};
    wire [D-1:0] any_0 = MULTICAST != 0 ? boths[D-1:0] | load_both : {D{1'b0}};
    assign holds_tag = full[1] && !(|((tags[2*D-1:D] ^ load_tag) & ~any_1)) ||
                       full[0] && !(|((tags[D-1:0] ^ load_tag) & ~any_0));

    reg [WORD_WIDTH-1:0] buffer [0:(2<<WORD_BITS)-1];
    reg [WORD_WIDTH-1:0] word;
    always @(posedge clk) begin
        word <= buffer[{front, EXPRESS != 0 && express ? express_at : read_word}];
        if (load_word) buffer[{back, load_at}] <= load_data;
    end

    // The way from each of its dimensions on: the tag bits in descending order, the next one lowest, and a 1 above.
    reg  [D-1:0]  route, both_sent;
    wire [MINE-1:0] usable;
    reg  [MINE-1:0] turn;         // the dimension that was chosen last, one bit
    wire [MINE-1:0] above  = usable & ~(turn | (turn - 1'b1));
    wire [MINE-1:0] among  = |above ? above : usable;
    wire [MINE-1:0] chosen = among & (~among + 1'b1);
    wire [ENDS-1:0] offers;
    wire [D-1:0]    split, left;
    wire [MINE*D-1:0] routes;

    genvar l, n;
    generate
        for (l = 0; l < D; l = l + 1) begin : entry
            if (l % STEP == DIMENSION) begin : mine
                localparam M = l / STEP;
                wire [1:0] ways = {tag[l] || both[l], !tag[l] || both[l]};
                assign usable[M] = |(ways & ~reserved[2*l +: 2]);
                assign offers[2*l +: 2] = ways & {2{chosen[M]}};
                // One half of a multicast has been accepted: which.
                wire [1:0] halves = taken[2*l +: 2] & entry_valid[2*l +: 2];
                assign split[l] = MULTICAST != 0 && &entry_valid[2*l +: 2] && (halves[1] ^ halves[0]);
                assign left[l]  = halves[0];
                for (n = 1; n < D; n = n + 1) begin : hop
                    assign routes[M*D + n - 1] = tag[(l + D - n) % D];
                end
                assign routes[M*D + D - 1] = 1'b1;
            end else begin : other
                assign offers[2*l +: 2] = 2'b00;
                assign {split[l], left[l]} = 2'b00;
            end
        end
    endgenerate

    reg [D-1:0] route_chosen;
    integer m;
    always @* begin
        route_chosen = {D{1'b0}};
        for (m = 0; m < MINE; m = m + 1)
            route_chosen = route_chosen | routes[m*D +: D] & {D{chosen[m]}};
    end

    // tired: the segment in front was there at the last tick. dropping: what comes to the front continues a packet that was given
    // up.
    reg  tired, dropping;
    wire drops   = retire && !accepted && full[front] && (dropping || tick && tired);
    wire advance = retire && (drops || gone);
    wire through = |(taken & entry_valid) && !(|split);
    assign refused    = retire && |entry_valid && !accepted;
    assign event_drop = drops;

    always @(posedge clk)
        if (halted) begin
            full        <= 2'b00;
            front       <= 1'b0;
            back        <= 1'b0;
            {accepted, gone, frees} <= 3'b000;
            tired       <= 1'b0;
            dropping    <= 1'b0;
            entry_valid <= {ENDS{1'b0}};
            turn        <= 1;
        end else begin
            if (load_segment) begin
                full[back] <= 1'b1;
                back       <= !back;
            end
            frees <= through && !(|number_next);
            if (frees) full[front] <= 1'b0;
            if (through) {accepted, gone} <= {1'b1, !(|number_next)};
            if (retire) begin
                {accepted, gone} <= 2'b00;
                tired    <= !accepted && !drops && full[front] && (tired || tick);
            end
            if (advance) begin
                if (drops) full[front] <= 1'b0;
                front       <= !front;
                dropping    <= drops && !ends[front];
            end
            if (choose) begin
                entry_valid <= full[front] && !dropping ? offers : {ENDS{1'b0}};
                if (full[front] && |chosen) turn <= chosen;
            end
        end
    always @(posedge clk) begin
        if (|split) begin
            if (front) tags[2*D-1:D] <= tags[2*D-1:D] & ~split | left;
            else       tags[D-1:0]   <= tags[D-1:0] & ~split | left;
        end
        if (load_segment) begin
            if (back) {tags[2*D-1:D], begins[1], ends[1]} <= {load_tag, load_begins, load_ends};
            else      {tags[D-1:0],   begins[0], ends[0]} <= {load_tag, load_begins, load_ends};
        end
        if (choose) {both_sent, route} <= {both, route_chosen};
    end

    generate
        if (MULTICAST != 0) begin : multicasts
            always @(posedge clk) begin
                if (|split) begin
                    if (front) boths[2*D-1:D] <= boths[2*D-1:D] & ~split;
                    else       boths[D-1:0]   <= boths[D-1:0] & ~split;
                end
                if (load_segment) begin
                    if (back) boths[2*D-1:D] <= load_both;
                    else      boths[D-1:0]   <= load_both;
                end
                if (halted || advance) {was_refused, number} <= {D+1{1'b0}};
                else if (refused) was_refused <= 1'b1;
                else if (retire && accepted) number <= number_next;
            end
        end else begin : unicasts
            always @(posedge clk) {boths, was_refused, number} <= {3*D+1{1'b0}};
        end
    endgenerate

    wire [WORD_WIDTH+D-1:0] header = {{WORD_WIDTH-2*D-2{1'b0}}, both_sent, ends[front], begins[front], address, route};

    generate
        if (EXPRESS != 0) begin : expresses
            wire [D-1:0] way;
            for (l = 1; l < D; l = l + 1) begin : hop
                assign way[l - 1] = load_tag[D - 1 - l];
            end
            assign way[D - 1] = 1'b1;
            wire [WORD_WIDTH+D-1:0] front_word = {{WORD_WIDTH-2*D-2{1'b0}}, {D{1'b0}}, 2'b11, address, way};
            wire [WORD_WIDTH-1:0] symbol = {{WORD_WIDTH-D-2{1'b0}}, express_last, express_hold, {D{1'b0}}};
            assign entry_word = (express ? express_head : entry_first) ?
                                    (express ? front_word[WORD_WIDTH-1:0] : header[WORD_WIDTH-1:0])
                              : express && (express_hold || express_last) ? symbol : word;
            wire unused_word = &{1'b0, front_word};
        end else begin : segments
            assign entry_word = entry_first ? header[WORD_WIDTH-1:0] : word;
            wire unused_express = &{1'b0, express, express_head, express_hold, express_last, express_at};
        end
    endgenerate

    wire unused = &{1'b0, reserved, taken, load_both, header};
endmodule

`default_nettype wire
