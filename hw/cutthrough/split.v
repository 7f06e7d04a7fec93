// split: the control of the packet that the site splits (August paper 4.5.2; rules M1, M3, M5-M8, M11).
//
// A site splits one packet at a time, the one that owns the local net_output, so this logic exists once. The packet's net_input
// is the master. Its branches are the net_outputs whose `copy` is set; the local one gets a full copy.
//
//             no split --local granted to a multicast--> split --terminator crosses (M8)--> no split
//                                                          '---- a branch waits too long (M6, M7): the rest goes to local
//
// A site word of the split packet:
//
//   clock 0      the master's heading looks it up
//   clock 1      it requests its branch. It crosses in this clock if the branch is open already, or if it is at home
//   clock 2      decided: it crosses, on the branch that was granted in clock 1, or deferred
//
// A word crosses to all branches in one clock, as soon as all of them are ready (M5). What each gets:
//
//   the word shown        a branch whose entry it is   any other branch     local
//   site word             the same                     null_target          the same, marked if it left on no branch (M11)
//   target_info           the same                     null_target          the same
//   data, null_target     the same                     the same             the same
//   end_of_packet         the same                     the same             local_end_of_packet if any was marked,
//                                                                           else abort_packet (M8)
//   abort_packet          the same                     the same             the same
//
// Site (1,1) splits a packet for N (1,3), E (3,1) and L (1,1), while another one has the output to the east; * is a mark:
//
//   from the west:  N  E  L  data  T                    to the north:  N  null  null  data  T
//                         |                             to the east:   (another packet)
//                         '----------- site (1,1) ----> to local:      N  E*    L*    data  local_end_of_packet
//                                                                         |
//                                                                         deferred: the operator sends it on
//
// SPDX-License-Identifier: ISC
`default_nettype none

module split #(
    parameter PORTS = 5,
    parameter LINKS = PORTS - 1  // follows
) (
    input  wire             clk,
    input  wire             reset,

    // The master. held: the last clock showed the same word as well. shown: and it is a site word, which has been looked up.
    // leads: the link that the last site word leads to. at_home: that shown counts as at home.
    input  wire             held,
    input  wire             shown,
    input  wire [PORTS-1:1] leads,
    input  wire             at_home,

    // net_outputs. copy: the packet owns it. ready: it loads in this clock.
    input  wire [PORTS-1:0] copy,
    input  wire [PORTS-1:0] ready,

    input  wire             expires,       // pulse that ages a branch in `wait`; an abort takes three (M6)

    output wire             active,        // the site splits a packet
    output wire             target_found,  // a site word may cross
    output wire             branches_ready,// any other word may cross
    output wire [PORTS-1:1] reached,       // the branch of the site word
    output wire [PORTS-1:1] entry,         // the branch of the last site word, and of the target_info behind it
    output wire             marks,         // the site word leaves on no branch
    output wire             any_marked,    // and that was so for an earlier one
    output reg              aborts,        // M7: the branches are released with this clock, local continues
    output wire             defers         // pulse: a target leaves for local because it got no branch (M11)
);
    wire [PORTS-1:1] branches = copy[PORTS-1:1];

    reg              decided;              // the target shown has had its clock

    assign active         = copy[0];
    assign branches_ready = active && !aborts && (copy & ~ready) == {PORTS{1'b0}};
    assign entry          = branches & leads;
    assign reached        = entry & {LINKS{shown}};
    assign marks          = entry == {LINKS{1'b0}};
    assign target_found   = decided || (shown && (at_home || !marks));
    assign defers         = decided && marks && !at_home && branches_ready;

    reg marked;
    assign any_marked = marked;

    always @(posedge clk)
        if (reset) decided <= 1'b0;
        else decided <= shown && !(target_found && branches_ready) && !aborts;

    always @(posedge clk) marked <= active && (marked || (shown && target_found && marks));

    // M6. The word at hand waits for a branch that is open and full. stood: a 1 for each pulse it has seen. The third aborts.
    reg  [1:0] stood;
    wire       stands = held && |(branches & ~ready[PORTS-1:1]);
    always @(posedge clk)
        if (reset || !stands || aborts) {aborts, stood} <= 3'd0;
        else if (expires) {aborts, stood} <= {stood, 1'b1};

`ifdef FORMAL
    // For ever, in the router (tests/formal/router_proof.v), whatever words come.
    reg              past_valid = 1'b0, aborted;
    reg              marked_before;          // a target of this packet left for local with the mark
    reg  [1:0]       expired;                // pulses since the word at hand began to wait for a branch
    wire             target_crosses = shown && target_found && branches_ready;
    wire             waits = held && |(copy[PORTS-1:1] & ~ready[PORTS-1:1]);

    always @(posedge clk) begin
        past_valid    <= 1'b1;
        aborted       <= !reset && aborts;
        marked_before <= !reset && active && (marked_before || (target_crosses && marks));
        expired       <= reset || !waits || aborts ? 2'd0 : expired + {1'b0, expires};
        if (past_valid && !reset) begin
            // M11: a target leaves in one way, on a branch or marked for local. It is deferred if it is not at home.
            assert ((reached & (reached - 1'b1)) == {LINKS{1'b0}} && (reached & ~copy[PORTS-1:1]) == {LINKS{1'b0}});
            if (|reached) assert (target_found);
            if (target_crosses) assert (marks == (reached == {LINKS{1'b0}}) && defers == (marks && !at_home));
            else assert (!defers);
            // M8: local's terminator tells the operator whether targets left with the mark.
            if (active && !shown) assert (any_marked == marked_before);
            // M5, M7: a word crosses, or the packet is aborted. Nothing holds an abort up: it comes with the third pulse.
            assert (!(aborts && branches_ready));
            assert (aborts == (expired == 2'd3));
            if (branches_ready) assert ((copy & ~ready) == {PORTS{1'b0}});
            // An aborted packet is split no more.
            if (aborts) assert (active);
            if (aborted || !active) assert (copy == {PORTS{1'b0}});
            cover (defers);
            cover (target_crosses && at_home && |copy[PORTS-1:1]);
            cover (target_crosses && |reached && (copy[PORTS-1:1] & ~reached) != {LINKS{1'b0}});
            cover (aborts && marked_before);
        end
    end
`endif
endmodule

`default_nettype wire
