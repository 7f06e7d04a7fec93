// site_top: a whole site with ports that C can copy, for the site level of sim/engine. See fabric_top.v: links are
// exchanged one clock ahead here too, and every other input is taken over by a flop as well, for the same reason.
//
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"
`include "straps.vh"

module site_top #(
    parameter WORD_WIDTH       = 16,          // bits of a word: 16, or 32 for larger meshes and addresses
    parameter LINKS            = 4,           // links of a site: 4 on a grid or torus, one a dimension on a hypercube
    parameter LINK_WIDTH       = WORD_WIDTH + 3,  // these three from discipline.ini of the fabric: bits of a link,
    parameter DISCIPLINE       = 0,           // its number,
    parameter [5:0] CAPABILITIES = 6'b000111,   // and what firmware may ask of it
    parameter HYPERCUBE        = 0,           // 1: a hypercube, 0: a grid or torus
    parameter BOARD_LINKS      = 0,           // 1: board links in the place of wires, 2: eager ones: slot_links.v
    parameter [31:0] OWN       = 0,           // what a site of the discipline is built for: fields of its discipline.ini
    parameter CLOCKED          = 0,           // 1: the fabric counts clocks, and never rests
    parameter THROUGH          = 0,           // 1: bits cross the site within a clock: slot_links.v
    parameter DOWNSTREAM_DEPTH = 32,          // words from the network_interface that may wait at a busy entry
    parameter UPSTREAM_DEPTH   = 64,          // words that may wait for the network_interface
    parameter RAM_BYTES        = 65536,       // memory of a site: image, stack and packet buffers
    parameter [63:0] CPU       = "vexriscv"   // the core: "vexriscv", or "serv" to see the small one at work
) (
    input  wire                clk,
    input  wire                fabric_clk,  // clk, but for edges before which fabric_busy is 0 and link_in shows no word
    input  wire                reset,

    // Taken over in reset.
    input  wire [`POSTROAD_STRAPS-1:0] straps,

    // Number of the next clock since reset, the same for all sites; a quiet site is not clocked before wake_time.
    input  wire [63:0]         now,
    output wire [63:0]         wake_time,

    // Links, link l at [64*l +: 64], of the next clock. In: the neighbour's word, and its status. Out: the same of this
    // site.
    input  wire [64*LINKS-1:0] link_in,
    output wire [64*LINKS-1:0] link_out,

    // Bit l: link l leads nowhere in the next clock.
    input  wire [31:0]         link_down,

    // Console: {ready for the byte of the other direction, valid, byte}. In: of the next clock. Out: of this clock.
    input  wire [31:0]         console_in,
    output wire [31:0]         console_out,

    // Events of this clock, at the indices of the counters.
    output reg  [63:0]         events,

    // The core: it reached for something else than its memory in this clock; the last instruction, and the register ra, or 0.
    output wire                looked,
    output reg  [31:0]         core_pc,
    output wire [31:0]         core_ra,

    output wire                finished,
    output wire [31:0]         finish_status,
    output wire                fabric_busy,
    output wire                quiet
);
    reg [`POSTROAD_STRAPS-1:0] held_straps;

    always @(posedge fabric_clk)
        if (reset)
            held_straps <= straps;

    reg  [64*LINKS-1:0]         arriving;
    wire [LINKS*LINK_WIDTH-1:0] arriving_words;
    wire [LINKS-1:0]            arriving_wait;
    wire [LINKS*LINK_WIDTH-1:0] link_out_words;  // of this clock: for waves
    wire [LINKS-1:0]            link_in_wait;
    reg  [LINKS-1:0]            down;
    reg  [63:0]                 time_now;
    reg  [9:0]                  console;

    always @(posedge fabric_clk) begin
        arriving <= link_in;
        down     <= link_down[LINKS-1:0];
    end

    always @(posedge clk) begin
        time_now <= now;
        console  <= reset ? 10'd0 : console_in[9:0];
    end

    wire [LINKS-1:0]            nowhere, arrives;

    slot_links #(
        .LINKS(LINKS), .LINK_WIDTH(LINK_WIDTH), .HYPERCUBE(HYPERCUBE), .BOARD_LINKS(BOARD_LINKS), .THROUGH(THROUGH)
    ) links (
        .clk(fabric_clk), .reset(reset), .site_number(held_straps[`POSTROAD_STRAP_SITE_NUMBER]),
        .site_address(held_straps[`POSTROAD_STRAP_SITE_ADDRESS]), .arriving(arriving), .incoming(link_in),
        .shown(link_out), .down(down), .links_next(site.links_next), .link_out(link_out_words), .link_out_wait(arriving_wait),
        .link_in(arriving_words), .link_in_wait(link_in_wait), .link_down(nowhere));

    genvar l;
    generate
        for (l = 0; l < LINKS; l = l + 1) begin : slot
            assign arrives[l] = |arriving[64*l +: LINK_WIDTH];
        end
    endgenerate

    // Board links always have a frame to send; what counts clocks has its turn in each.
    assign fabric_busy = BOARD_LINKS != 0 || CLOCKED != 0 || !site.fabric_quiet ||
                         |site.send[WORD_WIDTH +: 3] || |arrives;

    always @* begin
        events = site.fabric_events;
        events[`POSTROAD_COUNTER_RECEIVED_PACKETS]  = site.event_received;
        events[`POSTROAD_COUNTER_RECEIVED_ABORTED]  = site.event_received_aborted;
        events[`POSTROAD_COUNTER_RECEIVED_OVERSIZE] = site.event_received_oversize;
        events[`POSTROAD_COUNTER_RECEIVED_DISCARDED] = site.event_received_discarded;
        events[`POSTROAD_COUNTER_RECEIVE_WAITS]     = site.event_receive_wait;
        events[`POSTROAD_COUNTER_SENT_PACKETS]      = site.event_sent;
        events[`POSTROAD_COUNTER_SENT_WAITS]        = site.event_send_wait;
    end

    assign console_out[31:10] = 22'd0;

    // Below 16 MB nothing is: a core that traps before mtvec is written goes round at 0, and looks at nothing.
    assign looked = site.stb && !site.adr[31] && site.adr[30:24] != 7'd0;

    generate
        if (CPU == "vexriscv") begin : vexriscv
            assign core_ra = site.vexriscv.core.core.RegFilePlugin_regFile[1];
            always @(posedge clk)
                if (site.vexriscv.core.core.lastStageIsFiring)
                    core_pc <= site.vexriscv.core.core.lastStagePc;
        end else begin : serv
            assign core_ra = 32'd0;
            always @(posedge clk)
                if (site.serv.core.fetch_stb)
                    core_pc <= site.serv.core.fetch_adr;
        end
    endgenerate

    /* verilator lint_off PINCONNECTEMPTY */  // no board
    site #(
        .WORD_WIDTH(WORD_WIDTH), .LINKS(LINKS), .LINK_WIDTH(LINK_WIDTH), .DISCIPLINE(DISCIPLINE),
        .CAPABILITIES(CAPABILITIES), .HYPERCUBE(HYPERCUBE), .OWN(OWN),
        .DOWNSTREAM_DEPTH(DOWNSTREAM_DEPTH), .UPSTREAM_DEPTH(UPSTREAM_DEPTH), .RAM_BYTES(RAM_BYTES), .CPU(CPU)
    ) site (
        .clk(clk), .fabric_clk(fabric_clk), .reset(reset), .core_reset(reset),
        .straps(held_straps),
        .now(time_now), .wake_time(wake_time),
        .link_in(arriving_words), .link_in_wait(link_in_wait), .link_out(link_out_words), .link_out_wait(arriving_wait),
        .link_down(nowhere),
        .uart_rx_valid(console[8]), .uart_rx(console[7:0]), .uart_rx_ready(console_out[9]),
        .uart_tx_valid(console_out[8]), .uart_tx(console_out[7:0]), .uart_tx_ready(console[9]),
        .finished(finished), .finish_status(finish_status), .board_request(), .board_we(), .board_adr(),
        .board_wdata(), .board_rdata(32'd0), .rom_rdata(32'd0), .alive(), .handed_tag(), .handed_wait(),
        .quiet(quiet)
    );
    /* verilator lint_on PINCONNECTEMPTY */

    wire unused = &{1'b0, link_down, arriving, console_in, link_out_words, link_in_wait};
endmodule

`default_nettype wire
