// postman_inject: the operator's stream of words becomes packets of flits in the transit buffers of the planes.
//
//   word from the operator   flits                                                    clocks
//   unicast_site             leading address, and the other one if both axes differ   2 or 3, and those until a load is granted
//   target_info, data        the bytes of the word, the upper one first               one a flit
//   end_of_packet            number of target_info words, two check bytes             4, the last one commits
//
// A packet may be loaded into any machine that sends it nearer (R16): all of these are requested, and the first that is granted
// gets it. The check bytes (line_crc.v) start from the address of the target, so that a packet which arrives elsewhere is bad.
// The count stands behind the words because it is not known before them; the receiver has the whole packet when it begins.
//
// Nothing of a malformed packet leaves: its reservation is withdrawn (X1). A packet for the own site does not enter a plane; its
// words are shown to postman_deliver.
//
//                 site word, away          granted           end_of_packet         written
//      [ IDLE ] --------------> [ REQUEST ] ----> [ ADDRESS ] --> [ WORDS ] --> [ TRAILER ] --> [ COMMIT ] --> IDLE
//       |    ^                                                      |
//       |    +------------ any word that cannot stand here ---------+
//       +-- site word, here --> [ OWN ] -- terminator --> IDLE
//
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module postman_inject #(
    parameter WORD_WIDTH = 16,  // bits of a word
    parameter TORUS      = 0,   // 1: the shorter way round, half way round the positive one; 0: a grid
    parameter DEPTH_LOG2 = 9    // a transit buffer takes packets of 2**DEPTH_LOG2 - 1 flits
) (
    input  wire                  clk,
    input  wire                  reset,

    // Straps.
    input  wire [6:0]            own_x,
    input  wire [6:0]            own_y,
    input  wire [7:0]            size_x,
    input  wire [7:0]            size_y,
    input  wire                  adaptive_routing,

    // Operator: the contract of site_fabric.v.
    input  wire [WORD_WIDTH+2:0] send,
    output reg                   send_wait,

    // Planes, of a torus those of layer 0: machine 2*p is X of plane p, 2*p+1 is Y (R12).
    output reg  [7:0]            load_request,
    input  wire [7:0]            load_granted,
    output wire [7:0]            load_write,
    output reg  [7:0]            load_flit,
    output wire [7:0]            load_commit,
    output reg                   load_two,

    // postman_deliver: words of a packet for this site, with the contract of a link.
    output reg  [WORD_WIDTH+2:0] own_word,
    input  wire                  own_wait,

    output reg                   event_drop,  // a word was dropped
    output wire                  quiet
);
    localparam COORD_WIDTH = WORD_WIDTH == 32 ? `POSTROAD_SITE_COORD_WIDTH_32 : `POSTROAD_SITE_COORD_WIDTH_16;
    localparam WORD_FLITS = WORD_WIDTH / 8;
    localparam TRAILER_FLITS = 3;
    localparam [31:0] START = (1 << DEPTH_LOG2) - 1 - TRAILER_FLITS - WORD_FLITS;
    localparam [DEPTH_LOG2:0] LAST_START = START[DEPTH_LOG2:0];  // of a word that still fits

    localparam [2:0] STATE_IDLE    = 3'd0;
    localparam [2:0] STATE_REQUEST = 3'd1;
    localparam [2:0] STATE_ADDRESS = 3'd2;
    localparam [2:0] STATE_WORDS   = 3'd3;
    localparam [2:0] STATE_TRAILER = 3'd4;
    localparam [2:0] STATE_COMMIT  = 3'd5;
    localparam [2:0] STATE_OWN     = 3'd6;

    reg [2:0]            state, state_next;
    reg [WORD_WIDTH+2:0] held;         // the operator's word that is worked on; tag 0: none
    reg [6:0]            to_x, to_y;   // target
    reg [1:0]            step;         // flit of an address, a word or the trailer
    reg [DEPTH_LOG2:0]   written;      // flits in the transit buffer
    reg                  fits;         // written <= LAST_START: a flop, as the write enable of the buffers depends on it
    reg [7:0]            infos;        // target_info words
    reg                  data_seen;
    reg                  own_begun;    // the site word for the own site has been taken
    reg [15:0]           crc;
    wire [15:0]          crc_next;

    wire [2:0]            tag    = held[WORD_WIDTH +: 3];
    wire                  pad    = tag == `POSTROAD_TAG_NULL_TARGET;
    wire                  ends   = tag == `POSTROAD_TAG_END_OF_PACKET;
    wire                  head   = tag == `POSTROAD_TAG_UNICAST_SITE;
    wire                  shown  = |tag && !pad;
    wire [WORD_WIDTH-1:0] target = held[WORD_WIDTH-1:0];
    wire [COORD_WIDTH-1:0] x = target[COORD_WIDTH-1:0], y = target[2*COORD_WIDTH-1:COORD_WIDTH];
    wire                  exists = {{(24-COORD_WIDTH){1'b0}}, x} < {16'd0, size_x} &&
                                   {{(24-COORD_WIDTH){1'b0}}, y} < {16'd0, size_y};
    wire                  here   = x[6:0] == own_x && y[6:0] == own_y;

    // target_info stands before the data, and a packet fits its buffer.
    wire payload = tag == `POSTROAD_TAG_DATA || tag == `POSTROAD_TAG_TARGET_INFO && !data_seen && infos != 8'hff;

    // The machines that send the packet nearer. Planes 0 and 3 lead east, 0 and 1 north. With both axes ahead there is one
    // plane, and its Y machine may begin only where routing adapts, as that leaves the order of the axes.
    wire       east, west, north, south;
    generate
        if (TORUS != 0) begin : round
            postman_way x_way (.size(size_x), .from(own_x), .to(to_x), .rises(east), .falls(west));
            postman_way y_way (.size(size_y), .from(own_y), .to(to_y), .rises(north), .falls(south));
        end else begin : straight
            assign {east, west, north, south} = {to_x > own_x, to_x < own_x, to_y > own_y, to_y < own_y};
        end
    endgenerate
    wire       both = (east || west) && (north || south);
    wire [3:0] x_planes = {east && !north, west && !north, west && !south, east && !south};
    wire [3:0] y_planes = {south && !west, south && !east, north && !east, north && !west};
    wire [7:0] candidates;
    genvar     p;
    generate
        for (p = 0; p < 4; p = p + 1) begin : plane
            assign candidates[2*p]   = x_planes[p];
            assign candidates[2*p+1] = y_planes[p] && (!both || adaptive_routing);
        end
    endgenerate

    wire [7:0] granted = load_request & load_granted;
    wire [7:0] chosen  = granted & (~granted + 8'd1);      // the lowest
    wire       begins_y = |(load_request & 8'b10101010);  // in STATE_ADDRESS one is left

    // What is written in this clock.
    wire [1:0] last_step = state == STATE_ADDRESS ? {1'b0, load_two} :
                           state == STATE_TRAILER ? 2'd2 : WORD_FLITS[1:0] - 2'd1;
    wire       writes_word = state == STATE_WORDS && payload && (fits || step != 2'd0);
    wire       writes = state == STATE_ADDRESS || state == STATE_TRAILER || writes_word;
    wire       stepped = step == last_step;
    wire [WORD_WIDTH-1:0] rest = target << {step, 3'd0};

    always @* begin
        load_flit = rest[WORD_WIDTH-1 -: 8];
        if (state == STATE_ADDRESS)
            load_flit = {load_two && step == 2'd0, begins_y ^ (step != 2'd0) ? to_y : to_x};
        if (state == STATE_TRAILER)
            load_flit = step == 2'd0 ? infos : crc[15:8];
    end

    assign load_write  = load_request & {8{writes}};
    assign load_commit = load_request & {8{state == STATE_COMMIT}};

    wire unused_fits;
    line_crc sum (.crc(crc), .value(load_flit), .next(crc_next), .fits(unused_fits));

    // A packet for the own site: what cannot stand there ends it.
    wire own_ends = ends || !payload && (!head || own_begun);
    always @* begin
        own_word = {WORD_WIDTH+3{1'b0}};
        if (state == STATE_OWN && shown)
            own_word = ends || !own_ends ? held : {`POSTROAD_TAG_ABORT_PACKET, {WORD_WIDTH{1'b0}}};
    end

    // `done`: the held word is not needed in the next clock. A word that is not used counts as dropped.
    wire malformed = state == STATE_WORDS && shown && !ends && !(payload && (fits || step != 2'd0));
    reg  done;
    always @* begin
        state_next = state;
        done       = pad;
        event_drop = 1'b0;
        case (state)
            STATE_IDLE:
                if (head && exists) begin
                    state_next = here ? STATE_OWN : STATE_REQUEST;
                    done       = !here;
                end else if (shown) {done, event_drop} = 2'b11;
            STATE_REQUEST: if (|granted) state_next = STATE_ADDRESS;
            STATE_ADDRESS: if (stepped) state_next = STATE_WORDS;
            STATE_WORDS:
                if (malformed) {state_next, done, event_drop} = {STATE_IDLE, 2'b11};
                else if (ends) {state_next, done} = {STATE_TRAILER, 1'b1};
                else if (shown) done = stepped;
            STATE_TRAILER: if (stepped) state_next = STATE_COMMIT;
            STATE_COMMIT: state_next = STATE_IDLE;
            default:
                if (shown && !own_wait) begin
                    done = 1'b1;
                    if (own_ends) state_next = STATE_IDLE;
                end
        endcase
    end

    // A word is taken over while the last flit of the one before is written, so that flits follow each other.
    wire accepts = |send[WORD_WIDTH +: 3] && !send_wait;
    wire holds_next = accepts || |tag && !done;
    wire last_flit_next = writes_word && step + 2'd1 == last_step;

    always @(posedge clk)
        if (reset) begin
            state        <= STATE_IDLE;
            held         <= {WORD_WIDTH+3{1'b0}};
            send_wait    <= 1'b1;
            load_request <= 8'd0;
            step         <= 2'd0;
        end else begin
            state     <= state_next;
            send_wait <= holds_next && !last_flit_next;
            if (accepts) held <= send;
            else if (done) held <= {WORD_WIDTH+3{1'b0}};
            step <= writes && !stepped ? step + 2'd1 : 2'd0;
            if (state == STATE_REQUEST)
                load_request <= |granted ? chosen : candidates;
            else if (state_next == STATE_IDLE)
                load_request <= 8'd0;
        end

    always @(posedge clk) begin
        if (state == STATE_IDLE) begin
            {to_y, to_x} <= {y[6:0], x[6:0]};
            {written, infos, data_seen, own_begun} <= {DEPTH_LOG2+11{1'b0}};
            crc <= {2'b11, y[6:0], x[6:0]};
        end
        if (state == STATE_REQUEST) load_two <= both;
        if (writes) written <= written + 1'b1;
        if (state == STATE_IDLE) fits <= 1'b1;
        else if (writes && written == LAST_START) fits <= 1'b0;
        if (writes && state != STATE_ADDRESS) crc <= crc_next;
        if (state == STATE_OWN && shown && !own_wait) own_begun <= 1'b1;
        if (done && tag == `POSTROAD_TAG_TARGET_INFO) infos <= infos + 8'd1;
        if (done && tag == `POSTROAD_TAG_DATA) data_seen <= 1'b1;
    end

    assign quiet = state == STATE_IDLE && !(|tag) && !send_wait;

    wire unused = &{1'b0, unused_fits, target, rest};
endmodule

`default_nettype wire
