// board_registers with core_restart: what the boot program may order, and an image may not (hw/soc/boot.md), under any
// accesses at any time, those between a request and its reset too. What the core runs is told here from outside: behind a
// reset an image, if that reset was ordered by START while none ran; else the boot program.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module image_order_proof (
    input wire        clk,
    input wire        power_reset,
    input wire        request,
    input wire        we,
    input wire [7:2]  adr,
    input wire [31:0] wdata,
    input wire        alive,
    input wire        tick,
    input wire        flash_granted,
    input wire        flash_in
);
    localparam [7:0] STATE = `POSTROAD_BOARD_STATE, CONTROL = `POSTROAD_BOARD_CONTROL;
    localparam       RESTART = 2, START = 3, UNLOCK = 4;        // in CONTROL
    localparam       STATE_START = 6, STATE_LOCKED = 7;

    wire        core_reset, expired, restart, watched;
    wire [31:0] rdata;

    core_restart core_restart (
        .clk(clk), .power_reset(power_reset), .restart(restart), .watched(watched), .alive(alive), .tick(tick),
        .core_reset(core_reset), .expired(expired));

    board_registers registers (
        .clk(clk), .power_reset(power_reset), .core_reset(core_reset), .request(request), .we(we), .adr(adr), .wdata(wdata),
        .rdata(rdata), .restart(restart), .watched(watched), .expired(expired), .flash_granted(flash_granted),
        .flash_in(flash_in));

    reg started = 1'b0;
    reg ordered;          // the last request of a reset was the order of an image, by the boot program
    reg image;            // the core runs an image, or will behind this reset
    reg looked;           // STATE was read since the last reset
    reg unlocked;         // the boot program has unlocked the board since power-on

    wire runs      = started && !core_reset;
    wire of_state  = request && adr == STATE[7:2];
    wire writes    = runs && request && we && adr == CONTROL[7:2];

    always @(posedge clk) begin
        started <= 1'b1;
        if (!started) assume (power_reset);
        if (power_reset) begin
            {ordered, image, looked, unlocked} <= 4'b0000;
        end else begin
            if (writes && wdata[RESTART]) ordered <= wdata[START] && !image;
            if (core_reset) image <= ordered && !expired;
            looked <= !core_reset && (looked || of_state);
            if (writes && wdata[UNLOCK] && !image) unlocked <= 1'b1;
        end
        if (runs && of_state) begin
            assert (rdata[STATE_START] == (image && !looked));
            assert (rdata[STATE_LOCKED] == !unlocked);
        end
        cover (runs && image && unlocked);
        cover (runs && of_state && !rdata[STATE_START] && image);
        cover (runs && expired && !image && unlocked);
    end
endmodule

`default_nettype wire
