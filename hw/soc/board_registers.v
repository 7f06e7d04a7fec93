// board_registers: what only a site on a board has (block BOARD of registers.ini): its number, which firmware writes before it
// releases the fabric; the watchdog; the flash.
//
// All but `watched` and the state of the flash live from power-on to power-on, so that a restarted core finds the site as it was.
//
// What an image must not do, however it writes (boot.md, "Who may order what"):
//
//   core reset without START:   boots = 1    boot program and verifier; START and UNLOCK of CONTROL count
//        RESTART with START:    boots = 0    an image, up to the next core reset; they do not
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module board_registers #(
    parameter LINKS        = 4,   // links of the site
    parameter ADDRESS_BITS = 14,  // of a site's address
    parameter [2:0] INDEX  = 0    // of the site among those of the FPGA
) (
    input wire clk,
    input wire power_reset,
    input wire core_reset,

    // bus.v: request is 1 in one clock of an access; rdata is valid in that clock, and 0 without a request. Word access only.
    input  wire        request,
    input  wire        we,
    input  wire [7:2]  adr,
    input  wire [31:0] wdata,
    output wire [31:0] rdata,

    // Site record. Constant once fabric_runs is 1, but for the epoch.
    output reg [15:0]             site_number,
    output reg [LINKS-1:0]        links_connected,
    output reg [ADDRESS_BITS-1:0] site_address,
    output reg [15:0]             epoch,
    output reg                    fabric_runs,

    // core_restart
    output wire restart,
    output reg  watched,
    input  wire expired,

    // Flash: SPI mode 0. The shifter waits while the flash is selected and not granted.
    input  wire flash_granted,
    output wire flash_wanted,
    output reg  flash_select_n,
    output wire flash_clock,
    output wire flash_out,
    input  wire flash_in
);
    localparam [7:0] STATE = `POSTROAD_BOARD_STATE, SITE = `POSTROAD_BOARD_SITE, ADDRESS = `POSTROAD_BOARD_ADDRESS;
    localparam [7:0] EPOCH = `POSTROAD_BOARD_EPOCH, CONTROL = `POSTROAD_BOARD_CONTROL, FLASH = `POSTROAD_BOARD_FLASH;
    localparam [7:0] SHIFT = `POSTROAD_BOARD_SHIFT;

    reg kept;   // the flash is wanted though it is not selected
    reg loads;  // the last restart was requested: the boot program loads what it is sent, not what is in the flash
    reg boots;  // it did not order the start of an image: the core runs the boot program or the verifier
    reg start;  // it did, and STATE has not been read since: who jumps to the boot program later does not find it
    reg locked;

    wire        access  = request && !core_reset;
    wire        write   = access && we;
    wire        control = adr == CONTROL[7:2];
    wire        orders  = restart && wdata[3] && boots;
    wire        shifts  = adr == SHIFT[7:2];
    wire        busy, crc_zero;
    wire [31:0] shifted;

    assign restart = write && control && wdata[2];
    assign flash_wanted = kept || !flash_select_n;

    word_shifter shifter (
        .clk(clk), .reset(core_reset), .start(request && shifts), .load(we), .word_out(wdata), .word_in(shifted), .busy(busy),
        .hold(!flash_select_n && !flash_granted),
        .begins(write && adr == FLASH[7:2]), .first_byte(wdata[2]), .crc_zero(crc_zero),
        .flash_clock(flash_clock), .flash_out(flash_out), .flash_in(flash_in));

    always @(posedge clk)
        if (power_reset) begin
            fabric_runs <= 1'b0;
            loads <= 1'b0;
            boots <= 1'b1;
            start <= 1'b0;
            locked <= 1'b1;
        end else begin
            if (write && control) begin
                fabric_runs <= fabric_runs || wdata[0];
                locked <= locked && !(wdata[4] && boots);
            end
            if (restart || expired)
                {loads, boots, start} <= {restart, !orders, orders};
            else if (access && adr == STATE[7:2])
                start <= 1'b0;
        end

    always @(posedge clk)
        if (core_reset) begin
            watched <= 1'b0;
            flash_select_n <= 1'b1;
            kept <= 1'b0;
        end else begin
            if (write && control)
                watched <= wdata[1];
            if (write && adr == FLASH[7:2])
                {kept, flash_select_n} <= {wdata[1], !wdata[0]};
        end

    always @(posedge clk) begin
        if (write && adr == SITE[7:2])
            {links_connected, site_number} <= wdata[LINKS+15:0];
        if (write && adr == ADDRESS[7:2])
            site_address <= wdata[ADDRESS_BITS-1:0];
        if (write && adr == EPOCH[7:2])
            epoch <= wdata[15:0];
    end

    wire [31:0] state = {1'b1, 11'd0, INDEX, 9'd0, locked, start, busy, crc_zero, expired, loads, watched, fabric_runs};

    assign rdata = !request ? 32'd0 : adr == STATE[7:2] ? state : shifts ? shifted : 32'd0;

    wire unused = &{1'b0, wdata, STATE[1:0], SITE[1:0], ADDRESS[1:0], EPOCH[1:0], CONTROL[1:0], FLASH[1:0], SHIFT[1:0]};
endmodule

`default_nettype wire
