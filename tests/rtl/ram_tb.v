// ram_tb: random accesses with gaps against a model: byte lanes, one clock of latency, data that holds between reads.
// SPDX-License-Identifier: ISC
`default_nettype none

module ram_tb;
    `include "bench.vh"

    localparam BYTES = 1024;

    reg         clk = 1'b0, req = 1'b0, we = 1'b0;
    reg [9:2]   addr = 8'd0;
    reg [31:0]  wdata = 32'd0;
    reg [3:0]   sel = 4'd0;
    wire [31:0] rdata;

    ram #(.BYTES(BYTES)) dut (.clk(clk), .req(req), .we(we), .addr(addr), .wdata(wdata), .sel(sel), .rdata(rdata));

    always #5 clk = !clk;

    reg [31:0] model [0:BYTES/4-1];
    reg [31:0] expected;
    reg        known = 1'b0;
    integer    i, lane, used = 0;

    initial begin
        begin_bench;
        for (i = 0; i < BYTES / 4; i = i + 1)
            model[i] = 32'd0;
        for (i = 0; i < 20000; i = i + 1) begin
            req = percent(80);
            we = percent(50);
            addr = percent(30) ? below(4) : below(BYTES / 4);
            wdata = $random(seed);
            sel = $random(seed);
            if (req && !we) begin
                expected = model[addr];
                known = 1'b1;
            end
            if (req && we)
                for (lane = 0; lane < 4; lane = lane + 1)
                    if (sel[lane])
                        model[addr][8*lane +: 8] = wdata[8*lane +: 8];
            @(posedge clk);
            #1;
            if (known)
                check(rdata === expected, "what was written is read, a clock later, and holds");
        end
        verdict;
    end
endmodule

`default_nettype wire
