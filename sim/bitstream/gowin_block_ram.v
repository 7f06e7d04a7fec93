// SPDX-License-Identifier: ISC
// A block RAM of a Gowin FPGA with two ports of 1, 2, 4, 9 or 18 bits on one memory (SP, DP, SDP), for simulation.
//
// An address counts bits: a port of 18 bits uses address[13:4], one of 9 address[13:3], and so on; ports of 4 bits and less
// use eight of the nine bits of a word. In a port of 18 bits address[1:0] are the write enables of the two halves.
// At power-on the outputs are 0 and the contents are those of the file NUMBER.hex (2048 words of 9 bits, readmemh) in the
// folder that +block_rams=FOLDER names; without +block_rams they are 0.
// A port that reads what the other one writes in the same clock gets the old value. The chip does not promise that.
//
// Source: Gowin UG285.
`default_nettype none
module gowin_block_ram #(
    parameter NUMBER = 0,
    parameter WIDTH_A = 18, WIDTH_B = 18,
    parameter MODE_A = 0, MODE_B = 0,       // the output of a write: 0 stays, 1 the new value, 2 the old value
    parameter ASYNCHRONOUS = 0              // reset of the outputs
) (
    input  wire clock_a, enable_a, write_a, reset_a, select_a,
    input  wire [13:0] address_a,
    input  wire [17:0] d_a,
    output wire [17:0] q_a,
    input  wire clock_b, enable_b, write_b, reset_b, select_b,
    input  wire [13:0] address_b,
    input  wire [17:0] d_b,
    output wire [17:0] q_b
);
    /* verilator lint_off MULTIDRIVEN */    // that is what two ports are
    reg [8:0] memory [0:2047];
    /* verilator lint_on MULTIDRIVEN */

    reg [8*256-1:0] folder, path;
    integer word;
    initial begin
        for (word = 0; word < 2048; word = word + 1) memory[word] = 9'd0;
        if ($value$plusargs("block_rams=%s", folder)) begin
            $sformat(path, "%0s/%0d.hex", folder, NUMBER);
            $readmemh(path, memory);
        end
    end

    // What a port of `width` bits sees of the two words at its address, and which bits of them it writes.
    function [17:0] seen(input integer width, input [2:0] low, input [17:0] pair);
        case (width)
            18: seen = pair;
            9: seen = {9'd0, pair[8:0]};
            4: seen = {14'd0, pair[4*low[2] +: 4]};
            2: seen = {16'd0, pair[2*low[2:1] +: 2]};
            default: seen = {17'd0, pair[{2'd0, low}]};
        endcase
    endfunction
    function [17:0] mask(input integer width, input [2:0] low);
        case (width)
            18: mask = {{9{low[1]}}, {9{low[0]}}};
            9: mask = 18'h1ff;
            4: mask = 18'hf << (4 * low[2]);
            2: mask = 18'h3 << (2 * low[2:1]);
            default: mask = 18'h1 << low;
        endcase
    endfunction
    function [17:0] spread(input integer width, input [2:0] low, input [17:0] d);
        case (width)
            4: spread = {14'd0, d[3:0]} << (4 * low[2]);
            2: spread = {16'd0, d[1:0]} << (2 * low[2:1]);
            1: spread = {17'd0, d[0]} << low;
            default: spread = d;
        endcase
    endfunction

    wire [10:0] row_a = WIDTH_A == 18 ? {address_a[13:4], 1'b0} : address_a[13:3];
    wire [10:0] row_b = WIDTH_B == 18 ? {address_b[13:4], 1'b0} : address_b[13:3];
    wire [17:0] old_a = {memory[row_a | 11'd1], memory[row_a]}, old_b = {memory[row_b | 11'd1], memory[row_b]};
    wire [17:0] mask_a = mask(WIDTH_A, address_a[2:0]), mask_b = mask(WIDTH_B, address_b[2:0]);
    wire [17:0] new_a = (old_a & ~mask_a) | (spread(WIDTH_A, address_a[2:0], d_a) & mask_a);
    wire [17:0] new_b = (old_b & ~mask_b) | (spread(WIDTH_B, address_b[2:0], d_b) & mask_b);
    wire go_a = enable_a && select_a, go_b = enable_b && select_b;

    reg [17:0] out_a = 18'd0, out_b = 18'd0;
    assign q_a = out_a;
    assign q_b = out_b;

    always @(posedge clock_a) begin
        if (go_a && write_a && !reset_a) begin
            memory[row_a] <= new_a[8:0];
            if (WIDTH_A == 18) memory[row_a | 11'd1] <= new_a[17:9];
        end
    end
    always @(posedge clock_b) begin
        if (go_b && write_b && !reset_b) begin
            memory[row_b] <= new_b[8:0];
            if (WIDTH_B == 18) memory[row_b | 11'd1] <= new_b[17:9];
        end
    end

    generate
        if (ASYNCHRONOUS != 0) begin : asynchronous_reset
            always @(posedge clock_a or posedge reset_a)
                if (reset_a) out_a <= 18'd0;
                else if (go_a && (!write_a || MODE_A != 0))
                    out_a <= seen(WIDTH_A, address_a[2:0], write_a && MODE_A == 1 ? new_a : old_a);
            always @(posedge clock_b or posedge reset_b)
                if (reset_b) out_b <= 18'd0;
                else if (go_b && (!write_b || MODE_B != 0))
                    out_b <= seen(WIDTH_B, address_b[2:0], write_b && MODE_B == 1 ? new_b : old_b);
        end else begin : synchronous_reset
            always @(posedge clock_a)
                if (reset_a) out_a <= 18'd0;
                else if (go_a && (!write_a || MODE_A != 0))
                    out_a <= seen(WIDTH_A, address_a[2:0], write_a && MODE_A == 1 ? new_a : old_a);
            always @(posedge clock_b)
                if (reset_b) out_b <= 18'd0;
                else if (go_b && (!write_b || MODE_B != 0))
                    out_b <= seen(WIDTH_B, address_b[2:0], write_b && MODE_B == 1 ? new_b : old_b);
        end
    endgenerate
endmodule
`default_nettype wire
