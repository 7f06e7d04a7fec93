// clint_tb: registers hold what was written, mtime follows `now` and cannot be written, the timer interrupt is exactly
// now >= mtimecmp as 64-bit numbers, msip is the software interrupt.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module clint_tb;
    `include "bench.vh"

    reg         clk = 1'b0, reset = 1'b1, request = 1'b0, we = 1'b0;
    reg [15:2]  adr = 14'd0;
    reg [31:0]  wdata = 32'd0;
    reg [63:0]  now = 64'd0;
    wire [31:0] rdata;
    wire        timer_interrupt, software_interrupt;
    wire [63:0] wake_time;

    clint dut (
        .clk(clk), .reset(reset), .request(request), .we(we), .adr(adr), .wdata(wdata), .rdata(rdata), .now(now),
        .timer_interrupt(timer_interrupt), .software_interrupt(software_interrupt), .wake_time(wake_time));

    always #5 clk = !clk;

    reg [63:0] expected = ~64'd0;
    reg        pending = 1'b0;

    always @(posedge clk) begin
        #4;
        if (!reset) begin
            check(timer_interrupt == (now >= expected), "the timer interrupt is now >= mtimecmp");
            check(wake_time == expected, "wake_time is mtimecmp");
            check(software_interrupt == pending, "msip is the software interrupt");
        end
    end

    reg [31:0] answer;
    task access(input write, input [15:0] address, input [31:0] data);
        begin
            {request, we, adr, wdata} = {1'b1, write, address[15:2], data};
            #1 answer = rdata;
            @(posedge clk);
            if (write)
                case (address)
                    `POSTROAD_CLINT_MSIP: pending = data[0];
                    `POSTROAD_CLINT_MTIMECMP_LOW: expected[31:0] = data;
                    `POSTROAD_CLINT_MTIMECMP_HIGH: expected[63:32] = data;
                    default: ;
                endcase
            #1 request = 1'b0;
            now = now + 64'd1;
        end
    endtask

    task read(input [15:0] address, input [31:0] wanted);
        begin
            access(1'b0, address, $random(seed));
            check(answer == wanted, "a register reads what it should");
        end
    endtask

    // A number near `now`, near the carry between the halves, or anywhere.
    function [63:0] interesting(input integer which);
        case (which)
            0: interesting = now + below(20) - 10;
            1: interesting = {now[63:32], 32'hffffffff} + below(4) - 2;
            2: interesting = ~64'd0 - below(3);
            default: interesting = {$random(seed), $random(seed)};
        endcase
    endfunction

    reg [63:0] number;
    integer    i;
    initial begin
        begin_bench;
        repeat (2) @(posedge clk);
        #1 reset = 1'b0;
        for (i = 0; i < 5000; i = i + 1) begin
            if (percent(5)) now = interesting(below(4));
            number = interesting(below(4));
            case (below(8))
                0: access(1'b1, `POSTROAD_CLINT_MSIP, number[31:0]);
                1: access(1'b1, `POSTROAD_CLINT_MTIMECMP_LOW, number[31:0]);
                2: access(1'b1, `POSTROAD_CLINT_MTIMECMP_HIGH, number[63:32]);
                3: access(1'b1, below(2) ? `POSTROAD_CLINT_MTIME_LOW : `POSTROAD_CLINT_MTIME_HIGH, number[31:0]);
                4: read(`POSTROAD_CLINT_MSIP, {31'd0, pending});
                5: begin
                    read(`POSTROAD_CLINT_MTIMECMP_LOW, expected[31:0]);
                    read(`POSTROAD_CLINT_MTIMECMP_HIGH, expected[63:32]);
                end
                6: begin
                    read(`POSTROAD_CLINT_MTIME_LOW, now[31:0]);
                    read(`POSTROAD_CLINT_MTIME_HIGH, now[63:32]);
                end
                7: read(16'h8000 | (below(1000) << 2), 32'd0);
            endcase
        end
        reset = 1'b1;
        @(posedge clk);
        #1 check(wake_time == ~64'd0 && !software_interrupt, "after reset no interrupt ever");
        verdict;
    end
endmodule

`default_nettype wire
