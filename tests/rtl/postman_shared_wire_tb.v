// postman_shared_wire_tb: nodes of one plane, 3x3, with one wire a link (Figure 7 of the paper, hw/postman/shared_wire.md).
// Packets arrive exactly once and whole, no wire has two drivers, nothing is dropped; a lone packet is never buffered on its way
// and takes the clocks of R19. What a wire shows while nothing drives it is any bit. +long: half as many clocks again.
// SPDX-License-Identifier: ISC
`default_nettype none

module postman_shared_wire_tb;
    `include "bench.vh"

    localparam SIDE = 3, NODES = SIDE * SIDE, FLIT = 8, N = FLIT + 1, DEPTH_LOG2 = 4, PACKETS = 256, MOST_FLITS = 12;
    localparam [1:0] REST = 2'd0, REQUEST = 2'd1, LOAD = 2'd2;

    reg         clk = 1'b0, reset = 1'b1, loads = 1'b0, lone = 1'b0, vct = 1'b0, adapts = 1'b0;
    reg  [3:0]  phase [0:2*SIDE];         // of the wires that leave a node, by its distance from node 0
    integer     now = 0, rate, lone_source, lone_target;
    integer     sent [0:NODES-1];         // packets of a source
    integer     target [0:NODES*PACKETS-1], length [0:NODES*PACKETS-1], began = 0;
    reg         arrived [0:NODES*PACKETS-1];
    integer     in_flight = 0, delivered = 0, buffered = 0, turned = 0, conflicts = 0, drops = 0;

    // The wire that leaves machine m's output of node n is wire 2*n+m: its ends, and who drives it.
    wire [2*NODES-1:0] sender_drives, sender_bit, receiver_drives, receiver_bit, receiver_busy, shown, into;
    reg  [2*NODES-1:0] noise, sender_drove, receiver_drove;
    wire [2*NODES-1:0] on_wire = sender_drives & sender_bit | receiver_drives & receiver_bit |
                                 ~sender_drives & ~receiver_drives & noise;

    // Byte `place` of packet `number` of a source.
    function [7:0] data(input integer source, input integer number, input integer place);
        case (place)
            0: data = source;
            1: data = number;
            default: data = 37 * source + 11 * number + 101 * place;
        endcase
    endfunction

    function integer addresses(input integer from, input integer onto);
        addresses = from % SIDE != onto % SIDE && from / SIDE != onto / SIDE ? 2 : 1;
    endfunction

    genvar n, m;
    generate
        for (n = 0; n < NODES; n = n + 1) begin : node
            localparam X = n % SIDE, Y = n / SIDE, DEPTH = X + Y;
            wire [1:0] line_in, line_out, busy, line_out_busy, seen_busy, granted, has_come, bad;
            wire [1:0] event_buffer, event_turn, event_source, event_drop, line_next, busy_next, dead, adapted, stall;
            wire [2*DEPTH_LOG2+1:0] flits;
            wire [15:0] read_data;
            wire quiet;

            for (m = 0; m < 2; m = m + 1) begin : dimension
                localparam LEADS_ON = (m == 0 ? X : Y) < SIDE - 1, HAS_UPSTREAM = (m == 0 ? X : Y) > 0;
                localparam UPSTREAM = 2 * (n - (m == 0 ? 1 : SIDE)) + m;

                if (LEADS_ON) begin : next
                    wire unused_line_in, unused_shown;
                    postman_shared_wire sender (
                        .clk(clk), .reset(reset), .sends(1'b1), .phase(vct ? phase[0] : phase[DEPTH]), .wire_in(on_wire[2*n + m]),
                        .wire_out(sender_bit[2*n + m]), .wire_drive(sender_drives[2*n + m]), .drive_next(),
                        .line_out(line_out[m]),
                        .line_out_busy(line_out_busy[m]), .line_in(unused_line_in), .busy(1'b0), .busy_shown(unused_shown));
                    postman_shared_wire receiver (
                        .clk(clk), .reset(reset), .sends(1'b0), .phase(vct ? phase[0] : phase[DEPTH]), .wire_in(on_wire[2*n + m]),
                        .wire_out(receiver_bit[2*n + m]), .wire_drive(receiver_drives[2*n + m]), .drive_next(), .line_out(1'b0),
                        .line_out_busy(), .line_in(into[2*n + m]), .busy(receiver_busy[2*n + m]), .busy_shown(shown[2*n + m]));
                end else begin : edge_of_plane
                    assign {sender_bit[2*n + m], sender_drives[2*n + m], receiver_bit[2*n + m], receiver_drives[2*n + m]} = 4'd0;
                    assign {line_out_busy[m], into[2*n + m], shown[2*n + m], receiver_busy[2*n + m]} = 4'd0;
                end
                if (HAS_UPSTREAM) begin : previous
                    assign line_in[m] = into[UPSTREAM];
                    assign receiver_busy[UPSTREAM] = busy[m];
                    assign seen_busy[m] = shown[UPSTREAM];
                end else begin : nothing
                    assign line_in[m] = 1'b0;
                    assign seen_busy[m] = busy[m];
                end
            end

            // The operator loads: a reservation is withdrawn if a packet begins before the sender upstream has seen it.
            reg  [1:0]  load_state = REST;
            reg         load_machine, load_two;
            reg  [7:0]  packet [0:MOST_FLITS-1];
            integer     load_index, load_length, to, number, place;
            wire [1:0]  of_machine   = {load_machine, !load_machine};
            wire [1:0]  load_request = {2{load_state != REST}} & of_machine & (seen_busy | ~line_in);
            wire [1:0]  load_write   = {2{load_state == LOAD}} & of_machine;
            wire [1:0]  load_commit  = load_write & {2{load_index == load_length - 1}};

            task make_packet;
                begin
                    to = lone ? lone_target : X + below(SIDE - X) + SIDE * (Y + below(SIDE - Y));
                    if (to != n) begin
                        number       = sent[n];
                        load_two     = to % SIDE != X && to / SIDE != Y;
                        load_machine = load_two ? below(2) : to % SIDE == X;
                        packet[0]    = {load_two, 7'd0} | (load_machine ? to / SIDE : to % SIDE);
                        packet[1]    = load_machine ? to % SIDE : to / SIDE;
                        load_length  = 1 + load_two + 2 + below(MOST_FLITS - 4);
                        for (place = 0; place < load_length - 1 - load_two; place = place + 1)
                            packet[1 + load_two + place] = data(n, number, place);
                        target[n*PACKETS + number] = to;
                        length[n*PACKETS + number] = load_length;
                        sent[n]    = number + 1;
                        in_flight  = in_flight + 1;
                        load_state = REQUEST;
                    end
                end
            endtask

            // The operator reads what has arrived, one machine at a time, and takes its time.
            reg         reads = 1'b0, read_machine;
            integer     read_index, source, arrived_number, k;
            wire [1:0]  taken = {2{reads && read_index == read_flits}} & {read_machine, !read_machine};
            wire [DEPTH_LOG2:0]   read_flits = read_machine ? flits[DEPTH_LOG2+1 +: DEPTH_LOG2+1] : flits[DEPTH_LOG2:0];
            wire [DEPTH_LOG2-1:0] read_flit  = read_index;
            wire [7:0]            read_byte  = read_machine ? read_data[15:8] : read_data[7:0];

            task take_byte(input integer index, input [7:0] value);
                begin
                    if (index == 0) source = value;
                    if (index == 1) begin
                        arrived_number = value;
                        k = source * PACKETS + arrived_number;
                        check(source < NODES && arrived_number < sent[source], "the packet was sent");
                        check(target[k] == n, "the packet is for this node");
                        check(!arrived[k], "the packet arrives once");
                        check(!bad[read_machine] &&
                              read_flits == length[k] - addresses(source, target[k]), "the packet is whole");
                        arrived[k] = 1'b1;
                        delivered  = delivered + 1;
                        in_flight  = in_flight - 1;
                    end
                    if (index > 1) check(value === data(source, arrived_number, index), "the bytes are those that were sent");
                end
            endtask

            postman_node #(.FLIT(FLIT), .DEPTH_LOG2(DEPTH_LOG2)) node (
                .clk(clk), .reset(reset), .advance(1'b1), .own_x(X[FLIT-2:0]), .own_y(Y[FLIT-2:0]), .vct(vct),
                .adaptive_routing(adapts), .adaptive_sourcing(adapts), .waits(2'b00), .line_in(line_in), .busy(busy),
                .line_out(line_out),
                .line_out_busy(line_out_busy), .line_next(line_next), .busy_next(busy_next), .load_request(load_request),
                .load_granted(granted), .load_write(load_write), .load_flit(packet[load_index]), .load_commit(load_commit),
                .load_across(1'b0), .load_two(load_two), .arrived(has_come), .arrived_bad(bad), .arrived_flits(flits),
                .read_flit(read_flit), .read_data(read_data), .arrival_taken(taken), .event_dead(dead), .event_turn(event_turn),
                .event_adapt(adapted), .event_buffer(event_buffer), .event_source(event_source), .event_drop(event_drop),
                .event_stall(stall), .quiet(quiet));

            reg [1:0] had_come = 2'b00;
            always @(negedge clk)
                if (!reset) begin
                    buffered = buffered + event_buffer[0] + event_buffer[1];
                    turned   = turned + event_turn[0] + event_turn[1];
                    drops    = drops + event_drop[0] + event_drop[1];
                    if (event_source != 2'b00) began = now;
                    if (lone && !vct && (has_come & ~had_come) != 2'b00)
                        check(now - began == n % SIDE - lone_source % SIDE + n / SIDE - lone_source / SIDE +
                              N * length[lone_source*PACKETS + sent[lone_source] - 1] + 1, "R19: distance + length clocks");
                    had_come = has_come;
                end

            always @(posedge clk)
                if (!reset) begin
                    #1;
                    case (load_state)
                        REST: if (loads && sent[n] < PACKETS && (lone ? n == lone_source : percent(rate))) make_packet;
                        REQUEST: if ((granted & seen_busy & of_machine) != 2'b00) load_state = LOAD;
                        default: load_state = load_index == load_length - 1 ? REST : LOAD;
                    endcase
                    load_index = load_state == LOAD && load_write != 2'b00 ? load_index + 1 : 0;
                    if (reads) begin
                        if (read_index < read_flits) take_byte(read_index, read_byte);
                        else reads = 1'b0;
                        read_index = read_index + 1;
                    end else if (has_come != 2'b00 && percent(20)) begin
                        {reads, read_machine} = {1'b1, has_come[1] && (!has_come[0] || percent(50))};
                        read_index = 0;
                    end
                end
        end
    endgenerate

    integer i, source, round;

    task clock;
        begin
            noise = {$random(seed), $random(seed)} >> 8;
            #2 clk = 1'b0;
            if (((sender_drives & receiver_drives) | (sender_drives & receiver_drove) | (receiver_drives & sender_drove)) != 0)
                conflicts = conflicts + 1;
            {sender_drove, receiver_drove} = {sender_drives, receiver_drives};
            #2 clk = 1'b1;
            now = now + 1;
            for (i = 2 * SIDE; i > 0; i = i - 1) phase[i] = phase[i-1];
            phase[0] = phase[0] == N - 1 ? 0 : phase[0] + 1;
        end
    endtask

    task drain;
        begin : all_quiet
            integer rest;
            for (rest = 0; rest < 500; rest = rest + 1) begin
                settle;
                if (in_flight == 0) disable all_quiet;
            end
        end
    endtask

    task settle;
        begin : some
            integer c;
            for (c = 0; c < 40; c = c + 1) clock;
        end
    endtask

    task restart;
        begin : with_packets_forgotten
            integer p;
            reset = 1'b1;
            settle;
            for (p = 0; p < NODES; p = p + 1) sent[p] = 0;
            for (p = 0; p < NODES * PACKETS; p = p + 1) arrived[p] = 1'b0;
            {delivered, buffered, turned, drops, conflicts, in_flight} = 192'd0;
            reset = 1'b0;
        end
    endtask

    task traffic(input integer chance, input integer clocks);
        begin : random_packets
            integer c;
            rate = chance;
            restart;
            loads = 1'b1;
            for (c = 0; c < clocks; c = c + 1) clock;
            loads = 1'b0;
            drain;
            check(in_flight == 0 && drops == 0, "each packet arrives, none is dropped");
            check(conflicts == 0, "a wire has one driver, and none between two");
            $display("%0d packets, %0d buffered, %0d turned", delivered, buffered, turned);
        end
    endtask

    task lone_packets;
        begin : pairs
            integer from, onto;
            lone = 1'b1;
            restart;
            for (from = 0; from < NODES; from = from + 1)
                for (onto = from + 1; onto < NODES; onto = onto + 1)
                    if (onto % SIDE >= from % SIDE) begin
                        {lone_source, lone_target} = {from, onto};
                        loads = 1'b1;
                        while (in_flight == 0) clock;
                        loads = 1'b0;
                        drain;
                    end
            check(delivered == 27 && (vct || buffered == 0), "a lone packet meets no wire that turns");
            lone = 1'b0;
        end
    endtask

    integer clocks;
    initial begin
        begin_bench;
        clocks = $test$plusargs("long") ? 6000 : 4000;
        for (i = 0; i <= 2 * SIDE; i = i + 1) phase[i] = (2 * N - i) % N;
        for (round = 0; round < 3; round = round + 1) begin
            vct    = round == 2;
            adapts = round != 0;
            lone_packets;
            traffic(1, clocks);
            check(buffered > 30 && turned > 10, "packets wait, and turn");
            traffic(4, clocks);
            traffic(30, clocks / 2);
        end
        verdict;
    end
endmodule

`default_nettype wire
