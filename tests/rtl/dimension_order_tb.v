// dimension_order_tb: every pair of sites of small meshes, every port, random links that are down, against walks and counts: x
// before y, lowest dimension first, the shorter way round a ring, and of two equal ones the positive one; a port offers only
// the turns that dimension order has (U1, M3); a unicast avoids a link that is down (R4).
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module dimension_order_tb;
    `include "bench.vh"

    localparam GRID = `POSTROAD_TOPOLOGY_GRID, TORUS = `POSTROAD_TOPOLOGY_TORUS, HYPERCUBE = `POSTROAD_TOPOLOGY_HYPERCUBE;
    localparam EAST = 1, WEST = 2, NORTH = 3, SOUTH = 4, CUBE_LINKS = 5;

    reg  [23:0] from, to;            // {y, x}, 12 bits each, or the bits of a hypercube
    reg  [1:0]  topology;
    reg  [11:0] size_x, size_y;
    reg  [6:0]  down;
    reg         unicast;

    // Narrow and wide coordinates, each port of each topology.
    function [13:0] narrow(input [23:0] wide);
        narrow = topology == HYPERCUBE ? wide[13:0] : {wide[18:12], wide[6:0]};
    endfunction

    wire [4:0] list_7 [0:4];
    wire [4:0] list_12 [0:4];
    wire [5:0] list_cube [0:5];
    genvar p;
    generate
        for (p = 0; p <= 4; p = p + 1) begin : port
            dimension_order #(.COORD_WIDTH(7), .PORT(p)) narrow_one (
                .target(narrow(to)), .unicast(unicast), .site_address(narrow(from)), .torus(topology == TORUS),
                .size_x(size_x[6:0]), .size_y(size_y[6:0]), .down(down[4:0]), .list(list_7[p]));
            dimension_order #(.COORD_WIDTH(12), .PORT(p)) wide_one (
                .target(to), .unicast(unicast), .site_address(from), .torus(topology == TORUS),
                .size_x(size_x), .size_y(size_y), .down(down[4:0]), .list(list_12[p]));
        end
        for (p = 0; p <= CUBE_LINKS; p = p + 1) begin : cube_port
            dimension_order #(.COORD_WIDTH(7), .LINKS(CUBE_LINKS), .HYPERCUBE(1), .PORT(p)) one (
                .target(narrow(to)), .unicast(unicast), .site_address(narrow(from)), .torus(1'b0), .size_x(7'd5),
                .size_y(7'd1), .down(down[5:0]), .list(list_cube[p]));
        end
    endgenerate

    // Steps from a to b, going up or down only; size if the way leads over an edge.
    function integer steps(input integer a, input integer b, input integer by, input integer size);
        integer at;
        begin
            at = a;
            for (steps = 0; at != b && steps < size; steps = steps + 1) begin
                at = at + by;
                if (topology == TORUS) at = (at + size) % size;
            end
        end
    endfunction

    // The way of one coordinate: 0 none, 1 up, 2 down.
    function integer way(input integer a, input integer b, input integer size);
        way = a == b ? 0 : steps(a, b, 1, size) <= steps(a, b, -1, size) ? 1 : 2;
    endfunction

    // Where it must go from `port`, 0: local. A packet that moves on in x or y keeps its way, and one that moves in y is done
    // with x.
    function integer expected(input integer port, input integer ways_x, input integer ways_y);
        integer x, y;
        begin
            x = ways_x == 0 ? 0 : port == 0 ? ways_x : port == EAST ? WEST : port == WEST ? EAST : 0;
            y = ways_y == 0 ? 0 : port == NORTH ? SOUTH : port == SOUTH ? NORTH : ways_y + 2;
            if (x != 0 && y != 0 && unicast && down[x]) x = 0;
            expected = x != 0 ? x : y;
        end
    endfunction

    integer pairs = 0, detours = 0, ties = 0, returns = 0, k, found;

    task compare;
        integer wanted;
        begin
            down = below(3) ? 7'd0 : below(128);
            unicast = below(2);
            #1;
            for (k = 0; k <= 4; k = k + 1) begin
                wanted = expected(k, way(from[11:0], to[11:0], size_x), way(from[23:12], to[23:12], size_y));
                check(list_7[k] === 5'd1 << wanted, "U1, M3, R4: x before y, and what this port can still need");
                check(list_12[k] === 5'd1 << wanted, "U1, M3, R4: x before y, and what this port can still need");
                detours = detours + (wanted > 2 && k < 3 && way(from[11:0], to[11:0], size_x) != 0);
                returns = returns + (wanted == 0 && from != to);
                if (errors != 0 && errors < 10)
                    $display("    port %0d, topology %0d, %0dx%0d, down %b, unicast %b: %0d,%0d to %0d,%0d: %b %b, not %0d", k,
                             topology, size_x, size_y, down, unicast, from[11:0], from[23:12], to[11:0], to[23:12],
                             list_7[k], list_12[k], wanted);
            end
            ties = ties + (topology == TORUS && from != to && 2 * steps(from[11:0], to[11:0], 1, size_x) == size_x);
            pairs = pairs + 1;
        end
    endtask

    // From one site in `every`.
    task all_pairs(input [1:0] which, input integer x_size, input integer y_size, input integer every);
        integer a, b;
        begin
            topology = which;
            size_x = x_size;
            size_y = y_size;
            for (a = 0; a < x_size * y_size; a = a + every)
                for (b = 0; b < x_size * y_size; b = b + 1) begin
                    from = (a / x_size) << 12 | a % x_size;
                    to = (b / x_size) << 12 | b % x_size;
                    compare;
                end
        end
    endtask

    // A packet from dimension d is done with those up to d; the lowest of the others, or the lowest whose link is up.
    task all_corners;
        integer a, b, d, lowest, lowest_up;
        begin
            topology = HYPERCUBE;
            for (a = 0; a < 1 << CUBE_LINKS; a = a + 1)
                for (b = 0; b < 1 << CUBE_LINKS; b = b + 1) begin
                    from = a;
                    to = b;
                    down = below(3) ? 7'd0 : below(128);
                    unicast = below(2);
                    #1;
                    for (k = 0; k <= CUBE_LINKS; k = k + 1) begin
                        lowest = 0;
                        lowest_up = 0;
                        for (d = CUBE_LINKS; d > k; d = d - 1)
                            if (from[d-1] != to[d-1]) begin
                                lowest = d;
                                if (!down[d]) lowest_up = d;
                            end
                        if (unicast && lowest_up != 0) lowest = lowest_up;
                        check(list_cube[k] === 6'd1 << lowest, "U1, M3, R4: the lowest dimension that is left for this port");
                    end
                    pairs = pairs + 1;
                end
        end
    endtask

    initial begin
        begin_bench;
        repeat (2) begin
            all_pairs(GRID, 5, 4, 1);
            all_pairs(GRID, 9, 1, 1);
            all_pairs(TORUS, 4, 4, 1);
            all_pairs(TORUS, 5, 3, 1);
            all_pairs(TORUS, 2, 6, 1);
            all_pairs(TORUS, 8, 1, 1);
            all_corners;
        end
        // The largest sizes that fit a coordinate of seven bits.
        all_pairs(TORUS, 128, 1, 9);
        all_pairs(GRID, 1, 128, 9);
        check(ties > 100 && detours > 100 && returns > 100, "ties, detours and packets with nothing left to do were exercised");
        $display("%0d pairs, %0d ties, %0d detours", pairs, ties, detours);
        verdict;
    end
endmodule

`default_nettype wire
