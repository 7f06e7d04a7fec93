// board_probes_tb: the probe pins of a board_site whose links lead to other sites of the FPGA, so that the bench shows words
// and waits itself. Each strobe in turn is chosen as firmware does it, through LINK_MEMORY, for one pin, and that of the next
// port for another pin: a packet that leaves by the port, and waits there, changes the first and not the second.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"
`include "straps.vh"

module board_probes_tb;
    `include "bench.vh"

    localparam PORTS = 5, PINS = 6, HERE = 1 << 7 | 1;  // the middle of three by three sites
    localparam [31:0] MEMORY = `POSTROAD_LINK_BASE;

    function [`POSTROAD_STRAPS-1:0] mesh_straps(input unused);
        begin
            mesh_straps = {`POSTROAD_STRAPS{1'b0}};
            mesh_straps[`POSTROAD_STRAP_SIZE_X]           = 16'd3;
            mesh_straps[`POSTROAD_STRAP_SIZE_Y]           = 16'd3;
            mesh_straps[`POSTROAD_STRAP_DIVERT_THRESHOLD] = 16'hffff;
            mesh_straps[`POSTROAD_STRAP_ABORT_THRESHOLD]  = 16'd64;
            mesh_straps[`POSTROAD_STRAP_RECEIVE_PATIENCE] = 16'd16;  // then packets for the operator are discarded
        end
    endfunction

    reg         clk = 1'b0;
    reg  [75:0] chip_in = 76'd0;
    reg  [3:0]  chip_out_wait = 4'd0;
    wire [3:0]  chip_in_wait;
    wire [75:0] chip_out;
    wire [7:0]  probe;
    wire        fabric_reset;  // the sites beside this one begin with it

    always #5 clk = !clk;

    board_site #(
        .RAM_BYTES(8192), .CPU("test"), .CHIP_LINKS(4'b1111), .PROBES(PINS), .MESH_STRAPS(mesh_straps(1'b0))
    ) dut (
        .clk(clk), .link_clk(clk), .running(1'b1), .uart_rx(1'b1), .uart_tx(), .line_in(4'd0), .line_out(),
        .line_drives(), .line_pin(4'd0),
        .chip_in(chip_in), .chip_in_wait(chip_in_wait), .chip_out(chip_out), .chip_out_wait(chip_out_wait),
        .chip_in_reset({4{fabric_reset}}), .fabric_reset(fabric_reset), .flash_granted(1'b1), .flash_wanted(),
        .flash_select_n(), .flash_clock(), .flash_out(), .flash_in(1'b1),
        .link_up(), .traffic(), .alive(), .probe(probe));

    // As pr_board_link_row of firmware/drivers/board.h.
    task row(input [7:0] which);
        begin
            dut.site.test.core.write(MEMORY, {24'd0, which});
            dut.site.test.core.read(MEMORY);
            while (!dut.site.test.core.rdata[31]) dut.site.test.core.read(MEMORY);
        end
    endtask

    task choose(input [2:0] pin, input [3:0] strobe);
        begin
            row(`POSTROAD_PROBE_ROW_PIN + pin);
            row(`POSTROAD_PROBE_ROW_STROBE + strobe);
            check(dut.site.test.core.rdata[15:0] == {`POSTROAD_PROBE_MARK, PINS[3:0], strobe}, "a choice is shown");
        end
    endtask

    // Edges of each pin.
    reg  [7:0] before;
    integer    edges [0:7];
    integer    n;
    always @(posedge clk) begin
        before <= probe;
        for (n = 0; n < 8; n = n + 1) if (probe[n] != before[n]) edges[n] = edges[n] + 1;
    end

    // A word on the link `from`, until it is taken.
    task word(input integer from, input [2:0] tag, input [15:0] data);
        begin
            chip_in[19*from +: 19] = {tag, data};
            #1 while (chip_in_wait[from]) @(posedge clk) #2;
            @(posedge clk) #1 chip_in[19*from +: 19] = 19'd0;
        end
    endtask

    // The site beside this one at a port; local: this one.
    function [15:0] beside(input integer port);
        case (port)
            `POSTROAD_PORT_EAST:  beside = HERE + 1;
            `POSTROAD_PORT_WEST:  beside = HERE - 1;
            `POSTROAD_PORT_NORTH: beside = HERE + 128;
            `POSTROAD_PORT_SOUTH: beside = HERE - 128;
            default:              beside = HERE;
        endcase
    endfunction

    // A packet that leaves by a port, and waits there for some clocks; or one for this site, whose operator takes words at
    // once.
    task packet(input integer port);
        integer from;
        begin
            case (port)  // straight on; links are numbered as ports, without the local one
                `POSTROAD_PORT_EAST:  from = `POSTROAD_PORT_WEST - 1;
                `POSTROAD_PORT_WEST:  from = `POSTROAD_PORT_EAST - 1;
                `POSTROAD_PORT_NORTH: from = `POSTROAD_PORT_SOUTH - 1;
                `POSTROAD_PORT_SOUTH: from = `POSTROAD_PORT_NORTH - 1;
                default:              from = below(4);
            endcase
            fork
                begin
                    word(from, `POSTROAD_TAG_UNICAST_SITE, beside(port));
                    repeat (3) word(from, `POSTROAD_TAG_DATA, below(65536));
                    word(from, `POSTROAD_TAG_END_OF_PACKET, 16'd0);
                end
                if (port != `POSTROAD_PORT_LOCAL) begin
                    while (chip_out[19*port - 3 +: 3] == 3'd0) @(posedge clk) #1;
                    chip_out_wait = 4'b1111;
                    repeat (1 + below(20)) @(posedge clk);
                    #1 chip_out_wait = 4'd0;
                end
            join
            repeat (200) @(posedge clk);
        end
    endtask

    task one_strobe(input integer strobe);
        integer pin, other;
        begin
            pin = strobe % PINS;
            other = (strobe + 1) % PINS;
            choose(pin, strobe);
            choose(other, strobe / PORTS * PORTS + (strobe + 1) % PORTS);
            for (n = 0; n < 8; n = n + 1) edges[n] = 0;
            packet(strobe % PORTS);
            #2;
            if (strobe < `POSTROAD_STROBE_STALL) check(edges[pin] == 1, "head, terminator: the pin has changed once");
            else check(edges[pin] == (strobe % PORTS == 0 ? 0 : 2), "stall: the pin has changed and changed back");
            check(edges[other] == 0, "a pin of another port has not changed");
            check(probe[7:PINS] == 2'b00, "no other pins");
            choose(pin, `POSTROAD_STROBE_NONE);
            choose(other, `POSTROAD_STROBE_NONE);
        end
    endtask

    integer s;
    initial begin
        begin_bench;
        for (n = 0; n < 8; n = n + 1) edges[n] = 0;
        repeat (1000) @(posedge clk);
        dut.site.test.core.write(`POSTROAD_BOARD_BASE + `POSTROAD_BOARD_SITE, 32'h000f0004);
        dut.site.test.core.write(`POSTROAD_BOARD_BASE + `POSTROAD_BOARD_ADDRESS, HERE);
        dut.site.test.core.write(`POSTROAD_BOARD_BASE + `POSTROAD_BOARD_CONTROL, 32'd1)  // FABRIC_RUNS
           ;
        repeat (20) @(posedge clk);
        repeat (2) for (s = 0; s < `POSTROAD_STROBE_NONE; s = s + 1) one_strobe(s);
        row(8'h88);
        check(dut.site.test.core.rdata[15:8] != `POSTROAD_PROBE_MARK, "another row is that of the links' memory");
        verdict;
    end

    initial #20000000 begin
        $display("error: no end");
        $display("FAIL");
        $finish;
    end
endmodule

`default_nettype wire
