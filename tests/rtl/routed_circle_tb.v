// routed_circle_tb: packets that come back to a link which they still occupy, over two switches of tests/disciplines/routed.
// Whatever their length, the switches are free again after a time, and each packet has left, or has been counted as a stray.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"
`include "straps.vh"

module routed_circle_tb;
    `include "bench.vh"

    localparam LINKS = 2, W = 19, LONGEST = 10, CLOCKS = 1200;  // more than a packet may wait

    reg                clk = 1'b0, reset = 1'b1;
    reg  [W-1:0]       send = {W{1'b0}};
    wire               send_wait;
    wire [LINKS*W-1:0] near_out, far_out;
    wire [LINKS-1:0]   near_wait, far_wait;
    wire [W:0]         near_receive, far_receive;
    wire [63:0]        near_events, far_events;
    wire               near_quiet, far_quiet;

    // Link 1 of the near switch and link 0 of the far one are joined; nothing is at the others.
    site_fabric #(.LINKS(LINKS)) near (
        .clk(clk), .reset(reset), .now(64'd0), .straps({`POSTROAD_STRAPS{1'b0}}), .events(near_events), .relief(1'b0),
        .link_down({LINKS{1'b0}}), .link_in({far_out[W-1:0], {W{1'b0}}}), .link_in_wait(near_wait), .link_out(near_out),
        .link_out_wait({far_wait[0], 1'b0}), .send(send), .send_wait(send_wait), .receive(near_receive), .receive_wait(1'b0),
        .quiet(near_quiet));
    site_fabric #(.LINKS(LINKS)) far (
        .clk(clk), .reset(reset), .now(64'd0), .straps({`POSTROAD_STRAPS{1'b0}}), .events(far_events), .relief(1'b0),
        .link_down({LINKS{1'b0}}), .link_in({{W{1'b0}}, near_out[2*W-1:W]}), .link_in_wait(far_wait), .link_out(far_out),
        .link_out_wait({1'b0, near_wait[1]}), .send({W{1'b0}}), .receive(far_receive), .receive_wait(1'b0), .quiet(far_quiet));

    always #5 clk = !clk;

    integer length, k, rounds, strays, arrived;
    reg     held;

    always @(posedge clk) if (!reset) begin
        strays  <= strays + near_events[`POSTROAD_COUNTER_DEAD_FLITS] + far_events[`POSTROAD_COUNTER_DEAD_FLITS];
        arrived <= arrived + (far_receive[W-1 -: 3] == `POSTROAD_TAG_END_OF_PACKET);
    end

    task put(input [2:0] tag, input [15:0] word);
        begin
            send = {tag, word};
            held = 1'b1;
            while (held) begin
                held = send_wait;
                @(posedge clk);
                #1;
            end
            send = {W{1'b0}};
        end
    endtask

    // To the far switch by port 2, back by port 1, so many times, and to the far operator.
    task packet(input integer times, input integer words);
        begin
            for (k = 0; k < times; k = k + 1) begin
                put(`POSTROAD_TAG_TARGET_INFO, 16'd2);
                put(`POSTROAD_TAG_TARGET_INFO, 16'd1);
            end
            put(`POSTROAD_TAG_TARGET_INFO, 16'd2);
            put(`POSTROAD_TAG_TARGET_INFO, 16'd0);
            for (k = 0; k < words; k = k + 1) put(`POSTROAD_TAG_DATA, k[15:0]);
            put(`POSTROAD_TAG_END_OF_PACKET, 16'd0);
            repeat (times > 0 ? CLOCKS : 40) @(posedge clk);
            #1;
        end
    endtask

    initial begin
        begin_bench;
        repeat (4) @(posedge clk);
        #1 reset = 1'b0;
        strays  = 0;
        arrived = 0;
        for (rounds = 1; rounds < 3; rounds = rounds + 1)
            for (length = 0; length < LONGEST; length = length + 1) begin
                packet(rounds, length);
                check(near_quiet && far_quiet, "the switches are free again");
                packet(0, length);
            end
        check(strays > 0 && arrived > 2 * LONGEST, "some packets are too long for the circle, others are not");
        check(strays + arrived == 4 * LONGEST, "each packet arrives, or is counted as a stray");
        verdict;
    end
endmodule

`default_nettype wire
