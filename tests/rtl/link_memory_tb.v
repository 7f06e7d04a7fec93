// link_memory_tb: random reads and writes of both halves against a model; what is there at power-on; and that a row which is read
// in the clock of a write has no effect on it.
// SPDX-License-Identifier: ISC
`default_nettype none

module link_memory_tb;
    `include "bench.vh"

    reg         clk = 1'b0;
    reg  [6:0]  read_row, write_row, row;
    reg         read_beside, write_beside, write_left, write_high, write_low;
    reg  [15:0] left_next, right_next;
    wire [15:0] left, right;

    link_memory dut (
        .clk(clk), .read_row(read_row), .read_beside(read_beside), .left(left), .right(right), .write_row(write_row),
        .write_beside(write_beside), .write_left(write_left), .left_next(left_next), .write_high(write_high),
        .write_low(write_low), .right_next(right_next));

    always #5 clk = !clk;

    reg [15:0] lefts [0:127], rights [0:127];
    integer k;

    // Bit 2 of a row of the right half is 1 beside.
    function [6:0] beside(input [6:0] address, input is_beside);
        beside = address | {4'd0, is_beside, 2'd0};
    endfunction

    task one_clock(input writes);
        begin
            read_row = below(128);
            read_beside = below(2);
            write_row = below(128);
            write_beside = below(2);
            {write_left, write_high, write_low} = writes ? below(8) : 0;
            left_next = below(65536);
            right_next = below(65536);
            // No row is read for its value in the clock in which it is written.
            if (beside(write_row, 1'b1) == beside(read_row, 1'b1)) {write_left, write_high, write_low} = 3'd0;
            @(posedge clk) #1;
            check(left === lefts[read_row], "left half");
            check(right === rights[beside(read_row, read_beside)], "right half");
            row = beside(write_row, write_beside);
            if (write_left) lefts[write_row] = left_next;
            if (write_high) rights[row][15:8] = right_next[15:8];
            if (write_low) rights[row][7:0] = right_next[7:0];
        end
    endtask

    initial begin
        begin_bench;
        for (k = 0; k < 128; k = k + 1) begin
            lefts[k] = k / 32 == 1 && k[2] ? 16'hffff : 16'd0;  // the start value of a CRC
            rights[k] = 16'd0;
        end
        repeat (1000) one_clock(1'b0);
        repeat (20000) one_clock(1'b1);
        verdict;
    end
endmodule

`default_nettype wire
