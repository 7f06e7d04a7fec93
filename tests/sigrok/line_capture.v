// line_capture: two board_links on a cable, with clocks of their own, and a VCD file of the two lines, for the protocol decoders.
// Each end sends a fixed row of packets, one of each kind, and random ones behind it, some with target entries behind data. What
// an end sends and what comes out of it is printed, a word a line: `0 sends 7 0083`, `1 takes 7 0083` (end, tag, word).
//
// +out=FILE      the VCD file
// +packets=N     random packets of each end
// +ppm=N         end 0 is as much faster as end 1 is slower
// +errors=N      a bit in N is inverted on each line; 0: none
// +glitches=N    a bit in N is inverted for its first ninth; 0: none
// SPDX-License-Identifier: ISC
`timescale 1ns / 1ns
`default_nettype none
`include "protocol.vh"

module line_capture;
    localparam real HALF = 41.667;    // of a clock of 12 MHz, in ns
    localparam      WORDS = 4096;     // of an end's queue

    integer     seed, packets, ppm, errors, glitches, e, i, k;
    reg [8*200-1:0] path;
    reg         reset = 1'b1;
    reg  [18:0] queue [0:2*WORDS-1];  // of end 0, of end 1
    integer     filled [0:1], sent [0:1];

    function integer below(input integer limit);
        below = ($unsigned($random(seed)) >> 8) % limit;
    endfunction

    // Names of the lines as a testbed has them.
    wire \left.east , \right.west ;
    wire [1:0] lines;
    assign \left.east  = lines[0];
    assign \right.west = lines[1];

    // End e is cabled by its link e: the left one by its connector east, the right one by west.
    genvar g;
    generate
        for (g = 0; g < 2; g = g + 1) begin : ends
            reg         clk = 1'b0, inverted = 1'b0, pulse = 1'b0;
            reg  [1:0]  phase = 2'd0;
            real        time_of_edge = 0.0;
            wire [1:0]  line_out, link_out_wait, link_down;
            wire [37:0] link_in;
            reg  [18:0] shown = 19'd0;
            wire [18:0] came = link_in[19*g +: 19];
            assign lines[g] = line_out[g] ^ inverted ^ pulse;

            board_link #(.LINKS(2)) link (
                .clk(clk), .reset(reset), .fabric_reset(reset), .line_in({2{lines[1 - g]}} & (2'd1 << g)),
                .line_out(line_out), .link_out({19'd0, shown} << 19 * g), .link_out_wait(link_out_wait),
                .link_in(link_in), .link_in_wait(2'd0), .hears(), .link_down(link_down), .site_number(g ? 16'd18 : 16'd17),
                .request(1'b0), .we(1'b0), .wdata(8'd0), .rdata());

            always begin
                time_of_edge = time_of_edge + HALF * (1.0 + (g ? ppm : -ppm) * 1.0e-6);
                #($rtoi(time_of_edge + 0.5) - $time) clk = !clk;
            end

            always @(posedge clk) begin
                phase <= reset ? 2'd0 : phase + 2'd1;   // as in link_schedule: a bit ends with 3
                if (phase == 2'd3) inverted <= errors != 0 && !link_down[g] && below(errors) == 0;
                if (phase == 2'd3 && glitches != 0 && below(glitches) == 0) begin
                    pulse <= 1'b1;
                    pulse <= #37 1'b0;
                end
                if (came[18:16] != `POSTROAD_TAG_NULL_TRANSMISSION) $display("%0d takes %0d %04x", g, came[18:16], came[15:0]);
                if (!link_down[g] && !reset && !(|shown && link_out_wait[g])) begin
                    if (|shown) $display("%0d sends %0d %04x", g, shown[18:16], shown[15:0]);
                    shown <= sent[g] < filled[g] ? queue[WORDS*g + sent[g]] : 19'd0;
                    if (sent[g] < filled[g]) sent[g] <= sent[g] + 1;
                end
            end
        end
    endgenerate

    task put(input [2:0] tag, input [15:0] word);
        begin
            queue[WORDS*e + filled[e]] = {tag, word};
            filled[e] = filled[e] + 1;
        end
    endtask

    task data(input [15:0] word);
        put(`POSTROAD_TAG_DATA, word);
    endtask

    task finish_packet;
        put(`POSTROAD_TAG_END_OF_PACKET, 16'd0);
    endtask

    // A data packet of the reliable service: site 5, this sequence number, flags and handler.
    task header(input [15:0] sequence, input [15:0] flags);
        begin
            data(16'd5);
            data(sequence);
            data(flags);
        end
    endtask

    task unicast(input [15:0] site);
        put(`POSTROAD_TAG_UNICAST_SITE, site);
    endtask

    task multicast(input [15:0] site);
        put(`POSTROAD_TAG_MULTICAST_SITE, site);
    endtask

    task fixed_packets;
        begin
            unicast({2'd0, 7'd2, 7'd3});                                   // to (3,2): data
            header(16'd1000, {5'd9, 11'd7});
            for (k = 0; k < 4; k = k + 1) data(16'h1111 * k);
            finish_packet;
            multicast({2'd0, 7'd0, 7'd1});                                 // to three sites
            multicast({2'd2, 7'd0, 7'd2});
            put(`POSTROAD_TAG_TARGET_INFO, 16'habcd);
            put(`POSTROAD_TAG_NULL_TARGET, 16'd0);
            multicast({2'd0, 7'd3, 7'd2});
            put(`POSTROAD_TAG_TARGET_INFO, 16'h0001);
            put(`POSTROAD_TAG_TARGET_INFO, 16'h0002);
            header(16'd1001, {5'd9, 11'h103});                             // aborted before
            finish_packet;
            unicast(16'd0);                                                // data with an acknowledgement
            header(16'd1002, {5'd9, 11'h2ff});
            data(16'd2);
            data({5'd30, 11'b101});
            data(16'hbeef);
            finish_packet;
            unicast(16'd1);                                                // an acknowledgement
            data(16'h8006);
            data(16'd77);
            data({5'd3, 11'd0});
            finish_packet;
            unicast(16'd1);                                                // control packets
            data(16'h8006);
            for (k = 1; k < 6; k = k + 1) data(k);
            finish_packet;
            unicast(16'd1);
            data(16'h8007);
            data(16'd2);
            for (k = 1; k < 5; k = k + 1) data(16'd0);
            finish_packet;
            unicast(16'd2);                                                // a load record
            header(16'd4, {8'd3, 8'd254});
            data(16'h5354);
            finish_packet;
            unicast(16'd2);                                                // aborted by its sender
            header(16'd1003, 16'd0);
            put(`POSTROAD_TAG_ABORT_PACKET, 16'd0);
            unicast(16'd2);                                                // too short for a header
            data(16'd9);
            finish_packet;
            unicast(16'd2);                                                // announces an acknowledgement, and has none
            header(16'd1004, 16'h0200);
            finish_packet;
        end
    endtask

    task random_packet;
        begin
            unicast(below(65536));
            for (k = below(9); k > 0; k = k - 1) data(below(3) ? below(65536) : 16'd0);
            if (below(4) == 0) for (k = below(9); k > 0; k = k - 1) put({1'b1, 2'd0} + below(4), below(65536));
            put(below(8) ? `POSTROAD_TAG_END_OF_PACKET : `POSTROAD_TAG_ABORT_PACKET, 16'd0);
        end
    endtask

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 1;
        if (!$value$plusargs("out=%s", path)) path = "line_capture.vcd";
        if (!$value$plusargs("packets=%d", packets)) packets = 0;
        if (!$value$plusargs("ppm=%d", ppm)) ppm = 0;
        if (!$value$plusargs("errors=%d", errors)) errors = 0;
        if (!$value$plusargs("glitches=%d", glitches)) glitches = 0;
        for (e = 0; e < 2; e = e + 1) begin
            filled[e] = 0;
            sent[e] = 0;
            fixed_packets;
            for (i = 0; i < packets; i = i + 1) random_packet;
        end
        $dumpfile(path);
        $dumpvars(0, \left.east , \right.west );
        #2000 reset = 1'b0;
        while (sent[0] < filled[0] || sent[1] < filled[1]) #1000;
        #100000 $finish;
    end
endmodule

`default_nettype wire
