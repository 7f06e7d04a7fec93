// ecp5_clocks: the clocks of a board with an ECP5 and an oscillator of 25 MHz: the site's, 25 MHz, and the links', 50 MHz, whose
// edges are aligned. A bit of a link takes four of its clocks: 12.5 Mbit/s.
//
// The settings of the PLL are those that `ecppll -i 25 -o 50 --clkout1 25` (Project Trellis) finds: VCO 600 MHz, feedback from
// CLKOP, both outputs in phase.
// SPDX-License-Identifier: ISC
`default_nettype none

module ecp5_clocks (
    input  wire oscillator,     // 25 MHz
    output wire clk,            // 25 MHz
    output wire link_clk,       // 50 MHz
    output wire running         // asynchronous: the clocks are stable
);
    // Its other inputs do nothing with these settings.
    // verilator lint_off PINMISSING
    (* ICP_CURRENT = "12", LPF_RESISTOR = "8", MFG_ENABLE_FILTEROPAMP = "1", MFG_GMCREF_SEL = "2" *)
    EHXPLLL #(
        .CLKI_DIV(1), .CLKFB_DIV(2), .FEEDBK_PATH("CLKOP"),
        .CLKOP_ENABLE("ENABLED"), .CLKOP_DIV(12), .CLKOP_CPHASE(5), .CLKOP_FPHASE(0),
        .CLKOS_ENABLE("ENABLED"), .CLKOS_DIV(24), .CLKOS_CPHASE(5), .CLKOS_FPHASE(0),
        .OUTDIVIDER_MUXA("DIVA"), .OUTDIVIDER_MUXB("DIVB"), .OUTDIVIDER_MUXC("DIVC"), .OUTDIVIDER_MUXD("DIVD"),
        .PLLRST_ENA("DISABLED"), .INTFB_WAKE("DISABLED"), .STDBY_ENABLE("DISABLED"), .DPHASE_SOURCE("DISABLED")
    ) pll (.CLKI(oscillator), .CLKFB(link_clk), .CLKOP(link_clk), .CLKOS(clk), .LOCK(running));
    // verilator lint_on PINMISSING
endmodule

`default_nettype wire
