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
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module wormlan_input #(
    parameter PORTS     = 5,
    parameter MULTICAST = 0
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
    output wire [PORTS-1:0] leaves,  // the word leaves through this output, if it belongs to the worm
    output wire             copies,  // it is of a subtree, and leaves through one of several outputs

    // The worm is given up: in this clock no word of it may leave, and from the next one on it asks for nothing.
    input  wire             tick,     // of patience
    output reg              gives_up,

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
    wire ends    = kind == `POSTROAD_WORM_END || resets;
    wire head    = shown && !open;
    wire entry   = MULTICAST != 0 && control && {code[5:4], 4'd0} == `POSTROAD_TREE_ENTRY;
    wire turns   = copies && shown && control && !resets;
    wire cut     = copies && shown && resets;
    wire [PORTS-1:0] current;  // the output of the entry before; none if it leads nowhere
    wire [PORTS-1:0] to = copies ? current : asks;
    wire skips   = copies && shown && !control && current == {PORTS{1'b0}};

    wire leaving = shown && may && asking && !gives_up && !(copies && control);
    assign leaves = {PORTS{leaving}} & (MULTICAST != 0 ? to : {PORTS{1'b1}});
    assign take = head || turns || skips || shown && drops || leaving;
    assign busy = open && !drops;
    assign event_drop = shown && drops || skips;
    wire done = take && open && ends;
    wire asked = |asks;
    wire moves = take || |(asks & moved);

    // Entries stand in the order of their ports: so worms that fork at one switch do not wait for each other in a circle.
    wire names = head ? kind == `POSTROAD_WORM_INFO || entry : turns && entry;
    wire [PORTS-1:0] named;
    genvar o;
    generate
        for (o = 0; o < PORTS; o = o + 1) begin : output_of
            assign named[o] = names && {28'd0, code[3:0]} == o && usable[o] && (MULTICAST == 0 || !(|asks[PORTS-1:o]));
        end
        if (MULTICAST != 0) begin : tree
            reg             copying;
            reg [PORTS-1:0] branch;
            assign copies  = copying;
            assign current = branch;
            always @(posedge clk)
                if (reset) copying <= 1'b0;
                else copying <= head ? entry : copies && !gives_up && !cut && !(turns && !entry);
            always @(posedge clk) if (head || turns) branch <= named;
        end else begin : single
            assign copies  = 1'b0;
            assign current = {PORTS{1'b0}};
        end
    endgenerate

    always @(posedge clk)
        if (reset) begin
            {open, drops, stale, asking, may, gives_up, stray} <= 7'd0;
            asks <= {PORTS{1'b0}};
        end else begin
            open     <= head || open && !done;
            asks     <= done || gives_up ? {PORTS{1'b0}} : asks | named;
            asking   <= asked && !done && !gives_up && !turns;
            may      <= MULTICAST != 0 ? |to && (to & ~(owned & go)) == {PORTS{1'b0}} : |(owned & go);
            stray    <= open && !asked && !drops && !chosen && !copies;
            drops    <= chosen || drops && !done;
            stale    <= busy && !moves && (stale || tick);
            gives_up <= asked && !gives_up && !done && (tick && stale && !moves || |(asks & ~usable) || cut);
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
        ticks <= reset || !asked || moves || gives_up ? 2'd0 : ticks + {1'b0, tick};
        if (started && !reset) begin
            if (MULTICAST == 0) assert ((asks & (asks - 1'b1)) == {PORTS{1'b0}});
            assert (asked || !asking);
            if (leaving) assert (owned != {PORTS{1'b0}});
            // A word goes to one output or to all, and none of them may be without it.
            if (MULTICAST != 0 && leaving) assert ((leaves & ~owned) == {PORTS{1'b0}} && leaves == (copies ? current : asks));
            if (copies) assert (open && !drops && (current & ~asks) == {PORTS{1'b0}});
            if (!open) assert (!asked && !drops && !stray && !gives_up);
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
            cover (gives_up && ticks == 2'd2);
            cover (drops && done);
            cover (done && leaves);
        end
    end
`endif
endmodule

`default_nettype wire
