// postman_deliver: packets in the arrival buffers of the planes become the operator's stream of words.
//
//   flits                    words to the operator
//                            unicast_site with the own address
//   the bytes of the words   as many target_info words as the trailer counts, then data
//   count, two check bytes   end_of_packet; abort_packet if the check or the length is wrong, or the machine cut the packet
//
// The buffers take turns, and so does the packet that postman_inject has for this site. read_data has the flit of `index` in each
// clock, since the address of the next clock is shown; a word that the operator does not take holds everything as it is.
//
//   [ CHOOSE ] --> [ LENGTH ] --> [ HEAD ] --> [ FLITS ] --> [ END ] --> CHOOSE
//       |                            |  malformed              ^
//       |                            +-------------------------+
//       +--> [ OWN ] -- terminator --> CHOOSE
//
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module postman_deliver #(
    parameter WORD_WIDTH = 16,  // bits of a word
    parameter MACHINES   = 8,   // of all planes: 8 or 16
    parameter DEPTH_LOG2 = 9    // log2 of the flits of an arrival buffer
) (
    input  wire                        clk,
    input  wire                        reset,

    // Straps.
    input  wire [6:0]                  own_x,
    input  wire [6:0]                  own_y,

    // Planes: machine 2*p is X of plane p, 2*p+1 is Y (R13).
    input  wire [MACHINES-1:0]         arrived,
    input  wire [MACHINES-1:0]         arrived_bad,
    input  wire [MACHINES*(DEPTH_LOG2+1)-1:0] arrived_flits,
    output reg  [DEPTH_LOG2-1:0]       read_flit,
    input  wire [8*MACHINES-1:0]       read_data,
    output wire [MACHINES-1:0]         arrival_taken,

    // postman_inject: the words of a packet for the own site.
    input  wire [WORD_WIDTH+2:0]       own_word,
    output wire                        own_wait,

    // Operator: the contract of site_fabric.v.
    output reg  [WORD_WIDTH+3:0]       receive,
    input  wire                        receive_wait,

    output wire                        quiet
);
    localparam COORD_WIDTH = WORD_WIDTH == 32 ? `POSTROAD_SITE_COORD_WIDTH_32 : `POSTROAD_SITE_COORD_WIDTH_16;
    localparam WORD_FLITS = WORD_WIDTH / 8;
    localparam [DEPTH_LOG2:0] TRAILER_FLITS = 3;

    localparam [2:0] STATE_CHOOSE = 3'd0;
    localparam [2:0] STATE_LENGTH = 3'd1;
    localparam [2:0] STATE_HEAD   = 3'd2;
    localparam [2:0] STATE_FLITS  = 3'd3;
    localparam [2:0] STATE_END    = 3'd4;
    localparam [2:0] STATE_OWN    = 3'd5;

    reg [2:0]             state, state_next;
    reg [MACHINES-1:0]    chosen;      // the buffer, one bit
    reg [MACHINES:0]      served;      // the source that had its turn last, one bit
    reg [DEPTH_LOG2:0]    trailer;     // index of the trailer: flits of all words
    reg [DEPTH_LOG2-1:0]  index;       // of the flit in read_data
    reg [7:0]             infos;       // target_info words left
    reg [1:0]             step;        // flit of the word
    reg [WORD_WIDTH-9:0]  upper;       // the flits of the word before this one
    reg                   bad;
    reg [15:0]            crc;
    wire [15:0]           crc_next;

    // The next source in turn: the first above the one served last, else the first.
    localparam [MACHINES:0] FIRST = 1;
    wire [MACHINES:0] waits  = {|own_word[WORD_WIDTH +: 3], arrived};
    wire [MACHINES:0] above  = waits & ~(served | (served - FIRST));
    wire [MACHINES:0] among  = |above ? above : waits;
    wire [MACHINES:0] next   = among & (~among + FIRST);

    // The chosen buffer's flit and length.
    reg [7:0]          flit;
    reg [DEPTH_LOG2:0] length;
    integer            m;
    always @* begin
        flit   = 8'd0;
        length = {DEPTH_LOG2+1{1'b0}};
        for (m = 0; m < MACHINES; m = m + 1)
            if (chosen[m]) begin
                flit   = flit | read_data[8*m +: 8];
                length = length | arrived_flits[(DEPTH_LOG2+1)*m +: DEPTH_LOG2+1];
            end
    end
    wire cut      = |(chosen & arrived_bad);
    wire whole    = trailer[0] == 1'b0 && (WORD_FLITS == 2 || trailer[1] == 1'b0);  // words
    wire overcounted = {24'd0, flit} > {{31-DEPTH_LOG2{1'b0}}, trailer} / WORD_FLITS;

    wire in_trailer = {1'b0, index} >= trailer;
    wire last_flit  = {1'b0, index} == trailer + TRAILER_FLITS - 1'b1;
    wire completes  = !in_trailer && step == WORD_FLITS[1:0] - 2'd1;

    wire free   = !(|receive[WORD_WIDTH +: 3]) || !receive_wait;
    wire steps  = state == STATE_FLITS && (free || !completes);

    wire unused_fits;
    line_crc sum (.crc(crc), .value(flit), .next(crc_next), .fits(unused_fits));

    // The word that `receive` loads if it is free. A site word is made from the own address.
    wire [COORD_WIDTH-1:0] x = {{COORD_WIDTH-7{1'b0}}, own_x}, y = {{COORD_WIDTH-7{1'b0}}, own_y};
    wire [WORD_WIDTH-1:0]  joined = {upper, flit};
    reg  [WORD_WIDTH+2:0]  word;
    wire                   own_head = own_word[WORD_WIDTH +: 3] == `POSTROAD_TAG_UNICAST_SITE;
    wire [WORD_WIDTH+2:0]  site_word = {`POSTROAD_TAG_UNICAST_SITE, {WORD_WIDTH-2*COORD_WIDTH{1'b0}}, y, x};
    always @* begin
        word = {WORD_WIDTH+3{1'b0}};
        case (state)
            STATE_HEAD: word = site_word;
            STATE_FLITS:
                if (completes) word = {|infos ? `POSTROAD_TAG_TARGET_INFO : `POSTROAD_TAG_DATA, joined};
            STATE_END:
                word = {bad ? `POSTROAD_TAG_ABORT_PACKET : `POSTROAD_TAG_END_OF_PACKET, {WORD_WIDTH{1'b0}}};
            STATE_OWN: word = own_head ? site_word : own_word;
            default: ;
        endcase
    end

    wire own_ends = own_word[WORD_WIDTH +: 3] == `POSTROAD_TAG_END_OF_PACKET ||
                    own_word[WORD_WIDTH +: 3] == `POSTROAD_TAG_ABORT_PACKET;
    assign own_wait = state != STATE_OWN || !free;

    always @* begin
        state_next = state;
        case (state)
            STATE_CHOOSE: if (|waits) state_next = next[MACHINES] ? STATE_OWN : STATE_LENGTH;
            STATE_LENGTH: state_next = STATE_HEAD;
            STATE_HEAD: if (free) state_next = bad || !whole || overcounted ? STATE_END : STATE_FLITS;
            STATE_FLITS: if (steps && last_flit) state_next = STATE_END;
            STATE_END: if (free) state_next = STATE_CHOOSE;
            default: if (own_ends && free) state_next = STATE_CHOOSE;
        endcase
    end

    // The flit of the next clock.
    wire [DEPTH_LOG2:0] count_index = length - TRAILER_FLITS;
    always @*
        if (state == STATE_LENGTH) read_flit = count_index[DEPTH_LOG2-1:0];
        else if (state == STATE_HEAD && free) read_flit = {DEPTH_LOG2{1'b0}};
        else read_flit = index + {{DEPTH_LOG2-1{1'b0}}, steps};

    assign arrival_taken = chosen & {MACHINES{state == STATE_END && free}};

    always @(posedge clk)
        if (reset) begin
            state   <= STATE_CHOOSE;
            served  <= FIRST;
            receive <= {WORD_WIDTH+4{1'b0}};
        end else begin
            state <= state_next;
            if (state == STATE_CHOOSE && |waits) served <= next;
            if (free) receive <= {1'b0, word};
        end

    always @(posedge clk) begin
        index <= read_flit;
        if (state == STATE_CHOOSE) chosen <= next[MACHINES-1:0];
        if (state == STATE_LENGTH) begin
            trailer <= count_index;
            bad     <= cut || length < TRAILER_FLITS;
        end
        if (state == STATE_HEAD) begin
            infos <= flit;
            step  <= 2'd0;
            crc   <= {2'b11, own_y, own_x};
            if (!whole || overcounted) bad <= 1'b1;
        end
        if (steps) begin
            crc   <= crc_next;
            upper <= joined[WORD_WIDTH-9:0];
            step  <= completes ? 2'd0 : step + 2'd1;
            if (completes && |infos) infos <= infos - 8'd1;
            if (last_flit) bad <= crc_next != 16'd0;
        end
    end

    assign quiet = state == STATE_CHOOSE && !(|waits) && !(|receive[WORD_WIDTH +: 3]);

    wire unused = &{1'b0, unused_fits};
endmodule

`default_nettype wire
