// postman_transit_buffer: keeps a packet that cannot go on, and sends it (Figure 9 of the paper; rules R8, R9, R12). From the
// clock in which its sending begins the next packet may be taken in behind it (chaining): flits come and go at the same rate, so
// that the pointer of the source stays behind that of the input for the first packet, and before it for the next.
//
//   flit, load_flit --> memory [0 .. 2**DEPTH_LOG2 - 1] --> source_flit --> bit_out        a flag is inverted while `swaps`
//                         ^ write            ^ read
//                   input_pointer      source_pointer, its lowest bit inverted while `swaps`
//                         |                  |
//       at the end of     |                  +--> == --> finished --> ends: the packet has left,
//       a packet          v                        ^                        its latch is all ones again
//                   length[input_latch]      length[source_latch]
//                   input_latch in turn      source_latch in turn
//
//   of the packet that waits: full, filled, across, two, both      of the one that is sent: sends, finished, swaps
//
//   clock     0     1     2    ...  N     N+1   ...   2N            a packet of two flits that was stored before
//   begins    1     0     0         0     0           0
//   bit       H     first flit      H     second flit 0             the output shows each bit one clock later
//   reads     0     .     .         1     .           .             its bits come from the source register from the next clock on
//   full      1     0     0                                         the next packet may be taken in
//
// The length latches are MSLEN1 and MSLEN2 of Figure 9. The proof postman_transit shows that what follows never overtakes what is
// still to be sent.
// SPDX-License-Identifier: ISC
`default_nettype none

module postman_transit_buffer #(
    parameter FLIT       = 8,  // bits of a flit, without its header bit
    parameter DEPTH_LOG2 = 5   // the longest packet has 2**DEPTH_LOG2 - 1 flits, its addresses included
) (
    input  wire            clk,
    input  wire            reset,
    input  wire            advance,     // bits move
    input  wire            adaptive_sourcing,  // constant out of reset

    // Machine: `take` begins a packet (only while `free`), `write` stores `flit` if there is no `overflow`, `last` ends it.
    input  wire            machine_idle,  // no packet, and none begins in this clock
    output wire            free,
    input  wire            take,
    input  wire            take_across,
    input  wire            take_two,
    input  wire            write,
    input  wire [FLIT-1:0] flit,
    input  wire            last,
    output wire            overflow,

    // Load (R12): load_granted holds until load_commit or until load_request falls. The clock of the commit may have a write.
    input  wire            busy,        // as the node upstream sees it
    input  wire            load_request,
    output reg             load_granted,
    input  wire            load_write,
    input  wire [FLIT-1:0] load_flit,
    input  wire            load_commit,
    input  wire            load_across,
    input  wire            load_two,

    // Outputs (R9): own_free is that of the machine's dimension. `bit_out` is 1 in the clock in which the sending begins, and 0
    // in that with `ends`.
    input  wire            own_free,
    output wire            own_request,
    output wire            other_request,
    input  wire            granted,     // one of the two requests is granted in this clock
    output wire            bit_out,
    output wire            ends,

    output wire            full_next,   // full, as of the next clock
    output wire            event_source,
    output wire            event_stall
);
    localparam COUNT_WIDTH = $clog2(FLIT+1);
    localparam [DEPTH_LOG2-1:0]  UNUSED = {DEPTH_LOG2{1'b1}};  // of a length latch
    localparam [COUNT_WIDTH-1:0] FLAG   = FLIT - 1;            // bits that follow the dimension flag

    (* no_rw_check *)   // a flit is read in a later clock than it is written
    reg [FLIT-1:0]       memory [0:(1<<DEPTH_LOG2)-1];
    reg [FLIT-1:0]       source_flit;
    reg [DEPTH_LOG2-1:0] input_pointer, source_pointer;        // flits that came; flits whose sending has begun
    reg [DEPTH_LOG2-1:0] length [0:1];
    reg input_latch, source_latch;                             // which latch is next
    reg full;           // a packet whose sending has not begun
    reg filled;         // ... has a flit
    reg across, two;    // ... leaves by the other output; ... begins with two address flits
    reg both;           // ... which are in the memory
    reg closes;         // the packet ended in the clock before: its length is in input_pointer
    reg settled;        // the machine was idle while busy was shown, and a load is requested
    reg sends, finished;
    reg swaps;          // the two address flits change places

    wire [COUNT_WIDTH-1:0] left;
    wire                   header;

    // A load takes the buffer when no packet can come, and none is being sent: it writes faster than the source reads.
    wire commits   = load_granted && load_commit;
    wire withdrawn = load_granted && !load_request && !load_commit;
    wire stores    = (advance && write) || (load_granted && load_write);
    wire begins    = advance && granted;
    wire takes     = advance && take;
    wire waits     = full && filled && !sends;

    // Adaptive sourcing: the second address flit first (R9). Requests alone decide this, so that the memory can be read in the
    // clock in which the sending begins.
    wire swappable = adaptive_sourcing && both && !own_free;
    wire swaps_now = sends ? swaps : swappable;
    wire reads     = advance && header && (sends ? !finished : granted);

    postman_bit_counter #(.FLIT(FLIT)) counter (
        .clk(clk), .reset(reset), .advance(advance), .goes_on(sends ? !finished : granted), .header(header), .left(left));

    // Not while the first address flit is still to be read: a hostile packet that was on the line before would overwrite it.
    assign free          = !full && !load_granted && !(swaps && !source_pointer[1]);
    assign overflow      = input_pointer == UNUSED;
    assign full_next     = (full && !begins) || takes || commits;
    assign own_request   = waits && !across;
    assign other_request = waits && (across || swappable);
    assign ends          = sends && header && finished;
    assign bit_out       = header ? !(sends && finished)
                                  : left == FLAG && swaps ? source_pointer[0] : source_flit[left[$clog2(FLIT)-1:0]];
    assign event_source  = begins;
    assign event_stall   = advance && waits && !granted;

    always @(posedge clk)
        if (reset) begin
            {full, filled, both, closes, settled, load_granted} <= 6'd0;
            {input_latch, source_latch, sends, swaps} <= 4'd0;
            input_pointer <= {DEPTH_LOG2{1'b0}};
            source_pointer <= {DEPTH_LOG2{1'b0}};
            length[0] <= UNUSED;
            length[1] <= UNUSED;
        end else begin
            full         <= full_next;
            filled       <= !begins && (filled || (stores && full_next) || commits);
            both         <= !begins && (both || (stores && filled && two) || (commits && load_two && !load_across));
            closes       <= (advance && last) || commits;
            settled      <= load_request && !load_granted && busy && !full && !sends && advance && machine_idle;
            load_granted <= load_request && (load_granted ? !load_commit : settled);

            if (closes || withdrawn) input_pointer <= {DEPTH_LOG2{1'b0}};
            else if (stores && !overflow) input_pointer <= input_pointer + 1'b1;
            if (closes) length[input_latch] <= input_pointer;
            if (closes) input_latch <= !input_latch;

            if (advance && ends) begin
                sends                <= 1'b0;
                source_pointer       <= {DEPTH_LOG2{1'b0}};
                length[source_latch] <= UNUSED;
                source_latch         <= !source_latch;
            end else if (reads) begin
                sends          <= sends || begins;
                source_pointer <= source_pointer + 1'b1;
            end
            if (advance) swaps <= swaps_now && !(sends && left == 0 && source_pointer[1]);
        end

    always @(posedge clk) begin
        if (takes || commits) across <= commits ? load_across : take_across;
        if (takes || commits) two <= commits ? load_two : take_two;
        finished <= source_pointer == length[source_latch];
        if (stores && !overflow) memory[input_pointer] <= load_granted ? load_flit : flit;
        if (reads) source_flit <= memory[{source_pointer[DEPTH_LOG2-1:1], source_pointer[0] ^ swaps_now}];
    end
endmodule

`default_nettype wire
