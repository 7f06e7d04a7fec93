// direction_tb: every pair of sites of small meshes, every list code in every quadrant, random outputs that are down or
// available, against distance arithmetic: choices are minimal, in the order of the list, a torus breaks its tie the positive
// way, no output leads over an edge (U1, M3), one that is down only serves a list that has nothing else (R4).
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module direction_tb;
    `include "bench.vh"

    reg  [23:0] from, to;            // {y, x}, 12 bits each, or the bits of a hypercube
    reg  [1:0]  topology;
    reg  [11:0] size_x, size_y;
    reg  [7:0]  lists;
    reg  [6:0]  down, available;
    integer     narrow;              // 7-bit or 12-bit coordinates
    integer     links;

    function [13:0] packed_7(input [23:0] wide);
        packed_7 = topology == `POSTROAD_TOPOLOGY_HYPERCUBE ? wide[13:0] : {wide[18:12], wide[6:0]};
    endfunction

    wire [2:6] is_local_7, is_local_12;
    wire [6:0] choice_7 [2:6];
    wire [6:0] choice_12 [2:6];
    genvar n;
    generate
        for (n = 2; n <= 6; n = n + 1) begin : width
            wire [n:0] chosen_7, chosen_12;
            direction #(.COORD_WIDTH(7), .LINKS(n)) dut_7 (
                .asked(narrow != 0 && links == n), .target(packed_7(to)), .site_address(packed_7(from)),
                .topology(topology), .size_x(size_x[6:0]), .size_y(size_y[6:0]), .lists(lists),
                .down(down[n:0]), .available(available[n:0]), .is_local(is_local_7[n]), .choice(chosen_7));
            direction #(.COORD_WIDTH(12), .LINKS(n)) dut_12 (
                .asked(narrow == 0 && links == n), .target(to), .site_address(from), .topology(topology),
                .size_x(size_x), .size_y(size_y), .lists(lists),
                .down(down[n:0]), .available(available[n:0]), .is_local(is_local_12[n]), .choice(chosen_12));
            assign choice_7[n]   = {{(6-n){1'b0}}, chosen_7};
            assign choice_12[n]  = {{(6-n){1'b0}}, chosen_12};
        end
    endgenerate

    // Distance in one dimension, and the coordinate next to `at`; -1 over an edge.
    function integer span(input integer a, input integer b, input integer size);
        begin
            span = a > b ? a - b : b - a;
            if (topology == `POSTROAD_TOPOLOGY_TORUS && size - span < span) span = size - span;
        end
    endfunction

    function integer step(input integer at, input integer by, input integer size);
        begin
            step = at + by;
            if (topology == `POSTROAD_TOPOLOGY_TORUS) step = (step + size) % size;
            else if (step >= size) step = -1;
        end
    endfunction

    function integer distance(input integer ax, input integer ay, input integer bx, input integer by);
        distance = span(ax, bx, size_x) + span(ay, by, size_y);
    endfunction

    // Whether grid or torus port p is on a minimal path, by walking one step.
    function minimal_port(input integer p);
        integer x, y, bx, by, gone, ties;
        begin
            x = from[11:0]; y = from[23:12]; bx = to[11:0]; by = to[23:12];
            minimal_port = 1'b0;
            if (p <= 2) gone = step(x, p == 1 ? 1 : -1, size_x);
            else gone = step(y, p == 3 ? 1 : -1, size_y);
            if (gone >= 0 && p <= 4) begin
                if (p <= 2) minimal_port = distance(gone, y, bx, by) < distance(x, y, bx, by);
                else minimal_port = distance(x, gone, bx, by) < distance(x, y, bx, by);
                // Half way round both ways are minimal: the positive one is taken.
                ties = p <= 2 ? 2*span(x, bx, size_x) == size_x : 2*span(y, by, size_y) == size_y;
                if (topology == `POSTROAD_TOPOLOGY_TORUS && ties && (p == 2 || p == 4)) minimal_port = 1'b0;
            end
        end
    endfunction

    // The first of `outputs` in the order of the list.
    function [6:0] first_of(input [6:0] outputs, input highest);
        integer at;
        begin
            first_of = 7'd0;
            for (at = 1; at <= links; at = at + 1)
                if (outputs[at] && (highest || first_of == 7'd0)) first_of = 7'd1 << at;
        end
    endfunction

    integer pairs = 0, ties_seen = 0, all_down = 0, detours = 0, p, code, quadrant;
    reg [6:0] minimal, listed, candidates, free, found;

    task compare;
        begin
            down      = below(4) ? 7'd0 : below(128);
            available = below(128);
            #1;
            minimal = 7'd0;
            for (p = 1; p <= links; p = p + 1)
                minimal[p] = topology == `POSTROAD_TOPOLOGY_HYPERCUBE ? from[p-1] != to[p-1] : minimal_port(p);
            quadrant = topology == `POSTROAD_TOPOLOGY_HYPERCUBE ? 0 : {minimal[4], minimal[2]};
            code = lists[2*quadrant +: 2];
            // An adaptive list has every minimal output, any other the first dimension only.
            listed = code[1] ? minimal : first_of(minimal, code[0]);
            candidates = listed & ~down ? listed & ~down : listed;
            free = code[1] ? candidates & available : 7'd0;
            all_down = all_down + (listed != 7'd0 && !(listed & ~down));
            detours  = detours + (free && first_of(free, code[0]) != first_of(candidates, code[0]));
            found = narrow ? choice_7[links] : choice_12[links];
            check((narrow ? is_local_7[links] : is_local_12[links]) === (from == to),
                  "U1: the list of a local target is {local}");
            check(found === first_of(free ? free : candidates, code[0]),
                  code[1] ? "U1, R4: the first available output of an adaptive list, else the first" :
                            "U1, M3, R4: strict dimension order is the first dimension only");
            if (found !== first_of(free ? free : candidates, code[0]) && errors < 20)
                $display("    topology %0d, %0dx%0d, lists %b, down %b, available %b: from %0d,%0d to %0d,%0d: %b", topology,
                         size_x, size_y, lists, down, available, from[11:0], from[23:12], to[11:0], to[23:12], found);
            pairs = pairs + 1;
        end
    endtask

    task all_pairs(input [1:0] which, input integer x_size, input integer y_size, input integer with_links);
        integer ax, ay, bx, by;
        begin
            topology = which;
            size_x = x_size;
            size_y = y_size;
            links = with_links;
            for (ax = 0; ax < x_size; ax = ax + 1)
                for (ay = 0; ay < y_size; ay = ay + 1)
                    for (bx = 0; bx < x_size; bx = bx + 1)
                        for (by = 0; by < y_size; by = by + 1) begin
                            from = {ay[11:0], ax[11:0]};
                            to = {by[11:0], bx[11:0]};
                            ties_seen = ties_seen + (which == 1 && 2*span(ax, bx, x_size) == x_size);
                            narrow = 1;
                            compare;
                            narrow = 0;
                            compare;
                        end
        end
    endtask

    task all_corners(input integer dimensions);
        integer a, b;
        begin
            topology = `POSTROAD_TOPOLOGY_HYPERCUBE;
            size_x = 0;
            size_y = 0;
            links = dimensions;
            for (a = 0; a < 1 << dimensions; a = a + 1)
                for (b = 0; b < 1 << dimensions; b = b + 1) begin
                    from = a;
                    to = b;
                    narrow = 1;
                    compare;
                    narrow = 0;
                    compare;
                end
        end
    endtask

    integer round;
    initial begin
        begin_bench;
        for (round = 0; round < ($test$plusargs("long") ? 8 : 4); round = round + 1) begin
            lists = round < 4 ? {4{round[1:0]}} : below(256);
            all_pairs(`POSTROAD_TOPOLOGY_GRID, 5, 4, 4);
            all_pairs(`POSTROAD_TOPOLOGY_GRID, 3, 4, 6);
            all_pairs(`POSTROAD_TOPOLOGY_GRID, 9, 1, 2);
            all_pairs(`POSTROAD_TOPOLOGY_TORUS, 4, 4, 4);
            all_pairs(`POSTROAD_TOPOLOGY_TORUS, 5, 3, 4);
            all_pairs(`POSTROAD_TOPOLOGY_TORUS, 2, 6, 4);
            all_pairs(`POSTROAD_TOPOLOGY_TORUS, 8, 1, 2);
            all_corners(2);
            all_corners(3);
            all_corners(4);
            if (round < 2) all_corners(6);
            all_corners(5);
        end
        // The largest sizes that fit a coordinate.
        lists = 8'b10101010;
        all_pairs(`POSTROAD_TOPOLOGY_TORUS, 128, 1, 4);
        all_pairs(`POSTROAD_TOPOLOGY_GRID, 1, 128, 4);
        check(ties_seen > 100, "ties were exercised");
        check(all_down > 100, "lists with nothing but outputs that are down were");
        check(detours > 100, "choices of an output that is available before one that comes first were");
        $display("%0d pairs", pairs);
        verdict;
    end
endmodule

`default_nettype wire
