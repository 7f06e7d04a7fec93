// What is measured as `csr_sites`: a hypercube of whole sites of discipline `csr` in one FPGA, wired as hw/mesh/README.md's flat
// tops are. Consoles are inputs and outputs, what a .mesh file says is constant.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"
`include "straps.vh"

module measured_csr_sites #(
    parameter WORD_WIDTH = 16,
    parameter DIMENSIONS = 3,
    parameter RAM_BYTES  = 65536,
    parameter LINK_WIDTH = WORD_WIDTH + 1,     // these four are of the discipline
    parameter [31:0] OWN = 24,
    parameter DISCIPLINE = 3,
    parameter [5:0] CAPABILITIES = 6'd8,
    parameter SITES      = 1 << DIMENSIONS,  // not to be set
    parameter IN  = 1 + 10 * SITES,
    parameter OUT = 11 * SITES
) (
    input  wire           clk,
    input  wire [IN-1:0]  in,
    output wire [OUT-1:0] out
);
    localparam LINKS = DIMENSIONS * LINK_WIDTH;  // bits of a site's
    localparam [15:0] SIZE = DIMENSIONS;

    wire                   reset = in[IN-1];
    wire [SITES*LINKS-1:0] link_out;

    // Clocks since reset, for all sites.
    reg [63:0] now;
    always @(posedge clk) now <= reset ? 64'd0 : now + 64'd1;

    genvar s, l;
    generate
        for (s = 0; s < SITES; s = s + 1) begin : place
            wire             uart_rx_valid, uart_rx_ready, uart_tx_valid, uart_tx_ready, finished, quiet;
            wire [7:0]       uart_rx, uart_tx;
            wire [LINKS-1:0] link_in;
            wire [DIMENSIONS-1:0] link_in_wait;
            wire [63:0]      wake_time;
            wire [31:0]      finish_status;
            localparam [15:0] NUMBER = s;

            assign {uart_rx_valid, uart_rx, uart_tx_ready} = in[10*s +: 10];
            assign out[11*s +: 11] = {uart_rx_ready, uart_tx_valid, uart_tx, finished};
            for (l = 0; l < DIMENSIONS; l = l + 1) begin : dimension
                localparam BESIDE = s / (1 << l) % 2 == 0 ? s + (1 << l) : s - (1 << l);
                assign link_in[l*LINK_WIDTH +: LINK_WIDTH] = link_out[BESIDE*LINKS + l*LINK_WIDTH +: LINK_WIDTH];
            end

            reg [`POSTROAD_STRAPS-1:0] straps;
            always @* begin
                straps = {`POSTROAD_STRAPS{1'b0}};
                straps[`POSTROAD_STRAP_SITE_ADDRESS]     = {16'd0, NUMBER};
                straps[`POSTROAD_STRAP_SITE_NUMBER]      = NUMBER;
                straps[`POSTROAD_STRAP_TOPOLOGY]         = `POSTROAD_TOPOLOGY_HYPERCUBE;
                straps[`POSTROAD_STRAP_SIZE_X]           = SIZE;
                straps[`POSTROAD_STRAP_SIZE_Y]           = 16'd1;
                straps[`POSTROAD_STRAP_RECEIVE_PATIENCE] = 16'd4096;
                straps[`POSTROAD_STRAP_LINKS_CONNECTED]  = (16'd1 << DIMENSIONS) - 16'd1;
                straps[`POSTROAD_STRAP_CLOCK_HZ]         = 32'd25000000;
                straps[`POSTROAD_STRAP_MESH_HASH]        = 32'h5a17c0de;
                straps[`POSTROAD_STRAP_MAX_PACKET]       = RAM_BYTES < 65536 ? 16'd56 : 16'd127;
                straps[`POSTROAD_STRAP_RETRY_LIMIT]      = 8'd8;
                straps[`POSTROAD_STRAP_RELIABLE]         = 1'b1;
            end

            /* verilator lint_off PINCONNECTEMPTY */  // no board
            site #(
                .WORD_WIDTH(WORD_WIDTH), .LINKS(DIMENSIONS), .HYPERCUBE(1), .OWN(OWN), .RAM_BYTES(RAM_BYTES),
                .LINK_WIDTH(LINK_WIDTH), .DISCIPLINE(DISCIPLINE), .CAPABILITIES(CAPABILITIES)
            ) site (
                .clk(clk), .fabric_clk(clk), .reset(reset), .core_reset(reset), .straps(straps), .now(now),
                .wake_time(wake_time), .link_in(link_in), .link_in_wait(link_in_wait), .link_out(link_out[LINKS*s +: LINKS]),
                .link_out_wait({DIMENSIONS{1'b0}}), .link_down({DIMENSIONS{1'b0}}),
                .uart_rx_valid(uart_rx_valid), .uart_rx(uart_rx), .uart_rx_ready(uart_rx_ready),
                .uart_tx_valid(uart_tx_valid), .uart_tx(uart_tx), .uart_tx_ready(uart_tx_ready), .finished(finished),
                .finish_status(finish_status), .board_request(), .board_we(), .board_adr(), .board_wdata(),
                .board_rdata(32'd0), .rom_rdata(32'd0), .alive(), .handed_tag(), .handed_wait(), .quiet(quiet));
            /* verilator lint_on PINCONNECTEMPTY */

            wire unused = &{1'b0, link_in_wait, wake_time, finish_status, quiet};  // for simulators
        end
    endgenerate
endmodule

`default_nettype wire
