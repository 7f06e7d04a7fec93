// Registers of the network_interface (registers.ini, block NI) on a Wishbone classic slave port.
//
// A read of NI_WAIT is acknowledged only once one of its events is pending: an idle core stalls on the read, and firmware needs
// no interrupt. The bits of NI_WAIT are levels that only a later action of firmware clears. An event before, during or after the
// read is therefore reported by this read or by the next one.
// Registers that only firmware changes cannot be read, except NI_CONTROL: a multiplexer for 200 cells, of what firmware knows.
// Timing: ack one clock after a request, for NI_COUNTER one clock after the counters are ready.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module network_interface_registers #(
    parameter WORD_WIDTH = 16,      // of a fabric word; reported to firmware
    parameter [5:0] CAPABILITIES = 6'b000111   // capabilities of the discipline, reported to firmware
) (
    input wire clk,
    input wire reset,

    // Wishbone classic slave. ack lasts one clock. A master may withdraw its access by dropping cyc or stb. Word access only: a
    // write of less than a word is acknowledged and ignored. bus_dat_r is 0 except in the clock in which a read is
    // acknowledged.
    input wire        bus_cyc,
    input wire        bus_stb,
    input wire        bus_we,
    input wire [11:2] bus_adr,
    input wire [31:0] bus_dat_w,
    input wire [3:0]  bus_sel,
    output reg [31:0] bus_dat_r,
    output reg        bus_ack,

    output reg         relief,          // for the router: a level that firmware sets
    output wire        relief_next,     // the value of relief in the next clock

    // Both sides' settings and progress.
    output reg         receive_enable,
    output reg [31:2]  receive_ring,
    output reg [2:0]   receive_ring_log2,
    output reg [7:0]   receive_producer,
    output reg [12:0]  receive_capacity,
    input wire [7:0]   receive_consumer,
    output reg         send_enable,
    output reg [31:2]  send_ring,
    output reg [2:0]   send_ring_log2,
    output reg [7:0]   send_producer,
    input wire [7:0]   send_consumer,

    // The other events of NI_WAIT, as levels.
    input wire uart_has_byte,
    input wire timer_expired,

    // Event counters: counter_value is valid with counter_ready.
    output wire [5:0] counter_select,
    input wire [31:0] counter_value,
    input wire        counter_ready,

    // A read of NI_WAIT is stalled in this clock.
    output wire wait_pending
);

    reg [15:0] seen;

    wire [11:0] offset = {bus_adr, 2'd0};
    wire        request = bus_cyc && bus_stb && !bus_ack;
    wire        write = request && bus_we && bus_sel == 4'hf;
    wire        read = request && !bus_we;
    wire        is_wait = offset == `POSTROAD_NI_WAIT;
    wire        is_counter = bus_adr[11:8] == 4'd1;     // POSTROAD_NI_COUNTER and the 63 words behind it
    wire [3:0]  reasons = {timer_expired, uart_has_byte,
                           send_consumer != seen[15:8], receive_consumer != seen[7:0]};
    wire        waits = read && is_wait && reasons == 4'd0;
    wire        counting = read && is_counter && !counter_ready;

    assign wait_pending = waits;
    assign counter_select = bus_adr[7:2];

    reg [31:0] value;
    always @*
        case (offset)
            `POSTROAD_NI_CAPABILITIES:     value = {16'd0, WORD_WIDTH[7:0], 2'd0, CAPABILITIES};
            `POSTROAD_NI_CONTROL:          value = {29'd0, relief, send_enable, receive_enable};
            `POSTROAD_NI_SEND_CONSUMER:    value = {24'd0, send_consumer};
            `POSTROAD_NI_RECEIVE_CONSUMER: value = {24'd0, receive_consumer};
            `POSTROAD_NI_WAIT:             value = {28'd0, reasons};
            default:                       value = is_counter ? counter_value : 32'd0;
        endcase

    always @(posedge clk)
        bus_ack <= !reset && request && !waits && !counting;

    always @(posedge clk)
        bus_dat_r <= read && !waits && !counting ? value : 32'd0;

    assign relief_next = write && offset == `POSTROAD_NI_CONTROL ? bus_dat_w[2] : relief;

    always @(posedge clk)
        if (reset) begin
            {relief, send_enable, receive_enable} <= 3'd0;
            {send_ring, send_ring_log2, send_producer} <= 41'd0;
            {receive_ring, receive_ring_log2, receive_producer} <= 41'd0;
            receive_capacity <= 13'd0;
            seen <= 16'd0;
        end else if (write)
            case (offset)
                `POSTROAD_NI_CONTROL:           {relief, send_enable, receive_enable} <= bus_dat_w[2:0];
                `POSTROAD_NI_SEND_RING:         send_ring <= bus_dat_w[31:2];
                `POSTROAD_NI_SEND_RING_LOG2:    send_ring_log2 <= bus_dat_w[2:0];
                `POSTROAD_NI_SEND_PRODUCER:     send_producer <= bus_dat_w[7:0];
                `POSTROAD_NI_RECEIVE_RING:      receive_ring <= bus_dat_w[31:2];
                `POSTROAD_NI_RECEIVE_RING_LOG2: receive_ring_log2 <= bus_dat_w[2:0];
                `POSTROAD_NI_RECEIVE_PRODUCER:  receive_producer <= bus_dat_w[7:0];
                `POSTROAD_NI_RECEIVE_WORDS:     receive_capacity <= bus_dat_w[12:0];
                `POSTROAD_NI_SEEN:              seen <= bus_dat_w[15:0];
                default: ;
            endcase

endmodule

`default_nettype wire
