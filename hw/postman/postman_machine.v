// postman_machine: datapath and controller of one dimension at one node (Figures 6 and 8 of the paper; rules R4 to R8, R15). It
// decides what becomes of a packet on the line; outputs and buffers carry it out. Its own output is that of its dimension, the
// other one that of the other machine's dimension.
//
//                  header bit                      decision, in clock t0+N
//   IDLE ------------> HEAD --+--> FOLLOW          straight on, junction (the output's owner tells which), or swallowed
//     ^               (R4,R5) +--> TRANSIT         BTH, BTO: into the transit buffer
//     |                       +--> ARRIVAL         BFA: into the arrival buffer
//     |                       +--> ADAPT_SECOND -- last bit --> ADAPT_REST
//     |                                                             |
//     +------ validity 0 on the line, in ADAPT_REST in datapath ----+
//
//   adaption, N = 4, the flits a, b, c; H is a header bit, a1 and b1 are the flags, v the validity bit
//   clock      t0  1   2   3   4   5   6   7   8   9   10  11  12  13  14  15  16
//   line       H   a1  a2  a3  H   b1  b2  b3  H   c1  c2  c3  v=0 .   .   .   .
//   state      IDLE  HEAD          ADAPT_SECOND ADAPT_REST                     IDLE from 17 on
//   turn_bit                   H   1   b2  b3  H   0   a2  a3  H   c1  c2  c3  v
//   datapath                   a turns round   c follows a                         the first flit is kept by turning it round
//
// Inside:
//
//   line -+--------------------------------------------------------------> pass_bit; turn_bit of a junction and of ADAPT_SECOND
//         |
//         |                       +------- ADAPT_SECOND: the first flit turns round -------+
//         |                       v                                                        |
//         +------------------> [ 0 | 1 | ...           | FLIT-1 ] -------------------> [ FLIT ] --> turn_bit of ADAPT_REST
//         |                      |                         |   datapath, a bit a clock to the right
//         |                      +-------- flit -----------+-> flag of an address flit; pass_bit with vct
//         |                      |
//         +------> == own <------+ --> here, one clock later
//         |
//         +--> postman_bit_counter --> header --> state --> requests, take, write, last
//
// `flit` is whole in the clock of the next header bit or validity bit. In that clock of the leading flit, t0+N, state, `here`,
// the flag, `passing` and the grant decide (R5). A late pass takes pass_bit from the end of the datapath, as ADAPT_REST does.
// SPDX-License-Identifier: ISC
`default_nettype none

module postman_machine #(
    parameter FLIT      = 8,  // bits of a flit, without its header bit
    parameter LATE_PASS = 0   // 1: a packet that was blocked, and whose output is free when its leading flit is in, passes then
) (
    input  wire            clk,
    input  wire            reset,
    input  wire            advance,   // bits move

    // Constant out of reset.
    input  wire [FLIT-2:0] own,       // coordinate of this node in this dimension
    input  wire            vct,
    input  wire            adaptive_routing,

    input  wire            line,      // from the node upstream

    // Own output: the packet on the line goes straight on while `passing`. pass_bit is 0 in the clock with pass_ends, and 1 in
    // that with pass_request.
    output wire            pass_request,
    output wire            pass_bit,
    output wire            pass_ends,
    input  wire            passing,
    input  wire            unclaimed,  // the output is free, and no source requests it
    output wire            late,       // a late pass begins: pass_request is granted, and no turn of the other machine is

    // The other output: junction or adaption, under the same contract. turn_granted comes in the clock of turn_request.
    output wire            turn_request,
    output wire            turn_bit,
    output wire            turn_ends,
    input  wire            turn_granted,

    // Buffers: `take` begins a packet, `write` stores `flit`, `last` ends the packet. `overflow`: there is no room for the flit.
    output wire [FLIT-1:0] flit,
    input  wire            transit_free,
    output wire            transit_take,
    output wire            transit_across,   // with take: the packet leaves by the other output (BTO)
    output wire            transit_two,      // with take: it begins with two address flits
    output wire            transit_write,
    output wire            transit_last,
    input  wire            transit_overflow,
    input  wire            arrival_free,
    output wire            arrival_take,
    output wire            arrival_write,
    output wire            arrival_last,
    input  wire            arrival_overflow,

    output wire            idle,         // no packet; one may begin in this clock
    output wire            adapts_next,  // the state of the next clock is one of adaption
    output wire            event_dead,
    output wire            event_turn,
    output wire            event_adapt,
    output wire            event_drop
);
    localparam COUNT_WIDTH = $clog2(FLIT+1);
    localparam TAIL_WIDTH  = LATE_PASS == 0 ? COUNT_WIDTH : $clog2(FLIT+2);
    localparam [2:0] IDLE = 3'd0, HEAD = 3'd1, FOLLOW = 3'd2, TRANSIT = 3'd3, ARRIVAL = 3'd4,
                     ADAPT_SECOND = 3'd6, ADAPT_REST = 3'd7;
    localparam [TAIL_WIDTH-1:0] VCT_TAIL = FLIT, LATE_TAIL = FLIT + (LATE_PASS == 0 ? 0 : 1);
    localparam [COUNT_WIDTH-1:0] FLAG = FLIT - 1;  // bits that follow the dimension flag

    reg  [2:0]             state, state_next;
    reg  [FLIT:0]          datapath;
    reg                    here;          // the coordinate in the datapath is the own one
    reg  [TAIL_WIDTH-1:0]  tail;          // vct, late pass: bits of a passing packet that are still in the datapath
    reg                    behind;        // the packet that passes does so N clocks behind the line
    wire [COUNT_WIDTH-1:0] left;
    wire                   header;
    wire                   last_bit  = left == 0;
    wire                   here_next = {datapath[FLIT-3:0], line} == own;
    wire                   flag      = datapath[FLIT-1];

    // In the place of a header bit: does another flit follow?
    wire goes_on = state == ADAPT_REST ? datapath[FLIT] : line;
    wire decides = state == HEAD && header && line;

    wire passes_late   = LATE_PASS != 0 && behind;
    wire from_datapath = vct || passes_late;

    postman_bit_counter #(.FLIT(FLIT)) counter (
        .clk(clk), .reset(reset), .advance(advance), .goes_on(goes_on), .header(header), .left(left));

    // Where a packet goes (R5). Exactly one of the six with `decides`.
    wire straight      = decides && !here && passing;
    wire arrives       = decides && here && !flag;
    wire turns         = turn_granted;
    wire buffers       = decides && !arrives && !straight && !turns && !late;
    assign late        = LATE_PASS != 0 && !vct && decides && !here && unclaimed;
    assign turn_request = decides && flag && (here || (adaptive_routing && !passing && !late));

    always @* begin
        state_next = state;
        if (header && !goes_on) state_next = IDLE;
        else if (header)
            case (state)
                IDLE:    state_next = HEAD;
                HEAD:    state_next = turns && !here ? ADAPT_SECOND : transit_take ? TRANSIT : arrival_take ? ARRIVAL : FOLLOW;
                TRANSIT: if (transit_overflow) state_next = FOLLOW;
                ARRIVAL: if (arrival_overflow) state_next = FOLLOW;
                default: ;
            endcase
        else if (state == ADAPT_SECOND && last_bit) state_next = ADAPT_REST;
    end

    // In ADAPT_SECOND the first flit turns round, and its flag becomes 0 (R7). Its header bit needs no way of its own: in the
    // clock of the decision the line shows a 1, too.
    wire turned_round = datapath[FLIT] && left != FLAG;

    always @(posedge clk)
        if (reset) begin
            state    <= IDLE;
            datapath <= {(FLIT+1){1'b0}};
            tail     <= {TAIL_WIDTH{1'b0}};
            behind   <= 1'b0;
        end else if (advance) begin
            state    <= state_next;
            datapath <= {datapath[FLIT-1:0], state == ADAPT_SECOND ? turned_round : line};
            behind   <= late || (passes_late && !pass_ends);
            if (from_datapath && passing && state != IDLE && header && !line) tail <= passes_late ? LATE_TAIL : VCT_TAIL;
            else if (tail != 0) tail <= tail - 1'b1;
        end

    always @(posedge clk) if (advance) here <= here_next;

    // Straight on: at the header bit, or with vct at the last bit of the leading flit, FLIT clocks behind the line (R4, R15), or
    // late, N clocks behind it. The next packet may be on the line while the last bits of the one in the datapath leave.
    assign pass_request = late || (vct ? state == HEAD && last_bit && !here_next : state == IDLE && line);
    assign pass_bit     = vct ? datapath[FLIT-1] : passes_late ? datapath[FLIT] : line && !(state == HEAD && header && here);
    assign pass_ends    = from_datapath ? tail == 1 : header && (!line || (state == HEAD && here));

    assign turn_bit  = state == ADAPT_REST ? datapath[FLIT] : line || (state == ADAPT_SECOND && left == FLAG);
    assign turn_ends = header && !goes_on;

    // BTH stores the leading flit with the decision. A flit that finds no room ends the packet for the buffer.
    assign flit           = datapath[FLIT-1:0];
    assign transit_take   = buffers && transit_free;
    assign transit_across = here;
    assign transit_two    = flag && !here;
    assign transit_write  = (transit_take && !here) || (state == TRANSIT && header);
    assign transit_last   = state == TRANSIT && header && (!line || transit_overflow);
    assign arrival_take   = arrives && arrival_free;
    assign arrival_write  = state == ARRIVAL && header;
    assign arrival_last   = arrival_write && (!line || arrival_overflow);

    assign idle        = state == IDLE;
    assign adapts_next = advance ? state_next[2:1] == ADAPT_REST[2:1] : state[2:1] == ADAPT_REST[2:1];
    assign event_dead  = advance && state == HEAD && header && !line;
    assign event_turn  = advance && turns && here;
    assign event_adapt = advance && turns && !here;
    assign event_drop  = advance && ((buffers && !transit_free) || (arrives && !arrival_free) ||
                                     (transit_last && transit_overflow) || (arrival_last && arrival_overflow));
endmodule

`default_nettype wire
