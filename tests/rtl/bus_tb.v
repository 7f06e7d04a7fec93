// bus_tb: random accesses all over the map against RAM and a network_interface that answer late and small peripherals:
// every access reaches the one block it names, exactly once, is acknowledged exactly once, and a read gets that block's
// data. Off the map reads 0. After halt nothing but RAM and network_interface answers.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module bus_tb;
    `include "bench.vh"

    localparam [2:0] RAM = 0, NI = 1, UART = 2, CLINT = 3, FINISHER = 4, ID = 5, BOARD = 6, NONE = 7;

    reg clk = 1'b0, reset = 1'b1, stb = 1'b0, we = 1'b0, halt = 1'b0;
    reg [31:2] adr = 30'd0;
    wire [31:0] dat_r;
    wire ack, ram_request, ni_stb, uart_request, clint_request, finisher_request, board_request;
    reg  ram_granted = 1'b0, ni_ack = 1'b0;
    reg [31:0] ram_rdata = 0, ni_dat_r = 0, uart_rdata = 0, clint_rdata = 0, id_rdata = 0, board_rdata = 0, rom_rdata = 0;

    bus dut (
        .clk(clk), .reset(reset), .stb(stb), .we(we), .adr(adr), .dat_r(dat_r), .ack(ack),
        .ram_request(ram_request), .ram_granted(ram_granted), .ram_rdata(ram_rdata),
        .ni_stb(ni_stb), .ni_dat_r(ni_dat_r), .ni_ack(ni_ack), .uart_request(uart_request), .uart_rdata(uart_rdata),
        .clint_request(clint_request), .clint_rdata(clint_rdata), .finisher_request(finisher_request),
        .id_rdata(id_rdata), .board_request(board_request), .board_rdata(board_rdata), .rom_rdata(rom_rdata),
        .halt(halt));

    always #5 clk = !clk;

    // What each block has seen in this access, and what it answered.
    integer    ram_seen, ni_seen, uart_seen, clint_seen, finisher_seen, board_seen, acks, chance = 50;
    reg [31:0] answer;
    reg        was_granted, rom_read;

    // The blocks. The data of small ones change every clock: only the clock of the request counts.
    task answer_blocks;
        begin
            {uart_rdata, clint_rdata, id_rdata, board_rdata} = {$random(seed), $random(seed), $random(seed), $random(seed)};
            rom_rdata = rom_read ? $random(seed) : 32'd0;
            ram_rdata = was_granted ? $random(seed) : 32'hx;
            #1;
            ram_granted = ram_request && percent(chance);
            ni_ack = ni_stb && percent(chance);
            ni_dat_r = ni_ack ? $random(seed) : 32'd0;
            #1;
        end
    endtask

    task count_blocks(input [2:0] where);
        begin
            ram_seen = ram_seen + (ram_request && ram_granted);
            ni_seen = ni_seen + ni_ack;
            uart_seen = uart_seen + uart_request;
            clint_seen = clint_seen + clint_request;
            finisher_seen = finisher_seen + finisher_request;
            board_seen = board_seen + board_request;
            if (where == BOARD && board_request) answer = answer | board_rdata;
            if (where == BOARD && rom_read) answer = answer | rom_rdata;
            rom_read = board_request && !we && percent(50);
            if (where == UART && uart_request) answer = uart_rdata;
            if (where == CLINT && clint_request) answer = clint_rdata;
            if (where == ID && acks == 0 && !ack) answer = id_rdata;
            if (where == RAM && was_granted) answer = ram_rdata;
            if (where == NI && ni_ack) answer = ni_dat_r;
            was_granted = ram_request && ram_granted;
        end
    endtask

    // The words just before and just behind the blocks.
    function [31:2] beside(input integer which);
        case (which)
            0: beside = (`POSTROAD_UART_BASE - 32'd4) >> 2;
            1: beside = (`POSTROAD_UART_BASE + 32'h100) >> 2;
            2: beside = (`POSTROAD_NI_BASE - 32'd4) >> 2;
            3: beside = (`POSTROAD_NI_BASE + 32'h1000) >> 2;
            4: beside = (`POSTROAD_CLINT_BASE - 32'd4) >> 2;
            5: beside = (`POSTROAD_CLINT_BASE + 32'h10000) >> 2;
            6: beside = (`POSTROAD_FINISHER_BASE - 32'd4) >> 2;
            7: beside = (`POSTROAD_FINISHER_BASE + 32'h1000) >> 2;
            8: beside = (`POSTROAD_ID_BASE - 32'd4) >> 2;
            default: beside = (`POSTROAD_ID_BASE + 32'h1000) >> 2;
        endcase
    endfunction

    // An address in a block, its first and last words included.
    function [31:2] address(input [2:0] where);
        reg [31:0] place;
        begin
            place = percent(20) ? 32'd0 : percent(20) ? 32'hffffffff : $random(seed);
            case (where)
                RAM: address = {1'b1, place[30:2]};
                NI: address = (`POSTROAD_NI_BASE | (place & 32'hfff)) >> 2;
                UART: address = (`POSTROAD_UART_BASE | (place & 32'hff)) >> 2;
                CLINT: address = (`POSTROAD_CLINT_BASE | (place & 32'hffff)) >> 2;
                FINISHER: address = (`POSTROAD_FINISHER_BASE | (place & 32'hfff)) >> 2;
                BOARD: address = (`POSTROAD_LINK_BASE | (place & 32'hffff)) >> 2;
                ID: address = (`POSTROAD_ID_BASE | (place & 32'hfff)) >> 2;
                default: address = percent(50) ? beside(below(10)) : (32'h40000000 | (place & 32'h3fffffff)) >> 2;
            endcase
        end
    endfunction

    // One access, or `patience` clocks of it.
    integer    clocks;
    reg        done;
    task access(input [2:0] where, input write, input integer patience);
        begin
            {ram_seen, ni_seen, uart_seen, clint_seen, finisher_seen, board_seen, acks} = {7{32'd0}};
            answer = 32'd0;
            {was_granted, rom_read} = 2'b00;
            done = 1'b0;
            {stb, we, adr} = {1'b1, write, address(where)};
            for (clocks = 0; clocks < patience && !done; clocks = clocks + 1) begin
                answer_blocks;
                count_blocks(where);
                if (ack) begin
                    done = 1'b1;
                    acks = acks + 1;
                    check(write || dat_r === answer, "a read gets the data of the block it names");
                end
                @(posedge clk);
                #1;
            end
            stb = 1'b0;
        end
    endtask

    task check_counts(input [2:0] where);
        begin
            check(done, "an access is acknowledged");
            check(ram_seen == (where == RAM), "RAM is accessed once, or not at all");
            check(ni_seen == (where == NI), "the network_interface is accessed once, or not at all");
            check(uart_seen == (where == UART), "the UART is accessed once, or not at all");
            check(clint_seen == (where == CLINT), "the CLINT is accessed once, or not at all");
            check(finisher_seen == (where == FINISHER), "the finisher is accessed once, or not at all");
            check(board_seen == (where == BOARD), "the board is accessed once, or not at all");
        end
    endtask

    task idle(input integer count);
        repeat (count) begin
            answer_blocks;
            check(!ack && !ram_request && !ni_stb && !uart_request && !clint_request && !finisher_request && !board_request,
                  "nothing happens without stb");
            @(posedge clk);
            #1;
        end
    endtask

    integer i;
    reg [2:0] where;
    initial begin
        begin_bench;
        repeat (2) @(posedge clk);
        #1 reset = 1'b0;
        {was_granted, rom_read} = 2'b00;
        for (i = 0; i < 20000; i = i + 1) begin
            if (i % 100 == 0) chance = 10 + below(91);
            where = below(8);
            access(where, below(2), 500);
            check_counts(where);
            if (where != RAM && where != NI) check(clocks == 2, "a small peripheral takes two clocks");
            if (where == RAM && chance == 100) check(clocks == 2, "RAM that is free takes two clocks");
            if (percent(20)) idle(1 + below(3));
        end
        halt = 1'b1;
        for (i = 0; i < 200; i = i + 1) begin
            where = UART + below(6);
            access(where, below(2), 20);
            check(!done && uart_seen + clint_seen + finisher_seen + board_seen == 0, "after halt nothing is acknowledged");
        end
        verdict;
    end
endmodule

`default_nettype wire
