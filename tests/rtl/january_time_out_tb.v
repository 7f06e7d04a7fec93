// january_time_out_tb: the limits of the time-out (J9). 64 sites of a grid begin in the same clock; each has a packet that moves
// for as many clocks as a net_input has words, at least, and then stands. The limits differ, from the first packet on.
// SPDX-License-Identifier: ISC
`default_nettype none

module january_time_out_tb;
    `include "bench.vh"

    localparam SITES = 64, LIST_WORDS = 16, PACKETS = 6;

    reg         clk = 1'b0, reset = 1'b1, connected = 1'b0, stands = 1'b0;
    reg  [15:0] abort_threshold = 16'd0;
    wire [SITES-1:0] abort_request;
    always #5 clk = !clk;

    genvar s;
    generate
        for (s = 0; s < SITES; s = s + 1) begin : site
            localparam [2:0] X = s % 8, Y = s / 8;
            january_time_out dut (
                .clk(clk), .reset(reset), .seed({4'd0, Y, 4'd0, X}), .abort_threshold(abort_threshold), .connected(connected),
                .stands(stands), .abort_request(abort_request[s]));
        end
    endgenerate

    integer first [0:SITES-1];  // of each site: clocks until its abort_request
    integer i, j, clocks, alike, early, late, packet, power;

    task start;
        begin
            reset = 1'b1;
            repeat (2) @(posedge clk);
            #1 reset = 1'b0;
        end
    endtask

    // A packet moves and stands.
    task stand(input integer moves);
        begin
            connected = 1'b1;
            repeat (moves) @(posedge clk);
            #1 stands = 1'b1;
            for (i = 0; i < SITES; i = i + 1) first[i] = 0;
            for (clocks = 1; clocks <= 2 * abort_threshold + 1; clocks = clocks + 1) begin
                @(posedge clk) #1;
                for (i = 0; i < SITES; i = i + 1) begin
                    if (abort_request[i] && first[i] == 0) first[i] = clocks;
                    check(abort_request[i] === (first[i] != 0), "J9: the request stays while the packet stands");
                end
            end
            stands = 1'b0;
            @(posedge clk) #1 check(abort_request === {SITES{1'b0}}, "J9: and ends with that");
            connected = 1'b0;
        end
    endtask

    task note;
        for (i = 0; i < SITES; i = i + 1) begin
            check(first[i] > abort_threshold && first[i] <= 2 * abort_threshold,
                  "J9: the limit is ABORT_THRESHOLD and a random part below it");
            early = early + (first[i] - abort_threshold <= abort_threshold / 4);
            late  = late + (first[i] - abort_threshold > 3 * abort_threshold / 4);
            for (j = 0; j < i; j = j + 1) alike = alike + (first[i] == first[j]);
        end
    endtask

    initial begin
        begin_bench;
        for (power = 3; power <= 9; power = power + 3) begin
            abort_threshold = 1 << power;
            {early, late, alike} = 0;
            start;
            for (packet = 0; packet < PACKETS; packet = packet + 1) begin
                stand(LIST_WORDS + 1 + below(30));
                note;
            end
            check(early > PACKETS * SITES / 16 && late > PACKETS * SITES / 16,
                  "J9: limits lie anywhere below the double threshold");
            check(alike < PACKETS * SITES * (SITES - 1) / 2 / 4, "J9: limits differ from site to site");
        end
        // A gap in the standing begins the count anew.
        stands = 1'b1;
        repeat (abort_threshold - 1) @(posedge clk);
        #1 stands = 1'b0;
        @(posedge clk) #1 stands = 1'b1;
        repeat (abort_threshold - 1) @(posedge clk) #1 check(abort_request === {SITES{1'b0}}, "J9: consecutive clocks");
        verdict;
    end
endmodule

`default_nettype wire
