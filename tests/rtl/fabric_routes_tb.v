// fabric_routes_tb: random addresses, targets, sizes, lists and dead links of every topology; over an idle fabric a packet from
// each side leaves where `direction` says, straight on where it can, and nowhere else (U1, U5, M3, R4). direction_tb checks
// `direction`. Then all sides want the same net_output all the time, and are served in turn (U1).
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module fabric_routes_tb;
    `include "fabric_bench.vh"

    localparam ROUNDS = 4000, WORDS = 3, QUIET = 24, CONTENTION = 600;

    reg [13:0] target;
    reg        strict, multicast;

    // A multicast's list is the one output that it prefers.
    wire       is_local;
    wire [4:0] minimal, listed;
    direction model (
        .asked(1'b1), .target(target), .site_address(site_address), .topology(topology), .size_x(size_x), .size_y(size_y),
        .lists(strict ? 8'h00 : multicast ? multicast_lists : unicast_lists), .down({link_down, 1'b0}),
        .available({5{!multicast}}), .is_local(is_local), .minimal(minimal), .choice(listed));

    integer straights = 0, detours = 0, rounds = 0, p, k, from;
    reg [4:0] expected;

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
            site_address = {coordinate(below(y_size), y_size), coordinate(below(x_size), x_size)};
            target = {coordinate(site_address[13:7], y_size), coordinate(site_address[6:0], x_size)};
            unicast_lists = below(256);
            multicast_lists = {4{1'b0, percent(50)}};
            if (topology == `POSTROAD_TOPOLOGY_HYPERCUBE) begin
                site_address = below(16);
                target = below(16);
            end
            link_down = percent(50) ? 4'd0 : below(16);
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
                       : minimal & 5'd1 << opposite(from) & ~{link_down, 1'b0};

    task send_packet;
        begin
            send_word(from, {multicast ? `POSTROAD_TAG_MULTICAST_SITE : `POSTROAD_TAG_UNICAST_SITE, strict, 1'b0, target});
            send_word(from, {`POSTROAD_TAG_DATA, 16'h1234});
            send_word(from, {`POSTROAD_TAG_END_OF_PACKET, 16'd0});
            into = 0;
            repeat (QUIET) one_clock;
        end
    endtask

    task round;
        begin
            start;
            watch;
            expected = is_local ? 5'b00001 : |ahead ? ahead : listed;
            straights = straights + |ahead;
            detours = detours + (|(listed & ~{link_down, 1'b0}) && |(minimal & {link_down, 1'b0}));
            send_packet;
            check(quiet, "quiet after a packet");
            for (p = 1; p < 5; p = p + 1)
                check(expected[p] ? count[p] == WORDS : count[p] == 0, "U1, U5, M3, R4: a packet leaves where its list says");
            if (multicast) check(count[HERE] > 0, "M1: a multicast goes to local too");
            else check(count[HERE] == (expected[HERE] ? WORDS : 0), "U1: a unicast leaves in one place");
            if (errors != 0 && errors < 10)
                $display("    from %0d: topology %0d, %0dx%0d, here %0d,%0d, target %0d,%0d, down %b, expected %b", from,
                         topology, size_x, size_y, site_address[6:0], site_address[13:7], target[6:0], target[13:7], link_down,
                         expected);
        end
    endtask

    // Every side but that of the net_output `to` shows packets for it without a pause; data words say whose they are.
    integer at [0:4], served [0:4];
    reg [4:0] stays;

    task contend(input integer to);
        integer most, least;
        begin
            topology = `POSTROAD_TOPOLOGY_GRID;
            {size_x, size_y, site_address, link_down, strict, multicast} = {7'd3, 7'd3, 7'd1, 7'd1, 4'd0, 2'b00};
            unicast_lists = 8'h00;
            target = {7'd1 + (to == NORTH) - (to == SOUTH), 7'd1 + (to == EAST) - (to == WEST)};
            start;
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
                    if (out_word(to) == ({`POSTROAD_TAG_DATA, 16'd0} | k)) served[k] = served[k] + 1;
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
