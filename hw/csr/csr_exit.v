// csr_exit: what arrives at this site is admitted and stored.
//
//   flits ---one a slot--> expected --D-1 slots later--> bank 0 --+
//         ---one a slot--> expected --D-1 slots later--> bank 1 --+--> csr_deliver: bank 0, bank 1, next row
//
// A row, a place for a segment in each bank, is kept for the arrivals of a slot from the clock in which their flits are accepted;
// rows are filled in the same order, as all flights take D slots. A place that stays empty has a route of 0.
//
// Between two packets any flit is accepted: one that begins a packet, or a stray, that continues a packet which this site has
// given up or forgotten, so that its source comes to its end. Within a packet only flits that continue it are (C8). Of two in a
// slot the one in bank 0 comes first: that in bank 1 may begin a packet if that in bank 0 ends one. A packet is given up if its
// source begins another one, or does not go on for a while (C9).
//
// A packet follows its flit over the same links, so that slot and exit of each segment are known. What else arrives has a wrong
// header and is dropped (C10).
// SPDX-License-Identifier: ISC
`default_nettype none

module csr_exit #(
    parameter WORD_WIDTH = 16,
    parameter DIMENSIONS = 4,
    parameter WORD_BITS  = 5,
    parameter ROW_BITS   = 3,      // log2 of the rows: D + 2 slots have to find theirs
    parameter MULTICAST  = 0,      // 1: what was accepted may yet be given up
    parameter EXPRESS    = 0,
    parameter ENDS       = 2 * DIMENSIONS  // not to be set
) (
    input  wire                       clk,
    input  wire                       halted,

    // csr_node.
    input  wire                       finish,
    input  wire                       answer,
    input  wire                       settle,        // MULTICAST
    input  wire [ENDS-1:0]            sure,
    input  wire                       tick,          // a slot now and then, from one of which to the next a packet has to go on
    output wire [ENDS-1:0]            accept,
    input  wire [ENDS-1:0]            exit_head,
    input  wire [ENDS*WORD_WIDTH-1:0] exit_word,
    input  wire                       arrives,
    input  wire                       arrives_first,
    input  wire                       arrives_last,
    input  wire [WORD_BITS-1:0]       arrives_word,

    // EXPRESS (csr_module.v): what comes in over the two links into the module of the highest dimension.
    input  wire                       closed,
    input  wire [ENDS-1:0]            exit_mark,
    input  wire [1:0]                 express_head,
    input  wire [1:0]                 express_alive,
    input  wire [1:0]                 express_end,
    output wire [1:0]                 express_up,

    // csr_deliver, of an express: it is in the oldest place; the index of its latest word; no more will come; it is whole.
    output reg                        express_here,
    output reg  [WORD_BITS-1:0]       express_seen,
    output reg                        express_ended,
    output reg                        express_whole,

    // csr_deliver. waits: the oldest place is filled; read_data has its word read_at, one clock behind it; release_place gives it
    // back. more: segments are on their way, or a packet has begun that has not ended.
    output wire                       waits,
    input  wire [WORD_BITS-1:0]       read_at,
    output wire [WORD_WIDTH-1:0]      read_data,
    input  wire                       release_place,
    output reg                        more,

    output reg                        event_drop,  // a packet arrived that was not expected
    output reg                        event_miss   // one that was expected did not arrive
);
    localparam D = DIMENSIONS, W = WORD_WIDTH, I = $clog2(2 * DIMENSIONS);
    localparam PLACE = I + 1, SLOT = 2 * PLACE;  // bits: {valid, exit}, and two of them
    localparam [ROW_BITS:0] ROWS = {1'b1, {ROW_BITS{1'b0}}};

    // Flits: a packet has begun, from this site.
    reg         open;
    reg [D-1:0] owner;

    // Two flits of a slot, the lowest and the highest: within a packet of those that continue it. A source sends one segment of a
    // packet in a slot.
    wire [ENDS-1:0]    here, first_one, last_one, own, wanted;
    reg  [1:0]         any, begins, ends;
    reg                restarts;
    reg  [2*ENDS-1:0]  chosen;
    reg  [2*D-1:0]     sources;
    reg  [2*I-1:0]     exits;
    wire [1:0]         accepts;
    reg  [ENDS-1:0]    below, above;  // another one is lower, higher
    integer            h;
    always @* begin
        {below, above} = {2*ENDS{1'b0}};
        for (h = 1; h < ENDS; h = h + 1) begin
            below[h]        = below[h-1] || wanted[h-1];
            above[ENDS-1-h] = above[ENDS-h] || wanted[ENDS-h];
        end
    end

    genvar s, m;
    generate
        for (m = 0; m < ENDS; m = m + 1) begin : flit
            wire [2*D+1:0] shown = exit_word[m*W +: 2*D+2];
            assign here[m]      = shown[D-1:0] == {{D-1{1'b0}}, 1'b1} && !exit_mark[m];
            assign first_one[m] = shown[2*D];
            assign own[m]       = shown[2*D-1:D] == owner;
            assign wanted[m]    = here[m] && (!open || own[m] && !first_one[m]);
            assign last_one[m]  = shown[2*D+1];
        end
        for (s = 0; s < 2; s = s + 1) begin : of_bank
            wire [ENDS-1:0] one = s == 0 ? wanted & ~below : wanted & ~above & below;
            reg  [D-1:0]    source;
            reg  [I-1:0]    number;
            integer         k;
            always @* begin
                number = {I{1'b0}};
                source = {D{1'b0}};
                for (k = 0; k < ENDS; k = k + 1) begin
                    number = number | k[I-1:0] & {I{one[k]}};
                    source = source | exit_word[k*W + D +: D] & {D{one[k]}};
                end
            end
            always @(posedge clk)
                if (finish) begin
                    any[s]                    <= |one;
                    begins[s]                 <= |(one & first_one);
                    ends[s]                   <= |(one & last_one);
                    chosen[s*ENDS +: ENDS]    <= one;
                    exits[s*I +: I]           <= number;
                    sources[s*D +: D]         <= source;
                end
        end
    endgenerate
    always @(posedge clk) if (finish) restarts <= open && |(here & first_one & own);
    assign accept = chosen[ENDS-1:0] & {ENDS{accepts[0]}} | chosen[2*ENDS-1:ENDS] & {ENDS{accepts[1]}};

    // That of bank 0 comes first.
    reg        room;
    wire [1:0] opens     = any & begins & ~ends;
    assign     accepts   = {any[1] && (open || !opens[0]), any[0]} & {2{answer && room}};

    // What counts: with MULTICAST what was confirmed of it, when that is known.
    wire       commit, unsure;  // unsure: something was accepted, and is not yet confirmed
    wire [1:0] admits;
    wire [1:0] begun = admits & opens;
    wire       open_next = open ? !(|(admits & ends)) : |begun;
    generate
        if (MULTICAST != 0) begin : confirmed
            reg  [1:0]   accepted_here;
            always @(posedge clk)
                if (answer || settle || halted) accepted_here <= accepts;
            assign unsure = |accepted_here;
            assign commit = settle;
            assign admits = accepted_here & {2{settle}} & {|(chosen[2*ENDS-1:ENDS] & sure), |(chosen[ENDS-1:0] & sure)};
        end else begin : at_once
            assign commit = answer;
            assign unsure = 1'b0;
            assign admits = accepts;
            wire unused = &{1'b0, settle, sure};
        end
    endgenerate

    // Expected arrivals, the next slot in front. The clocks of control lie behind the words of one slot and before those of the
    // next.
    reg  [(D-1)*SLOT-1:0] expected;
    reg  [SLOT-1:0]       due;      // in this slot
    wire [SLOT-1:0]       accepted = {admits[1], exits[2*I-1:I], admits[0], exits[I-1:0]};
    wire                  due_row = due[SLOT-1] || due[I];

    // Arrivals, written a clock later. The oldest place is in the row `oldest`, in bank `bank_read`.
    reg                  write_last;
    reg  [WORD_BITS-1:0] write_word;
    reg  [ROW_BITS-1:0]  newest, oldest;
    reg                  bank_read;
    wire                 release_row = release_place && bank_read;
    wire [ROW_BITS-1:0]  oldest_next = oldest + {{ROW_BITS-1{1'b0}}, release_row};
    wire [2*W-1:0]       bank_data;
    wire [2*ENDS-1:0]    due_exits;
    wire [ENDS-1:0]      due_any = due_exits[2*ENDS-1:ENDS] | due_exits[ENDS-1:0];
    assign read_data = bank_read ? bank_data[2*W-1:W] : bank_data[W-1:0];

    // Expresses (C13): one, while nothing else is here or expected. It has the row `newest`, as what arrives later is written
    // when its row is known to be the next one.
    wire express_begins, express_writes, express_stops, express_side;
    reg  express_stopped;
    reg  [WORD_BITS-1:0] express_at;  // of its next word

    genvar b;
    generate
        for (b = 0; b < 2; b = b + 1) begin : bank
            wire [PLACE-1:0] place = due[b*PLACE +: PLACE];
            wire [W-1:0]     words [0:(1<<I)-1];
            for (m = 0; m < (1 << I); m = m + 1) begin : exit
                if (m < ENDS) begin : of_module
                    assign words[m] = exit_word[m*W +: W];
                end else begin : none
                    assign words[m] = {W{1'b0}};
                end
            end
            localparam [31:0] EXPRESS_EXIT = 2 * (D - 1) + b;
            wire [W-1:0] word = words[EXPRESS != 0 && !place[I] ? EXPRESS_EXIT[I-1:0] : place[I-1:0]];
            assign due_exits[b*ENDS +: ENDS] = {{ENDS-1{1'b0}}, place[I]} << place[I-1:0];

            reg [W-1:0] ring [0:(1<<(ROW_BITS+WORD_BITS))-1];
            reg [W-1:0] data, written;
            reg         writes;
            wire        came = |(exit_head & due_exits[b*ENDS +: ENDS]);
            assign bank_data[b*W +: W] = data;
            always @(posedge clk) begin
                written <= {word[W-1:D], word[D-1:0] & {D{express_writes ? !express_begins || express_side == b
                                                                         : !arrives_first || came}}};
                writes  <= (arrives && due_row || express_writes) && !halted;
                if (writes) ring[{newest, write_word}] <= written;
                data <= ring[{oldest_next, read_at}];
            end
        end
    endgenerate

    always @(posedge clk) begin
        write_word <= express_writes ? express_at & {WORD_BITS{!express_begins}} : arrives_word;
        write_last <= arrives && arrives_last && due_row && !halted;
        event_drop <= !halted && arrives && arrives_first && |(exit_head & ~due_any);
        event_miss <= !halted && arrives && arrives_first && |(due_any & ~exit_head);
        if (|admits && !open) owner <= begun[0] ? sources[D-1:0] : sources[2*D-1:D];
    end

    // Rows that are kept, and those of them that are filled.
    reg  [ROW_BITS:0]        kept, stored;
    reg                      idle;  // nothing of the packet has come since the last tick
    wire [ROW_BITS:0]        released  = {{ROW_BITS{1'b0}}, release_row};
    wire [ROW_BITS:0]        kept_next = kept + {{ROW_BITS{1'b0}}, |admits || express_begins} - released;
    wire                     filled    = write_last || express_stopped;
    assign waits = |stored || EXPRESS != 0 && express_here && |express_seen;
    always @(posedge clk) more <= !halted && (open || unsure || kept != stored);

    always @(posedge clk)
        if (halted) begin
            open      <= 1'b0;
            room      <= 1'b1;
            kept      <= {ROW_BITS+1{1'b0}};
            stored    <= {ROW_BITS+1{1'b0}};
            newest    <= {ROW_BITS{1'b0}};
            oldest    <= {ROW_BITS{1'b0}};
            bank_read <= 1'b0;
            expected  <= {(D-1)*SLOT{1'b0}};
            due       <= {SLOT{1'b0}};
            idle      <= 1'b0;
        end else begin
            if (|admits) begin
                open <= open_next;
                idle <= 1'b0;
            end else if (commit && room) begin
                idle <= idle || tick;
                if (tick && idle || restarts) open <= 1'b0;
            end
            room      <= kept_next != ROWS;
            kept      <= kept_next;
            stored    <= stored + {{ROW_BITS{1'b0}}, filled} - released;
            newest    <= newest + {{ROW_BITS-1{1'b0}}, filled};
            oldest    <= oldest_next;
            bank_read <= express_begins ? express_side : bank_read ^ release_place;
            if (finish) {expected, due} <= {{SLOT{1'b0}}, expected};
            if (commit) expected[(D-1)*SLOT-1 -: SLOT] <= accepted;
        end

    generate
        if (EXPRESS != 0) begin : expresses
            reg  going, from, wrote;
            wire [1:0] comes = going ? {from, !from} : {express_head[1], !express_head[1]};
            wire       marked = |(comes & exit_mark[ENDS-1 -: 2]), alive = |(comes & express_alive);
            wire       ready  = !open && kept == {ROW_BITS+1{1'b0}} && !closed && !halted;
            wire [1:0] whole_heads = express_head &   // they begin and end a packet
                {&exit_word[(ENDS-1)*W+2*D +: 2], &exit_word[(ENDS-2)*W+2*D +: 2]};
            wire       over  = marked && express_at == {WORD_BITS{1'b0}};  // longer than a segment
            assign express_begins = ready && |(whole_heads & comes);
            assign express_side   = comes[1];
            assign express_stops  = going && (!alive || closed || over);
            assign express_writes = express_begins || going && marked && !over;
            assign express_up     = comes & {2{(going || express_begins) && alive}};
            always @(posedge clk)
                if (halted) {going, express_here, express_stopped, wrote} <= 4'd0;
                else begin
                    going           <= express_begins || going && !express_stops;
                    express_here    <= express_begins || express_here && !release_place;
                    express_stopped <= express_stops;
                    wrote           <= express_writes;
                end
            always @(posedge clk) begin
                if (!going) from <= express_side;
                if (express_begins) {express_at, express_seen} <= {{WORD_BITS-2{1'b0}}, 2'd2, {WORD_BITS{1'b0}}};
                else begin
                    if (express_writes) express_at <= express_at + 1'b1;
                    if (wrote) express_seen <= write_word;
                end
                if (express_begins || express_stops) express_ended <= !express_begins;
                if (express_stops) express_whole <= |(comes & express_end) && !closed;
            end
        end else begin : segments_alone
            assign {express_begins, express_writes, express_stops, express_side, express_up} = 6'd0;
            always @(posedge clk) begin
                {express_here, express_ended, express_whole, express_stopped} <= 4'd0;
                {express_at, express_seen} <= {2*WORD_BITS{1'b0}};
            end
            wire unused_express = &{1'b0, closed, express_head, express_alive, express_end, express_stops};
        end
    endgenerate
endmodule

`default_nettype wire
