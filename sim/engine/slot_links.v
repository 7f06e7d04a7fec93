// slot_links: what stands between a fabric's links and the slots that the engine copies, for fabric_top.v and site_top.v.
//
//   BOARD_LINKS   a slot shows                                    a word arrives
//   0             what the flops at the link's end will hold      in the clock in which a wire would bring it
//                 after the next edge: the word and the status
//   1             the line of a board link, in bit 0              144 clocks later at least (hw/board_link/README.md)
//   2             the same, of eager links                        the same; straight on it leaves 8 clocks later (eager.md there)
//
// Combinational with BOARD_LINKS = 0: `arriving` is a flop of the top. With THROUGH a slot shows what is on the link in this
// clock, and a bit may cross the site within it: the engine copies slots, and evaluates sites, until all have settled.
// SPDX-License-Identifier: ISC
`default_nettype none

module slot_links #(
    parameter LINKS       = 4,   // of the site
    parameter LINK_WIDTH  = 19,  // bits of a link
    parameter HYPERCUBE   = 0,   // 1: a cable leads to the same link of the neighbour, else to the opposite one
    parameter BOARD_LINKS = 0,   // 1: board links, of 16-bit words; 2: eager ones, four a site; 0: wires
    parameter THROUGH     = 0    // not 0: bits cross the site within a clock
) (
    input  wire                        clk,
    input  wire                        reset,        // of the site; its first clocks are those of the board links, too
    input  wire [15:0]                 site_number,
    input  wire [31:0]                 site_address, // eager links go straight on by it

    // Slots: bit 63 is a status, the low bits are a word.
    input  wire [64*LINKS-1:0]         arriving,     // of this clock
    input  wire [64*LINKS-1:0]         incoming,     // of the next clock: a line is sampled by a flop of the receiver itself
    output wire [64*LINKS-1:0]         shown,        // of the next clock, as `incoming`; with THROUGH both are of this one
    input  wire [LINKS-1:0]            down,         // the cable leads nowhere now

    // Fabric. links_next: its slots of the next clock.
    input  wire [64*LINKS-1:0]         links_next,
    input  wire [LINKS*LINK_WIDTH-1:0] link_out,
    output wire [LINKS-1:0]            link_out_wait,
    output wire [LINKS*LINK_WIDTH-1:0] link_in,
    input  wire [LINKS-1:0]            link_in_wait,
    output wire [LINKS-1:0]            link_down
);
    genvar l;
    generate
        if (BOARD_LINKS == 0) begin : wires
            for (l = 0; l < LINKS; l = l + 1) begin : slot
                assign link_in[l*LINK_WIDTH +: LINK_WIDTH] =
                    THROUGH != 0 ? incoming[64*l +: LINK_WIDTH] : arriving[64*l +: LINK_WIDTH];
                assign link_out_wait[l] = arriving[64*l + 63];
                assign shown[64*l +: 64] = THROUGH == 0 ? links_next[64*l +: 64]
                    : {link_in_wait[l], {63-LINK_WIDTH{1'b0}}, link_out[l*LINK_WIDTH +: LINK_WIDTH]};
            end
            assign link_down = down;

            wire unused = &{1'b0, clk, reset, site_number, site_address, arriving, incoming, link_out, link_in_wait};
        end else begin : boards
            localparam RESET_CLOCKS = 4;
            wire [LINKS-1:0] line_in, line_out;
            reg  [2:0]       in_reset;  // clocks

            always @(posedge clk)
                in_reset <= !reset ? 3'd0 : in_reset + (in_reset < RESET_CLOCKS ? 3'd1 : 3'd0);

            for (l = 0; l < LINKS; l = l + 1) begin : slot
                assign line_in[l] = incoming[64*l];
                assign shown[64*l +: 64] = {63'd0, line_out[l]};
            end

            wire links_reset = reset && in_reset < RESET_CLOCKS;

            /* verilator lint_off PINCONNECTEMPTY */
            if (BOARD_LINKS == 1) begin : shared
                board_link #(.LINKS(LINKS), .PORT_FLIP(HYPERCUBE ? 0 : 1)) links (
                    .clk(clk), .reset(links_reset), .fabric_reset(reset),
                    .line_in(line_in), .line_out(line_out), .link_out(link_out), .link_out_wait(link_out_wait),
                    .link_in(link_in), .link_in_wait(link_in_wait), .hears(), .link_down(link_down), .site_number(site_number),
                    .request(1'b0), .we(1'b0), .wdata(8'd0), .rdata());
            end else begin : eager
                eager_links #(.PORT_FLIP(HYPERCUBE ? 0 : 1)) links (
                    .clk(clk), .reset(links_reset), .fabric_reset(reset),
                    .line_in(line_in), .line_out(line_out), .link_out(link_out), .link_out_wait(link_out_wait),
                    .link_in(link_in), .link_in_wait(link_in_wait), .hears(), .link_down(link_down), .site_number(site_number),
                    .site_address(site_address[13:0]), .request(1'b0), .we(1'b0), .wdata(8'd0), .rdata());
            end
            /* verilator lint_on PINCONNECTEMPTY */

            wire unused = &{1'b0, arriving, incoming, down, links_next, site_address};
        end
    endgenerate
endmodule

`default_nettype wire
