// network_interface: the operator's DMA engine and register interface to the fabric. It moves packets between buffers in RAM
// and the two fifo_buffers and stamps them with the clock. Firmware uses two rings of pointers and the event counters.
//
//            bus                      RAM
//             |                     |     |
//         registers --- enable --- send   receive
//             |      producer       |     |
//          counters  consumer   fifo_buffers (downstream, upstream)
//
// Manual: network_interface.md. Neither side ever waits for the other, except for RAM, where ram_arbiter arbitrates fairly.
// SPDX-License-Identifier: ISC
`default_nettype none

module network_interface #(
    parameter WORD_WIDTH = 16,      // of a fabric word: 16 or 32
    parameter [5:0] CAPABILITIES = 6'b000111   // capabilities of the discipline, as in NI_CAPABILITIES
) (
    input wire clk,
    input wire reset,

    // Registers: Wishbone classic slave, see network_interface_registers.
    input wire         bus_cyc,
    input wire         bus_stb,
    input wire         bus_we,
    input wire [11:2]  bus_adr,
    input wire [31:0]  bus_dat_w,
    input wire [3:0]   bus_sel,
    output wire [31:0] bus_dat_r,
    output wire        bus_ack,

    // RAM: two masters of ram_arbiter, whole words only. rdata is valid in the clock after a grant.
    output wire        receive_req,
    output wire        receive_we,
    output wire [31:2] receive_addr,
    output wire [31:0] receive_wdata,
    output wire        receive_soon,
    input wire         receive_gnt,
    output wire        send_req,
    output wire        send_we,
    output wire [31:2] send_addr,
    output wire [31:0] send_wdata,
    output wire        send_soon,
    input wire         send_gnt,
    input wire [31:0]  ram_rdata,

    // Fabric: a word moves in a clock with a tag and without wait; it is stable until then. receive_wait comes from a flop.
    output wire [WORD_WIDTH+2:0] send,
    input wire                   send_wait,
    input wire [WORD_WIDTH+3:0]  receive,
    output wire                  receive_wait,

    // Strap: clocks without a posted buffer after which receive discards packets (R5); 0: never.
    input wire [15:0] receive_patience,

    // For the router: firmware requests that it deliver no packets that could pass (R1). A level that may change at any time.
    output wire relief,
    output wire relief_next,  // the value of relief in the next clock

    // Clocks since reset, modulo 2^32; the levels that also end a read of NI_WAIT.
    input wire [31:0] now,
    input wire        uart_has_byte,
    input wire        timer_expired,

    // event_counters: its read port, and one pulse for each event.
    output wire [5:0] counter_select,
    input wire [31:0] counter_value,
    input wire        counter_ready,
    output wire       event_received,
    output wire       event_received_aborted,
    output wire       event_received_oversize,
    output wire       event_received_discarded,
    output wire       event_receive_wait,
    output wire       event_sent,
    output wire       event_send_wait,

    // For `quiet` of the site. wait_pending: a read of NI_WAIT is stalled in this clock. idle: no transfer in either direction.
    output wire wait_pending,
    output wire idle
);

    wire        receive_enable, send_enable, receive_idle, send_idle;
    wire [31:2] receive_ring, send_ring;
    wire [2:0]  receive_ring_log2, send_ring_log2;
    wire [7:0]  receive_producer, receive_consumer, send_producer, send_consumer;
    wire [12:0] receive_capacity;

    wire        receive_take, receive_take_index, receive_read, receive_read_index;
    wire        send_take, send_take_index, send_read_index, stamp_valid;
    wire [31:0] stamp;

    assign idle = receive_idle && send_idle;

    network_interface_registers #(.WORD_WIDTH(WORD_WIDTH), .CAPABILITIES(CAPABILITIES)) registers (
        .clk(clk), .reset(reset),
        .bus_cyc(bus_cyc), .bus_stb(bus_stb), .bus_we(bus_we), .bus_adr(bus_adr), .bus_dat_w(bus_dat_w),
        .bus_sel(bus_sel), .bus_dat_r(bus_dat_r), .bus_ack(bus_ack),
        .relief(relief), .relief_next(relief_next), .receive_enable(receive_enable), .receive_ring(receive_ring),
        .receive_ring_log2(receive_ring_log2),
        .receive_producer(receive_producer), .receive_capacity(receive_capacity),
        .receive_consumer(receive_consumer),
        .send_enable(send_enable), .send_ring(send_ring), .send_ring_log2(send_ring_log2),
        .send_producer(send_producer), .send_consumer(send_consumer),
        .uart_has_byte(uart_has_byte), .timer_expired(timer_expired),
        .counter_select(counter_select), .counter_value(counter_value), .counter_ready(counter_ready),
        .wait_pending(wait_pending)
    );

    network_interface_receive #(.WORD_WIDTH(WORD_WIDTH)) receiver (
        .clk(clk), .reset(reset),
        .enable(receive_enable), .ring(receive_ring), .ring_log2(receive_ring_log2), .producer(receive_producer),
        .capacity(receive_capacity), .patience(receive_patience), .consumer(receive_consumer),
        .idle(receive_idle), .stamp_take(receive_take), .stamp_take_index(receive_take_index),
        .stamp_read(receive_read), .stamp_read_index(receive_read_index), .stamp(stamp), .req(receive_req), .we(receive_we),
        .addr(receive_addr),
        .wdata(receive_wdata), .soon(receive_soon), .gnt(receive_gnt),
        .rdata(ram_rdata[31:2]), .receive(receive), .receive_wait(receive_wait),
        .event_received(event_received), .event_received_aborted(event_received_aborted),
        .event_received_oversize(event_received_oversize), .event_received_discarded(event_received_discarded),
        .event_receive_wait(event_receive_wait)
    );

    network_interface_send #(.WORD_WIDTH(WORD_WIDTH)) sender (
        .clk(clk), .reset(reset),
        .enable(send_enable), .ring(send_ring), .ring_log2(send_ring_log2), .producer(send_producer),
        .consumer(send_consumer), .idle(send_idle), .stamp_take(send_take), .stamp_take_index(send_take_index),
        .stamp_read_index(send_read_index), .stamp(stamp), .stamp_valid(stamp_valid),
        .req(send_req), .we(send_we), .addr(send_addr), .wdata(send_wdata), .soon(send_soon), .gnt(send_gnt),
        .rdata(ram_rdata),
        .send(send), .send_wait(send_wait), .event_sent(event_sent), .event_send_wait(event_send_wait)
    );

    network_interface_stamps stamps (
        .clk(clk), .now(now), .receive_take(receive_take), .receive_take_index(receive_take_index), .send_take(send_take),
        .send_take_index(send_take_index), .receive_read(receive_read), .receive_read_index(receive_read_index),
        .send_read_index(send_read_index), .stamp(stamp), .send_valid(stamp_valid)
    );

    generate
        if (WORD_WIDTH != 16 && WORD_WIDTH != 32) begin : bad_word_width
            words_of_16_or_32_bits only ();
        end
    endgenerate

endmodule

`default_nettype wire
