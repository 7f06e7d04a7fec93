// What is measured as `network_interface`: all of it, with the 16 address bits of 64 KB of RAM.
// SPDX-License-Identifier: ISC
`default_nettype none

module measured_network_interface #(
    parameter WORD_WIDTH = 16,
    parameter IN  = WORD_WIDTH + 155,   // follow from the above: not to be set
    parameter OUT = WORD_WIDTH + 151
) (
    input  wire           clk,
    input  wire [IN-1:0]  in,
    output wire [OUT-1:0] out
);
    wire                  reset, stb, we, receive_gnt, send_gnt, send_wait, uart_has_byte, timer_expired, counter_ready;
    wire [11:2]           adr;
    wire [31:0]           dat_w, rdata, counter_value, dat_r, receive_wdata, send_wdata;
    wire [3:0]            sel;
    wire [WORD_WIDTH+3:0] receive;
    wire [WORD_WIDTH+2:0] send;
    wire [31:0]           now;
    wire                  ack, receive_req, receive_we, receive_soon, send_req, send_we, send_soon, receive_wait, relief,
                          wait_pending, idle;
    wire [31:2]           receive_addr, send_addr;
    wire [5:0]            counter_select;
    wire [6:0]            events;

    assign {reset, stb, we, adr, dat_w, sel, receive_gnt, send_gnt, rdata, send_wait, receive, now, uart_has_byte,
            timer_expired, counter_value, counter_ready} = in;

    /* verilator lint_off PINCONNECTEMPTY */
    network_interface #(.WORD_WIDTH(WORD_WIDTH)) network_interface (
        .clk(clk), .reset(reset), .bus_cyc(stb), .bus_stb(stb), .bus_we(we), .bus_adr(adr), .bus_dat_w(dat_w),
        .bus_sel(sel), .bus_dat_r(dat_r), .bus_ack(ack), .receive_req(receive_req), .receive_we(receive_we),
        .receive_addr(receive_addr), .receive_wdata(receive_wdata), .receive_soon(receive_soon),
        .receive_gnt(receive_gnt), .send_req(send_req),
        .send_we(send_we), .send_addr(send_addr), .send_wdata(send_wdata), .send_soon(send_soon),
        .send_gnt(send_gnt), .ram_rdata(rdata),
        .send(send), .send_wait(send_wait), .receive(receive), .receive_wait(receive_wait),
        .receive_patience(16'd4096), .relief(relief), .relief_next(), .now(now), .uart_has_byte(uart_has_byte),
        .timer_expired(timer_expired), .counter_select(counter_select), .counter_value(counter_value),
        .counter_ready(counter_ready),
        .event_received(events[0]), .event_received_aborted(events[1]), .event_received_oversize(events[2]),
        .event_received_discarded(events[3]), .event_receive_wait(events[4]), .event_sent(events[5]),
        .event_send_wait(events[6]), .wait_pending(wait_pending), .idle(idle));
    /* verilator lint_on PINCONNECTEMPTY */

    wire unused_outputs = &{1'b0, receive_addr[31:16], send_addr[31:16]};
    assign out = {dat_r, ack, receive_soon, send_soon, receive_req, receive_we, receive_addr[15:2], receive_wdata,
                  send_req, send_we, send_addr[15:2], send_wdata, send, receive_wait, relief, counter_select, events,
                  wait_pending, idle};
endmodule

`default_nettype wire
