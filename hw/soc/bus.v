// Address decoder of a site: one core, its RAM port, the network_interface and four small peripherals.
//
//   core --+-- adr[31] = 1 --> ram_arbiter      acknowledged in the clock behind; more while the network_interface moves words
//          +-- 0x1001xxxx  --> network_interface, which acknowledges by itself and may thus stall the core
//          +-- the others  --> uart, clint, finisher, node_id, and on a board its registers and boot ROM: in the clock behind
//
// In the clock of an acknowledge the core may ask for the next access.
// An unmapped address reads 0, and a write to it is acknowledged and ignored, so that no access hangs.
// Cost: 34 flops, a 6:1 multiplexer for reads.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module bus (
    input wire clk,
    input wire reset,

    // Core socket, see cpu_vexriscv.v.
    input  wire        stb,
    input  wire        we,
    input  wire [31:2] adr,
    output wire [31:0] dat_r,
    output wire        ack,

    // RAM: request until granted; ram_rdata is valid in the clock after the grant.
    output wire        ram_request,
    input  wire        ram_granted,
    input  wire [31:0] ram_rdata,

    // network_interface: Wishbone classic slave. Address, data and byte lanes come from the core. ni_ack comes from a flop, and
    // only after a request. ni_dat_r is 0 except in the clock in which a read is acknowledged.
    output wire        ni_stb,
    input  wire [31:0] ni_dat_r,
    input  wire        ni_ack,

    // Small peripherals: request is 1 in exactly one clock of an access; rdata is valid in that clock.
    output wire        uart_request,
    input  wire [31:0] uart_rdata,
    output wire        clint_request,
    input  wire [31:0] clint_rdata,
    output wire        finisher_request,
    input  wire [31:0] id_rdata,

    // Blocks of a board, 0x1020xxxx. board_rdata is valid with the request as well; rom_rdata is 0 except in the clock after a
    // request that reads the boot ROM.
    output wire        board_request,
    input  wire [31:0] board_rdata,
    input  wire [31:0] rom_rdata,

    // 1: the core has ended its run. Accesses to small peripherals are then never acknowledged.
    input  wire        halt
);
    localparam [31:0] NI_BASE       = `POSTROAD_NI_BASE;
    localparam [31:0] UART_BASE     = `POSTROAD_UART_BASE;
    localparam [31:0] CLINT_BASE    = `POSTROAD_CLINT_BASE;
    localparam [31:0] FINISHER_BASE = `POSTROAD_FINISHER_BASE;
    localparam [31:0] ID_BASE       = `POSTROAD_ID_BASE;
    localparam [31:0] LINK_BASE     = `POSTROAD_LINK_BASE;

    wire ram = adr[31];
    wire ni = adr[31:12] == NI_BASE[31:12];
    wire uart = adr[31:8] == UART_BASE[31:8];
    wire clint = adr[31:16] == CLINT_BASE[31:16];
    wire finisher = adr[31:12] == FINISHER_BASE[31:12];
    wire id = adr[31:12] == ID_BASE[31:12];
    wire board = adr[31:16] == LINK_BASE[31:16];

    reg        ram_ack;    // the RAM was granted in the clock before
    reg        small_ack;  // a small peripheral got a request in the clock before
    reg [31:0] rdata;

    wire small_request = stb && !ram && !ni && !halt;

    assign ram_request = stb && ram;
    assign ni_stb = stb && ni;
    assign uart_request = small_request && uart;
    assign clint_request = small_request && clint;
    assign finisher_request = small_request && finisher;
    assign board_request = small_request && board;

    always @(posedge clk)
        if (reset) begin
            ram_ack <= 1'b0;
            small_ack <= 1'b0;
        end else begin
            ram_ack <= ram_request && ram_granted;
            small_ack <= small_request;
        end

    always @(posedge clk)
        if (small_request && !we)
            rdata <= uart ? uart_rdata : clint ? clint_rdata : id ? id_rdata : board ? board_rdata : 32'd0;
        else
            rdata <= 32'd0;

    // ack and read data come from flops alone, because the core's address and its acknowledge are both long paths. All three
    // sources acknowledge a request of an earlier clock; the core holds its access until then.
    assign dat_r = (ram_ack ? ram_rdata : 32'd0) | ni_dat_r | rdata | rom_rdata;
    assign ack = ram_ack || (small_ack && !halt) || ni_ack;

    wire unused = &{1'b0, adr[7:2], NI_BASE[11:0], UART_BASE[7:0], CLINT_BASE[15:0], FINISHER_BASE[11:0],
                    ID_BASE[11:0], LINK_BASE[15:0]};

endmodule

`default_nettype wire
