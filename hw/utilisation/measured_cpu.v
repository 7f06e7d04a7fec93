// What is measured as `cpu`: a core with its socket and register file, without RAM and bus.
// SPDX-License-Identifier: ISC
`default_nettype none

module measured_cpu #(
    parameter WORD_WIDTH = 32,          // of the core
    parameter SERV = 0,  // 0: VexRiscv Min
    parameter IN  = 36,   // follow from the above: not to be set
    parameter OUT = 68
) (
    input  wire           clk,
    input  wire [IN-1:0]  in,
    output wire [OUT-1:0] out
);
    wire        stb, we;
    wire [31:2] adr;
    wire [31:0] dat_w;
    wire [3:0]  sel;

    generate
        if (SERV != 0) begin : serv
            cpu_serv core (
                .clk(clk), .reset(in[0]), .stb(stb), .we(we), .adr(adr), .dat_w(dat_w), .sel(sel), .dat_r(in[35:4]),
                .ack(in[1]), .timer_interrupt(in[2]), .software_interrupt(in[3]));
        end else begin : vexriscv
            cpu_vexriscv core (
                .clk(clk), .reset(in[0]), .stb(stb), .we(we), .adr(adr), .dat_w(dat_w), .sel(sel), .dat_r(in[35:4]),
                .ack(in[1]), .timer_interrupt(in[2]), .software_interrupt(in[3]));
        end
    endgenerate

    wire unused = &{1'b0, WORD_WIDTH == 0};
    assign out = {stb, we, adr, dat_w, sel};
endmodule

`default_nettype wire
