// fifo_buffer_limit_tb: the time-out of a fifo_buffer to the clock, for limits that use all 16 bits (M6).
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module fifo_buffer_limit_tb;
    `include "bench.vh"

    localparam WIDTH = 20;
    localparam [WIDTH-1:0] NONE = {WIDTH{1'b0}}, PAD = {4'd8, 16'd0}, HEAD = {1'b0, `POSTROAD_TAG_MULTICAST_SITE, 16'd0},
                           DATA = {1'b0, `POSTROAD_TAG_DATA, 16'd0}, END = {1'b0, `POSTROAD_TAG_END_OF_PACKET, 16'd0};

    reg clk = 1'b0, reset = 1'b1;
    reg [15:0]      abort_threshold, abort_random;
    reg [14:0]      seed_strap;
    reg [WIDTH-1:0] word_in = NONE;
    wire [1:0]      status;

    fifo_buffer #(.WORD_WIDTH(16), .TAG_WIDTH(4), .DEPTH(8)) dut (
        .clk(clk), .reset(reset), .abort_threshold(abort_threshold), .abort_random(abort_random), .seed(seed_strap),
        .word_in(word_in), .status(status), .word_out(), .wait_in(1'b0), .quiet());

    task tick(input [WIDTH-1:0] word);
        begin
            word_in = word;
            #1 clk = 1'b1;
            #1 clk = 1'b0;
        end
    endtask

    function [15:0] following(input [15:0] number);
        begin
            following = number ^ (number << 7);
            following = following ^ (following >> 9);
            following = following ^ (following << 8);
        end
    endfunction

    // From reset, `packets` packets that are not blocked, then one that is: the clocks until it is to be aborted.
    reg     [15:0] random;
    integer limit, waited, n;
    task times_out(input [15:0] threshold, input [15:0] mask, input [14:0] first, input integer packets);
        begin
            abort_threshold = threshold;
            abort_random = mask;
            seed_strap = first;
            reset = 1'b1;
            tick(NONE);
            reset = 1'b0;
            tick(NONE);
            random = following({1'b1, first});
            for (n = 0; n < packets; n = n + 1) begin
                tick(HEAD);
                tick(END);
                random = following(random);
            end
            limit = {16'd0, threshold + (random & mask)};
            tick(HEAD);
            for (n = 0; n < 3; n = n + 1) tick(PAD);
            tick(DATA);  // counts anew
            waited = 0;
            while (status != `POSTROAD_LOCAL_STATUS_ABORT_REQUEST && waited < 70000) begin
                tick(PAD);
                waited = waited + 1;
            end
            check(waited == limit + 1, "M6: as many pads as the limit, and one more");
            tick(NONE);
            check(status == `POSTROAD_LOCAL_STATUS_OPEN, "M6: for one clock");
        end
    endtask

    // Limits of every bit, then random parts of every bit; the latter with a threshold that the sum wraps, so that it is short.
    integer k;
    initial begin
        begin_bench;
        times_out(16'h5555, 16'd0, 15'd1, 0);
        times_out(16'haaaa, 16'd0, 15'd1, 0);
        for (k = 0; k < 40; k = k + 1) begin
            random = following({1'b1, 15'h2bad ^ k[14:0] << 7});
            times_out(16'd20 + k[15:0] - random, 16'hffff, 15'h2bad ^ k[14:0] << 7, 0);
            random = following(following({1'b1, 15'h1234 + 15'd731 * k[14:0]}));
            times_out(16'd20 - (random & 16'hf0f0 >> k % 5), 16'hf0f0 >> k % 5, 15'h1234 + 15'd731 * k[14:0], 1);
        end
        verdict;
    end
endmodule

`default_nettype wire
