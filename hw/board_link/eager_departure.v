// eager_departure: the sending half of a link. It chooses what the line carries next: a frame of the opposite link that is
// forwarded bit by bit, a word of a packet that was so begun, a word of the fabric, or a status frame.
//
//   the line is idle, and ...                                      then leaves
//   a packet was broken off that the far end may have open         status frame, before anything else
//   a connected way has a queued word, the far end accepts words   that word
//   the fabric shows a word, no way is connected, likewise         that word
//   a frame begins to arrive that may be forwarded                 that frame, bit by bit
//   nothing was sent for 256 bit times, or the report has changed, or
//   the far end has lost a frame                                   status frame
//
// A packet of the fabric and one that goes straight on exclude each other. A word of the fabric that waits is first when the
// other packet ends: eager_way takes no head while one waits, nor in the pause behind a terminator.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module eager_departure #(
    parameter [1:0] LINK = 0
) (
    input  wire        clk,           // four times the bit rate
    input  wire        step,          // the edge at the end of this clock is one of the fabric's clock
    input  wire        reset,
    input  wire        fabric_reset,
    input  wire        bit_time,      // 1 in one of four clocks
    output wire        line,

    // Fabric: its contract of a link.
    input  wire [18:0] link_out,
    output wire        link_out_wait,
    input  wire [15:0] status,        // what status frames carry

    // The other half of this link.
    input  wire [1:0]  report,
    input  wire        down,
    input  wire        stopped,
    input  wire        lost,          // the far end has lost a frame
    input  wire        knows_dead,    // the far end ignores dead frames: a guess does no harm

    // eager_way of the opposite direction
    output wire        clear,
    output wire        free,
    output wire        broken,
    input  wire        forwards,
    input  wire        abandons,
    input  wire        spoils,
    input  wire        bit_in,
    input  wire        mismatch,
    input  wire        holds,
    input  wire        offers,
    input  wire [18:0] offered,
    output wire        takes,
    input  wire        owes,

    output wire        sent_word      // pulse for a counter
);
    reg  [7:0] silence;               // bit times since a frame was begun
    reg  [1:0] reported;
    reg        owing;                 // a status frame, after a packet that was broken off
    reg        bit_begins;
    wire       own_first, idle, line_free;

    // While the link is down nothing but status frames is sent, in step with line_access, which looks at the wire then.
    wire word_waits = link_out_wait && !holds && !stopped && !down;
    wire fabric_now = idle && step && word_waits && !owing;
    wire status_now = idle && !forwards && (!down || bit_begins) &&
                      (owing || (!takes && !word_waits && (&silence || lost || reported != report)));
    wire starts     = takes || fabric_now || status_now;
    wire follows    = forwards && holds;   // a guess may die on its way, and its report with it

    assign takes       = idle && offers && !owing && !down;
    assign clear       = knows_dead && own_first && !link_out_wait && !holds && !stopped && !owing && !down &&
                         !fabric_reset;
    assign free        = line_free || (idle && !owing && !word_waits);
    assign broken      = down || lost;
    assign sent_word   = takes || fabric_now;

    eager_fabric_port fabric_port (
        .clk(clk), .step(step), .reset(reset || fabric_reset), .tag(link_out[18:16]), .waits(link_out_wait), .broken(broken),
        .down(down),
        .takes(fabric_now), .first(own_first));

    eager_sender sender (
        .clk(clk), .reset(reset), .line(line), .idle(idle), .starts(starts),
        .word(takes ? offered : fabric_now ? link_out : 19'd0), .first(own_first && !holds), .report(report), .port(LINK),
        .status(status), .free(line_free), .forwards(forwards), .abandons(abandons), .spoils(spoils), .bit_in(bit_in),
        .mismatch(mismatch));

    always @(posedge clk) bit_begins <= bit_time;

    always @(posedge clk)
        if (reset) begin
            silence  <= 8'd0;
            reported <= 2'd0;
            owing    <= 1'b0;
        end else begin
            owing    <= (owing && !status_now) || owes;
            if (starts || follows) begin
                silence  <= 8'd0;
                reported <= report;
            end else if (bit_time && !(&silence)) silence <= silence + 8'd1;
        end
endmodule

`default_nettype wire
