// every_cell: a design that needs each kind of cell that a board's bitstream has: tables with their multiplexers, adders, RAM
// in tables, flops with all resets on both edges, and block RAMs. It computes nothing of use.
// SPDX-License-Identifier: ISC
`default_nettype none

module every_cell (
    input  wire       clk,
    input  wire       resetn,
    input  wire       serial_in,
    input  wire [7:0] in,
    output reg  [7:0] out,
    output wire       serial_out
);
    integer i;

    // Adder, shift register
    reg [31:0] count;
    reg [7:0]  shift;
    initial begin count = 32'h12345678; shift = 8'h55; out = 8'd0; end
    always @(posedge clk) begin
        count <= count + {24'd0, in};
        shift <= {shift[6:0], shift[7] ^ in[0] ^ serial_in};
    end

    // Asynchronous reset with enable; synchronous set on the falling edge
    reg [3:0] asynchronous, falling;
    initial begin asynchronous = 4'd5; falling = 4'd9; end
    always @(posedge clk or negedge resetn)
        if (!resetn) asynchronous <= 4'd5;
        else if (in[1]) asynchronous <= asynchronous - 4'd1 - in[3:0];
    always @(negedge clk)
        if (!resetn) falling <= 4'd9;
        else if (!in[2]) falling <= falling ^ in[7:4];

    // RAM in tables
    reg [7:0] small_ram [0:31];
    initial for (i = 0; i < 32; i = i + 1) small_ram[i] = i * 7;
    always @(posedge clk) if (in[3]) small_ram[count[4:0]] <= shift;
    wire [7:0] small_read = small_ram[in[4:0]];

    // Block RAMs: ports of 36 and 4 bits
    reg [31:0] wide_ram [0:511], wide_read;
    reg [3:0]  four_ram [0:4095], four_read;
    initial begin
        for (i = 0; i < 512; i = i + 1) wide_ram[i] = i * 32'h01234567;
        for (i = 0; i < 4096; i = i + 1) four_ram[i] = i * 13 >> 2;
        wide_read = 32'd0;
        four_read = 4'd0;
    end
    always @(posedge clk) begin
        if (in[4]) wide_ram[count[8:0]] <= {shift, count[31:8]};
        wide_read <= wide_ram[{in, shift[0]}];
    end
    always @(posedge clk)
        if (in[6]) begin
            if (in[5]) four_ram[count[11:0]] <= shift[3:0];
            else four_read <= four_ram[{in, shift[3:0]}];
        end

    // Wide functions of all of them
    wire [7:0] mixed = (in[3:0] * shift[3:0]) + (count[23:16] < shift ? shift : in);
    always @(posedge clk)
        out <= mixed ^ {4'd0, asynchronous ^ falling} ^ small_read ^ wide_read[31:24] ^ wide_read[15:8] ^
            {4'd0, four_read};
    assign serial_out = ^count ^ ^out;
endmodule

`default_nettype wire
