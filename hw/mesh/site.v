// site: a whole site with fabric, network_interface, core, memory and the peripherals of the address map.
//
//   core --- bus --+-- uart, clint, finisher, node_id
//                  +-- network_interface --- fabric === links
//                  |     |  |         \         |
//                  |   receive send    +-- event_counters
//                  +-- ram_arbiter --- ram
//
// The number of a site and all settings of its .mesh file are straps, so that one bitstream and one verilated class serve all
// sites.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"
`include "straps.vh"

module site #(
    parameter WORD_WIDTH       = 16,          // 16, or 32 for larger meshes and addresses
    parameter LINKS            = 4,           // 4 for a grid or torus, one a dimension for a hypercube
    parameter HYPERCUBE        = 0,           // 1: a hypercube, 0: a grid or torus
    parameter [31:0] OWN       = 0,           // what a site of the discipline is built for: fields of its discipline.ini
    parameter DOWNSTREAM_DEPTH = 32,          // words the network_interface may run ahead of the network
    parameter UPSTREAM_DEPTH   = 64,          // words the network may run ahead of the network_interface
    parameter RAM_BYTES        = 65536,       // firmware and its pool of packet buffers: a power of two
    parameter [63:0] CPU       = "vexriscv",  // "serv": a fifth of the cells, a fifteenth of the speed; "test"
    parameter IMAGE            = "",          // $readmemh file the RAM starts with; +firmware= overrides it
    parameter BOARD            = 0,           // 1: the core may be reset alone; boot ROM and registers of board_site.v
    parameter [31:0] RESET_VECTOR = `POSTROAD_RAM_BASE,  // where the core starts: RAM, or the boot ROM
    parameter LINK_WIDTH         = WORD_WIDTH + 3,  // these three from discipline.ini of the fabric: bits of a link,
    parameter DISCIPLINE         = 0,               // its number,
    parameter [5:0] CAPABILITIES = 6'b000111          // and its capabilities
) (
    input wire clk,
    input wire fabric_clk,   // clk; a simulation may omit its edges while the fabric is quiet (clock gating)
    input wire reset,        // of the fabric and the event counters
    input wire core_reset,   // of the rest: `reset`; with BOARD it may also be 1 alone, for some clocks

    // Constant out of reset. hw/protocol/straps.ini lists the straps and the module that uses each.
    input wire [`POSTROAD_STRAPS-1:0] straps,

    // Clocks since reset, the same for the whole mesh. wake_time: see quiet.
    input  wire [63:0] now,
    output wire [63:0] wake_time,

    // Links: exactly the fabric's.
    input  wire [LINKS*LINK_WIDTH-1:0] link_in,
    output wire [LINKS-1:0]            link_in_wait,
    output wire [LINKS*LINK_WIDTH-1:0] link_out,
    input  wire [LINKS-1:0]            link_out_wait,
    input  wire [LINKS-1:0]            link_down,

    // Console bytes: one moves in each clock with valid and ready; valid and the byte hold until then.
    input  wire       uart_rx_valid,
    input  wire [7:0] uart_rx,
    output wire       uart_rx_ready,
    output wire       uart_tx_valid,
    output wire [7:0] uart_tx,
    input  wire       uart_tx_ready,

    // finished stays 1 once firmware has ended its run with finish_status.
    output wire        finished,
    output wire [31:0] finish_status,

    // Registers and boot ROM of a board, with BOARD: see bus.v. Else 0. alive: the core accesses the network_interface.
    output wire        board_request,
    output wire        board_we,
    output wire [15:2] board_adr,
    output wire [31:0] board_wdata,
    input  wire [31:0] board_rdata,
    input  wire [31:0] rom_rdata,
    output wire        alive,

    // For a logic analyser: tag (without its fourth bit) and wait of the fabric's `receive`.
    output wire [2:0]  handed_tag,
    output wire        handed_wait,

    // 1: the state of this site stays the same until a word or a console byte arrives, or `now` reaches wake_time.
    output wire        quiet
);
    wire [WORD_WIDTH+2:0] send, sent;          // at the fabric, at the network_interface
    wire [WORD_WIDTH+3:0] receive, received;
    wire                  send_wait, sent_wait, receive_wait, received_wait, fabric_quiet, relief, relief_next;
    wire [63:0]           fabric_events;

    /* verilator lint_off UNUSEDSIGNAL */
    wire [64*LINKS-1:0]   links_next;  // for sim/engine/site_top.v
    /* verilator lint_on UNUSEDSIGNAL */

    // A copy of `relief` on the fabric's own clock.
    reg fabric_relief;
    always @(posedge fabric_clk)
        fabric_relief <= !reset && relief_next;

    /* verilator lint_off PINCONNECTEMPTY */
    site_fabric #(
        .WORD_WIDTH(WORD_WIDTH), .LINKS(LINKS), .LINK_WIDTH(LINK_WIDTH), .HYPERCUBE(HYPERCUBE), .OWN(OWN),
        .DOWNSTREAM_DEPTH(DOWNSTREAM_DEPTH), .UPSTREAM_DEPTH(UPSTREAM_DEPTH)
    ) fabric (
        .clk(fabric_clk), .reset(reset), .now(now), .straps(straps), .relief(fabric_relief), .link_down(link_down),
        .link_in(link_in), .link_in_wait(link_in_wait), .link_out(link_out), .link_out_wait(link_out_wait),
        .links_next(links_next),
        .send(send), .send_wait(send_wait), .receive(receive), .receive_wait(receive_wait),
        .events(fabric_events), .observed(), .quiet(fabric_quiet)
    );
    /* verilator lint_on PINCONNECTEMPTY */

    generate
        if (BOARD != 0) begin : guarded
            restart_guard #(.WORD_WIDTH(WORD_WIDTH)) guard (
                .clk(clk), .fabric_reset(reset), .core_reset(core_reset),
                .sent(sent), .sent_wait(sent_wait), .send(send), .send_wait(send_wait),
                .receive(receive), .receive_wait(receive_wait), .received(received), .received_wait(received_wait)
            );
        end else begin : joined
            assign send = sent;
            assign sent_wait = send_wait;
            assign received = receive;
            assign receive_wait = received_wait;
        end
    endgenerate

    // Core and bus
    wire        stb, we, ack, timer_interrupt, software_interrupt;
    wire [31:2] adr;
    wire [31:0] dat_w, dat_r;
    wire [3:0]  sel;
    wire        ram_request, ram_granted, ni_stb, ni_ack;
    wire        uart_request, clint_request, finisher_request;
    wire [31:0] ram_rdata, ni_dat_r, uart_rdata, clint_rdata, id_rdata;

    generate
        if (CPU == "vexriscv") begin : vexriscv
            cpu_vexriscv #(.RESET_VECTOR(RESET_VECTOR)) core (
                .clk(clk), .reset(core_reset), .stb(stb), .we(we), .adr(adr), .dat_w(dat_w), .sel(sel), .dat_r(dat_r),
                .ack(ack), .timer_interrupt(timer_interrupt), .software_interrupt(software_interrupt));
        end else if (CPU == {32'd0, "serv"}) begin : serv
            cpu_serv #(.RESET_VECTOR(RESET_VECTOR)) core (
                .clk(clk), .reset(core_reset), .stb(stb), .we(we), .adr(adr), .dat_w(dat_w), .sel(sel), .dat_r(dat_r),
                .ack(ack), .timer_interrupt(timer_interrupt), .software_interrupt(software_interrupt));
        end else begin : test
            cpu_test core (
                .clk(clk), .reset(core_reset), .stb(stb), .we(we), .adr(adr), .dat_w(dat_w), .sel(sel), .dat_r(dat_r),
                .ack(ack), .timer_interrupt(timer_interrupt), .software_interrupt(software_interrupt));
        end
    endgenerate

    bus bus (
        .clk(clk), .reset(core_reset), .stb(stb), .we(we), .adr(adr), .dat_r(dat_r), .ack(ack),
        .ram_request(ram_request), .ram_granted(ram_granted), .ram_rdata(ram_rdata),
        .ni_stb(ni_stb), .ni_dat_r(ni_dat_r), .ni_ack(ni_ack),
        .uart_request(uart_request), .uart_rdata(uart_rdata), .clint_request(clint_request), .clint_rdata(clint_rdata),
        .finisher_request(finisher_request), .id_rdata(id_rdata), .board_request(board_request),
        .board_rdata(board_rdata), .rom_rdata(rom_rdata), .halt(finished)
    );

    assign board_we = we;
    assign board_adr = adr[15:2];
    assign board_wdata = dat_w;
    assign alive = ni_stb;
    assign handed_tag = receive[WORD_WIDTH +: 3];
    assign handed_wait = receive_wait;

    uart uart (
        .clk(clk), .reset(core_reset), .request(uart_request), .we(we), .adr(adr[7:2]), .sel(sel), .wdata(dat_w[7:0]),
        .rdata(uart_rdata), .rx_valid(uart_rx_valid), .rx(uart_rx), .rx_ready(uart_rx_ready),
        .tx_valid(uart_tx_valid), .tx(uart_tx), .tx_ready(uart_tx_ready)
    );

    clint clint (
        .clk(clk), .reset(core_reset), .request(clint_request), .we(we), .adr(adr[15:2]), .wdata(dat_w),
        .rdata(clint_rdata), .now(now), .timer_interrupt(timer_interrupt), .software_interrupt(software_interrupt),
        .wake_time(wake_time)
    );

    finisher finisher (
        .clk(clk), .reset(core_reset), .request(finisher_request), .we(we), .wdata(dat_w),
        .finished(finished), .status(finish_status)
    );

    node_id #(.WORD_WIDTH(WORD_WIDTH), .DISCIPLINE(DISCIPLINE), .RAM_BYTES(RAM_BYTES)) node_id (
        .adr(adr[11:2]), .rdata(id_rdata), .straps(straps)
    );

    // network_interface and its two ports to RAM
    wire        receive_req, receive_we, receive_soon, receive_gnt, send_req, send_we, send_soon, send_gnt, ram_req, ram_we;
    wire [31:2] receive_addr, send_addr, ram_addr;
    wire [31:0] receive_wdata, send_wdata, ram_wdata;
    wire [3:0]  ram_sel;
    wire        event_received, event_received_aborted, event_received_oversize, event_received_discarded;
    wire        event_receive_wait, event_sent, event_send_wait, wait_pending, ni_idle;
    wire [5:0]  counter_select;
    wire [31:0] counter_value;
    wire        counter_ready;

    network_interface #(.WORD_WIDTH(WORD_WIDTH), .CAPABILITIES(CAPABILITIES)) network_interface (
        .clk(clk), .reset(core_reset), .bus_cyc(ni_stb), .bus_stb(ni_stb), .bus_we(we), .bus_adr(adr[11:2]),
        .bus_dat_w(dat_w), .bus_sel(sel), .bus_dat_r(ni_dat_r), .bus_ack(ni_ack),
        .receive_req(receive_req), .receive_we(receive_we), .receive_addr(receive_addr),
        .receive_wdata(receive_wdata), .receive_soon(receive_soon), .receive_gnt(receive_gnt),
        .send_req(send_req), .send_we(send_we), .send_addr(send_addr), .send_wdata(send_wdata), .send_soon(send_soon),
        .send_gnt(send_gnt), .ram_rdata(ram_rdata), .send(sent), .send_wait(sent_wait), .receive(received),
        .receive_wait(received_wait),
        .receive_patience(straps[`POSTROAD_STRAP_RECEIVE_PATIENCE]), .relief(relief), .relief_next(relief_next), .now(now[31:0]),
        .uart_has_byte(uart_rx_valid),
        .timer_expired(timer_interrupt), .counter_select(counter_select), .counter_value(counter_value),
        .counter_ready(counter_ready), .event_received(event_received),
        .event_received_aborted(event_received_aborted),
        .event_received_oversize(event_received_oversize), .event_received_discarded(event_received_discarded),
        .event_receive_wait(event_receive_wait), .event_sent(event_sent), .event_send_wait(event_send_wait),
        .wait_pending(wait_pending), .idle(ni_idle)
    );

    event_counters #(.LINKS(LINKS), .SWEPT_READ(1)) counters (  // the network_interface waits for counter_ready
        .clk(clk), .reset(reset), .fabric_events(fabric_events), .event_received(event_received),
        .event_received_aborted(event_received_aborted),
        .event_received_oversize(event_received_oversize), .event_received_discarded(event_received_discarded),
        .event_receive_wait(event_receive_wait), .event_sent(event_sent), .event_send_wait(event_send_wait),
        .select(counter_select), .value(counter_value), .ready(counter_ready)
    );

    ram_arbiter ram_arbiter (
        .clk(clk), .reset(core_reset), .core_req(ram_request), .core_we(we), .core_addr(adr), .core_wdata(dat_w),
        .core_sel(sel), .core_gnt(ram_granted), .receive_req(receive_req), .receive_we(receive_we),
        .receive_addr(receive_addr), .receive_wdata(receive_wdata), .receive_sel(4'b1111),
        .receive_soon(receive_soon), .receive_gnt(receive_gnt),
        .send_req(send_req), .send_we(send_we), .send_addr(send_addr), .send_wdata(send_wdata), .send_sel(4'b1111),
        .send_soon(send_soon), .send_gnt(send_gnt), .ram_req(ram_req), .ram_we(ram_we), .ram_addr(ram_addr),
        .ram_wdata(ram_wdata),
        .ram_sel(ram_sel)
    );

    ram #(.BYTES(RAM_BYTES), .IMAGE(IMAGE)) ram (
        .clk(clk), .req(ram_req), .we(ram_we), .addr(ram_addr[$clog2(RAM_BYTES)-1:2]), .wdata(ram_wdata),
        .sel(ram_sel), .rdata(ram_rdata)
    );

    // The pipeline of a core whose access is not acknowledged drains for a few clocks. The core counts as static after 15
    // clocks without an acknowledge.
    wire      stopped = wait_pending || finished;
    reg [3:0] stopped_for;

    always @(posedge clk)
        if (core_reset || !stopped)
            stopped_for <= 4'd0;
        else if (stopped_for != 4'd15)
            stopped_for <= stopped_for + 4'd1;

    assign quiet = fabric_quiet && ni_idle && !uart_tx_valid && stopped && stopped_for == 4'd15;

    wire unused = &{1'b0, relief, ram_addr[31:$clog2(RAM_BYTES)]};

endmodule

`default_nettype wire
