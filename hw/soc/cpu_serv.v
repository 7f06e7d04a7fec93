// The core socket, filled with SERV (PyPI package pythondata-cpu-serv). Compare cpu_vexriscv.v.
//
// SERV never fetches and accesses data at the same time, so its two masters need a multiplexer but no arbiter. SERV has no
// software interrupt: that input is ignored.
//
// This module is the package's serv_rf_top with one more register, which works around a fault. On the entry to an interrupt the
// register file writes the last two bits of mepc one clock after the core has switched to another register's number. Bits 31:30
// of mepc would then go to that other register, and mret would jump to a wrong address. `write_register` delays the number by
// that clock.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module cpu_serv #(
    parameter [31:0] RESET_VECTOR = `POSTROAD_RAM_BASE  // RAM, or the boot ROM of a board
) (
    input wire clk,
    input wire reset,

    // Bus master, see cpu_vexriscv.v. SERV asks for nothing in the clock of an acknowledge.
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
    localparam CSR_REGISTERS = 4;
    localparam FILE_WIDTH    = 2;   // bits of the register file's memory: one block RAM
    localparam FILE_ADDRESS  = 10;  // 36 registers of 32 bits

    wire        fetch_stb, data_stb, data_we;
    wire [31:0] fetch_adr, data_adr;
    wire [3:0]  data_sel;

    assign stb = (fetch_stb || data_stb) && !ack;
    assign we = data_we && !fetch_stb;
    assign adr = fetch_stb ? fetch_adr[31:2] : data_adr[31:2];
    assign sel = fetch_stb ? 4'b1111 : data_sel;

    wire                    write_request, read_request, file_ready, write_enable_0, write_enable_1, file_write;
    wire                    write_data_0, write_data_1, read_data_0, read_data_1;
    wire [5:0]              write_register_0, write_register_1, read_register_0, read_register_1;
    wire [FILE_ADDRESS-1:0] file_write_address, file_read_address;
    wire [FILE_WIDTH-1:0]   file_write_data, file_read_data;
    reg  [5:0]              write_register;

    always @(posedge clk)
        write_register <= write_register_1;

    serv_rf_ram_if #(.width(FILE_WIDTH), .reset_strategy("MINI"), .csr_regs(CSR_REGISTERS)) file_interface (
        .i_clk(clk), .i_rst(reset), .i_wreq(write_request), .i_rreq(read_request), .o_ready(file_ready),
        .i_wreg0(write_register_0), .i_wreg1(write_register), .i_wen0(write_enable_0), .i_wen1(write_enable_1),
        .i_wdata0(write_data_0), .i_wdata1(write_data_1), .i_rreg0(read_register_0), .i_rreg1(read_register_1),
        .o_rdata0(read_data_0), .o_rdata1(read_data_1), .o_waddr(file_write_address), .o_wdata(file_write_data),
        .o_wen(file_write), .o_raddr(file_read_address), .i_rdata(file_read_data)
    );

    serv_rf_ram #(.width(FILE_WIDTH), .csr_regs(CSR_REGISTERS)) register_file (
        .i_clk(clk), .i_waddr(file_write_address), .i_wdata(file_write_data), .i_wen(file_write),
        .i_raddr(file_read_address), .o_rdata(file_read_data)
    );

    /* verilator lint_off PINCONNECTEMPTY */  // the extension and multiplier ports
    serv_top #(.RESET_PC(RESET_VECTOR), .WITH_CSR(1)) core (
        .clk(clk), .i_rst(reset), .i_timer_irq(timer_interrupt),
        .o_rf_rreq(read_request), .o_rf_wreq(write_request), .i_rf_ready(file_ready), .o_wreg0(write_register_0),
        .o_wreg1(write_register_1), .o_wen0(write_enable_0), .o_wen1(write_enable_1), .o_wdata0(write_data_0),
        .o_wdata1(write_data_1), .o_rreg0(read_register_0), .o_rreg1(read_register_1), .i_rdata0(read_data_0),
        .i_rdata1(read_data_1), .o_ibus_adr(fetch_adr), .o_ibus_cyc(fetch_stb), .i_ibus_rdt(dat_r),
        .i_ibus_ack(ack && fetch_stb), .o_dbus_adr(data_adr), .o_dbus_dat(dat_w), .o_dbus_sel(data_sel),
        .o_dbus_we(data_we), .o_dbus_cyc(data_stb), .i_dbus_rdt(dat_r), .i_dbus_ack(ack && !fetch_stb),
        .o_ext_rs1(), .o_ext_rs2(), .o_ext_funct3(), .i_ext_rd(32'd0), .i_ext_ready(1'b0), .o_mdu_valid()
    );
    /* verilator lint_on PINCONNECTEMPTY */

    wire unused = &{1'b0, software_interrupt, fetch_adr[1:0], data_adr[1:0]};

endmodule

`default_nettype wire
