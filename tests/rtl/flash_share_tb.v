// flash_share_tb: sites that want the flash get it one at a time, the lowest number first, and keep it, selected or
// not; the flash is deselected for four clocks in between, and has the pins of the site that is granted.
// SPDX-License-Identifier: ISC
`default_nettype none

module flash_share_tb;
    `include "bench.vh"

    localparam SITES = 4;

    reg              clk = 1'b0;
    reg  [SITES-1:0] wanted = {SITES{1'b0}}, select_n = {SITES{1'b1}}, clocks = 0, outs = 0;
    wire [SITES-1:0] granted;
    wire             flash_select_n, flash_clock, flash_out;

    flash_share #(.SITES(SITES)) dut (
        .clk(clk), .wanted(wanted), .select_n(select_n), .clocks(clocks), .outs(outs), .granted(granted),
        .flash_select_n(flash_select_n), .flash_clock(flash_clock), .flash_out(flash_out));

    always #5 clk = !clk;

    integer s, owner, left, idle, served [0:SITES-1];
    reg [SITES-1:0] waiting;  // in the clock before

    // Of the sites that wait, is it the lowest?
    function lowest(input integer site, input [SITES-1:0] among);
        lowest = among[site] && (among & ((1 << site) - 1)) == 0;
    endfunction

    task look;
        begin
            if (owner >= 0) begin
                check(granted == 1 << owner, "a site keeps the flash");
                check(flash_select_n == select_n[owner], "the flash is selected when its site selects it");
                check(flash_clock == clocks[owner] && flash_out == outs[owner], "the flash has its pins");
            end else begin
                check(flash_select_n && !flash_clock && !flash_out, "the flash rests");
                idle = idle + 1;
            end
        end
    endtask

    task grant;
        for (s = 0; s < SITES; s = s + 1)
            if (owner < 0 && granted[s]) begin
                check(idle >= 4, "the flash is deselected for four clocks");
                check(lowest(s, waiting), "the lowest site that waits is next");
                owner = s;
                left = 1 + below(20);
                served[s] = served[s] + 1;
            end
    endtask

    integer round;
    initial begin
        begin_bench;
        {owner, left, idle} = {-32'd1, 32'd0, 32'd100};
        for (s = 0; s < SITES; s = s + 1) served[s] = 0;
        for (round = 0; round < 20000; round = round + 1) begin
            waiting = wanted;
            @(posedge clk) #1;
            grant;
            {clocks, outs} = $random(seed);
            for (s = 0; s < SITES; s = s + 1) begin
                if (percent(2)) wanted[s] = 1'b1;
                if (wanted[s]) select_n[s] = percent(30);
            end
            #1 look;
            if (owner >= 0) begin
                left = left - 1;
                if (left == 0) begin
                    {wanted[owner], select_n[owner]} = 2'b01;
                    #1 check(flash_select_n, "a site that no longer wants the flash deselects it");
                    {owner, idle} = {-32'd1, 32'd1};
                    {clocks, outs} = 0;
                    @(posedge clk) #1 waiting = 0;
                end
            end
            if (owner < 0) {clocks, outs} = 0;
        end
        for (s = 0; s < SITES; s = s + 1) check(served[s] > 50, "every site is served");
        verdict;
    end
endmodule

`default_nettype wire
