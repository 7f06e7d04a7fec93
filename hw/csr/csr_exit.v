// csr_exit: what arrives at this site is admitted and stored.
//
//   flits --accept one a slot--> expected arrivals --D-1 slots later--> the packet's words --> ring of segments --> csr_deliver
//
// A flit is accepted if the ring will have room for its segment, and if it continues the packet that this site has begun to take;
// between two packets, if it is the first of one (C8). Which of several is decided by the coins. A packet follows its flit over
// the same links, so that slot and exit of each segment are known: what else arrives has a wrong header and is dropped, and a
// segment that does not arrive gives its room back (C10).
// SPDX-License-Identifier: ISC
`default_nettype none

module csr_exit #(
    parameter WORD_WIDTH = 16,
    parameter DIMENSIONS = 4,
    parameter WORD_BITS  = 5,
    parameter RING_BITS  = 3,   // log2 of the segments that the ring has room for; D + 2 let one arrive in each slot
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

    // csr_deliver. stored: segments that are complete; read_data has the word of read_at, of the oldest segment, one clock behind
    // it; release gives its room back. more: segments are on their way, or a packet has begun that has not ended.
    output reg  [RING_BITS:0]         stored,
    input  wire [WORD_BITS-1:0]       read_at,
    output reg  [WORD_WIDTH-1:0]      read_data,
    input  wire                       release_segment,
    output wire                       more,

    output reg                        event_drop,  // a segment that was not expected
    output reg                        event_miss   // an expected one did not come
);
    localparam D = DIMENSIONS, W = WORD_WIDTH, E = ENDS, I = $clog2(ENDS);
    localparam [RING_BITS:0] RING = {1'b1, {RING_BITS{1'b0}}};

    // What of each flit matters here.
    wire [E-1:0]   here, begins, ends;
    wire [E*D-1:0] sources;
    genvar e;
    generate
        for (e = 0; e < E; e = e + 1) begin : flit
            wire [W-1:0] shown = flits[e*W +: W];
            assign here[e]           = shown[D-1:0] == {{D-1{1'b0}}, 1'b1};
            assign sources[e*D +: D] = shown[2*D-1:D];
            assign {ends[e], begins[e]} = shown[2*D+1:2*D];
            wire unused_bits = &{1'b0, shown};
        end
    endgenerate

    // The packet that has begun, and the segments for which room is kept: on their way and stored.
    reg                 open;
    reg [D-1:0]         owner;
    reg [RING_BITS:0]   kept;
    reg [PATIENCE_BITS-1:0] idle_slots;
    reg [E-1:0]         wanted;
    integer k;
    always @* begin
        for (k = 0; k < E; k = k + 1)
            wanted[k] = here[k] && (open ? !begins[k] && sources[k*D +: D] == owner : begins[k]);
    end
    wire [E-1:0] lucky  = wanted & coin;
    wire [E-1:0] among  = |lucky ? lucky : wanted;
    wire [E-1:0] chosen = among & (~among + 1'b1);
    assign accept = chosen & {E{finish && kept != RING}};

    reg [I-1:0] index;
    reg [D-1:0] source;
    always @* begin
        index  = {I{1'b0}};
        source = {D{1'b0}};
        for (k = 0; k < E; k = k + 1)
            if (chosen[k]) begin
                index  = index | k[I-1:0];
                source = source | sources[k*D +: D];
            end
    end

    // Expected arrivals, {valid, exit} each, the next one in front. The clock `finish` lies behind the last word of one slot and before
    // the first of the next.
    reg  [(D-1)*(I+1)-1:0] expected;
    reg                    due;
    reg  [I-1:0]           due_exit;
    wire                   accepts = |accept;
    wire [D*(I+1)-1:0]     expected_next = {accepts, index, expected};

    // Arrival: a clock behind the modules.
    reg           writes, writes_first, writes_last, comes, came;
    reg [WORD_BITS-1:0] write_word;
    reg [W-1:0]   write_data;
    reg [RING_BITS-1:0] newest, oldest;
    wire [E-1:0]  due_bit = {{E-1{1'b0}}, due} << due_exit;
    wire          complete = writes && writes_last && came;
    wire          missed   = writes && writes_last && due_there && !came;
    reg           due_there;

    reg [W-1:0] ring [0:(1<<(RING_BITS+WORD_BITS))-1];
    always @(posedge clk) begin
        if (writes) ring[{newest, write_word}] <= write_data;
        read_data <= ring[{oldest + {{RING_BITS-1{1'b0}}, release_segment}, read_at}];
    end

    always @(posedge clk) begin
        write_data   <= exit_word[due_exit*W +: W];
        write_word   <= arrives_word;
        writes_first <= arrives_first;
        writes_last  <= arrives_last;
        comes        <= |(exit_head & due_bit);
        event_drop   <= !halted && arrives && arrives_first && |(exit_head & ~due_bit);
        event_miss   <= !halted && missed;
        if (accepts) owner <= source;
        if (finish) due_exit <= expected_next[I-1:0];
    end

    assign more = open || kept != stored;

    always @(posedge clk)
        if (halted) begin
            open       <= 1'b0;
            kept       <= {RING_BITS+1{1'b0}};
            stored     <= {RING_BITS+1{1'b0}};
            newest     <= {RING_BITS{1'b0}};
            oldest     <= {RING_BITS{1'b0}};
            expected   <= {(D-1)*(I+1){1'b0}};
            due        <= 1'b0;
            writes     <= 1'b0;
            came       <= 1'b0;
            due_there  <= 1'b0;
            idle_slots <= {PATIENCE_BITS{1'b0}};
        end else begin
            writes <= arrives;
            if (writes && writes_first) begin
                came      <= comes;
                due_there <= due;
            end
            if (accepts) begin
                open       <= !(|(chosen & ends));
                idle_slots <= {PATIENCE_BITS{1'b0}};
            end else if (finish && open) begin
                idle_slots <= idle_slots + 1'b1;
                if (&idle_slots) open <= 1'b0;
            end
            kept   <= kept + {{RING_BITS{1'b0}}, accepts} - {{RING_BITS{1'b0}}, release_segment} - {{RING_BITS{1'b0}}, missed};
            stored <= stored + {{RING_BITS{1'b0}}, complete} - {{RING_BITS{1'b0}}, release_segment};
            newest <= newest + {{RING_BITS-1{1'b0}}, complete};
            oldest <= oldest + {{RING_BITS-1{1'b0}}, release_segment};
            if (finish) begin
                expected <= expected_next[D*(I+1)-1:I+1];
                due      <= expected_next[I];
            end
        end
endmodule

`default_nettype wire
