// site_top: a whole site with ports that C can copy, for the site level of sim/engine. See fabric_top.v: links are
// exchanged one clock ahead here too, and every other input is taken over by a flop as well, for the same reason.
//
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module site_top #(
    parameter WORD_WIDTH       = 16,          // bits of a word: 16, or 32 for larger meshes and addresses
    parameter LINKS            = 4,           // links of a site: 4 on a grid or torus, one a dimension on a hypercube
    parameter DOWNSTREAM_DEPTH = 32,          // words from the network_interface that may wait at a busy entry
    parameter UPSTREAM_DEPTH   = 64,          // words that may wait for the network_interface
    parameter RAM_BYTES        = 65536,       // memory of a site: image, stack and packet buffers
    parameter [63:0] CPU       = "vexriscv"   // the core: "vexriscv", or "serv" to see the small one at work
) (
    input  wire                clk,
    input  wire                fabric_clk,  // clk, but for edges before which fabric_busy is 0 and link_in shows no word
    input  wire                reset,

    // Straps: taken over in reset.
    input  wire [31:0]         site_address,
    input  wire [31:0]         topology,
    input  wire [31:0]         size_x,
    input  wire [31:0]         size_y,
    input  wire [31:0]         unicast_lists,
    input  wire [31:0]         multicast_lists,
    input  wire [31:0]         divert_threshold,
    input  wire [31:0]         abort_threshold,
    input  wire [31:0]         abort_random,
    input  wire [31:0]         release_single,
    input  wire [31:0]         relief_limit,
    input  wire [31:0]         receive_patience,
    input  wire [31:0]         site_number,
    input  wire [31:0]         links_connected,
    input  wire [31:0]         clock_hz,
    input  wire [31:0]         mesh_hash,
    input  wire [31:0]         max_packet,
    input  wire [31:0]         retry_limit,
    input  wire [31:0]         epoch,
    input  wire [31:0]         reliable,

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
    localparam LINK_WIDTH  = WORD_WIDTH + 3;
    localparam COORD_WIDTH = WORD_WIDTH == 32 ? 12 : 7;
    localparam PORTS       = LINKS + 1;

    reg [2*COORD_WIDTH-1:0] address;
    reg [COORD_WIDTH-1:0]   columns, rows;
    reg [31:0]              hertz, hash;
    reg [15:0]              divert, abort, random, relief_tries, number, longest, patience, restarts;
    reg [7:0]               unicast, multicast, retries;
    reg [LINKS-1:0]         connected;
    reg [1:0]               shape;
    reg                     single, acknowledged;

    always @(posedge fabric_clk)
        if (reset) begin
            address   <= site_address[2*COORD_WIDTH-1:0];
            columns   <= size_x[COORD_WIDTH-1:0];
            rows      <= size_y[COORD_WIDTH-1:0];
            divert    <= divert_threshold[15:0];
            abort     <= abort_threshold[15:0];
            random    <= abort_random[15:0];
            unicast   <= unicast_lists[7:0];
            multicast <= multicast_lists[7:0];
            shape     <= topology[1:0];
            single    <= release_single[0];
            relief_tries <= relief_limit[15:0];
            number    <= site_number[15:0];
            connected <= links_connected[LINKS-1:0];
            hertz     <= clock_hz;
            hash      <= mesh_hash;
            longest   <= max_packet[15:0];
            retries   <= retry_limit[7:0];
            patience  <= receive_patience[15:0];
            restarts  <= epoch[15:0];
            acknowledged <= reliable[0];
        end

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

    wire [LINKS-1:0]            arrives;
    assign fabric_busy = !site.fabric_quiet || |site.send[LINK_WIDTH-1 -: 3] || |arrives;

    genvar l;
    generate
        for (l = 0; l < LINKS; l = l + 1) begin : slot
            assign arrives[l] = |arriving[64*l + WORD_WIDTH +: 3];
            assign arriving_words[l*LINK_WIDTH +: LINK_WIDTH] = arriving[64*l +: LINK_WIDTH];
            assign arriving_wait[l] = arriving[64*l + 63];

            // What the flops of net_output and net_input load at the next edge.
            // No tag, no word.
            wire [2:0]            tag  = site.fabric.core.remote[l+1].net_output.tag_next;
            wire [LINK_WIDTH-1:0] word = {LINK_WIDTH{|tag && !reset}} & {tag, site.fabric.core.remote[l+1].net_output.word_next};
            wire wait_status = reset || (site.fabric.core.port[l+1].net_input.word_present
                                         && !site.fabric.core.port[l+1].net_input.taken);

            assign link_out[64*l +: 64] = {wait_status, {63-LINK_WIDTH{1'b0}}, word};
        end
    endgenerate

    always @* begin
        events = 64'd0;
        events[`POSTROAD_COUNTER_DIVERSIONS]        = site.event_divert;
        events[`POSTROAD_COUNTER_ABORTS]            = site.event_abort;
        events[`POSTROAD_COUNTER_SPLITS]            = site.event_split;
        events[`POSTROAD_COUNTER_PASSES]            = site.event_pass;
        events[`POSTROAD_COUNTER_SINGLES]           = site.event_single;
        events[`POSTROAD_COUNTER_RECEIVED_PACKETS]  = site.event_received;
        events[`POSTROAD_COUNTER_RECEIVED_ABORTED]  = site.event_received_aborted;
        events[`POSTROAD_COUNTER_RECEIVED_OVERSIZE] = site.event_received_oversize;
        events[`POSTROAD_COUNTER_RECEIVED_DISCARDED] = site.event_received_discarded;
        events[`POSTROAD_COUNTER_RECEIVE_WAITS]     = site.event_receive_wait;
        events[`POSTROAD_COUNTER_SENT_PACKETS]      = site.event_sent;
        events[`POSTROAD_COUNTER_SENT_WAITS]        = site.event_send_wait;
        events[`POSTROAD_COUNTER_WORDS_OUT +: PORTS] = site.event_word_out;
        events[`POSTROAD_COUNTER_STALLS +: PORTS]    = site.event_stall;
        events[`POSTROAD_COUNTER_DROPS +: PORTS]     = site.event_drop;
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

    site #(
        .WORD_WIDTH(WORD_WIDTH), .LINKS(LINKS), .DOWNSTREAM_DEPTH(DOWNSTREAM_DEPTH), .UPSTREAM_DEPTH(UPSTREAM_DEPTH),
        .RAM_BYTES(RAM_BYTES), .CPU(CPU)
    ) site (
        .clk(clk), .fabric_clk(fabric_clk), .reset(reset),
        .site_address(address), .topology(shape), .size_x(columns), .size_y(rows),
        .unicast_lists(unicast), .multicast_lists(multicast), .divert_threshold(divert), .abort_threshold(abort),
        .abort_random(random), .release_single(single), .relief_limit(relief_tries), .receive_patience(patience),
        .site_number(number), .links_connected(connected),
        .clock_hz(hertz), .mesh_hash(hash), .max_packet(longest), .retry_limit(retries),
        .epoch(restarts), .reliable(acknowledged),
        .now(time_now), .wake_time(wake_time),
        .link_in(arriving_words), .link_in_wait(link_in_wait), .link_out(link_out_words), .link_out_wait(arriving_wait),
        .link_down(down),
        .uart_rx_valid(console[8]), .uart_rx(console[7:0]), .uart_rx_ready(console_out[9]),
        .uart_tx_valid(console_out[8]), .uart_tx(console_out[7:0]), .uart_tx_ready(console[9]),
        .finished(finished), .finish_status(finish_status), .quiet(quiet)
    );

    wire unused = &{1'b0, site_address, topology, size_x, size_y, unicast_lists, multicast_lists, divert_threshold,
                    abort_threshold, abort_random, release_single, site_number, links_connected, max_packet,
                    retry_limit, relief_limit, receive_patience, epoch, reliable, link_down, arriving, console_in,
                    link_out_words, link_in_wait};
endmodule

`default_nettype wire
