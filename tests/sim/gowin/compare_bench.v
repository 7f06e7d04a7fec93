// Compares every_cell with the chip that a bitstream of it configures: random inputs, outputs compared behind both edges of
// each clock.
// plusargs: +seed=N, +clocks=N, +block_rams=FOLDER
// SPDX-License-Identifier: ISC
`default_nettype none

module compare_bench;
    reg clk = 1'b0, resetn = 1'b0, serial_in = 1'b0;
    reg [7:0] in = 8'd0;
    wire [7:0] out_rtl, out_chip;
    wire serial_rtl, serial_chip;
    integer i, seed, first_seed, clocks, differences;

    every_cell rtl (.clk(clk), .resetn(resetn), .serial_in(serial_in), .in(in), .out(out_rtl), .serial_out(serial_rtl));
    chip chip (.clk(clk), .resetn(resetn), .serial_in(serial_in), .in(in), .out(out_chip), .serial_out(serial_chip));

    task compare;
        if (out_rtl !== out_chip || serial_rtl !== serial_chip) begin
            if (differences == 0)
                $display("clock %0d: RTL %h %b, chip %h %b", i, out_rtl, serial_rtl, out_chip, serial_chip);
            differences = differences + 1;
        end
    endtask

    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 1;
        if (!$value$plusargs("clocks=%d", clocks)) clocks = 4000;
        first_seed = seed;
        differences = 0;
        for (i = 0; i < clocks; i = i + 1) begin
            #1 in = $random(seed);
            serial_in = $random(seed);
            resetn = i > 3 && $random(seed) % 16 != 0;
            #4 clk = 1'b1;
            #1 in = $random(seed);
            #1 compare;
            #3 clk = 1'b0;
            #1 compare;
        end
        $display("%s compare_bench: seed %0d, %0d clocks, %0d differences", differences == 0 ? "PASS" : "FAIL", first_seed,
            clocks, differences);
        $finish;
    end
endmodule

`default_nettype wire
