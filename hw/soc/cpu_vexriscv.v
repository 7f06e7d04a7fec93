// The core socket, filled with VexRiscv Min (PyPI package pythondata-cpu-vexriscv, module VexRiscv).
//
// A core socket has one bus master, a timer interrupt and a software interrupt. The core starts at RESET_VECTOR after reset.
// VexRiscv has two masters, and data accesses have priority. A data access without an acknowledge therefore stops instruction
// fetch as well, and the core becomes static a few clocks later. Fetches in a row take a clock each (fetch_ahead).
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module cpu_vexriscv #(
    parameter [31:0] RESET_VECTOR = `POSTROAD_RAM_BASE  // RAM, or the boot ROM of a board
) (
    input wire clk,
    input wire reset,

    // Bus master. stb asks for an access: we, adr, dat_w and sel hold until ack, at the earliest in the next clock. dat_r is
    // valid in the clock of ack. In that clock stb asks for the next access already, or is 0. A fetch may be
    // withdrawn before its ack.
    // A read sets all four lanes in sel.
    output wire        stb,
    output wire        we,
    output wire [31:2] adr,
    output wire [31:0] dat_w,
    output wire [3:0]  sel,
    input  wire [31:0] dat_r,
    input  wire        ack,

    // Interrupts: levels.
    input wire timer_interrupt,
    input wire software_interrupt
);
    wire        fetch_stb, fetch_ack, data_stb, data_we, data_ack;
    wire [29:0] fetch_adr, data_adr;
    wire [3:0]  data_sel;

    fetch_ahead masters (
        .clk(clk), .fetch_stb(fetch_stb), .fetch_adr(fetch_adr), .fetch_ack(fetch_ack), .data_stb(data_stb),
        .data_we(data_we), .data_adr(data_adr), .data_sel(data_sel), .data_ack(data_ack),
        .stb(stb), .we(we), .adr(adr), .sel(sel), .ack(ack)
    );

    /* verilator lint_off PINCONNECTEMPTY */  // outputs a classic cycle does not need
    VexRiscv core (
        .clk(clk), .reset(reset), .externalResetVector(RESET_VECTOR),
        .timerInterrupt(timer_interrupt), .softwareInterrupt(software_interrupt), .externalInterruptArray(32'd0),
        .iBusWishbone_CYC(), .iBusWishbone_STB(fetch_stb), .iBusWishbone_ACK(fetch_ack), .iBusWishbone_WE(),
        .iBusWishbone_ADR(fetch_adr), .iBusWishbone_DAT_MISO(dat_r), .iBusWishbone_DAT_MOSI(), .iBusWishbone_SEL(),
        .iBusWishbone_ERR(1'b0), .iBusWishbone_CTI(), .iBusWishbone_BTE(),
        .dBusWishbone_CYC(), .dBusWishbone_STB(data_stb), .dBusWishbone_ACK(data_ack), .dBusWishbone_WE(data_we),
        .dBusWishbone_ADR(data_adr), .dBusWishbone_DAT_MISO(dat_r), .dBusWishbone_DAT_MOSI(dat_w),
        .dBusWishbone_SEL(data_sel), .dBusWishbone_ERR(1'b0), .dBusWishbone_CTI(), .dBusWishbone_BTE()
    );
    /* verilator lint_on PINCONNECTEMPTY */

endmodule

`default_nettype wire
