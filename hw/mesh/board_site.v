// board_site: a site and all that a board needs around it, without a vendor's cell: resets, serial console, boot program, flash,
// links.
//
//              clk, running
//                  |
//            power_on_reset ---> core_restart ---> reset of core and peripherals
//                  |                                   |
//   links === board_link ===== fabric -- restart_guard -- network_interface -- core -- RAM
//                                |                     site                      |
//            reset of fabric and links, until the boot       bus --+-- uart -- serial_uart -- pins
//            program has written the site record                  +-- board_registers -- flash
//                                                                 +-- boot_rom
//
// A link comes up once both ends have their site numbers: so what it has read of the far end then is true.
//
// running (button, PLL) ____/--------------------------------------------------------
// power-on reset        --------\____________________________________________________    11 us behind `running`, or more
// reset of the core     ----------\_______________________________/-\___________/-\__    16 clocks longer; again at the start of
//                                   boot program                     image | boot            an image, and by the watchdog
// fabric and link reset ---------------------\_______________________________________    until the site record has been written
//                                            site record
//
// hw/soc/boot.md: what happens from power-on to the first instruction in RAM.
//
// probe: with PROBES strobe_probe's pins, whose strobes LINK_MEMORY chooses. Else bit 2l: a word arrives at link l; bit 2l + 1: a
// word leaves by it. One clock each, for the first four links.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"
`include "straps.vh"

module board_site #(
    parameter WORD_WIDTH       = 16,          // these nine as the fabric's: from the .mesh
    parameter LINKS            = 4,
    parameter HYPERCUBE        = 0,
    parameter [31:0] OWN       = 0,
    parameter LINK_WIDTH       = WORD_WIDTH + 3,
    parameter DISCIPLINE       = 0,
    parameter [5:0] CAPABILITIES = 6'b000111,
    parameter DOWNSTREAM_DEPTH = 32,
    parameter UPSTREAM_DEPTH   = 64,
    parameter RAM_BYTES        = 65536,       // what the FPGA has and the firmware needs: a power of two
    parameter [63:0] CPU       = "vexriscv",  // "serv": a fifth of the cells, a fifteenth of the speed
    parameter CLOCK_HZ         = 12000000,    // of clk
    parameter BAUD             = 1000000,     // of the serial console
    parameter LINK_RATIO       = 1,           // link_clk / clk: 1, 2 or 4
    parameter PROBES           = 0,           // probe pins with strobes to choose from, of a mesh with [links] probe: up to 8
    parameter EAGER_LINKS      = 0,           // 1: words leave while they arrive, for three times the cells (board_link/eager.md)
    // Of the mesh; constants of the bitstream. Number, address, links and epoch of the site come from its site record.
    parameter [`POSTROAD_STRAPS-1:0] MESH_STRAPS = 0,
    parameter IMAGE            = "",          // readmemh file: what RAM holds at power-on (block RAM only)
    parameter BOOT_IMAGE       = "",          // readmemh file of the boot ROM; "": no ROM, the core starts in RAM
    parameter ROM_BYTES        = 4096,        // size of the boot ROM, a power of two
    parameter CONSOLE_DEPTH    = 512,         // bytes the console's input may run ahead of the core
    parameter WATCHDOG_BITS    = 23,          // the watchdog's unit of time is 2^WATCHDOG_BITS clocks
    // Several sites in one FPGA
    parameter [LINKS-1:0] CHIP_LINKS = 0,     // a bit a link: it leads to another site of the FPGA, not to a cable
    parameter [2:0] INDEX      = 0            // which site of the FPGA: this chooses its image in the flash
) (
    input wire clk,
    input wire link_clk,  // LINK_RATIO times clk, edges aligned; clk itself where the ratio is 1
    input wire running,   // asynchronous: 0 while a PLL is unlocked or a reset button is pressed

    // Serial console: 8N1, idle 1; uart_rx is asynchronous.
    input  wire uart_rx,
    output wire uart_tx,

    // Links: one wire each way, idle 0. Link l is port l + 1 of the fabric.
    input  wire [LINKS-1:0] line_in,
    output wire [LINKS-1:0] line_out,
    output wire [LINKS-1:0] line_drives,  // 0: the pin of line_out is an input (line_access.v)
    input  wire [LINKS-1:0] line_pin,     // the level of that pin

    // Links of CHIP_LINKS: the contract of fabric.v, and whether the neighbour's fabric is in reset. Inputs of other links are 0.
    input  wire [LINKS*(WORD_WIDTH+3)-1:0] chip_in,
    output wire [LINKS-1:0]                chip_in_wait,
    output wire [LINKS*(WORD_WIDTH+3)-1:0] chip_out,
    input  wire [LINKS-1:0]                chip_out_wait,
    input  wire [LINKS-1:0]                chip_in_reset,
    output wire                            fabric_reset,

    // Flash: SPI mode 0. Without a flash, flash_in is tied to 1. flash_granted: from flash_share; 1 where no other site has it.
    // flash_wanted: flash_share's; not connected where no other site has the flash.
    input  wire flash_granted,
    output wire flash_wanted,
    output wire flash_select_n,
    output wire flash_clock,
    output wire flash_out,
    input  wire flash_in,

    // LEDs. traffic: a word has moved. alive: firmware has started, and has not ended its run.
    output wire [LINKS-1:0] link_up,
    output wire             traffic,
    output wire             alive,

    // Logic analyser.
    output wire [7:0] probe
);
    localparam [3:0] EVEN   = 4'b0101;
    localparam COORD_WIDTH  = WORD_WIDTH == 32 ? `POSTROAD_SITE_COORD_WIDTH_32 : `POSTROAD_SITE_COORD_WIDTH_16;
    localparam ADDRESS_BITS = 2 * COORD_WIDTH;
    localparam [31:0] LINK_BASE = `POSTROAD_LINK_BASE, BOARD_BASE = `POSTROAD_BOARD_BASE, ROM_BASE = `POSTROAD_ROM_BASE;
    localparam [3:0]  LINK_PAGE = LINK_BASE[15:12], BOARD_PAGE = BOARD_BASE[15:12], ROM_PAGE = ROM_BASE[15:12];
    localparam [31:0] RESET_VECTOR = BOOT_IMAGE == "" ? `POSTROAD_RAM_BASE : `POSTROAD_ROM_BASE;

    // Resets
    wire power_reset, core_reset, restart, watched, expired, ni_access, finished, fabric_runs;
    assign fabric_reset = power_reset || !fabric_runs;
    wire tick;

    power_on_reset #(.CLOCK_HZ(CLOCK_HZ)) power_on (.clk(clk), .running(running), .reset(power_reset));

    core_restart core_restart (
        .clk(clk), .power_reset(power_reset), .restart(restart), .watched(watched), .alive(ni_access), .tick(tick),
        .core_reset(core_reset), .expired(expired));

    // Clocks since power-on, with half the chain of carries.
    reg [63:0] now;
    reg        low_full, slow_bit;

    always @(posedge clk) begin
        if (power_reset) begin
            now <= 64'd0;
            low_full <= 1'b0;
        end else begin
            now <= {now[63:32] + {31'd0, low_full}, now[31:0] + 32'd1};
            low_full <= now[31:0] == ~32'd1;
        end
        slow_bit <= now[WATCHDOG_BITS-1];
    end

    assign tick = slow_bit && !now[WATCHDOG_BITS-1];

    // Straps: those of the mesh, and the site record. Of the links that the record names, those whose cable is up are connected:
    // only the node ID block has them, for the host to find out.
    wire [15:0]             site_number, epoch;
    wire [LINKS-1:0]        links_connected, link_down;
    wire [ADDRESS_BITS-1:0] site_address;
    reg  [`POSTROAD_STRAPS-1:0] straps;

    always @* begin
        straps = MESH_STRAPS;
        straps[`POSTROAD_STRAP_SITE_NUMBER]     = site_number;
        straps[`POSTROAD_STRAP_SITE_ADDRESS]    = {{32-ADDRESS_BITS{1'b0}}, site_address};
        straps[`POSTROAD_STRAP_LINKS_CONNECTED] = {{16-LINKS{1'b0}}, links_connected & ~link_down};
        straps[`POSTROAD_STRAP_EPOCH]           = epoch;
    end

    // Links
    wire [LINKS*LINK_WIDTH-1:0] link_in, link_out, cable_in;
    wire [LINKS-1:0]            link_in_wait, link_out_wait, cable_out_wait, cable_down, hears, calls, meets;
    wire [31:0]                 link_rdata;
    wire [31:0]                 meets_rdata = {{12-LINKS{1'b0}}, meets & link_down, 20'd0};

    generate
        if (WORD_WIDTH != 16 || LINKS > 4 || (EAGER_LINKS != 0 && LINKS != 4)) begin : bad_link
            links_of_boards_are_four_of_16_bits only ();
        end else if (EAGER_LINKS == 0) begin : one_engine
            board_link #(.LINKS(LINKS), .RATIO(LINK_RATIO), .PORT_FLIP(HYPERCUBE != 0 ? 0 : 1)) board_link (
                .clk(link_clk), .reset(fabric_reset), .fabric_reset(fabric_reset), .line_in(line_in), .line_out(line_out),
                .link_out(link_out), .link_out_wait(cable_out_wait), .link_in(cable_in), .link_in_wait(link_in_wait),
                .link_down(cable_down), .hears(hears), .site_number(site_number),
                .request(to_links), .we(board_we), .wdata(board_wdata[7:0]), .rdata(link_rdata));
        end else begin : eager
            eager_links #(.RATIO(LINK_RATIO), .PORT_FLIP(HYPERCUBE != 0 ? 0 : 1)) eager_links (
                .clk(link_clk), .reset(fabric_reset), .fabric_reset(fabric_reset), .line_in(line_in), .line_out(line_out),
                .link_out(link_out), .link_out_wait(cable_out_wait), .link_in(cable_in), .link_in_wait(link_in_wait),
                .link_down(cable_down), .hears(hears), .site_number(site_number), .site_address(site_address),
                .request(to_links), .we(board_we), .wdata(board_wdata[7:0]), .rdata(link_rdata));
        end
    endgenerate

    // Of a cable's two ends, that of the even link calls; on a hypercube, where both have one number, that of the lower site.
    generate
        if (HYPERCUBE != 0) begin : across
            assign calls = ~site_number[LINKS-1:0] & ~CHIP_LINKS;
        end else begin : along
            assign calls = EVEN[LINKS-1:0] & ~CHIP_LINKS;
        end
    endgenerate

    line_access #(.LINKS(LINKS)) line_access (
        .clk(link_clk), .reset(fabric_reset), .calls(calls), .hears(hears & ~CHIP_LINKS), .up(~cable_down), .line(line_out),
        .pin(line_pin), .drives(line_drives), .meets(meets));

    // A neighbour in the same FPGA may be in reset alone, so there is a guard in front of the fabric's inputs.
    genvar c;
    generate
        for (c = 0; c < LINKS; c = c + 1) begin : way
            if (CHIP_LINKS[c]) begin : chip
                link_guard #(.WORD_WIDTH(WORD_WIDTH)) guard (
                    .clk(clk), .sender_reset(chip_in_reset[c]), .word_in(chip_in[c*LINK_WIDTH +: LINK_WIDTH]),
                    .wait_in(chip_in_wait[c]), .link_down(1'b0), .damaged(1'b0), .receiver_reset(fabric_reset),
                    .word_out(link_in[c*LINK_WIDTH +: LINK_WIDTH]), .wait_out(link_in_wait[c]));

                assign link_out_wait[c] = chip_out_wait[c];
                assign link_down[c] = chip_in_reset[c];
            end else begin : cable
                assign link_in[c*LINK_WIDTH +: LINK_WIDTH] = cable_in[c*LINK_WIDTH +: LINK_WIDTH];
                assign link_out_wait[c] = cable_out_wait[c];
                assign link_down[c] = cable_down[c];
                assign chip_in_wait[c] = 1'b0;
            end
        end
    endgenerate

    assign chip_out = link_out;
    assign link_up = ~link_down;

    // Site
    wire        board_request, board_we, console_in_valid, console_in_ready, console_out_valid, console_out_ready;
    wire [15:2] board_adr;
    wire [31:0] board_wdata, registers_rdata, rom_rdata, finish_status;
    wire [7:0]  console_in, console_out;
    wire [63:0] wake_time;
    wire [2:0]  handed_tag;
    wire        quiet, handed_wait, to_pins;
    wire [31:0] pin_rdata;
    wire        to_registers = board_request && board_adr[15:12] == BOARD_PAGE;
    wire        to_links     = board_request && board_adr[15:12] == LINK_PAGE;

    site #(
        .WORD_WIDTH(WORD_WIDTH), .LINKS(LINKS), .LINK_WIDTH(LINK_WIDTH), .DISCIPLINE(DISCIPLINE),
        .CAPABILITIES(CAPABILITIES), .HYPERCUBE(HYPERCUBE), .OWN(OWN), .DOWNSTREAM_DEPTH(DOWNSTREAM_DEPTH),
        .UPSTREAM_DEPTH(UPSTREAM_DEPTH),
        .RAM_BYTES(RAM_BYTES), .CPU(CPU), .IMAGE(IMAGE), .BOARD(1), .RESET_VECTOR(RESET_VECTOR)
    ) site (
        .clk(clk), .fabric_clk(clk), .reset(fabric_reset), .core_reset(core_reset), .straps(straps), .now(now),
        .wake_time(wake_time), .link_in(link_in), .link_in_wait(link_in_wait), .link_out(link_out),
        .link_out_wait(link_out_wait), .link_down(link_down),
        .uart_rx_valid(console_in_valid), .uart_rx(console_in), .uart_rx_ready(console_in_ready),
        .uart_tx_valid(console_out_valid), .uart_tx(console_out), .uart_tx_ready(console_out_ready),
        .finished(finished), .finish_status(finish_status), .board_request(board_request), .board_we(board_we),
        .board_adr(board_adr), .board_wdata(board_wdata),
        .board_rdata(registers_rdata | ((to_pins ? pin_rdata : link_rdata | meets_rdata) & {32{to_links}})),
        .rom_rdata(rom_rdata), .alive(ni_access), .handed_tag(handed_tag), .handed_wait(handed_wait), .quiet(quiet)
    );

    serial_uart #(.CLOCK_HZ(CLOCK_HZ), .BAUD(BAUD), .DEPTH(CONSOLE_DEPTH)) console (
        .clk(clk), .reset(power_reset), .rx(uart_rx), .tx(uart_tx),
        .in_valid(console_in_valid), .in_byte(console_in), .in_ready(console_in_ready),
        .out_valid(console_out_valid), .out_byte(console_out), .out_ready(console_out_ready)
    );

    board_registers #(.LINKS(LINKS), .ADDRESS_BITS(ADDRESS_BITS), .INDEX(INDEX)) registers (
        .clk(clk), .power_reset(power_reset), .core_reset(core_reset), .request(to_registers), .we(board_we),
        .adr(board_adr[7:2]), .wdata(board_wdata), .rdata(registers_rdata),
        .site_number(site_number), .links_connected(links_connected), .site_address(site_address), .epoch(epoch),
        .fabric_runs(fabric_runs), .restart(restart), .watched(watched), .expired(expired),
        .flash_granted(flash_granted), .flash_wanted(flash_wanted), .flash_select_n(flash_select_n),
        .flash_clock(flash_clock), .flash_out(flash_out),
        .flash_in(flash_in)
    );

    generate
        if (BOOT_IMAGE == "") begin : starts_in_ram
            assign rom_rdata = 32'd0;
        end else begin : starts_in_rom
            boot_rom #(.BYTES(ROM_BYTES), .IMAGE(BOOT_IMAGE)) rom (
                .clk(clk), .request(board_request && board_adr[15:12] == ROM_PAGE), .adr(board_adr[$clog2(ROM_BYTES)-1:2]),
                .rdata(rom_rdata));
        end
    endgenerate

    // What can be seen from outside
    wire [7:0] seen;
    reg  [7:0] shown;
    reg        moved, moved_now;  // since the last tick but one, since the last one

    genvar l;
    generate
        for (l = 0; l < 4; l = l + 1) begin : channel
            if (l < LINKS) begin : used
                assign seen[2*l]     = |link_in[l*LINK_WIDTH + WORD_WIDTH +: 3] && !link_in_wait[l];
                assign seen[2*l + 1] = |link_out[l*LINK_WIDTH + WORD_WIDTH +: 3] && !link_out_wait[l];
            end else begin : absent
                assign seen[2*l +: 2] = 2'b00;
            end
        end
    endgenerate

    always @(posedge clk) begin
        shown <= fabric_reset ? 8'd0 : seen;
        if (power_reset)
            {moved, moved_now} <= 2'b00;
        else if (tick)
            {moved, moved_now} <= {moved_now, 1'b0};
        else if (|shown)
            {moved, moved_now} <= 2'b11;
    end

    generate
        if (PROBES == 0) begin : words
            assign probe = shown;
            assign {to_pins, pin_rdata} = 33'd0;
            wire unused_here = &{1'b0, handed_tag, handed_wait};
        end else begin : strobes
            // Tags and waits of the fabric's five ports; those of links that this site does not have are 0.
            wire [14:0]       tags;
            wire [4:0]        waits;
            wire [PROBES-1:0] pins;

            assign {tags[2:0], waits[0]} = {handed_tag, handed_wait};
            for (l = 0; l < 4; l = l + 1) begin : port
                if (l < LINKS) begin : used
                    assign tags[3*l + 3 +: 3] = link_out[l*LINK_WIDTH + WORD_WIDTH +: 3];
                    assign waits[l + 1] = link_out_wait[l];
                end else begin : absent
                    assign {tags[3*l + 3 +: 3], waits[l + 1]} = 4'd0;
                end
            end

            strobe_probe #(.PINS(PROBES)) strobe_probe (
                .clk(clk), .reset(fabric_reset), .tags(tags), .waits(waits), .choose(to_links && board_we),
                .row(board_wdata[7:0]), .shown(to_pins), .value(pin_rdata[15:0]), .pins(pins));

            assign pin_rdata[31:16] = {1'b1, link_rdata[30:16]};
            for (l = 0; l < 8; l = l + 1) begin : pin
                if (l < PROBES) begin : used
                    assign probe[l] = pins[l];
                end else begin : absent
                    assign probe[l] = 1'b0;
                end
            end
        end
    endgenerate

    assign traffic = moved;
    assign alive = watched && !finished;

    wire unused = &{1'b0, chip_in, chip_out_wait, chip_in_reset, cable_in, cable_out_wait, cable_down, board_adr,
                     ROM_PAGE, wake_time, finish_status, quiet, LINK_BASE, BOARD_BASE, ROM_BASE};
endmodule

`default_nettype wire
