// wormlan_output: which input an output belongs to, from the grant to the end of its worm (W1, W7).
//
// Inputs take turns: the first one that asks, from the one behind the last one on. A worm that was given up while it had the
// output ends there with a forward reset. FLUSH: it says whether its worm has had no word for long (W12).
// SPDX-License-Identifier: ISC
`default_nettype none

module wormlan_output #(
    parameter PORTS = 5,      // inputs
    parameter FLUSH = 0,
    parameter INTERRUPT = 0   // the last input is wormlan_fork
) (
    input  wire             clk,
    input  wire             reset,

    // Inputs, a bit each: its worm is for this output; its word leaves here, if this output belongs to it; it is the last one;
    // its worm is given up.
    input  wire [PORTS-1:0] asks,
    input  wire [PORTS-1:0] leaves,
    input  wire [PORTS-1:0] last,
    input  wire [PORTS-1:0] gives_up,
    input  wire             interrupts,  // INTERRUPT: that of the last input is, until it asks again

    input  wire             usable,  // it leads somewhere
    input  wire             go,      // a word, or a forward reset, may leave in the next clock
    output reg  [PORTS-1:0] owner,   // the input that it belongs to, one bit
    output wire [PORTS-1:0] takes,   // the word of this input leaves
    output wire             resets,  // a forward reset leaves
    output wire             fragment,  // INTERRUPT: no forward reset, but the end of a fragment
    output wire             ending,    // one of the two is due
    output wire             holds,   // it belongs to a worm that has no word in this clock
    output reg              moved,   // one of the two left in the clock before
    output wire             stalls,  // a word may not leave
    input  wire             tick_slack,
    output wire             idles,   // FLUSH: from one tick_slack to the next its worm had no word, though one might have left
    output wire             quiet
);
    reg  [PORTS-1:0]   turn;  // whose the next one is, one bit
    reg                cut;   // a forward reset is due
    reg                may;
    wire               free    = owner == {PORTS{1'b0}} && !cut;
    wire [PORTS-1:0]   request = asks & ~gives_up;
    wire [2*PORTS-1:0] twice   = {request, request};
    wire [2*PORTS-1:0] lowest  = twice & ~(twice - {{PORTS{1'b0}}, turn});
    wire [PORTS-1:0]   grant   = (lowest[PORTS-1:0] | lowest[2*PORTS-1:PORTS]) & {PORTS{free}};

    assign takes  = owner & leaves;
    assign resets = cut && may;
    assign holds  = owner != {PORTS{1'b0}} && takes == {PORTS{1'b0}} || cut && !may;
    assign stalls = owner != {PORTS{1'b0}} && !may;
    assign quiet  = owner == {PORTS{1'b0}} && !cut && !moved;
    assign ending = cut;

    generate
        if (INTERRUPT != 0) begin : parts
            reg part;
            assign fragment = part;
            always @(posedge clk) if (|(owner & gives_up)) part <= interrupts && owner[PORTS-1];
        end else begin : whole
            assign fragment = 1'b0;
            wire unused_interrupts = &{1'b0, interrupts};
        end
    endgenerate

    always @(posedge clk)
        if (reset) begin
            owner <= {PORTS{1'b0}};
            turn  <= {{PORTS-1{1'b0}}, 1'b1};
            cut   <= 1'b0;
            moved <= 1'b0;
            may   <= 1'b0;
        end else begin
            may   <= go;
            owner <= owner & ~(takes & last) & ~gives_up | grant;
            if (|grant) turn <= {grant[PORTS-2:0], grant[PORTS-1]};
            cut   <= usable && (|(owner & gives_up) || cut && !may);
            moved <= |takes || resets;
        end

    // The paper's multicast-IDLE.
    generate
        if (FLUSH != 0) begin : flush
            reg since, idle;
            wire empty = owner != {PORTS{1'b0}} && takes == {PORTS{1'b0}};
            assign idles = idle;
            always @(posedge clk)
                if (reset || !empty) {since, idle} <= 2'b00;
                else if (tick_slack) {since, idle} <= {may, since && may};
        end else begin : wait_only
            assign idles = 1'b0;
        end
    endgenerate
    wire unused = &{1'b0, tick_slack};

`ifdef FORMAL
    // Of the inputs: one that asks does so until the last word of its worm has left, or the worm is given up, and then for a
    // clock for nothing.
    (* anyconst *) reg [PORTS-1:0] watched;  // an input, one bit
    reg  [PORTS-1:0] served = {PORTS{1'b0}}; // since it began to wait
    reg              started = 1'b0;
    wire [PORTS-1:0] ended  = takes & last | gives_up;
    wire             waits  = |(watched & asks & ~owner & ~gives_up);

    always @(posedge clk) begin
        started <= 1'b1;
        if (!started) assume (reset);
        assume ((watched & (watched - 1'b1)) == {PORTS{1'b0}} && |watched);
        assume ((gives_up & ~asks) == {PORTS{1'b0}} && (leaves & (gives_up | ~asks)) == {PORTS{1'b0}});
        if (started && $past(reset)) assume (asks == {PORTS{1'b0}});
        else if (started) begin
            assume (($past(ended) & asks) == {PORTS{1'b0}});
            assume (($past(asks & ~ended) & ~asks) == {PORTS{1'b0}});
        end
        served <= reset || !waits ? {PORTS{1'b0}} : served | grant;
        if (started && !reset) begin
            assert ((owner & (owner - 1'b1)) == {PORTS{1'b0}});
            assert ((owner & ~asks) == {PORTS{1'b0}});
            assert ((turn & (turn - 1'b1)) == {PORTS{1'b0}} && |turn);
            assert (!(cut && |owner));
            if (|takes) assert ((takes & ~owner) == {PORTS{1'b0}});
            if (waits) assert ((served & grant) == {PORTS{1'b0}});
            if (!$past(reset)) assert (($past(owner & ~ended) & ~owner) == {PORTS{1'b0}});
            if (!$past(reset) && |($past(owner & gives_up)) && $past(usable)) assert (cut);
            if (!$past(reset) && $past(cut && !may && usable)) assert (cut);
            cover (waits && served == ~watched);
            cover (resets);
        end
    end
`endif
endmodule

`default_nettype wire
