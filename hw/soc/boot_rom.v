// boot_rom: the program with which a core starts (firmware/boot). Block RAM with contents from the bitstream.
// SPDX-License-Identifier: ISC
`default_nettype none

module boot_rom #(
    parameter BYTES = 4096,  // size, a power of two
    parameter IMAGE = ""     // $readmemh file, 32-bit words
) (
    input wire clk,

    // bus.v: rdata is 0 except in the clock after a request.
    input  wire                     request,
    input  wire [$clog2(BYTES)-1:2] adr,
    output wire [31:0]              rdata
);
    reg [31:0] memory [0:BYTES/4-1];
    reg [31:0] word;
    reg        shown;

    initial
        if (IMAGE != "")  // a tool that reads this file alone has none
            $readmemh(IMAGE, memory);

    always @(posedge clk)
        if (request)
            word <= memory[adr];

    always @(posedge clk)
        shown <= request;

    assign rdata = shown ? word : 32'd0;
endmodule

`default_nettype wire
