// heading_tb: the headings of the west and of the local net_input of site (1,1) of a 4x4 grid, clock by clock: what they ask
// for, and when (U1-U5, M1-M3, P6, R1-R4). Both see the same word.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module heading_tb;
    `include "bench.vh"
    `include "tags.vh"

    localparam [4:0] NONE = 5'b00000, HERE = 5'b00001, EAST = 5'b00010, NORTH = 5'b01000, ALL = 5'b11111;

    // Clocks that an ask for something else needs: one in which it is withdrawn.
    localparam SETTLED = 2;

    reg         clk = 1'b0, reset = 1'b1;
    reg  [1:0]  topology;
    reg  [7:0]  unicast_lists, multicast_lists;
    reg         never_diverts, relieved, connected, master, aborting, local_free, tick, slow_tick;
    reg  [4:0]  down, available;
    reg  [18:0] word;
    reg         taken = 1'b0, held = 1'b0;
    wire [4:0]  asks, asks_own;
    wire        straight, stray, multicast, at_home, elsewhere, straight_own, stray_own, multicast_own;

    heading #(.PORT(2)) west (
        .clk(clk), .reset(reset), .site_address({7'd1, 7'd1}), .topology(topology), .size_x(7'd4), .size_y(7'd4),
        .unicast_lists(unicast_lists), .multicast_lists(multicast_lists), .never_diverts(never_diverts),
        .relieved(relieved), .down(down), .word(word), .link(word), .held(held), .connected(connected), .passes(1'b0),
        .master(master), .aborting(aborting), .local_free(local_free), .available(available), .tick(tick),
        .slow_tick(slow_tick), .asks(asks), .at_home(at_home), .elsewhere(elsewhere), .straight(straight), .stray(stray),
        .multicast(multicast));
    heading #(.PORT(0)) own (
        .clk(clk), .reset(reset), .site_address({7'd1, 7'd1}), .topology(topology), .size_x(7'd4), .size_y(7'd4),
        .unicast_lists(unicast_lists), .multicast_lists(multicast_lists), .never_diverts(never_diverts),
        .relieved(relieved), .down(down), .word(word), .link(word), .held(held), .connected(connected), .passes(1'b0),
        .master(master), .aborting(aborting), .local_free(local_free), .available(available), .tick(tick),
        .slow_tick(slow_tick), .asks(asks_own), .straight(straight_own), .stray(stray_own), .multicast(multicast_own));

    function [15:0] at(input integer x, input integer y);
        at = {2'b00, y[6:0], x[6:0]};
    endfunction

    // The net_input holds what is shown and not taken. An ask may be granted in the clock in which it changes: then nothing
    // else is asked for in the next one. Only local, once it has been granted, gives way to the remote output at once.
    task clock;
        reg [4:0] asked, asked_own;
        reg       may_change, holds;
        begin
            #1 {asked, asked_own} = {asks, asks_own};
            may_change = !held || reset;
            holds = |word[18:16] && !taken && !reset;
            clk = 1'b1;
            #1 held = holds;
            clk = 1'b0;
            #1;
            check((asks & (asks - 1'b1)) === NONE && (asks_own & (asks_own - 1'b1)) === NONE, "U1: one output is asked for");
            if (!may_change) begin
                check((connected && asked === HERE) || asked === NONE || asks === NONE || asks === asked,
                      "F3d, U1: an ask is withdrawn for a clock before another is made");
                check((connected && asked_own === HERE) || asked_own === NONE || asks_own === NONE || asks_own === asked_own,
                      "F3d, U1: an ask is withdrawn for a clock before another is made");
            end
        end
    endtask

    task start;
        begin
            reset = 1'b1;
            topology = `POSTROAD_TOPOLOGY_GRID;
            unicast_lists = 8'b10101010;
            multicast_lists = 8'h00;
            {never_diverts, relieved, connected, master, aborting, local_free, tick, slow_tick} = 8'd0;
            {down, available, word} = {NONE, ALL, 19'd0};
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
            if (word[18:16] == END_OF_PACKET || word[18:16] == ABORT_PACKET) connected = 1'b0;
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

    // What is asked for in this clock is granted: from the next one on the input is connected.
    task granted;
        begin
            clock;
            connected = 1'b1;
            #1;
        end
    endtask

    task period;
        begin
            tick = 1'b1;
            clock;
            tick = 1'b0;
            clock;
        end
    endtask

    task asks_now(input [4:0] expected, input [8*100-1:0] name);
        begin
            check(asks === expected, name);
            check(!stray, "U2: what waits is not dropped");
        end
    endtask

    // After what changed has been looked up, and for good.
    task settles(input [4:0] expected, input [8*100-1:0] name);
        begin
            repeat (SETTLED) clock;
            asks_now(expected, name);
            clock;
            asks_now(expected, name);
        end
    endtask

    task looked_up;
        begin
            start;
            shows(UNICAST, at(1, 3));
            asks_now(NONE, "U1: a head is looked up while it is shown");
            clock;
            asks_now(NORTH, "U1: and asks from the next clock on");
            check(elsewhere && !at_home, "U3: its target is elsewhere");
            repeat (3) clock;
            asks_now(NORTH, "U1: until it is granted");
            granted;
            take;
            asks_now(NONE, "U1: a connected input does not ask");
            shows(DATA, 16'd1);
            check(!stray, "P6: data of a connection belong to a packet");
            clock;
            asks_now(NONE, "U1: data ask for nothing");
            check(!elsewhere && !at_home, "U3: and are no targets");
            take;
            shows(MULTICAST, at(1, 3));
            clock;
            asks_now(NONE, "M2: nor do further targets of a packet that is not split");
            take;
            shows(END_OF_PACKET, 16'd0);
            check(!stray, "P6: so does its terminator");
            take;
            shows(DATA, 16'd2);
            check(stray && stray_own, "P6: behind the terminator only a site word is accepted");
            take;
            shows(UNICAST, at(1, 1));
            check(!stray && !straight, "U1: the next packet's head");
            clock;
            asks_now(HERE, "U1: a local target's list is local");
            check(!elsewhere && !at_home, "U3: its target is this site, and it is no multicast's");
        end
    endtask

    task lists;
        begin
            waiting(UNICAST, at(3, 3));
            settles(EAST, "U1: the first of the list, if it is available");
            available = ALL & ~EAST;
            settles(NORTH, "U1: else the next that is");
            available = ALL & ~EAST & ~NORTH;
            settles(EAST, "U2: none is: it waits for the first");
            unicast_lists = 8'b11111111;
            settles(NORTH, "U1: the first of its list");
            waiting(UNICAST, 16'h8000 | at(3, 3));
            available = ALL & ~EAST;
            settles(EAST, "U5: strict: the first alone");
            waiting(MULTICAST, at(3, 3));
            available = ALL & ~EAST;
            settles(EAST, "M3: a multicast: the first alone");
            multicast_lists = 8'b10101010;
            settles(EAST, "M3: the one that it prefers, available or not");
            start;
            unicast_lists = 8'b11111111;
            shows(MULTICAST, at(3, 3));
            clock;
            asks_now(EAST, "M3: and by its own lists");
            start;
            down = EAST;
            shows(UNICAST, at(3, 3));
            clock;
            asks_now(NORTH, "R4: an output that is down is left out of a list with another");
            down = NORTH;
            settles(EAST, "R4: and as long as it is down");
            down = EAST;
            available = ALL & ~NORTH;
            settles(NORTH, "R4: and whatever else is available");
            start;
            down = EAST;
            shows(UNICAST, at(3, 1));
            clock;
            asks_now(EAST, "R4: and serves one that has nothing else");
            start;
            shows(UNICAST, at(0, 1));
            clock;
            settles(NONE, "U1: no packet goes back where it came from");
        end
    endtask

    task goes_straight;
        begin
            start;
            shows(UNICAST, at(3, 1));
            check(straight && !straight_own, "U1: a head goes straight on in the clock in which it is shown");
            clock;
            check(!straight, "F3d, U1: and afterwards only as its list says");
            asks_now(NONE, "F3d: it may have gone, and does not ask yet");
            clock;
            check(!straight, "F3d, U1: and afterwards only as its list says");
            asks_now(EAST, "U1: which has it");
            start;
            shows(UNICAST, at(3, 3));
            check(straight, "U1: straight on, if it is on the list");
            connected = 1'b1;
            shows(DATA, at(3, 1));
            check(!straight, "U1: only a head goes straight on");
            shows(UNICAST, at(3, 1));
            check(!straight, "U1: a connected input's word does not");
            start;
            shows(UNICAST, at(1, 3));
            check(!straight, "U1: a head that turns does not");
            shows(MULTICAST, at(3, 1));
            check(!straight, "M1: a multicast does not");
            down = EAST;
            shows(UNICAST, at(3, 1));
            check(!straight, "R4: not into an output that is down");
            clock;
            asks_now(EAST, "R4: and then it asks as any other");
            start;
            topology = `POSTROAD_TOPOLOGY_HYPERCUBE;
            shows(UNICAST, at(3, 1));
            check(!straight, "U1: a hypercube has no straight on");
        end
    endtask

    // Overdue after the second tick; then local and the list in turn, one tick each.
    task ages;
        integer n;
        begin
            waiting(UNICAST, at(3, 1));
            settles(EAST, "U3: a head asks for its list");
            for (n = 1; n < 8; n = n + 1) begin
                period;
                settles(n > 1 && n % 2 == 0 ? HERE : EAST, "U3: overdue, local and the list are asked in turn");
                check(asks_own === EAST, "U3: a packet of this site never diverts");
            end
            granted;
            take;
            shows(END_OF_PACKET, 16'd0);
            take;
            shows(UNICAST, at(3, 1));
            clock;
            period;
            settles(EAST, "U3: the next head begins anew");
            waiting(UNICAST, at(3, 1));
            never_diverts = 1'b1;
            for (n = 1; n < 8; n = n + 1) begin
                period;
                settles(EAST, "U3: never, if packets never divert");
            end
            waiting(UNICAST, at(0, 1));
            never_diverts = 1'b1;
            repeat (2) period;
            settles(HERE, "X1: but a head that could only go back does not wait for ever");
            waiting(UNICAST, 16'h8000 | at(3, 1));
            for (n = 1; n < 8; n = n + 1) begin
                period;
                settles(EAST, "U5: a strict head does not age as others do");
            end
            slow_tick = 1'b1;
            repeat (2) clock;
            slow_tick = 1'b0;
            settles(HERE, "U5: but diverts in the end");
            waiting(UNICAST, 16'h8000 | at(3, 1));
            topology = `POSTROAD_TOPOLOGY_TORUS;
            repeat (2) period;
            settles(HERE, "U5: on a torus as soon as others");
        end
    endtask

    task multicasts;
        begin
            waiting(MULTICAST, at(3, 1));
            check(multicast, "M1: a multicast");
            asks_now(EAST, "M2: local is not to be had: its net_output");
            local_free = 1'b1;
            settles(HERE, "M1: local comes first");
            // The site splits it: now it asks for its net_output, or for nothing if it is for this site.
            granted;
            {local_free, master} = 2'b01;
            clock;
            asks_now(EAST, "M1, M3: a split packet's target asks for its net_output at once");
            settles(EAST, "M1, M3: until it moves");
            take;
            clock;
            asks_now(NONE, "M3: nothing shown, nothing asked for");
            shows(MULTICAST, at(1, 1));
            clock;
            check(at_home && !elsewhere, "M1: a target of this site");
            settles(NONE, "M1: a target of this site asks for no more than local, which it has");
            take;
            multicast_lists = 8'b10101010;
            shows(MULTICAST, at(3, 3));
            clock;
            asks_now(EAST, "M3: a further target");
            check(!at_home, "M1: is not of this site");
            down = EAST;
            available = ALL & ~EAST;
            settles(EAST, "P3: a branch that was opened stays the target's");
            take;
            clock;
            shows(MULTICAST, at(3, 3));
            clock;
            asks_now(NORTH, "R4: the next target's may be another");
            aborting = 1'b1;
            clock;
            asks_now(NONE, "M7: an aborted packet asks for nothing more");
            settles(NONE, "M7: an aborted packet asks for nothing more");
            {aborting, master} = 2'b00;
            settles(NONE, "M7: and goes on as if it were a unicast");

            waiting(MULTICAST, at(1, 1));
            asks_now(HERE, "M1: a first target that is local waits for local");
            check(at_home, "M1: and is at home");
        end
    endtask

    task relief;
        begin
            waiting(MULTICAST, at(3, 1));
            {relieved, local_free} = 2'b11;
            settles(EAST, "R2: in relief a multicast does not take local");
            check(asks_own === HERE, "R2: one of this site does");
            period;
            settles(EAST, "R2: nor for the first period");
            period;
            settles(HERE, "R3: overdue, it is not held back");
            period;
            settles(HERE, "R3: nor from then on");
            waiting(MULTICAST, 16'h8000 | at(3, 1));
            {relieved, local_free} = 2'b11;
            repeat (2) period;
            settles(HERE, "R3: a strict multicast is held back no longer than any other");
            waiting(MULTICAST, at(1, 1));
            {relieved, local_free} = 2'b11;
            settles(HERE, "R2: a first target that is local is not held back");
        end
    endtask

    initial begin
        begin_bench;
        looked_up;
        lists;
        goes_straight;
        ages;
        multicasts;
        relief;
        verdict;
    end
endmodule

`default_nettype wire
