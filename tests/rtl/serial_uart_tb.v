// serial_uart_tb: a far end whose clock is off by up to 2 % sends and hears bytes back to back, with glitches and framing
// errors in
// between: every good byte arrives once and in order, nothing else does. The queue keeps what is not taken.
// SPDX-License-Identifier: ISC
`default_nettype none
`timescale 1ns/1ps

module serial_uart_tb #(
    parameter CLOCK_HZ = 12000000
);
    `include "bench.vh"

    localparam BAUD = 1000000, DEPTH = 64, BYTES = 600;
    localparam real PERIOD = 1.0e9 / CLOCK_HZ;

    reg        clk = 1'b0, reset = 1'b1, rx = 1'b1, in_ready = 1'b0, out_valid = 1'b0;
    reg  [7:0] out_byte = 8'd0;
    wire       tx, in_valid, out_ready;
    wire [7:0] in_byte;

    serial_uart #(.CLOCK_HZ(CLOCK_HZ), .BAUD(BAUD), .DEPTH(DEPTH)) dut (
        .clk(clk), .reset(reset), .rx(rx), .tx(tx), .in_valid(in_valid), .in_byte(in_byte), .in_ready(in_ready),
        .out_valid(out_valid), .out_byte(out_byte), .out_ready(out_ready));

    always #(PERIOD / 2) clk = !clk;

    reg [7:0] sent [0:BYTES-1];      // by the far end
    reg [7:0] given [0:BYTES-1];     // to the transmitter
    integer   sends = 0, takes = 0, gives = 0, hears = 0, taking = 100, giving = 100;
    real      bit_time = 1000.0;

    // The far end sends.
    task send_bits(input [9:0] bits);
        integer k;
        for (k = 0; k < 10; k = k + 1) begin
            rx = bits[k];
            #(bit_time);
        end
    endtask

    task send(input [7:0] value);
        begin
            sent[sends] = value;
            sends = sends + 1;
            send_bits({1'b1, value, 1'b0});
        end
    endtask

    task glitch;
        begin
            rx = 1'b0;
            #(bit_time / 4);
            rx = 1'b1;
            #(bit_time * 2);
        end
    endtask

    // A byte without a stop bit, then the line low for a while: a break.
    task break_line;
        begin
            send_bits({1'b0, 8'h5a, 1'b0});
            #(bit_time * below(30));
            rx = 1'b1;
            #(bit_time * 2);
        end
    endtask

    always @(posedge clk) begin
        if (in_valid && in_ready) begin
            check(takes < sends && in_byte === sent[takes], "a byte arrives once and in order");
            takes = takes + 1;
        end
        if (out_valid && out_ready) begin
            given[gives] = out_byte;
            gives = gives + 1;
        end
        #1;
        in_ready = percent(taking);
        if (!out_valid || out_byte === given[gives - 1]) begin
            out_valid = !reset && gives < BYTES && percent(giving);
            out_byte = $random(seed);
            if (gives > 0 && out_byte === given[gives - 1]) out_byte = ~out_byte;
        end
    end

    // The far end hears.
    reg [7:0] heard;
    integer   b;
    initial forever begin
        @(negedge tx);
        #500;
        check(tx === 1'b0 || reset, "a start bit is a bit long");
        for (b = 0; b < 8; b = b + 1) begin
            #1000;
            heard[b] = tx;
        end
        #1000;
        check(tx === 1'b1, "a stop bit is 1");
        check(hears < gives && heard === given[hears], "a byte is heard once and in order");
        hears = hears + 1;
    end

    integer i;
    initial begin
        begin_bench;
        repeat (5) @(posedge clk);
        #1 reset = 1'b0;
        repeat (20) @(posedge clk);
        for (i = 0; i < BYTES - DEPTH; i = i + 1) begin
            if (i % 50 == 0) begin
                bit_time = 980.0 + below(41);
                taking = 20 + below(81);
                giving = below(101);
            end
            send($random(seed));
            if (percent(10)) #(bit_time * below(20) / 7);
            if (percent(5)) glitch;
            if (percent(3)) break_line;
        end
        repeat (3000) @(posedge clk);
        check(takes == sends, "every byte has arrived");
        taking = 0;
        giving = 100;
        bit_time = 1000.0;
        for (i = 0; i < DEPTH; i = i + 1)
            send($random(seed));                       // one is shown, DEPTH - 1 wait
        send_bits({1'b1, 8'h77, 1'b0});                // and one is lost
        repeat (50) @(posedge clk);
        taking = 100;
        repeat (500) @(posedge clk);
        check(takes == sends && !in_valid, "the queue has kept as many bytes as it holds");
        wait (hears == BYTES);
        verdict;
    end

    initial begin
        #40000000;
        check(1'b0, "every byte is heard in time");
        verdict;
    end
endmodule

`default_nettype wire
