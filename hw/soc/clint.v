// clint: core-local interrupts. msip, mtimecmp and mtime have the addresses of QEMU's virt machine.
//
// mtime is the mesh's clock count. It is an input, so a sleeping site needs no running counter, and it is not writable. After
// reset mtimecmp has its largest value.
// Cost: 65 flops, a 64-bit comparator.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module clint (
    input wire clk,
    input wire reset,

    // bus.v: request is 1 in one clock of an access; rdata is valid in that clock. Word access only.
    input  wire        request,
    input  wire        we,
    input  wire [15:2] adr,
    input  wire [31:0] wdata,
    output wire [31:0] rdata,

    // Clocks since reset.
    input  wire [63:0] now,

    // Levels to the core; wake_time is mtimecmp, the clock from which timer_interrupt will be 1.
    output wire        timer_interrupt,
    output wire        software_interrupt,
    output wire [63:0] wake_time
);
    localparam [15:0] MSIP          = `POSTROAD_CLINT_MSIP;
    localparam [15:0] MTIMECMP_LOW  = `POSTROAD_CLINT_MTIMECMP_LOW;
    localparam [15:0] MTIMECMP_HIGH = `POSTROAD_CLINT_MTIMECMP_HIGH;
    localparam [15:0] MTIME_LOW     = `POSTROAD_CLINT_MTIME_LOW;
    localparam [15:0] MTIME_HIGH    = `POSTROAD_CLINT_MTIME_HIGH;

    reg        msip;
    reg [63:0] mtimecmp;

    wire write = request && we;

    always @(posedge clk)
        if (reset) begin
            msip <= 1'b0;
            mtimecmp <= ~64'd0;
        end else if (write) begin
            if (adr == MSIP[15:2])
                msip <= wdata[0];
            if (adr == MTIMECMP_LOW[15:2])
                mtimecmp[31:0] <= wdata;
            if (adr == MTIMECMP_HIGH[15:2])
                mtimecmp[63:32] <= wdata;
        end

    assign rdata = adr == MSIP[15:2]          ? {31'd0, msip} :
                   adr == MTIMECMP_LOW[15:2]  ? mtimecmp[31:0] :
                   adr == MTIMECMP_HIGH[15:2] ? mtimecmp[63:32] :
                   adr == MTIME_LOW[15:2]     ? now[31:0] :
                   adr == MTIME_HIGH[15:2]    ? now[63:32] : 32'd0;

    // now >= mtimecmp, in two halves with half the carry chain: a single comparison would be the critical path of a site.
    wire low_reached = now[31:0] >= mtimecmp[31:0];
    assign timer_interrupt = now[63:32] > mtimecmp[63:32] || now[63:32] == mtimecmp[63:32] && low_reached;
    assign software_interrupt = msip;
    assign wake_time = mtimecmp;

    wire unused = &{1'b0, MSIP[1:0], MTIMECMP_LOW[1:0], MTIMECMP_HIGH[1:0], MTIME_LOW[1:0], MTIME_HIGH[1:0]};

endmodule

`default_nettype wire
