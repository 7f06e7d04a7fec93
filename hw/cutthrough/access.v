// access: which net_input one net_output listens to (August paper 4.5; rules U1, U4).
//
// Grants the net_output to one of those that ask, and is free again in the clock after a terminator has crossed, or the
// branch was released. Who is granted it has it from the next clock on. Those that ask are served in a circle that begins
// behind the last owner, so that it is fair. When nobody asks it listens to source 0, from which packets go straight on.
// SPDX-License-Identifier: ISC
`default_nettype none

module access #(
    parameter SOURCES = 4,
    parameter SELECT  = SOURCES < 2 ? 1 : $clog2(SOURCES)  // follows
) (
    input  wire               clk,
    input  wire               reset,

    // Sources. asks: from flops. straight: source 0 shows a head that goes straight on; it comes late in the clock.
    input  wire [SOURCES-1:0] asks,
    input  wire               straight,
    input  wire [SOURCES-1:0] copying,   // who is granted it has it as part of a split packet

    input  wire               ready,     // net_output: can load
    input  wire               ends,      // the connection ends with this clock
    input  wire               singles,   // goes on as a connection like any other

    output reg  [SELECT-1:0]  select,
    output reg                owned,
    output reg                copy,      // and as part of a split packet
    output wire               grants_copy,
    output wire               passes     // a head goes straight on in this clock
);
    wire any = |asks;
    wire grants = !owned && ready && any;
    assign passes = !owned && ready && !any && select == {SELECT{1'b0}} && straight;

    // The next that asks behind the one selected; none: the first source.
    reg  [SELECT-1:0] next;
    integer k;
    always @* begin
        next = {SELECT{1'b0}};
        for (k = SOURCES - 1; k >= 0; k = k - 1) if (asks[k]) next = k[SELECT-1:0];
        for (k = SOURCES - 1; k >= 0; k = k - 1) if (asks[k] && k[SELECT-1:0] > select) next = k[SELECT-1:0];
    end

    assign grants_copy = grants && copying[next];

    always @(posedge clk)
        if (reset) begin
            owned  <= 1'b0;
            copy   <= 1'b0;
            select <= {SELECT{1'b0}};
        end else begin
            owned <= owned ? !ends : grants || passes;
            copy  <= owned ? copy && !ends && !singles : grants_copy;
            if (!owned && (ready || !any)) select <= next;
        end

`ifdef FORMAL
    // U1: while `patient` asks and is not served, each other source gets the output at most once. `rival` is any other.
    (* anyconst *) reg [SELECT-1:0] patient, rival;
    reg [SELECT-1:0] owner;
    reg [SOURCES-1:0] copying_before;
    reg rival_served;
    reg past_valid = 1'b0;
    wire waits = asks[patient] && !(owned && select == patient);  // an owner asks for a branch that it has (M3)

    // The circle from one source to another.
    function integer distance(input [SELECT-1:0] from, input [SELECT-1:0] to);
        distance = to >= from ? to - from : to + SOURCES - from;
    endfunction

    always @(posedge clk) begin
        past_valid <= 1'b1;
        if (!past_valid) assume (reset);
        assume (patient < SOURCES && rival < SOURCES && patient != rival);
        copying_before <= copying;
        if (grants || passes) owner <= grants ? next : {SELECT{1'b0}};
        rival_served <= !reset && waits && !(grants && next == patient) && (rival_served || (grants && next == rival));

        if (past_valid && !reset) begin
            assert (select < SOURCES);
            // U4: one owner at a time, who has it until it ends, and nobody else in that clock.
            if (owned) assert (select == owner && !grants && !passes);
            if (!$past(reset)) begin
                assert (owned == ($past(owned) ? !$past(ends) : $past(grants || passes)));
                if ($past(owned)) assert (select == $past(select));
                // A branch or a split is what was granted as one; it stays one until it ends, or goes on as any other.
                assert (copy == ($past(owned) ? $past(copy) && !$past(ends || singles)
                                              : $past(grants) && copying_before[select]));
            end
            assert (!copy || owned);
            // Who gets it asks, and a head that goes straight on is no rival of anybody who asks.
            if (grants) assert (asks[next] && ready && !passes);
            if (passes) assert (asks == {SOURCES{1'b0}} && select == {SELECT{1'b0}} && ready && straight);
            // Fairness. Once served, the rival lies behind `patient` in the circle.
            if (rival_served && waits) begin
                assert (!(grants && next == rival));
                assert (select != patient && (select == rival || distance(select, rival) > distance(select, patient)));
            end
            // Nothing is wasted: a free output is taken in the clock in which somebody asks and it is ready, and behind a clock
            // in which nobody asked it listens straight on.
            if (!owned && ready && |asks) assert (grants);
            if ($past(!reset && !owned && !(|asks) && !passes)) assert (select == {SELECT{1'b0}});
            if (!owned && ready && straight && asks == {SOURCES{1'b0}} && select == {SELECT{1'b0}}) assert (passes);
            cover (rival_served && grants && next == patient && select != rival);
            cover (copy && ends);
            cover (passes && $past(owned, 2));
        end
    end
`endif
endmodule

`default_nettype wire
