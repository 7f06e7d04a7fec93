// Writes down what every_cell does with random inputs, for replay.c: a line with the names of the pins, then a line with their
// levels whenever something has changed. The clock is the first pin, and changes alone.
// plusargs: +seed=N, +clocks=N
// SPDX-License-Identifier: ISC
`default_nettype none

module record_bench;
    reg clk = 1'b0, resetn = 1'b0, serial_in = 1'b0;
    reg [7:0] in = 8'd0;
    wire [7:0] out;
    wire serial_out;
    integer i, seed, clocks;

    every_cell rtl (.clk(clk), .resetn(resetn), .serial_in(serial_in), .in(in), .out(out), .serial_out(serial_out));

    task record;
        $display("%b%b%b%b%b%b", clk, resetn, serial_in, in, out, serial_out);
    endtask

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 1;
        if (!$value$plusargs("clocks=%d", clocks)) clocks = 4000;
        $display("clk resetn serial_in in[7] in[6] in[5] in[4] in[3] in[2] in[1] in[0] %s serial_out",
            "out[7] out[6] out[5] out[4] out[3] out[2] out[1] out[0]");
        for (i = 0; i < clocks; i = i + 1) begin
            in = $random(seed);
            serial_in = $random(seed);
            resetn = i > 3 && $random(seed) % 16 != 0;
            #1 record;
            clk = 1'b1;
            #1 record;
            in = $random(seed);
            #1 record;
            clk = 1'b0;
            #1 record;
        end
        $finish;
    end
endmodule

`default_nettype wire
