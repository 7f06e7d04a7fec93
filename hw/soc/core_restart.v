// core_restart: the reset of core, bus, network_interface and peripherals, apart from that of the fabric.
//
//   cause            what happens
//   power_reset      reset as long as that one, and CLOCKS more
//   restart          reset for CLOCKS, from the next clock on: the core makes no access in between
//   watchdog         the same, when `alive` has not been 1 for two to three ticks although `watched`
//
// expired: the watchdog was the last cause. Cost: 8 flops.
// SPDX-License-Identifier: ISC
`default_nettype none

module core_restart (
    input wire clk,
    input wire power_reset,

    input wire restart,  // 1 for one clock: firmware requests it
    input wire watched,  // the watchdog is on
    input wire alive,    // the core does what a core in good health does
    input wire tick,     // 1 for one clock now and then: the unit of the watchdog's time

    output reg core_reset,
    output reg expired
);
    localparam [3:0] CLOCKS = 4'd15;

    reg [3:0] left;   // clocks of the reset that are left
    reg [1:0] ticks;  // since alive

    initial core_reset = 1'b1;  // in the first clock too, in which flops of the core hold anything

    wire expires = ticks == 2'd3;

    always @(posedge clk)
        if (power_reset) begin
            left <= CLOCKS;
            core_reset <= 1'b1;
            expired <= 1'b0;
            ticks <= 2'd0;
        end else begin
            if (restart || expires) begin
                left <= CLOCKS;
                expired <= expires;
            end else if (left != 4'd0)
                left <= left - 4'd1;
            core_reset <= restart || expires || left != 4'd0;
            ticks <= !watched || alive || expires ? 2'd0 : ticks + {1'b0, tick};
        end

`ifdef FORMAL
    // Every reset ends, and lasts long enough for a core; it has one of the three causes.
    reg       past_valid = 1'b0;
    reg [4:0] clocks;       // since a cause
    wire      cause = power_reset || restart || expires;

    always @(posedge clk) begin
        past_valid <= 1'b1;
        if (!past_valid) assume (power_reset);
        clocks <= cause ? 5'd0 : clocks + {4'd0, clocks != 5'd31};
        if (past_valid) begin
            assert ({1'b0, left} == (clocks < 5'd15 ? 5'd15 - clocks : 5'd0));
            assert (core_reset == (clocks <= 5'd15));
            if ($past(expires) && !$past(power_reset)) assert (expired && ticks == 2'd0);
            if (!$past(watched) || $past(alive)) assert (ticks == 2'd0);
            cover (expired && core_reset);
        end
    end
`endif
endmodule

`default_nettype wire
