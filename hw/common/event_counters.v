// event_counters: the event counters of a site, 32 bits each, at the indices of registers.ini.
//
// Each counter has flops for its low bits alone. A sweep visits one counter in each clock (only indices that have an event) and
// writes its whole count to a RAM. The low bits cannot wrap within one sweep (28 clocks with four links). Together with the
// value in the RAM they therefore give the exact count in every clock. A reader that can wait for the sweep needs no extra logic.
// SPDX-License-Identifier: ISC
`default_nettype none
`include "protocol.vh"

module event_counters #(
    parameter LINKS = 4,         // as the fabric's
    parameter SWEPT_READ = 0     // 1: the reader waits for the sweep to reach its counter and needs no read port of its own
) (
    input wire clk,
    input wire reset,

    // Events of the fabric, at their indices: each clock with a 1 counts once. Vectors have one bit a port.
    input wire [63:0] fabric_events,

    // Events of the network_interface, tied to 0 where there is none.
    input wire event_received,
    input wire event_received_aborted,
    input wire event_received_oversize,
    input wire event_received_discarded,
    input wire event_receive_wait,
    input wire event_sent,
    input wire event_send_wait,

    // Reader: in a clock with `ready`, value is the count of select. Without SWEPT_READ ready is always 1, and value excludes
    // this clock's event. With SWEPT_READ ready is 1 once in a sweep, and value also excludes the event of the clock before. An
    // index without an event reads 0. In reset ready is 1, so that no reader waits for the end of it, and value is 0 from the
    // second clock on.
    input wire [5:0]   select,
    output wire [31:0] value,
    output wire        ready
);

    // Events have dense slots, which makes the sweep short and the multiplexer small. The slot behind the last event has no
    // event; its count is always 0.
    localparam [31:0] SINGLES = 12, PORTS = LINKS + 1, STALLS = SINGLES + PORTS, DROPS = STALLS + PORTS, LAST = DROPS + PORTS;
    localparam SLOTS     = LAST + 1;
    localparam SLOT_BITS = $clog2(SLOTS), LOW_BITS = $clog2(SLOTS + 1), HIGH_BITS = 32 - LOW_BITS;
    localparam [SLOT_BITS-1:0] ZERO = LAST[SLOT_BITS-1:0];
    localparam [SLOT_BITS-1:0] NONE = {SLOT_BITS{1'b1}};     // no slot: there are never that many

    reg [63:0] indexed;                   // events at their indices
    always @* begin
        indexed = fabric_events;
        indexed[`POSTROAD_COUNTER_RECEIVED_PACKETS] = event_received;
        indexed[`POSTROAD_COUNTER_RECEIVED_ABORTED] = event_received_aborted;
        indexed[`POSTROAD_COUNTER_RECEIVED_OVERSIZE] = event_received_oversize;
        indexed[`POSTROAD_COUNTER_RECEIVED_DISCARDED] = event_received_discarded;
        indexed[`POSTROAD_COUNTER_RECEIVE_WAITS] = event_receive_wait;
        indexed[`POSTROAD_COUNTER_SENT_PACKETS] = event_sent;
        indexed[`POSTROAD_COUNTER_SENT_WAITS] = event_send_wait;
    end

    wire [SLOTS-1:0] events = {1'b0, indexed[`POSTROAD_COUNTER_DROPS +: PORTS], indexed[`POSTROAD_COUNTER_STALLS +: PORTS],
                               indexed[`POSTROAD_COUNTER_WORDS_OUT +: PORTS], indexed[SINGLES-1:0]};

    // The slot of an index. Single events have indices from 0 on; vectors start at WORDS_OUT, STALLS and DROPS, 16 apart.
    function [SLOT_BITS-1:0] slot;
        input [5:0] index;
        begin
            slot = {{(SLOT_BITS-4){1'b0}}, index[3:0]};
            if ({28'd0, index[3:0]} >= (index[5:4] == 2'd0 ? SINGLES : PORTS))
                slot = ZERO;
            else if (index[5:4] == 2'd1)
                slot = slot + SINGLES[SLOT_BITS-1:0];
            else if (index[5:4] == 2'd2)
                slot = slot + STALLS[SLOT_BITS-1:0];
            else if (index[5:4] == 2'd3)
                slot = slot + DROPS[SLOT_BITS-1:0];
        end
    endfunction

    // The present count from an earlier value in the RAM: the high bits are one more if the low bits have wrapped since.
    function [31:0] count;
        input [31:0]         earlier;
        input [LOW_BITS-1:0] low_now;
        count = {earlier[31:LOW_BITS] + {{(HIGH_BITS-1){1'b0}}, low_now < earlier[LOW_BITS-1:0]}, low_now};
    endfunction

    (* no_rw_check *)                     // no clock reads and writes the same word
    reg [31:0]          memory [0:SLOTS-1];
    wire [LOW_BITS-1:0] low_sweep, low_selected;
    reg [SLOT_BITS-1:0] sweep, visited;   // sweep: slot read in this clock; visited: read in the clock before, written now
    reg [31:0]          swept;            // the RAM's value of the visited slot
    reg [LOW_BITS-1:0]  low_visited;      // the low bits of the visited slot
    reg                 first_sweep;      // from slot `sweep` on, the RAM still holds values from before the reset
    integer             i;

    wire [31:0]          visited_count = count(swept, low_visited);
    wire [SLOT_BITS-1:0] selected = slot(select);

    initial
        for (i = 0; i < SLOTS; i = i + 1)
            memory[i] = 32'd0;

    always @(posedge clk) begin
        sweep <= reset || sweep == ZERO ? {SLOT_BITS{1'b0}} : sweep + 1'b1;
        first_sweep <= reset || first_sweep && sweep != ZERO;
        visited <= reset ? NONE : sweep;      // a value read before a reset belongs to no counter
        swept <= memory[first_sweep ? ZERO : sweep];
        low_visited <= low_sweep;
        if (visited != ZERO && visited != NONE) memory[visited] <= visited_count;
    end

    // Bit-sliced: a simulation then updates all counters in the time of one.
    generate
        genvar b;
        for (b = 0; b < LOW_BITS; b = b + 1) begin : bits
            reg  [SLOTS-1:0] low;
            wire [SLOTS-1:0] carry;
            if (b == 0) assign carry = events;
            else assign carry = bits[b-1].low & bits[b-1].carry;
            always @(posedge clk)
                low <= reset ? {SLOTS{1'b0}} : low ^ carry;
            assign low_sweep[b] = low[sweep];
            assign low_selected[b] = low[selected];
        end
        if (SWEPT_READ != 0) begin : reads_swept
            assign value = visited_count;
            assign ready = reset || visited == selected;
        end else begin : reads_at_once
            assign value = count(memory[first_sweep && {1'b0, selected} + 1'b1 >= {1'b0, sweep} ? ZERO : selected], low_selected);
            assign ready = 1'b1;
        end
        if (PORTS > 16) begin : too_many_ports
            counters_of_more_than_16_ports do_not_exist ();
        end
    endgenerate

    wire unused = &{1'b0, indexed, low_selected};

endmodule

`default_nettype wire
