// fabric_routes_tb: random addresses, targets, sizes, lists and dead links of every topology; over an idle fabric a packet from
// each side leaves where `direction` says, straight on where it can, and nowhere else (U1, U5, M3, R4). direction_tb checks
// `direction`. Then all sides want the same net_output all the time, and are served in turn (U1).
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module fabric_routes_tb;
    `include "bench.vh"

    localparam LW = 19, HERE = 0, ROUNDS = 4000, WORDS = 3, QUIET = 24, CONTENTION = 600;

    reg         clk = 1'b0, reset = 1'b1;
    reg  [13:0] here, target;
    reg  [1:0]  topology;
    reg  [6:0]  size_x, size_y;
    reg  [7:0]  unicast_lists, multicast_lists;
    reg  [3:0]  down;
    reg         strict, multicast;

    reg  [5*LW-1:0] into = 0;
    wire [4:0]      into_wait, event_word_out, event_stall, event_drop;
    wire [4*LW-1:0] link_out;
    wire [LW:0]     receive;
    wire event_divert, event_abort, event_split, event_pass, event_single, quiet;

    fabric dut (
        .clk(clk), .reset(reset), .site_address(here), .topology(topology), .size_x(size_x), .size_y(size_y),
        .unicast_lists(unicast_lists), .multicast_lists(multicast_lists), .divert_threshold(16'd20),
        .abort_threshold(16'd40), .abort_random(16'd127), .release_single(1'b1), .relief_limit(16'd64), .relief(1'b0),
        .link_down(down), .link_in(into[5*LW-1:LW]), .link_in_wait(into_wait[4:1]), .link_out(link_out),
        .link_out_wait(4'd0), .send(into[LW-1:0]), .send_wait(into_wait[0]), .receive(receive), .receive_wait(1'b0),
        .event_word_out(event_word_out), .event_stall(event_stall), .event_drop(event_drop), .event_divert(event_divert),
        .event_abort(event_abort), .event_split(event_split), .event_pass(event_pass), .event_single(event_single),
        .quiet(quiet));

    // A multicast's list is the one output that it prefers.
    wire       is_local;
    wire [4:0] minimal, listed;
    direction model (
        .asked(1'b1), .target(target), .site_address(here), .topology(topology), .size_x(size_x), .size_y(size_y),
        .lists(strict ? 8'h00 : multicast ? multicast_lists : unicast_lists), .down({down, 1'b0}),
        .available({5{!multicast}}), .is_local(is_local), .minimal(minimal), .choice(listed));

    integer count [0:4], straights = 0, detours = 0, rounds = 0, p, k, from;
    reg [4:0]    expected;
    reg [LW-1:0] words [0:WORDS-1];
    reg          waits;

    function [6:0] coordinate(input integer near, input integer size);
        case (below(4))
            0: coordinate = near;
            1: coordinate = (near + 1) % size;
            2: coordinate = (near + size - 1) % size;
            default: coordinate = below(size);
        endcase
    endfunction

    // A size of 128 does not fit its 7 bits and is 0.
    task draw;
        integer x_size, y_size;
        begin
            topology = below(3);
            x_size = percent(20) ? 128 : 2 + below(127);
            y_size = percent(20) ? 128 : 2 + below(127);
            size_x = x_size;
            size_y = y_size;
            here = {coordinate(below(y_size), y_size), coordinate(below(x_size), x_size)};
            target = {coordinate(here[13:7], y_size), coordinate(here[6:0], x_size)};
            unicast_lists = below(256);
            multicast_lists = {4{1'b0, percent(50)}};
            if (topology == `POSTROAD_TOPOLOGY_HYPERCUBE) begin
                here = below(16);
                target = below(16);
            end
            down = percent(50) ? 4'd0 : below(16);
            multicast = percent(25);
            strict = percent(20);
            from = below(5);
        end
    endtask

    // What `from` can bring: packets come on minimal paths, so none lies behind. In a strict order a packet that moves in a later
    // dimension has left the earlier one behind it, so a turn back into that is not drawn.
    function possible(input dummy);
        possible = from == HERE || (!minimal[from] && !(from > 2 && |minimal[2:1] && |minimal[4:3]));
    endfunction

    wire [4:0] ahead = from == HERE || topology == `POSTROAD_TOPOLOGY_HYPERCUBE || multicast ? 5'd0
                       : minimal & 5'd1 << (((from - 1) ^ 1) + 1) & ~{down, 1'b0};

    task one_clock;
        begin
            #5 clk = 1'b1;
            #1 for (p = 0; p < 5; p = p + 1)
                if ((p == HERE ? receive[LW-1:0] : link_out[(p-1)*LW +: LW]) >> 16 != 0) count[p] = count[p] + 1;
            #4 clk = 1'b0;
        end
    endtask

    task send_packet;
        begin
            words[0] = {multicast ? `POSTROAD_TAG_MULTICAST_SITE : `POSTROAD_TAG_UNICAST_SITE, strict, 1'b0, target};
            words[1] = {`POSTROAD_TAG_DATA, 16'h1234};
            words[2] = {`POSTROAD_TAG_END_OF_PACKET, 16'd0};
            for (k = 0; k < WORDS; k = k + 1) begin
                into[from*LW +: LW] = words[k];
                waits = 1'b1;
                while (waits) begin
                    #1 waits = into_wait[from];
                    one_clock;
                end
            end
            into = 0;
            repeat (QUIET) one_clock;
        end
    endtask

    task round;
        begin
            reset = 1'b1;
            one_clock;
            reset = 1'b0;
            one_clock;
            for (p = 0; p < 5; p = p + 1) count[p] = 0;
            expected = is_local ? 5'b00001 : |ahead ? ahead : listed;
            straights = straights + |ahead;
            detours = detours + (|(listed & ~{down, 1'b0}) && |(minimal & {down, 1'b0}));
            send_packet;
            check(quiet, "quiet after a packet");
            for (p = 1; p < 5; p = p + 1)
                check(expected[p] ? count[p] == WORDS : count[p] == 0, "U1, U5, M3, R4: a packet leaves where its list says");
            if (multicast) check(count[HERE] > 0, "M1: a multicast goes to local too");
            else check(count[HERE] == (expected[HERE] ? WORDS : 0), "U1: a unicast leaves in one place");
            if (errors != 0 && errors < 10)
                $display("    from %0d: topology %0d, %0dx%0d, here %0d,%0d, target %0d,%0d, down %b, expected %b", from,
                         topology, size_x, size_y, here[6:0], here[13:7], target[6:0], target[13:7], down, expected);
        end
    endtask

    // Every side but that of the net_output `to` shows packets for it without a pause; data words say whose they are.
    integer at [0:4], served [0:4];
    reg [4:0] stays;

    task contend(input integer to);
        integer most, least;
        begin
            topology = `POSTROAD_TOPOLOGY_GRID;
            {size_x, size_y, here, down, strict, multicast} = {7'd3, 7'd3, 7'd1, 7'd1, 4'd0, 2'b00};
            unicast_lists = 8'h00;
            target = {7'd1 + (to == 3) - (to == 4), 7'd1 + (to == 1) - (to == 2)};
            reset = 1'b1;
            one_clock;
            reset = 1'b0;
            for (k = 0; k < 5; k = k + 1) {at[k], served[k]} = 64'd0;
            repeat (CONTENTION) begin
                for (k = 0; k < 5; k = k + 1)
                    if (k == 0 || k != to)
                        into[k*LW +: LW] = at[k] == 0 ? {`POSTROAD_TAG_UNICAST_SITE, 2'b00, target} :
                                           at[k] == 1 ? {`POSTROAD_TAG_DATA, 16'd0} | k : {`POSTROAD_TAG_END_OF_PACKET, 16'd0};
                #1 stays = into_wait;
                one_clock;
                for (k = 0; k < 5; k = k + 1) begin
                    if (!stays[k]) at[k] = (at[k] + 1) % WORDS;
                    if ((to == HERE ? receive[LW-1:0] : link_out[(to-1)*LW +: LW]) == ({`POSTROAD_TAG_DATA, 16'd0} | k))
                        served[k] = served[k] + 1;
                end
            end
            into = 0;
            most = 0;
            least = CONTENTION;
            for (k = 0; k < 5; k = k + 1)
                if (k == 0 || k != to) begin
                    if (served[k] > most) most = served[k];
                    if (served[k] < least) least = served[k];
                end
            check(least > 10 && most - least <= 1, "U1: those that want the same net_output are served in turn");
            $display("net_output %0d: each %0d to %0d times", to, least, most);
        end
    endtask

    initial begin
        begin_bench;
        while (rounds < ROUNDS) begin
            draw;
            #1 if (possible(1'b0)) begin
                round;
                rounds = rounds + 1;
            end
        end
        check(straights > ROUNDS / 10, "packets went straight on");
        check(detours > ROUNDS / 20, "links were down");
        $display("%0d packets, %0d straight on, %0d beside a dead link", rounds, straights, detours);
        for (rounds = 0; rounds < 5; rounds = rounds + 1) contend(rounds);
        verdict;
    end
endmodule

`default_nettype wire
