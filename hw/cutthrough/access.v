// access: which net_input one net_output listens to (August paper 4.5; rules U1, U4).
//
// Listens to one source at a time. When nobody owns it and the source it listens to wants it, that source has it in the
// same clock; otherwise it turns to the next source that asks, in a circle that begins behind the last owner, so that it
// is fair. When nobody asks it listens to source 0, from which packets go straight on.
// SPDX-License-Identifier: ISC
`default_nettype none

module access #(
    parameter SOURCES = 4,
    parameter EAGER   = 0,
    parameter SELECT  = $clog2(SOURCES)  // follows
) (
    input  wire               clk,
    input  wire               reset,

    // Sources. asks: from flops. straight: source 0 has a head that was not looked up yet; it comes late in the clock.
    input  wire [SOURCES-1:0] asks,
    input  wire               straight,
    input  wire               wrong,        // EAGER: it went on in the last clock, and should not have

    // net_output: ready to load; terminated: it holds a terminator, which ends the connection (U4).
    input  wire               ready,
    input  wire               terminated,
    input  wire               release_now,  // the owner lets go of a branch that carried nothing (M7)

    output reg  [SELECT-1:0]  select,
    output wire               owned,
    output wire               wanted,       // the source listened to asks for it
    output wire               takes,        // and gets it in this clock
    output wire               passes        // a head goes straight on in this clock
);
    reg has_owner;

    assign owned  = has_owner && !terminated && !(EAGER != 0 && wrong);
    assign wanted = asks[select];
    assign takes  = !owned && wanted && ready && !yields;
    // EAGER: who asks waits for the verdict. In the clock in which a packet has ended nobody passes, so that who asks is first.
    wire   free   = EAGER != 0 ? !has_owner : !owned && asks == {SOURCES{1'b0}};
    assign passes = free && ready && select == {SELECT{1'b0}} && straight;

    // The next that asks behind the one selected; none: the first source.
    reg  [SELECT-1:0] next;
    integer k;
    always @* begin
        next = {SELECT{1'b0}};
        for (k = SOURCES - 1; k >= 0; k = k - 1) if (asks[k]) next = k[SELECT-1:0];
        for (k = SOURCES - 1; k >= 0; k = k - 1) if (asks[k] && k[SELECT-1:0] > select) next = k[SELECT-1:0];
    end

    // In the clock in which a packet has ended its source gets the output again only if nobody else asks.
    wire yields = has_owner && |(asks & ~({{SOURCES-1{1'b0}}, 1'b1} << select));

    always @(posedge clk)
        if (reset) begin
            has_owner <= 1'b0;
            select    <= {SELECT{1'b0}};
        end else begin
            has_owner <= (owned || takes) && !release_now || passes;
            if (!owned && (!wanted || yields) && !(EAGER != 0 && passes)) select <= next;
        end

`ifdef FORMAL
    // U1: while `patient` asks, each other source gets the output at most once. `rival` is any other.
    (* anyconst *) reg [SELECT-1:0] patient, rival;
    reg [SELECT-1:0] owner;
    reg rival_served, after_release;
    reg past_valid = 1'b0;
    wire waits = asks[patient] && !(select == patient && (has_owner || takes));  // an owner asks for a branch that it has (M3)

    // The circle from one source to another.
    function integer distance(input [SELECT-1:0] from, input [SELECT-1:0] to);
        distance = to >= from ? to - from : to + SOURCES - from;
    endfunction

    always @(posedge clk) begin
        past_valid <= 1'b1;
        if (!past_valid) assume (reset);
        assume (patient < SOURCES && rival < SOURCES && patient != rival);
        if (takes || passes) owner <= select;
        rival_served  <= !reset && waits && (rival_served || (takes && select == rival));
        after_release <= !reset && release_now;
        if (after_release) assume (!asks[select]);  // its packet was aborted, and the rest of it asks for nothing

        if (past_valid && !reset) begin
            assert (select < SOURCES);
            // U4: one owner at a time, who has it until it lets go.
            if (has_owner) assert (select == owner);
            if (owned) assert (!takes && !passes);
            if ($past(!reset && owned && !release_now)) assert (has_owner && select == $past(select));
            // Who gets it asks, and a head that goes straight on is no rival of anybody who asks.
            if (takes) assert (asks[select] && ready && !passes);
            if (passes) assert (asks == {SOURCES{1'b0}} && select == {SELECT{1'b0}} && ready);
            // Fairness. Once served, the rival lies behind `patient` in the circle, or has the output still.
            if (rival_served && asks[patient]) begin
                assert (!(takes && select == rival));
                assert (distance(select, rival) > distance(select, patient) ||
                        (select == rival && (has_owner || after_release)));
            end
            // Nothing is wasted: with somebody who asks on, a free output is taken in the second clock in which it could be.
            if ($past(!reset && !owned && !takes && |asks) && asks == $past(asks) && !owned && ready) assert (takes);
        end
    end
`endif
endmodule

`default_nettype wire
