// postman_inject_tb: for each target, postman_inject requests the machines that send the packet nearer by a shortest way, and no
// other (R16), on grids and on tori of all small sizes, and at random on large ones.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module postman_inject_tb;
    `include "bench.vh"
    `include "tags.vh"

    localparam WORD_WIDTH = 16, SMALL = 6, LARGE = 128;

    reg         clk = 1'b0, reset = 1'b1, adaptive = 1'b0;
    reg  [6:0]  own_x, own_y;
    reg  [7:0]  size_x, size_y;
    reg  [WORD_WIDTH+2:0] send = 0;
    wire [7:0]  of_grid, of_torus;
    integer     requested = 0;

    postman_inject #(.WORD_WIDTH(WORD_WIDTH), .TORUS(0)) grid (
        .clk(clk), .reset(reset), .own_x(own_x), .own_y(own_y), .size_x(size_x), .size_y(size_y), .adaptive_routing(adaptive),
        .send(send), .send_wait(), .load_request(of_grid), .load_granted(8'd0), .load_write(), .load_flit(), .load_commit(),
        .load_two(), .own_word(), .own_wait(1'b0), .event_drop(), .quiet());
    postman_inject #(.WORD_WIDTH(WORD_WIDTH), .TORUS(1)) torus (
        .clk(clk), .reset(reset), .own_x(own_x), .own_y(own_y), .size_x(size_x), .size_y(size_y), .adaptive_routing(adaptive),
        .send(send), .send_wait(), .load_request(of_torus), .load_granted(8'd0), .load_write(), .load_flit(), .load_commit(),
        .load_two(), .own_word(), .own_wait(1'b0), .event_drop(), .quiet());

    task clock;
        begin
            #1 clk = 1'b1;
            #1 clk = 1'b0;
        end
    endtask

    // In which direction a coordinate changes: 0 neither, 1 up, 2 down. Steps are counted one by one.
    function integer direction(input round, input integer size, input integer from, input integer to);
        integer up, down;
        begin
            up   = 0;
            down = 0;
            while ((from + up) % size != to) up = up + 1;
            while ((from - down + size) % size != to) down = down + 1;
            direction = up == 0 ? 0 : (round ? up <= down : from + up < size) ? 1 : 2;
        end
    endfunction

    // Planes 0 and 3 lead up in x, 0 and 1 in y. Y may begin with both axes ahead only where routing adapts.
    function [7:0] wanted(input integer along_x, input integer along_y);
        integer plane;
        reg     leads_x, leads_y;
        for (plane = 0; plane < 4; plane = plane + 1) begin
            leads_x = along_x == (plane == 0 || plane == 3 ? 1 : 2);
            leads_y = along_y == (plane < 2 ? 1 : 2);
            wanted[2*plane]   = leads_x && (leads_y || along_y == 0);
            wanted[2*plane+1] = leads_y && (leads_x ? adaptive : along_x == 0);
        end
    endfunction

    task try(input integer from_x, input integer from_y, input integer to_x, input integer to_y);
        begin
            {own_x, own_y} = {from_x[6:0], from_y[6:0]};
            adaptive = percent(50);
            reset    = 1'b1;
            clock;
            reset = 1'b0;
            clock;
            send = {UNICAST, to_y[8:0], to_x[6:0]};
            clock;
            send = 0;
            repeat (3) clock;
            check(of_grid == wanted(direction(0, size_x, from_x, to_x), direction(0, size_y, from_y, to_y)),
                  "R16: the machines of a grid that send the packet nearer");
            check(of_torus == wanted(direction(1, size_x, from_x, to_x), direction(1, size_y, from_y, to_y)),
                  "R16: the machines of a torus that send the packet nearer, by the shorter way round");
            requested = requested + |of_torus;
        end
    endtask

    integer from, to;
    initial begin
        begin_bench;
        for (size_x = 2; size_x <= SMALL; size_x = size_x + 1)
            for (size_y = 2; size_y <= SMALL; size_y = size_y + 1)
                for (from = 0; from < size_x * size_y; from = from + 1)
                    for (to = 0; to < size_x * size_y; to = to + 1)
                        try(from % size_x, from / size_x, to % size_x, to / size_x);
        repeat (1000) begin
            size_x = 2 + below(LARGE - 1);
            size_y = 2 + below(LARGE - 1);
            try(below(size_x), below(size_y), below(size_x), below(size_y));
        end
        check(requested > 8000, "packets for other sites");
        verdict;
    end
endmodule

`default_nettype wire
