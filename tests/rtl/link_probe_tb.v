// link_probe_tb: a row that is chosen is shown once the memory has read it, the right half of it and no older value; a new choice
// while the value is under way drops it; `up` is shown at once.
// SPDX-License-Identifier: ISC
`default_nettype none

module link_probe_tb;
    `include "bench.vh"

    reg         clk = 1'b0, request = 1'b0, we = 1'b0, reads = 1'b0;
    reg  [7:0]  wdata = 8'd0;
    reg  [3:0]  up = 4'd0;
    reg  [15:0] left, right;
    wire [31:0] rdata;
    wire [6:0]  row;

    link_probe dut (
        .clk(clk), .request(request), .we(we), .wdata(wdata), .rdata(rdata), .up(up), .row(row), .reads(reads), .left(left),
        .right(right));

    always #5 clk = !clk;

    // The memory: its halves follow the row that it reads, and change with each read.
    reg  [15:0] version = 16'd0;
    reg  [7:0]  chosen;
    reg         was_read;     // the row chosen has been read since it was chosen
    reg  [15:0] expected;
    integer     waited;

    task one_clock;
        begin
            reads = percent(20);
            request = percent(10);
            we = percent(50);
            wdata = below(256);
            up = below(16);
            #1 check(row === chosen[6:0], "the memory reads the row that was chosen");
            check(rdata[31] === was_read, "ready as soon as the value of this row is there");
            if (was_read) check(rdata[15:0] === expected, "the value is of the half chosen, and the newest");
            check(rdata[19:16] === up && rdata[30:20] == 11'd0, "links that are up");
            @(posedge clk) #1;
            if (waited == 1 && !(request && we)) {was_read, expected} = {1'b1, chosen[7] ? right : left};
            if (request && we) {chosen, was_read} = {wdata, 1'b0};
            waited = reads && !(request && we);
            if (reads) begin
                version = version + 16'd1;
                left = {row, 1'b0, version[7:0]};
                right = {row, 1'b1, version[7:0]};
            end else begin
                left = below(65536);
                right = below(65536);
            end
        end
    endtask

    initial begin
        begin_bench;
        left = 16'd0;
        right = 16'd0;
        waited = 0;
        {request, we, wdata} = {2'b11, 8'd5};
        repeat (2) @(posedge clk);
        #1 {chosen, was_read} = {8'd5, 1'b0};
        repeat (20000) one_clock;
        verdict;
    end
endmodule

`default_nettype wire
