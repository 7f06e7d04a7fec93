// bus_tb: random accesses all over the map, also one in the clock in which the one before is acknowledged, against RAM and a
// network_interface that answer late and small peripherals. In every clock: an access reaches the one block it names and no
// other, until that takes it; it is acknowledged in the clock behind, and a read gets that block's data. Off the map reads 0.
// After halt nothing but RAM and network_interface answers.
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

    // The access that is asked for, and what is due in the next clock for what was asked in this one.
    reg        busy = 1'b0, granted = 1'b0, small_asked = 1'b0, ni_asked = 1'b0, rom_read = 1'b0;
    reg [2:0]  where = NONE;
    reg [31:0] answer = 32'd0;
    integer    chance = 50, back_to_back = 0, acknowledged = 0;

    wire is_small = where != RAM && where != NI;

    // What blocks answer to the clock before. The data of small ones change every clock: only the clock of the request counts.
    task answer_blocks;
        begin
            {uart_rdata, clint_rdata, id_rdata, board_rdata} = {$random(seed), $random(seed), $random(seed), $random(seed)};
            ram_rdata = granted ? $random(seed) : 32'hx;
            rom_rdata = rom_read ? $random(seed) : 32'd0;
            ni_ack = ni_asked && percent(chance);
            ni_dat_r = ni_ack ? $random(seed) : 32'd0;
        end
    endtask

    task check_answer;
        begin
            check(ack === (granted || small_asked && !halt || ni_ack),
                  "acknowledged in the clock behind its request, and then only");
            if (ack) begin
                check(we || dat_r === (granted ? ram_rdata : ni_ack ? ni_dat_r : answer | rom_rdata),
                      "a read gets the data of the block it names");
                acknowledged = acknowledged + 1;
                busy = 1'b0;
            end
        end
    endtask

    task ask(input integer often);
        begin
            back_to_back = back_to_back + (ack && !busy);
            if (!busy && percent(often)) begin
                busy = 1'b1;
                where = halt && percent(80) ? UART + below(6) : below(8);
                {we, adr} = {percent(50), address(where)};
            end
            stb = busy;
        end
    endtask

    task check_requests;
        begin
            check(ram_request == (stb && where == RAM), "RAM is asked for what is in it");
            check(ni_stb == (stb && where == NI), "the network_interface is asked for what is in it");
            check(uart_request == (stb && where == UART && !halt), "the UART is asked for what is in it");
            check(clint_request == (stb && where == CLINT && !halt), "the CLINT is asked for what is in it");
            check(finisher_request == (stb && where == FINISHER && !halt), "the finisher is asked for what is in it");
            check(board_request == (stb && where == BOARD && !halt), "the board is asked for what is in it");
        end
    endtask

    task note_requests;
        begin
            granted = ram_granted;
            small_asked = stb && is_small && !halt;
            ni_asked = ni_stb && !ni_ack;
            rom_read = board_request && !we && percent(50);
            answer = where == UART ? uart_rdata : where == CLINT ? clint_rdata : where == ID ? id_rdata :
                where == BOARD ? board_rdata : 32'd0;
        end
    endtask

    task clock(input integer often);
        begin
            answer_blocks;
            #1 check_answer;
            ask(often);
            #1 ram_granted = ram_request && percent(chance);
            check_requests;
            note_requests;
            @(posedge clk);
            #1;
        end
    endtask

    integer i, often = 50;
    initial begin
        begin_bench;
        repeat (2) @(posedge clk);
        #1 reset = 1'b0;
        for (i = 0; i < 60000; i = i + 1) begin
            if (i % 300 == 0) begin
                chance = 10 + below(91);
                often = 10 + below(91);
            end
            clock(often);
        end
        check(back_to_back > 1000 && acknowledged > 10000, "enough happens");
        halt = 1'b1;
        acknowledged = 0;
        for (i = 0; i < 200; i = i + 1) clock(50);
        check(busy && is_small && !small_asked, "what is behind halt waits for ever");
        verdict;
    end
endmodule

`default_nettype wire
