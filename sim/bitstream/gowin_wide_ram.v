// SPDX-License-Identifier: ISC
// A block RAM of a Gowin FPGA with a write port of 36 bits, which has an enable for each nine of them, and a read port of 1, 2,
// 4, 9, 18 or 36 bits (SDP), for simulation.
//
// The read address counts bits (see gowin_block_ram.v); the write address counts words of 36. A read port of up to 18 bits is
// q_b; one of 36 has its lower half in q_a and its upper half in q_b, for gowin_ram.c. Contents and power-on:
// as in gowin_block_ram.v.
// What is read while it is written is the old value. The chip does not promise that.
//
// Source: Gowin UG285.
`default_nettype none
module gowin_wide_ram #(
    parameter NUMBER = 0,
    parameter READ_WIDTH = 36,
    parameter ASYNCHRONOUS = 0              // reset of the outputs
) (
    input  wire clock_a, enable_a, select_a,
    input  wire [3:0] bytes,
    input  wire [8:0] address_a,
    input  wire [17:0] low, high,
    input  wire clock_b, enable_b, reset_b, select_b,
    input  wire [13:0] address_b,
    output wire [17:0] q_a, q_b
);
    reg [8:0] memory [0:2047];

    reg [8*256-1:0] folder, path;
    integer word;
    initial begin
        for (word = 0; word < 2048; word = word + 1) memory[word] = 9'd0;
        if ($value$plusargs("block_rams=%s", folder)) begin
            $sformat(path, "%0s/%0d.hex", folder, NUMBER);
            $readmemh(path, memory);
        end
    end

    wire [10:0] row_a = {address_a, 2'd0};
    always @(posedge clock_a)
        if (enable_a && select_a) begin
            if (bytes[0]) memory[row_a] <= low[8:0];
            if (bytes[1]) memory[row_a | 11'd1] <= low[17:9];
            if (bytes[2]) memory[row_a | 11'd2] <= high[8:0];
            if (bytes[3]) memory[row_a | 11'd3] <= high[17:9];
        end

    wire [10:0] row_b = READ_WIDTH == 36 ? {address_b[13:5], 2'd0} :
                        READ_WIDTH == 18 ? {address_b[13:4], 1'b0} : address_b[13:3];
    wire [8:0] one = memory[row_b];
    reg [35:0] value;
    always @* case (READ_WIDTH)
        36: value = {memory[row_b | 11'd3], memory[row_b | 11'd2], memory[row_b | 11'd1], one};
        18: value = {18'd0, memory[row_b | 11'd1], one};
        9: value = {27'd0, one};
        4: value = {32'd0, one[4*address_b[2] +: 4]};
        2: value = {34'd0, one[2*address_b[2:1] +: 2]};
        default: value = {35'd0, one[{1'b0, address_b[2:0]}]};
    endcase

    reg [35:0] out = 36'd0;
    assign q_a = out[17:0];
    assign q_b = READ_WIDTH == 36 ? out[35:18] : out[17:0];
    generate
        if (ASYNCHRONOUS != 0) begin : asynchronous_reset
            always @(posedge clock_b or posedge reset_b)
                if (reset_b) out <= 36'd0;
                else if (enable_b && select_b) out <= value;
        end else begin : synchronous_reset
            always @(posedge clock_b)
                if (reset_b) out <= 36'd0;
                else if (enable_b && select_b) out <= value;
        end
    endgenerate
endmodule
`default_nettype wire
