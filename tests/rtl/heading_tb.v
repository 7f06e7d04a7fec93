// heading_tb: what headings at site (1,1) request, and when, clock by clock (U1-U3, M1, M3, M10, M11, P6, R1, R3, R4): the
// local net_input's and the west one's in dimension order, the west one's with adaptive lists, and that of dimension 1 of a
// hypercube. All see the same word.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module heading_tb;
    `include "bench.vh"
    `include "tags.vh"

    localparam [4:0] NONE = 5'b00000, HERE = 5'b00001, EAST = 5'b00010, WEST = 5'b00100, NORTH = 5'b01000, ALL = 5'b11111;
    localparam [15:0] MARK = 16'h8000;
    localparam OWN = 0, FROM_WEST = 1, ADAPTIVE = 2, CUBE = 3, HEADINGS = 4;

    // Clocks in which a request for something else is made: one in which the old one is withdrawn.
    localparam SETTLED = 2;

    reg         clk = 1'b0, reset = 1'b1;
    reg  [7:0]  unicast_lists;
    reg         connected, master, expires;
    reg  [4:0]  down, available;
    reg  [18:0] word;
    reg         taken = 1'b0, held = 1'b0;
    wire [4:0]  asks [0:HEADINGS-1];
    wire [HEADINGS-1:0] straight, stray, diverts, multicast, target_shown;
    wire [4:1]  leads [0:HEADINGS-1];

    // A word that was shown before stands in the skid register: what its link shows then is another word.
    wire [18:0] link = held ? {UNICAST, 16'h0183} : word;

    genvar n;
    generate
        for (n = 0; n < HEADINGS; n = n + 1) begin : heading_of
            heading #(.PORT(n == OWN ? 0 : 2), .ADAPTIVE(n == ADAPTIVE), .HYPERCUBE(n == CUBE)) dut (
                .clk(clk), .reset(reset), .site_address({7'd1, 7'd1}),
                .topology(n == CUBE ? `POSTROAD_TOPOLOGY_HYPERCUBE : `POSTROAD_TOPOLOGY_GRID), .size_x(7'd4), .size_y(7'd4),
                .unicast_lists(unicast_lists), .down(down), .expires(expires), .link(link), .held(held),
                .connected(connected), .master(master), .available(available), .asks(asks[n]),
                .multicast(multicast[n]), .shows(target_shown[n]), .leads(leads[n]),
                .straight(straight[n]), .stray(stray[n]), .diverts(diverts[n]));
        end
    endgenerate

    function [15:0] at(input integer x, input integer y);
        at = {2'b00, y[6:0], x[6:0]};
    endfunction

    // The net_input holds what is shown and not taken. A request may be granted in the clock in which it changes: then nothing
    // else is requested in the next one.
    integer diversions, k;
    reg [4:0] asked [0:HEADINGS-1];
    task clock;
        reg may_change, holds;
        begin
            #1;
            for (k = 0; k < HEADINGS; k = k + 1) asked[k] = asks[k];
            may_change = !held || reset || connected;
            holds = |word[18:16] && !taken && !reset;
            diversions = diversions + (diverts[FROM_WEST] === 1'b1);
            check(reset || !diverts[OWN], "U3: a packet of this site never diverts");
            clk = 1'b1;
            #1 held = holds;
            clk = 1'b0;
            #1;
            for (k = 0; k < HEADINGS; k = k + 1) begin
                check((asks[k] & (asks[k] - 1'b1)) === NONE, "U1: one output is requested at a time");
                check(may_change || asked[k] === NONE || asks[k] === NONE || asks[k] === asked[k],
                      "F3d, U1: a request is withdrawn for a clock before another is made");
            end
        end
    endtask

    task start;
        begin
            reset = 1'b1;
            unicast_lists = 8'b10101010;
            {connected, master, expires} = 3'd0;
            {down, available, word} = {NONE, ALL, 19'd0};
            diversions = 0;
            clock;
            reset = 1'b0;
            clock;
        end
    endtask

    // The word shown from now on.
    task shows(input [2:0] tag, input [15:0] value);
        begin
            word = {tag, value};
            #1;
        end
    endtask

    // It is taken in this clock, and the next one is a gap. A terminator ends the connection.
    task take;
        begin
            taken = 1'b1;
            clock;
            taken = 1'b0;
            if (word[18:16] == END_OF_PACKET || word[18:16] == ABORT_PACKET) {connected, master} = 2'b00;
            word = 19'd0;
            #1;
        end
    endtask

    // Shown, looked up, and not yet taken.
    task waiting(input [2:0] tag, input [15:0] value);
        begin
            start;
            shows(tag, value);
            clock;
        end
    endtask

    // What is requested in this clock is granted: from the next one on the input is connected.
    task granted(input splits);
        begin
            clock;
            {connected, master} = {1'b1, splits};
            #1;
        end
    endtask

    task period;
        begin
            expires = 1'b1;
            clock;
            expires = 1'b0;
            clock;
        end
    endtask

    task asks_now(input integer who, input [4:0] expected, input [8*100-1:0] name);
        begin
            check(asks[who] === expected, name);
            check(stray === 0, "U2: what waits is not dropped");
        end
    endtask

    // After what changed, and for good.
    task settles(input integer who, input [4:0] expected, input [8*100-1:0] name);
        begin
            repeat (SETTLED) clock;
            asks_now(who, expected, name);
            clock;
            asks_now(who, expected, name);
        end
    endtask

    task looked_up;
        begin
            start;
            shows(UNICAST, at(1, 3));
            asks_now(FROM_WEST, NONE, "U1: a head is looked up while it is shown");
            clock;
            asks_now(FROM_WEST, NORTH, "U1: and requests its net_output from the next clock on");
            repeat (3) clock;
            asks_now(FROM_WEST, NORTH, "U1, U4: until it is granted, again if the grant lapses");
            granted(1'b0);
            take;
            clock;
            asks_now(FROM_WEST, NONE, "U1: a connected input does not request");
            shows(DATA, 16'd1);
            check(stray === 0, "P6: data of a connection belong to a packet");
            clock;
            asks_now(FROM_WEST, NONE, "U1: data request nothing");
            take;
            shows(MULTICAST, at(1, 3));
            clock;
            asks_now(FROM_WEST, NONE, "M10: nor do further targets of a packet that is not split");
            take;
            shows(END_OF_PACKET, 16'd0);
            check(stray === 0, "P6: so does its terminator");
            take;
            shows(DATA, 16'd2);
            check(&stray, "P6: behind the terminator only a site word is accepted");
            take;
            shows(UNICAST, at(1, 1));
            check(stray === 0 && straight === 0, "U1: the next packet's head");
            clock;
            asks_now(FROM_WEST, HERE, "U1: a local target's list is local");
            asks_now(OWN, HERE, "U1: a local target's list is local");
        end
    endtask

    task lists;
        begin
            waiting(UNICAST, at(3, 3));
            settles(OWN, EAST, "U1: x before y");
            settles(FROM_WEST, EAST, "U1: x before y");
            waiting(UNICAST, at(0, 1));
            asks_now(OWN, WEST, "U1: any way from the operator");
            waiting(UNICAST, at(1, 3) | MARK);
            settles(FROM_WEST, NORTH, "M10: the mark means nothing in a unicast");
            start;
            available = ALL & ~EAST;
            shows(UNICAST, at(3, 3));
            clock;
            settles(FROM_WEST, EAST, "U1: in dimension order whatever is available");
            asks_now(ADAPTIVE, NORTH, "U1: of an adaptive list the first that is available");
            start;
            shows(UNICAST, at(3, 3));
            clock;
            asks_now(ADAPTIVE, EAST, "U1: of an adaptive list the first");
            start;
            available = ALL & ~EAST & ~NORTH;
            shows(UNICAST, at(3, 3));
            clock;
            asks_now(ADAPTIVE, EAST, "U1, U2: none is available: it waits for the first");
            start;
            unicast_lists = 8'b11111111;
            shows(MULTICAST, at(3, 3) | MARK);
            clock;
            asks_now(ADAPTIVE, EAST, "M3: a multicast goes in dimension order, whatever the lists");
            waiting(UNICAST, at(0, 1));
            settles(ADAPTIVE, HERE, "U1: no packet goes back: one that could only do so goes to local");
        end
    endtask

    task down_links;
        begin
            start;
            down = EAST;
            shows(UNICAST, at(3, 3));
            check(!straight[FROM_WEST], "R4: no head goes straight on into a link that is down");
            clock;
            asks_now(FROM_WEST, NORTH, "R4: where x is down a unicast goes in y first");
            asks_now(OWN, NORTH, "R4: where x is down a unicast goes in y first");
            asks_now(ADAPTIVE, NORTH, "R4: an output that is down is left out of a list with another");
            start;
            down = EAST;
            shows(UNICAST, at(3, 1));
            clock;
            asks_now(FROM_WEST, EAST, "R4: a link that is down serves what has nothing else");
            start;
            down = EAST | NORTH;
            shows(UNICAST, at(1, 3));
            clock;
            asks_now(FROM_WEST, NORTH, "R4: a link that is down serves what has nothing else");
            start;
            down = EAST;
            shows(MULTICAST, at(3, 3) | MARK);
            clock;
            asks_now(FROM_WEST, EAST, "R4, M3: a multicast goes in dimension order whatever is down");
            asks_now(ADAPTIVE, EAST, "R4, M3: a multicast goes in dimension order whatever is down");
        end
    endtask

    task goes_straight(input [2:0] tag);
        begin
            start;
            shows(tag, at(3, 1));
            check(straight[FROM_WEST] && straight[ADAPTIVE] && !straight[OWN] && !straight[CUBE],
                  "U1, M10: a head goes straight on in the clock in which it is shown");
            clock;
            check(straight === 0, "F3d, U1: and in no other");
            asks_now(FROM_WEST, EAST, "U1, M10: from then on it requests its net_output");
            start;
            shows(tag, at(3, 3));
            check(straight[FROM_WEST] && straight[ADAPTIVE], "U1, M10: straight on, as long as its coordinate differs");
            connected = 1'b1;
            shows(DATA, at(3, 1));
            check(straight === 0, "U1: only a head goes straight on");
            shows(tag, at(3, 1));
            check(straight === 0, "U1: a connected input's word does not");
            start;
            shows(tag, at(1, 3));
            check(straight === 0, "U1: a head that turns does not");
        end
    endtask

    // Overdue after the first pulse, and at the next its request gives way to one for local.
    task ages(input [2:0] tag, input [15:0] target);
        begin
            waiting(tag, target);
            settles(FROM_WEST, target == at(3, 1) ? EAST : NORTH, "U3: a head requests its net_output");
            period;
            settles(FROM_WEST, target == at(3, 1) ? EAST : NORTH, "U3: for one period at least");
            expires = 1'b1;
            clock;
            expires = 1'b0;
            asks_now(FROM_WEST, NONE, "U3: overdue, it withdraws its request");
            clock;
            asks_now(FROM_WEST, HERE, "U3: and requests local");
            repeat (4) period;
            settles(FROM_WEST, HERE, "U3: until it is granted");
            check(diversions == 1, "U3: a diversion is counted");
            granted(tag == MULTICAST);
            if (tag == MULTICAST) asks_now(FROM_WEST, HERE, "M10, M11: a head that was diverted counts as at home");
            take;
            shows(END_OF_PACKET, 16'd0);
            take;
            shows(UNICAST, at(3, 1));
            clock;
            period;
            settles(FROM_WEST, EAST, "U3: the next head begins anew");
        end
    endtask

    task never_diverts;
        begin
            waiting(UNICAST, at(3, 1));
            repeat (5) period;
            settles(OWN, EAST, "U3: a packet of this site never diverts");
            waiting(MULTICAST, at(1, 3));
            repeat (5) period;
            settles(FROM_WEST, HERE, "M1: a tree waits for local");
            check(diversions == 0, "M1: and does not divert");
            granted(1'b1);
            clock;
            asks_now(FROM_WEST, NORTH, "M1: nor does it forget its branch");

            waiting(UNICAST, at(3, 1));
            period;
            granted(1'b0);
            clock;
            connected = 1'b0;
            repeat (SETTLED) clock;
            asks_now(FROM_WEST, EAST, "U4: a head whose grant lapses requests its net_output again");
            period;
            settles(FROM_WEST, HERE, "U4: and keeps its age");

            // Granted in the very clock in which it gives its request up: it has the output.
            waiting(UNICAST, at(3, 1));
            period;
            expires = 1'b1;
            granted(1'b0);
            expires = 1'b0;
            asks_now(FROM_WEST, NONE, "U3: a head that was granted its output does not request local");
            clock;
            asks_now(FROM_WEST, NONE, "U3: a head that was granted its output does not request local");
            check(diversions == 0, "U3: nor is that a diversion");
            // The grant lapses: overdue as it is, it requests local at the next pulse.
            connected = 1'b0;
            period;
            settles(FROM_WEST, HERE, "U3, U4: a head whose grant lapses keeps its age");
        end
    endtask

    // A head that is split: local first, then its branch, for a clock.
    task tree(input integer who, input [15:0] target, input [4:0] branch);
        begin
            waiting(MULTICAST, target);
            asks_now(who, HERE, "M1: a head that is split requests local");
            settles(who, HERE, "M1: until it is granted");
            check(multicast[who], "M1: which is granted to a multicast");
            granted(1'b1);
            asks_now(who, HERE, "M1: its branch is not requested before it has local");
            check(!target_shown[who], "M11: nor is it a target yet");
            clock;
            asks_now(who, branch, "M1: then its branch");
            check(target_shown[who], "M11: from now on it is a target of a split packet");
            clock;
            asks_now(who, NONE, "M11: for one clock");
            settles(who, NONE, "M11: for one clock");
            take;
            clock;
            asks_now(who, NONE, "M3: nothing shown, nothing requested");

            shows(MULTICAST, at(1, 1));
            clock;
            check(target_shown[who], "M11: a further target is one from the first clock on");
            if (who != CUBE) begin
                asks_now(who, HERE, "M1: a target at home has local");
                check(leads[who] === 4'd0, "M1: and leads to no link");
                settles(who, HERE, "M1: and says so until it crosses");
            end
            take;
            shows(MULTICAST, at(3, 3));
            clock;
            if (who != CUBE) begin
                asks_now(who, EAST, "M3: a further target requests its branch");
                clock;
                asks_now(who, NONE, "M11: for one clock");
                settles(who, NONE, "M11: for one clock");
            end
            take;
            shows(INFO, at(1, 3));
            clock;
            if (who != CUBE) check(leads[who] === EAST[4:1], "P1, M3: what belongs to it goes where it leads");
            take;
            shows(MULTICAST, at(3, 3) | MARK);
            clock;
            if (who != CUBE) asks_now(who, EAST, "M3: a further target with the mark, too");
            take;
            shows(UNICAST, at(3, 3));
            clock;
            if (who != CUBE) asks_now(who, EAST, "X1: a unicast's site word inside is a target like any other");
            take;
            // Aborted while a target waits: the rest goes on as if it were a unicast.
            shows(MULTICAST, at(1, 3));
            clock;
            clock;
            master = 1'b0;
            repeat (SETTLED) begin
                #1 check((asks[who] & ~HERE) === NONE, "M7: an aborted packet requests no branch");
                clock;
            end
            take;
            shows(MULTICAST, at(1, 3));
            clock;
            settles(who, NONE, "M7: and goes on as if it were a unicast");
        end
    endtask

    task multicasts;
        begin
            tree(FROM_WEST, at(1, 3), NORTH);
            tree(OWN, at(1, 3), NORTH);
            tree(OWN, at(3, 1), EAST);
            tree(ADAPTIVE, at(1, 3), NORTH);
            tree(CUBE, at(5, 1), 5'b01000);
            waiting(MULTICAST, at(1, 3) | MARK);
            settles(FROM_WEST, NORTH, "M10: a path requests its output, and no local");
            settles(OWN, NORTH, "M10: a path requests its output, and no local");
            settles(ADAPTIVE, NORTH, "M10: a path requests its output, and no local");
            waiting(MULTICAST, at(5, 1) | MARK);
            settles(CUBE, 5'b01000, "M10: a path requests its output, and no local");
            for (k = 0; k < 2; k = k + 1) begin
                waiting(MULTICAST, at(1, 1) | (k == 0 ? 16'd0 : MARK));
                asks_now(FROM_WEST, HERE, "M1, M10: a first target at home requests local");
                asks_now(OWN, HERE, "M1, M10: a first target at home requests local");
                granted(1'b1);
                check(target_shown[FROM_WEST] && target_shown[OWN], "M1: it is a target in the first clock of the split");
                settles(FROM_WEST, HERE, "M1, M10: and counts as at home");
                settles(OWN, HERE, "M1, M10: and counts as at home");
            end
        end
    endtask

    initial begin
        begin_bench;
        looked_up;
        lists;
        down_links;
        goes_straight(UNICAST);
        goes_straight(MULTICAST);
        ages(UNICAST, at(3, 1));
        ages(UNICAST, at(1, 3));
        ages(MULTICAST, at(3, 1));
        never_diverts;
        multicasts;
        verdict;
    end
endmodule

`default_nettype wire
