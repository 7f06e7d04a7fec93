// finisher_tb: only a write of a command finishes, once, with its status; reads and other values do not; reset clears.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module finisher_tb;
    `include "bench.vh"

    reg         clk = 1'b0, reset = 1'b1, request = 1'b0, we = 1'b0;
    reg [31:0]  wdata = 32'd0;
    wire        finished;
    wire [31:0] status;

    finisher dut (.clk(clk), .reset(reset), .request(request), .we(we), .wdata(wdata), .finished(finished),
                  .status(status));

    always #5 clk = !clk;

    task access(input asked, input write, input [31:0] data);
        begin
            {request, we, wdata} = {asked, write, data};
            @(posedge clk);
            #1 request = 1'b0;
        end
    endtask

    reg [31:0] command, wanted;
    integer    round, i;
    initial begin
        begin_bench;
        for (round = 0; round < 200; round = round + 1) begin
            reset = 1'b1;
            @(posedge clk);
            #1 reset = 1'b0;
            check(!finished && status == 0, "reset clears");
            command = {$random(seed) >> 16, percent(50) ? `POSTROAD_FINISHER_PASS : `POSTROAD_FINISHER_FAIL};
            wanted = command[15:0] == `POSTROAD_FINISHER_PASS ? 32'd0 : {16'd0, command[31:16]};
            for (i = 0; i < 10; i = i + 1) begin
                case (below(3))
                    0: access(1'b0, 1'b1, command);
                    1: access(1'b1, 1'b0, command);
                    2: access(1'b1, 1'b1, command ^ (32'd1 << below(16)));
                endcase
                check(!finished, "only a command that is written finishes");
            end
            access(1'b1, 1'b1, command);
            check(finished && status == wanted, "a command finishes with its status");
            repeat (below(5)) @(posedge clk);
            #1 check(finished && status == wanted, "finished stays");
        end
        verdict;
    end
endmodule

`default_nettype wire
