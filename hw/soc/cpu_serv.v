// The core socket, filled with SERV (PyPI package pythondata-cpu-serv, module serv_rf_top). Compare cpu_vexriscv.v.
//
// SERV never fetches and accesses data at the same time, so its two masters only need a multiplexer. It has no
// software interrupt: that input is ignored.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module cpu_serv (
    input wire clk,
    input wire reset,

    // Wishbone classic master: stb, we, adr, dat_w and sel hold until ack; dat_r counts in the clock of ack.
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
    wire        fetch_stb, data_stb, data_we;
    wire [31:0] fetch_adr, data_adr;
    wire [3:0]  data_sel;

    assign stb = fetch_stb || data_stb;
    assign we = data_we && !fetch_stb;
    assign adr = fetch_stb ? fetch_adr[31:2] : data_adr[31:2];
    assign sel = fetch_stb ? 4'b1111 : data_sel;

    /* verilator lint_off PINCONNECTEMPTY */  // the extension and multiplier ports
    serv_rf_top #(.RESET_PC(`POSTROAD_RAM_BASE)) core (
        .clk(clk), .i_rst(reset), .i_timer_irq(timer_interrupt),
        .o_ibus_adr(fetch_adr), .o_ibus_cyc(fetch_stb), .i_ibus_rdt(dat_r), .i_ibus_ack(ack && fetch_stb),
        .o_dbus_adr(data_adr), .o_dbus_dat(dat_w), .o_dbus_sel(data_sel), .o_dbus_we(data_we), .o_dbus_cyc(data_stb),
        .i_dbus_rdt(dat_r), .i_dbus_ack(ack && !fetch_stb),
        .o_ext_rs1(), .o_ext_rs2(), .o_ext_funct3(), .i_ext_rd(32'd0), .i_ext_ready(1'b0), .o_mdu_valid()
    );
    /* verilator lint_on PINCONNECTEMPTY */

    wire unused = &{1'b0, software_interrupt, fetch_adr[1:0], data_adr[1:0]};

endmodule

`default_nettype wire
