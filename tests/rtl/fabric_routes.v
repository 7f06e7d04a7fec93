// fabric_routes: one fabric, idle, and packets with random addresses, targets, sizes, lists and dead links. A packet from each
// side leaves where its list says, straight on where it can, and nowhere else (U1, M3, M10, R4). Then all sides want the same
// net_output all the time, and are served in turn (U1). Called by a bench.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module fabric_routes #(
    parameter ADAPTIVE  = 0,
    parameter HYPERCUBE = 0
);
    localparam INPUT_DEPTH = 1;
    localparam [15:0] ABORT_THRESHOLD = 16'd64;
    `include "fabric_bench.vh"

    localparam WORDS = 3, QUIET = 24, CONTENTION = 600;
    localparam [15:0] MARK = 16'h8000;

    reg [13:0] target;
    reg        multicast;
    integer    straights, detours, packets, p, k, from;
    reg [4:0]  expected;

    // direction_tb and the proofs order_* check these.
    wire       is_local;
    wire [4:0] listed;
    direction model (
        .asked(1'b1), .target(target), .site_address(site_address), .topology(topology), .size_x(size_x), .size_y(size_y),
        .lists(multicast ? 8'h00 : unicast_lists), .down(multicast ? 5'd0 : {link_down, 1'b0}), .available(5'b11111),
        .is_local(is_local), .choice(listed));

    wire [4:0] ordered [0:4];
    genvar g;
    generate
        for (g = 0; g < 5; g = g + 1) begin : port
            dimension_order #(.HYPERCUBE(HYPERCUBE), .PORT(g)) order (
                .target(target), .unicast(!multicast), .site_address(site_address),
                .torus(topology == `POSTROAD_TOPOLOGY_TORUS), .size_x(size_x), .size_y(size_y), .down({link_down, 1'b0}),
                .list(ordered[g]));
        end
    endgenerate

    // The way of one coordinate: 0 none, 1 up, 2 down.
    function integer way(input [6:0] near, input [6:0] far, input [6:0] size);
        integer around, forward;
        begin
            around = size == 0 ? 128 : size;
            forward = far - near;
            if (topology == `POSTROAD_TOPOLOGY_TORUS && forward < 0) forward = forward + around;
            if (forward == 0) way = 0;
            else if (topology == `POSTROAD_TOPOLOGY_TORUS) way = 2 * forward <= around ? 1 : 2;
            else way = forward > 0 ? 1 : 2;
        end
    endfunction

    function [4:0] minimal(input dummy);
        integer x, y;
        begin
            x = way(site_address[6:0], target[6:0], size_x);
            y = way(site_address[13:7], target[13:7], size_y);
            minimal = (x == 0 ? 5'd0 : 5'd1 << x) | (y == 0 ? 5'd0 : 5'd4 << y);
            if (HYPERCUBE != 0) minimal = {site_address[3:0] ^ target[3:0], 1'b0};
        end
    endfunction

    // The same, a neighbour, about half way round, or anywhere.
    function [6:0] coordinate(input integer near, input integer size);
        case (below(5))
            0: coordinate = near;
            1: coordinate = (near + 1) % size;
            2: coordinate = (near + size - 1) % size;
            3: coordinate = (near + size / 2 + below(4)) % size;
            default: coordinate = below(size);
        endcase
    endfunction

    // A size of 128 does not fit its 7 bits and is 0.
    task draw;
        integer x_size, y_size;
        begin
            topology = HYPERCUBE != 0 ? `POSTROAD_TOPOLOGY_HYPERCUBE : below(2);
            x_size = percent(20) ? 128 : 2 + below(127);
            y_size = percent(20) ? 128 : 2 + below(127);
            size_x = x_size;
            size_y = y_size;
            site_address = {coordinate(below(y_size), y_size), coordinate(below(x_size), x_size)};
            target = {coordinate(site_address[13:7], y_size), coordinate(site_address[6:0], x_size)};
            unicast_lists = below(256);
            if (HYPERCUBE != 0) begin
                site_address = below(16);
                target = below(16);
            end
            link_down = percent(50) ? 4'd0 : below(16);
            multicast = percent(40);
            from = below(5);
        end
    endtask

    // What `from` can bring: no target lies behind, and in dimension order a packet is done with what came before.
    function possible(input dummy);
        reg [4:0] ways;
        begin
            ways = minimal(1'b0);
            possible = from == HERE || !ways[from];
            if (from != HERE && !(ADAPTIVE != 0 && !multicast))
                possible = possible && (HYPERCUBE != 0 ? (ways & ((5'd1 << from + 1) - 5'd2)) == 5'd0
                                                       : from <= WEST || !(|ways[2:1]));
        end
    endfunction

    task send_packet;
        begin
            send_word(from, multicast ? {`POSTROAD_TAG_MULTICAST_SITE, MARK | {2'b00, target}}
                                      : {`POSTROAD_TAG_UNICAST_SITE, 2'b00, target});
            send_word(from, {`POSTROAD_TAG_DATA, 16'h1234});
            send_word(from, {`POSTROAD_TAG_END_OF_PACKET, 16'd0});
            into = 0;
            repeat (QUIET) one_clock;
        end
    endtask

    // Straight on is a way if the coordinate differs and the link is up.
    task one_packet;
        reg [4:0] ways, ahead;
        begin
            start;
            watch;
            ways = minimal(1'b0);
            ahead = from == HERE || HYPERCUBE != 0 ? 5'd0 : ways & 5'd1 << opposite(from) & ~{link_down, 1'b0};
            expected = is_local ? 5'b00001 : |ahead ? ahead : ADAPTIVE != 0 ? listed : ordered[from];
            straights = straights + |ahead;
            detours = detours + (|(expected & ~{link_down, 1'b0}) && |(ways & {link_down, 1'b0}));
            send_packet;
            check(quiet, "quiet after a packet");
            for (p = 0; p < 5; p = p + 1)
                check(count[p] == (expected[p] ? WORDS : 0), "U1, M3, M10, R4: a packet leaves where its list says");
            if (errors != 0 && errors < 10)
                $display("    from %0d: topology %0d, %0dx%0d, here %0d,%0d, target %0d,%0d, down %b, expected %b", from,
                         topology, size_x, size_y, site_address[6:0], site_address[13:7], target[6:0], target[13:7], link_down,
                         expected);
        end
    endtask

    // Every side that may leave by the net_output `to` shows packets for it without a pause; data words say whose they are.
    integer at [0:4], served [0:4];
    reg [4:0] stays;

    function shows(input integer side, input integer to);
        shows = side == HERE || to == HERE || (side != to && (ADAPTIVE != 0 || side <= WEST || side == opposite(to)) &&
                                               !(to <= WEST && side > WEST && ADAPTIVE == 0));
    endfunction

    task contend(input integer to);
        integer most, least;
        begin
            topology = `POSTROAD_TOPOLOGY_GRID;
            {size_x, size_y, site_address, link_down, multicast} = {7'd3, 7'd3, 7'd1, 7'd1, 4'd0, 1'b0};
            unicast_lists = 8'h00;
            target = {7'd1 + (to == NORTH) - (to == SOUTH), 7'd1 + (to == EAST) - (to == WEST)};
            start;
            for (k = 0; k < 5; k = k + 1) {at[k], served[k]} = 64'd0;
            repeat (CONTENTION) begin
                for (k = 0; k < 5; k = k + 1)
                    if (shows(k, to))
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
                if (shows(k, to)) begin
                    if (served[k] > most) most = served[k];
                    if (served[k] < least) least = served[k];
                end
            check(least > 10 && most - least <= 1, "U1: those that want the same net_output are served in turn");
            $display("net_output %0d: each %0d to %0d times", to, least, most);
        end
    endtask

    task run(input integer rounds, input integer first_seed, output integer failures);
        begin
            seed = first_seed * 7919 + 17;
            {straights, detours, packets} = 0;
            while (packets < rounds) begin
                draw;
                #1 if (possible(1'b0)) begin
                    one_packet;
                    packets = packets + 1;
                end
            end
            check(HYPERCUBE != 0 || straights > rounds / 10, "packets went straight on");
            check(detours > rounds / 40, "links were down");
            $display("%m: %0d packets, %0d straight on, %0d beside a dead link", packets, straights, detours);
            if (HYPERCUBE == 0) for (packets = 0; packets < 5; packets = packets + 1) contend(packets);
            failures = errors;
        end
    endtask
endmodule

`default_nettype wire
