// wormlan_input: the way of the worm whose words are at the head of an input (W1, W6, W7).
//
//              head: its port                     end
//   [ HEAD ] ----------------> [ asks an output ] ------> HEAD
//                                |  names no output that leads anywhere, or nothing moves for too long
//                                v
//                            [ stray ] --chosen--> [ drops its words ] --end--> HEAD
//
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module wormlan_input #(
    parameter PORTS = 5
) (
    input  wire             clk,
    input  wire             reset,

    // The word at the head: its kind, and the port in it. Control is a forward reset.
    input  wire [1:0]       kind,
    input  wire [3:0]       port,
    input  wire             shown,
    output wire             take,

    // Outputs, a bit each: those that lead somewhere; the one that the worm is for; those through which a word has left in the
    // clock before; the one that belongs to this worm; and those through which a word may leave, from the next clock on.
    input  wire [PORTS-1:0] usable,
    output reg  [PORTS-1:0] asks,
    input  wire [PORTS-1:0] moved,
    input  wire [PORTS-1:0] owned,
    input  wire [PORTS-1:0] go,
    output wire             leaves,  // the word leaves through the output that belongs to the worm

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

    wire ends = kind == `POSTROAD_WORM_END || kind == `POSTROAD_WORM_CONTROL;
    wire head = shown && !open;
    assign leaves = shown && may && asking && !gives_up;
    assign take = head || shown && drops || leaves;
    assign busy = open && !drops;
    assign event_drop = shown && drops;
    wire done = take && open && ends;
    wire asked = |asks;
    wire moves = take || |(asks & moved);

    wire [PORTS-1:0] named;
    genvar o;
    generate
        for (o = 0; o < PORTS; o = o + 1) begin : output_of
            assign named[o] = head && kind == `POSTROAD_WORM_INFO && {28'd0, port} == o && usable[o];
        end
    endgenerate

    always @(posedge clk)
        if (reset) begin
            {open, drops, stale, asking, may, gives_up, stray} <= 7'd0;
            asks <= {PORTS{1'b0}};
        end else begin
            open     <= head || open && !done;
            asks     <= done || gives_up ? {PORTS{1'b0}} : asks | named;
            asking   <= asked && !done && !gives_up;
            may      <= |(owned & go);
            stray    <= open && !asked && !drops && !chosen;
            drops    <= chosen || drops && !done;
            stale    <= busy && !moves && (stale || tick);
            gives_up <= asked && !gives_up && !done && (tick && stale && !moves || |(asks & ~usable));
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
        if (started && $past(reset || named != {PORTS{1'b0}})) assume (owned == {PORTS{1'b0}});
        if (chosen) assume (stray);
        ticks <= reset || !asked || moves || gives_up ? 2'd0 : ticks + {1'b0, tick};
        if (started && !reset) begin
            assert ((asks & (asks - 1'b1)) == {PORTS{1'b0}} && (asked || !asking));
            if (leaves) assert (owned != {PORTS{1'b0}});
            if (!open) assert (!asked && !drops && !stray && !gives_up);
            if (drops) assert (!asked && !stray && !gives_up);
            if (stray) assert (!asked && !gives_up);
            if (gives_up) assert (asked);
            if (take) assert (shown && !(open && stray));
            // Two ticks without a move, and it is given up.
            assert (ticks < 2'd2 || gives_up);
            if (asked && !gives_up) assert (stale == (ticks != 2'd0));
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
