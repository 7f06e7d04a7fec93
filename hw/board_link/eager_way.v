// eager_way: lets the unicasts that arrive by one link go straight on by the opposite one, bit by bit: the mad postman. It
// decides for each frame, while the frame arrives, whether its bits may leave, and in the end whether they should have left.
//
//   may_begin (nothing of this link before it), clear (nothing of the fabric on the opposite link)
//      |
//   idle ------------------> guessing ------------------------------> connected ----------------------> idle
//      ^   tag[2] = 1            | no unicast head, target not           |      terminator forwarded,
//      |                         | straight on: the frame dies           |      or popped from the queue
//      '-------------------------'                                       |
//                                             link ahead down, or it has lost a frame: the rest is discarded
//
//   clock (a bit is 4)   0     4     8     12    16    20          36                 100               132
//   line in              start t2    t1    t0    first report port word 15 ... 0      check 7 ... 0     idle
//   line out                   ... 7.5: start t2   t1    t0    first report port word 15 ... 0   check 7 ... 0
//   decided                    |     |                                                ^ straight on? else the frame dies
//                              |     tag[1] = 0: a status frame leaves
//                              tag[2] = 1, nothing before it, output free: it begins
//
// While connected, further frames leave bit by bit too if nothing is queued before them (`following`), else from the queue. A
// target is straight on if its coordinate on this axis is not this site's: what dimension order gives for a packet that came
// in by this port, on a grid and on a torus (dimension_order.v).
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module eager_way #(
    parameter PORT_FLIP = 1,  // as frame_verdict's
    parameter FORWARDS  = 1   // 0: no head goes on before it is whole
) (
    input  wire        clk,
    input  wire        reset,
    input  wire [1:0]  link,        // by which the frames arrive
    input  wire [6:0]  here,        // this site's coordinate on the axis of that link

    // eager_arrival
    input  wire        strobe,
    input  wire [5:0]  place,
    input  wire        value,
    input  wire [23:0] frame,
    input  wire        may_begin,
    input  wire        arrived,
    input  wire        fits,
    input  wire        accepted,
    input  wire        begins,
    output wire        gone,
    output reg         connected,
    output wire        keeps,       // the fabric's reset leaves the packet of this link alone
    input  wire        queued,
    input  wire [2:0]  oldest,      // its tag
    output wire        pop,

    // eager_departure of the opposite link
    input  wire        clear,       // a head may take the output
    input  wire        free,        // the line is
    input  wire        stopped,     // the far end wants no words
    input  wire        broken,      // it has lost a frame, or the link is down
    output wire        forwards,
    output wire        abandons,
    output wire        spoils,
    output wire        holds,       // the output is this packet's
    output wire        offers,      // a queued word is to be sent
    input  wire        takes,
    output wire        owes         // pulse: a packet ends here that the far end may have open
);
    localparam [1:0] FLIP = PORT_FLIP;

    reg discards, guessing, following;

    function ends(input [2:0] tag);
        ends = tag == `POSTROAD_TAG_END_OF_PACKET || tag == `POSTROAD_TAG_ABORT_PACKET;
    endfunction

    // The frame, as far as it decides. Valid from the 25th strobe on.
    wire [6:0] there    = link[1] ? frame[13:7] : frame[6:0];
    wire       first    = frame[20];
    wire       foreign  = frame[17:16] != (link ^ FLIP);
    wire       straight = frame[23:21] == `POSTROAD_TAG_UNICAST_SITE && first && there != here;
    wire       right    = !foreign && (guessing ? straight : following && !first && !discards);

    wire       start    = strobe && place == 6'd0 && free;
    wire       guesses  = start && value && may_begin && clear && !connected && FORWARDS != 0;
    wire       follows  = start && holds && !queued && !stopped;
    wire       connects = arrived && accepted && begins && guessing && right;
    wire       breaks   = holds && broken;
    wire       over     = (gone && following && ends(frame[23:21])) || (pop && ends(oldest));

    wire unused = &{1'b0, frame[19:18], frame[15:14]};

    assign forwards = guesses || follows;
    assign abandons = strobe && place == 6'd1 && guessing && !value;
    assign spoils   = !right;
    assign gone     = arrived && accepted && (guessing || following) && right;
    assign keeps    = connected || gone;   // a head that has just gone connects
    assign holds    = connected && !discards;
    assign offers   = holds && queued && !stopped;
    assign pop      = connected && queued && (discards || takes);
    assign owes     = breaks || (arrived && fits && guessing && right && !connects);

    always @(posedge clk)
        if (reset) begin
            connected <= 1'b0;
            discards  <= 1'b0;
            guessing  <= 1'b0;
            following <= 1'b0;
        end else begin
            connected <= connects || (connected && !over);
            discards  <= (discards || breaks) && !over;
            guessing  <= guesses || (guessing && !arrived && !abandons && !start);
            following <= follows || (following && !arrived && !start);
        end
endmodule

`default_nettype wire
