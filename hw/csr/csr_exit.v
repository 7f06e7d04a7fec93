// csr_exit: what arrives at this site is admitted and stored.
//
//   flits --two a slot--> expected arrivals --D-1 slots later--> packets' words --> two banks, one ring of segments --> csr_deliver
//
// A place in the ring is kept for a segment from the clock in which its flit is accepted, in that order: the places are filled in
// the same order, as all flights take D slots. Between two packets a flit is accepted if it begins one, else if it continues the
// packet that has begun (C8). If it is the last of its packet, a second one that begins a packet is accepted in the same slot.
//
// A packet follows its flit over the same links, so that slot and exit of each segment are known. What else arrives has a wrong
// header and is dropped. The place of a segment that does not arrive has a header of 0 (C10).
// SPDX-License-Identifier: ISC
`default_nettype none

module csr_exit #(
    parameter WORD_WIDTH = 16,
    parameter DIMENSIONS = 4,
    parameter WORD_BITS  = 5,
    parameter RING_BITS  = 4,      // log2 of the places of the ring; D + 2 slots have to find theirs, up to two each
    parameter PATIENCE_BITS = 10,  // log2 of the slots after which a packet that does not go on is given up
    parameter ENDS       = 2 * DIMENSIONS  // not to be set
) (
    input  wire                       clk,
    input  wire                       halted,

    // csr_node.
    input  wire                       finish,
    input  wire [ENDS*WORD_WIDTH-1:0] flits,
    output wire [ENDS-1:0]            accept,
    input  wire [ENDS-1:0]            coin,
    input  wire [ENDS-1:0]            exit_head,
    input  wire [ENDS*WORD_WIDTH-1:0] exit_word,
    input  wire                       arrives,
    input  wire                       arrives_first,
    input  wire                       arrives_last,
    input  wire [WORD_BITS-1:0]       arrives_word,

    // csr_deliver. waits: the oldest place is filled; read_data has its word read_at, one clock behind it; release_segment gives it
    // back. more: segments are on their way, or a packet has begun that has not ended.
    output wire                       waits,
    input  wire [WORD_BITS-1:0]       read_at,
    output wire [WORD_WIDTH-1:0]      read_data,
    input  wire                       release_segment,
    output wire                       more,

    output reg                        event_drop  // a packet arrived that was not expected
);
    localparam D = DIMENSIONS, W = WORD_WIDTH, E = ENDS, I = $clog2(ENDS);
    localparam PLACE = I + 1, SLOT = 2 * PLACE;              // bits: {valid, exit}, and two of them
    localparam [31:0] MOST = (1 << RING_BITS) - 2;           // places kept, such that two more may be

    // What of each flit matters here.
    wire [E-1:0]   begins, goes_on, ends;
    wire [E*D-1:0] sources;
    reg            open;    // a packet has begun, from this site
    reg  [D-1:0]   owner;
    genvar e;
    generate
        for (e = 0; e < E; e = e + 1) begin : flit
            wire [W-1:0] shown = flits[e*W +: W];
            wire         here  = shown[D-1:0] == {{D-1{1'b0}}, 1'b1};
            assign sources[e*D +: D] = shown[2*D-1:D];
            assign begins[e]  = here && shown[2*D];
            assign goes_on[e] = here && !shown[2*D] && open && shown[2*D-1:D] == owner;
            assign ends[e]    = shown[2*D+1];
            wire unused_bits = &{1'b0, shown};
        end
    endgenerate

    // One is drawn; the other one is the last that begins a packet.
    reg            room;
    wire [E-1:0]   wanted = open ? goes_on : begins;
    wire [E-1:0]   lucky  = wanted & coin;
    wire [E-1:0]   among  = |lucky ? lucky : wanted;
    wire [E-1:0]   chosen = among & (~among + 1'b1);
    reg  [E-1:0]   other;
    integer        k;
    always @* begin
        other = {E{1'b0}};
        for (k = 0; k < E; k = k + 1)
            if (begins[k]) other = {{E-1{1'b0}}, 1'b1} << k;
    end
    wire           accepts = finish && room && |chosen;
    wire           accepts_other = accepts && |(chosen & ends) && |(other & ~chosen);
    assign accept = chosen & {E{accepts}} | other & {E{accepts_other}};

    reg [I-1:0] exit_chosen, exit_other;
    reg [D-1:0] source_chosen, source_other;
    always @* begin
        {exit_chosen, exit_other} = {2*I{1'b0}};
        {source_chosen, source_other} = {2*D{1'b0}};
        for (k = 0; k < E; k = k + 1) begin
            exit_chosen   = exit_chosen | k[I-1:0] & {I{chosen[k]}};
            source_chosen = source_chosen | sources[k*D +: D] & {D{chosen[k]}};
            exit_other    = exit_other | k[I-1:0] & {I{other[k]}};
            source_other  = source_other | sources[k*D +: D] & {D{other[k]}};
        end
    end

    // Expected arrivals, the next slot in front. The clock `finish` lies behind the words of one slot and before those of the next.
    reg  [(D-1)*SLOT-1:0] expected;
    wire [D*SLOT-1:0]     expected_next = {accepts_other, exit_other, accepts, exit_chosen, expected};
    reg  [SLOT-1:0]       due;      // in this slot
    wire                  due_first = due[I], due_second = due[SLOT-1];
    wire [1:0]            due_count = {due_second, due_first && !due_second};

    // Arrivals, a clock behind the modules. Place `newest` is that of the first; bank 0 has the even places.
    reg                  writes, writes_last;
    reg  [WORD_BITS-1:0] write_word;
    reg  [RING_BITS-1:0] newest, oldest;
    wire [RING_BITS-1:0] oldest_next = oldest + {{RING_BITS-1{1'b0}}, release_segment};
    reg                  read_bank;
    wire [2*W-1:0]       bank_data;
    wire [2*E-1:0]       due_bits;
    assign read_data = read_bank ? bank_data[2*W-1:W] : bank_data[W-1:0];

    genvar b;
    generate
        for (b = 0; b < 2; b = b + 1) begin : bank
            wire [PLACE-1:0]     place = newest[0] == b ? due[PLACE-1:0] : due[SLOT-1:PLACE];
            wire [RING_BITS-2:0] row   = newest[RING_BITS-1:1] + {{RING_BITS-2{1'b0}}, b == 0 && newest[0]};
            wire [RING_BITS-2:0] read_row = oldest_next[RING_BITS-1:1];
            assign due_bits[b*E +: E] = {{E-1{1'b0}}, place[I]} << place[I-1:0];

            reg [W-1:0] ring [0:(1<<(RING_BITS-1+WORD_BITS))-1];
            reg [W-1:0] data, written;
            reg         filled;
            assign bank_data[b*W +: W] = data;
            always @(posedge clk) begin
                written <= exit_word[place[I-1:0]*W +: W] &
                           {W{!arrives_first || |(exit_head & due_bits[b*E +: E])}};
                filled  <= arrives && place[I] && !halted;
                if (filled) ring[{row, write_word}] <= written;
                data <= ring[{read_row, read_at}];
            end
        end
    endgenerate

    always @(posedge clk) begin
        write_word  <= arrives_word;
        writes_last <= arrives_last;
        read_bank   <= oldest_next[0];
        event_drop  <= !halted && arrives && arrives_first && |(exit_head & ~due_bits[E-1:0] & ~due_bits[2*E-1:E]);
        if (accepts) owner <= accepts_other ? source_other : source_chosen;
    end

    // Places that are kept, and those of them that are filled.
    reg  [RING_BITS:0]       kept, stored;
    reg  [PATIENCE_BITS-1:0] patience;
    wire [RING_BITS:0]       released  = {{RING_BITS{1'b0}}, release_segment};
    wire [RING_BITS:0]       kept_next = kept + {{RING_BITS-1{1'b0}}, accepts_other, accepts && !accepts_other} - released;
    assign waits = |stored;
    assign more  = open || kept != stored;

    always @(posedge clk)
        if (halted) begin
            open     <= 1'b0;
            room     <= 1'b1;
            kept     <= {RING_BITS+1{1'b0}};
            stored   <= {RING_BITS+1{1'b0}};
            newest   <= {RING_BITS{1'b0}};
            oldest   <= {RING_BITS{1'b0}};
            expected <= {(D-1)*SLOT{1'b0}};
            due      <= {SLOT{1'b0}};
            writes   <= 1'b0;
            patience <= {PATIENCE_BITS{1'b0}};
        end else begin
            if (accepts) begin
                open     <= !(accepts_other ? |(other & ends) : |(chosen & ends));
                patience <= {PATIENCE_BITS{1'b0}};
            end else if (finish && open) begin
                patience <= patience + 1'b1;
                if (&patience) open <= 1'b0;
            end
            writes <= arrives;
            room   <= kept_next <= MOST[RING_BITS:0];
            kept   <= kept_next;
            stored <= stored + ({{RING_BITS-1{1'b0}}, due_count} & {RING_BITS+1{writes && writes_last}}) - released;
            oldest <= oldest_next;
            if (finish) begin
                expected <= expected_next[D*SLOT-1:SLOT];
                due      <= expected_next[SLOT-1:0];
                newest   <= newest + {{RING_BITS-2{1'b0}}, due_count};
            end
        end
endmodule

`default_nettype wire
