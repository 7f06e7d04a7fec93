// csr_express: the express paths of a module (C13): which link shows what an express shows that comes in, and the way back.
//
//   header comes in on an idle link --> the link that it asks for, if that is free --> words and symbols follow it
//                                         ^                                                        |
//                                         +-- reserved traffic, `closed`, or nothing comes in <----+
//
// An express is marked on its way forward, and on its way back a level says that it goes on to its target. On the forward link
// both have the same wire: so one express uses a cable at a time. Two that begin on it in the same clock both end.
// SPDX-License-Identifier: ISC
`default_nettype none

module csr_express (
    input  wire       clk,
    input  wire       halted,
    input  wire       closed,          // there is reserved traffic: nothing passes (C13)

    // What comes in, [0] over the internal link, [1] over the forward link. head: a header, after nothing; alive: a header, a
    // word, or the symbol that holds the path; other symbols end it. goes: [2*s + o] the header of in s asks for link o.
    input  wire [1:0] mark,
    input  wire [1:0] head,
    input  wire [1:0] alive,
    input  wire [1:0] symbol,          // no mark, and nothing that is reserved
    input  wire [3:0] goes,

    // Links out. busy: reserved in this slot; needed: it shows what is reserved next. hears: an express comes in over the cable.
    input  wire [1:0] busy,
    input  wire [1:0] needed,
    input  wire       hears,
    input  wire [1:0] acknowledge_in,  // the level of what went out; on the cable: the mark of what comes in

    output wire [1:0] passes,          // the link shows next what comes in,
    output wire [1:0] from_1,          // over the forward link
    output wire [1:0] marker_next,
    output reg  [1:0] marker,
    output wire [1:0] back,            // the level of what comes in, next
    output wire       speaks,          // the wire of the cable shows the level of what goes out
    output wire       quiet
);
    reg  [1:0] of_1, of_0;             // paths from in 1 and in 0 to each link
    reg        spoke;
    wire       collides = (of_1[1] || of_0[1]) && !spoke && acknowledge_in[1];
    wire [1:0] free = ~(of_1 | of_0 | busy | needed) & ~{hears || acknowledge_in[1], 1'b0} & {2{!closed}};
    wire [1:0] opens_1 = goes[3:2] & {2{head[1]}} & free;
    wire [1:0] opens_0 = goes[1:0] & {2{head[0]}} & free & ~opens_1;
    wire [1:0] kept    = ~needed & ~{collides, 1'b0} & {2{!closed}};
    wire [1:0] goes_1  = of_1 & kept & {2{mark[1] || symbol[1]}};
    wire [1:0] goes_0  = of_0 & kept & {2{mark[0] || symbol[0]}};

    assign from_1      = opens_1 | goes_1;
    assign passes      = from_1 | opens_0 | goes_0;
    assign marker_next = ({2{mark[1]}} & from_1 | {2{mark[0]}} & (opens_0 | goes_0)) & {2{!halted}};
    assign back        = {|(of_1 & acknowledge_in), |(of_0 & acknowledge_in)} & alive & {2{!closed}};
    assign speaks      = spoke;   // from the clock behind the header on, as no level is there before
    assign quiet       = {of_1, of_0, spoke, marker} == 7'd0;

    always @(posedge clk)
        if (halted) {of_1, of_0, spoke, marker} <= 7'd0;
        else begin
            of_1   <= opens_1 | goes_1 & {2{alive[1]}};
            of_0   <= opens_0 | goes_0 & {2{alive[0]}};
            spoke  <= of_1[1] || of_0[1];
            marker <= marker_next;
        end
endmodule

`default_nettype wire
