// ram: the RAM of a site. It has one port, one access per clock, byte lanes, and read data one clock later.
//
// Yosys and the vendors' tools infer block RAM from this form: clocked processes, one enable for each byte lane.
// rdata holds its value until the next read.
// In simulation +firmware=FILE loads the RAM and takes precedence over IMAGE. Words that the file leaves out are 0.
// SPDX-License-Identifier: ISC
`default_nettype none

module ram #(
    parameter BYTES = 65536,  // size, a power of two: what the firmware and its pool of buffers need, what the FPGA has
    parameter IMAGE = ""      // $readmemh file, 32-bit words from address 0: the firmware a bitstream starts with
) (
    input wire clk,

    // One access in each clock with req. rdata of a read is valid in the next clock.
    input  wire                      req,
    input  wire                      we,
    input  wire [$clog2(BYTES)-1:2]  addr,
    input  wire [31:0]               wdata,
    input  wire [3:0]                sel,
    output reg  [31:0]               rdata
);
    localparam WORDS = BYTES / 4;

    reg [31:0] memory [0:WORDS-1];

    always @(posedge clk)
        if (req && we) begin
            if (sel[0]) memory[addr][7:0] <= wdata[7:0];
            if (sel[1]) memory[addr][15:8] <= wdata[15:8];
            if (sel[2]) memory[addr][23:16] <= wdata[23:16];
            if (sel[3]) memory[addr][31:24] <= wdata[31:24];
        end

    always @(posedge clk)
        if (req && !we)
            rdata <= memory[addr];

`ifdef SYNTHESIS
    initial
        if (IMAGE != "")
            $readmemh(IMAGE, memory);
`else
    reg [8*1024-1:0] firmware;
    integer i;

    initial begin
        for (i = 0; i < WORDS; i = i + 1)
            memory[i] = 32'd0;
        if ($value$plusargs("firmware=%s", firmware))
            $readmemh(firmware, memory);
        else if (IMAGE != "")
            $readmemh(IMAGE, memory);
    end
`endif

endmodule

`default_nettype wire
