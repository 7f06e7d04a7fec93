// restart_guard_tb: packets in both directions with random stalls, while the core is reset again and again. The fabric gets whole
// packets or beginnings that end with abort_packet, and never waits for a rest; the core gets whole packets, and nothing of
// one that
// had begun before its reset. Without a reset it is wires.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module restart_guard_tb;
    `include "bench.vh"

    reg         clk = 1'b0, fabric_reset = 1'b1, core_reset = 1'b1, send_wait = 1'b0, received_wait = 1'b1;
    reg  [18:0] sent = 19'd0;
    reg  [19:0] receive = 20'd0;
    wire        sent_wait, receive_wait;
    wire [18:0] send;
    wire [19:0] received;

    restart_guard dut (
        .clk(clk), .fabric_reset(fabric_reset), .core_reset(core_reset), .sent(sent), .sent_wait(sent_wait), .send(send),
        .send_wait(send_wait), .receive(receive), .receive_wait(receive_wait), .received(received),
        .received_wait(received_wait));

    always #5 clk = !clk;

    // A word: tag, packet's number modulo 256, place in its packet. Place 0 is the head; the terminator's word is that of its
    // packet.
    integer core_place = 0, fabric_place = 0, resets = 0, aborts = 0, wholes = 0, arrivals = 0;
    reg [7:0] core_packet = 0, fabric_packet = 0, open_packet, taken_packet;
    reg [7:0] expected = 0, taken_place = 0;
    reg       open = 1'b0, taking = 1'b0, moved;
    integer   stuck = 0;

    function [18:0] word(input [7:0] packet, input integer place, input ends);
        word = {ends ? `POSTROAD_TAG_END_OF_PACKET : place == 0 ? `POSTROAD_TAG_UNICAST_SITE : `POSTROAD_TAG_DATA, packet,
            place[7:0]};
    endfunction

    // What the fabric takes, and the core.
    task take_at_fabric;
        if (|send[18:16] && !send_wait) begin
            if (!open) begin
                check(send[18:16] == `POSTROAD_TAG_UNICAST_SITE && send[7:0] == 8'd0, "a packet begins with its head");
                open = 1'b1;
                open_packet = send[15:8];
                expected = 8'd1;
            end else if (send[18:16] == `POSTROAD_TAG_ABORT_PACKET) begin
                open = 1'b0;
                aborts = aborts + 1;
            end else begin
                check(send[15:8] == open_packet && send[7:0] == expected, "the words of a packet follow each other");
                expected = expected + 8'd1;
                if (send[18:16] == `POSTROAD_TAG_END_OF_PACKET) begin
                    open = 1'b0;
                    wholes = wholes + 1;
                end
            end
        end
    endtask

    task take_at_core;
        if (|received[18:16] && !received_wait) begin
            check(!core_reset, "a core in reset is shown nothing");
            if (!taking)
                check(received[18:16] == `POSTROAD_TAG_UNICAST_SITE && received[7:0] == 8'd0,
                    "the core gets no rest of a packet");
            else
                check(received[15:8] == taken_packet && received[7:0] == taken_place, "the core gets every word of a packet");
            taken_packet = received[15:8];
            taken_place = received[7:0] + 8'd1;
            taking = received[18:16] != `POSTROAD_TAG_END_OF_PACKET;
            if (!taking) arrivals = arrivals + 1;
        end
    endtask

    integer i, stalls = 30, left = 0;
    initial begin
        begin_bench;
        repeat (3) @(posedge clk);
        #1 {fabric_reset, core_reset} = 2'b00;
        for (i = 0; i < 60000; i = i + 1) begin
            if (i % 300 == 0) stalls = below(90);
            #1;
            if (!core_reset && resets == 0)
                check(send == sent && sent_wait == send_wait && received == receive && receive_wait == received_wait,
                      "without a reset it is wires");
            if (core_reset) check(receive_wait || dut.swallows, "no word for a core in reset is lost but a rest");
            take_at_fabric;
            take_at_core;
            moved = |receive[18:16] && !receive_wait;
            @(posedge clk);
            #1;
            // The fabric's word moves on; a new one.
            if (moved) begin
                if (receive[18:16] == `POSTROAD_TAG_END_OF_PACKET) begin
                    fabric_place = 0;
                    fabric_packet = fabric_packet + 8'd1;
                end else
                    fabric_place = fabric_place + 1;
            end
            if (moved || receive == 20'd0)
                receive = percent(stalls) ? 20'd0 : {1'b0, word(fabric_packet, fabric_place, fabric_place > 2 && percent(30))};
            // The core's: from a flop, 0 in reset.
            if (core_reset) begin
                sent = 19'd0;
                core_place = 0;
                core_packet = core_packet + 8'd1;
                taking = 1'b0;
            end else if (sent_moved || sent == 19'd0) begin
                if (sent_moved) begin
                    core_place = sent[18:16] == `POSTROAD_TAG_END_OF_PACKET ? 0 : core_place + 1;
                    if (core_place == 0) core_packet = core_packet + 8'd1;
                end
                sent = percent(stalls) ? 19'd0 : word(core_packet, core_place, core_place > 2 && percent(30));
            end
            send_wait = percent(stalls);
            received_wait = core_reset || percent(stalls);
            if (left > 0) left = left - 1;
            else if (i > 3000 && percent(2)) begin
                left = 1 + below(20);
                resets = resets + 1;
            end
            core_reset = left > 0;
        end
        check(resets > 300 && aborts > 50 && wholes > 500 && arrivals > 500, "there were resets, aborts and whole packets");
        verdict;
    end

    // Whether the core's word moved at the edge before.
    reg sent_moved = 1'b0;
    always @(posedge clk)
        sent_moved <= |sent[18:16] && !sent_wait && !core_reset;
endmodule

`default_nettype wire
