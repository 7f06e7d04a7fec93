// access: which net_input one net_output listens to (August paper 4.5; rules U1, U4).
//
// Grants the net_output to one of those that ask, and is free again in the clock after a terminator has crossed, or the
// branch was released. Who is granted it has it from the next clock on. Those that ask are served in a circle that begins
// behind the last owner, so that it is fair. When nobody asks it listens to source 0, from which packets go straight on.
// SPDX-License-Identifier: ISC
`default_nettype none

module access #(
    parameter SOURCES = 4,
    parameter SELECT  = $clog2(SOURCES)  // follows
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
endmodule

`default_nettype wire
