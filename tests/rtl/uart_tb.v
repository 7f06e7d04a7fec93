// uart_tb: bytes in both directions with random stalls on both sides arrive once, in order; LSR tells the truth; the
// bytes and words that must not disturb do not; a byte written to a full THR is lost and harms nothing.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module uart_tb;
    `include "bench.vh"

    localparam BYTES = 2000;

    reg        clk = 1'b0, reset = 1'b1;
    reg        request = 1'b0, we = 1'b0, rx_valid = 1'b0, tx_ready = 1'b0;
    reg [7:2]  adr = 6'd0;
    reg [3:0]  sel = 4'd0;
    reg [7:0]  wdata = 8'd0, rx = 8'd0;
    wire [31:0] rdata;
    wire       rx_ready, tx_valid;
    wire [7:0] tx;

    uart dut (
        .clk(clk), .reset(reset), .request(request), .we(we), .adr(adr), .sel(sel), .wdata(wdata), .rdata(rdata),
        .rx_valid(rx_valid), .rx(rx), .rx_ready(rx_ready), .tx_valid(tx_valid), .tx(tx), .tx_ready(tx_ready));

    always #5 clk = !clk;

    reg [7:0] to_core [0:BYTES-1], to_host [0:BYTES-1];
    integer   fed = 0, taken = 0, written = 0, heard = 0, fed_chance = 50, heard_chance = 50;
    reg       held, gone;
    reg [7:0] held_byte;

    // The far ends of both streams.
    always @(posedge clk) begin
        gone = rx_valid && rx_ready;
        if (gone)
            fed = fed + 1;
        if (tx_valid && tx_ready) begin
            check(heard < written && tx == to_host[heard], "a byte sent arrives once and in order");
            heard = heard + 1;
        end
        held = tx_valid && !tx_ready;
        held_byte = tx;
        #1;
        if (!reset && held)
            check(tx_valid && tx == held_byte, "tx holds still until it is taken");
        if (gone || !rx_valid) begin
            rx_valid = fed < BYTES && percent(fed_chance);
            rx = rx_valid ? to_core[fed] : 1 + below(255);  // not 0, which is what shows then
        end
        tx_ready = percent(heard_chance);
    end

    // One access; the answer is sampled in its clock. A byte written to THR counts if there was room for it.
    reg [31:0] answer;
    reg        room;
    task access(input write, input [5:0] word, input [3:0] lanes, input [7:0] data);
        begin
            #2;
            {request, we, adr, sel, wdata} = {1'b1, write, word, lanes, data};
            #1 answer = rdata;
            room = !tx_valid;
            @(posedge clk);
            if (write && word == 6'd0 && lanes[0] && room) begin
                to_host[written] = data;
                written = written + 1;
            end
            #2 request = 1'b0;
            repeat (below(3)) @(posedge clk);
        end
    endtask

    task poll;
        reg [7:0] status;
        begin
            access(1'b0, 6'd1, 4'b1111, 8'd0);
            status = answer[15:8];
            check(answer[31:16] == 0 && answer[7:0] == 0, "the word of LSR holds nothing else");
            check(status[5] == status[6] && (status & 8'h9e) == 0, "LSR has bits 0, 5 and 6 only");
            if (status[0]) begin
                access(1'b0, 6'd0, 4'b1111, 8'd0);
                check(answer == {24'd0, to_core[taken]}, "a byte received is read once and in order");
                taken = taken + 1;
            end
            if (status[5] && written < BYTES) begin
                access(1'b1, 6'd0, 4'b0001, $random(seed));
                check(room, "THR is empty when LSR says so");
            end
        end
    endtask

    // Writes that the subset ignores: no DLAB, no FIFO control, no other lane.
    task disturb;
        begin
            access(1'b1, 6'd0, 4'b0010 << below(3), 8'hff);
            access(1'b1, 6'd1, 4'b1111, 8'hff);
            if (written < BYTES)
                access(1'b1, 6'd0, 4'b0001, $random(seed));
            access(1'b0, 6'd2 + below(60), 4'b1111, 8'd0);
            check(answer == 0, "what is not listed reads 0");
        end
    endtask

    integer i;
    initial begin
        begin_bench;
        for (i = 0; i < BYTES; i = i + 1)
            to_core[i] = $random(seed);
        repeat (3) @(posedge clk);
        #1 reset = 1'b0;
        check(!tx_valid, "nothing to send after reset");
        for (i = 0; i < 40000 && (heard < BYTES || taken < BYTES); i = i + 1) begin
            if (i % 500 == 0) begin
                fed_chance = 2 + below(99);
                heard_chance = 2 + below(99);
            end
            poll;
            if (percent(10)) disturb;
        end
        check(heard == BYTES && taken == BYTES && fed == BYTES, "every byte has arrived");
        access(1'b0, 6'd0, 4'b1111, 8'd0);
        check(answer == 0, "RBR without a byte reads 0");
        verdict;
    end
endmodule

`default_nettype wire
