// access: the round-robin arbiter of one net_output. It selects the net_input that the net_output is connected to (August
// paper 4.5; rules U1, U4).
//
// A grant takes effect in the next clock. The owner keeps the net_output until its terminator has crossed or its branch is
// released; the net_output is free in the clock after that. The round begins behind the last owner, which makes the
// arbitration fair. Without a request the net_output selects source 0, from which packets go straight on.
//
// A grant lapses at the pulse that ages heads if the head has not crossed, because the link has become `wait`. The head then
// requests again, and may be diverted. Without this, four heads in a ring that are all stopped in that clock would wait for each
// other for ever (U4; tests/rtl/mesh_scenarios_tb.v has the ring). A board link is open for one clock now and then: a grant that
// lapsed at once would never meet it. Where the order of the ways leaves no ring, a grant need not lapse. A branch of a split
// packet stays: it times out (M6).
// SPDX-License-Identifier: ISC
`default_nettype none

module access #(
    parameter SOURCES = 4,
    parameter SELECT  = SOURCES < 2 ? 1 : $clog2(SOURCES)  // follows
) (
    input  wire               clk,
    input  wire               reset,
    input  wire               rings,     // constant: packets may wait for each other in a ring
    input  wire               expires,   // pulse that ages a waiting head

    // Sources. asks: the requests, from flops. straight: source 0 shows a head that goes straight on; late in the clock.
    input  wire [SOURCES-1:0] asks,
    input  wire               straight,
    input  wire [SOURCES-1:0] copying,   // a grant to this source is part of a split packet

    input  wire               ready,     // net_output: can load
    input  wire               ends,      // the connection ends with this clock
    input  wire               unsplits,  // the owner's packet is split no more: the branch continues as an ordinary connection

    output reg  [SELECT-1:0]  select,
    output reg                owned,
    output reg                copy,      // the owner has it as part of a split packet
    output wire               passes     // a head goes straight on in this clock
);
    reg  granted;                        // by a request, not as a branch, and the head has not crossed
    wire any    = |asks;
    wire grants = !owned && ready && any;
    wire lapses = rings && granted && expires && !ready && !copy;
    assign passes = !owned && ready && !any && select == {SELECT{1'b0}} && straight;

    // The next request behind the selected source in the round; source 0 if there is none.
    reg  [SELECT-1:0] next;
    integer k;
    always @* begin
        next = {SELECT{1'b0}};
        for (k = SOURCES - 1; k >= 0; k = k - 1) if (asks[k]) next = k[SELECT-1:0];
        for (k = SOURCES - 1; k >= 0; k = k - 1) if (asks[k] && k[SELECT-1:0] > select) next = k[SELECT-1:0];
    end

    always @(posedge clk)
        if (reset) begin
            owned   <= 1'b0;
            copy    <= 1'b0;
            granted <= 1'b0;
            select  <= {SELECT{1'b0}};
        end else begin
            owned   <= owned ? !ends && !lapses : grants || passes;
            copy    <= owned ? copy && !ends && !unsplits : grants && copying[next];
            granted <= owned ? granted && !copy && !ready && !ends && !lapses : grants;
            if (!owned && (ready || !any)) select <= next;
        end

`ifdef FORMAL
    // U1: while the request of `patient` waits, each other source is granted the output at most once. `rival` is any of these.
    (* anyconst *) reg [SELECT-1:0] patient, rival;
    reg [SELECT-1:0] owner;
    reg [SOURCES-1:0] copying_before;
    reg rival_served, crossed;           // crossed: the owner has moved a word, or was a branch
    reg past_valid = 1'b0;
    wire waits = asks[patient] && !(owned && select == patient);  // an owner may request a branch that it has (M3)

    // Steps of the round from one source to another.
    function integer distance(input [SELECT-1:0] from, input [SELECT-1:0] to);
        distance = to >= from ? to - from : to + SOURCES - from;
    endfunction

    always @(posedge clk) begin
        past_valid <= 1'b1;
        if (!past_valid) assume (reset);
        assume (patient < SOURCES && rival < SOURCES && patient != rival);
        copying_before <= copying;
        if (grants || passes) owner <= grants ? next : {SELECT{1'b0}};
        crossed <= !grants && (passes || crossed || ready || copy);
        rival_served <= !reset && waits && !(grants && next == patient) && (rival_served || (grants && next == rival));

        if (past_valid && !reset) begin
            assert (select < SOURCES);
            // U4: the output has one owner at a time until the connection ends, and grants nothing meanwhile.
            if (owned) assert (select == owner && !grants && !passes);
            if (!$past(reset)) begin
                // A connection lasts until it ends, or until a pulse before which its head could not cross.
                assert (owned == ($past(owned) ? !$past(ends || lapses) : $past(grants || passes)));
                assert (lapses == (rings && expires && owned && !crossed && !ready && !copy));
                if ($past(owned)) assert (select == $past(select));
                // A connection is part of a split packet if it was granted as such, until it ends or becomes an ordinary one.
                assert (copy == ($past(owned) ? $past(copy) && !$past(ends || unsplits)
                                              : $past(grants) && copying_before[select]));
            end
            assert (!copy || owned);
            if (!copy) assert (granted == (owned && !crossed));
            // A grant answers a request. A head goes straight on only while there is no request.
            if (grants) assert (asks[next] && ready && !passes);
            if (passes) assert (asks == {SOURCES{1'b0}} && select == {SELECT{1'b0}} && ready && straight);
            // Fairness: once served, the rival lies behind `patient` in the round.
            if (rival_served && waits) begin
                assert (!(grants && next == rival));
                assert (select != patient && (select == rival || distance(select, rival) > distance(select, patient)));
            end
            // Work conservation: an output that is free and ready is granted in the clock of a request. After a clock without
            // a request it selects straight on.
            if (!owned && ready && |asks) assert (grants);
            if ($past(!reset && !owned && !(|asks) && !passes)) assert (select == {SELECT{1'b0}});
            if (!owned && ready && straight && asks == {SOURCES{1'b0}} && select == {SELECT{1'b0}}) assert (passes);
            cover (rival_served && grants && next == patient && select != rival);
            cover (copy && ends);
            cover (lapses && rival_served);
            cover (passes && $past(owned, 2));
        end
    end
`endif
endmodule

`default_nettype wire
