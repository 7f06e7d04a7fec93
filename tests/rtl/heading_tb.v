// heading_tb: the headings of the west and of the local net_input of site (1,1) of a 4x4 grid, clock by clock: what they ask
// for, and when (U1-U5, M1-M3, P6, R1-R4). Both see the same word.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module heading_tb;
    `include "bench.vh"
    `include "tags.vh"

    localparam [4:0] NONE = 5'b00000, HERE = 5'b00001, EAST = 5'b00010, NORTH = 5'b01000, ALL = 5'b11111;

    reg         clk = 1'b0, reset = 1'b1;
    reg  [1:0]  topology;
    reg  [7:0]  unicast_lists, multicast_lists;
    reg         never_diverts, relieved, taken, master, splits, local_free, tick, slow_tick;
    reg  [4:0]  down, available;
    reg  [18:0] word;
    wire [4:0]  wants, wants_own;
    wire        straight, stray, waits, multicast, straight_own, stray_own, waits_own, multicast_own;

    heading #(.PORT(2)) west (
        .clk(clk), .reset(reset), .site_address({7'd1, 7'd1}), .topology(topology), .size_x(7'd4), .size_y(7'd4),
        .unicast_lists(unicast_lists), .multicast_lists(multicast_lists), .never_diverts(never_diverts),
        .relieved(relieved), .down(down), .word(word), .taken(taken), .master(master), .splits(splits),
        .local_free(local_free), .available(available), .tick(tick), .slow_tick(slow_tick), .wants(wants),
        .straight(straight), .stray(stray), .waits(waits), .multicast(multicast));
    heading #(.PORT(0)) own (
        .clk(clk), .reset(reset), .site_address({7'd1, 7'd1}), .topology(topology), .size_x(7'd4), .size_y(7'd4),
        .unicast_lists(unicast_lists), .multicast_lists(multicast_lists), .never_diverts(never_diverts),
        .relieved(relieved), .down(down), .word(word), .taken(taken), .master(master), .splits(splits),
        .local_free(local_free), .available(available), .tick(tick), .slow_tick(slow_tick), .wants(wants_own),
        .straight(straight_own), .stray(stray_own), .waits(waits_own), .multicast(multicast_own));

    function [15:0] at(input integer x, input integer y);
        at = {2'b00, y[6:0], x[6:0]};
    endfunction

    task clock;
        begin
            #1 clk = 1'b1;
            #1 clk = 1'b0;
            #1;
        end
    endtask

    task start;
        begin
            reset = 1'b1;
            topology = `POSTROAD_TOPOLOGY_GRID;
            unicast_lists = 8'b10101010;
            multicast_lists = 8'h00;
            {never_diverts, relieved, taken, master, splits, local_free, tick, slow_tick} = 8'd0;
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

    // It is taken in this clock, and the next one is a gap.
    task take;
        begin
            taken = 1'b1;
            clock;
            taken = 1'b0;
            word = 19'd0;
            #1;
        end
    endtask

    // Shown, looked up, and not yet taken.
    task held(input [2:0] tag, input [15:0] value);
        begin
            start;
            shows(tag, value);
            clock;
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

    task asks(input [4:0] expected, input [8*100-1:0] name);
        begin
            #1 check(wants === expected, name);
            check(waits === (expected != NONE), name);
            check(!stray, "U2: what waits is not dropped");
        end
    endtask

    task looked_up;
        begin
            start;
            shows(UNICAST, at(1, 3));
            asks(NONE, "U1: a head is looked up while it is shown");
            clock;
            asks(NORTH, "U1: and asks from the next clock on");
            // Whatever changes, it asks for what was looked up.
            unicast_lists = 8'h00;
            down = NORTH;
            repeat (3) clock;
            asks(NORTH, "U1, R4: what was looked up holds until it is taken");
            take;
            asks(NONE, "U1: a connected input does not ask");
            shows(DATA, 16'd1);
            check(!stray, "P6: data of a connection belong to a packet");
            clock;
            asks(NONE, "U1: data ask for nothing");
            take;
            shows(END_OF_PACKET, 16'd0);
            check(!stray, "P6: so does its terminator");
            take;
            shows(DATA, 16'd2);
            check(stray && stray_own, "P6: behind the terminator only a site word is accepted");
            take;
            down = NONE;
            shows(UNICAST, at(1, 1));
            check(!stray && !straight, "U1: the next packet's head");
            clock;
            asks(HERE, "U1: a local target's list is local");
        end
    endtask

    task lists;
        begin
            held(UNICAST, at(3, 3));
            asks(EAST, "U1: the first of the list, if it is available");
            available = ALL & ~EAST;
            asks(NORTH, "U1: else the next that is");
            available = ALL & ~EAST & ~NORTH;
            asks(EAST, "U2: none is: it waits for the first");
            held(UNICAST, 16'h8000 | at(3, 3));
            available = ALL & ~EAST;
            asks(EAST, "U5: strict: the first alone");
            held(MULTICAST, at(3, 3));
            available = ALL & ~EAST;
            asks(EAST, "M3: a multicast: the first alone");
            start;
            unicast_lists = 8'b11111111;
            shows(MULTICAST, at(3, 3));
            clock;
            asks(EAST, "M3: and by its own lists");
            start;
            down = EAST;
            shows(UNICAST, at(3, 3));
            clock;
            available = ALL & ~NORTH;
            asks(NORTH, "R4: an output that is down is left out of a list with another");
            start;
            down = EAST;
            shows(UNICAST, at(3, 1));
            clock;
            asks(EAST, "R4: and serves one that has nothing else");
        end
    endtask

    task goes_straight;
        begin
            start;
            shows(UNICAST, at(3, 1));
            check(straight && !straight_own, "U1: a head goes straight on in the clock in which it is shown");
            clock;
            check(!straight, "F3d, U1: and afterwards only as its list says");
            asks(EAST, "U1: which has it");
            start;
            shows(UNICAST, at(3, 3));
            check(straight, "U1: straight on, if it is on the list");
            take;
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
            down = NONE;
            topology = `POSTROAD_TOPOLOGY_HYPERCUBE;
            #1 check(!straight, "U1: a hypercube has no straight on");
        end
    endtask

    // Overdue after the second tick; then local and the list in turn, one tick each.
    task ages;
        integer n;
        begin
            held(UNICAST, at(3, 1));
            asks(EAST, "U3: a head asks for its list");
            for (n = 1; n < 8; n = n + 1) begin
                period;
                asks(n > 1 && n % 2 == 0 ? HERE : EAST, "U3: overdue, local and the list are asked in turn");
                check(wants_own === EAST, "U3: a packet of this site never diverts");
            end
            take;
            shows(END_OF_PACKET, 16'd0);
            take;
            shows(UNICAST, at(3, 1));
            clock;
            period;
            asks(EAST, "U3: the next head begins anew");
            held(UNICAST, at(3, 1));
            never_diverts = 1'b1;
            for (n = 1; n < 8; n = n + 1) begin
                period;
                asks(EAST, "U3: never, if packets never divert");
            end
            held(UNICAST, 16'h8000 | at(3, 1));
            for (n = 1; n < 8; n = n + 1) begin
                period;
                asks(EAST, "U5: a strict head does not age as others do");
            end
            slow_tick = 1'b1;
            repeat (2) clock;
            slow_tick = 1'b0;
            asks(HERE, "U5: but diverts in the end");
            held(UNICAST, 16'h8000 | at(3, 1));
            topology = `POSTROAD_TOPOLOGY_TORUS;
            repeat (2) period;
            asks(HERE, "U5: on a torus as soon as others");
        end
    endtask

    task multicasts;
        begin
            held(MULTICAST, at(3, 1));
            check(multicast, "M1: a multicast");
            asks(EAST, "M2: local is not to be had: its net_output");
            local_free = 1'b1;
            asks(HERE, "M1: local comes first");
            // The site splits it: now it asks for its net_output, or for local.
            splits = 1'b1;
            clock;
            splits = 1'b0;
            asks(NONE, "M1: connected");
            master = 1'b1;
            asks(EAST, "M1, M3: a split packet's target asks for its net_output");
            take;
            asks(NONE, "M3: nothing shown, nothing asked for");
            shows(MULTICAST, at(1, 1));
            clock;
            asks(HERE, "M1: a target of this site");
            take;
            shows(MULTICAST, at(1, 3));
            clock;
            asks(NORTH, "M3: a further target");
            down = NORTH;
            repeat (3) clock;
            asks(NORTH, "P3: a branch that was opened stays the target's");

            held(MULTICAST, at(1, 1));
            asks(HERE, "M1: a first target that is local waits for local");
        end
    endtask

    task relief;
        begin
            held(MULTICAST, at(3, 1));
            {relieved, local_free} = 2'b11;
            asks(EAST, "R2: in relief a multicast does not take local");
            check(wants_own === HERE, "R2: one of this site does");
            period;
            asks(EAST, "R2: nor for the first period");
            period;
            asks(HERE, "R3: overdue, it is not held back");
            period;
            asks(HERE, "R3: nor from then on");
            held(MULTICAST, at(1, 1));
            {relieved, local_free} = 2'b11;
            asks(HERE, "R2: a first target that is local is not held back");
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
