// Sites of a generated mesh are reset alone, at random clocks, while all of them send. A packet that a reset hits may be lost, or
// end with abort_packet; none arrives twice, or changed. In the end nothing is in flight, and every site reaches every other.
//
// The operators pass nothing on: a diverted packet has arrived where it was buffered. Rounds with an odd number have no resets:
// then each unicast arrives.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module bench;
    `include "bench.vh"

    localparam SIZE_X = 3, SITES = 6, PACKETS = 16384, LONGEST = 24;
    localparam CALM = 4000;  // clocks after which a mesh without resets has nothing left in flight

    reg clk = 1'b0, reset = 1'b1;
    reg  [SITES-1:0]    site_reset = 0, receive_wait = 0;
    reg  [SITES*19-1:0] send = 0;
    wire [SITES-1:0]    send_wait, quiet;
    wire [SITES*20-1:0] receive;

    grid #(.SITE_RESETS(1)) mesh (
        .clk(clk), .reset(reset), .site_reset(site_reset), .link_words(), .link_waits(), .send(send), .send_wait(send_wait),
        .receive(receive), .receive_wait(receive_wait), .relief({SITES{1'b0}}), .counter_select(6'd0), .counter_value(),
        .quiet(quiet));

    always #5 clk = !clk;

    // Packets, by number: targets, data words; where it has arrived.
    reg [SITES-1:0] targets [0:PACKETS-1], arrived [0:PACKETS-1];
    integer         words [0:PACKETS-1];
    integer         packets, multicasts, resets, aborted, whole;

    function [15:0] content(input integer packet, input integer position);
        content = position == 0 ? packet : packet * 40503 + position * 26543 + 13;
    endfunction

    function [15:0] address(input integer site);
        address = site % SIZE_X | (site / SIZE_X) << 7;
    endfunction

    // Senders: the packet that a site sends, or -1; the targets that it has still to send; its next data word.
    integer         sending [0:SITES-1], position [0:SITES-1];
    reg [SITES-1:0] to_send [0:SITES-1];

    task begin_packet(input integer site, input [SITES-1:0] to);
        begin
            targets[packets] = to;
            arrived[packets] = 0;
            words[packets] = 1 + below(LONGEST);
            if (to & (to - 1)) multicasts = multicasts + 1;
            sending[site] = packets;
            to_send[site] = to;
            position[site] = 0;
            packets = packets + 1;
        end
    endtask

    task next_word(input integer site);
        integer target;
        begin
            target = 0;
            while (target < SITES && !to_send[site][target]) target = target + 1;
            if (target < SITES) begin
                send[19*site +: 19] <= {targets[sending[site]] & (targets[sending[site]] - 1) ? `POSTROAD_TAG_MULTICAST_SITE :
                                        `POSTROAD_TAG_UNICAST_SITE, address(target)};
                to_send[site][target] = 1'b0;
            end else if (position[site] < words[sending[site]]) begin
                send[19*site +: 19] <= {`POSTROAD_TAG_DATA, content(sending[site], position[site])};
                position[site] = position[site] + 1;
            end else begin
                send[19*site +: 19] <= {`POSTROAD_TAG_END_OF_PACKET, 16'd0};
                sending[site] = -1;
            end
        end
    endtask

    // Receivers: the packet that arrives (-1: none, -2: its number is still to come), and its next data word.
    integer receiving [0:SITES-1], received [0:SITES-1];

    task receive_word(input integer site, input [2:0] tag, input [15:0] word);
        if (tag == `POSTROAD_TAG_ABORT_PACKET) begin
            check(receiving[site] != -1, "X1: abort_packet outside of a packet");
            aborted = aborted + 1;
            receiving[site] = -1;
        end else if (tag == `POSTROAD_TAG_END_OF_PACKET) begin
            check(receiving[site] >= 0 && received[site] == words[receiving[site]], "X1: a packet without its end");
            if (receiving[site] >= 0) begin
                check(!arrived[receiving[site]][site], "F3d: a packet arrives twice");
                arrived[receiving[site]][site] = 1'b1;
                whole = whole + 1;
            end
            receiving[site] = -1;
        end else if (tag == `POSTROAD_TAG_DATA) begin
            check(receiving[site] != -1, "P1: data outside of a packet");
            if (receiving[site] == -2) begin
                receiving[site] = word;
                received[site] = 0;
            end
            check(word == content(receiving[site], received[site]), "X1: a packet goes on with a word of another one");
            received[site] = received[site] + 1;
        end else if (receiving[site] == -1) receiving[site] = -2;
    endtask

    // One clock. load: percent of the clocks in which a site that sends nothing begins a packet.
    task one_clock(input integer load, input integer resets_in_1000);
        integer s;
        begin
            @(posedge clk);
            for (s = 0; s < SITES; s = s + 1) begin
                if (!site_reset[s] && |receive[20*s + 16 +: 3] && !receive_wait[s])
                    receive_word(s, receive[20*s + 16 +: 3], receive[20*s +: 16]);
                receive_wait[s] <= percent(20);
                if (!(|send[19*s + 16 +: 3] && send_wait[s])) begin
                    if (sending[s] < 0 && percent(load))
                        begin_packet(s, percent(80) ? 1 << below(SITES) : 1 + below((1 << SITES) - 1));
                    if (sending[s] >= 0 && percent(80)) next_word(s);
                    else send[19*s +: 19] <= 19'd0;
                end
                if (site_reset[s]) begin
                    site_reset[s] <= percent(60);
                    receiving[s] = -1;
                    sending[s] = -1;
                    send[19*s +: 19] <= 19'd0;
                end else if (below(1000) < resets_in_1000) begin
                    site_reset[s] <= 1'b1;
                    resets = resets + 1;
                end
            end
        end
    endtask

    function [SITES-1:0] senders(input unused);
        integer s;
        for (s = 0; s < SITES; s = s + 1) senders[s] = sending[s] >= 0 || |send[19*s + 16 +: 3];
    endfunction

    // Nothing new: what is under way ends.
    task calm_down;
        integer c, s;
        begin
            for (c = 0; c < CALM && (!(&quiet) || |senders(0) || |site_reset); c = c + 1) one_clock(0, 0);
            check(c < CALM, "X1: an output stays owned behind a reset");
            repeat (8) one_clock(0, 0);
            for (s = 0; s < SITES; s = s + 1) check(receiving[s] == -1, "X1: a packet without its end");
        end
    endtask

    task everybody_to_everybody;
        integer from, to, first, p;
        begin
            first = packets;
            for (to = 0; to < SITES; to = to + 1) begin
                for (from = 0; from < SITES; from = from + 1) begin_packet(from, 1 << to);
                calm_down;
            end
            for (p = first; p < packets; p = p + 1) check(|arrived[p], "X1: a site cannot be reached behind a reset");
        end
    endtask

    integer round, p, first;
    initial begin
        begin_bench;
        {packets, multicasts, resets, aborted, whole} = 0;
        for (p = 0; p < SITES; p = p + 1) begin
            sending[p] = -1;
            receiving[p] = -1;
        end
        repeat (4) @(posedge clk);
        @(negedge clk) reset = 1'b0;
        for (round = 0; round < 12 && errors == 0; round = round + 1) begin
            first = packets;
            repeat (600) one_clock(4 + 2 * (round % 8), round % 2 ? 0 : 3 + round);
            calm_down;
            if (round % 2)
                for (p = first; p < packets; p = p + 1)
                    check(|arrived[p] || |(targets[p] & (targets[p] - 1)), "X1: a packet is lost without a reset");
            everybody_to_everybody;
        end
        $display("%0d packets, %0d of them multicasts, %0d resets; %0d arrivals, %0d aborts", packets, multicasts, resets, whole,
                 aborted);
        if (errors == 0) check(resets > 60 && aborted > 20, "resets hit packets");
        verdict;
    end
endmodule

`default_nettype wire
