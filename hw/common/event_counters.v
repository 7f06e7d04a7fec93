// Counters of everything that happens at a site, 32 bits each, at the indices of registers.ini.
//
// An event first goes into a small pending count of its own. A sweep visits one index a clock, adds its pending count to
// a RAM and starts it anew; what is read is the RAM's share plus the pending one, so a count is exact in every clock. A
// sweep takes 64 clocks, in which a pending count reaches 64 at most.
// Cost with four links on iCE40: 750 LUT, 230 flops, 4 block RAMs; 32 flops a counter would take 1600 LUT, 860 flops.
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

    reg [31:0] memory [0:63];
    reg [6:0]  pending [0:63];
    reg [5:0]  sweep;
    reg        first_sweep;      // the RAM holds nothing yet from `sweep` on
    integer    i;

    always @(posedge clk)
        for (i = 0; i < 64; i = i + 1)
            if (reset || !USED[i])
                pending[i] <= 7'd0;
            else if (sweep == i[5:0])
                pending[i] <= {6'd0, events[i]};
            else if (events[i])
                pending[i] <= pending[i] + 7'd1;

    always @(posedge clk)
        if (reset) begin
            sweep <= 6'd0;
            first_sweep <= 1'b1;
        end else begin
            sweep <= sweep + 6'd1;
            if (sweep == 6'd63)
                first_sweep <= 1'b0;
        end

    always @(posedge clk)
        memory[sweep] <= (first_sweep ? 32'd0 : memory[sweep]) + {25'd0, pending[sweep]};

    wire [5:0] chosen;
    wire       unswept = first_sweep && chosen >= sweep;

    assign value = (unswept ? 32'd0 : memory[chosen]) + {25'd0, pending[chosen]};

    generate
        if (CLOCKED_READ != 0) begin : clocked
            reg [5:0] select_before;
            always @(posedge clk)
                select_before <= select;
            assign chosen = select_before;
        end else begin : unclocked
            assign chosen = select;
        end
        if (PORTS > 16) begin : too_many_ports
            counters_of_more_than_16_ports do_not_exist ();
        end
    endgenerate

endmodule

`default_nettype wire
