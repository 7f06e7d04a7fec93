// Counters of everything that happens at a site, 32 bits each, at the indices of registers.ini.
//
// Only the low bits of a count are flops of its own. A sweep visits one index a clock, those that have an event only, and
// writes its whole count to a RAM. The low bits cannot go round once in a sweep (27 clocks with four links), so they and
// what the RAM holds tell the count, exactly, in every clock.
// Cost with four links on iCE40: 650 LUT, 180 flops, 4 block RAMs; 32 flops a counter would take 1600 LUT, 860 flops.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module event_counters #(
    parameter LINKS = 4,         // as the fabric's
    parameter CLOCKED_READ = 0   // 1: value follows select by one clock, where RAM has no other read port (iCE40)
) (
    input wire clk,
    input wire reset,

    // Events of the fabric: each clock with a 1 counts once. Vectors have one bit a port.
    input wire [LINKS:0] event_word_out,
    input wire [LINKS:0] event_stall,
    input wire [LINKS:0] event_drop,
    input wire           event_divert,
    input wire           event_abort,
    input wire           event_split,
    input wire           event_pass,
    input wire           event_single,

    // Events of the network_interface, tied to 0 where there is none.
    input wire event_received,
    input wire event_received_aborted,
    input wire event_received_oversize,
    input wire event_received_discarded,
    input wire event_receive_wait,
    input wire event_sent,
    input wire event_send_wait,

    // Reader: value is the count before this clock's event, combinational from select unless CLOCKED_READ. An index
    // without an event reads 0.
    input wire [5:0]   select,
    output wire [31:0] value
);

    localparam PORTS = LINKS + 1;
    localparam [15:0] PORT_MASK = 16'hffff >> (16 - PORTS);
    localparam [63:0] USED = {{3{PORT_MASK}}, 16'h0fff};     // indices that have an event

    reg [63:0] events;
    always @* begin
        events = 64'd0;
        events[`POSTROAD_COUNTER_DIVERSIONS] = event_divert;
        events[`POSTROAD_COUNTER_ABORTS] = event_abort;
        events[`POSTROAD_COUNTER_SPLITS] = event_split;
        events[`POSTROAD_COUNTER_PASSES] = event_pass;
        events[`POSTROAD_COUNTER_SINGLES] = event_single;
        events[`POSTROAD_COUNTER_RECEIVED_PACKETS] = event_received;
        events[`POSTROAD_COUNTER_RECEIVED_ABORTED] = event_received_aborted;
        events[`POSTROAD_COUNTER_RECEIVED_OVERSIZE] = event_received_oversize;
        events[`POSTROAD_COUNTER_RECEIVED_DISCARDED] = event_received_discarded;
        events[`POSTROAD_COUNTER_RECEIVE_WAITS] = event_receive_wait;
        events[`POSTROAD_COUNTER_SENT_PACKETS] = event_sent;
        events[`POSTROAD_COUNTER_SENT_WAITS] = event_send_wait;
        events[`POSTROAD_COUNTER_WORDS_OUT +: PORTS] = event_word_out;
        events[`POSTROAD_COUNTER_STALLS +: PORTS] = event_stall;
        events[`POSTROAD_COUNTER_DROPS +: PORTS] = event_drop;
    end

    // The sweep jumps over what has no event. Until it has been everywhere the RAM holds what was there before a reset: reads
    // of what it has not visited go to index 15, which is never visited and so 0 for ever.
    localparam       LOW_BITS = $clog2(12 + 3*PORTS + 1), HIGH_BITS = 32 - LOW_BITS;
    localparam [5:0] ZERO = 6'd15, LAST_SINGLE = 6'd11;
    localparam [3:0] LAST_PORT = PORTS[3:0] - 4'd1;

    reg [31:0]         memory [0:63];
    reg [LOW_BITS-1:0] low [0:63];
    reg [5:0]          sweep;            // visited in this clock
    reg [5:0]          sweep_reads;      // where the RAM is read for it
    reg                first_sweep;      // the RAM holds nothing yet from `sweep` on
    integer            i;

    wire       ends_group = sweep[5:4] == 2'd0 ? sweep == LAST_SINGLE : sweep[3:0] == LAST_PORT;
    wire [5:0] sweep_next = reset ? 6'd0 : ends_group ? {sweep[5:4] + 2'd1, 4'd0} : sweep + 6'd1;
    wire       first_sweep_next = reset || first_sweep && !(ends_group && sweep[5:4] == 2'd3);

    initial
        for (i = 0; i < 64; i = i + 1)
            memory[i] = 32'd0;

    always @(posedge clk)
        for (i = 0; i < 64; i = i + 1)
            if (reset || !USED[i])
                low[i] <= {LOW_BITS{1'b0}};
            else if (events[i])
                low[i] <= low[i] + 1'b1;

    always @(posedge clk) begin
        sweep <= sweep_next;
        sweep_reads <= first_sweep_next ? ZERO : sweep_next;
        first_sweep <= first_sweep_next;
    end

    // The count of which the RAM holds an earlier value: its high bits are one more if the low ones have gone round.
    function [31:0] count;
        input [31:0]         swept;
        input [LOW_BITS-1:0] low_now;
        count = {swept[31:LOW_BITS] + {{(HIGH_BITS-1){1'b0}}, low_now < swept[LOW_BITS-1:0]}, low_now};
    endfunction

    always @(posedge clk)
        memory[sweep] <= count(memory[sweep_reads], low[sweep]);

    // chosen: whose low bits are read; chosen_reads: where the RAM is read for it.
    wire [5:0] chosen, chosen_reads;
    assign value = count(memory[chosen_reads], low[chosen]);

    generate
        if (CLOCKED_READ != 0) begin : clocked
            reg [5:0] select_before, select_reads;
            always @(posedge clk) begin
                select_before <= select;
                select_reads <= first_sweep_next && select >= sweep_next ? ZERO : select;
            end
            assign chosen = select_before;
            assign chosen_reads = select_reads;
        end else begin : unclocked
            assign chosen = select;
            assign chosen_reads = first_sweep && select >= sweep ? ZERO : select;
        end
        if (PORTS > 16) begin : too_many_ports
            counters_of_more_than_16_ports do_not_exist ();
        end
    endgenerate

endmodule

`default_nettype wire
