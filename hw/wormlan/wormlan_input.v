// wormlan_input: the way of the worm whose words are at the head of an input (W1, W6, W7, W10).
//
//              head: its port                     end
//   [ HEAD ] ----------------> [ asks an output ] ------> HEAD
//                                |  names no output that leads anywhere, or nothing moves for too long
//                                v
//                            [ stray ] --chosen--> [ drops its words ] --end--> HEAD
//
// MULTICAST: a worm may begin with the header of a tree, of which entries and the end are control words here.
//
//              head: an entry                                       the header's end
//   [ HEAD ] ----------------> [ asks, sends a subtree there alone ] ----------------> [ sends to all outputs ] --end--> HEAD
//                                ^ next entry |
//                                '------------'
//
// INTERRUPT: a worm whose first word has a mark is for wormlan_fork, first word and all.
//
// The word of a broadcast stays at the head while it leaves for each output that leads down the tree, and is taken then.
//
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module wormlan_input #(
    parameter PORTS     = 5,
    parameter MULTICAST = 0,
    parameter FLUSH     = 0,
    parameter INTERRUPT = 0   // the last output is wormlan_fork
) (
    input  wire             clk,
    input  wire             reset,

    // The word at the head: its kind, and its lowest bits, the port among them. Control is a forward reset, or of the header of
    // a tree.
    input  wire [1:0]       kind,
    input  wire [5:0]       code,
    input  wire             shown,
    output wire             take,

    // Outputs, a bit each: those that lead somewhere; those that the worm is for; those through which a word has left in the
    // clock before; those that belong to this worm; and those through which a word may leave, from the next clock on.
    input  wire [PORTS-1:0] usable,
    output reg  [PORTS-1:0] asks,
    input  wire [PORTS-1:0] moved,
    input  wire [PORTS-1:0] owned,
    input  wire [PORTS-1:0] go,
    input  wire [PORTS-1:0] below,   // those that lead down the tree, and the operator's
    input  wire [PORTS-1:0] idles,   // whose worm has had no word for long
    input  wire [PORTS-1:0] backs,   // to which a backward reset has come
    output wire [PORTS-1:0] leaves,  // the word leaves through this output, if it belongs to the worm
    output wire             copies,  // it is of a subtree, and leaves through one of several outputs

    // The worm is given up: in this clock no word of it may leave, and from the next one on it asks for nothing.
    input  wire             tick,     // of patience
    output reg              gives_up,
    output wire             flushed,   // FLUSH: the worm is flushed; in the clock before gives_up

    // A worm is to be dropped; one input is chosen in a clock, for each to be counted.
    output reg              stray,
    input  wire             chosen,

    output wire             event_drop,  // a word of a worm that is dropped
    output wire             busy         // time counts
);
    reg  open;   // the first word of a worm was taken
    reg  drops;
    reg  stale;  // nothing has moved since the tick before
    reg  asking; // for an output, since the clock before
    reg  may;    // a word may leave

    // The header of a tree: an entry names one more output, and the words behind it are for this one alone.
    wire control = kind == `POSTROAD_WORM_CONTROL;
    wire resets  = control && (MULTICAST == 0 || &code[5:4]);
    wire marked  = INTERRUPT != 0 && |code[5:4];
    wire to_all  = MULTICAST != 0 && kind == `POSTROAD_WORM_INFO && code == `POSTROAD_TREE_BROADCAST;
    wire ends    = kind == `POSTROAD_WORM_END || resets;
    wire head    = shown && !open;
    wire entry   = MULTICAST != 0 && control && {code[5:4], 4'd0} == `POSTROAD_TREE_ENTRY;
    wire turns   = copies && shown && control && !resets;
    wire cut     = copies && shown && resets;
    wire [PORTS-1:0] current;  // the output of the entry before; none if it leads nowhere
    wire [PORTS-1:0] to = copies ? current : asks;
    wire skips   = copies && shown && !control && !spreads && current == {PORTS{1'b0}};

    // A broadcast asks for its outputs one after the other. Its word goes to each of them but the operator's: that one it has for
    // no longer than it takes to ask for the next.
    wire            spreads, spread_ends;
    wire [PORTS-1:0] spread;  // the next output

    wire leaving = shown && may && asking && !gives_up && !(copies && control);
    assign leaves = {PORTS{leaving}} & (MULTICAST != 0 ? to : {PORTS{1'b1}});
    assign take = head && !to_all && !(marked && kind == `POSTROAD_WORM_INFO) || turns || skips || shown && drops
                  || leaving && !spreads || spread_ends;
    assign busy = open && !drops;
    assign event_drop = shown && drops || skips;
    wire done = take && open && ends;
    wire asked = |asks;
    wire moves = take || |(asks & moved) || |spread;

    // Entries stand in the order of their ports: so worms that fork at one switch do not wait for each other in a circle.
    wire names = head ? kind == `POSTROAD_WORM_INFO && !to_all || entry : turns && entry;
    wire [PORTS-1:0] named;
    genvar o;
    generate
        for (o = 0; o < PORTS; o = o + 1) begin : output_of
            assign named[o] = spread[o] || names && usable[o]
                              && (INTERRUPT != 0 && o == PORTS - 1 ? marked : !marked && {28'd0, code[3:0]} == o)
                              && (MULTICAST == 0 || !(|asks[PORTS-1:o]));
        end
        if (MULTICAST != 0) begin : tree
            reg             copying;
            reg [PORTS-1:0] branch;
            assign copies  = copying;
            assign current = branch;
            reg             spreading;
            reg [PORTS-1:0] rest;  // outputs that the broadcast has not asked for
            wire steps = spreading && !gives_up && (!(|branch) || leaving || branch[0] && owned[0]);
            assign spreads     = spreading;
            assign spread      = rest & (~rest + 1'b1) & {PORTS{steps}};
            assign spread_ends = steps && rest == {PORTS{1'b0}};
            always @(posedge clk)
                if (reset) {copying, spreading} <= 2'b00;
                else begin
                    copying   <= head ? entry || to_all : copies && !gives_up && !cut && !(turns && !entry) && !spread_ends;
                    spreading <= head ? to_all : spreading && !gives_up && !spread_ends;
                end
            always @(posedge clk) begin
                if (head || turns || steps) branch <= named;
                rest <= head ? below & usable : rest & ~spread;
            end
        end else begin : single
            assign copies  = 1'b0;
            assign current = {PORTS{1'b0}};
            assign {spreads, spread_ends, spread} = {PORTS+2{1'b0}};
        end
    endgenerate

    // A unicast that waits for an output whose worm has no word may be what this worm waits for (W12). One that has an output
    // and is flushed further on is counted there.
    wire back;
    generate
        if (FLUSH != 0) begin : flush
            reg  unicast, heard;
            wire hears = |(owned & backs);
            assign flushed = unicast && asked && !gives_up && !done && (hears || !(|owned) && |(asks & idles));
            assign back    = heard;
            always @(posedge clk) begin
                if (head) unicast <= kind == `POSTROAD_WORM_INFO && code[5:4] == 2'b00;
                heard <= !reset && flushed && hears;
            end
        end else begin : hold
            assign {flushed, back} = 2'b00;
        end
    endgenerate
    wire unused = &{1'b0, below, idles, backs};

    always @(posedge clk)
        if (reset) begin
            {open, drops, stale, asking, may, gives_up, stray} <= 7'd0;
            asks <= {PORTS{1'b0}};
        end else begin
            open     <= head || open && !done;
            asks     <= done || gives_up ? {PORTS{1'b0}} : asks | named;
            asking   <= asked && !done && !gives_up && !turns && !(|spread) && !spread_ends;
            may      <= MULTICAST != 0 ? |to && (to & ~(owned & go)) == {PORTS{1'b0}} : |(owned & go);
            stray    <= open && !asked && !drops && !chosen && !copies;
            drops    <= chosen || back || drops && !done;
            stale    <= busy && !moves && (stale || tick);
            gives_up <= asked && !gives_up && !done && (tick && stale && !moves || |(asks & ~usable) || cut || flushed);
        end

`ifdef FORMAL
    // Of the outputs: one belongs to a worm only if this asks for it, and until its end. A stray is chosen.
    reg       started = 1'b0;
    reg [1:0] ticks;  // since something has moved
    always @(posedge clk) begin
        started <= 1'b1;
        if (!started) assume (reset);
        assume ((owned & ~asks) == {PORTS{1'b0}});
        if (started && !$past(reset || done || gives_up)) assume (($past(owned) & ~owned) == {PORTS{1'b0}});
        if (started && $past(reset)) assume (owned == {PORTS{1'b0}});
        if (started) assume ((owned & $past(named)) == {PORTS{1'b0}});
        // The header of a tree ends before its worm does, or with a forward reset.
        if (copies && shown) assume (kind != `POSTROAD_WORM_END);
        if (chosen) assume (stray);
        if (MULTICAST != 0 && started && $past(shown && !take)) assume (shown && $stable(kind) && $stable(code));
        ticks <= reset || !asked || moves || gives_up ? 2'd0 : ticks + {1'b0, tick};
        if (started && !reset) begin
            if (MULTICAST == 0) assert ((asks & (asks - 1'b1)) == {PORTS{1'b0}});
            assert (asked || !asking);
            if (leaving) assert (owned != {PORTS{1'b0}});
            // A word goes to one output or to all, and none of them may be without it.
            // The word of a broadcast leaves for links alone, and once it is taken for none.
            if (spreads) assert (copies && shown && to_all && !leaves[0]);
            // It has all outputs before it asks for the next.
            if (|spread) assert ((spread & (spread - 1'b1)) == {PORTS{1'b0}} && (asks & ~owned) == {PORTS{1'b0}});
            if (MULTICAST != 0 && leaving) assert ((leaves & ~owned) == {PORTS{1'b0}} && leaves == (copies ? current : asks));
            if (copies) assert (open && !drops && (current & ~asks) == {PORTS{1'b0}});
            if (!open) assert (!asked && !drops && !stray && !gives_up && !spreads);
            if (drops) assert (!asked && !stray && !gives_up);
            if (stray) assert (!asked && !gives_up);
            if (gives_up) assert (asked);
            if (take) assert (shown && !(open && stray));
            // Two ticks without a move, and it is given up.
            assert (ticks < 2'd2 || gives_up);
            if (asked && !gives_up) assert (stale == (ticks != 2'd0));
            // Entries stand in the order of their ports; a header that is cut gives all of them back.
            if (MULTICAST != 0 && |named) assert (named > asks);
            if (!$past(reset) && $past(cut && asked && !gives_up)) assert (gives_up);
            if (!$past(reset) && $past(gives_up)) assert (!asked);
            if (!$past(reset) && $past(|(asks & ~usable) && !gives_up && !done)) assert (gives_up);
            // What is flushed is a unicast that waits, or has a way on which it is flushed.
            if (flushed) assert (!copies && (asks & (asks - 1'b1)) == {PORTS{1'b0}} && |(owned & backs | asks & idles & ~owned));
            if (!$past(reset) && $past(flushed)) assert (gives_up);
            cover (gives_up && ticks == 2'd2);
            cover (MULTICAST == 0 || spread_ends && asks == {PORTS{1'b1}});
            cover (FLUSH == 0 || $past(back) && drops);
            cover (drops && done);
            cover (done && leaves);
        end
    end
`endif
endmodule

`default_nettype wire
