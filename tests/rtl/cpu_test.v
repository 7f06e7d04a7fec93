// The core socket, filled with tasks of a bench: site #(.CPU("test")). A bench calls dut.test.core.read and write.
// SPDX-License-Identifier: ISC
`default_nettype none

module cpu_test (
    input wire clk,
    input wire reset,

    // Bus master, see hw/soc/cpu_vexriscv.v. It asks for nothing in the clock of an acknowledge.
    output wire        stb,
    output reg         we,
    output reg  [31:2] adr,
    output reg  [31:0] dat_w,
    output reg  [3:0]  sel,
    input  wire [31:0] dat_r,
    input  wire        ack,

    input wire timer_interrupt,
    input wire software_interrupt
);
    localparam PATIENCE = 1000;  // clocks without an acknowledge after which an access is given up

    reg [31:0] rdata;      // of the last read
    reg        answered;   // the last access was acknowledged
    integer    waited;     // clocks the last access took

    reg        asks = 1'b0;

    assign stb = asks && !ack;

    wire unused = &{1'b0, reset, timer_interrupt, software_interrupt};

    // `lanes` for writes; a core shows all lanes when it reads.
    task access(input [31:0] address, input write, input [31:0] data, input [3:0] lanes);
        begin
            asks <= 1'b1;
            we <= write;
            adr <= address[31:2];
            dat_w <= data;
            sel <= lanes;
            waited = 0;
            answered = 1'b0;
            @(posedge clk);
            while (!answered && waited < PATIENCE) begin
                @(posedge clk);
                waited = waited + 1;
                answered = ack;
                rdata = dat_r;
            end
            asks <= 1'b0;
            @(posedge clk);
        end
    endtask

    task read(input [31:0] address);
        access(address, 1'b0, 32'd0, 4'b1111);
    endtask

    task write(input [31:0] address, input [31:0] data);
        access(address, 1'b1, data, 4'b1111);
    endtask

    task write_byte(input [31:0] address, input [7:0] data);
        access(address, 1'b1, {4{data}}, 4'b0001 << address[1:0]);
    endtask

endmodule

`default_nettype wire
