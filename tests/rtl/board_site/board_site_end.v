// A board_site and, at the far end of its first link, a board_link whose words the bench sends and takes. The same far end is
// cabled to the site's north, too, so that packets can come in that leave by the first link.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "straps.vh"

module board_site_end #(
    parameter [63:0] CPU = "vexriscv",
    parameter [`POSTROAD_STRAPS-1:0] MESH_STRAPS = 0,
    parameter BOOT_IMAGE = "",
    parameter EAGER_LINKS = 0,
    parameter WATCHDOG_BITS = 20,
    parameter [2:0] INDEX = 3
) (
    input  wire        clk,
    input  wire        running,
    input  wire        uart_rx,
    output wire        uart_tx,
    output wire        flash_select_n,
    output wire        flash_clock,
    output wire        flash_out,
    input  wire        flash_in,
    output wire        link_up,
    output wire        alive,
    output wire        fabric_runs,
    output wire        locked,     // the boot program has not unlocked the board
    output wire [15:0] epoch,
    output wire        sends,      // the core has a word for the fabric

    // RAM: word ram_at, which becomes ram_in with ram_we, as noise at power-on does.
    input  wire [13:0] ram_at,
    input  wire        ram_we,
    input  wire [31:0] ram_in,
    output wire [31:0] ram_word,

    // The far end of link 0: a link of the fabric. cable: 0: its cable is unplugged.
    input  wire        cable,
    input  wire        by_north,   // `send` goes to the site's north link
    input  wire [18:0] send,
    output wire        send_wait,
    output wire [18:0] receive,
    output wire        far_up,
    input  wire        asks,       // chooses the row of LINK_MEMORY that far_memory then shows
    input  wire [7:0]  row,
    output wire [31:0] far_memory
);
    localparam FAR = 1;        // link 0 is cabled to link 1
    localparam FAR_NORTH = 3;  // link 2 is cabled to link 3

    wire [3:0]  lines, line_drives, far_line_out, ups, far_down, far_wait;
    wire [3:0]  line_out = lines & line_drives;  // a wire that nothing drives is 0
    wire [75:0] far_in;
    wire        fabric_reset;
    reg         far_reset = 1'b1;

    always @(posedge clk)
        far_reset <= 1'b0;

    /* verilator lint_off PINCONNECTEMPTY */
    board_site #(
        .CPU(CPU), .MESH_STRAPS(MESH_STRAPS), .BOOT_IMAGE(BOOT_IMAGE), .EAGER_LINKS(EAGER_LINKS), .WATCHDOG_BITS(WATCHDOG_BITS),
        .INDEX(INDEX)
    ) site (
        .clk(clk), .link_clk(clk), .running(running), .uart_rx(uart_rx), .uart_tx(uart_tx),
        .line_in({1'b0, far_line_out[FAR_NORTH] && cable, 1'b0, far_line_out[FAR] && cable}), .line_out(lines),
        .line_drives(line_drives), .line_pin(line_out),
        .chip_in(76'd0), .chip_in_wait(), .chip_out(), .chip_out_wait(4'd0), .chip_in_reset(4'd0), .fabric_reset(fabric_reset),
        .flash_granted(1'b1), .flash_wanted(), .flash_select_n(flash_select_n), .flash_clock(flash_clock),
        .flash_out(flash_out), .flash_in(flash_in), .link_up(ups), .traffic(), .alive(alive), .probe());

    board_link far (
        .clk(clk), .reset(far_reset), .fabric_reset(far_reset),
        .line_in({line_out[2] && cable, 1'b0, line_out[0] && cable, 1'b0}), .line_out(far_line_out),
        .link_out({by_north ? send : 19'd0, 19'd0, by_north ? 19'd0 : send, 19'd0}), .link_out_wait(far_wait),
        .link_in(far_in), .link_in_wait(4'd0), .hears(), .link_down(far_down),
        .site_number(16'd6), .request(1'b1), .we(asks), .wdata(row), .rdata(far_memory));
    /* verilator lint_on PINCONNECTEMPTY */

    assign ram_word = site.site.ram.memory[ram_at];

    always @(posedge clk)
        if (ram_we)
            site.site.ram.memory[ram_at] <= ram_in;

    assign fabric_runs = !fabric_reset;
    assign locked = site.registers.locked;
    assign epoch = site.epoch;
    assign sends = site.site.sent != 0;
    assign link_up = ups[0] && ups[2];
    assign far_up = !far_down[FAR] && !far_down[FAR_NORTH];
    assign send_wait = far_wait[by_north ? FAR_NORTH : FAR];
    assign receive = far_in[19*FAR +: 19];

    wire unused = &{1'b0, line_out, far_line_out, ups, far_down, far_wait, far_in};
endmodule

`default_nettype wire
